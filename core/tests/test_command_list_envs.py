"""`shz list-envs`: broken, duplicate and incompatible distributions are told, and the others work."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner, Result
from distributions import ENVIRONMENTS, install

from skillhorizon.cli import shz
from skillhorizon.model.canonical import loads

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


def run(*words: str) -> Result:
    return CliRunner().invoke(shz, ["list-envs", *words])


def rows(*words: str) -> dict[str, dict[str, str]]:
    return {row["distribution"]: row for row in loads(run("--json", *words).stdout)}


def test_metadata_is_listed_without_an_import(with_bakery: Path) -> None:
    sys.modules.pop("small_bakery", None)
    assert rows()["test-bakery"] == {"name": "bakery", "version": "1.2.3", "distribution": "test-bakery", "fault": ""}
    assert "small_bakery" not in sys.modules


def test_a_broken_environment_is_listed_and_its_cause_is_shown_on_request(home: Path, with_bakery: Path) -> None:
    points = {ENVIRONMENTS: {"cellar": "broken_cellar:environment"}}
    install(home, "test-cellar", points, modules={"broken_cellar": "raise RuntimeError('the cellar is flooded')"})
    assert rows()["test-cellar"]["fault"] == ""
    done = run("--check")
    assert done.exit_code == 1
    checked = rows("--check")
    assert "RuntimeError: the cellar is flooded" in checked["test-cellar"]["fault"]
    assert "reinstall it, or uninstall it" in checked["test-cellar"]["fault"]
    assert checked["test-bakery"]["fault"] == ""
    for words in (["describe", "cellar"], ["generate", "cellar", "--bands", "64k", "--out", str(home / "out")]):
        done = CliRunner().invoke(shz, words)
        assert done.exit_code == 1
        assert "test-cellar 1.2.3 cannot be loaded" in done.stderr


def test_a_name_offered_twice_names_both_distributions(home: Path) -> None:
    install(home, "test-attic", {ENVIRONMENTS: {"attic": "one:environment"}})
    install(home, "test-loft", {ENVIRONMENTS: {"attic": "two:environment"}})
    assert "test-attic and test-loft" in rows()["test-attic"]["fault"]
    done = CliRunner().invoke(shz, ["describe", "attic"])
    assert done.exit_code == 1
    assert "test-attic and test-loft; uninstall one of them" in done.stderr


@pytest.mark.parametrize("needed", ["skillhorizon>=7,<8", "skillhorizon (>=7)", "skillhorizon[all]==7.*"])
def test_an_environment_for_another_core_is_flagged(home: Path, needed: str) -> None:
    install(home, "test-hangar", {ENVIRONMENTS: {"hangar": "three:environment"}}, requires=[needed])
    fault = rows()["test-hangar"]["fault"]
    assert f"test-hangar requires {needed}, but skillhorizon " in fault
    assert rows("--check")["test-hangar"]["fault"] == fault
    done = CliRunner().invoke(shz, ["describe", "hangar"])
    assert done.exit_code == 1
    assert "install versions that fit: pip install -U skillhorizon test-hangar" in done.stderr


@pytest.mark.parametrize("needed", ["skillhorizon", "skillhorizon>=0.1", "skillhorizon-other>=7", "attrs>=24.2"])
def test_an_environment_for_this_core_is_not(home: Path, needed: str) -> None:
    install(home, "test-shed", {ENVIRONMENTS: {"shed": "four:environment"}}, requires=[needed])
    assert rows()["test-shed"]["fault"] == ""


def test_what_is_no_environment_is_told_so(home: Path) -> None:
    points = {ENVIRONMENTS: {"barn": "no_barn:environment"}}
    install(home, "test-barn", points, modules={"no_barn": "environment = 7"})
    assert "is a int, not an Environment" in rows("--check")["test-barn"]["fault"]
