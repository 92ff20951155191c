"""Every environment against the contract: what must be provable of each."""

from __future__ import annotations

import pytest

from skillhorizon.conformance.mutations import mutated
from skillhorizon.conformance.origin import bundle_of, components_of
from skillhorizon.conformance.profiles import FAST
from skillhorizon.conformance.subject import Spot, Subject
from skillhorizon.testing import CHECKS, check_environment

ENVIRONMENTS = ("fieldops", "financeops", "socialops")


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_an_environment_conforms(environment: str) -> None:
    report = check_environment(environment)
    assert report.findings == (), str(report)
    assert [checked.check for checked in report.checked] == list(CHECKS)


def test_a_leak_in_a_list_of_financeops_is_found() -> None:
    report = check_environment("leaking_financeops:environment", only=["leaks"])
    assert report.blamed == {"leaks"}
    assert {finding.message.partition(" tells")[0] for finding in report.findings} == {"list_sources"}


def test_an_alternate_part_leaves_alone_what_a_paired_device_of_fieldops_takes_next() -> None:
    """A paired device of the same wave would otherwise be given a batch that no longer expires first (R3)."""
    components = components_of("fieldops", bundle_of("fieldops"))
    specimen = Subject("fieldops", components, FAST).specimen(Spot("64k", "modernisation", "layered", 15, 3))
    (mutation,) = [each for each in components.environment.mutations if each.name == "alternate-part"]
    sabotage = mutation.place(specimen.built.plan)
    assert sabotage is not None
    assert mutated(specimen, sabotage).score.unmet == ()


@pytest.mark.full
@pytest.mark.timeout(14_400)
@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_an_environment_conforms_in_every_cell_and_band(environment: str, check: str) -> None:
    report = check_environment(environment, profile="full", only=[check])
    assert report.findings == (), str(report)
