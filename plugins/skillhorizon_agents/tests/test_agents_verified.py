"""What the scripted model was shown is held against the session's own record: a lie told consistently is found out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import attrs
import pytest
from agents_wire import FORMATS, Talk, chat, messages, smoke

from skillhorizon import Record, open_session, read_journal
from skillhorizon_agents.testing import Breach, Fault, Kind, ModelServer, Rules
from skillhorizon_agents.testing.record import disagreement

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from skillhorizon_agents.testing.transcript import Turn

    Make = Callable[..., Talk]
    Garble = Callable[[str], str]

GARBLED: dict[str, Garble] = {
    "white space": lambda text: text.replace(",", ", ", 1),
    "something more": lambda text: text.replace("{", '{"aside":0,', 1),
}


@attrs.define
class Desk:
    """A server, and where the journal of what is talked about stands."""

    server: ModelServer
    path: Path

    def talk(self, make: Make, garble: Garble = str, at: int | None = None) -> Path:
        """Talk to the end, and tell the model something else than a turn's calls were answered, always the same.

        Without a turn's number it is every turn's.
        """
        with open_session(smoke(), self.path) as execution:
            told = execution.turn

            def turn(calls: list[tuple[str, object]]) -> list[object]:
                made = told(calls)
                if at not in (None, execution.session.turns):
                    return list(made)
                return [each._replace(text=garble(each.text)) for each in made]

            execution.turn = turn  # type: ignore[method-assign, assignment]  # a loop that garbles what it is told
            make(self.server.url, execution).run()
        return self.path.with_name(f"{self.path.name}.gz")


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with ModelServer([smoke()], Rules(), faults=[Fault(kind=Kind.TALK, turn=6)]) as server:
        yield Desk(server, tmp_path / "1.jsonl")


@pytest.mark.parametrize("make", FORMATS)
def test_what_the_session_answered_is_what_was_shown(desk: Desk, make: Make) -> None:
    journal = desk.talk(make)
    desk.server.verify(journal)
    desk.server.verify(journal, journal)


@pytest.mark.parametrize("make", FORMATS)
@pytest.mark.parametrize("name", GARBLED)
def test_an_observation_that_is_garbled_every_time_is_found_out(desk: Desk, make: Make, name: str) -> None:
    journal = desk.talk(make, GARBLED[name], at=4)
    assert desk.server.breaches == [], "nothing that the conversation shows is amiss"
    with pytest.raises(Breach, match=r"turn 4: call 4 \(\w+\) was answered .* was shown"):
        desk.server.verify(journal)


def test_words_that_real_clients_put_around_results_are_seen_through(tmp_path: Path) -> None:
    def wrapped(text: str) -> str:
        return f"Wall time: 0.1 seconds\nOutput:\n{text}"

    with ModelServer([smoke()], Rules.of_clients()) as server:
        journal = Desk(server, tmp_path / "1.jsonl").talk(chat, wrapped)
        server.verify(journal)


def test_results_that_real_clients_change_are_found_out(tmp_path: Path) -> None:
    with ModelServer([smoke()], Rules.of_clients()) as server:
        journal = Desk(server, tmp_path / "1.jsonl").talk(chat, GARBLED["something more"], at=4)
        with pytest.raises(Breach, match="turn 4: call 4"):
            server.verify(journal)


def test_a_conversation_without_a_journal_and_a_journal_without_a_conversation_are_named(desk: Desk) -> None:
    with open_session(smoke(), desk.path) as execution:
        execution.submit()
    journal = desk.path.with_name("1.jsonl.gz")
    with pytest.raises(Breach, match="no journal"):
        desk.server.verify(journal)
    desk.path = desk.path.with_name("2.jsonl")
    desk.talk(messages)
    with pytest.raises(Breach, match="no journal"):
        desk.server.verify()


def test_calls_that_nobody_asked_for_are_found_out(desk: Desk) -> None:
    with open_session(smoke(), desk.path) as execution:
        talk = chat(desk.server.url, execution)
        for _ in range(3):
            talk.step()
        execution.call("list_notices")
        talk.run()
    with pytest.raises(Breach, match="call 4"):
        desk.server.verify(desk.path.with_name("1.jsonl.gz"))


def test_an_execution_that_was_stopped_is_verified_as_far_as_it_went(desk: Desk) -> None:
    with open_session(smoke(), desk.path) as execution:
        talk = chat(desk.server.url, execution)
        for _ in range(3):
            talk.step()
        desk.server.verify(desk.path)
        talk.ask()
        desk.server.verify(desk.path)


def test_each_part_of_a_record_counts(desk: Desk) -> None:
    records = read_journal(desk.talk(chat)).records
    transcript = desk.server.model._roles[0].transcripts[0]

    def told(turns: list[Turn], recorded: tuple[Record, ...]) -> str:
        return disagreement(turns, recorded, transcript.names)

    turns = transcript.turns
    assert told(turns, records) == ""
    assert "1 calls more than were asked for" in told(turns, (*records, records[0]))
    assert "recorded no such call" in told(turns, records[:5])
    assert "with other arguments" in told(turns, (attrs.evolve(records[0], arguments_text='{"a":1}'), *records[1:]))
    assert "is recorded where" in told(turns, (attrs.evolve(records[0], tool="finish"), *records[1:]))
    assert "were never shown" in told([attrs.evolve(turns[0], results=None), *turns[1:]], records)
