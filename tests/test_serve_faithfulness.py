"""Over the protocol a task is the task: the reference reaches the same digests, and nothing hidden is ever sent."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast

import attrs
import pytest
from anyio.from_thread import start_blocking_portal
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from skillhorizon import After, Order, generate, load_task
from skillhorizon.construction.proof import no_preference, run_reference
from skillhorizon.environment import Refused
from skillhorizon.evaluation.opening import built_of
from skillhorizon.model.canonical import Json, loads
from skillhorizon.model.journal import Record
from skillhorizon.model.outcome import Outcome
from skillhorizon.serve.seat import Seat
from skillhorizon.serve.server import server_of
from skillhorizon.session.client import SessionClient
from skillhorizon.session.drive import drive
from skillhorizon.session.files import closed_path, read_journal
from skillhorizon.session.pending import Pending
from skillhorizon.session.replay import replay
from skillhorizon.session.session import Nowhere, Observation, Session
from skillhorizon_financeops.rows import IdentityMap, IdentitySource, Obligation, Source, SourceRow, Stage

if TYPE_CHECKING:
    from pathlib import Path

    from skillhorizon.model.task import Task

ERAS = ["legacy", "2026-07-28"]
MARK = "HIDDEN-CANARY"
Ask = Callable[[str, dict[str, Json]], Mapping[str, Any]]


class RemoteClient(SessionClient):
    """A policy's client over a server; `received` is every text that came from it."""

    def __init__(self, ask: Ask) -> None:
        super().__init__(cast("Session", None))
        self.received: list[str] = []
        self._ask = ask

    def call(self, tool: str, /, **arguments: Json) -> Any:
        """Make one call and return what it says."""
        result = self._ask(tool, arguments)
        self.received.append(json.dumps(result))
        (content,), meta = result["content"], result["_meta"]
        record = Record(
            index=meta["skillhorizon/call"],
            turn=0,
            tool=tool,
            arguments_text="",
            observation=content["text"],
            outcome=Outcome(meta["skillhorizon/outcome"]),
            charged=0,
            made=tuple(meta["skillhorizon/made"]),
            clock=0,
        )
        return self.heard(tool, Observation(content["text"], loads(content["text"]), record.outcome, record))


@contextmanager
def connected(target: Any, mode: str) -> Iterator[tuple[Ask, list[str]]]:
    """Give a way to ask a server from a thread, and the texts that it sent on connecting."""
    with (
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(Client(target, mode=mode, read_timeout_seconds=60)) as client,
    ):

        def ask(tool: str, arguments: dict[str, Json]) -> Mapping[str, Any]:
            result = portal.call(client.call_tool, tool, arguments)
            found: dict[str, Any] = result.model_dump(mode="json", by_alias=True)
            return found

        lists = [portal.call(client.list_tools), portal.call(client.list_prompts)]
        told = [each.model_dump_json() for each in (*lists, portal.call(client.get_prompt, "task"))]
        yield ask, [client.instructions or "", *told]


@pytest.fixture(scope="module")
def task_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("suites") / "one"
    suite = generate(Order(environment="financeops", bands=("smoke",), per_band=1), folder, workers=1)
    return folder / "tasks" / f"{suite.tasks[0].id}.json"


@pytest.fixture(scope="module")
def world_digest(task_file: Path) -> str:
    built = built_of(load_task(task_file))
    session = built.session(Nowhere())
    run_reference(session)
    digest = session.world.digest()
    session.world.close()
    built.close()
    return digest


def work(task: Task, ask: Ask) -> RemoteClient:
    """Run the reference policy to its end, and submit."""
    built = built_of(task)
    client = RemoteClient(ask)
    drive(built.components.environment.steps(client, built.plan.brief, no_preference))
    built.close()
    return client


def check_same(task: Task, folder: Path, world_digest: str) -> None:
    """Hold a closed journal against the task's own digests."""
    journal = read_journal(closed_path(folder / f"{task.id}.jsonl"))
    made = [record for record in journal.records if record.tool != "finish"]
    assert hashlib.sha256(b"".join(record.line() for record in made)).hexdigest() == task.digests.journal
    built = built_of(task)
    session = replay(built, made)
    assert session.world.digest() == world_digest
    session.world.close()
    built.close()
    assert journal.footer is not None
    assert journal.footer.score is not None
    assert (journal.footer.kind, journal.footer.score.success) == ("submitted", True)
    assert journal.footer.score.goals_met == journal.footer.score.goals


@pytest.mark.parametrize("mode", ERAS)
def test_the_reference_over_stdio_is_the_reference(
    task_file: Path, world_digest: str, tmp_path: Path, mode: str
) -> None:
    words = ["-m", "skillhorizon", "serve", str(task_file), "--journal", str(tmp_path / "j")]
    server = stdio_client(StdioServerParameters(command=sys.executable, args=words))
    with connected(server, mode) as (ask, _):
        work(load_task(task_file), ask)
        for _ in range(2):
            ask("finish", {})
    check_same(load_task(task_file), tmp_path / "j", world_digest)


@pytest.mark.parametrize("mode", ERAS)
def test_the_reference_over_http_is_the_reference(
    task_file: Path, world_digest: str, tmp_path: Path, mode: str
) -> None:
    words = ["-m", "skillhorizon", "serve", str(task_file), "--journal", str(tmp_path / "j"), "--http", "0", "--json"]
    with subprocess.Popen([sys.executable, *words], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        try:
            (session,) = json.loads(process.stdout.readline())["sessions"]
            with connected(session["url"], mode) as (ask, _):
                work(load_task(task_file), ask)
                for _ in range(2):
                    ask("finish", {})
        finally:
            process.kill()
    check_same(load_task(task_file), tmp_path / "j", world_digest)


@contextmanager
def seated(task: Task, folder: Path) -> Iterator[tuple[Seat, Session]]:
    """Give an open seat of a task, with calls to spare, and its session."""
    seat = Seat(task, folder / "work.jsonl", "2")
    seat.open()
    assert seat._execution is not None
    try:
        yield seat, seat._execution.session
    finally:
        seat.leave()


def marked(value: Any) -> Any:
    """Return a value with the mark in each of its texts."""
    match value:
        case str():
            return f"{MARK}-{value}"
        case tuple() | list():
            return type(value)(marked(each) for each in value)
        case Mapping():
            return {marked(key): marked(each) for key, each in value.items()}
        case _ if attrs.has(type(value)):
            return attrs.evolve(value, **{f.name: marked(getattr(value, f.name)) for f in attrs.fields(type(value))})
        case _:
            return value


def never(update: Any, number: int) -> Any:
    """Return a marked update that never fires."""
    fields = {f.name: marked(getattr(update, f.name)) for f in attrs.fields(type(update)) if f.name != "trigger"}
    return attrs.evolve(update, **fields, trigger=After("stage_closed", 10**6 + number))


def hide(session: Session) -> None:
    """Put the mark into truth, into updates that never fire, and into the rows of a stage that never opens."""
    plan: Any = session.plan
    updates = (*plan.updates, *(never(update, i) for i, update in enumerate(plan.updates)))
    session.plan = attrs.evolve(plan, updates=updates, truth=marked(plan.truth))
    session._pending = Pending(updates)
    late = plan.stages + 1
    with session.world.transaction():
        session.world.insert(
            IdentitySource(f"{MARK}-ID", late),
            IdentityMap(f"{MARK}-MAP", f"{MARK}-ID", 0, 999, 9, {f"{MARK}-alias": f"{MARK}-account"}),
            Source("S99-01", late, "sales", "FA", 990, f"{MARK}-ID", "first", f"{MARK}-LB", 1),
            SourceRow("S99-01", 1, 1, [f"{MARK}-order", 1, f"{MARK}-code", f"{MARK}-alias", 100]),
            Obligation(f"{MARK}-view", "view", late, "hidden", None),
        )


def pry(client: RemoteClient, stages: int) -> None:
    """Ask for what is hidden, and page through all that can be listed."""
    asked: list[tuple[str, dict[str, Json]]] = [
        ("get_source", {"source_id": "S99-01"}),
        ("list_sources", {"stage": stages + 1}),
        ("list_open_items", {"lockbox": "LB-1", "stage": stages + 1}),
        *((name, {}) for name in ("list_sources", "list_packages", "list_accounts", "list_staff", "list_obligations")),
        *((name, {}) for name in ("list_artifacts", "list_notices", "list_skills", "get_release_status")),
    ]
    for tool, arguments in asked:
        cursor: Json = None
        while True:
            try:
                found = client.call(tool, **arguments, **({"cursor": cursor} if cursor else {}))
            except Refused:
                break
            cursor = found.get("next")
            if cursor is None:
                break


@pytest.mark.parametrize("mode", ERAS)
def test_nothing_hidden_is_ever_sent(task_file: Path, tmp_path: Path, mode: str) -> None:
    task = load_task(task_file)
    with seated(task, tmp_path) as (seat, session), connected(server_of(seat), mode) as (ask, told):
        hide(session)
        client = work(task, ask)
        pry(client, session.plan.brief["stages"])
        sent = [*told, *client.received]
        session.world.insert(Stage(session.plan.brief["stages"] + 1, "open"))
        shown = json.dumps(client.call("get_source", source_id="S99-01"))
    assert len(sent) > task.measurement.calls
    assert [text for text in sent if MARK in text] == []
    assert MARK in shown


def texts(value: Any) -> Iterator[str]:
    """Yield every text within a value."""
    match value:
        case str():
            yield value
        case tuple() | list():
            for each in value:
                yield from texts(each)
        case Mapping():
            yield from texts([*value, *value.values()])
        case _ if attrs.has(type(value)):
            yield from texts([getattr(value, field.name) for field in attrs.fields(type(value))])
        case _:
            return


def own_texts(values: list[Any]) -> list[set[str]]:
    """Return the texts of each value that stand in no other."""
    found = [set(texts(value)) for value in values]
    return [mine - set().union(*(other for other in found if other is not mine)) for mine in found]


def test_what_is_not_yet_known_is_not_yet_sent(task_file: Path, tmp_path: Path) -> None:
    task = load_task(task_file)
    with seated(task, tmp_path) as (seat, session), connected(server_of(seat), "legacy") as (ask, told):
        received = ["".join(told), *work(task, ask).received]
        since = known_since(session.plan, read_journal(seat.journal).records)
    assert all(found for _, found in since)
    assert [(call, text) for call, found in since for text in sorted(found) if named(text, received[:call])] == []


def known_since(plan: Any, records: tuple[Record, ...]) -> list[tuple[int, set[str]]]:
    """Return the calls that bring each update and each source, and the texts that nothing else holds."""
    facts = plan.facts
    sources = [
        [source, *(row.cells for row in facts.source_rows if row.source_id == source.source_id)]
        for source in facts.sources
    ]
    rest = attrs.evolve(facts, sources=(), source_rows=())
    found = own_texts([*plan.updates, *sources, rest])
    fired = {update: record.index for record in records for update in record.fired}
    opened = opening_calls(records)
    calls = [fired[update.id] for update in plan.updates] + [opened[source.stage] for source in facts.sources]
    return list(zip(calls, found, strict=False))


def named(text: str, received: list[str]) -> bool:
    """Whether a text stands in what was received, as a JSON text of its own."""
    return any(f'"{text}"' in sent.replace("\\", "") for sent in received)


def opening_calls(records: tuple[Record, ...]) -> dict[int, int]:
    """Return the call that opened each stage: the first to close the one before."""
    opened = {1: 1}
    for record in records:
        if record.tool == "close_stage" and record.outcome is Outcome.ACCEPTED:
            opened.setdefault(loads(record.arguments_text)["stage"] + 1, record.index)
    return opened
