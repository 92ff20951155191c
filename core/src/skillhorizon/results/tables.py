"""The tables of a database of results."""

from __future__ import annotations

import sqlalchemy as sa

from skillhorizon.model.usage import FIELDS

METADATA = sa.MetaData()
_KEY = ("run", "task", "trial")


def _key() -> list[sa.Column[str] | sa.Column[int]]:
    return [
        sa.Column("run", sa.String(32), nullable=False),
        sa.Column("task", sa.String(200), nullable=False),
        sa.Column("trial", sa.Integer, nullable=False),
    ]


def _of_execution() -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(_KEY, [f"executions.{name}" for name in _KEY])


runs = sa.Table(
    "runs",
    METADATA,
    sa.Column("run", sa.String(32), primary_key=True),
    sa.Column("suite", sa.String(200), nullable=False),
    sa.Column("environment", sa.String(80), nullable=False),
    sa.Column("agent", sa.String(400), nullable=False),
    sa.Column("executions", sa.Integer, nullable=False),
    sa.Column("isolation", sa.String(20), nullable=False),
    sa.Column("options", sa.JSON, nullable=False),
    sa.Column("versions", sa.JSON, nullable=False),
)
executions = sa.Table(
    "executions",
    METADATA,
    *_key(),
    sa.Column("digest", sa.String(64), nullable=False),
    sa.Column("environment", sa.String(80), nullable=False),
    sa.Column("band", sa.String(20), nullable=False),
    sa.Column("family", sa.String(80), nullable=False),
    sa.Column("variant", sa.String(80), nullable=False),
    sa.Column("agent", sa.String(400), nullable=False),
    sa.Column("kind", sa.String(30), nullable=False),
    sa.Column("fault", sa.Text, nullable=False),
    sa.Column("calls", sa.Integer, nullable=False),
    sa.Column("charged", sa.Integer, nullable=False),
    sa.Column("budget", sa.Integer),
    sa.Column("milliseconds", sa.BigInteger),
    sa.PrimaryKeyConstraint(*_KEY),
    sa.ForeignKeyConstraint(["run"], ["runs.run"]),
)
usages = sa.Table(
    "usages",
    METADATA,
    *_key(),
    *(sa.Column(name, sa.BigInteger, nullable=False) for name in FIELDS),
    sa.PrimaryKeyConstraint(*_KEY),
    _of_execution(),
)
"""What an execution's model used; one that accounts for none has no row."""
costs = sa.Table(
    "costs",
    METADATA,
    *_key(),
    sa.Column("billionths", sa.BigInteger, nullable=False),
    sa.PrimaryKeyConstraint(*_KEY),
    _of_execution(),
)
"""What that cost, in billionths of the currency of the user's prices; without prices there is no row."""
scores = sa.Table(
    "scores",
    METADATA,
    *_key(),
    sa.Column("goals_met", sa.Integer, nullable=False),
    sa.Column("goals", sa.Integer, nullable=False),
    sa.Column("success", sa.Boolean, nullable=False),
    sa.Column("reward", sa.Double, nullable=False),
    sa.PrimaryKeyConstraint(*_KEY),
    _of_execution(),
)
unmet = sa.Table(
    "unmet",
    METADATA,
    *_key(),
    sa.Column("position", sa.Integer, nullable=False),
    sa.Column("finding", sa.String(400), nullable=False),
    sa.Column("conditions", sa.JSON, nullable=False),
    sa.PrimaryKeyConstraint(*_KEY, "position"),
    _of_execution(),
)
"""Unmet goals and requirements in the checker's order; `conditions` maps each condition to whether it holds."""

PER_EXECUTION = (unmet, costs, usages, scores, executions)
"""Children before their parent: the order in which an execution is deleted."""
