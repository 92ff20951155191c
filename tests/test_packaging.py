"""What a user installs holds what the code reads at run time."""

from __future__ import annotations

import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DISTRIBUTIONS = sorted(path.parent for path in ROOT.glob("*/pyproject.toml"))
SOURCES = sorted(ROOT.glob("*/src/*/__init__.py"))
ENVIRONMENTS = sorted(path.name.removeprefix("skillhorizon_") for path in ROOT.glob("skillhorizon_*"))
UV = (sys.executable, "-m", "uv")
LEFT_OUT = {"__pycache__"}


def files_of(package: Path) -> set[str]:
    files = (path for path in package.rglob("*") if path.is_file())
    return {path.relative_to(package.parent).as_posix() for path in files if not LEFT_OUT & set(path.parts)}


@pytest.mark.parametrize("distribution", DISTRIBUTIONS, ids=lambda path: path.name)
def test_a_distribution_is_a_folder_with_one_typed_package(distribution: Path) -> None:
    assert not (distribution / "__init__.py").exists()
    packages = [source.parent for source in SOURCES if source.is_relative_to(distribution)]
    assert len(packages) == 1
    assert (packages[0] / "py.typed").is_file()
    for page in ("README.md", "LICENSE"):
        assert (distribution / page).is_file()


def test_lock_file_names_the_public_index_only() -> None:
    locked = tomllib.loads((ROOT / "uv.lock").read_text(encoding="utf-8"))["package"]
    registries = {package["source"].get("registry") for package in locked} - {None}
    wheels = {wheel["url"].split("/")[2] for package in locked for wheel in package.get("wheels", ())}
    assert registries == {"https://pypi.org/simple"}
    assert wheels == {"files.pythonhosted.org"}


def test_test_modules_have_unique_names() -> None:
    names = [path.name for path in ROOT.rglob("test_*.py") if ".venv" not in path.parts]
    assert sorted(names) == sorted(set(names))


@pytest.fixture(scope="session")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The wheel of each distribution, by folder name."""
    built = {}
    for distribution in DISTRIBUTIONS:
        folder = tmp_path_factory.mktemp(distribution.name)
        run(*UV, "build", "--quiet", "--wheel", "--out-dir", folder, distribution)
        (built[distribution.name],) = folder.glob("*.whl")
    return built


def run(*command: str | Path) -> str:
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("distribution", DISTRIBUTIONS, ids=lambda path: path.name)
def test_a_wheel_holds_every_file_of_its_package(distribution: Path, wheels: dict[str, Path]) -> None:
    with zipfile.ZipFile(wheels[distribution.name]) as archive:
        names = set(archive.namelist())
    (package,) = (source.parent for source in SOURCES if source.is_relative_to(distribution))
    assert files_of(package) <= names
    assert not [name for name in names if "/tests/" in name]


@pytest.mark.slow
def test_installed_wheels_find_each_other_away_from_the_checkout(wheels: dict[str, Path], tmp_path: Path) -> None:
    run(*UV, "venv", "--quiet", "--python", sys.executable, tmp_path / "venv")
    programs = tmp_path / "venv" / "bin"
    run(*UV, "pip", "install", "--quiet", "--python", programs / "python", *wheels.values())
    listed = run(programs / "shz", "list-envs")
    for name in ENVIRONMENTS:
        assert name in listed
    counted = run(programs / "python", "-I", "-c", "from skillhorizon.model import tokens; print(tokens.count('a b'))")
    assert counted.strip() == "2"
