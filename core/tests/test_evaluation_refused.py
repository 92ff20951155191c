"""A run that is refused before it starts leaves everything as it was."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import strange_agents

from skillhorizon.construction.files import made_folder, written_last
from skillhorizon.construction.lock import LOCK, _take, locked, locked_to_begin
from skillhorizon.errors import SkillHorizonError, StorageError, UsageError
from skillhorizon.evaluation.limits import Limits
from skillhorizon.evaluation.options import RunOptions
from skillhorizon.evaluation.packs import copied_pack
from skillhorizon.results.database import FILE
from skillhorizon.results.evaluating import evaluate

if TYPE_CHECKING:
    from collections.abc import Callable

    from skillhorizon.evaluation.execution import Execution
    from skillhorizon.evaluation.runs import Evaluation

OWN = "sqlite:///own.db"
NO_DRIVER, NO_PLACE, NO_URL = "nosuch://here/results", "sqlite:////nowhere/at/all.db", "nothing"


class Keyless:
    """An agent that looks whether it can work, and cannot as long as it has no key."""

    name = "keyless"
    accounts = False

    def __init__(self, *, key: bool = False) -> None:
        self.key = key
        self.looks = 0

    def preflight(self) -> None:
        self.looks += 1
        if not self.key:
            raise UsageError("the key is missing")

    def run(self, execution: Execution) -> None:
        strange_agents.bake_first(execution)


@pytest.fixture
def suite(with_bakery: Path, bakery_suite: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The bakery's suite, seen from an empty working folder."""
    monkeypatch.chdir(tmp_path)
    return bakery_suite


def found() -> dict[str, bytes | None]:
    """Return all that lies in the working folder."""
    return {str(path): path.read_bytes() if path.is_file() else None for path in sorted(Path().rglob("*"))}


def with_pack(suite: Path, link: str = "", *, out: str | None = None, database: str = "") -> Evaluation:
    """Evaluate with a pack of one skill, in which a link may lead nowhere."""
    skill = Path("pack", "count-buns")
    skill.mkdir(parents=True, exist_ok=True)
    (skill / "SKILL.md").write_text("---\nname: count-buns\ndescription: Counts buns.\n---\nCount.\n")
    if link:
        Path("pack", link).symlink_to("nowhere")
    return evaluate(suite, strange_agents.bake_first, RunOptions(skills="pack:pack"), out=out, database=database)


REFUSALS: dict[str, tuple[str, Callable[[Path], Evaluation]]] = {
    "preflight": ("the key is missing", lambda suite: evaluate(suite, Keyless())),
    "limits": ("cannot be kept", lambda suite: evaluate(suite, Keyless(key=True), limits=Limits(tokens=5))),
    "no agent": ("no agent 'nobody'", lambda suite: evaluate(suite, "nobody")),
    "option": ("no --agent-option", lambda suite: evaluate(suite, "null", RunOptions(settings={"speed": "9"}))),
    "skills": ("magic", lambda suite: evaluate(suite, strange_agents.bake_first, RunOptions(skills="magic"))),
    "database's URL": ("no database URL", lambda suite: evaluate(suite, "null", database=NO_URL)),
    "database's driver": ("cannot be used", lambda suite: evaluate(suite, "null", database=NO_DRIVER)),
    "database's place": ("cannot use the database", lambda suite: evaluate(suite, "null", database=NO_PLACE)),
    "pack's skill": ("cannot read", lambda suite: with_pack(suite, "count-buns/more.md", database=OWN)),
    "pack": ("cannot copy the pack", lambda suite: with_pack(suite, "more.md", database=OWN)),
    "database with a pack": ("cannot use the database", lambda suite: with_pack(suite, database=NO_PLACE)),
}


@pytest.mark.parametrize("reason", REFUSALS)
@pytest.mark.parametrize("before", [False, True])
def test_a_refused_run_leaves_nothing_and_takes_nothing(suite: Path, reason: str, *, before: bool) -> None:
    if before:
        for agent in ("keyless", "null", "nobody", "strange_agents-bake_first", "strange_agents-bake_first.pack-pack"):
            Path("shz-runs", suite.name, agent).mkdir(parents=True)
        Path("shz-runs", suite.name, "keyless", "notes.txt").write_text("mine")
    was = found()
    told, refused = REFUSALS[reason]
    with pytest.raises(SkillHorizonError, match=told):
        refused(suite)
    left = found()
    assert {path: left[path] for path in left if not path.startswith("pack")} == was


def test_a_run_that_cannot_be_begun_leaves_neither_its_pack_nor_its_database(suite: Path) -> None:
    Path("run", ".run.json.part").mkdir(parents=True)
    for database in ("", OWN):
        with pytest.raises(StorageError, match=r"cannot write run/run\.json"):
            with_pack(suite, out="run", database=database)
        assert sorted(found()) == ["pack", "pack/count-buns", "pack/count-buns/SKILL.md", "run", "run/.run.json.part"]
    Path("run", ".run.json.part").rmdir()
    assert len(with_pack(suite, out="run").results) == 2


def test_a_run_that_cannot_be_begun_takes_no_pack_that_was_there(suite: Path) -> None:
    done = with_pack(suite, out="run")
    Path("run/run.json").unlink()
    was = found()
    with pytest.raises(SkillHorizonError, match="cannot use the database"):
        with_pack(suite, out="run", database=NO_PLACE)
    assert found() == was
    assert (Path("run") / done.run.info.pack / "count-buns" / "SKILL.md").is_file()


def test_what_was_made_for_a_block_goes_with_ctrl_c_too(tmp_path: Path) -> None:
    def press() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), made_folder(tmp_path / "a" / "b"):
        press()
    with pytest.raises(KeyboardInterrupt), written_last(tmp_path / "c", "text"):
        press()
    with pytest.raises(KeyboardInterrupt), locked_to_begin(tmp_path):
        press()
    assert list(tmp_path.iterdir()) == []


def test_a_lock_that_was_there_stays_where_a_run_cannot_be_begun(suite: Path) -> None:
    Path("run").mkdir()
    Path("run", LOCK).touch()
    with pytest.raises(SkillHorizonError, match="cannot use the database"):
        evaluate(suite, "null", out="run", database=NO_PLACE)
    assert sorted(found()) == ["run", f"run/{LOCK}"]


@pytest.mark.parametrize("again", [False, True])
def test_a_lock_whose_file_went_between_opening_and_locking_is_none(tmp_path: Path, *, again: bool) -> None:
    path = tmp_path / LOCK
    with closing(sqlite3.connect(path, isolation_level=None)) as opened:
        file = path.stat().st_ino
        path.unlink()
        if again:
            path.touch()
        with pytest.raises(SkillHorizonError, match=r"another process works on|cannot lock"):
            _take(opened, tmp_path, file)


class Overtaken(Keyless):
    """An agent during whose look another command begins a run in the same folder, and ends it."""

    name = "mine"

    def __init__(self, other: Callable[[], Evaluation]) -> None:
        super().__init__(key=True)
        self.other = other
        self.done: Evaluation | None = None

    def preflight(self) -> None:
        super().preflight()
        self.done = self.done or self.other()


class Mine(Keyless):
    """An agent that can always work."""

    name = "mine"

    def __init__(self) -> None:
        super().__init__(key=True)


def test_a_run_that_another_command_began_meanwhile_is_left_alone(suite: Path) -> None:
    agent = Overtaken(lambda: evaluate(suite, Mine(), RunOptions(allowance="0.25"), out="run"))
    with pytest.raises(UsageError, match=r'run holds a run .*--allowance was "0\.25", now "0\.5"'):
        evaluate(suite, agent, out="run")
    assert agent.done is not None
    assert evaluate(suite, Mine(), RunOptions(allowance="0.25"), out="run").results == agent.done.results


def test_the_same_run_that_another_command_began_meanwhile_is_gone_on_with(suite: Path) -> None:
    copied = shutil.copytree(suite, Path("there", suite.name))
    agent = Overtaken(lambda: evaluate(copied, Mine(), out="run"))
    again = evaluate(suite, agent, out="run")
    assert agent.done is not None
    assert again.results == agent.done.results
    assert again.run.info == agent.done.run.info


def test_nothing_is_begun_where_another_process_is_at_work(suite: Path) -> None:
    Path("run").mkdir()
    with locked(Path("run")):
        was = found()
        with pytest.raises(UsageError, match="another process works on run"):
            evaluate(suite, "null", out="run", database=OWN)
        assert found() == was


def test_a_refused_run_starts_once_the_reason_is_gone_and_looks_once(suite: Path) -> None:
    agent = Keyless()
    with pytest.raises(UsageError, match="the key is missing"):
        evaluate(suite, agent)
    agent.key = True
    assert len(evaluate(suite, agent).results) == 2
    assert agent.looks == 2
    evaluate(suite, agent)
    assert agent.looks == 2


def test_another_database_may_be_named_after_one_that_could_not_be_used(suite: Path) -> None:
    with pytest.raises(SkillHorizonError):
        evaluate(suite, "null", out="run", database=NO_PLACE)
    assert evaluate(suite, "null", out="run", database="sqlite:///run/own.db").results
    assert Path("run/own.db").is_file()
    assert not Path("run", FILE).exists()


def test_a_pack_that_cannot_be_copied_leaves_nothing(tmp_path: Path) -> None:
    pack = tmp_path / "pack"
    pack.mkdir()
    (pack / "read.md").write_text("once")
    (pack / "lost.md").symlink_to("nowhere")
    copied = copied_pack(pack, tmp_path / "run" / "packs" / "p")
    with pytest.raises(StorageError, match="cannot copy the pack"), copied:
        pass
    assert [path.name for path in tmp_path.iterdir()] == ["pack"]


def test_a_run_that_began_is_kept_when_it_is_refused_later(suite: Path) -> None:
    agent = Keyless()
    agent.key = True
    done = evaluate(suite, agent)
    for journal in done.run.folder.glob("journals/*rye*/*"):
        journal.unlink()
    (done.run.folder / FILE).unlink()
    agent.key = False
    with pytest.raises(UsageError, match="the key is missing"):
        evaluate(suite, agent)
    assert (done.run.folder / "run.json").is_file()
    assert len(list(done.run.folder.glob("journals/*/*"))) == 1
