"""A seat: its journal, the numbers of its calls, its end, and what it makes of a disk that fails."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from serving import BATCHES, seat_of

from skillhorizon.model.canonical import loads
from skillhorizon.model.outcome import Outcome
from skillhorizon.serve.seat import MOST_BYTES, Answer, NoCall, Seat, Unavailable
from skillhorizon.session.files import closed_path, read_journal

if TYPE_CHECKING:
    from collections.abc import Iterator

needs_full_disk = pytest.mark.skipif(
    not Path("/dev/full").exists(), reason="the system has no disk that is always full"
)


@pytest.fixture
def seat(with_bakery: Path, bakery_suite: Path, tmp_path: Path) -> Iterator[Seat]:
    made = seat_of(bakery_suite, tmp_path)
    yield made
    made.leave()


def finished(seat: Seat) -> Answer:
    seat.call("finish", {})
    return seat.call("finish", {})


def code_of(answer: Answer) -> str:
    code: str = loads(answer.text)["error"]["code"]
    return code


def test_a_call_is_on_file_before_it_is_answered(seat: Seat) -> None:
    answer = seat.call(BATCHES, {})
    (record,) = read_journal(seat.journal).records
    assert (answer.number, answer.text, answer.outcome) == (1, record.observation, Outcome.ACCEPTED)


def test_a_seat_opened_again_goes_on(seat: Seat, bakery_suite: Path, tmp_path: Path) -> None:
    order, loaves, _ = loads(seat.call(BATCHES, {}).text)["rows"][0]
    made = seat.call("bake", {"order": order, "loaves": loaves}).made
    seat.leave()
    again = seat_of(bakery_suite, tmp_path)
    assert again.calls == 2
    assert loads(again.call("get_artifact", {"artifact": f"TRAY:{order}"}).text)["artifact"] == made[0]
    again.leave()


def test_a_number_that_was_answered_is_answered_again_without_a_second_call(seat: Seat) -> None:
    first = seat.call(BATCHES, {}, 1)
    assert seat.call(BATCHES, {}, 1) == first
    assert seat.calls == 1
    assert seat.call("get_rules", {"topic": "none"}, 2).number == 2


def test_a_number_that_is_not_the_next_is_no_call(seat: Seat) -> None:
    seat.call(BATCHES, {})
    with pytest.raises(NoCall, match="call 1 was another call; the next one is call 2"):
        seat.call(BATCHES, {"limit": 1}, 1)
    with pytest.raises(NoCall, match="call 5 is not the next one; the next one is call 2"):
        seat.call(BATCHES, {}, 5)
    assert len(read_journal(seat.journal).records) == 1


def test_a_numbered_call_is_repeated_across_a_restart(seat: Seat, bakery_suite: Path, tmp_path: Path) -> None:
    first = seat.call("nonsense", {"a": 1}, 1)
    seat.leave()
    again = seat_of(bakery_suite, tmp_path)
    assert again.call("nonsense", {"a": 1}, 1) == first
    again.leave()


def test_finishing_twice_closes_and_scores_the_journal(seat: Seat) -> None:
    assert finished(seat).outcome is Outcome.ACCEPTED
    footer = read_journal(closed_path(seat.journal)).footer
    assert footer is not None
    assert (footer.kind, footer.calls, footer.charged) == ("submitted", 2, 0)
    assert footer.score is not None
    assert not seat.journal.exists()


def test_an_ended_execution_takes_no_call(seat: Seat, bakery_suite: Path, tmp_path: Path) -> None:
    last = finished(seat)
    again = seat_of(bakery_suite, tmp_path)
    for each in (seat, again):
        assert code_of(each.call(BATCHES, {})) == "ENDED"
        assert each.call("finish", {}, 2) == last
    assert len(read_journal(closed_path(seat.journal)).records) == 2


def test_the_last_permitted_call_is_answered_and_ends_the_execution(
    with_bakery: Path, bakery_suite: Path, tmp_path: Path
) -> None:
    seat = seat_of(bakery_suite, tmp_path, "0")
    answers = [seat.call(BATCHES, {}) for _ in range(seat.task.measurement.calls + 1)]
    assert [answer.outcome for answer in answers[-2:]] == [Outcome.ACCEPTED, Outcome.NOT_ATTEMPTED]
    assert seat.ended == "budget_exhausted"


def test_a_torn_last_line_is_cut_off_and_its_call_was_not_made(seat: Seat, bakery_suite: Path, tmp_path: Path) -> None:
    seat.call(BATCHES, {})
    seat.leave()
    with seat.journal.open("ab") as file:
        file.write(b'{"index":2,"turn":2,"tool":"ba')
    again = seat_of(bakery_suite, tmp_path)
    assert again.call(BATCHES, {"limit": 1}).number == 2
    again.leave()
    assert [record.index for record in read_journal(seat.journal).records] == [1, 2]


@pytest.mark.parametrize("kept", [0, 1, 2])
def test_a_server_killed_while_it_closed_a_journal_closes_it_later(
    seat: Seat, bakery_suite: Path, tmp_path: Path, kept: int
) -> None:
    finished(seat)
    closed = closed_path(seat.journal)
    whole = closed.read_bytes()
    lines = gzip.decompress(whole).splitlines(keepends=True)
    seat.journal.write_bytes(b"".join(lines[:-1] if kept == 0 else lines))
    if kept < 2:
        closed.unlink()
    again = seat_of(bakery_suite, tmp_path)
    assert code_of(again.call(BATCHES, {})) == "ENDED"
    assert closed.read_bytes() == whole


@needs_full_disk
def test_a_call_that_the_disk_does_not_take_was_not_made(seat: Seat) -> None:
    seat.call(BATCHES, {})
    assert seat._execution is not None
    recorder: Any = seat._execution.session.recorder
    with Path("/dev/full").open("wb", buffering=0) as full:
        recorder._file, file = full, recorder._file
        with pytest.raises(Unavailable, match="the call was not made; repeat it"):
            seat.call("finish", {})
        file.close()
    assert seat.calls == 1
    answer = seat.call("finish", {})
    assert (answer.number, answer.outcome) == (2, Outcome.ACCEPTED)
    assert seat.ended == ""


def test_a_fault_of_the_environment_is_not_told_to_clients(seat: Seat) -> None:
    for number in (None, 1, None):
        with pytest.raises(Unavailable) as told:
            seat.call("break_oven", {}, number)
        assert "oven" not in str(told.value)
    (record,) = read_journal(seat.journal).records
    assert record.outcome is Outcome.INTERNAL_ERROR


def test_too_many_arguments_are_no_call(seat: Seat) -> None:
    with pytest.raises(NoCall, match=f"at most {MOST_BYTES} are read"):
        seat.call(BATCHES, {"cursor": "9" * MOST_BYTES})
    assert seat.calls == 0


@pytest.mark.parametrize("name", ["", "x" * 129, "a\nb", "\ud800"])
def test_what_is_no_name_is_no_call(seat: Seat, name: str) -> None:
    if not name:
        assert code_of(seat.call(name, {})) == "UNKNOWN_TOOL"
        return
    with pytest.raises(NoCall, match="a tool's name is printable"):
        seat.call(name, {})


@pytest.mark.parametrize(
    "arguments", [{"order": "\ud800"}, {"order": 2**70}, {"order": float("nan")}, {"loaves": 1.5}, {"order": [[[]]]}]
)
def test_strange_arguments_are_malformed_and_replayed_alike(
    seat: Seat, bakery_suite: Path, tmp_path: Path, arguments: object
) -> None:
    assert code_of(seat.call("bake", arguments)) == "MALFORMED"
    seat.leave()
    again = seat_of(bakery_suite, tmp_path)
    assert again.calls == 1
    again.leave()


def test_a_seats_name_tells_nothing_of_its_task(seat: Seat) -> None:
    assert len(seat.name) == 16
    assert seat.task.id not in seat.name
    assert not set(seat.name) - set("0123456789abcdef")
