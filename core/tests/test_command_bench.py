"""`shz bench`: figures stand beside their bounds; how fast a machine is decides no test."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from skillhorizon.bench.figures import at_least, at_most, peak_memory
from skillhorizon.bench.floors import frozen_log, replay_raw
from skillhorizon.bench.profile import by_function, by_tool
from skillhorizon.bench.proving import Yard, validation
from skillhorizon.cli import shz
from skillhorizon.model.canonical import loads


def test_a_figure_holds_up_to_its_bound() -> None:
    assert [at_most("x", value, 2.5, "x").holds for value in (2.5, 2.6)] == [True, False]
    assert [at_least("x", value, 8000, "calls/s").holds for value in (7999, 8000)] == [False, True]


def test_a_floor_repeats_every_statement_of_the_reference(with_bakery: Path) -> None:
    yard = Yard("bakery", 1)
    built = yard.build("smoke", yard.cells(1)[0])
    frozen = frozen_log(built)
    assert len(frozen.per_call) == len(frozen.records)
    assert sum(frozen.per_call) == len(frozen.statements)
    replay_raw(built, frozen)


def test_validation_is_held_against_its_floor(with_bakery: Path) -> None:
    yard = Yard("bakery", 1)
    names = [figure.name.rpartition(": ")[2] for figure in validation(yard, yard.cells(1)[0])]
    assert names == [
        "L_ref and calls",
        "validate / floor",
        "compose and build / validate",
        "SQL statements a call",
        "replay in process",
        "reset",
        "grade",
    ]


def test_a_profile_tells_tools_and_functions(with_bakery: Path) -> None:
    yard = Yard("bakery", 1)
    cell = yard.cells(1)[0]
    assert {tool for tool, _, _ in by_tool(yard, cell)} >= {"list_batches", "bake", "ship"}
    assert all(float(share) >= 0 for _, _, share in by_function(yard, cell))


@pytest.mark.slow
def test_the_command_prints_every_figure_as_json(with_bakery: Path) -> None:
    path = os.pathsep.join([str(with_bakery), str(Path(__file__).parent)])
    command = [sys.executable, "-m", "skillhorizon", "bench", "bakery", "--cells", "1", "--rounds", "1", "--json"]
    done = subprocess.run(command, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=False)
    assert done.stdout, done.stderr
    figures = loads(done.stdout)
    assert set(figures[0]) == {"figure", "value", "bound", "holds"}
    assert next(f["value"] for f in figures if "at once" in f["figure"]).endswith(" 0 lost or mixed")


def test_an_environment_that_is_not_installed_is_named() -> None:
    done = CliRunner().invoke(shz, ["bench", "brewery"])
    assert done.exit_code == 2
    assert "no environment 'brewery' is installed" in done.stderr


def test_the_memory_of_a_process_is_its_own_and_not_that_of_the_one_that_started_it() -> None:
    large = b"x" * 200_000_000
    asked = "from skillhorizon.bench.figures import peak_memory; print(peak_memory())"
    done = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)
    assert 5_000 < int(done.stdout) < len(large) // 1024
    assert peak_memory() > len(large) // 1024
