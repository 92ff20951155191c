"""Killed at any moment, an execution goes on and comes to the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from agents_fakes import Call, Learned, reference_calls, task_files

from skillhorizon import RunOptions, evaluate, load_task
from skillhorizon.session.files import JournalFile
from skillhorizon_agents import checkpoint
from skillhorizon_agents.agent import ModelAgent
from skillhorizon_agents.backend import Transient
from skillhorizon_agents.settings import settings_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from skillhorizon.evaluation.result import Result
    from skillhorizon.model.journal import Record
    from skillhorizon_agents.conversation import Request

GIVEN = {"context-limit": "14000", "output": "1000", "keep": "2", "notes": "yes", "retries": "0"}


@pytest.fixture(scope="session")
def learned(finance_suite: Path) -> dict[str, list[Call]]:
    """The reference's calls, with a note here and there."""
    made = {load_task(file).instruction: reference_calls(file) for file in task_files(finance_suite)}
    return {text: _noted(calls) for text, calls in made.items()}


def _noted(calls: list[Call]) -> list[Call]:
    return [
        call
        for i, each in enumerate(calls)
        for call in ([each] if i % 20 else [("write_note", {"text": f"{i}"}), each])
    ]


class Killed(BaseException):
    """The process dies."""


def told(result: Result) -> tuple[Any, ...]:
    return result.kind, result.score, result.calls, result.charged, result.usage


@pytest.fixture
def attempt(finance_suite: Path) -> Callable[[Path, Learned], Result]:
    def evaluated(folder: Path, model: Learned) -> Result:
        agent = ModelAgent("fake/learned", settings_of(GIVEN), lambda: model)
        (result,) = evaluate(finance_suite, agent, RunOptions(), out=folder).results
        return result

    return evaluated


@pytest.fixture
def whole(attempt: Callable[[Path, Learned], Result], learned: dict[str, list[Call]], tmp_path: Path) -> Path:
    """A run that nothing interrupted."""
    result = attempt(tmp_path / "whole", Learned(learned, batch=3))
    assert result.score is not None
    assert result.score.success
    assert result.usage is not None
    assert result.usage.compactions > 1
    return tmp_path / "whole"


def files_of(folder: Path) -> list[bytes]:
    (journal,) = folder.glob("journals/*/1.jsonl.gz")
    return [journal.read_bytes()]


@pytest.mark.parametrize("moment", ["request", "kept", "call"])
@pytest.mark.parametrize("numbers", [(1,), (2, 3), (7, 8, 20), (30, 31, 32, 33), (45,)])
def test_killed_anywhere_it_comes_to_the_same(
    moment: str,
    numbers: tuple[int, ...],
    attempt: Callable[[Path, Learned], Result],
    learned: dict[str, list[Call]],
    whole: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    kill = Killing(moment, numbers)
    monkeypatch.setattr(checkpoint.Checkpoint, "append", kill.keeping(checkpoint.Checkpoint.append))
    monkeypatch.setattr(JournalFile, "append", kill.calling(JournalFile.append))
    model = Learned(learned, batch=3, before=kill.asked)
    for _ in numbers:
        with pytest.raises(Killed):
            attempt(tmp_path / "killed", model)
    assert told(attempt(tmp_path / "killed", model)) == told(attempt(whole, Learned({})))
    assert files_of(tmp_path / "killed") == files_of(whole)


class Killing:
    """Kills at given turns: when the model is asked, when its answer was kept, or in the middle of its calls."""

    def __init__(self, moment: str, numbers: tuple[int, ...]) -> None:
        self.moment, self.left = moment, list(numbers)
        self.turns = 0

    def asked(self, request: Request) -> None:
        self.turns += 1
        if self.moment == "request":
            self._die()

    def calling(self, append: Callable[..., None]) -> Callable[..., None]:
        def made(file: JournalFile, record: Record) -> None:
            append(file, record)
            if self.moment == "call":
                self._die()

        return made

    def keeping(self, append: Callable[..., None]) -> Callable[..., None]:
        def kept(kept_by: checkpoint.Checkpoint, entry: dict[str, Any]) -> None:
            append(kept_by, entry)
            if self.moment == "kept" and "index" in entry:
                self._die()

        return kept

    def _die(self) -> None:
        if self.left and self.turns >= self.left[0]:
            self.left.pop(0)
            raise Killed


def test_a_provider_that_fails_for_good_is_infrastructure_and_the_next_command_goes_on(
    attempt: Callable[[Path, Learned], Result], learned: dict[str, list[Call]], whole: Path, tmp_path: Path
) -> None:
    kill = Killing("request", (15,))

    def before(request: Request) -> None:
        try:
            kill.asked(request)
        except Killed as killed:
            raise Transient("out of order") from killed

    model = Learned(learned, batch=3, before=before)
    failed = attempt(tmp_path / "failed", model)
    assert (failed.kind, failed.score) == ("infrastructure_error", None)
    asked = len(model.requests)
    assert told(attempt(tmp_path / "failed", model)) == told(attempt(whole, Learned({})))
    assert asked == 15
