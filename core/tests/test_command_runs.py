from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from skillhorizon.cli import shz
from skillhorizon.session.files import read_journal


@pytest.fixture
def suite(with_bakery: Path, bakery_suite: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The bakery's suite, seen from an empty working folder."""
    monkeypatch.chdir(tmp_path)
    return bakery_suite


def run(*words: object) -> Result:
    return CliRunner().invoke(shz, [str(word) for word in words])


def evaluated(suite: Path, agent: str) -> Path:
    done = run("eval", suite, "--agent", agent, "--workers", 1)
    assert done.exit_code in (0, 1), done.output
    return Path(done.stdout.splitlines()[-1].rpartition(" in ")[2])


def journal(folder: Path, variant: str = "rye") -> Path:
    return folder / "journals" / f"bakery-smoke-plain-{variant}-01" / "1.jsonl.gz"


def test_runs_lists_what_lies_below_a_folder(suite: Path) -> None:
    folders = [evaluated(suite, agent).as_posix() for agent in ("null", "strange_agents:break_down")]
    rows = json.loads(run("runs", "--json").stdout)
    assert [row["run"] for row in rows] == folders
    assert [(row["scored"], row["executions"], row["infrastructure_errors"]) for row in rows] == [(2, 2, 0), (0, 2, 2)]
    assert run("runs").stdout.splitlines()[1].split() == [folders[0], suite.name, "null", "2", "2", "0"]


def test_runs_names_a_run_that_cannot_be_read(suite: Path) -> None:
    folder = evaluated(suite, "null")
    (folder / "run.json").write_text("{}")
    (row,) = json.loads(run("runs", "--json").stdout)
    assert "run.json is damaged" in row["fault"]


def test_no_runs_are_no_fault(tmp_path: Path) -> None:
    done = run("runs", tmp_path)
    assert done.exit_code == 0
    assert "`shz eval SUITE --agent NAME` makes one" in done.stdout


def test_show_lists_cells_and_executions(suite: Path) -> None:
    folder = evaluated(suite, "strange_agents:bake_everything")
    told = json.loads(run("show", folder, "--json").stdout)
    assert [cell["n"] for cell in told["cells"]] == [2]
    assert [(row["kind"], row["lgc"], row["ts"]) for row in told["executions"]] == [("submitted", 0.0, 0.0)] * 2
    assert 0 < told["executions"][0]["reward"] < 1
    assert "submitted" in run("show", folder).stdout


def test_show_of_a_task_tells_what_is_unmet_and_what_was_refused(suite: Path) -> None:
    folder = evaluated(suite, "strange_agents:bake_wrongly")
    words = ("show", folder, "bakery-smoke-plain-rye-01")
    (execution,) = json.loads(run(*words, "--json").stdout)["executions"]
    assert execution["unmet"][0] == {"id": "batch:B00", "conditions": {"baked": False, "shipped": False}}
    assert [(r["call"], r["tool"], r["code"]) for r in execution["last_rejections"]] == [(2, "bake", "WRONG_COUNT")]
    text = run(*words).stdout
    assert "bakery-smoke-plain-rye-01, trial 1: submitted" in text
    assert "batch:B00" in text
    assert "WRONG_COUNT" in text


def test_show_of_a_fault_tells_it(suite: Path) -> None:
    folder = evaluated(suite, "strange_agents:break_down")
    text = run("show", folder, "bakery-smoke-plain-rye-01").stdout
    assert "infrastructure_error the agent failed: RuntimeError: the agent lost its way" in text


def test_replay_compares_and_scores(suite: Path) -> None:
    folder = evaluated(suite, "reference")
    told = json.loads(run("replay", journal(folder), "--json").stdout)
    assert (told["lgc"], told["ts"], told["reward"], told["unmet"]) == (1.0, 1.0, 1.0, [])
    assert told["at"] == told["calls"]
    assert "LGC 1.000  TS 1  reward 1.000" in run("replay", journal(folder)).stdout


def test_replay_stops_at_a_call(suite: Path) -> None:
    folder = evaluated(suite, "reference")
    start = json.loads(run("replay", journal(folder), "--at", 0, "--json").stdout)
    later = json.loads(run("replay", journal(folder), "--at", 4, "--json").stdout)
    assert (start["lgc"], start["reward"], start["at"]) == (0.0, 0.0, 0)
    assert start["reward"] < later["reward"] < 1
    beyond = run("replay", journal(folder), "--at", 9999)
    assert (beyond.exit_code, "holds the calls 1 to" in beyond.stderr) == (2, True)


def test_replay_finds_a_suite_by_option(suite: Path) -> None:
    folder = evaluated(suite, "null")
    moved = journal(folder).rename("moved.jsonl.gz")
    lost = run("replay", moved)
    assert (lost.exit_code, "name the suite by --suite" in lost.stderr) == (2, True)
    assert run("replay", moved, "--suite", suite).exit_code == 0


def forged(path: Path, old: bytes, new: bytes) -> None:
    text = gzip.decompress(path.read_bytes())
    assert old in text
    path.write_bytes(gzip.compress(text.replace(old, new, 1)))


def test_replay_names_the_call_that_differs(suite: Path) -> None:
    folder = evaluated(suite, "reference")
    forged(journal(folder), b'\\"clock\\":10', b'\\"clock\\":11')
    done = run("replay", journal(folder))
    assert (done.exit_code, done.stdout) == (1, "")
    assert "call 3 (bake) gives another observation than the journal holds" in done.stderr


def test_replay_finds_a_forged_score(suite: Path) -> None:
    folder = evaluated(suite, "null")
    forged(journal(folder), b'"goals_met":0', b'"goals_met":9')
    done = run("replay", journal(folder))
    assert (done.exit_code, "the journal says otherwise" in done.stderr) == (1, True)


def test_replay_refuses_a_journal_of_another_version_of_the_task(suite: Path) -> None:
    folder = evaluated(suite, "null")
    digest = read_journal(journal(folder)).header.digest
    forged(journal(folder), digest.encode(), b"0" * 64)
    done = run("replay", journal(folder))
    assert (done.exit_code, "holds another task" in done.stderr) == (1, True)


def test_traces_give_every_call_its_reward(suite: Path) -> None:
    folder = evaluated(suite, "reference")
    done = run("export", "traces", folder)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert set(lines[0]) == {
        *("task", "agent", "trial", "index", "turn", "call", "observation"),
        *("outcome", "charged", "reward", "cumulative_reward"),
    }
    for variant in ("rye", "white"):
        own = [line for line in lines if line["task"] == f"bakery-smoke-plain-{variant}-01"]
        records = read_journal(journal(folder, variant)).records
        assert [(x["index"], x["observation"]) for x in own] == [(r.index, r.observation) for r in records]
        assert own[-1]["cumulative_reward"] == 1.0
        assert sum(x["reward"] for x in own) == pytest.approx(1.0)
        assert own[0]["call"] == {"tool": "list_batches", "arguments": {}}


def test_an_update_that_undoes_work_costs_reward(suite: Path) -> None:
    folder = evaluated(suite, "strange_agents:bake_everything")
    for at in (2, 3):
        assert json.loads(run("replay", journal(folder), "--at", at, "--json").stdout)["reward"] >= 0
    lines = [json.loads(line) for line in run("export", "traces", folder).stdout.splitlines()]
    state = {at: json.loads(run("replay", journal(folder), "--at", at, "--json").stdout)["reward"] for at in (2, 3, 4)}
    own = {x["index"]: x["cumulative_reward"] for x in lines if "rye" in x["task"]}
    assert {at: own[at] for at in state} == state


def test_traces_go_into_a_file_whole_or_not_at_all(suite: Path) -> None:
    folder = evaluated(suite, "reference")
    assert run("export", "traces", folder, "--out", "out/traces.jsonl").exit_code == 0
    assert Path("out/traces.jsonl").read_text() == run("export", "traces", folder).stdout
    forged(journal(folder), b'\\"clock\\":10', b'\\"clock\\":11')
    assert run("export", "traces", folder, "--out", "out/more.jsonl").exit_code == 1
    assert [path.name for path in Path("out").iterdir()] == ["traces.jsonl"]
    Path("file").touch()
    blocked = run("export", "traces", folder, "--out", "file/traces.jsonl")
    assert (blocked.exit_code, "cannot write file/traces.jsonl" in blocked.stderr) == (1, True)


def test_executions_that_were_not_scored_have_no_traces(suite: Path) -> None:
    folder = evaluated(suite, "strange_agents:break_down")
    assert run("export", "traces", folder).stdout == ""


@pytest.mark.parametrize("words", [("show", "nowhere"), ("export", "traces", "nowhere")])
def test_a_folder_without_a_run_is_named(suite: Path, words: tuple[str, ...]) -> None:
    done = run(*words)
    assert (done.exit_code, done.stdout) == (2, "")
    assert "nowhere holds no run" in done.stderr


def test_an_unknown_task_of_a_run_is_named(suite: Path) -> None:
    folder = evaluated(suite, "null")
    done = run("show", folder, "nothing")
    assert (done.exit_code, "has no execution of 'nothing'" in done.stderr) == (2, True)


def test_a_run_without_its_database_says_how_to_get_it_back(suite: Path) -> None:
    folder = evaluated(suite, "null")
    (folder / "results.db").unlink()
    done = run("show", folder)
    assert (done.exit_code, "takes the results over from the journals" in done.stderr) == (2, True)
    assert evaluated(suite, "null") == folder
    assert run("show", folder).exit_code == 0
