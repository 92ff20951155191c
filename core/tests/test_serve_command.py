"""`shz serve`: what it refuses before it serves, whose journals they are, and serving over stdin and stdout."""

from __future__ import annotations

import json
import os
import socket
import stat
import subprocess
import sys
from importlib import util
from pathlib import Path
from signal import SIGINT
from typing import TYPE_CHECKING, Any

import anyio
import pytest
from click.testing import CliRunner
from distributions import install_bakery
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCNotification
from serving import BATCHES, HERE, Shop, tasks_of, text_of, urls

from skillhorizon.cli import shz
from skillhorizon.serve.folder import held
from skillhorizon.serve.wire import Incoming, Outgoing
from skillhorizon.session.files import read_journal

if TYPE_CHECKING:
    from collections.abc import Iterator

needs_rights = pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may write everywhere")


@pytest.fixture
def shop(bakery_home: Path) -> Shop:
    return Shop(bakery_home)


@pytest.fixture
def tasks(bakery_suite: Path) -> list[Path]:
    return tasks_of(bakery_suite)


def refused(*words: str | Path) -> tuple[int, str]:
    done = CliRunner().invoke(shz, ["serve", *map(str, words)])
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    return done.exit_code, done.stderr


def test_one_task_at_most_shares_stdin_and_stdout(with_bakery: Path, tasks: list[Path], tmp_path: Path) -> None:
    code, said = refused(*tasks, "--journal", tmp_path / "j")
    assert (code, "serve them over HTTP with --http 0" in said) == (2, True)
    assert not (tmp_path / "j").exists()


def test_an_address_that_others_reach_needs_a_token(with_bakery: Path, tasks: list[Path], tmp_path: Path) -> None:
    code, said = refused(tasks[0], "--journal", tmp_path / "j", "--http", "0", "--host", "0.0.0.0")  # noqa: S104  # refused
    assert (code, "give a --token" in said) == (2, True)


@pytest.mark.parametrize("token", ["two words", "é", "a\nb"])
def test_a_token_that_no_header_can_bear_is_refused(
    with_bakery: Path, tasks: list[Path], tmp_path: Path, token: str
) -> None:
    code, said = refused(tasks[0], "--journal", tmp_path / "j", "--http", "0", "--token", token)
    assert (code, "use letters and digits" in said) == (2, True)


def test_a_task_named_twice_is_refused(with_bakery: Path, tasks: list[Path], tmp_path: Path) -> None:
    code, said = refused(tasks[0], tasks[0], "--journal", tmp_path / "j", "--http", "0")
    assert (code, "is named twice" in said) == (2, True)


def test_what_is_no_task_is_refused(with_bakery: Path, bakery_suite: Path, tmp_path: Path) -> None:
    code, said = refused(bakery_suite / "suite.json", "--journal", tmp_path / "j")
    assert (code, "suite.json is no task file" in said) == (1, True)
    assert refused(tmp_path / "none.json", "--journal", tmp_path / "j")[0] == 1


def test_a_task_of_another_version_is_refused(tasks: list[Path], tmp_path: Path) -> None:
    install_bakery(tmp_path / "newer", version="2.0.0")
    done = Shop(tmp_path / "newer").run("serve", tasks[0], "--journal", tmp_path / "j")
    assert (done.returncode, done.stdout) == (1, "")
    assert "was made by bakery 1.2, installed is 2.0; install that one: pip install 'test-bakery==1.2.*'" in done.stderr
    assert not (tmp_path / "j").exists()


def test_serving_without_the_sdk_says_what_to_install(
    with_bakery: Path, tasks: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    find = util.find_spec
    monkeypatch.setattr(util, "find_spec", lambda name, *more: None if name == "mcp" else find(name, *more))
    code, said = refused(tasks[0], "--journal", tmp_path / "j")
    assert (code, "pip install 'skillhorizon[serve]'" in said) == (2, True)


def test_a_new_folder_of_journals_is_for_its_owner_alone(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "journals"
    with held(folder):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_a_folder_that_others_may_enter_is_refused(with_bakery: Path, tasks: list[Path], tmp_path: Path) -> None:
    folder = tmp_path / "open"
    folder.mkdir()
    folder.chmod(0o755)
    code, said = refused(tasks[0], "--journal", folder)
    assert (code, "others may enter" in said, f"chmod 700 {folder}" in said) == (2, True, True)


@pytest.mark.parametrize("where", ["a file", "a read-only system"])
def test_a_folder_that_cannot_be_made_is_refused(
    with_bakery: Path, tasks: list[Path], tmp_path: Path, where: str
) -> None:
    (tmp_path / "file").touch()
    folder = tmp_path / "file" / "j" if where == "a file" else Path("/proc/self/journals")
    code, said = refused(tasks[0], "--journal", folder)
    assert (code, "name a writable folder by --journal" in said) == (1, True)


@needs_rights
def test_a_read_only_folder_is_refused(with_bakery: Path, tasks: list[Path], tmp_path: Path) -> None:
    folder = tmp_path / "read-only"
    folder.mkdir(mode=0o500)
    code, said = refused(tasks[0], "--journal", folder)
    assert (code, "name a writable folder by --journal" in said) == (1, True)


def test_a_journal_that_cannot_be_written_is_refused(with_bakery: Path, tasks: list[Path], tmp_path: Path) -> None:
    folder = tmp_path / "j"
    folder.mkdir(mode=0o700)
    (folder / f"{tasks[0].stem}.jsonl").mkdir()
    code, said = refused(tasks[0], "--journal", folder)
    assert (code, "journal" in said) == (1, True)


def test_two_servers_do_not_share_journals(with_bakery: Path, tasks: list[Path], tmp_path: Path) -> None:
    with held(tmp_path / "j"):
        code, said = refused(tasks[0], "--journal", tmp_path / "j")
    assert (code, "another server keeps its journals in" in said) == (2, True)


def test_a_journal_of_another_task_is_refused(with_bakery: Path, tasks: list[Path], tmp_path: Path) -> None:
    shop = Shop(with_bakery)
    with shop.serving(tasks[:1], tmp_path / "j"):
        pass
    (tmp_path / "j" / f"{tasks[0].stem}.jsonl").rename(tmp_path / "j" / f"{tasks[1].stem}.jsonl")
    code, said = refused(tasks[1], "--journal", tmp_path / "j")
    assert (code, "belongs to another task" in said) == (1, True)


def test_a_port_that_is_taken_is_refused(with_bakery: Path, tasks: list[Path], tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        code, said = refused(tasks[0], "--journal", tmp_path / "j", "--http", port)
    assert (code, f"cannot listen at 127.0.0.1, port {port}" in said) == (1, True)


def test_ctrl_c_stops_a_server_and_tells_how_to_go_on(shop: Shop, tasks: list[Path], tmp_path: Path) -> None:
    words = ["serve", str(tasks[0]), "--journal", str(tmp_path / "j"), "--http", "0", "--json"]
    line = [sys.executable, "-m", "skillhorizon", *words]
    with subprocess.Popen(
        line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=shop.env, start_new_session=True
    ) as process:
        assert len(urls(process)) == 1
        process.send_signal(SIGINT)
        _, said = process.communicate(timeout=30)
    assert process.returncode == 130
    assert said.splitlines()[-1].startswith("error: the server was stopped by Ctrl-C; every call that it answered")


def test_tasks_and_urls_are_told_as_a_table(shop: Shop, tasks: list[Path], tmp_path: Path) -> None:
    line = [sys.executable, "-m", "skillhorizon", "serve", *map(str, tasks)]
    more = ["--journal", str(tmp_path / "j"), "--http", "0"]
    with subprocess.Popen([*line, *more], stdout=subprocess.PIPE, text=True, env=shop.env) as process:
        told = [process.stdout.readline().split() for _ in range(3)]  # type: ignore[union-attr]  # a pipe
        process.kill()
    assert told[0] == ["task", "url"]
    assert [row[0] for row in told[1:]] == [task.stem for task in tasks]
    assert all(row[1].startswith("http://127.0.0.1:") for row in told[1:])


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_a_session_over_stdio_goes_on_in_the_next_process(
    shop: Shop, tasks: list[Path], tmp_path: Path, mode: str
) -> None:
    words = ["-m", "skillhorizon", "serve", str(tasks[0]), "--journal", str(tmp_path / "j")]
    server = StdioServerParameters(command=sys.executable, args=words, env=shop.env)
    seen: list[float] = []

    async def progress(progress: float, total: float | None, message: str | None) -> None:
        seen.append(progress)

    async def once() -> str:
        async with Client(stdio_client(server), mode=mode, read_timeout_seconds=60) as client:
            assert client.instructions
            with pytest.raises(MCPError, match="there is no tool 'none'"):
                await client.call_tool("none", {})
            return text_of(await client.call_tool(BATCHES, {}, progress_callback=progress))

    assert anyio.run(once) == anyio.run(once)
    records = read_journal(tmp_path / "j" / f"{tasks[0].stem}.jsonl").records
    assert [record.tool for record in records] == ["none", BATCHES] * 2


def line_of(message: dict[str, object]) -> bytes:
    return json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n"


HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}}
OPENING = line_of({"id": 0, "method": "initialize", "params": HELLO}) + line_of({"method": "notifications/initialized"})


def piped(env: dict[str, str], task: Path, folder: Path, *lines: bytes) -> tuple[list[dict[str, object]], str]:
    """Send lines to a server over its stdin, and return the messages on its stdout, and its stderr."""
    words = [sys.executable, "-m", "skillhorizon", "serve", str(task), "--journal", str(folder)]
    with subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        answers = []
        for line in lines:
            process.stdin.write(line)
            process.stdin.flush()
            if b'"id"' in line:
                answers.append(json.loads(process.stdout.readline()))
        out, err = process.communicate(timeout=30)
        assert (out, process.returncode) == (b"", 0)
    return answers, err.decode()


def test_what_a_tool_prints_never_reaches_the_protocol(
    shop: Shop, tasks: list[Path], tmp_path: Path, bakery_home: Path
) -> None:
    (tmp_path / "sitecustomize.py").write_text(
        "import bakery\nkept = bakery.list_batches.body\n\n\ndef body(call):\n    print('a stray line')\n"
        "    return kept(call)\n\n\nobject.__setattr__(bakery.list_batches, 'body', body)\n"
    )
    env = {**shop.env, "PYTHONPATH": os.pathsep.join([str(tmp_path), str(bakery_home), str(HERE)])}
    call = line_of({"id": 1, "method": "tools/call", "params": {"name": BATCHES, "arguments": {}}})
    answers, err = piped(env, tasks[0], tmp_path / "j", OPENING, call)
    assert [answer["id"] for answer in answers] == [0, 1]
    assert "a stray line" in err


def test_lines_that_are_no_messages_do_not_end_a_session(shop: Shop, tasks: list[Path], tmp_path: Path) -> None:
    bad = [b"\n", b"{\n", b"\xff\xfe\n", b'{"jsonrpc": "2.0"}\n', b"[]\n"]
    call = line_of({"id": 1, "method": "tools/call", "params": {"name": BATCHES}})
    long = {"name": BATCHES, "arguments": {"cursor": "9" * 900_000}}
    huge = line_of({"id": 2, "method": "tools/call", "params": long})
    strange = line_of({"id": 3, "method": "tools/call", "params": {"name": BATCHES, "arguments": [1]}})
    answers, _ = piped(shop.env, tasks[0], tmp_path / "j", OPENING, *bad, call, huge, strange, call)
    assert ["error" in answer for answer in answers] == [False, False, True, True, False]


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    source, target = os.pipe()
    os.set_blocking(source, False)
    os.set_blocking(target, False)
    yield source, target
    for descriptor in (source, target):
        try:
            os.close(descriptor)
        except OSError:
            continue


def test_messages_longer_than_a_pipe_arrive_whole(pipe: tuple[int, int]) -> None:
    incoming, outgoing = Incoming(pipe[0]), Outgoing(pipe[1])
    texts = ["x" * size for size in (0, 70_000, 300_000, 1)]

    async def send() -> None:
        for text in texts:
            await outgoing.send(SessionMessage(JSONRPCNotification(jsonrpc="2.0", method="m", params={"text": text})))
        os.close(pipe[1])

    async def both() -> None:
        async with anyio.create_task_group() as group:
            group.start_soon(send)
            received.extend([item async for item in incoming])

    received: list[Any] = []
    anyio.run(both)
    assert [item.message.params["text"] for item in received] == texts


def test_nobody_reading_any_more_is_told(pipe: tuple[int, int]) -> None:
    os.close(pipe[0])
    message = SessionMessage(JSONRPCNotification(jsonrpc="2.0", method="m"))
    with pytest.raises(anyio.BrokenResourceError):
        anyio.run(Outgoing(pipe[1]).send, message)
