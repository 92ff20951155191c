"""`shz validate`: every kind of damage is named, and the other tasks are still tried."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

import attrs
import pytest
from click.testing import CliRunner, Result

from skillhorizon.cli import shz
from skillhorizon.construction.suites import load_suite, load_task, task_path, write_suite
from skillhorizon.construction.tasks import task_digest, task_text
from skillhorizon.model.canonical import dumps, loads

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from skillhorizon.model.task import Task

WHITE, RYE = "bakery-smoke-plain-white-01", "bakery-smoke-plain-rye-01"


def run(folder: Path, *words: str) -> Result:
    return CliRunner().invoke(shz, ["validate", str(folder), *words])


@pytest.fixture
def suite(bakery_suite: Path, tmp_path: Path) -> Path:
    return shutil.copytree(bakery_suite, tmp_path / "trays")


def forge(suite: Path, change: Callable[[Task], Task]) -> None:
    """Change a task and its line in the suite, so that only the rebuilt task can tell."""
    path = task_path(suite, RYE)
    task = change(load_task(path))
    path.write_text(task_text(task), encoding="utf-8")
    known = load_suite(suite)
    entries = [attrs.evolve(entry, digest=task_digest(task)) if entry.id == RYE else entry for entry in known.tasks]
    write_suite(suite, known.environment, known.version, known.options, entries)


def faults(suite: Path, *words: str) -> dict[str, str]:
    done = run(suite, "--json", *words)
    found = {row["task"]: row["fault"] for row in loads(done.stdout)}
    assert done.exit_code == (1 if any(found.values()) else 0)
    return found


def test_a_sound_suite_is_proven_again(with_bakery: Path, bakery_suite: Path) -> None:
    done = run(bakery_suite)
    assert done.exit_code == 0
    assert f"ok    {WHITE}  " in done.output
    assert done.output.endswith("2 of 2 tasks are valid\n")


def test_a_corrupt_task_file_is_named_and_the_others_are_tried(with_bakery: Path, suite: Path) -> None:
    task_path(suite, RYE).write_text('{"schema": 1, "environment"', encoding="utf-8")
    found = faults(suite, "--quick")
    assert found[WHITE] == ""
    assert "is no task file: not valid JSON" in found[RYE]


def test_a_changed_task_file_is_told_from_its_suite(with_bakery: Path, suite: Path) -> None:
    path = task_path(suite, RYE)
    path.write_text(dumps({**loads(path.read_bytes()), "split": "eval"}), encoding="utf-8")
    assert "is not the file that suite.json lists" in faults(suite, "--quick")[RYE]


def test_a_missing_task_file_is_told(with_bakery: Path, suite: Path) -> None:
    task_path(suite, RYE).unlink()
    assert "cannot read the task file" in faults(suite, "--quick")[RYE]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"engine": 99}, "was made by engine 99"),
        ({"version": "9.9"}, "pip install 'test-bakery==9.9.*'"),
        ({"environment": "brewery"}, "no environment 'brewery' is installed"),
        ({"seed": 1}, "the rebuilt world differs"),
        ({"config": {"size": "many", "updates": "default"}}, "this is no configuration of bakery"),
    ],
)
def test_a_foreign_task_is_refused_with_the_way_out(
    with_bakery: Path, suite: Path, change: dict[str, Any], said: str
) -> None:
    forge(suite, lambda task: attrs.evolve(task, **change))
    found = faults(suite, "--quick")
    assert said in found[RYE]
    assert found[WHITE] == ""


def test_another_reference_run_is_told_unless_it_is_quick(with_bakery: Path, suite: Path) -> None:
    forge(suite, lambda task: attrs.evolve(task, digests=attrs.evolve(task.digests, journal="0" * 64)))
    assert not any(faults(suite, "--quick").values())
    assert "the reference run differs from the recorded one" in faults(suite)[RYE]


def test_changed_code_of_the_same_version_is_a_warning_beside_the_document(with_bakery: Path, suite: Path) -> None:
    forge(suite, lambda task: attrs.evolve(task, pins=tuple(attrs.evolve(pin, content="0") for pin in task.pins)))
    done = run(suite, "--quick", "--json")
    assert done.exit_code == 0
    assert [len(row["warnings"]) for row in loads(done.stdout)] == [0, 1]
    assert f"warning: task {RYE}: test-bakery has changed since the task was made" in done.stderr


def test_a_folder_without_a_suite_is_a_usage_error(tmp_path: Path) -> None:
    done = run(tmp_path)
    assert done.exit_code == 2
    assert "holds no suite (suite.json is missing)" in done.stderr


def test_a_suite_file_that_is_none_is_corrupt(tmp_path: Path) -> None:
    tmp_path.joinpath("suite.json").write_text("[]", encoding="utf-8")
    done = run(tmp_path)
    assert done.exit_code == 1
    assert "is no suite" in done.stderr
