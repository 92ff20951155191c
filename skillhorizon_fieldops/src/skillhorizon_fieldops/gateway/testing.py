"""Testing a device, and certifying what its test says (R6)."""

from __future__ import annotations

from typing import Any

from skillhorizon import Artifact, Call, Json, operation
from skillhorizon_fieldops.gateway.answers import again, check_current, done, known_version, name_once, unknown
from skillhorizon_fieldops.gateway.arguments import DeviceId, Result, Results
from skillhorizon_fieldops.gateway.diagnosing import stands
from skillhorizon_fieldops.gateway.known import condition_of, known_device
from skillhorizon_fieldops.keys import procedure_name, touch_key
from skillhorizon_fieldops.rows import Certificate, Device, Procedure
from skillhorizon_fieldops.rules import PASS, samples

ARRESTER = "arrester"
_UPWARDS = """
    WITH RECURSIVE up(device, steps) AS (
        VALUES (?, 0)
        UNION ALL SELECT f.upstream, up.steps + 1 FROM up JOIN feed f
            ON f.downstream = up.device AND f.normal = 'closed')
    SELECT up.device, c.touches, i.permit FROM up JOIN condition c ON c.device = up.device
    LEFT JOIN isolation i ON i.device = up.device ORDER BY up.steps"""
_IN_FORCE = "SELECT max(edition) FROM procedure WHERE device_class = ?"


def _measured(artifact: Artifact) -> dict[str, Json]:
    return {"samples": artifact.content["samples"], "indicator": artifact.content["indicator"]}


def _again(call: Call, artifact: Artifact) -> dict[str, Json]:
    """Answer another test with the current one."""
    return {**again(call, artifact), **_measured(artifact)}


@operation(makes="TST:{device}", again=_again, reveals=("device.fault", "device.infant"))
def run_test(call: Call, device: DeviceId) -> dict[str, Json]:
    """Test a device: six [raw, ambient] samples, and whether a fault is present or absent."""
    found = known_device(call, device)
    line = call.world.sql(_UPWARDS, device)
    _check_energised(call, device, line)
    work = call.ledger.current(f"WRK:{device}")
    if work is None:
        message = f"WRK:{device} has no current version; perform_work before the test (R6)"
        call.reject("work_not_current", message, object=f"WRK:{device}")
    reference = _reference(call, found)
    last = call.ledger.last(f"TST:{device}")
    content = _measure(call, found, work, 1 if last is None else last.version + 1)
    made = call.ledger.produce(
        f"TST:{device}",
        content,
        cites={
            "work": work.ref,
            "touch": [(touch_key(name), str(touches)) for name, touches, _ in line],
            "reference": [] if reference is None else [reference.ref],
        },
        period=call.world.clock,
    )
    if condition_of(call, device).family == ARRESTER:
        call.ledger.happened(f"arrester_tested:{found.wave}", device)
    return done(call, made.ref, **_measured(made))


def _check_energised(call: Call, device: str, line: list[tuple[Any, ...]]) -> None:
    """Check that neither the device nor what feeds it is isolated (R6).

    Raises:
        Rejection: device_isolated, upstream_isolated.
    """
    for name, _, permit in line:
        if permit is not None and name == device:
            call.reject("device_isolated", f"{device} is isolated by {permit}; close it before the test", object=device)
        if permit is not None:
            message = f"{name}, which feeds {device}, is isolated by {permit}; close it before the test (R6)"
            call.reject("upstream_isolated", message, object=name)


def _reference(call: Call, device: Device) -> Artifact | None:
    if device.ref_service is None:
        return None
    found = call.ledger.current(f"COM:{device.ref_service}")
    if found is None:
        message = f"reference service {device.ref_service} of {device.device} has no current commissioning (R6)"
        call.reject("reference_not_current", message, object=device.ref_service)
    return found


def _measure(call: Call, device: Device, work: Artifact, version: int) -> dict[str, Json]:
    """Measure: a test fails iff the fault repaired is not the true one, or after an infant's first work."""
    repaired: str | None = work.content["fault"]
    right = repaired == device.fault
    first = call.world.built(Procedure, device.device_class, 1)
    passes = right and not (device.infant and work.version == 1)
    rng = call.draws(f"TST:{device.device}", version)
    return {"samples": samples(rng, first, passes=passes), "indicator": "absent" if right else "present"}


@operation(makes="CRT:{entries.device}", repeat=False)
def certify_tests(call: Call, entries: Results) -> dict[str, Json]:
    """Certify what up to twelve current tests say: [{device, test, edition, value, verdict}]."""
    found = [_known(call, entry) for entry in entries]
    name_once(call, (entry.device for entry in entries))
    same = [stands(call, f"CRT:{entry.device}", _content(entry)) for entry in entries]
    for before, (_, test) in zip(same, found, strict=True):
        if before is None:
            check_current(call, test)
    made = [
        _certified(call, entry, *named) if before is None else before.ref
        for entry, before, named in zip(entries, same, found, strict=True)
    ]
    return done(call, *made)


def _known(call: Call, entry: Result) -> tuple[Device, Artifact]:
    """Return the device and the test that an entry names.

    Raises:
        Rejection: unknown_object.
    """
    device, test = known_device(call, entry.device), known_version(call, entry.test, "TST")
    if call.world.get(Procedure, device.device_class, entry.edition) is None:
        told = f"edition of {device.device_class}'s procedure"
        unknown(call, told, str(entry.edition), "get_procedure names the editions of a class")
    return device, test


def _content(entry: Result) -> dict[str, Json]:
    return {"test": entry.test, "edition": entry.edition, "value": entry.value, "verdict": entry.verdict}


def _certified(call: Call, entry: Result, device: Device, test: Artifact) -> str:
    """Make one certificate, a proposal.

    Raises:
        Rejection: wrong_provenance, already_current.
    """
    name, level = f"CRT:{entry.device}", device.device_class
    if test.subject != entry.device:
        message = f"{test.ref} is not a test of {entry.device}; cite the device's own (R6)"
        call.reject("wrong_provenance", message, object=test.ref)
    before = call.ledger.current(name)
    if before is not None and any(user.kind == "COM" for user in call.ledger.users(before.ref)):
        message = f"a current commissioning cites {before.ref}; it stands, so no other certificate is needed"
        call.reject("already_current", message, object=before.ref)
    in_force: int = call.world.sql(_IN_FORCE, level)[0][0]
    passes = entry.verdict == PASS
    mentions = {"procedure": procedure_name(level, in_force)}
    made = call.ledger.produce(
        name,
        _content(entry),
        cites={"test": test.ref} if passes else {},
        mentions=mentions if passes else {**mentions, "test": test.ref},
        period=call.world.clock,
    )
    call.world.insert(Certificate(entry.device, made.version, in_force))
    if passes:
        call.ledger.happened(f"passed:{level}", entry.device)
    return made.ref
