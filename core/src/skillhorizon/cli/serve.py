"""`shz serve TASK...`: tasks for clients of the Model Context Protocol."""

from __future__ import annotations

import gc
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from skillhorizon.cli.output import Progress, emit, json_option, table, warn

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from skillhorizon.serve.seat import Seat


@click.command("serve")
@click.argument("tasks", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="TASK...")
@click.option("--journal", "folder", required=True, type=click.Path(path_type=Path), help="Folder of the journals.")
@click.option("--http", "port", type=click.IntRange(0, 65535), help="Serve at this port; 0 takes a free one.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen at, with --http.")
@click.option("--token", envvar="SHZ_TOKEN", default="", help="What clients must bear; $SHZ_TOKEN by default.")
@click.option("--allowance", default="0.5", show_default=True, help="Calls beyond the reference's, as a share of them.")
@json_option
def serve(*, tasks: tuple[Path, ...], folder: Path, port: int | None, as_json: bool, **given: str) -> None:
    """Serve tasks to agents over the Model Context Protocol.

    One task over stdin and stdout, or any number over HTTP, each under a URL of its own. Every call is in its journal
    before it is answered; the same command goes on where an earlier one was stopped or killed.
    """
    _check_installed()
    _check_address(tasks, port, given["host"], given["token"])
    with ExitStack() as stack:
        seats = _opened(tasks, folder, given["allowance"], stack)
        if port is None:
            _over_stdio(seats[0])
        else:
            _over_http(seats, port, given["host"], given["token"], as_json=as_json)


def _check_installed() -> None:
    from importlib.util import find_spec  # noqa: PLC0415  # the command's own needs, loaded when it runs

    from skillhorizon.errors import UsageError  # noqa: PLC0415

    if find_spec("mcp") is None:
        raise UsageError("serving needs more than is installed; run: pip install 'skillhorizon[serve]'")


def _check_address(tasks: Sequence[Path], port: int | None, host: str, token: str) -> None:
    from skillhorizon.errors import UsageError  # noqa: PLC0415
    from skillhorizon.serve.guard import LOOPBACK  # noqa: PLC0415

    if port is None and len(tasks) > 1:
        raise UsageError(f"{len(tasks)} tasks cannot share stdin and stdout; serve them over HTTP with --http 0")
    if port is not None and host not in LOOPBACK and not token:
        raise UsageError(f"at {host} others can reach the server; give a --token, or leave --host at 127.0.0.1")
    if not (token.isascii() and token.isprintable() and " " not in token):
        raise UsageError("the token holds characters that no header may; use letters and digits")


def _opened(tasks: Sequence[Path], folder: Path, allowance: str, stack: ExitStack) -> list[Seat]:
    """Load what serving needs, and open a seat per task until the stack is left."""
    from skillhorizon.construction.garbage import uncollected  # noqa: PLC0415

    with uncollected():
        import skillhorizon.serve.server  # noqa: F401, PLC0415  # the largest part

        seats = _seats(tasks, folder, allowance)
        _open(seats, folder, stack)
        gc.freeze()  # all that was made so far stays until the end
    return seats


def _seats(tasks: Sequence[Path], folder: Path, allowance: str) -> list[Seat]:
    """Return one seat per task; every version and digest is checked before the first journal is touched."""
    from skillhorizon.construction.tasks import read_task  # noqa: PLC0415
    from skillhorizon.errors import UsageError  # noqa: PLC0415
    from skillhorizon.serve.seat import Seat  # noqa: PLC0415

    seats = [Seat(task, folder / f"{task.id}.jsonl", allowance) for task in map(read_task, tasks)]
    ids = [seat.task.id for seat in seats]
    twice = sorted({name for name in ids if ids.count(name) > 1})
    if twice:
        raise UsageError(f"{', '.join(twice)} is named twice; serve a task once per journal folder")
    return seats


def _open(seats: Sequence[Seat], folder: Path, stack: ExitStack) -> None:
    """Hold the journals' folder and open every seat until the stack is left."""
    from skillhorizon.serve.folder import held  # noqa: PLC0415

    stack.enter_context(held(folder))
    with Progress("opening", len(seats)) as bar:
        for seat in bar.over(seats):
            for text in seat.warnings:
                warn(text)
            seat.open()
            stack.callback(seat.leave)


def _over_stdio(seat: Seat) -> None:
    from skillhorizon.serve.stdio import serve as run  # noqa: PLC0415

    with _stoppable():
        run(seat)


def _over_http(seats: Sequence[Seat], port: int, host: str, token: str, *, as_json: bool) -> None:
    from skillhorizon.serve.guard import Guard  # noqa: PLC0415
    from skillhorizon.serve.http import listen, urls_of  # noqa: PLC0415
    from skillhorizon.serve.http import serve as run  # noqa: PLC0415

    with listen(host, port) as at, _stoppable():
        rows = [{"task": task, "url": url} for task, url in urls_of(seats, host, at).items()]
        run(seats, at, Guard(token, host), lambda: _tell(rows, as_json=as_json))


def _tell(rows: list[dict[str, str]], *, as_json: bool) -> None:
    if as_json:
        emit({"sessions": rows})
    else:
        table(("task", "url"), [[row["task"], row["url"]] for row in rows])


@contextmanager
def _stoppable() -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        raise KeyboardInterrupt(
            "the server was stopped by Ctrl-C; every call that it answered is in its journal, "
            "and the same command goes on from there"
        ) from None
