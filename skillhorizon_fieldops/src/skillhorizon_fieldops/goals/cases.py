"""The goal of one device: it is restored, and its current test passes and is certified right."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skillhorizon import Finding, draws
from skillhorizon_fieldops.truth import offset, samples, value

if TYPE_CHECKING:
    from skillhorizon_fieldops.goals.judgement import Judgement
    from skillhorizon_fieldops.goals.state import Version
    from skillhorizon_fieldops.rows import Device


def case_finding(judgement: Judgement, device: Device) -> Finding:
    """Judge goal `case:d` by conditions (1) to (4)."""
    name, state = device.device, judgement.state
    work, test, certificate = (state.get(kind, name) for kind in ("WRK", "TST", "CRT"))
    tested = work is not None and test is not None and state.work[test.ref] == work.ref
    conditions = {
        **_worked(judgement, device, work),
        "tested": tested,
        **_certified(judgement, device, test, certificate),
        "restored": work is not None and name not in state.isolated,
    }
    return Finding(f"case:{name}", conditions)


def _worked(judgement: Judgement, device: Device, work: Version | None) -> dict[str, bool]:
    """Judge condition (1)."""
    content = None if work is None else work.content
    return {
        "worked": content is not None,
        "fault_true": content is not None and content["fault"] == judgement.plan.truth.faults[device.device],
        "batch_kept": content is not None and content["batch"] not in judgement.changes.recalled,
    }


def _certified(
    judgement: Judgement, device: Device, test: Version | None, certificate: Version | None
) -> dict[str, bool]:
    """Judge condition (3); a certificate of another test than the current one has neither value nor edition."""
    content = {} if certificate is None else certificate.content
    own = certificate is not None and test is not None and content["test"] == test.ref
    edition = judgement.changes.in_force(device.device_class, certificate.made) if certificate is not None else None
    found = None
    if own and test is not None and edition is not None:
        found = value(_samples(judgement, device, test), edition, _offset(judgement, test))
    return {
        "certified": own,
        "verdict_pass": content.get("verdict") == "pass",
        "value_true": found is not None and content["value"] == found,
        "edition_in_force": edition is not None and content["edition"] == edition.edition,
    }


def _samples(judgement: Judgement, device: Device, test: Version) -> tuple[tuple[int, int], ...]:
    """Draw again what a current test measured of the current work."""
    work = judgement.state.get("WRK", device.device)
    rng = draws(judgement.plan.truth.seed_text, f"TST:{device.device}", test.number)
    first = judgement.changes.first(device.device_class)
    return samples(rng, first, sound=work is not None and judgement.sound(work))


def _offset(judgement: Judgement, test: Version) -> int:
    """Draw again the offset of the commissioning that a test refers to; 0 without one."""
    reference = judgement.state.reference.get(test.ref)
    if reference is None:
        return 0
    name, _, version = reference.rpartition("@")
    return offset(judgement.plan.truth.seed_text, name.partition(":")[2], int(version))
