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
    assert cells == {"reference": (2, 1.0, 1.0, 1.0), "null": (2, 0.0, 0.0, 0.0)}
    assert [verdict["fault"] for verdict in document["verdicts"]] == ["", ""]
    assert (tmp_path / "kept" / "suite" / "suite.json").exists()
    again = CliRunner().invoke(shz, words)
    assert again.stdout == done.stdout


def test_without_an_environment_the_demo_tells_the_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "listed", list)
    done = CliRunner().invoke(shz, ["demo"])
    assert done.exit_code == 2
    assert "no usable environment is installed; `shz doctor` tells why" in done.stderr
