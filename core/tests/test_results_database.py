from __future__ import annotations

import os
from pathlib import Path

import attrs
import pytest

from skillhorizon.errors import CorruptFile, StorageError, UsageError
from skillhorizon.evaluation.folder import RunInfo, Versions
from skillhorizon.evaluation.options import RunOptions
from skillhorizon.evaluation.result import Result
from skillhorizon.model.goal import Finding
from skillhorizon.model.score import Score
from skillhorizon.model.task import Cell
from skillhorizon.model.usage import Usage
from skillhorizon.results.database import Database, without_password

RUN = RunInfo(
    id="r" * 32,
    suite="../suite",
    suite_name="suite",
    environment="bakery",
    suite_digest="d",
    agent="null",
    options=RunOptions(),
    versions=Versions(core="0.1.0", engine=1, environment="0.1", pins=()),
    executions=2,
)
RESULT = Result(
    task="t-1",
    digest="d" * 64,
    environment="bakery",
    cell=Cell(band="64k", family="plain", variant="rye"),
    agent="null",
    trial=1,
    kind="submitted",
    score=Score(
        goals_met=1,
        goals=3,
        success=False,
        reward=1 / 3,
        unmet=(Finding("z", {"shipped": False, "baked": True}), Finding("a", {"baked": False})),
    ),
    calls=5,
    charged=3,
    budget=9,
    milliseconds=12,
)
PAID = attrs.evolve(RESULT, trial=3, usage=Usage(requests=2, input=10, output=5), cost=123_456_789_012)
FAULT = attrs.evolve(RESULT, trial=2, kind="infrastructure_error", fault="it broke", score=None, milliseconds=None)


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'results.db'}"


def test_results_come_back_as_they_were_kept(url: str) -> None:
    with Database(url) as store:
        store.begin(RUN)
        store.save(RUN.id, FAULT)
        store.save(RUN.id, RESULT)
    with Database(url) as again:
        again.begin(RUN)
        assert again.results(RUN.id) == [RESULT, FAULT]
        assert again.results("another") == []


def test_usage_and_cost_come_back_and_are_replaced_with_their_execution(url: str) -> None:
    with Database(url) as store:
        store.begin(RUN)
        for unpriced in (RESULT, attrs.evolve(PAID, cost=None), PAID):
            store.save(RUN.id, unpriced)
        assert store.results(RUN.id) == [RESULT, PAID]
        store.save(RUN.id, attrs.evolve(PAID, cost=None))
        assert store.results(RUN.id)[1].cost is None


def test_a_database_without_costs_takes_them(url: str) -> None:
    with Database(url) as store:
        store.begin(RUN)
        store.save(RUN.id, attrs.evolve(PAID, cost=None))
        with store._engine.begin() as db:
            db.exec_driver_sql("DROP TABLE costs")
    with Database(url) as store:
        assert store.results(RUN.id)[0].cost is None
        store.save(RUN.id, PAID)
        assert store.results(RUN.id) == [PAID]


def test_conditions_keep_their_order(url: str) -> None:
    with Database(url) as store:
        store.begin(RUN)
        store.save(RUN.id, RESULT)
        (found,) = store.results(RUN.id)
    assert found.score is not None
    assert list(found.score.unmet[0].conditions) == ["shipped", "baked"]


def test_a_result_takes_the_place_of_a_fault(url: str) -> None:
    with Database(url) as store:
        store.begin(RUN)
        store.save(RUN.id, FAULT)
        store.save(RUN.id, attrs.evolve(RESULT, trial=2))
        assert [result.kind for result in store.results(RUN.id)] == ["submitted"]


def test_what_is_no_database_is_named(tmp_path: Path) -> None:
    (tmp_path / "results.db").write_text("this is no database, however long one reads it" * 50)
    with pytest.raises(CorruptFile, match=r"results\.db is no database of results"):
        Database(f"sqlite:///{tmp_path / 'results.db'}")


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="the system does not tell which files are open")
def test_what_is_no_database_is_not_kept_open(tmp_path: Path) -> None:
    file = tmp_path / "results.db"
    file.write_text("this is no database, however long one reads it" * 50)
    with pytest.raises(CorruptFile) as refused:
        Database(f"sqlite:///{file}")
    opened = [os.path.realpath(each) for each in Path("/proc/self/fd").iterdir()]
    assert refused.value.args
    assert str(file.resolve()) not in opened


def test_a_database_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="unable to open database file; free space"):
        Database(f"sqlite:///{tmp_path / 'missing' / 'results.db'}")


def test_a_full_database_loses_nothing(url: str) -> None:
    with Database(url) as store:
        store.begin(RUN)
        store.save(RUN.id, RESULT)
        large = attrs.evolve(FAULT, fault="x" * 1_000_000)
        with store._engine.connect() as db:
            db.exec_driver_sql("PRAGMA max_page_count = 20")
        with pytest.raises(StorageError, match="database or disk is full"):
            store.save(RUN.id, large)
        assert store.results(RUN.id) == [RESULT]


@pytest.mark.parametrize("text", ["no url", "nodialect://x"])
def test_a_wrong_url_is_a_fault_of_usage(text: str) -> None:
    with pytest.raises(UsageError):
        Database(text)


def test_passwords_are_not_told(tmp_path: Path) -> None:
    assert "secret" not in without_password("postgresql://ada:secret@db/results")
    with pytest.raises(UsageError) as error:
        Database("mysql+nodriver://ada:secret@db/results")
    assert "secret" not in str(error.value)
