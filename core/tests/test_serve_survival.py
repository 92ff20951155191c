"""Servers killed at any moment: the same command goes on, and the journal ends as if nothing had happened."""

from __future__ import annotations

import socket
from contextlib import ExitStack
from threading import Timer
from typing import TYPE_CHECKING, Any

import pytest
from bakery import steps
from serving import BATCHES, RemoteClient, Shop, tasks_of, urls

from skillhorizon.construction.proof import no_preference
from skillhorizon.environment import Refused
from skillhorizon.model.rng import Rng
from skillhorizon.serve.remote import NUMBER, NoAnswer, ask
from skillhorizon.session.drive import drive
from skillhorizon.session.files import closed_path, read_journal

if TYPE_CHECKING:
    import subprocess
    from pathlib import Path

STARTING, CALLING = 1_500_000, 8_000
"""Within how many microseconds a kill comes after a start, and after a call was sent."""


class Killer:
    """Kills servers at drawn moments: after each call that is sent, and after some starts, until it is done."""

    def __init__(self, kills: int) -> None:
        self.kills, self.killed = kills, 0
        self._rng, self._timer = Rng("kills", kills), Timer(0, lambda: None)

    def started(self, process: subprocess.Popen[str]) -> None:
        """Maybe kill a server while it starts."""
        if self._rng.chance(3_000):
            self._after(STARTING, process)

    def called(self, process: subprocess.Popen[str]) -> None:
        """Kill a server about when it answers."""
        self._after(CALLING, process)

    def _after(self, most: int, process: subprocess.Popen[str]) -> None:
        delay = self._rng.integer(0, most) / 1_000_000
        if self.killed < self.kills and not self._timer.is_alive():
            self._timer = Timer(delay, self._kill, [process])
            self._timer.start()

    def _kill(self, process: subprocess.Popen[str]) -> None:
        if process.poll() is None:
            process.kill()
            self.killed += 1


class Caller:
    """A client that counts its calls, and gives the server's command again whenever the server is gone."""

    def __init__(self, shop: Shop, task: Path, journals: Path, killer: Killer) -> None:
        self.journal = journals / f"{task.stem}.jsonl"
        self.starts = self.calls = 0
        self._shop, self._task, self._killer = shop, task, killer
        with socket.create_server(("127.0.0.1", 0)) as at:
            self._port = str(at.getsockname()[1])
        self._start()

    def _start(self) -> None:
        while True:
            self.starts += 1
            self._process = self._shop.start([self._task], self.journal.parent, "--http", self._port)
            self._killer.started(self._process)
            try:
                self._url = urls(self._process)[self._task.stem]
            except ValueError:  # it was killed before it was ready
                self.leave()
            else:
                return

    def ask(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """Make the next call and return its result, however often the server has to be started for it."""
        self.calls += 1
        return self._answered({"name": tool, "arguments": arguments, "_meta": {NUMBER: self.calls}})

    def _answered(self, params: dict[str, Any]) -> dict[str, Any]:
        while True:
            self._killer.called(self._process)
            try:
                return ask(self._url, "", "tools/call", dict(params))
            except NoAnswer:
                self._process.wait(30)
                self.leave()
                self._start()

    def leave(self) -> None:
        """End the server."""
        self._process.kill()
        self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()


def work(caller: Caller) -> bytes:
    """Do the bakery's whole task, with some refusals, and return the closed journal."""
    client = RemoteClient(caller.ask)
    for tool, arguments in (("get_rules", {"topic": "none"}), ("ship", {}), ("bake", {"order": "B00"})):
        with pytest.raises(Refused):
            client.call(tool, **arguments)
    drive(steps(client, {}, no_preference))
    client.call(BATCHES)
    for _ in range(2):
        client.call("finish")
    return closed_path(caller.journal).read_bytes()


def check_survival(shop: Shop, task: Path, folder: Path, kills: int) -> None:
    with ExitStack() as stack:
        undisturbed = Caller(shop, task, folder / "undisturbed", Killer(0))
        stack.callback(undisturbed.leave)
        disturbed = Caller(shop, task, folder / "disturbed", killer := Killer(kills))
        stack.callback(disturbed.leave)
        assert work(disturbed) == work(undisturbed)
    assert killer.killed == kills
    assert (undisturbed.starts, disturbed.starts) == (1, 1 + kills)
    footer = read_journal(closed_path(disturbed.journal)).footer
    assert footer is not None
    assert footer.score is not None
    assert footer.score.success


def test_two_kills_change_nothing(bakery_home: Path, bakery_suite: Path, tmp_path: Path) -> None:
    check_survival(Shop(bakery_home), tasks_of(bakery_suite)[0], tmp_path, 2)


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_twenty_kills_change_nothing(bakery_home: Path, bakery_suite: Path, tmp_path: Path) -> None:
    check_survival(Shop(bakery_home), tasks_of(bakery_suite)[0], tmp_path, 20)
