"""The floor of a task: its reference run's SQL replayed raw, its JSON written, its tokens counted; nothing else."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING, Any

import attrs
import orjson

from skillhorizon.construction.proof import run_reference
from skillhorizon.model import tokens
from skillhorizon.model.canonical import loads
from skillhorizon.model.journal import Record
from skillhorizon.world.store import Connection, Store

if TYPE_CHECKING:
    from skillhorizon.construction.workshop import Built

Statement = tuple[str, Any, bool]
"""SQL, parameters, and whether it ran for many."""


class LoggedConnection(Connection):
    """A connection that notes every statement it runs."""

    log: list[Statement] = []  # noqa: RUF012  # swapped by `frozen_log`, read after the run

    def execute(self, sql: str, parameters: Any = (), /) -> sqlite3.Cursor:
        """Note and run one statement."""
        LoggedConnection.log.append((sql, parameters, False))
        return super().execute(sql, parameters)

    def executemany(self, sql: str, parameters: Any, /) -> sqlite3.Cursor:
        """Note and run one statement for many rows."""
        rows = list(parameters)
        LoggedConnection.log.append((sql, rows, True))
        return super().executemany(sql, rows)


@attrs.frozen
class Marker:
    """A recorder that keeps records and where each one ends in the statement log."""

    records: list[Record] = attrs.Factory(list)
    ends: list[int] = attrs.Factory(list)

    def append(self, record: Record) -> None:
        """Keep one record."""
        self.records.append(record)
        self.ends.append(len(LoggedConnection.log))


@attrs.frozen
class Frozen:
    """The frozen log of one reference run."""

    statements: list[Statement]
    per_call: list[int]
    records: list[Record]
    answers: list[Any]


def frozen_log(built: Built) -> Frozen:
    """Run the reference once and freeze its statements, calls and observations."""
    marker = Marker()
    LoggedConnection.log = []
    Store.connection, usual = LoggedConnection, Store.connection
    try:
        session = built.session(marker)
        LoggedConnection.log.clear()
        run_reference(session)
    finally:
        Store.connection = usual
    session.world.close()
    per_call = [end - start for start, end in zip([0, *marker.ends], marker.ends, strict=False)]
    answers = [(loads(record.observation), loads(record.call_text)) for record in marker.records]
    return Frozen(list(LoggedConnection.log[: marker.ends[-1]]), per_call, marker.records, answers)


def replay_raw(built: Built, frozen: Frozen) -> None:
    """Do what nobody can leave out: the statements on a raw connection, the JSON, the token count."""
    db = sqlite3.connect(":memory:", isolation_level=None, cached_statements=512)
    built.template.store.db.backup(db)
    for sql, parameters, many in frozen.statements:
        if many:
            db.executemany(sql, parameters)
        else:
            db.execute(sql, parameters).fetchall()
    for answer, call in frozen.answers:
        orjson.dumps(answer, option=orjson.OPT_SORT_KEYS)
        orjson.dumps(call, option=orjson.OPT_SORT_KEYS)
    for record in frozen.records:
        tokens.count(record.call_text)
        tokens.count(record.observation)
    db.close()
