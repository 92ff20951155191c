"""Every check has a small broken bakery that it catches, and that no other check blames."""

from __future__ import annotations

import attrs
import pytest
from broken_bakeries import BROKEN
from leaking_bakeries import LEAKING

from skillhorizon.testing import CHECKS, FAST, FULL, Profile, check_environment

HURRIED = attrs.evolve(FAST, patience=5, limit=60)
FAULTS = {f"broken_bakeries:{name}": fault for name, fault in BROKEN.items()}
FAULTS |= {f"leaking_bakeries:{name}": ("leaks", words) for name, words in LEAKING.items()}


@pytest.mark.parametrize("profile", [FAST, FULL], ids=lambda profile: profile.name)
def test_the_sound_bakery_conforms(profile: Profile) -> None:
    report = check_environment("bakery:bakery", profile=profile)
    assert report.findings == (), str(report)
    assert [checked.check for checked in report.checked] == list(CHECKS)


def test_every_check_has_a_broken_bakery() -> None:
    assert {check for check, _ in FAULTS.values()} == {"bundle", *CHECKS}


@pytest.mark.parametrize("origin", FAULTS, ids=lambda origin: origin.partition(":")[2])
def test_the_fault_is_found_by_its_check_alone(origin: str) -> None:
    check, words = FAULTS[origin]
    report = check_environment(origin, profile=HURRIED, only=others(check))
    assert report.blamed == {check}, str(report)
    assert any(words in finding.message for finding in report.of(check)), str(report)
    assert all(finding.evidence for finding in report.findings), str(report)


def others(check: str) -> list[str]:
    """Return the checks to run: all but the one that starts processes, unless it is to find the fault."""
    return [name for name in CHECKS if name != "repeatable" or check == name]


@pytest.mark.slow
@pytest.mark.parametrize("origin", [origin for origin, (check, _) in FAULTS.items() if check != "repeatable"])
def test_what_is_broken_elsewhere_repeats(origin: str) -> None:
    report = check_environment(origin, profile=HURRIED, only=["repeatable"])
    assert "repeatable" not in report.blamed, str(report)
