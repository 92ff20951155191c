"""`mcp:COMMAND`: a client is served, restarted, scored; and nothing but URL and token reaches it."""

from __future__ import annotations

import ctypes
import json
import os
import shlex
import shutil
import subprocess
import sys
import time
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

import attrs
import pytest
from agents_fakes import task_files

from skillhorizon import (
    Limits,
    Price,
    RunOptions,
    RunStopped,
    UsageError,
    evaluate,
    load_task,
    open_session,
    part_of,
)
from skillhorizon.evaluation.stopwatch import Stopwatch
from skillhorizon_agents.clients import bound, confine
from skillhorizon_agents.clients.agent import ClientFailed, client_agent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from skillhorizon.evaluation.result import Result
    from skillhorizon.evaluation.runs import Evaluation

CLIENT = Path(__file__).with_name("agents_client.py")
PATIENCE = 120
LANDLOCK = pytest.mark.skipif(not confine.landlock(), reason="the kernel offers no Landlock")


@attrs.frozen
class Desk:
    """A suite, a script of the reference's calls, and where runs go; only the script may be read by clients."""

    suite: Path
    script: Path
    folder: Path

    def command(self, *words: object) -> str:
        return shlex.join([sys.executable, str(CLIENT), *map(str, words)])

    def play(self, stop: int = 0) -> str:
        return self.command("play", self.script, stop)

    def run(self, command: str, **settings: str) -> Evaluation:
        options = RunOptions(settings=settings)
        return evaluate(self.suite, f"mcp:{command}", options, out=self.folder / "run", workers=1)

    def result(self, command: str, **settings: str) -> Result:
        (result,) = self.run(command, **settings).results
        return result

    @property
    def log(self) -> str:
        (found,) = (self.folder / "run").rglob("1.client.log")
        return found.read_text()


@pytest.fixture(scope="session")
def reference_calls(finance_suite: Path) -> str:
    """The calls of the reference with the two that finish, as JSON."""
    task = load_task(task_files(finance_suite)[0])
    calls: list[tuple[str, object]] = []
    with open_session(task) as execution:

        def ask(tool: str, arguments: dict[str, object]) -> str:
            calls.append((tool, arguments))
            return execution.call(tool, arguments).text

        part_of(task).play(ask)
    return json.dumps([*calls, ("finish", {}), ("finish", {})])


@pytest.fixture
def desk(finance_suite: Path, reference_calls: str, tmp_path: Path) -> Desk:
    suite, script = tmp_path / "suite", tmp_path / "client" / "script.json"
    shutil.copytree(finance_suite, suite)
    script.parent.mkdir()
    script.write_text(reference_calls)
    return Desk(suite, script, tmp_path)


def test_a_client_that_plays_the_reference_reaches_everything(desk: Desk) -> None:
    result = desk.result(desk.play())
    assert (result.kind, result.score and result.score.success) == ("submitted", True)


def test_a_client_that_breaks_down_is_started_again_and_goes_on_with_the_same_session(desk: Desk) -> None:
    result = desk.result(desk.play(40))
    assert result.score is not None
    assert result.score.success
    assert result.calls == len(json.loads(desk.script.read_text()))
    assert desk.log.count("the client breaks down") == 1


def test_a_client_that_keeps_failing_is_a_fault_of_the_infrastructure(desk: Desk) -> None:
    result = desk.result(
        f"{desk.play(1)}; rm {desk.script.with_suffix('.done')}; echo no more credit; exit 3", restarts="1"
    )
    assert (result.kind, result.score) == ("infrastructure_error", None)
    assert "exit code 3" in result.fault
    assert "no more credit" in result.fault


def test_a_client_that_never_calls_is_not_scored(desk: Desk) -> None:
    result = desk.result("echo cannot log in")
    assert result.kind == "infrastructure_error"
    assert "ended without a single call: cannot log in" in result.fault


def test_a_client_that_just_ends_is_scored_on_what_it_left(desk: Desk) -> None:
    result = desk.result(f"{desk.play(30)}; exit 0")
    assert (result.kind, result.calls) == ("submitted", 32)
    assert result.score is not None
    assert not result.score.success


class CountingWatch(Stopwatch):
    """Counts how often the time is written down."""

    kept = 0

    def keep(self) -> int:
        self.kept += 1
        return super().keep()


def test_the_time_is_kept_once_a_second_and_no_more_often(desk: Desk) -> None:
    agent = client_agent("sleep 3", {})
    with open_session(load_task(task_files(desk.suite)[0])) as execution:
        execution.watch = watch = CountingWatch()
        with pytest.raises(ClientFailed, match="without a single call"):
            agent.run(execution)
        assert 2 <= watch.kept <= 1 + watch.milliseconds // 1000


def test_the_time_limit_ends_client_and_execution(desk: Desk) -> None:
    result = desk.result(f"{desk.play(30)}; sleep 600", time="8")
    assert (result.kind, result.calls) == ("time_limit", 30)


def test_limits_that_cannot_be_kept_are_refused(desk: Desk) -> None:
    for limits in (Limits(tokens=5), Limits(cost=Decimal(5), price=Price(input=Decimal(1), output=Decimal(1)))):
        with pytest.raises(UsageError, match="cannot be kept for mcp:true: what its model uses is not known here"):
            evaluate(desk.suite, "mcp:true", out=desk.folder / "run", limits=limits)


def test_the_folder_holds_the_task_and_each_clients_configuration_and_the_environment_no_more(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET_OF_THE_USER", "s")
    monkeypatch.setenv("SOME_API_KEY", "k")
    result = desk.result(f"find . -type f | sort; cat .codex/config.toml mcp.json; env; {desk.play(30)}; exit 0")
    assert result.kind == "submitted"
    listed, _, rest = desk.log.partition("[mcp_servers")
    assert listed.split() == [
        "./.codex/config.toml",
        "./.gemini/settings.json",
        "./TASK.md",
        "./mcp.json",
        "./opencode.json",
    ]
    assert "SECRET_OF_THE_USER" not in rest
    assert "SOME_API_KEY=k" in rest
    assert rest.count("http://127.0.0.1") == 3


def _hunted(desk: Desk, isolation: str) -> list[str]:
    task = load_task(task_files(desk.suite)[0])
    needles = [task.digests.journal, task.digests.start]
    found = desk.folder / "client" / "found.json"
    backwards = ",".join(needle[::-1] for needle in needles)
    secrets = [str(desk.folder), "/dev/shm"]  # noqa: S108  # the hunter looks there
    result = desk.result(desk.command("hunt", found, backwards, *secrets), isolation=isolation)
    assert result.kind == "submitted"
    hits: list[str] = json.loads(found.read_text())
    return hits


@LANDLOCK
def test_no_file_or_process_that_a_client_can_read_tells_of_the_task(desk: Desk) -> None:
    assert _hunted(desk, "landlock") == []


def test_without_isolation_the_same_hunt_finds_the_task_file(desk: Desk) -> None:
    assert str(task_files(desk.suite)[0]) in _hunted(desk, "none")


@LANDLOCK
def test_journal_and_results_are_closed_to_a_client(desk: Desk) -> None:
    run = desk.folder / "run"
    desk.result(f"cat {run}/run.json {run}/journals/*/* {run}/results.db; {desk.play(30)}; exit 0")
    assert desk.log.count("Permission denied") >= 3
    assert "suite_digest" not in desk.log


@LANDLOCK
def test_a_client_can_neither_look_into_nor_end_the_processes_outside(desk: Desk) -> None:
    desk.result(f"cat /proc/{os.getpid()}/environ; kill -9 {os.getpid()}; {desk.play(30)}; exit 0")
    assert "Permission denied" in desk.log
    assert "not permitted" in desk.log


def test_the_run_records_what_kept_the_client_from_the_files(desk: Desk) -> None:
    made = desk.run(f"{desk.play(30)}; exit 0", isolation="none")
    assert made.run.info.isolation == "none"


@pytest.mark.parametrize(
    ("command", "settings", "told"),
    [
        ("no-such-client --go", {}, "'no-such-client' is not installed"),
        ("", {}, "names no command"),
        ("'open", {}, "cannot be read"),
        ("true", {"speed": "9"}, "no option 'speed'"),
        ("true", {"time": "soon"}, "a whole number"),
        ("true", {"home": "abroad"}, "one of folder, keep"),
    ],
)
def test_what_cannot_work_is_told_before_anything_starts(
    desk: Desk, command: str, settings: dict[str, str], told: str
) -> None:
    with pytest.raises(UsageError, match=told):
        desk.run(command, **settings)
    assert not (desk.folder / "run").exists()


def test_a_killed_evaluation_goes_on_with_the_same_session(desk: Desk) -> None:
    command = desk.command("hang", desk.script, 40)
    words = [sys.executable, "-m", "skillhorizon", "eval", str(desk.suite), "--agent", f"mcp:{command}"]
    words += ["--out", str(desk.folder / "run"), "--workers", "1"]
    noted = desk.script.with_suffix(".done")
    errors, start = desk.folder / "errors", time.monotonic()
    with errors.open("wb") as told, subprocess.Popen(words, stdout=told, stderr=told) as process:
        try:
            while not (noted.exists() and noted.read_text() == "40"):
                assert process.poll() is None, errors.read_text()
                assert time.monotonic() - start < PATIENCE, errors.read_text()
                time.sleep(0.1)
            assert _naming(desk.script)
        finally:
            process.kill()
    assert _gone(desk.script)
    (kept,) = (desk.folder / "run").glob("times/*/1.ms")
    kept.write_text(f"{int(kept.read_text()) + 5_000_000}\n")
    with pytest.raises(RunStopped, match=r"--max-calls 40 is reached \(40 used\)"):
        evaluate(desk.suite, f"mcp:{command}", out=desk.folder / "run", workers=1, limits=Limits(calls=40))
    result = desk.result(command)
    assert result.milliseconds is not None
    assert result.milliseconds > 5_000_000
    assert (result.kind, result.calls) == ("submitted", len(json.loads(desk.script.read_text())))
    assert result.score is not None
    assert result.score.success


def _gone(script: Path) -> bool:
    """Wait until no process names a script any more."""
    for _ in range(100):
        if not _naming(script):
            return True
        time.sleep(0.1)
    return False


def _naming(script: Path) -> list[str]:
    """Return the command lines of the processes that name a script."""
    if Path("/proc/self/cmdline").exists():
        lines = [_words(each) for each in Path("/proc").glob("[0-9]*")]
    else:
        listed = subprocess.run(["ps", "-axww", "-o", "command="], check=True, capture_output=True, text=True)
        lines = listed.stdout.splitlines()
    return [line for line in lines if str(script) in line]


def _words(process: Path) -> str:
    try:
        return (process / "cmdline").read_bytes().decode(errors="replace")
    except OSError:
        return ""


def _children() -> set[str]:
    """Return the processes that this one has to wait for."""
    listed = Path(f"/proc/self/task/{os.getpid()}/children")
    if not listed.exists():
        pytest.skip("the system lists no process's children")
    return set(listed.read_text().split())


@pytest.mark.parametrize("isolation", ["none", pytest.param("landlock", marks=LANDLOCK)])
def test_a_client_reads_nothing_and_is_given_no_more_than_the_three_usual_files(desk: Desk, isolation: str) -> None:
    desk.result(f"{desk.command('files')}; exit 3", isolation=isolation, restarts="0", time="20")
    assert desk.log == "['0', '1', '2'] read b''\n"


def test_nothing_that_an_evaluation_started_for_a_client_is_left_to_others(desk: Desk) -> None:
    before = _children()
    with _adopting():
        desk.result("exit 3", restarts="2")
        assert _children() == before


def test_what_a_client_leaves_running_ends_with_it(desk: Desk) -> None:
    begun = desk.script.with_suffix(".done")
    desk.result(f"{desk.command('hang', desk.script, 5)} & while [ ! -e {begun} ]; do sleep 0.1; done")
    assert _gone(desk.script)


@contextmanager
def _adopting() -> Iterator[None]:
    """Let orphans come to this process, as they do to the first one of a container."""
    if sys.platform != "linux":
        pytest.skip("orphans cannot be told to come here")
    libc = ctypes.CDLL(None, use_errno=True)
    adopt = 36
    assert libc.prctl(adopt, 1, 0, 0, 0) == 0
    try:
        yield
    finally:
        libc.prctl(adopt, 0, 0, 0, 0)


def test_a_command_whose_evaluation_ends_before_it_begins_is_never_run(tmp_path: Path) -> None:
    words = ["/bin/sh", "-c", bound.GATE, "sh", "touch begun"]
    for said, begun in ((b"", False), (b"\n", True)):
        subprocess.run(words, input=said, cwd=tmp_path, check=False)
        assert (tmp_path / "begun").exists() is begun
