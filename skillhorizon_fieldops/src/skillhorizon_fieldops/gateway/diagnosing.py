"""Recording what is wrong with devices (R2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skillhorizon import Artifact, Call, Json, operation
from skillhorizon_fieldops.gateway.answers import done, name_once, unknown
from skillhorizon_fieldops.gateway.arguments import Diagnoses, Diagnosis
from skillhorizon_fieldops.gateway.known import known_device
from skillhorizon_fieldops.keys import manual_key
from skillhorizon_fieldops.rows import Condition, Device, Manual, Rule

if TYPE_CHECKING:
    from collections.abc import Mapping


def stands(call: Call, artifact_id: str, content: Mapping[str, Json]) -> Artifact | None:
    """Return the current version if it says all of that: an equal item of a list leaves it as it is."""
    found = call.ledger.current(artifact_id)
    return found if found is not None and content.items() <= found.content.items() else None


@operation(makes="DGN:{entries.device}", repeat=False)
def record_diagnosis(call: Call, entries: Diagnoses) -> dict[str, Json]:
    """Record the faults of up to twelve devices: [{device, edition, fault}], by the manual's edition that governs."""
    for entry in entries:
        _check_edition(call, known_device(call, entry.device), entry)
    name_once(call, (entry.device for entry in entries))
    return done(call, *[_recorded(call, entry) for entry in entries])


def _check_edition(call: Call, device: Device, entry: Diagnosis) -> None:
    manual = call.world.get(Manual, entry.edition)
    if manual is None or manual.model != device.model:
        unknown(call, f"edition of {device.model}", entry.edition, f"get_manual names those of model {device.model}")


def _recorded(call: Call, entry: Diagnosis) -> str:
    content: dict[str, Json] = {"edition": entry.edition, "fault": entry.fault}
    same = stands(call, f"DGN:{entry.device}", content)
    if same is not None:
        return same.ref
    rules = call.world.select(Rule, edition=entry.edition)
    if all(rule.fault != entry.fault for rule in rules):
        message = f"no rule of edition {entry.edition} gives fault {entry.fault}; read its rules with get_manual (R2)"
        call.reject("fault_not_in_edition", message, object=entry.device)
    manual = call.world.get(Manual, entry.edition)
    issue = "" if manual is None else str(manual.issue)
    made = call.ledger.produce(
        f"DGN:{entry.device}",
        content,
        cites={"manual": (manual_key(entry.edition), issue)},
        period=call.world.clock,
    )
    call.world.update(Condition, entry.device, diagnosed=entry.fault)
    return made.ref
