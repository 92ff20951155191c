"""What tests of commands share: the bakery as an installed environment, and a small suite of its tasks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner
from distributions import install_bakery

from skillhorizon.cli import shz

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="session")
def bakery_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that holds the distribution `test-bakery`; it is on no import path yet."""
    home = tmp_path_factory.mktemp("bakery-home")
    install_bakery(home)
    return home


@pytest.fixture
def with_bakery(bakery_home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the distribution `test-bakery`, installed for this test."""
    monkeypatch.syspath_prepend(str(bakery_home))
    return bakery_home


@pytest.fixture(scope="session")
def bakery_suite(bakery_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A suite of two smoke tasks of the bakery; copy it before changing it."""
    folder = tmp_path_factory.mktemp("suites") / "trays"
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(bakery_home))
        words = ["generate", "bakery", "--bands", "smoke", "--per-band", "2", "--workers", "1", "--out", str(folder)]
        done = CliRunner().invoke(shz, words)
    assert done.exit_code == 0, done.output
    return folder
