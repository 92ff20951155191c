"""Cases: devices tested and certified; a failure is repaired and tested again (R6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skillhorizon import Json, Skipped
from skillhorizon_fieldops.policy.memory import Failure, Test
from skillhorizon_fieldops.policy.planning import diagnose
from skillhorizon_fieldops.policy.reading import procedures_of
from skillhorizon_fieldops.policy.working import hand_back, rework, settle

if TYPE_CHECKING:
    from skillhorizon_fieldops.policy.desk import Desk

ATTEMPTS = 3


def finish_case(desk: Desk, device: str) -> None:
    """Test and certify a device until it passes; what its own call's update ended is left to the update's step.

    Raises:
        Refused: when a call is not accepted.
        Skipped: when it still fails after three tests.
    """
    for _ in range(ATTEMPTS):
        if device in desk.failed:
            repair(desk, device)
        if not test(desk, device) or not certify(desk, device):
            return
    raise Skipped(f"device '{device}' still fails its test")


def test(desk: Desk, device: str) -> bool:
    """Test a device without a current test; whether it has one then."""
    hand_back(desk, desk.devices[device].zone)
    if device not in desk.current["TST"]:
        answer = desk.do("run_test", device=device)
        reference = desk.devices[device].ref_service
        offset = desk.offsets.get(reference, 0) if reference else 0
        desk.tests[device] = Test(answer["samples"], answer["indicator"], offset)
    return device in desk.current["TST"]


def certify(desk: Desk, device: str) -> bool:
    """Evaluate and certify the current test of a device; whether it failed."""
    shown, of_class = desk.tests[device], desk.devices[device].of_class
    told: dict[str, Json] = {"offset": shown.offset, "samples": [[*each] for each in shown.samples]}
    asked = {"device": device, "class": of_class, "test": desk.ref("TST", device), **told}
    data: dict[str, Json] = {"tests": [asked], "procedures": [[*each] for each in procedures_of(desk, of_class)]}
    entries = desk.client.script("evaluate-test", "evaluate_test.py", data)["entries"]
    desk.do("certify_tests", entries=entries)
    failed = bool(entries[0]["verdict"] == "fail")
    if failed:
        desk.failed[device] = Failure(desk.drop("CRT", device), shown.indicator)
    return failed


def repair(desk: Desk, device: str) -> None:
    """Settle a failed device and work it again: diagnosed again where the wrong fault was repaired, else reseated."""
    settle(desk, [device])
    wrong = desk.failed[device].indicator == "present"
    if wrong:
        diagnose(desk, [device])
    rework(desk, device, reseat=not wrong)
