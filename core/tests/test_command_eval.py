from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from skillhorizon.cli import shz

TESTS = Path(__file__).parent
SHZ = (sys.executable, "-c", "from skillhorizon.cli import main; main()")


@pytest.fixture
def suite(with_bakery: Path, bakery_suite: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The bakery's suite, seen from an empty working folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join((str(with_bakery), str(TESTS))))
    return bakery_suite


def run(*words: object) -> Result:
    return CliRunner().invoke(shz, [str(word) for word in words])


def evaluated(suite: Path, agent: str, *words: object) -> Result:
    return run("eval", suite, "--agent", agent, "--workers", 1, *words)


def start(suite: Path, agent: str, *words: str) -> subprocess.Popen[str]:
    """Start an evaluation with two workers in a process group of its own."""
    return subprocess.Popen(
        [*SHZ, "eval", str(suite), "--agent", f"strange_agents:{agent}", "--workers", "2", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def wait_for(pattern: str, process: subprocess.Popen[str]) -> Path:
    """Wait until a file of the working folder appears, as long as the process works."""
    for _ in range(600):
        found = sorted(Path.cwd().glob(pattern))
        if found:
            return found[0]
        assert process.poll() is None, process.communicate()
        time.sleep(0.1)
    raise AssertionError(f"no {pattern} came")


def test_a_table_shows_lgc_ts_and_reward_per_band(suite: Path) -> None:
    done = evaluated(suite, "reference")
    heading, row, folder = done.stdout.splitlines()
    assert heading.split()[:7] == ["env", "band", "agent", "n", "LGC", "TS", "reward"]
    assert row.split() == ["bakery", "smoke", "reference", "2", "1.000", "1.000", "1.000", "0"]
    assert folder == f"2 executions in shz-runs/{suite.name}/reference"
    assert done.exit_code == 0


def test_json_is_one_list_of_cells(suite: Path) -> None:
    assert json.loads(evaluated(suite, "null", "--json").stdout) == [
        {
            "env": "bakery",
            "band": "smoke",
            "agent": "null",
            "n": 2,
            "lgc": 0.0,
            "ts": 0.0,
            "reward": 0.0,
            "infrastructure_errors": 0,
        }
    ]


def test_the_same_command_prints_again(suite: Path) -> None:
    assert evaluated(suite, "null").output == evaluated(suite, "null").output


def test_tasks_can_be_chosen(suite: Path) -> None:
    done = evaluated(suite, "null", "--bands", "smoke", "--families", "plain", "--tasks", "*rye*", "--trials", 3)
    assert "3 executions" in done.stdout


def test_an_agent_of_the_working_folder_needs_no_plugin(suite: Path) -> None:
    Path("my_agent.py").write_text("def solve(execution):\n    execution.call('list_batches')\n")
    done = run("eval", suite, "--agent", "my_agent:solve", "--workers", 2)
    assert done.exit_code == 0, done.output
    assert "2 executions in" in done.stdout


def test_an_infrastructure_error_is_listed_with_exit_code_1(suite: Path) -> None:
    done = evaluated(suite, "strange_agents:break_down")
    assert done.exit_code == 1
    assert "2 executions ended in an infrastructure error" in done.stderr
    assert "RuntimeError: the agent lost its way" in done.stderr
    assert "the same command runs them again" in done.stderr
    assert done.stdout.splitlines()[1].split()[3:] == ["0", "-", "-", "-", "2"]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--agent", "nobody"), "there is no agent 'nobody'"),
        (("--agent", "null", "--bands", "65k"), "there is no band '65k'"),
        (("--agent", "null", "--families", "none"), "its families are plain"),
        (("--agent", "null", "--allowance", "much"), "--allowance is 'much'"),
        (("--agent", "null", "--trials", "0"), "--trials"),
        (("--agent", "null", "--db", "nothing"), "--db is 'nothing'"),
        ((), "--agent"),
    ],
)
def test_wrong_usage_is_one_paragraph_with_exit_code_2(suite: Path, words: tuple[str, ...], says: str) -> None:
    done = run("eval", suite, *words)
    assert done.exit_code == 2
    assert says in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert done.stdout == ""


def test_other_options_in_the_same_run_are_refused(suite: Path) -> None:
    evaluated(suite, "null")
    done = evaluated(suite, "null", "--trials", 2)
    assert (done.exit_code, len(done.stderr.splitlines())) == (2, 1)
    assert "--trials was 1, now 2" in done.stderr
    assert evaluated(suite, "null", "--trials", 2, "--new").exit_code == 0


def test_an_unwritable_folder_is_one_paragraph_with_exit_code_1(suite: Path) -> None:
    Path("file").touch()
    done = evaluated(suite, "null", "--out", "file/run")
    assert done.exit_code == 1
    assert "cannot write file/run/.lock: Not a directory; name a writable folder" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_an_environment_of_another_version_is_refused(suite: Path, tmp_path: Path) -> None:
    from distributions import install_bakery  # noqa: PLC0415

    install_bakery(tmp_path / "newer", version="1.3.0")
    env = {**os.environ, "PYTHONPATH": os.pathsep.join((str(tmp_path / "newer"), str(TESTS)))}
    words = [*SHZ, "eval", str(suite), "--agent", "null"]
    done = subprocess.run(words, env=env, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert "pip install 'test-bakery==1.2.*'" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_killed_worker_loses_nothing(suite: Path) -> None:
    out, err = (process := start(suite, "kill_on_rye_once")).communicate(timeout=120)
    assert (process.returncode, err) == (0, "")
    assert out.splitlines()[1].split()[3] == "2"


def test_a_task_that_kills_its_worker_twice_is_an_infrastructure_error(suite: Path) -> None:
    out, err = (process := start(suite, "kill_on_rye", "--json")).communicate(timeout=120)
    assert process.returncode == 1
    (cell,) = json.loads(out)
    assert (cell["n"], cell["infrastructure_errors"]) == (1, 1)
    assert "trial 1: the worker process died twice on task bakery-smoke-plain-rye-01" in err


def test_ctrl_c_keeps_what_is_done_and_the_same_command_goes_on(suite: Path) -> None:
    process = start(suite, "wait_on_rye")
    wait_for("shz-runs/*/*/journals/*white*/1.jsonl.gz", process)
    wait_for("hanging-*", process)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, "")
    assert "error: the evaluation was stopped by Ctrl-C" in err
    assert "of 2 executions are done and kept, and the same command goes on from there" in err
    assert len(err.strip().splitlines()) == 1
    assert kinds_shown() == {"white": "submitted", "rye": "cancelled"}
    Path("go").touch()
    again = evaluated(suite, "strange_agents:wait_on_rye")
    assert again.exit_code == 0, again.output
    assert again.stdout.splitlines()[1].split()[3] == "2"
    assert kinds_shown() == {"white": "submitted", "rye": "submitted"}


def kinds_shown() -> dict[str, str]:
    """Return how the executions of the one run ended, by variant."""
    (found,) = Path("shz-runs").glob("*/*/run.json")
    shown = json.loads(run("show", found.parent, "--json").stdout)
    return {each["task"].split("-")[-2]: each["kind"] for each in shown["executions"]}


def test_a_killed_command_leaves_no_worker_behind_and_resumes(suite: Path) -> None:
    process = start(suite, "wait_on_rye")
    worker = int(wait_for("hanging-*", process).name.removeprefix("hanging-"))
    done = wait_for("shz-runs/*/*/journals/*white*/1.jsonl.gz", process)
    before = done.stat().st_mtime_ns
    process.kill()
    process.communicate(timeout=60)
    assert ended(worker)
    Path("go").touch()
    again = evaluated(suite, "strange_agents:wait_on_rye")
    assert again.exit_code == 0, again.output
    assert again.stdout.splitlines()[1].split()[3] == "2"
    assert done.stat().st_mtime_ns == before


def ended(pid: int) -> bool:
    """Wait until a process is gone, or a zombie that nobody buries."""
    for _ in range(100):
        stat = Path(f"/proc/{pid}/stat")
        if not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] == "Z":
            return True
        time.sleep(0.1)
    return False
