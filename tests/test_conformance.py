"""Every environment against the contract: what must be provable of each."""

from __future__ import annotations

import pytest

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


@pytest.mark.full
@pytest.mark.timeout(14_400)
@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_an_environment_conforms_in_every_cell_and_band(environment: str, check: str) -> None:
    report = check_environment(environment, profile="full", only=[check])
    assert report.findings == (), str(report)
