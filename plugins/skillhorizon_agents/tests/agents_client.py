"""A client in Python, and a hunter: programs that tests give to `mcp:COMMAND`."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

from skillhorizon.serve.remote import ask


def play(script: Path, stop: int = 0) -> None:
    """Make the calls of a script from where an earlier start stopped; with `stop`, fail once after so many."""
    calls, noted = json.loads(script.read_text()), script.with_suffix(".done")
    done = int(noted.read_text()) if noted.exists() else 0
    for number, (tool, arguments) in enumerate(calls[done:], done + 1):
        result = ask(
            os.environ["SHZ_URL"], os.environ["SHZ_TOKEN"], "tools/call", {"name": tool, "arguments": arguments}
        )
        assert not result.get("isError"), result
        noted.write_text(str(number))
        if number == stop:
            sys.exit("the client breaks down")


def hang(script: Path, stop: int) -> None:
    """Make some calls, then wait for ever."""
    if not script.with_suffix(".done").exists():
        try:
            play(script, stop)
        except SystemExit:
            time.sleep(600)
    play(script)


def files() -> None:
    """Tell what was open when this program began, and what there is to read."""
    inherited = sorted(name for name in os.listdir("/dev/fd") if is_open(int(name)))  # noqa: PTH208  # numbers, not paths
    print(inherited, "read", sys.stdin.buffer.read())  # noqa: T201  # its words


def is_open(number: int) -> bool:
    """Tell whether a file is open; the one that listed them no longer is."""
    try:
        os.fstat(number)
    except OSError:
        return False
    return True


def hunt(found: Path, backwards: list[str], roots: list[str]) -> None:
    """Note every file below the roots and in /proc that can be read and holds one of the needles, spelt backwards."""
    needles = [needle[::-1].encode() for needle in backwards]
    where = [path for root in roots for path in Path(root).rglob("*") if path.is_file()]
    own = Path(f"/proc/{os.getpid()}")
    processes = [path for path in Path("/proc").iterdir() if path.name.isdigit() and path != own]
    for process in processes:
        where += [process / "environ", process / "cmdline", *inside(process)]
    hits = [str(path) for path in where if any(needle in content(path) for needle in needles)]
    found.write_text(json.dumps(sorted(hits)))
    for _ in range(2):
        ask(os.environ["SHZ_URL"], os.environ["SHZ_TOKEN"], "tools/call", {"name": "finish", "arguments": {}})


def inside(process: Path) -> list[Path]:
    """Return the files that a process holds open, as far as they can be seen."""
    try:
        return [path for path in (process / "fd").iterdir() if path.is_file()]
    except OSError:
        return []


def content(path: Path) -> bytes:
    """Return a file's first megabytes, empty when it cannot be read."""
    try:
        with path.open("rb") as file:
            return file.read(4_000_000)
    except OSError:
        return b""


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["play", script, stop]:
            play(Path(script), int(stop))
        case ["files"]:
            files()
        case ["hang", script, stop]:
            hang(Path(script), int(stop))
        case ["hunt", found, needles, *roots]:
            hunt(Path(found), needles.split(","), roots)
        case other:
            sys.exit(f"nobody knows {other}")
