"""The reference policy's part: played against texts alone it reaches what the reference reaches."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from serving import tasks_of

from skillhorizon import load_task, open_session, part_of
from skillhorizon.errors import ProofFailed

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("offered", [None, frozenset[str]()], ids=["every tool", "no tool that runs scripts"])
def test_a_part_played_against_texts_reaches_everything(
    with_bakery: Path, bakery_suite: Path, offered: frozenset[str] | None
) -> None:
    task = load_task(tasks_of(bakery_suite)[0])
    with open_session(task) as execution:
        part_of(task).play(lambda tool, arguments: execution.call(tool, arguments).text, offered)
        assert execution.score().success


def test_a_part_makes_the_calls_of_the_reference(with_bakery: Path, bakery_suite: Path) -> None:
    task = load_task(tasks_of(bakery_suite)[0])
    with open_session(task) as execution:
        part_of(task).play(lambda tool, arguments: execution.call(tool, arguments).text)
        assert execution.session.index == task.measurement.calls


def test_a_refusal_ends_the_play(with_bakery: Path, bakery_suite: Path) -> None:
    task = load_task(tasks_of(bakery_suite)[0])
    with pytest.raises(ProofFailed, match="refused"):
        part_of(task).play(lambda _tool, _arguments: '{"error":{"code":"CLOSED","message":"no","details":{}}}')
