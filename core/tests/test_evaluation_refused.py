"""A run that is refused before it starts leaves everything as it was."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import strange_agents

from skillhorizon.errors import SkillHorizonError, StorageError, UsageError
from skillhorizon.evaluation.limits import Limits
from skillhorizon.evaluation.options import RunOptions
from skillhorizon.evaluation.packs import copy_pack
from skillhorizon.results.database import FILE
from skillhorizon.results.evaluating import evaluate

if TYPE_CHECKING:
    from collections.abc import Callable

    from skillhorizon.evaluation.execution import Execution
    from skillhorizon.evaluation.runs import Evaluation

NO_DRIVER, NO_PLACE, NO_URL = "nosuch://here/results", "sqlite:////nowhere/at/all.db", "nothing"


class Keyless:
    """An agent that looks whether it can work, and cannot as long as it has no key."""

    name = "keyless"
    accounts = False

    def __init__(self) -> None:
        self.key = False
        self.looks = 0

    def preflight(self) -> None:
        self.looks += 1
        if not self.key:
            raise UsageError("the key is missing")

    def run(self, execution: Execution) -> None:
        strange_agents.bake_first(execution)


@pytest.fixture
def suite(with_bakery: Path, bakery_suite: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The bakery's suite, seen from an empty working folder."""
    monkeypatch.chdir(tmp_path)
    return bakery_suite


def found() -> dict[str, bytes | None]:
    """Return all that lies in the working folder."""
    return {str(path): path.read_bytes() if path.is_file() else None for path in sorted(Path().rglob("*"))}


REFUSALS: dict[str, Callable[[Path], Evaluation]] = {
    "preflight": lambda suite: evaluate(suite, Keyless()),
    "limits": lambda suite: evaluate(suite, Keyless(), limits=Limits(tokens=5)),
    "no agent": lambda suite: evaluate(suite, "nobody"),
    "option": lambda suite: evaluate(suite, "null", RunOptions(settings={"speed": "9"})),
    "skills": lambda suite: evaluate(suite, strange_agents.bake_first, RunOptions(skills="magic")),
    "database's URL": lambda suite: evaluate(suite, "null", database=NO_URL),
    "database's driver": lambda suite: evaluate(suite, "null", database=NO_DRIVER),
    "database's place": lambda suite: evaluate(suite, "null", database=NO_PLACE),
}


@pytest.mark.parametrize("reason", REFUSALS)
@pytest.mark.parametrize("before", [False, True])
def test_a_refused_run_leaves_nothing_and_takes_nothing(suite: Path, reason: str, *, before: bool) -> None:
    if before:
        for agent in ("keyless", "null", "nobody", "strange_agents-bake_first"):
            Path("shz-runs", suite.name, agent).mkdir(parents=True)
        Path("shz-runs", suite.name, "keyless", "notes.txt").write_text("mine")
    was = found()
    with pytest.raises(SkillHorizonError):
        REFUSALS[reason](suite)
    assert found() == was


def test_a_refused_run_starts_once_the_reason_is_gone_and_looks_once(suite: Path) -> None:
    agent = Keyless()
    with pytest.raises(UsageError, match="the key is missing"):
        evaluate(suite, agent)
    agent.key = True
    assert len(evaluate(suite, agent).results) == 2
    assert agent.looks == 2
    evaluate(suite, agent)
    assert agent.looks == 2


def test_another_database_may_be_named_after_one_that_could_not_be_used(suite: Path) -> None:
    with pytest.raises(SkillHorizonError):
        evaluate(suite, "null", out="run", database=NO_PLACE)
    assert evaluate(suite, "null", out="run", database="sqlite:///run/own.db").results
    assert Path("run/own.db").is_file()
    assert not Path("run", FILE).exists()


def test_a_pack_that_cannot_be_copied_leaves_nothing(tmp_path: Path) -> None:
    pack = tmp_path / "pack"
    pack.mkdir()
    (pack / "read.md").write_text("once")
    (pack / "lost.md").symlink_to("nowhere")
    with pytest.raises(StorageError, match="cannot copy the pack"):
        copy_pack(pack, tmp_path / "run" / "packs" / "p")
    assert [path.name for path in tmp_path.iterdir()] == ["pack"]


def test_a_run_that_began_is_kept_when_it_is_refused_later(suite: Path) -> None:
    agent = Keyless()
    agent.key = True
    done = evaluate(suite, agent)
    for journal in done.run.folder.glob("journals/*rye*/*"):
        journal.unlink()
    (done.run.folder / FILE).unlink()
    agent.key = False
    with pytest.raises(UsageError, match="the key is missing"):
        evaluate(suite, agent)
    assert (done.run.folder / "run.json").is_file()
    assert len(list(done.run.folder.glob("journals/*/*"))) == 1
