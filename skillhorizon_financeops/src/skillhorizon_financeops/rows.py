"""The tables of the business, one class each; amounts in minor units, days as integer business days.

Rows that a call or a task makes by the dozen have no slots: frozen classes without are made in half the time.
The rows of feeds, of which a task has thousands, are tuples: made and written faster still.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import attrs

from skillhorizon import table

COLUMNS: Mapping[str, tuple[str, ...]] = {
    "FA": ("order", "rev", "code", "party", "amt"),
    "FB": ("party", "amt", "order", "code", "rev"),
    "FC": ("code", "order", "party", "rev", "amt"),
    "FD": ("rev", "order", "amt", "party", "code"),
    "FR": ("order", "rev", "code", "party", "amt", "ref"),
}
"""The column order of each source format; FR is the remittance format, whose `order` is the payment id."""


@table("source", key=("source_id",), indexes=(("stage",),))
@attrs.frozen(slots=False)
class Source:
    """One feed: a work package. `conflict_policy` is `first` or `latest_revision`; `version` counts amendments."""

    source_id: str
    stage: int
    kind: str
    format: str
    day: int
    identity_source_id: str
    conflict_policy: str
    lockbox: str | None
    version: int


@table("source_row", key=("source_id", "pos"))
class SourceRow(NamedTuple):
    """One row of a feed; `cells` in the format's column order; `added_version` the source version that brought it."""

    source_id: str
    pos: int
    added_version: int
    cells: Sequence[Any]


@table("contract", key=("contract_id",), indexes=(("format", "rank"),))
@attrs.frozen
class Contract:
    """How a format is read on the days of a range (R1, R3); FR contracts also carry the cash terms (R6).

    `num/den` and `sign` scale raw amounts; `basis` is `net` or `gross`; `codes` maps a code to sale, correction,
    metadata or withdrawn.
    """

    contract_id: str
    format: str
    from_day: int
    to_day: int
    rank: int
    num: int
    den: int
    sign: int
    basis: str
    tax_bps: int
    codes: Mapping[str, str]
    disc_bps: int | None
    disc_days: int | None
    tol: int | None


@table("identity_source", key=("identity_source_id",))
@attrs.frozen
class IdentitySource:
    """A register of aliases, released when its stage opens."""

    identity_source_id: str
    released_stage: int


@table("identity_map", key=("map_id",), indexes=(("identity_source_id",),))
@attrs.frozen(slots=False)
class IdentityMap:
    """Aliases to accounts, on the days of a range, by rank."""

    map_id: str
    identity_source_id: str
    from_day: int
    to_day: int
    rank: int
    entries: Mapping[str, str]


@table("account_value", key=("account", "rank"))
@attrs.frozen(slots=False)
class AccountValue:
    """The entity that an account belongs to, on the days of a range, by rank."""

    account: str
    rank: int
    from_day: int
    to_day: int
    entity: str


@table("entity", key=("entity",))
@attrs.frozen
class Entity:
    """One of the twelve entities E01..E12 and its opening balance."""

    entity: str
    opening: int


@table("opening_item", key=("item",), indexes=(("lockbox",),))
@attrs.frozen
class OpeningItem:
    """An item open before the first stage."""

    item: str
    lockbox: str
    entity: str
    amount: int
    day: int
    due: int


@table("staff", key=("staff",))
@attrs.frozen
class Staff:
    """A reviewer's capacity: reviews granted and left."""

    staff: str
    granted: int
    left: int


@table("obligation", key=("obligation_id",), indexes=(("due_stage",), ("status",)))
@attrs.frozen
class Obligation:
    """A duty to discharge: `view:S03-07.4/6`, `restate:N-03` or `attest:revision.1`.

    `kind` is view, restate or attest; `status` hidden, open or discharged; `evidence` is what discharged it.
    """

    obligation_id: str
    kind: str
    due_stage: int | None
    status: str
    evidence: Any


@table("stage", key=("stage",))
@attrs.frozen
class Stage:
    """A stage of the release: `unopened`, `open`, or `closed` once its first closing was accepted."""

    stage: int
    status: str


@table("allowance", key=("name",))
@attrs.frozen
class Allowance:
    """What is granted and spent of `tickets` (R11), `relief:revision` and `relief:review` (their limits, R13)."""

    name: str
    granted: int
    spent: int


@table("spending", key=("kind", "holder", "number"))
@attrs.frozen
class Spending:
    """The version that spent a unit: the n-th ticket (`revision`, no holder) or a reviewer's n-th review."""

    kind: str
    holder: str
    number: int
    version: str


@table("citation", key=("source_id", "version"))
@attrs.frozen(slots=False)
class Citations:
    """What a version of a source's normalization was resolved through (R4), kept apart from its content.

    `entries` holds [alias, map_id, account, account_rank, entity] by alias.
    """

    source_id: str
    version: int
    entries: Sequence[Any]


@table("receivable", key=("item",), indexes=(("lockbox", "closed_at"), ("lockbox", "stage")))
@attrs.frozen(slots=False)
class Receivable:
    """An opening item (stage 0) or a sales record of a lockbox; `closed_at` the stage whose match settled it (R6)."""

    item: str
    lockbox: str
    entity: str
    amount: int
    day: int
    due: int
    stage: int
    closed_at: int


@table("settlement", key=("source_id", "item"), indexes=(("item", "stage", "amount"),))
@attrs.frozen(slots=False)
class Settlement:
    """What the latest match of a remittance takes off an item: applied, discount and write-off together."""

    source_id: str
    item: str
    stage: int
    amount: int


NEVER = 2**31
"""`closed_at` of a receivable that no match has settled."""

TABLES: tuple[type, ...] = (
    Source,
    SourceRow,
    Contract,
    IdentitySource,
    IdentityMap,
    AccountValue,
    Entity,
    OpeningItem,
    Staff,
    Obligation,
    Stage,
    Allowance,
    Spending,
    Citations,
    Receivable,
    Settlement,
)
"""Every table of the environment."""
