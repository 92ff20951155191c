"""Settings of every test: the same examples everywhere, slow machines fail nothing; and a small suite to share."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

from skillhorizon import Order, generate

if TYPE_CHECKING:
    from pathlib import Path

settings.register_profile("repeatable", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("repeatable")

# A shell lets what it starts in the background ignore Ctrl-C, and so would the commands that tests stop by it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def finance_suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One smoke task of FinanceOps."""
    folder = tmp_path_factory.mktemp("agents") / "finance"
    generate(Order(environment="financeops", bands=("smoke",), per_band=1), folder, workers=1)
    return folder
