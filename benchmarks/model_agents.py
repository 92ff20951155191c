"""How much faster eight executions at once are than one, when the model takes 200 ms (bound: at least 6 times).

`python benchmarks/model_agents.py [--trials 8] [--calls 80]` makes a smoke task of FinanceOps, serves a model in a
process of its own that answers with the reference's calls after 200 ms, and evaluates it serially and eight at once. It
exits with 1 when the bound is missed or the journals differ by a byte.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

from skillhorizon import Order, RunOptions, evaluate, generate, load_task, loads, open_session
from skillhorizon.construction.reach import course_of

LATENCY, AT_ONCE, BOUND = 0.2, 8, 6.0


def recorded(task: Path, calls: int) -> list[tuple[str, str]]:
    """Return the first calls that the reference makes, (tool, arguments as JSON)."""
    with open_session(load_task(task)) as execution:
        records = course_of(execution.session).records
    return [(record.tool, record.arguments_text) for record in records[:calls]]


async def serve(calls: list[tuple[str, str]]) -> None:
    """Answer chat completions: after so many answers of its own in a request comes the next call, at the end finish."""
    largest = 0

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal largest
        while head := await _head(reader):
            body = await reader.readexactly(_length(head)) if head.startswith(b"POST") else b""
            largest = max(largest, len(body))
            reply = _models() if not body else _reply(calls, body)
            await asyncio.sleep(LATENCY if body else 0)
            head_out = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(reply)}\r\n\r\n"
            writer.write(head_out.encode() + reply)
            await writer.drain()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0, limit=2**26)
    sys.stdout.write(f"{server.sockets[0].getsockname()[1]}\n")
    sys.stdout.flush()
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    sys.stdout.write(f"{largest}\n")


async def _head(reader: asyncio.StreamReader) -> bytes:
    try:
        return await reader.readuntil(b"\r\n\r\n")
    except (asyncio.IncompleteReadError, ConnectionError):
        return b""


def _length(head: bytes) -> int:
    return int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])


def _models() -> bytes:
    return b'{"data":[{"id":"replayed"}]}'


def _reply(calls: list[tuple[str, str]], body: bytes) -> bytes:
    step = body.count(b'"role":"assistant"')
    name, arguments = calls[step] if step < len(calls) else ("finish", "{}")
    called = {"id": f"c{step}", "type": "function", "function": {"name": name, "arguments": arguments}}
    message = {"role": "assistant", "content": None, "tool_calls": [called]}
    usage = {"prompt_tokens": len(body) // 4, "completion_tokens": len(arguments) // 4 + 10}
    return json.dumps({"model": "replayed", "choices": [{"message": message}], "usage": usage}).encode()


def measure(suite: Path, folder: Path, url: str, *, at_once: int, trials: int) -> float:
    """Return executions a second."""
    options = RunOptions(trials=trials, settings={"base-url": url, "context": "none"})
    start = perf_counter()
    done = evaluate(suite, "openai/replayed", options, out=folder, workers=at_once)
    spent = perf_counter() - start
    if not all(result.scored for result in done.results):
        raise SystemExit(f"not every execution was scored: {done.infrastructure_errors[0].fault}")
    return trials / spent


def main() -> None:
    """Measure, print, and exit with 1 when the bound is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--trials", type=int, default=AT_ONCE)
    parser.add_argument("--calls", type=int, default=80)
    parser.add_argument("--serve", default="", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.serve:
        asyncio.run(serve([(name, text) for name, text in loads(Path(given.serve).read_text(encoding="utf-8"))]))
        return
    with tempfile.TemporaryDirectory() as name:
        raise SystemExit(_measured(Path(name), given.trials, given.calls))


def _measured(folder: Path, trials: int, calls: int) -> int:
    suite = folder / "suite"
    made = generate(Order(environment="financeops", bands=("smoke",), per_band=1), suite, workers=1)
    script = folder / "calls.json"
    script.write_text(json.dumps(recorded(suite / "tasks" / f"{made.tasks[0].id}.json", calls)), encoding="utf-8")
    command = [sys.executable, __file__, "--serve", str(script)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:  # noqa: S603
        if server.stdin is None or server.stdout is None:
            raise AssertionError("the server has pipes")
        url = f"http://127.0.0.1:{server.stdout.readline().strip()}/v1"
        measure(suite, folder / "warm", url, at_once=1, trials=1)
        serial = measure(suite, folder / "serial", url, at_once=1, trials=max(trials // 4, 1))
        together = measure(suite, folder / "together", url, at_once=AT_ONCE, trials=trials)
        server.stdin.close()
        largest = int(server.stdout.read())
    same = _same(folder / "serial", folder / "together")
    say(f"largest request {largest:,} bytes")
    say(f"one at a time {serial:.3f}, eight at once {together:.3f} executions a second")
    say(f"ratio {together / serial:.2f} (bound {BOUND:g}); journals {'the same' if same else 'DIFFER'}")
    return 0 if same and together / serial >= BOUND else 1


def say(line: str) -> None:
    """Print a line."""
    sys.stdout.write(f"{line}\n")


def _same(one: Path, other: Path) -> bool:
    journals = sorted(path.relative_to(one) for path in one.glob("journals/*/*.gz"))
    return bool(journals) and all((one / path).read_bytes() == (other / path).read_bytes() for path in journals)


if __name__ == "__main__":
    main()
