"""Serving, against a bare echo server of the same SDK.

Both give the same answers to the same calls, to one client at a time; figures are ratios within one run.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
import attrs
from mcp import Client, StdioServerParameters

from skillhorizon.bench.figures import Figure, at_most
from skillhorizon.construction.generate import Order, generate
from skillhorizon.construction.proof import run_reference
from skillhorizon.construction.suites import load_entry, load_task, task_path
from skillhorizon.evaluation.opening import built_of
from skillhorizon.model.canonical import loads
from skillhorizon.model.journal import Record
from skillhorizon.session.session import Memory

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

ECHO = ("-m", "skillhorizon.bench.echo_server")
BAND = "smoke"
ERAS = ("legacy", "2026-07-28")
STDIO, HTTP, START, SESSIONS = 0.85, 0.8, 1.2, 8
MANY = 50
TURN = 10
"""Calls that are made of one server before the other is asked."""
Line = list[str]
Call = tuple[str, dict[str, Any]]
Target = str | StdioServerParameters


@attrs.frozen
class Load:
    """What is served and asked: tasks' files, and the reference's calls with their answers on the first.

    `allowed` is the least number of calls that the tasks' budgets allow.
    """

    folder: Path
    tasks: list[Path]
    records: list[Record]
    allowed: int

    @property
    def calls(self) -> list[Call]:
        """The calls in order."""
        return [(record.tool, loads(record.arguments_text)) for record in self.records]

    def answers(self) -> Path:
        """Return a file of the answers, one per line."""
        path = self.folder / "answers"
        path.write_text("".join(f"{record.observation}\n" for record in self.records), encoding="utf-8")
        return path

    def journals(self) -> str:
        """Return a new folder for journals."""
        return tempfile.mkdtemp(dir=self.folder)


def load(env: str, band: str, folder: Path) -> Load:
    """Generate tasks, and record the reference's run of the first."""
    suite = generate(Order(environment=env, bands=(band,), per_band=SESSIONS), folder / "suite")
    memory = Memory()
    built = built_of(load_entry(folder / "suite", suite.tasks[0]))
    session = built.session(memory)
    run_reference(session)
    session.world.close()
    built.close()
    tasks = [task_path(folder / "suite", entry.id) for entry in suite.tasks]
    allowed = min(load_task(path).measurement.budget for path in tasks)
    return Load(folder, tasks, memory.records, allowed)


async def compared(found: Load, echo: Target, ours: Target, mode: str) -> tuple[float, float]:
    """Return the calls a second that one client makes of the echo server and of ours.

    The two are asked in turns of a few calls, so that whatever else the machine does meets both.
    """
    spent = [0.0, 0.0]
    async with (
        Client(echo, mode=mode, read_timeout_seconds=60) as first,
        Client(ours, mode=mode, read_timeout_seconds=60) as second,
    ):
        for client in (first, second):
            await client.list_tools()
        for turn in range(0, len(found.calls), TURN):
            part = found.calls[turn : turn + TURN]
            spent[0] += await asked(first, [("echo", arguments) for _, arguments in part])
            spent[1] += await asked(second, part)
    return len(found.calls) / spent[0], len(found.calls) / spent[1]


async def asked(client: Client, calls: list[Call]) -> float:
    """Make calls one after the other and return the seconds."""
    start = time.perf_counter()
    for name, arguments in calls:
        await client.call_tool(name, arguments)
    return time.perf_counter() - start


def shz(*words: str) -> Line:
    """Return a command line of `shz`."""
    return [sys.executable, "-m", "skillhorizon", *words]


def over_stdio(line: Line) -> StdioServerParameters:
    """Return a server to be started by its client."""
    return StdioServerParameters(command=line[0], args=line[1:], env=dict(os.environ))


@asynccontextmanager
async def started(line: Line, port: int) -> AsyncIterator[None]:
    """Run a server until the block is left; the block begins when it answers."""
    with subprocess.Popen(line, stdout=subprocess.DEVNULL) as process:
        try:
            while not answers(port):
                await anyio.sleep(0.02)
            yield
        finally:
            process.kill()


def answers(port: int) -> bool:
    """Whether something listens at a port."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def free_port() -> int:
    """Return a port that nothing listens at."""
    with socket.create_server(("127.0.0.1", 0)) as at:
        return int(at.getsockname()[1])


async def stdio_rates(found: Load, mode: str) -> tuple[float, float]:
    """Return calls per second of the echo server and of ours, over stdio."""
    echo = over_stdio([sys.executable, *ECHO, str(found.answers())])
    ours = over_stdio(shz("serve", str(found.tasks[0]), "--journal", found.journals()))
    return await compared(found, echo, ours, mode)


async def http_rates(found: Load, mode: str) -> tuple[float, float]:
    """Return calls per second of the echo server and of ours, over HTTP."""
    port = free_port()
    echo = [sys.executable, *ECHO, str(found.answers()), str(port)]
    async with started(echo, port), served(found, found.tasks[:1]) as urls:
        return await compared(found, f"http://127.0.0.1:{port}/mcp", urls[0], mode)


@asynccontextmanager
async def served(found: Load, tasks: list[Path]) -> AsyncIterator[list[str]]:
    """Serve tasks over HTTP, and give their URLs."""
    line = shz("serve", *map(str, tasks), "--journal", found.journals(), "--http", "0", "--json")
    with subprocess.Popen(line, stdout=subprocess.PIPE) as process:
        try:
            if process.stdout is None:
                raise AssertionError("the pipe was asked for")
            yield [session["url"] for session in json.loads(process.stdout.readline())["sessions"]]
        finally:
            process.kill()


async def eight_at_once(found: Load) -> Figure:
    """Let a client per session make the first task's queries at once, and look for lost or mixed answers."""
    asked = [("get_rules", {"topic": f"none-{i}"}) for i in range(min(MANY, found.allowed))]
    faults: list[str] = []

    async def work(url: str, number: int) -> None:
        async with Client(url, mode=ERAS[number % 2], read_timeout_seconds=60) as client:
            for i, (tool, arguments) in enumerate(asked, start=1):
                topic = f"{arguments['topic']}-{number}"
                result = await client.call_tool(tool, {"topic": topic})
                right = (result.meta or {}).get("skillhorizon/call") == i and repr(topic) in result.content[0].text  # type: ignore[union-attr]  # text is all we send
                faults.extend([] if right else [f"session {number}, call {i}"])

    async with served(found, found.tasks) as urls, anyio.create_task_group() as group:
        for number, url in enumerate(urls):
            group.start_soon(work, url, number)
    said = f"{len(asked) * len(found.tasks)} calls, {len(faults)} lost or mixed"
    return Figure(f"{len(found.tasks)} sessions at once", said, "none", holds=not faults)


async def first_list(line: Line) -> float:
    """Return the seconds from a server's start to its first list of tools."""
    start = time.perf_counter()
    async with Client(over_stdio(line), read_timeout_seconds=60) as client:
        await client.list_tools()
        return time.perf_counter() - start


async def start_up(found: Load, env: str, rounds: int) -> Figure:
    """Hold the start against that of the echo server plus an import of the environment."""
    echo, ours, imported = [], [], []
    load_environment = f"from skillhorizon.registry import environment; environment({env!r})"
    for _ in range(rounds):
        echo.append(await first_list([sys.executable, *ECHO, str(found.answers())]))
        ours.append(await first_list(shz("serve", str(found.tasks[0]), "--journal", found.journals())))
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", load_environment], check=True)
        whole = time.perf_counter()
        subprocess.run([sys.executable, "-c", "pass"], check=True)
        imported.append(whole - start - (time.perf_counter() - whole))
    return at_most("start to first list / (echo server + import)", min(ours) / (min(echo) + min(imported)), START, "x")


async def ratios(found: Load, rounds: int) -> list[Figure]:
    """Return a figure per transport and era: our best rate over the echo server's."""
    made = []
    for name, bound, measure in (("stdio", STDIO, stdio_rates), ("HTTP", HTTP, http_rates)):
        for mode in ERAS:
            pairs = [await measure(found, mode) for _ in range(rounds)]
            echo, ours = (max(side) for side in zip(*pairs, strict=True))
            said = f"{ours / echo:.2f} x ({ours:,.0f} of {echo:,.0f} calls/s)"
            made.append(Figure(f"MCP over {name}, {mode}", said, f">= {bound:g} x", holds=ours / echo >= bound))
    return made


def serving(env: str, rounds: int) -> list[Figure]:
    """Measure serving an environment's smoke tasks."""
    return anyio.run(_measured, env, rounds)


async def _measured(env: str, rounds: int) -> list[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        found = load(env, BAND, Path(folder))
        return [*await ratios(found, rounds), await eight_at_once(found), await start_up(found, env, rounds)]
