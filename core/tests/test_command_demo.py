"""`shz demo`: the whole way on two small tasks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from click.testing import CliRunner

from skillhorizon import registry
from skillhorizon.cli import shz
from skillhorizon.model.canonical import loads

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_the_reference_reaches_everything_and_null_nothing(with_bakery: Path, tmp_path: Path) -> None:
    words = ["demo", "bakery", "--workers", "1", "--json", "--out", str(tmp_path / "kept")]
    done = CliRunner().invoke(shz, words)
    assert done.exit_code == 0, done.output
    document = loads(done.stdout)
    cells = {cell["agent"]: (cell["n"], cell["lgc"], cell["ts"], cell["reward"]) for cell in document["cells"]}
    assert (cells["reference"], cells["null"]) == ((2, 1.0, 1.0, 1.0), (2, 0.0, 0.0, 0.0))
    assert all(cells[agent][2] == 0.0 for agent in ("early-stop:0.5", "update-blind"))
    assert {agent: lost["requirements"] for agent, lost in document["losses"].items()} == {
        "early-stop:0.5": ["D1"],
        "update-blind": ["D1"],
    }
    assert [verdict["fault"] for verdict in document["verdicts"]] == ["", ""]
    assert (tmp_path / "kept" / "suite" / "suite.json").exists()
    again = CliRunner().invoke(shz, words)
    assert again.stdout == done.stdout


def test_the_demo_tells_what_a_flaw_loses(with_bakery: Path) -> None:
    told = CliRunner().invoke(shz, ["demo", "bakery", "--workers", "1"]).output
    assert "early-stop:0.5 stops when half of the modules are done, and loses" in told
    assert "update-blind skips what updates ask for, and loses" in told


def test_without_an_environment_the_demo_tells_the_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "listed", list)
    done = CliRunner().invoke(shz, ["demo"])
    assert done.exit_code == 2
    assert "no usable environment is installed; `shz doctor` tells why" in done.stderr
