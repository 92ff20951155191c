"""A model that writes its own skills beforehand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from agents_fakes import Call, Learned

from skillhorizon import RunOptions, UsageError, evaluate
from skillhorizon_agents import creator
from skillhorizon_agents.agent import ModelAgent
from skillhorizon_agents.settings import Settings

if TYPE_CHECKING:
    from pathlib import Path

    from skillhorizon_agents.conversation import Request

GOOD = "---\nname: close-books\ndescription: Closes the books.\n---\n\n# Close\n\nRead, add, close.\n"
BAD = "---\nname: other\n---\n"


WRITTEN: list[Call] = [
    ("get_source", {"source_id": "S01-01"}),
    ("write_skill_file", {"path": "../evil", "text": "x"}),
    ("write_skill_file", {"path": "close-books/SKILL.md", "text": BAD}),
    ("done", {}),
    ("write_skill_file", {"path": "close-books/SKILL.md", "text": GOOD}),
    ("done", {}),
]


class Writing(Learned):
    """A model that, as a creator, looks at one source, writes a wrong skill, puts it right and is done."""

    def _calls(self, request: Request) -> list[Call]:
        return WRITTEN if any(tool.name == creator.DONE for tool in request.tools) else []


def run(suite: Path, folder: Path, model: Learned, skills: str, **options: Any) -> Any:
    agent = ModelAgent("fake/learned", Settings(), lambda: model)
    return evaluate(suite, agent, RunOptions(skills=skills, **options), out=folder, workers=4)


def creations(model: Learned) -> list[Request]:
    return [request for request in model.requests if any(tool.name == creator.DONE for tool in request.tools)]


@pytest.mark.parametrize(("skills", "packs"), [("self-generated", 1), ("self-generated:trial", 3)])
def test_a_pack_is_written_once_and_is_all_that_solvers_get(
    skills: str, packs: int, finance_suite: Path, tmp_path: Path
) -> None:
    model = Writing({})
    done = run(finance_suite, tmp_path / "run", model, skills, trials=3)
    assert [result.kind for result in done.results] == ["submitted"] * 3
    assert len(creations(model)) == packs * len(WRITTEN)
    made = sorted((tmp_path / "run" / "packs").glob("*/*/SKILL.md"))
    assert [file.read_text() for file in made] == [GOOD] * packs
    solving = [request for request in model.requests if request not in creations(model)]
    assert all("- close-books: Closes the books." in request.system for request in solving)
    assert all("run_skill_script" not in {tool.name for tool in request.tools} for request in solving)


def test_a_creator_sees_no_skill_and_is_told_what_is_wrong(finance_suite: Path, tmp_path: Path) -> None:
    model = Writing({})
    run(finance_suite, tmp_path / "run", model, "self-generated")
    last = creations(model)[-1]
    assert not {"list_skills", "read_skill", "run_skill_script", "finish"} & {tool.name for tool in last.tools}
    told = [item.results[0].text for item in last.items if hasattr(item, "results")]
    assert '"source_id":"S01-01"' in told[0] or "columns" in told[0]
    assert "path: say NAME/SKILL.md" in told[1]
    assert "description" in told[3]


def test_a_stopped_creator_asks_nothing_twice(finance_suite: Path, tmp_path: Path) -> None:
    class Killed(BaseException):
        """The process dies."""

    def die(request: Request) -> None:
        if len(model.requests) == 4:
            raise Killed

    model = Writing({}, before=die)
    with pytest.raises(Killed):
        run(finance_suite, tmp_path / "run", model, "self-generated")
    run(finance_suite, tmp_path / "run", model, "self-generated")
    assert len(creations(model)) == len(WRITTEN) + 1


def test_agents_that_write_no_skills_are_told_apart(finance_suite: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="writes no skills of its own; say another --skills"):
        evaluate(finance_suite, lambda execution: None, RunOptions(skills="self-generated"), out=tmp_path / "run")
