"""`shz doctor`: what works, what does not, and why."""

from __future__ import annotations

import tempfile
from typing import TYPE_CHECKING

from click.testing import CliRunner
from distributions import COMMANDS, ENVIRONMENTS, PLUGINS, install

from skillhorizon import registry
from skillhorizon.cli import shz
from skillhorizon.model.canonical import loads

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

BROKEN_HOOK = """
from skillhorizon import hookimpl


class Plugin:
    @hookimpl
    def shz_agents(self):
        raise LookupError("the agent is lost")


plugin = Plugin()
"""


def rows() -> dict[str, dict[str, str]]:
    return {row["check"]: row for row in loads(CliRunner().invoke(shz, ["doctor", "--json"]).stdout)}


def test_a_sound_installation_passes(with_bakery: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    only_bakery = [item for item in registry.listed() if item.name == "bakery"]
    monkeypatch.setattr(registry, "listed", lambda: only_bakery)
    done = CliRunner().invoke(shz, ["doctor"])
    assert done.exit_code == 0, done.output
    assert "o200k_base, vocabulary verified" in done.output
    assert "environment bakery  ok      test-bakery 1.2.3" in done.output


def test_whatever_does_not_load_is_told_with_its_cause(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    points = {
        ENVIRONMENTS: {"quarry": "quarry_one:environment"},
        PLUGINS: {"drill": "quarry_two:plugin", "hammer": "quarry_three:plugin"},
        COMMANDS: {"dig": "quarry_four:dig"},
    }
    install(tmp_path, "test-quarry", points, modules={"quarry_two": "1 / 0", "quarry_three": BROKEN_HOOK})
    assert CliRunner().invoke(shz, ["doctor"]).exit_code == 1
    found = rows()
    for check, cause in {
        "environment quarry": "No module named 'quarry_one'",
        "plugin drill": "ZeroDivisionError",
        "hooks": "test-quarry fails in its hook shz_agents: LookupError: the agent is lost",
        "command dig": "No module named 'quarry_four'",
    }.items():
        assert found[check]["status"] == "broken"
        assert cause in found[check]["detail"]
    assert found["plugin hammer"]["status"] == found["tokenizer"]["status"] == "ok"


def test_no_environment_at_all_is_a_fault_with_a_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "listed", list)
    assert rows()["environments"]["detail"].startswith("none is installed; pip install")


def test_a_folder_that_cannot_be_written_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(**_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(tempfile, "TemporaryFile", refuse)
    assert "cannot be written (Permission denied); change to another" in rows()["folder"]["detail"]
