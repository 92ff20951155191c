"""Runs and their results in a database; SQLite in the run's folder unless a URL says otherwise."""

from __future__ import annotations

from collections import defaultdict
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from skillhorizon.errors import CorruptFile, StorageError, UsageError
from skillhorizon.evaluation.result import Result
from skillhorizon.model.codec import encode
from skillhorizon.model.goal import Finding
from skillhorizon.model.score import Score
from skillhorizon.model.task import Cell
from skillhorizon.model.usage import FIELDS, Usage
from skillhorizon.results.tables import METADATA, PER_EXECUTION, costs, executions, runs, scores, unmet, usages

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from types import TracebackType

    from skillhorizon.evaluation.folder import Run, RunInfo

FILE = "results.db"
Key = tuple[str, int]


def url_of(folder: Path, database: str) -> str:
    """Return the database URL of a run: the one given, or the file in its folder."""
    return database or f"sqlite:///{folder / FILE}"


def without_password(database: str) -> str:
    """Return a database URL as it may be written down; '' stays ''.

    Raises:
        UsageError: when it is no URL.

    >>> without_password("postgresql://ada:secret@db/results")
    'postgresql://ada:***@db/results'
    """
    return _url(database).render_as_string() if database else ""


class Database:
    """A RunStore over SQLAlchemy; use it in a `with` block."""

    def __init__(self, url: str) -> None:
        """Open a database and make its tables where they lack.

        Raises:
            UsageError: when the URL or its driver is not usable.
            StorageError: when the database cannot be reached or written.
        """
        self.name = without_password(url)
        self._engine = _engine(url)
        try:
            with self._told():
                METADATA.create_all(self._engine)
        except BaseException:
            self.close()
            raise

    @classmethod
    def of(cls, run: Run, database: str = "") -> Database:
        """Open the database of an existing run; a URL given stands in for the one in `run.json`.

        Raises:
            UsageError: when there is none, or its URL or driver is not usable.
            StorageError: when it cannot be reached.
        """
        if not (database or run.info.database or (run.folder / FILE).exists()):
            raise UsageError(
                f"{run.folder} has no {FILE}; give its `shz eval` command again: "
                "it takes the results over from the journals"
            )
        return cls(url_of(run.folder, database or run.info.database))

    def close(self) -> None:
        """Let go of all connections."""
        self._engine.dispose()

    def __enter__(self) -> Database:
        """Return the database itself."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        """Close it."""
        self.close()

    def begin(self, run: RunInfo) -> None:
        """Make a run known, or take it up again.

        Raises:
            StorageError: when the database does not take it.
        """
        with self._told(), self._engine.begin() as db:
            if db.execute(sa.select(runs.c.run).where(runs.c.run == run.id)).first() is None:
                db.execute(sa.insert(runs).values(**_run_row(run)))

    def results(self, run: str) -> list[Result]:
        """Return the results of a run by task and trial.

        Raises:
            StorageError: when the database cannot be read.
        """
        with self._told(), self._engine.connect() as db:
            missed, used = _unmet(db, run), _usages(db, run)
            joined = executions.outerjoin(scores, _same_key(scores)).outerjoin(costs, _same_key(costs))
            parts = (scores.c.goals_met, scores.c.goals, scores.c.success, scores.c.reward)
            chosen = sa.select(executions, *parts, costs.c.billionths.label("cost"))
            ordered = chosen.select_from(joined).where(executions.c.run == run)
            found = db.execute(ordered.order_by(executions.c.task, executions.c.trial)).mappings()
            return [_result(dict(row), missed, used) for row in found]

    def save(self, run: str, result: Result) -> None:
        """Keep a result durably, in place of an earlier one of the same task and trial.

        Raises:
            StorageError: when the database does not take it.
        """
        key = {"run": run, "task": result.task, "trial": result.trial}
        with self._told(), self._engine.begin() as db:
            for table in PER_EXECUTION:
                db.execute(sa.delete(table).filter_by(**key))
            db.execute(sa.insert(executions).values(**key, **_execution_row(result)))
            if result.score is not None:
                _save_score(db, key, result.score)
            if result.usage is not None:
                db.execute(sa.insert(usages).values(**key, **encode(result.usage)))
            if result.cost is not None:
                db.execute(sa.insert(costs).values(**key, billionths=result.cost))

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except sa.exc.DatabaseError as error:
            reason = error.orig or error
            if "not a database" in str(reason) or "malformed" in str(reason):
                raise CorruptFile(
                    f"{self.name} is no database of results ({reason}); delete it: the journals hold what is needed"
                ) from error
            raise StorageError(
                f"cannot use the database {self.name}: {reason}; free space, or name another one by --db or --out, "
                "then give the same command again: what was done is kept"
            ) from error


def _url(database: str) -> sa.URL:
    try:
        return sa.make_url(database)
    except sa.exc.ArgumentError as error:
        raise UsageError(f"--db is {database!r}, which is no database URL; say sqlite:///results.db") from error


def _engine(database: str) -> sa.Engine:
    url = _url(database)
    try:
        return sa.create_engine(url)
    except (sa.exc.ArgumentError, ModuleNotFoundError) as error:
        raise UsageError(
            f"the database {url.render_as_string()} cannot be used ({error}); install its driver, or leave out --db"
        ) from error


def _same_key(table: sa.Table) -> sa.ColumnElement[bool]:
    return sa.and_(*(executions.c[name] == table.c[name] for name in ("run", "task", "trial")))


def _run_row(run: RunInfo) -> dict[str, Any]:
    return {
        "run": run.id,
        "suite": run.suite_name,
        "environment": run.environment,
        "agent": run.agent,
        "executions": run.executions,
        "isolation": run.isolation,
        "options": encode(run.options),
        "versions": encode(run.versions),
    }


def _execution_row(result: Result) -> dict[str, Any]:
    plain = ("digest", "environment", "agent", "kind", "fault", "calls", "charged", "budget", "milliseconds")
    cell = result.cell
    values = {name: getattr(result, name) for name in plain}
    return {**values, "kind": str(result.kind), "band": cell.band, "family": cell.family, "variant": cell.variant}


def _save_score(db: sa.Connection, key: dict[str, Any], score: Score) -> None:
    names = ("goals_met", "goals", "success", "reward")
    db.execute(sa.insert(scores).values(**key, **{name: getattr(score, name) for name in names}))
    missed = [
        {**key, "position": i, "finding": finding.id, "conditions": dict(finding.conditions)}
        for i, finding in enumerate(score.unmet)
    ]
    if missed:
        db.execute(sa.insert(unmet), missed)


def _unmet(db: sa.Connection, run: str) -> dict[Key, list[Finding]]:
    by_key: dict[Key, list[Finding]] = defaultdict(list)
    ordered = sa.select(unmet).where(unmet.c.run == run).order_by(unmet.c.task, unmet.c.trial, unmet.c.position)
    for row in db.execute(ordered).mappings():
        by_key[row["task"], row["trial"]].append(Finding(row["finding"], row["conditions"]))
    return by_key


def _usages(db: sa.Connection, run: str) -> dict[Key, Usage]:
    rows = db.execute(sa.select(usages).where(usages.c.run == run)).mappings()
    return {(row["task"], row["trial"]): Usage(**{name: row[name] for name in FIELDS}) for row in rows}


def _result(row: dict[str, Any], missed: dict[Key, list[Finding]], used: dict[Key, Usage]) -> Result:
    key = row["task"], row["trial"]
    cell = Cell(band=row.pop("band"), family=row.pop("family"), variant=row.pop("variant"))
    parts = {name: row.pop(name) for name in ("goals_met", "goals", "success", "reward")}
    score = None if parts["goals"] is None else Score(**parts, unmet=tuple(missed[key]))
    row.pop("run")
    return Result(**row, cell=cell, score=score, usage=used.get(key))
