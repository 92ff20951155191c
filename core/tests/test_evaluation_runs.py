from __future__ import annotations

import gzip
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

import attrs
import pytest
import strange_agents

from skillhorizon.construction.lock import locked
from skillhorizon.construction.suites import load_suite
from skillhorizon.errors import CorruptFile, DigestMismatch, StorageError, UsageError
from skillhorizon.evaluation.folder import RUN, default_folder, read_run
from skillhorizon.evaluation.limits import Limits, RunStopped
from skillhorizon.evaluation.options import RunOptions
from skillhorizon.evaluation.result import Result
from skillhorizon.evaluation.runs import prepare, run_all_left
from skillhorizon.model.codec import to_text
from skillhorizon.model.usage import BILLION, MILLION, Price, Usage
from skillhorizon.results.database import FILE, Database, url_of
from skillhorizon.results.evaluating import evaluate
from skillhorizon.session.files import read_journal

if TYPE_CHECKING:
    from skillhorizon.evaluation.execution import Execution
    from skillhorizon.evaluation.runs import Evaluation


@pytest.fixture
def suite(with_bakery: Path, bakery_suite: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The bakery's suite, seen from an empty working folder."""
    monkeypatch.chdir(tmp_path)
    return bakery_suite


def kinds(done: Evaluation) -> list[str]:
    return [str(result.kind) for result in done.results]


def journals(done: Evaluation) -> dict[str, bytes]:
    return {
        path.relative_to(done.run.folder).as_posix(): path.read_bytes()
        for path in sorted(done.run.folder.glob("journals/*/*"))
    }


def executed(suite: Path, agent: str, **more: object) -> tuple[Evaluation, int]:
    """Return an evaluation and how many executions this very call made."""
    told: list[tuple[int, int]] = []
    done = evaluate(suite, agent, progress=lambda n, of: told.append((n, of)), **more)  # type: ignore[arg-type]  # options
    return done, len(told) - 1


def test_every_task_is_executed_as_often_as_asked(suite: Path) -> None:
    done = evaluate(suite, "reference", RunOptions(trials=2))
    assert [(r.task, r.trial) for r in done.results] == [(e, t) for e in sorted(ids(suite)) for t in (1, 2)]
    (cell,) = done.cells
    assert (cell.env, cell.band, cell.agent, cell.n, cell.lgc, cell.ts) == ("bakery", "smoke", "reference", 4, 1.0, 1.0)


def ids(suite: Path) -> list[str]:
    return [entry.id for entry in load_suite(suite).tasks]


def test_several_workers_find_what_one_finds(suite: Path) -> None:
    one = evaluate(suite, strange_agents.bake_first, out="one")
    two = evaluate(suite, strange_agents.bake_first, out="two", workers=2)
    assert journals(one) == journals(two)
    assert [attrs.evolve(r, milliseconds=None) for r in one.results] == [
        attrs.evolve(r, milliseconds=None) for r in two.results
    ]


def test_a_complete_run_is_only_read(suite: Path) -> None:
    first, made = executed(suite, "null")
    again, repeated = executed(suite, "null")
    assert (made, repeated) == (2, 0)
    assert again.results == first.results


def test_an_agent_that_never_stops_exhausts_its_budget(suite: Path) -> None:
    done = evaluate(suite, strange_agents.never_stop, RunOptions(allowance="0"))
    assert kinds(done) == ["budget_exhausted"] * 2
    assert {r.charged == r.budget for r in done.results} == {True}


def test_an_agent_that_returns_has_submitted(suite: Path) -> None:
    assert kinds(evaluate(suite, strange_agents.bake_first)) == ["submitted"] * 2


@pytest.mark.parametrize(
    ("agent", "says"),
    [
        (strange_agents.break_down, "RuntimeError: the agent lost its way"),
        (strange_agents.leave_the_process, "SystemExit: 3"),
        (strange_agents.break_the_oven, r"call 1 \(break_oven\).*the oven is out of order"),
    ],
)
def test_what_breaks_is_listed_and_never_scored(suite: Path, agent: object, says: str) -> None:
    done = evaluate(suite, agent)  # type: ignore[arg-type]  # one of several functions
    assert kinds(done) == ["infrastructure_error"] * 2
    assert [r.score for r in done.infrastructure_errors] == [None, None]
    assert done.cells[0].n == 0
    with pytest.raises(AssertionError, match=says):
        raise AssertionError(done.results[0].fault)


def test_infrastructure_errors_are_run_again(suite: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken, _ = executed(suite, "strange_agents:break_down")
    monkeypatch.setattr(strange_agents, "break_down", strange_agents.bake_first)
    mended, made = executed(suite, "strange_agents:break_down")
    assert (len(broken.infrastructure_errors), made) == (2, 2)
    assert kinds(mended) == ["submitted"] * 2


class Resuming:
    """An agent that goes on with its executions: the first one breaks, the second is cut off by Ctrl-C."""

    name = "resuming"
    continues = True

    def __init__(self) -> None:
        self.begun = 0

    def kept(self, _files: Path, _records: int) -> int:
        return 0

    def run(self, execution: Execution) -> None:
        self.begun += 1
        execution.call("list_batches")
        if self.begun == 1:
            raise RuntimeError("the provider says no")
        execution.call("list_batches")
        raise KeyboardInterrupt


def test_ctrl_c_lists_what_was_cut_off_as_it_was_and_leaves_errors_alone(suite: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        evaluate(suite, Resuming(), out="run")
    run = read_run(Path("run"))
    with Database.of(run) as store:
        cut, broken = sorted(store.results(run.info.id), key=lambda result: result.kind)
    assert (cut.kind, cut.calls, cut.charged, cut.budget is not None, cut.score) == ("cancelled", 2, 2, True, None)
    assert broken.kind == "infrastructure_error"
    assert "the provider says no" in broken.fault


class Interrupted(Database):
    """A database to which Ctrl-C comes before it has kept the first result."""

    pressed = False

    def save(self, run: str, result: Result) -> None:
        if not self.pressed:
            self.pressed = True
            raise KeyboardInterrupt
        super().save(run, result)


def test_ctrl_c_between_an_end_and_its_record_lists_it_as_it_ended(suite: Path) -> None:
    def use(execution: Execution) -> None:
        strange_agents.bake_first(execution)
        execution.usage = Usage(requests=1, input=3 * MILLION)

    (ended,), told = interrupted(suite, use, Limits(price=Price(input=Decimal(2), output=Decimal(1))))
    assert (ended.kind, ended.scored, ended.cost) == ("submitted", True, 6 * BILLION)
    assert told == [(0, 2), (1, 2)]


def test_ctrl_c_between_an_end_and_its_record_lists_it_in_place_of_an_earlier_error(
    suite: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    evaluate(suite, "strange_agents:break_down", out="run")
    monkeypatch.setattr(strange_agents, "break_down", strange_agents.bake_first)
    results, told = interrupted(suite, "strange_agents:break_down")
    assert sorted(result.kind for result in results) == ["infrastructure_error", "submitted"]
    assert told == [(0, 2), (1, 2)]


def test_ctrl_c_between_a_record_and_its_telling_counts_it(suite: Path) -> None:
    told: list[tuple[int, int]] = []

    def tell(done: int, of: int) -> None:
        told.append((done, of))
        if len(told) == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        evaluate(suite, "null", progress=tell)
    assert told == [(0, 2), (1, 2), (1, 2)]


def interrupted(suite: Path, agent: object, limits: Limits | None = None) -> tuple[list[Result], list[tuple[int, int]]]:
    """Return what Ctrl-C just before the first result is kept leaves of a run, and what was told of its progress."""
    told: list[tuple[int, int]] = []
    prepared = prepare(suite, agent, RunOptions(), out="run").start()  # type: ignore[arg-type]  # name or function
    with Interrupted(url_of(prepared.run.folder, "")) as store:
        with pytest.raises(KeyboardInterrupt):
            run_all_left(prepared, store, workers=1, limits=limits, progress=lambda n, of: told.append((n, of)))
        return store.results(prepared.run.info.id), told


def test_a_limit_counts_what_broken_executions_used_in_earlier_commands(suite: Path) -> None:
    def attempt() -> None:
        evaluate(suite, "strange_agents:break_down", out="run", limits=Limits(calls=3))

    attempt()
    with pytest.raises(RunStopped, match=r"--max-calls 3 is reached \(3 used\)"):
        attempt()


def test_an_interrupted_run_goes_on_without_repeating(suite: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        evaluate(suite, "strange_agents:interrupt_on_rye", RunOptions(trials=2))
    folder = default_folder(suite.name, "strange_agents:interrupt_on_rye")
    left = [path.name for path in sorted(folder.glob("journals/*/*"))]
    assert left == ["1.jsonl", "1.jsonl.gz"]
    with Database.of(read_run(folder)) as store:
        first, second = store.results(read_run(folder).info.id)
    assert sorted([first.kind, second.kind]) == ["cancelled", "submitted"]
    assert sorted([(first.scored, first.score is None), (second.scored, second.score is None)]) == [
        (False, True),
        (True, False),
    ]
    Path("go").touch()
    done, made = executed(suite, "strange_agents:interrupt_on_rye", options=RunOptions(trials=2))
    assert made == 3
    assert kinds(done) == ["submitted"] * 4
    assert not list(folder.glob("journals/*/*.jsonl"))


def test_closed_journals_are_taken_over_without_the_database(suite: Path) -> None:
    first = evaluate(suite, strange_agents.bake_first)
    (first.run.folder / FILE).unlink()
    again, made = executed(suite, "strange_agents:bake_first")
    assert made == 0
    assert [attrs.evolve(r, milliseconds=None) for r in first.results] == list(again.results)


def test_a_journal_killed_before_its_compression_is_taken_over(suite: Path) -> None:
    first = evaluate(suite, "null")
    (first.run.folder / FILE).unlink()
    path = first.run.journal(first.results[0].task, 1)
    whole = path.read_bytes()
    path.with_suffix("").write_bytes(gzip.decompress(whole))
    path.unlink()
    _, made = executed(suite, "null")
    assert made == 0
    assert path.read_bytes() == whole
    assert not path.with_suffix("").exists()


def test_other_options_are_refused_with_the_difference(suite: Path) -> None:
    evaluate(suite, "null", RunOptions(limit=1), out="run")
    with pytest.raises(UsageError, match=r"--limit was 1, now 0.*suite was.*--new"):
        evaluate(suite, "null", out="run")
    with pytest.raises(UsageError, match="--agent was null, now reference"):
        evaluate(suite, "reference", RunOptions(limit=1), out="run")
    with pytest.raises(UsageError, match=r"--db was results\.db, now sqlite:///other\.db"):
        evaluate(suite, "null", RunOptions(limit=1), out="run", database="sqlite:///other.db")


def test_other_versions_are_refused_with_the_difference(suite: Path) -> None:
    run = evaluate(suite, "null", out="run").run
    pins = tuple(attrs.evolve(pin, content="0" * 32) for pin in run.info.versions.pins)
    older = attrs.evolve(run.info, versions=attrs.evolve(run.info.versions, core="0.0.1", pins=pins))
    (run.folder / RUN).write_text(to_text(older))
    with pytest.raises(UsageError, match=r"policy of test-bakery.* was reference 00000000.*core was 0\.0\.1"):
        evaluate(suite, "null", out="run")


def test_new_starts_another_run_beside_the_first(suite: Path) -> None:
    folders = [evaluate(suite, "null", RunOptions(limit=1), new=new).run.folder.name for new in (True, True, False)]
    assert folders == ["null", "null-2", "null"]


def test_results_can_go_to_another_database(suite: Path, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'shared.db'}"
    runs = [evaluate(suite, agent, database=url) for agent in ("null", "reference")]
    for done in runs:
        assert not (done.run.folder / FILE).exists()
        with Database.of(read_run(done.run.folder)) as store:
            assert tuple(store.results(done.run.info.id)) == done.results


def test_one_process_at_a_time_works_on_a_run(suite: Path) -> None:
    run = evaluate(suite, "null").run
    with locked(run.folder), pytest.raises(UsageError, match="another process works on"):
        evaluate(suite, "null")


def test_a_run_says_what_it_was_made_with(suite: Path) -> None:
    done = evaluate(suite, "null", RunOptions(tasks="*-rye-*"))
    info = read_run(done.run.folder).info
    assert (info.isolation, info.agent, info.environment, info.executions) == ("none", "null", "bakery", 1)
    assert done.run.suite.resolve() == suite.resolve()
    assert {pin.role for pin in info.versions.pins} >= {"policy", "composer", "checker", "skill-library"}
    header = read_journal(done.run.journal(done.results[0].task, 1)).header
    assert (header.agent, header.trial, header.digest) == ("null", 1, done.results[0].digest)


def copied(suite: Path, to: Path) -> Path:
    (to / "tasks").mkdir(parents=True)
    for path in (suite / "suite.json", *sorted((suite / "tasks").iterdir())):
        (to / path.relative_to(suite)).write_bytes(path.read_bytes())
    return to


def test_a_corrupt_task_stops_a_run_and_loses_nothing(suite: Path, tmp_path: Path) -> None:
    own = copied(suite, tmp_path / "own")
    last = own / "tasks" / f"{ids(own)[-1]}.json"
    text = last.read_text()
    last.write_text(text.replace('"seed":', '"seed":1', 1))
    with pytest.raises(CorruptFile, match=r"is not the file that suite\.json lists"):
        evaluate(own, "null", out="run")
    last.write_text(text)
    _, made = executed(own, "null", out="run")
    assert made == 1


def test_a_full_disk_stops_a_run_and_loses_nothing(suite: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("the system has no disk that is always full")
    last = sorted(ids(suite), key=lambda name: "rye" in name)[-1]
    full = Path("run/journals") / last / "1.jsonl"
    full.parent.mkdir(parents=True)
    full.symlink_to("/dev/full")
    with pytest.raises(StorageError, match="No space left on device"):
        evaluate(suite, "null", out="run")
    full.unlink()
    _, made = executed(suite, "null", out="run")
    assert made == 1


def test_a_damaged_journal_is_named(suite: Path) -> None:
    done = evaluate(suite, "null")
    (done.run.folder / FILE).unlink()
    path = done.run.journal(done.results[0].task, 1)
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(CorruptFile, match=r"1\.jsonl\.gz cannot be unpacked"):
        evaluate(suite, "null")


def test_a_world_that_differs_is_never_scored(suite: Path, tmp_path: Path) -> None:
    own = copied(suite, tmp_path / "own")
    foreign = own / "tasks" / f"{ids(own)[0]}.json"
    loaded = load_suite(own)
    from skillhorizon.construction.suites import entry_of  # noqa: PLC0415
    from skillhorizon.construction.tasks import read_task, task_text  # noqa: PLC0415

    task = read_task(foreign)
    task = attrs.evolve(task, seed=task.seed + 1)
    foreign.write_text(task_text(task))
    entries = tuple(entry_of(task) if entry.id == task.id else entry for entry in loaded.tasks)
    (own / "suite.json").write_text(to_text(attrs.evolve(loaded, tasks=entries)))
    with pytest.raises(DigestMismatch, match="the rebuilt world differs"):
        evaluate(own, "null", out="run")


@pytest.mark.parametrize(("suite_name", "says"), [("nowhere", "holds no suite")])
def test_a_suite_that_is_none_is_named(suite: Path, suite_name: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        evaluate(suite_name, "null")


def test_results_are_values(suite: Path) -> None:
    (result, _) = evaluate(suite, "null").results
    assert isinstance(result, Result)
    assert result.score is not None
    assert result.score.goals_met == 0
