"""A small suite that model agents are tried on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from skillhorizon import Order, generate

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="session")
def finance_suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One smoke task of FinanceOps."""
    folder = tmp_path_factory.mktemp("agents") / "finance"
    generate(Order(environment="financeops", bands=("smoke",), per_band=1), folder, workers=1)
    return folder
