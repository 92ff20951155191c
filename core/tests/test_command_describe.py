"""`shz describe`: what an environment offers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from click.testing import CliRunner

from skillhorizon.cli import shz
from skillhorizon.model.canonical import loads
from skillhorizon.model.workload import BANDS

if TYPE_CHECKING:
    from pathlib import Path


def test_a_description_names_all_that_is_offered(with_bakery: Path) -> None:
    found = loads(CliRunner().invoke(shz, ["describe", "bakery", "--json"]).stdout)
    assert (found["name"], found["version"], found["distribution"]) == ("bakery", "1.2.3", "test-bakery")
    assert found["families"] == [{"family": "plain", "variants": ["white", "rye"]}]
    assert [band["band"] for band in found["bands"]] == [band.name for band in BANDS]
    assert found["bands"][0]["knobs"][0] == {"family": "plain", "variant": "white", "low": 2, "high": 18}
    tools = {tool["name"]: tool for tool in found["tools"]}
    assert tools["bake"] == {"name": "bake", "kind": "operation", "summary": "Bake an order."}
    assert tools["list_artifacts"]["kind"] == "query"
    assert [skill["name"] for skill in found["skills"]] == ["count-loaves"]


def test_a_description_reads_as_text(with_bakery: Path) -> None:
    done = CliRunner().invoke(shz, ["describe", "bakery"])
    assert done.exit_code == 0
    assert "bakery 1.2.3 (test-bakery)" in done.output
    assert "plain: white, rye" in done.output
    assert "smoke        0    24000  2-18" in done.output


def test_an_unknown_environment_is_told_with_those_installed(with_bakery: Path) -> None:
    done = CliRunner().invoke(shz, ["describe", "brewery"])
    assert done.exit_code == 2
    assert "no environment 'brewery' is installed; installed are bakery" in done.stderr
    assert "pip install skillhorizon-brewery" in done.stderr
