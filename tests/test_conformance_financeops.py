"""FinanceOps against the contract: everything that must be provable of an environment."""

from __future__ import annotations

import pytest

from skillhorizon.testing import CHECKS, check_environment


def test_financeops_conforms() -> None:
    report = check_environment("financeops")
    assert report.findings == (), str(report)
    assert [checked.check for checked in report.checked] == list(CHECKS)


@pytest.mark.full
@pytest.mark.timeout(14_400)
@pytest.mark.parametrize("check", CHECKS)
def test_financeops_conforms_in_every_cell_and_band(check: str) -> None:
    report = check_environment("financeops", profile="full", only=[check])
    assert report.findings == (), str(report)
