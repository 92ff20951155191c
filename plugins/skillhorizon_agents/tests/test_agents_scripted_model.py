"""The scripted model: it plays a task in every wire format, and lets no broken request pass."""

from __future__ import annotations

import copy
import http.client
from collections.abc import Callable, Iterator
from time import perf_counter
from typing import Any

import attrs
import pytest
from agents_wire import FORMATS, HEAR, TELL, Body, Talk, chat, messages, post, responses, smoke

from skillhorizon import open_session
from skillhorizon_agents.testing import Fault, Kind, ModelServer, Rules

SUMMARY = "Write a summary."
RULES = Rules(summary=SUMMARY, cleared="[cleared]", keep=2)
Make = Callable[..., Talk]
Start = Callable[..., tuple[ModelServer, Talk]]


@pytest.fixture
def start() -> Iterator[Start]:
    """Start a server and a conversation with it, a few turns long."""
    open_ones: list[Any] = []

    def started(make: Make, turns: int = 0, rules: Rules = RULES, *faults: Fault) -> tuple[ModelServer, Talk]:
        server = ModelServer([smoke()], rules, faults=faults)
        server.__enter__()
        execution = open_session(smoke())
        open_ones.extend([execution, server])
        talk = make(server.url, execution)
        for _ in range(turns):
            assert talk.step()
        return server, talk

    yield started
    for each in reversed(open_ones):
        each.__exit__(None, None, None)


def refused(talk: Talk, spoil: Callable[[Body], None]) -> str:
    """Return what a spoilt request is told; the request as it was is still answered."""
    whole = copy.deepcopy(talk.body)
    spoil(talk.body)
    reached = talk.ask()
    assert reached.status == 400, reached.body
    talk.body = whole
    assert talk.ask().status == 200
    return str(reached.body["error"]["message"])


@pytest.mark.parametrize("make", FORMATS)
def test_the_reference_is_played_to_full_success(start: Start, make: Make) -> None:
    server, talk = start(make)
    talk.run()
    assert talk.execution.score().success
    assert (talk.execution.ended, server.breaches) == ("submitted", [])
    assert len(server.calls(smoke())) == talk.execution.session.index - 1


ODD = [
    Kind.MALFORMED_CALL,
    Kind.UNKNOWN_TOOL,
    Kind.FAILING_BATCH,
    Kind.BATCH,
    Kind.EMPTY,
    Kind.TALK,
    Kind.HUGE,
]


@pytest.mark.parametrize("make", FORMATS)
@pytest.mark.parametrize("kind", ODD)
def test_the_policy_goes_on_after_an_odd_answer(start: Start, make: Make, kind: Kind) -> None:
    server, talk = start(make, 8, RULES, Fault(kind=kind, turn=4))
    assert talk.ask().status == 200
    assert server.breaches == []


def test_odd_answers_do_not_keep_the_policy_from_success(start: Start) -> None:
    kinds = [kind for kind in ODD if kind is not Kind.EMPTY]
    server, talk = start(chat, 0, RULES, *(Fault(kind=kind, turn=3 + at) for at, kind in enumerate(kinds)))
    talk.run()
    assert talk.execution.score().success
    assert server.breaches == []


def test_equal_requests_get_equal_answers(start: Start) -> None:
    _, talk = start(responses, 5)
    assert talk.ask().body["output"] == talk.ask().body["output"]


def test_another_process_can_go_on_with_an_earlier_request(start: Start) -> None:
    _, talk = start(chat, 3)
    early = copy.deepcopy(talk.body)
    first = talk.ask().body
    for _ in range(3):
        talk.step()
    assert post(talk.url + talk.path, early).body["choices"] == first["choices"]


@pytest.mark.parametrize(
    ("kind", "status"), [(Kind.RATE_LIMIT, 429), (Kind.SERVER_ERROR, 500), (Kind.OVERLOADED, 529), (Kind.TOO_LONG, 400)]
)
def test_a_fault_of_the_transport_strikes_as_often_as_asked(start: Start, kind: Kind, status: int) -> None:
    _, talk = start(chat, 0, RULES, Fault(kind=kind, turn=1, times=2, seconds=1.5))
    struck = talk.ask()
    assert struck.status == status
    assert struck.headers.get("Retry-After") == ("1.5" if kind is Kind.RATE_LIMIT else None)
    assert [talk.ask().status, talk.ask().status] == [status, 200]


def test_a_truncated_answer_is_no_json(start: Start) -> None:
    _, talk = start(messages, 0, RULES, Fault(kind=Kind.TRUNCATED, turn=1))
    assert isinstance(talk.ask().body, str)
    assert talk.step()


def test_a_dropped_connection_brings_no_answer(start: Start) -> None:
    _, talk = start(chat, 0, RULES, Fault(kind=Kind.DROPPED, turn=1))
    with pytest.raises(http.client.RemoteDisconnected):
        talk.ask()
    assert talk.step()


def test_a_slow_answer_takes_its_time(start: Start) -> None:
    _, talk = start(chat, 0, RULES, Fault(kind=Kind.SLOW, turn=1, seconds=0.3))
    began = perf_counter()
    talk.ask()
    assert perf_counter() - began >= 0.3


def test_tokens_are_reported_and_what_was_said_before_is_cached(start: Start) -> None:
    _, talk = start(chat, 3)
    before = talk.ask().body["usage"]
    talk.step()
    after = talk.ask().body["usage"]
    assert after["prompt_tokens"] > before["prompt_tokens"] > 1000
    assert after["prompt_tokens_details"]["cached_tokens"] == before["prompt_tokens"]


def _last(body: Body) -> Any:
    return body["messages"][-1]


def _change(body: Body) -> None:
    _last(body)["content"] += " "


def _forget(body: Body) -> None:
    del body["messages"][3]


def _swap(body: Body) -> None:
    said = body["messages"]
    said[3]["content"], said[5]["content"] = said[5]["content"], said[3]["content"]


def _other_call(body: Body) -> None:
    body["messages"][2]["tool_calls"][0]["function"]["arguments"] = '{"topic":"other"}'


def _drop_turn(body: Body) -> None:
    del body["messages"][2:4]


def _orphan(body: Body) -> None:
    body["messages"].insert(2, {"role": "tool", "tool_call_id": "call_000009_0", "content": "{}"})


def _invent(body: Body) -> None:
    body["messages"] += [{"role": "assistant", "content": "Well."}, {"role": "user", "content": "Go on."}]


def _schema(body: Body) -> None:
    body["tools"][0]["function"]["parameters"] = {"anyOf": [], "type": "object"}


def _stream(body: Body) -> None:
    body["stream"] = True


def _taskless(body: Body) -> None:
    body["messages"][1]["content"] = "Do something."


def _toolless(body: Body) -> None:
    body["tool_choice"] = "none"


BREACHES: dict[str, tuple[Callable[[Body], None], str]] = {
    "a shown result is changed": (lambda body: body["messages"][3].update(content="{}"), "is not what it was"),
    "a result is missing": (_forget, "has no result"),
    "results are swapped": (_swap, "is not what it was"),
    "a call is repeated otherwise": (_other_call, "other arguments"),
    "a turn is missing": (_drop_turn, "missing"),
    "a result without a call": (_orphan, "behind no call"),
    "a reply that was never made": (_invent, "repeated with the calls none"),
    "a schema that no provider takes": (_schema, "anyOf"),
    "a stream": (_stream, "stream"),
    "no task": (_taskless, "instruction"),
    "no calls allowed": (_toolless, "no summary"),
}


@pytest.mark.parametrize("name", BREACHES)
def test_a_broken_request_is_told_what_is_broken(start: Start, name: str) -> None:
    spoil, told = BREACHES[name]
    _, talk = start(chat, 4)
    assert talk.ask().status == 200
    assert told in refused(talk, spoil)


@pytest.mark.parametrize("make", [responses, messages])
def test_reasoning_must_be_repeated(start: Start, make: Make) -> None:
    _, talk = start(make, 2)

    def spoil(body: Body) -> None:
        if "input" in body:
            body["input"] = [item for item in body["input"] if item.get("type") != "reasoning"]
        else:
            body["messages"][1]["content"] = body["messages"][1]["content"][1:]

    assert "without its reasoning" in refused(talk, spoil)


def test_results_of_messages_stand_first_and_follow_their_calls(start: Start) -> None:
    _, talk = start(messages, 2)

    def spoil(body: Body) -> None:
        _last(body)["content"].insert(0, {"type": "text", "text": "Look:"})

    assert "results stand first" in refused(talk, spoil)


def test_old_results_may_be_cleared_but_only_from_the_oldest_on(start: Start) -> None:
    _, talk = start(chat, 4)
    assert talk.ask().status == 200

    def spoil(body: Body) -> None:
        body["messages"][5]["content"] = "[cleared]"

    assert "older ones are not" in refused(talk, spoil)
    talk.body["messages"][3]["content"] = talk.body["messages"][5]["content"] = "[cleared]"
    assert talk.ask().status == 200


def summarised(talk: Talk, kept: int) -> str:
    """Ask for a summary, adopt it, and keep so many whole turns."""
    TELL[talk.path](talk.body, SUMMARY)
    said = talk.ask()
    assert said.status == 200, said.body
    summary: str = said.body["choices"][0]["message"]["content"]
    told = talk.body["messages"][:-1]
    first = {"role": "user", "content": f"{talk.execution.instruction}\n\nBefore:\n{summary}\nGo on."}
    talk.body["messages"] = [told[0], first, *told[len(told) - 2 * kept :]]
    return summary


def test_an_adopted_summary_stands_for_the_turns_it_covers(start: Start) -> None:
    server, talk = start(chat, 6)
    summarised(talk, 2)
    for _ in range(5):
        assert talk.step()
    summarised(talk, 2)
    talk.run()
    assert talk.execution.score().success
    assert server.breaches == []


def test_a_summary_that_was_not_written_like_that_is_no_summary(start: Start) -> None:
    _, talk = start(chat, 6)
    summarised(talk, 2)

    def spoil(body: Body) -> None:
        body["messages"][1]["content"] = body["messages"][1]["content"].replace("Point 7", "Point 8")

    assert "word for word" in refused(talk, spoil)


def test_turns_between_a_summary_and_what_is_shown_are_missed(start: Start) -> None:
    _, talk = start(chat, 4)
    summarised(talk, 2)
    for _ in range(3):
        talk.step()

    def spoil(body: Body) -> None:
        body["messages"] = [*body["messages"][:2], *body["messages"][-4:]]

    assert "covers the turns 1 to 4, the request shows 6 to 7" in refused(talk, spoil)


def test_the_last_whole_turns_must_be_kept(start: Start) -> None:
    _, talk = start(chat, 6)
    summarised(talk, 1)
    assert "1 turns before the summary are kept, 2 must be" in talk.ask().body["error"]["message"]


def test_old_turns_may_be_dropped_where_that_is_announced(start: Start) -> None:
    _, talk = start(chat, 6, attrs.evolve(RULES, slid="Earlier turns are gone."))
    talk.body["messages"] = [*talk.body["messages"][:2], *talk.body["messages"][-4:]]
    assert talk.ask().status == 400
    talk.body["messages"][1]["content"] += "\n\nEarlier turns are gone."
    assert talk.ask().status == 200


def test_a_request_beyond_the_context_is_refused_as_providers_do(start: Start) -> None:
    for make, told in ((chat, "maximum context length"), (messages, "prompt is too long")):
        _, talk = start(make, 0, attrs.evolve(RULES, context=2000))
        reached = talk.ask()
        assert (reached.status, told in reached.body["error"]["message"]) == (400, True)


def test_a_key_a_model_and_a_schema_can_be_refused(start: Start) -> None:
    _, talk = start(chat, 0, Rules(key="right", refused="maxLength"))
    assert talk.ask().status == 401
    borne = {"Authorization": "Bearer right"}
    assert post(talk.url + talk.path, talk.body, borne).body["error"]["code"] == "invalid_function_parameters"
    assert post(talk.url + talk.path, {**talk.body, "model": "other"}, borne).status == 404


def test_results_reach_the_policy_only_through_the_conversation(start: Start) -> None:
    _, talk = start(chat, 1)
    calls = talk.ask().body["choices"][0]["message"]["tool_calls"]
    talk.body["messages"].append({"role": "assistant", "content": None, "tool_calls": calls})
    HEAR[talk.path](talk.body, [(calls[0]["id"], '{"nonsense":true}')])
    for _ in range(2):
        assert "the reference policy cannot go on" in talk.ask().body["error"]["message"]
