"""Tables, JSON and progress."""

from __future__ import annotations

import io

import click
import pytest
from click.testing import CliRunner

from skillhorizon.cli.output import Progress, lines, show
from skillhorizon.model.canonical import loads


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_words_stand_left_and_numbers_right() -> None:
    rows = [["64k", 10, 0.5, True, None], ["1m", 5, 1.0, False, 3]]
    assert lines(["band", "tasks", "LGC", "done", "left"], rows) == [
        "band  tasks    LGC  done  left",
        "64k      10  0.500  yes      -",
        "1m        5  1.000  no       3",
    ]


@pytest.mark.parametrize(("as_json", "said"), [(True, "[]\n"), (False, "nothing is here\n")])
def test_no_rows_are_an_empty_list_or_a_sentence(as_json: bool, said: str) -> None:
    @click.command()
    def command() -> None:
        show([], {"name": "name"}, as_json=as_json, empty="nothing is here")

    assert CliRunner().invoke(command).output == said


def test_json_holds_every_key_of_a_row() -> None:
    @click.command()
    def command() -> None:
        show([{"name": "a", "digest": "f00"}], {"name": "name"}, as_json=True)

    assert loads(CliRunner().invoke(command).output) == [{"name": "a", "digest": "f00"}]


def test_progress_is_drawn_from_the_third_second_on_and_taken_away() -> None:
    stream, clock = Terminal(), Clock()
    with Progress("tasks", 4, stream=stream, clock=clock) as bar:
        bar.advance()
        assert stream.getvalue() == ""
        clock.now = 2.5
        bar.advance(note="task-b")
        assert "tasks [" + "#" * 15 in stream.getvalue()
        assert "2/4 task-b" in stream.getvalue()
    assert stream.getvalue().endswith("\r\x1b[2K")


def test_progress_is_silent_where_no_one_looks() -> None:
    stream, clock = io.StringIO(), Clock()
    with Progress("tasks", 2, stream=stream, clock=clock) as bar:
        clock.now = 60.0
        assert list(bar.over([1, 2])) == [1, 2]
    assert stream.getvalue() == ""
