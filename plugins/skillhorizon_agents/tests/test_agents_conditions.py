"""Skills conditions differ in what they should, and in nothing else."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, Any

import pytest
from agents_fakes import Call, Learned, reference_calls, task_files
from click.testing import CliRunner

from skillhorizon import RunOptions, SkillHorizonError, UsageError, count, evaluate, load_task, read_journal
from skillhorizon.cli import shz
from skillhorizon.evaluation.folder import read_run
from skillhorizon_agents.agent import ModelAgent
from skillhorizon_agents.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from skillhorizon_agents.conversation import Request

SKILL = """---
name: {name}
description: Adds two numbers.
---

# Add

Run scripts/add.py.
"""
SCRIPT = """import json
import sys


def run(data):
    return {"sum": data["a"] + data["b"]}


if __name__ == "__main__":
    print(json.dumps(run(json.load(sys.stdin)), sort_keys=True, separators=(",", ":")))
"""


@pytest.fixture(scope="session")
def learned(finance_suite: Path) -> dict[str, list[Call]]:
    return {load_task(file).instruction: reference_calls(file) for file in task_files(finance_suite)}


@pytest.fixture
def first(finance_suite: Path, tmp_path: Path) -> Callable[..., Request]:
    """Returns the first request under a condition; the model makes the calls given, or finishes."""

    def asked(skills: str, *calls: Call, **options: Any) -> Request:
        model = Learned({"": list(calls)})
        agent = ModelAgent("fake/learned", Settings(), lambda: model)
        name = re.sub(r"\W", "-", skills)
        asked_for = RunOptions(skills=skills, **options)
        evaluate(finance_suite, agent, asked_for, out=tmp_path / name)
        model.requests.sort(key=lambda request: len(request.items))
        told.extend(model.requests)
        return model.requests[0]

    told: list[Request] = []
    asked.all = told  # type: ignore[attr-defined]  # the tests look at later requests too
    return asked


def words(request: Request) -> str:
    """Return everything that a model reads."""
    opening = request.items[0]
    tools = [f"{tool.name} {tool.doc} {tool.schema}" for tool in request.tools]
    return "\n".join([request.system, getattr(opening, "text", ""), *tools])


def tools(request: Request) -> set[str]:
    return {tool.name for tool in request.tools}


def test_curated_names_and_describes_every_skill_and_offers_their_bodies(first: Callable[..., Request]) -> None:
    request = first("curated")
    assert {"list_skills", "read_skill", "run_skill_script"} <= tools(request)
    assert len(re.findall(r"^- [a-z-]+: ", request.system, re.MULTILINE)) == 12
    assert "# " not in request.system


def test_none_differs_from_curated_in_every_mention_of_skills_and_nothing_else(first: Callable[..., Request]) -> None:
    curated, none = first("curated"), first("none")
    assert not re.search("skill", words(none), re.IGNORECASE)
    assert tools(curated) - tools(none) == {"list_skills", "read_skill", "run_skill_script"}
    assert "get_rules" in tools(none)
    kept = [tool for tool in curated.tools if tool.name in tools(none)]
    assert kept == list(none.tools)
    gone = [line for line in words(curated).splitlines() if line.rstrip(";") not in words(none)]
    assert gone
    assert all(re.search(r"skill|procedure|^- [a-z-]+: ", line, re.IGNORECASE) for line in gone)


def test_documents_have_bodies_and_no_scripts(first: Callable[..., Request]) -> None:
    request = first("docs", ("read_skill", {"skill": "normalize-source"}))
    assert "run_skill_script" not in words(request)
    assert "read_skill" in tools(request)
    result = first.all[-1].items[2].results[0].text  # type: ignore[attr-defined]
    assert '"text":' in result
    assert "scripts/" not in str(re.findall(r'"files":\[[^]]*\]', result))


def test_a_placebo_is_as_many_skills_as_long_about_something_else(first: Callable[..., Request]) -> None:
    curated, placebo = first("curated"), first("placebo")
    listed = [re.findall(r"^- ([a-z0-9-]+): (.*)", request.system, re.MULTILINE) for request in (curated, placebo)]
    assert len(listed[0]) == len(listed[1]) == 12
    assert not {name for name, _ in listed[0]} & {name for name, _ in listed[1]}
    lengths = [sum(count(text) for _, text in each) for each in listed]
    assert abs(lengths[0] - lengths[1]) <= 24


def test_without_and_only_choose_by_name(first: Callable[..., Request]) -> None:
    names = re.findall(r"^- ([a-z0-9-]+): ", first("curated").system, re.MULTILINE)
    assert re.findall(r"^- ([a-z0-9-]+): ", first(f"without:{names[0]}").system, re.MULTILINE) == names[1:]
    assert re.findall(r"^- ([a-z0-9-]+): ", first(f"only:{names[1]},{names[3]}").system, re.MULTILINE) == [
        names[1],
        names[3],
    ]


@pytest.mark.parametrize(
    ("skills", "says"),
    [
        ("some", "--skills is 'some'; say curated, none"),
        ("only:flying", "names flying, but the skills are"),
        ("pack:nowhere", "names no folder"),
    ],
)
def test_what_is_no_condition_is_told(skills: str, says: str, first: Callable[..., Request]) -> None:
    with pytest.raises(UsageError, match=re.escape(says)):
        first(skills)


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    folder = tmp_path / "own" / "add-numbers"
    (folder / "scripts").mkdir(parents=True)
    (folder / "SKILL.md").write_text(SKILL.format(name="add-numbers"))
    (folder / "scripts" / "add.py").write_text(SCRIPT)
    return folder.parent


RUN: Call = ("run_skill_script", {"skill": "add-numbers", "script": "add.py", "input": {"a": 2, "b": 3}})


def test_a_packs_scripts_run_only_when_allowed(first: Callable[..., Request], pack: Path) -> None:
    request = first(f"pack:{pack}", RUN)
    assert "run_skill_script" not in tools(request)
    assert "add-numbers: Adds two numbers." in request.system
    assert "UNKNOWN_TOOL" in first.all[-1].items[2].results[0].text  # type: ignore[attr-defined]


@pytest.mark.parametrize("scripts", ["confined", "unconfined"])
def test_a_packs_scripts_run_as_they_are_allowed(scripts: str, first: Callable[..., Request], pack: Path) -> None:
    request = first(f"pack:{pack}", RUN, scripts=scripts)
    assert "run_skill_script" in tools(request)
    assert first.all[-1].items[2].results[0].text == '{"output":{"sum":5}}'  # type: ignore[attr-defined]


def test_how_scripts_ran_is_recorded_in_the_run_and_in_its_journals(
    first: Callable[..., Request], pack: Path, tmp_path: Path
) -> None:
    first(f"pack:{pack}", RUN, scripts="unconfined")
    (run,) = tmp_path.glob("pack*/run.json")
    (journal,) = tmp_path.glob("pack*/journals/*/1.jsonl.gz")
    assert read_run(run.parent).info.options.scripts == "unconfined"
    assert read_journal(journal).header.terms.scripts == "unconfined"


def test_where_scripts_cannot_be_confined_the_run_is_refused_before_a_model_is_asked(
    first: Callable[..., Request], pack: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refusing = tmp_path / "refusing"
    refusing.write_text("#!/bin/sh\necho a user namespace is needed >&2\nexit 77\n")
    refusing.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(refusing))
    with pytest.raises(SkillHorizonError, match="a user namespace is needed"):
        first(f"pack:{pack}", RUN, scripts="confined")
    assert first.all == []  # type: ignore[attr-defined]
    assert not list(tmp_path.glob("pack*/run.json"))


def test_a_replay_runs_no_script_of_a_pack_again(first: Callable[..., Request], pack: Path, tmp_path: Path) -> None:
    first(f"pack:{pack}", RUN, scripts="unconfined")
    (copy,) = tmp_path.glob("pack*/packs/*/add-numbers/scripts/add.py")
    copy.write_text("raise SystemExit('it ran')")
    (journal,) = tmp_path.glob("pack*/journals/*/1.jsonl.gz")
    done = CliRunner().invoke(shz, ["replay", str(journal)])
    assert done.exit_code == 0, done.output
    assert "all observations are the same" in done.stdout


def test_the_scripted_agents_take_the_curated_skills_alone(finance_suite: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="leave out --skills none"):
        evaluate(finance_suite, "reference", RunOptions(skills="none"), out=tmp_path / "run")


def test_a_run_under_one_condition_is_not_gone_on_with_under_another(finance_suite: Path, tmp_path: Path) -> None:
    def run(skills: str) -> None:
        agent = ModelAgent("fake/learned", Settings(), lambda: Learned({"": []}))
        evaluate(finance_suite, agent, RunOptions(skills=skills), out=tmp_path / "run")

    run("none")
    with pytest.raises(UsageError, match='--skills was "none", now "docs"'):
        run("docs")
