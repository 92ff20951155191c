"""`shz check-env` on the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from skillhorizon import loads
from skillhorizon.cli import shz

if TYPE_CHECKING:
    from pathlib import Path


def run(*words: str, code: int = 0) -> str:
    done = CliRunner().invoke(shz, ["check-env", *words, "--workers", "1"])
    assert done.exit_code == code, done.output
    return done.output


def test_a_sound_environment_is_told_check_by_check() -> None:
    told = run("bakery:bakery", "--only", "start", "--only", "tools")
    assert [line.split()[:2] for line in told.splitlines()[:2]] == [["ok", "start"], ["ok", "tools"]]
    assert told.splitlines()[-1] == "bakery:bakery conforms to the contract (fast profile)"


def test_findings_are_shown_with_their_evidence_and_exit_1() -> None:
    told = run("broken_bakeries:names_a_skill", "--only", "instruction", code=1)
    assert "FAIL  instruction" in told
    assert "count-loaves" in told
    assert "does not conform: 1 error " in told


def test_an_environment_without_a_role_is_told_before_all_checks() -> None:
    told = run("broken_bakeries:lacks_its_checker", code=1)
    assert told.startswith("error [bundle] the environment lacks its role check")


def test_a_check_for_which_no_task_can_be_made_says_so() -> None:
    told = run("broken_bakeries:breaks_while_composing", "--only", "start", code=1)
    assert "error [reference] the reference does not succeed" in told
    assert "no recipe is left" in told
    assert "none  start" in told


def test_json_is_one_document() -> None:
    report = loads(run("bakery:bakery", "--only", "start", "--json"))
    assert (report["environment"], report["sound"], report["findings"]) == ("bakery:bakery", True, [])


@pytest.mark.parametrize("words", [("nowhere",), ("bakery:bakery", "--profile", "x"), ("bakery:bakery", "--only", "x")])
def test_what_does_not_exist_is_usage(words: tuple[str, ...]) -> None:
    run(*words, code=2)


def test_an_installed_environment_is_checked_by_name(with_bakery: Path) -> None:
    assert "bakery conforms" in run("bakery", "--only", "instruction")
