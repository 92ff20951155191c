"""Environments and extensions that lie outside the repository's packages are found through entry points alone."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from skillhorizon import loads

if TYPE_CHECKING:
    from collections.abc import Mapping

TOYS = Path(__file__).parent / "toys"
NOTE = """---
name: note-closings
description: Keeps a note of every closing. Use it when a stage has been closed.
---
Write down the stage, the version and the balances of its closing.
"""
Points = dict[str, dict[str, str]]
ENVIRONMENTS, PLUGINS = "skillhorizon.environments", "skillhorizon.plugins"


def describe(home: Path, name: str, points: Points, requires: str = "skillhorizon>=0.1") -> None:
    """Write a distribution's metadata beside its modules."""
    info = home / f"{name.replace('-', '_')}-0.4.2.dist-info"
    info.mkdir()
    info.joinpath("METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {name}\nVersion: 0.4.2\nRequires-Dist: {requires}\n"
    )
    lines = (f"[{group}]\n" + "\n".join(f"{k} = {v}" for k, v in each.items()) for group, each in points.items())
    info.joinpath("entry_points.txt").write_text("\n".join(lines))


@pytest.fixture(scope="module")
def toy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that holds the distribution of the toy environment."""
    home = tmp_path_factory.mktemp("toy")
    shutil.copytree(TOYS / "lamplight", home / "lamplight")
    describe(home, "street-lamps", {ENVIRONMENTS: {"lamplight": "lamplight:environment"}})
    return home


@pytest.fixture(scope="module")
def extension(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that holds the distribution that extends FinanceOps."""
    home = tmp_path_factory.mktemp("extension")
    shutil.copytree(TOYS / "ledger_notes", home / "ledger_notes")
    shutil.copytree(Path(str(files("skillhorizon_financeops"))) / "skills", home / "ledger_notes" / "skills")
    note = home / "ledger_notes" / "skills" / "note-closings"
    note.mkdir()
    note.joinpath("SKILL.md").write_text(NOTE)
    describe(home, "ledger-notes", {PLUGINS: {"notes": "ledger_notes:plugin"}})
    return home


def shz(*words: str, homes: list[Path], folder: Path, code: int = 0) -> str:
    """Run a command with further distributions installed, and return what it prints."""
    environ: Mapping[str, str] = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, homes))}
    command = [sys.executable, "-m", "skillhorizon", *words]
    done = subprocess.run(command, env=environ, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == code, f"{done.stdout}\n{done.stderr}"
    return done.stdout


def test_a_toy_environment_is_short_and_conforms_in_full(toy: Path, tmp_path: Path) -> None:
    assert len((TOYS / "lamplight" / "__init__.py").read_text().splitlines()) < 200
    words = ("check-env", "lamplight", "--profile", "full", "--workers", "1", "--json")
    report = loads(shz(*words, homes=[toy], folder=tmp_path))
    assert (report["sound"], report["findings"], len(report["checks"])) == (True, [], 17)


def test_a_toy_environment_goes_the_whole_way(toy: Path, tmp_path: Path) -> None:
    listed = loads(shz("list-envs", "--json", homes=[toy], folder=tmp_path))
    assert [row["distribution"] for row in listed if row["name"] == "lamplight"] == ["street-lamps"]
    told = loads(shz("demo", "lamplight", "--workers", "1", "--json", homes=[toy], folder=tmp_path))
    cells = {cell["agent"]: (cell["lgc"], cell["ts"]) for cell in told["cells"]}
    assert (cells["reference"], cells["null"]) == ((1.0, 1.0), (0.0, 0.0))


SMOKE = ("--bands", "smoke", "--per-band", "1", "--workers", "1")


def generated(folder: Path, *words: str, homes: list[Path]) -> dict[str, Any]:
    """Generate one task of FinanceOps and return it."""
    shz("generate", "financeops", *SMOKE, *words, "--out", "suite", homes=homes, folder=folder)
    task: dict[str, Any] = loads(next((folder / "suite" / "tasks").glob("*.json")).read_bytes())
    return task


def test_an_extension_is_used_by_name_and_pinned(extension: Path, tmp_path: Path) -> None:
    chosen = ("--policy", "diligent", "--skills-library", "annotated")
    task = generated(tmp_path, *chosen, homes=[extension])
    pins = {pin["role"]: (pin["name"], pin["distribution"], pin["version"]) for pin in task["pins"]}
    assert pins["policy"] == ("diligent", "ledger-notes", "0.4")
    assert pins["skill-library"] == ("annotated", "ledger-notes", "0.4")
    shz("validate", "suite", "--workers", "1", homes=[extension], folder=tmp_path)
    words = ("eval", "suite", "--agent", "reference", "--workers", "1", "--json")
    (cell,) = loads(shz(*words, homes=[extension], folder=tmp_path))
    assert (cell["lgc"], cell["ts"]) == (1.0, 1.0)


def test_what_is_merely_installed_changes_no_task(extension: Path, tmp_path: Path) -> None:
    alone, beside = tmp_path / "alone", tmp_path / "beside"
    alone.mkdir()
    beside.mkdir()
    assert generated(alone, homes=[]) == generated(beside, homes=[extension])


def test_a_task_of_an_extension_is_refused_by_name_without_it(extension: Path, tmp_path: Path) -> None:
    generated(tmp_path, "--policy", "diligent", homes=[extension])
    told = shz("validate", "suite", "--workers", "1", homes=[], folder=tmp_path, code=1)
    assert "financeops has no policy 'diligent'" in told


@pytest.fixture
def troubled(tmp_path: Path) -> Path:
    """A folder with a broken environment, one that is offered twice, one for another core, and a broken plugin."""
    home = tmp_path / "troubled"
    home.mkdir()
    home.joinpath("cracked.py").write_text("import no_such_library\n")
    shutil.copytree(TOYS / "lamplight", home / "lamplight")
    describe(home, "cracked-env", {ENVIRONMENTS: {"cracked": "cracked:environment"}})
    describe(home, "first-twin", {ENVIRONMENTS: {"twin": "lamplight:environment"}})
    describe(home, "second-twin", {ENVIRONMENTS: {"twin": "lamplight:environment"}})
    describe(home, "late-env", {ENVIRONMENTS: {"late": "lamplight:environment"}}, requires="skillhorizon>=99")
    describe(home, "cracked-plugin", {PLUGINS: {"cracked": "cracked:plugin"}})
    return home


FAULTS = {
    "cracked": "No module named 'no_such_library'",
    "twin": "first-twin and second-twin",
    "late": "late-env requires skillhorizon>=99",
}


def test_what_is_wrong_with_plugins_is_shown_and_the_others_work(toy: Path, troubled: Path, tmp_path: Path) -> None:
    homes = [toy, troubled]
    listed = loads(shz("list-envs", "--json", homes=homes, folder=tmp_path))
    told = {row["name"]: row["fault"] for row in listed}
    assert (told["lamplight"], told["financeops"], told["cracked"]) == ("", "", "")
    assert all(FAULTS[name] in told[name] for name in ("twin", "late"))
    checked = loads(shz("list-envs", "--check", "--json", homes=homes, folder=tmp_path, code=1))
    causes = {row["name"]: row["fault"] for row in checked}
    assert all(words in causes[name] for name, words in FAULTS.items())
    assert (causes["lamplight"], causes["financeops"]) == ("", "")
    assert "Fill the lamps" in shz("describe", "lamplight", homes=homes, folder=tmp_path)


def test_doctor_names_every_broken_plugin(toy: Path, troubled: Path, tmp_path: Path) -> None:
    rows = loads(shz("doctor", "--json", homes=[toy, troubled], folder=tmp_path, code=1))
    broken = {row["check"]: row["detail"] for row in rows if row["status"] == "broken"}
    assert all(words in broken[f"environment {name}"] for name, words in FAULTS.items())
    assert "no_such_library" in broken["plugin cracked"]
    assert "environment lamplight" not in broken
