"""Agents whose behaviour tests know: honest, broken and murderous ones."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from skillhorizon.evaluation.execution import Execution


def bake_first(execution: Execution) -> None:
    """Bake the first order by its number of loaves."""
    order, loaves, _ = execution.call("list_batches").data["rows"][0]
    execution.call("bake", {"order": order, "loaves": loaves})


def bake_everything(execution: Execution) -> None:
    """Bake all orders and never ship."""
    for order, loaves, _ in execution.call("list_batches").data["rows"]:
        execution.call("bake", {"order": order, "loaves": loaves})


def never_stop(execution: Execution) -> None:
    """List the orders for ever."""
    while True:
        execution.call("list_batches")


def bake_wrongly(execution: Execution) -> None:
    """Bake the first order with a wrong number of loaves."""
    order, loaves, _ = execution.call("list_batches").data["rows"][0]
    execution.call("bake", {"order": order, "loaves": loaves + 1})


def break_down(execution: Execution) -> None:
    """Fail after one call."""
    execution.call("list_batches")
    raise RuntimeError("the agent lost its way")


def leave_the_process(execution: Execution) -> None:
    """Exit as a careless library does."""
    raise SystemExit(3)


def break_the_oven(execution: Execution) -> None:
    """Make the environment fail, and pretend that nothing happened."""
    with suppress(Exception):
        execution.call("break_oven")


def kill_on_rye_once(execution: Execution) -> None:
    """Kill the process on the first execution of a rye task; a mark in the working folder tells the second from it."""
    mark = Path("killed")
    if execution.task.cell.variant == "rye" and not mark.exists():
        mark.touch()
        kill(execution)
    bake_first(execution)


def kill_on_rye(execution: Execution) -> None:
    """Kill the process on every rye task."""
    if execution.task.cell.variant == "rye":
        kill(execution)
    bake_first(execution)


def kill(execution: Execution) -> None:
    """Kill the process after one call."""
    execution.call("list_batches")
    os.kill(os.getpid(), signal.SIGKILL)


def wait_on_rye(execution: Execution) -> None:
    """Tell by a file that a rye task has begun, and hang there as long as no file `go` stands beside it."""
    bake_first(execution)
    if execution.task.cell.variant == "rye" and not Path("go").exists():
        Path(f"hanging-{os.getpid()}").touch()
        signal.pause()


def interrupt_on_rye(execution: Execution) -> None:
    """Press Ctrl-C on a rye task as long as no file `go` stands in the working folder."""
    bake_first(execution)
    if execution.task.cell.variant == "rye" and not Path("go").exists():
        raise KeyboardInterrupt


class Baker:
    """An agent with a name of its own."""

    name = "baker"

    def run(self, execution: Execution) -> None:
        """Bake the first order."""
        bake_first(execution)


def make_baker() -> Baker:
    """Return a baker."""
    return Baker()


class Costly:
    """An agent that needs something to be made."""

    name = "costly"

    def __init__(self) -> None:
        raise RuntimeError("no key is set")


NOTHING = 5
