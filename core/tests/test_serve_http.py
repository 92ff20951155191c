"""Serving over HTTP: who is let in, what is no request, many sessions at once, and `shz call`."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from collections.abc import Iterator, Mapping
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import anyio
import attrs
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from serving import BATCHES, Shop, tasks_of, text_of, urls

from skillhorizon.construction.generate import Order, generate
from skillhorizon.session.files import read_journal

TOKEN = "a-token-of-this-test"  # noqa: S105  # it opens nothing else
META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
MODERN = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": BATCHES}
SESSIONS = 8
MOST_TIMES = 1.5
"""What a call from a terminal may cost, in times of a bare request by a program with the command line's library."""


@attrs.frozen
class Served:
    """A running server: the URL of each task, and the folder of its journals."""

    shop: Shop
    urls: Mapping[str, str]
    journals: Path

    @property
    def url(self) -> str:
        """The first task's URL."""
        return self.urls[min(self.urls)]

    def post(self, body: object, *, path: str = "", method: str = "POST", **headers: str) -> tuple[int, Any]:
        """Send one HTTP request; return its status, and its body as JSON if it is."""
        where = urlsplit(self.url)
        sent = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        sent |= {"Authorization": f"Bearer {TOKEN}"} | {key.replace("_", "-"): value for key, value in headers.items()}
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        connection = HTTPConnection(str(where.hostname), where.port, timeout=30)
        connection.request(method, path or where.path, data, {key: value for key, value in sent.items() if value})
        response = connection.getresponse()
        text = response.read()
        connection.close()
        return response.status, json.loads(text) if text[:1] == b"{" else text.decode()

    def call(self, *words: str, stdin: str = "", **env: str) -> tuple[int, str, str]:
        """Run `shz call`; return its exit code, stdout and stderr."""
        done = self.shop.run("call", *words, stdin=stdin, **{"SHZ_URL": self.url, "SHZ_TOKEN": TOKEN, **env})
        return done.returncode, done.stdout, done.stderr


def request(name: str = BATCHES, arguments: object = None, *, modern: bool = False) -> dict[str, Any]:
    params = {"name": name, "arguments": {} if arguments is None else arguments}
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params | ({"_meta": META} if modern else {})}


@pytest.fixture(scope="module")
def many_tasks(bakery_home: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("suites") / "eight"
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(bakery_home))
        generate(Order(environment="bakery", bands=("smoke",), per_band=SESSIONS), folder, workers=1)
    return tasks_of(folder)


@pytest.fixture(scope="module")
def served(bakery_home: Path, many_tasks: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    shop, journals = Shop(bakery_home), tmp_path_factory.mktemp("served") / "journals"
    with shop.serving(many_tasks, journals, "--http", "0", "--token", TOKEN, "--allowance", "100") as found:
        yield Served(shop, found, journals)


def test_each_task_has_a_path_that_tells_nothing_of_it(served: Served) -> None:
    paths = {urlsplit(url).path for url in served.urls.values()}
    assert len(paths) == SESSIONS
    for task, url in served.urls.items():
        assert urlsplit(url).hostname == "127.0.0.1"
        assert not {part for part in task.split("-") if len(part) > 2} & set(url.split("/"))


@pytest.mark.parametrize("modern", [False, True], ids=["handshake", "stateless"])
def test_one_request_is_one_json_answer(served: Served, modern: bool) -> None:
    status, body = served.post(request(modern=modern), **(MODERN if modern else {}))
    assert status == 200
    assert json.loads(body["result"]["content"][0]["text"]) == body["result"]["structuredContent"]


@pytest.mark.parametrize(
    ("headers", "status", "said"),
    [
        ({"Authorization": ""}, 401, "the token is missing or wrong"),
        ({"Authorization": "Bearer guess"}, 401, "the token is missing or wrong"),
        ({"Authorization": f"Basic {TOKEN}"}, 401, "the token is missing or wrong"),
        ({"Origin": "https://example.org"}, 403, "requests of web pages from 'https://example.org' are not taken"),
        ({"Origin": "http://127.0.0.1.example.org"}, 403, "are not taken"),
        ({"Origin": "null"}, 403, "are not taken"),
        ({"Host": "example.org"}, 421, "not to 'example.org'"),
        ({"Content-Type": "text/plain"}, 406, "name application/json"),
        ({"Accept": "text/html"}, 406, "name application/json"),
    ],
)
def test_a_request_that_is_not_let_in_is_told_why(
    served: Served, headers: dict[str, str], status: int, said: str
) -> None:
    got, body = served.post(request(), **headers)
    assert got == status
    assert (body["jsonrpc"], body["id"]) == ("2.0", None)
    assert said in body["error"]["message"]
    assert served.post(request())[0] == 200


@pytest.mark.parametrize("origin", ["http://localhost:3000", "http://127.0.0.1", "http://[::1]:80"])
def test_pages_of_this_machine_are_let_in(served: Served, origin: str) -> None:
    assert served.post(request(), Origin=origin)[0] == 200


@pytest.mark.parametrize("path", ["/", "/mcp", "/0123456789abcdef/mcp", "/../etc/passwd"])
def test_an_unknown_session_is_told_so(served: Served, path: str) -> None:
    status, body = served.post(request(), path=path)
    assert (status, "no session is served at this path" in body["error"]["message"]) == (404, True)


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT"])
def test_only_posts_are_requests(served: Served, method: str) -> None:
    status, body = served.post(b"", method=method)
    assert (status, "sent by POST" in body["error"]["message"]) == (405, True)


def test_a_request_that_is_too_large_is_told_so(served: Served) -> None:
    status, body = served.post(request(arguments={"cursor": "9" * 2_000_000}))
    assert (status, "larger than 1048576 bytes" in body["error"]["message"]) == (413, True)


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        (b"{", 400, -32700),
        (b"[1]", 400, -32600),
        (b'{"jsonrpc":"2.0","id":1}', 400, -32600),
        ({"jsonrpc": "2.0", "id": 1, "method": "nothing/known"}, 200, -32601),
        (
            {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": BATCHES, "arguments": [1]}},
            200,
            -32602,
        ),
        (request("no_tool"), 200, -32602),
    ],
)
def test_what_is_no_request_is_the_protocols_own_error(served: Served, body: object, status: int, code: int) -> None:
    got, answer = served.post(body)
    assert (got, answer["error"]["code"]) == (status, code)
    assert served.post(request())[0] == 200


def test_a_notification_is_taken_without_an_answer(served: Served) -> None:
    assert served.post({"jsonrpc": "2.0", "method": "notifications/initialized"}) == (202, "")


def test_eight_sessions_at_once_lose_and_mix_no_call(served: Served) -> None:
    asked = 25
    results: dict[str, list[Any]] = {task: [] for task in served.urls}

    async def work(task: str, url: str, mode: str) -> None:
        async with (
            httpx2.AsyncClient(headers={"Authorization": f"Bearer {TOKEN}"}) as http,
            Client(streamable_http_client(url, http_client=http), mode=mode, read_timeout_seconds=60) as client,
        ):
            for i in range(asked):
                results[task].append(await client.call_tool("get_rules", {"topic": f"{task[-12:]}-{mode}-{i}"}))

    async def everybody() -> None:
        async with anyio.create_task_group() as group:
            for task, url in served.urls.items():
                for mode in ("legacy", "2026-07-28"):
                    group.start_soon(work, task, url, mode)

    before = {task: len(journal(served, task)) for task in served.urls}
    anyio.run(everybody)
    for task, found in results.items():
        records = journal(served, task)[before[task] :]
        assert sorted(text_of(result) for result in found) == sorted(record.observation for record in records)
        assert len(records) == 2 * asked
        assert all(task[-12:] in record.observation for record in records)


def journal(served: Served, task: str) -> tuple[Any, ...]:
    return read_journal(served.journals / f"{task}.jsonl").records


def test_a_call_from_a_terminal_prints_the_exact_text(served: Served) -> None:
    code, out, err = served.call("get_rules", '{"topic": "é☃"}')
    record = journal(served, min(served.urls))[-1]
    assert (code, out, err) == (1, record.observation + "\n", "")
    assert served.call(BATCHES)[0] == 0


def test_arguments_are_read_from_stdin(served: Served) -> None:
    code, out, _ = served.call("get_rules", "-", stdin='{"topic": "from stdin"}')
    assert (code, "from stdin" in out) == (1, True)


def test_a_counted_call_is_made_once(served: Served) -> None:
    number = str(len(journal(served, min(served.urls))) + 1)
    first, second = (served.call(BATCHES, "--number", number) for _ in range(2))
    assert first == second
    assert len(journal(served, min(served.urls))) == int(number)


def test_without_a_tool_the_task_and_the_tools_are_told(served: Served) -> None:
    code, out, _ = served.call()
    assert code == 0
    assert out.startswith("Bake ")
    assert "\nbake: Bake an order." in out
    told = json.loads(served.call("--json")[1])
    assert told["instruction"] in out
    assert [tool["name"] for tool in told["tools"]] == sorted(tool["name"] for tool in told["tools"])


@pytest.mark.parametrize(
    ("words", "env", "code", "said"),
    [
        ([BATCHES], {"SHZ_URL": ""}, 2, "SHZ_URL is not set"),
        ([BATCHES], {"SHZ_URL": "localhost:80"}, 2, "'localhost:80' is no URL"),
        ([BATCHES], {"SHZ_URL": "http://127.0.0.1:9/x/mcp"}, 1, "no answer from http://127.0.0.1:9"),
        ([BATCHES], {"SHZ_TOKEN": "guess"}, 1, "the token is missing or wrong"),
        ([BATCHES, "{"], {}, 2, "the arguments are no JSON"),
        ([BATCHES, "[1]"], {}, 2, "the arguments are a JSON object"),
        (["no_tool"], {}, 2, "there is no tool 'no_tool'"),
        (["é"], {}, 2, "there is no tool"),
    ],
)
def test_a_call_that_cannot_be_made_says_why(
    served: Served, words: list[str], env: dict[str, str], code: int, said: str
) -> None:
    got, out, err = served.call(*words, **env)
    assert (got, out) == (code, "")
    assert said in err
    assert err.count("\n") == 1


def test_an_unknown_session_is_told_to_the_terminal(served: Served) -> None:
    code, _, err = served.call(BATCHES, SHZ_URL=served.url.replace("/mcp", "/none"))
    assert (code, "no session is served at this path" in err) == (1, True)


@pytest.mark.skipif(not hasattr(resource, "prlimit"), reason="the limit of another process is Linux's to set")
def test_a_full_disk_stops_the_session_until_there_is_room(
    bakery_home: Path, bakery_suite: Path, tmp_path: Path
) -> None:
    shop, journals = Shop(bakery_home), tmp_path / "journals"
    process = shop.start(tasks_of(bakery_suite)[:1], journals, "--http", "0")
    try:
        served = Served(shop, urls(process), journals)
        task = min(served.urls)
        served.post(request())
        size = (journals / f"{task}.jsonl").stat().st_size
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (size + 10, resource.RLIM_INFINITY))
        for _ in range(2):
            error = served.post(request())[1]["error"]
            assert (error["code"], "the call was not made; repeat it" in error["message"]) == (-32603, True)
            assert str(journals) not in error["message"]
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        assert served.post(request())[1]["result"]["_meta"]["skillhorizon/call"] == 2
        assert len(journal(served, task)) == 2
    finally:
        process.kill()
        process.communicate()


PLAIN = """
import click, http.client, json, os, sys
from urllib.parse import urlsplit
where = urlsplit(os.environ["SHZ_URL"])
connection = http.client.HTTPConnection(where.hostname, where.port)
headers = json.loads(sys.argv[1])
connection.request("POST", where.path, sys.argv[2], headers)
print(json.loads(connection.getresponse().read())["result"]["content"][0]["text"])
"""


@pytest.mark.slow
def test_a_call_from_a_terminal_costs_little_more_than_a_request(served: Served, tmp_path: Path) -> None:
    headers = {"Content-Type": "application/json", "Accept": "application/json", **MODERN}
    headers["Authorization"] = f"Bearer {TOKEN}"
    plain = [sys.executable, "-c", PLAIN, json.dumps(headers), json.dumps(request(modern=True))]
    ours = [sys.executable, "-m", "skillhorizon", "call", BATCHES]
    env = {**served.shop.env, "SHZ_URL": served.url, "SHZ_TOKEN": TOKEN, "PYTHONPYCACHEPREFIX": str(tmp_path)}
    env.pop("PYTHONDONTWRITEBYTECODE", None)
    rounds = [(processor_time(plain, env), processor_time(ours, env)) for _ in range(7)]
    least, our_least = (min(times) for times in zip(*rounds, strict=True))
    assert our_least <= MOST_TIMES * least


def processor_time(line: list[str], env: dict[str, str]) -> float:
    """Return the processor time of one run."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(line, check=True, capture_output=True, env=env)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
