"""`shz generate`: continuing, refusing, and what is kept when it is stopped."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner, Result
from distributions import ENVIRONMENTS, install

from skillhorizon.cli import shz
from skillhorizon.construction import generate as construction
from skillhorizon.construction.lock import locked
from skillhorizon.model.canonical import loads

if TYPE_CHECKING:
    from pathlib import Path

    from skillhorizon.construction.generate import Planned
    from skillhorizon.model.task import Task


def run(out: Path, *words: str, env: str = "bakery", bands: str = "smoke", per_band: str = "2") -> Result:
    options = ["--bands", bands, "--per-band", per_band, "--workers", "1", "--out", str(out)]
    return CliRunner().invoke(shz, ["generate", env, *options, *words])


def bytes_of(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def test_a_suite_goes_round_robin_over_the_cells(with_bakery: Path, bakery_suite: Path) -> None:
    document = loads(run(bakery_suite, "--json").stdout)
    assert document["suite"] == "trays"
    assert [task["task"] for task in document["tasks"]] == [
        "bakery-smoke-plain-white-01",
        "bakery-smoke-plain-rye-01",
    ]
    assert all(0 < task["tokens"] <= 24_000 and task["budget"] > task["calls"] for task in document["tasks"])


def test_the_same_options_give_the_same_bytes(with_bakery: Path, bakery_suite: Path, tmp_path: Path) -> None:
    run(tmp_path / "trays")
    assert bytes_of(tmp_path / "trays") == bytes_of(bakery_suite)


def test_a_stopped_generation_keeps_what_was_proven_and_goes_on(
    with_bakery: Path, bakery_suite: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "trays"
    made: list[str] = []

    def stopped_at_the_second(plan: Planned) -> Task:
        if made:
            raise KeyboardInterrupt
        made.append(plan.id)
        return make_task(plan)

    make_task = construction.make_task
    monkeypatch.setattr(construction, "make_task", stopped_at_the_second)
    done = run(out)
    assert done.exit_code == 130
    assert f"the tasks that were proven stay in {out}, and the same command goes on" in done.stderr
    assert [path.stem for path in (out / "tasks").iterdir()] == made
    monkeypatch.undo()
    monkeypatch.syspath_prepend(str(with_bakery))
    assert run(out).exit_code == 0
    assert bytes_of(out) == bytes_of(bakery_suite)


def test_other_options_in_the_same_folder_are_refused_with_the_difference(
    with_bakery: Path, bakery_suite: Path
) -> None:
    done = run(bakery_suite, "--split", "eval")
    assert done.exit_code == 2
    assert 'split is "dev", not "eval"' in done.stderr
    assert "name another --out folder" in done.stderr


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"env": "brewery"}, "no environment 'brewery' is installed"),
        ({"bands": "64k,3m"}, "there is no band '3m'; the bands are smoke, 64k"),
        ({"per_band": "0"}, "--per-band"),
    ],
)
def test_wrong_options_write_nothing(with_bakery: Path, tmp_path: Path, changes: dict[str, Any], said: str) -> None:
    done = run(tmp_path / "suite", **changes)
    assert done.exit_code == 2
    assert said in done.stderr
    assert not (tmp_path / "suite").exists()


STRICT = """
from attrs import evolve

from bakery import SCALE, bakery
from skillhorizon import ConfigError


def refuse(*cell):
    raise ConfigError("slack = 7 is outside its rule: give a whole number from 8 to 9")


environment = bakery(name="strict", scale=evolve(SCALE, config=refuse))
"""


def test_a_wrong_configuration_value_writes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    points = {ENVIRONMENTS: {"strict": "strict_bakery:environment"}}
    install(tmp_path, "test-strict", points, modules={"strict_bakery": STRICT})
    done = run(tmp_path / "suite", "--slack", "7", env="strict")
    assert done.exit_code == 2
    assert done.stderr == "error: slack = 7 is outside its rule: give a whole number from 8 to 9\n"
    assert not (tmp_path / "suite").exists()


def test_an_unknown_policy_names_those_installed(with_bakery: Path, tmp_path: Path) -> None:
    done = run(tmp_path / "suite", "--policy", "hasty")
    assert done.exit_code == 2
    assert "bakery has no policy 'hasty'; installed are reference" in done.stderr


def test_a_folder_that_cannot_be_written_is_told(with_bakery: Path, tmp_path: Path) -> None:
    tmp_path.joinpath("taken").write_text("a file")
    done = run(tmp_path / "taken" / "suite")
    assert done.exit_code == 1
    assert "cannot write" in done.stderr
    assert "name a writable folder" in done.stderr


def test_a_corrupt_task_file_is_named_before_anything_is_made(
    with_bakery: Path, bakery_suite: Path, tmp_path: Path
) -> None:
    out = shutil.copytree(bakery_suite, tmp_path / "trays")
    task = out / "tasks" / "bakery-smoke-plain-rye-01.json"
    task.write_text("{")
    done = run(out)
    assert done.exit_code == 1
    assert f"{task} is no task file" in done.stderr


def test_a_folder_that_another_process_writes_is_left_to_it(with_bakery: Path, tmp_path: Path) -> None:
    folder = tmp_path / "suite"
    folder.mkdir()
    with locked(folder):
        done = run(folder)
    assert done.exit_code == 2
    assert "another process works on" in done.stderr
