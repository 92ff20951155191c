"""The loop on a model that knows the reference by heart."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from agents_fakes import Call, Learned, is_summary, reference_calls, task_files

from skillhorizon import RunOptions, Usage, evaluate, load_task, loads
from skillhorizon.session.files import read_journal
from skillhorizon_agents.agent import ModelAgent
from skillhorizon_agents.backend import ContextOverflow
from skillhorizon_agents.conversation import Answer, Results, Said
from skillhorizon_agents.settings import Settings, settings_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from skillhorizon.evaluation.runs import Evaluation
    from skillhorizon_agents.conversation import Request

SMALL = {"context-limit": "14000", "output": "1000", "keep": "2"}


@pytest.fixture(scope="session")
def learned(finance_suite: Path) -> dict[str, list[Call]]:
    return {load_task(file).instruction: reference_calls(file) for file in task_files(finance_suite)}


@pytest.fixture
def run(finance_suite: Path, tmp_path: Path) -> Callable[..., Evaluation]:
    def evaluated(model: Learned, given: dict[str, str] | None = None, **options: Any) -> Evaluation:
        agent = ModelAgent("fake/learned", settings_of(given or {}), lambda: model)
        return evaluate(finance_suite, agent, RunOptions(**options), out=tmp_path / "run")

    return evaluated


def test_a_model_that_makes_the_references_calls_reaches_everything(
    run: Callable[..., Evaluation], learned: dict[str, list[Call]]
) -> None:
    model = Learned(learned)
    (result,) = run(model).results
    assert (result.kind, result.score and result.score.success) == ("submitted", True)
    assert result.usage is not None
    assert result.usage.requests == result.charged + 2 == len(model.requests)
    assert result.usage.output == 20 * result.usage.requests
    assert model.closed


def test_a_batch_is_one_turn(run: Callable[..., Evaluation], learned: dict[str, list[Call]]) -> None:
    model = Learned(learned, batch=5)
    (result,) = run(model).results
    assert result.score is not None
    assert result.score.success
    assert len(model.requests) < result.charged // 4


@pytest.mark.parametrize(
    ("policy", "limit"), [("summary", "14000"), ("clear-results", "17000"), ("sliding:6", "14000")]
)
def test_a_small_context_is_compacted_and_the_work_goes_on(
    policy: str, limit: str, run: Callable[..., Evaluation], learned: dict[str, list[Call]]
) -> None:
    model = Learned(learned)
    (result,) = run(model, {**SMALL, "context": policy, "context-limit": limit}).results
    assert result.score is not None
    assert result.score.success
    assert result.usage is not None
    assert result.usage.compactions >= 1
    assert sum(map(is_summary, model.requests)) == (result.usage.compactions if policy == "summary" else 0)


def test_without_a_policy_a_full_context_ends_the_execution_after_one_attempt(
    run: Callable[..., Evaluation], learned: dict[str, list[Call]]
) -> None:
    overflowed = []

    def before(request: Request) -> None:
        if len(request.items) > 61:
            overflowed.append(request)
            raise ContextOverflow("too long")

    (result,) = run(Learned(learned, before=before), {"context": "none"}).results
    assert result.kind == "context_overflow"
    assert result.score is not None
    assert result.charged == 31
    assert len(overflowed) == 1


def test_a_context_that_is_known_to_be_full_is_not_even_sent(
    run: Callable[..., Evaluation], learned: dict[str, list[Call]]
) -> None:
    (result,) = run(Learned(learned), {**SMALL, "context": "none"}).results
    assert result.kind == "context_overflow"


class Silent(Learned):
    """A model that says nothing, as often as it is asked."""

    def _calls(self, request: Request) -> list[Call]:
        raise AssertionError("it makes no calls")

    async def ask(self, request: Request) -> Any:
        self.requests.append(request)
        return Answer(text="", calls=(), usage=Usage(requests=1, input=10, output=1))


def test_a_turn_without_a_call_is_confirmed_once(run: Callable[..., Evaluation]) -> None:
    model = Silent({})
    (result,) = run(model).results
    assert (result.kind, result.charged, len(model.requests)) == ("submitted", 0, 2)
    last = model.requests[-1].items[-1]
    assert isinstance(last, Said)
    assert loads(last.text)["finished"] is False


def test_results_stand_in_the_conversation_word_for_word(
    run: Callable[..., Evaluation], learned: dict[str, list[Call]]
) -> None:
    model = Learned(learned)
    done = run(model)
    records = read_journal(done.run.journal(done.results[0].task, 1)).records
    told = [r.text for item in model.requests[-1].items if isinstance(item, Results) for r in item.results]
    assert told == [record.observation for record in records][: len(told)]
    assert len(told) == len(records) - 1


def test_with_codes_alone_a_refusal_tells_no_more(
    run: Callable[..., Evaluation], learned: dict[str, list[Call]]
) -> None:
    wrong = {text: [("get_source", {"source_id": "S99-99"}), ("nonsense", {})] for text in learned}
    model = Learned(wrong)
    run(model, feedback="code")
    told = [r.text for item in model.requests[-1].items if isinstance(item, Results) for r in item.results]
    assert told[:2] == ['{"error":{"code":"UNKNOWN_ID"}}', '{"error":{"code":"UNKNOWN_TOOL"}}']


def test_notes_cost_no_call_and_survive(run: Callable[..., Evaluation], learned: dict[str, list[Call]]) -> None:
    noted = {text: [("write_note", {"text": "step 1 is done"}), ("read_notes", {})] for text in learned}
    model = Learned(noted)
    (result,) = run(model, {"notes": "yes"}).results
    assert result.charged == 0
    told = [r.text for item in model.requests[-1].items if isinstance(item, Results) for r in item.results]
    assert told[:2] == ['{"notes":1,"number":1}', '{"notes":[[1,"step 1 is done"]]}']


def test_writing_notes_for_ever_ends_the_execution(
    run: Callable[..., Evaluation], learned: dict[str, list[Call]]
) -> None:
    noted: dict[str, list[Call]] = {text: [("read_notes", {})] * 100 for text in learned}
    (result,) = run(Learned(noted), {"notes": "yes"}).results
    assert (result.kind, result.charged) == ("submitted", 0)


def test_a_time_limit_counts_what_earlier_commands_took(
    finance_suite: Path, learned: dict[str, list[Call]], tmp_path: Path
) -> None:
    model = Learned(learned)

    def killed(_request: Request) -> None:
        if len(model.requests) == 10:
            raise KeyboardInterrupt

    def run(limit: float | None) -> Evaluation:
        agent = ModelAgent("fake/learned", Settings(time_limit=limit), lambda: model)
        return evaluate(finance_suite, agent, out=tmp_path / "run")

    model.before = killed
    with pytest.raises(KeyboardInterrupt):
        run(None)
    (turns,) = tmp_path.glob("run/journals/*/1.turns.jsonl")
    *lines, last = turns.read_bytes().splitlines(keepends=True)
    turns.write_bytes(b"".join([*lines, re.sub(rb'"ms":\d+', b'"ms":3600000', last)]))
    (result,) = run(3600).results
    assert (result.kind, result.charged, len(model.requests)) == ("time_limit", 9, 10)


def test_a_time_limit_scores_what_was_reached(
    finance_suite: Path, learned: dict[str, list[Call]], tmp_path: Path
) -> None:
    agent = ModelAgent("fake/learned", Settings(time_limit=0.0), lambda: Learned(learned))
    (result,) = evaluate(finance_suite, agent, out=tmp_path / "late").results
    assert (result.kind, result.charged, result.score and result.score.goals_met) == ("time_limit", 0, 0)
