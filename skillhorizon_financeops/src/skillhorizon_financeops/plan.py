"""The plan of one task: its facts, its updates, and what is true of it at every stage of knowledge."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import attrs

from skillhorizon import After, Goal, Graph, Json, Requirement
from skillhorizon_financeops.rows import (
    AccountValue,
    Contract,
    Entity,
    IdentityMap,
    IdentitySource,
    Obligation,
    OpeningItem,
    Source,
    SourceRow,
    Staff,
)

Record = tuple[str, str, str, int]
"""order, alias, entity, amount in minor units."""
Citation = tuple[str, str, str, int]
"""alias, map id, account, rank of the account's value."""
Line = tuple[str, str, int, int, int]
"""payment, item, applied, discount, writeoff in minor units."""
OnAccount = tuple[str, str, int]
"""payment, entity, amount in minor units."""
Total = tuple[str, int, int]
"""entity, number of records, net in minor units."""
Change = tuple[str, int]
"""entity, change of its net in minor units."""


@attrs.frozen
class PlannedView:
    """A view that falls due: the totals of a source as a basis stage knew them (R9); one per (source, basis, due).

    `notice` is the id of the update whose remake brings it, or "" for a comparative view.
    """

    source_id: str
    basis: int
    due: int
    notice: str = ""

    @property
    def subject(self) -> str:
        """The subject of the view's artifact, such as `S03-07.4`."""
        return f"{self.source_id}.{self.basis}"

    @property
    def obligation_id(self) -> str:
        """The obligation's id, such as `view:S03-07.4/6`."""
        return f"view:{self.subject}/{self.due}"

    def obligation(self, status: str) -> Obligation:
        """Return the obligation's row with the given status, without evidence."""
        return Obligation(self.obligation_id, "view", self.due, status, None)


@attrs.frozen(kw_only=True)
class Update:
    """What the four kinds of update share.

    Attributes:
        id: such as `N-03`, in the order of firing.
        trigger: After("stage_closed", k), or After("released", 1) for the one after the first release.
        stage: k; the one after the release counts as S.
        decoy: whether it ends no normalization.
        views: the hidden view obligations that it adds (one per truly affected source, less those that exist);
            each opens with its source's next NRM version.
    """

    kind: ClassVar[str]
    id: str
    trigger: After
    stage: int
    decoy: bool
    views: tuple[PlannedView, ...] = ()

    @property
    def obligation_id(self) -> str:
        """The obligation that the update opens, such as `restate:N-03`."""
        return f"restate:{self.id}"


@attrs.frozen(kw_only=True)
class MapSuperseded(Update):
    """An overlay, ranked above all maps of its identity source, rules its aliases on the days of its range."""

    kind: ClassVar[str] = "map_superseded"
    overlay: IdentityMap

    @property
    def body(self) -> dict[str, Json]:
        """The notice's public fields."""
        return {
            "identity_source_id": self.overlay.identity_source_id,
            "map_id": self.overlay.map_id,
            "aliases": sorted(self.overlay.entries),
            "from": self.overlay.from_day,
            "to": self.overlay.to_day,
            "obligation": self.obligation_id,
        }


@attrs.frozen(kw_only=True)
class AccountReassigned(Update):
    """An account belongs to another entity on the days of a range."""

    kind: ClassVar[str] = "account_reassigned"
    value: AccountValue

    @property
    def body(self) -> dict[str, Json]:
        """The notice's public fields."""
        return {
            "account": self.value.account,
            "from": self.value.from_day,
            "to": self.value.to_day,
            "entity": self.value.entity,
            "obligation": self.obligation_id,
        }


@attrs.frozen(kw_only=True)
class ContractSuperseded(Update):
    """A format is read by another contract on the days of a range: other scale and basis, same sign and codes."""

    kind: ClassVar[str] = "contract_superseded"
    contract: Contract

    @property
    def body(self) -> dict[str, Json]:
        """The notice's public fields."""
        return {
            "format": self.contract.format,
            "contract_id": self.contract.contract_id,
            "from": self.contract.from_day,
            "to": self.contract.to_day,
            "obligation": self.obligation_id,
        }


@attrs.frozen(kw_only=True)
class SourceAmended(Update):
    """Rows are appended to the listed sources; each listed source's version becomes its rows' `added_version`."""

    kind: ClassVar[str] = "source_amended"
    sources: tuple[str, ...]
    rows: tuple[SourceRow, ...]

    @property
    def body(self) -> dict[str, Json]:
        """The notice's public fields."""
        return {"sources": list(self.sources), "obligation": self.obligation_id}


AnyUpdate = MapSuperseded | AccountReassigned | ContractSuperseded | SourceAmended


@attrs.frozen(kw_only=True)
class SourceTruth:
    """What is true of one source under some knowledge (R1-R7).

    Attributes:
        contract_id, identity_source_id, conflict_policy: what governs it.
        records: by ascending order id.
        citations: by ascending alias; the aliases that records use.
        lines, on_account: of a remittance, sorted; None for sales.
        totals: by ascending entity; entities with a record only.
    """

    contract_id: str
    identity_source_id: str
    conflict_policy: str
    records: tuple[Record, ...]
    citations: tuple[Citation, ...]
    lines: tuple[Line, ...] | None
    on_account: tuple[OnAccount, ...] | None
    totals: tuple[Total, ...]


@attrs.frozen(kw_only=True)
class Truth:
    """The answers; composer and checker alone see them.

    Attributes:
        sources: source id -> truth under final knowledge.
        history: source id -> ((notices known, truth), ...) ascending: each entry holds from that many notices on;
            the first is what its own stage's first closing knew.
        views: view subject (`S03-07.4`) -> totals under K(basis), for every planned view (R9).
        evidence: notice id -> source id -> changes, for exactly the sources that the notice truly affects (R12).
        moved: notice id -> sources whose truth the notice changes, those moved through open items included.
        near: notice id -> near misses, best first: sources of closed stages that it looks like affecting and does not.
        movement, closing: stage -> entity -> minor units, final (R8); closing of stage 0 is the opening balance.
    """

    sources: Mapping[str, SourceTruth]
    history: Mapping[str, tuple[tuple[int, SourceTruth], ...]]
    views: Mapping[str, tuple[Total, ...]]
    evidence: Mapping[str, Mapping[str, tuple[Change, ...]]]
    moved: Mapping[str, tuple[str, ...]]
    near: Mapping[str, tuple[str, ...]]
    movement: Mapping[int, Mapping[str, int]]
    closing: Mapping[int, Mapping[str, int]]


@attrs.frozen(kw_only=True)
class Facts:
    """The tables as they stand at the start, sources of all stages included; rows in the order of their keys.

    `obligations` holds the comparative views, all hidden: each opens when its due stage does (none at stage 1).
    """

    entities: tuple[Entity, ...]
    staff: tuple[Staff, ...]
    identity_sources: tuple[IdentitySource, ...]
    identity_maps: tuple[IdentityMap, ...]
    account_values: tuple[AccountValue, ...]
    contracts: tuple[Contract, ...]
    sources: tuple[Source, ...]
    source_rows: tuple[SourceRow, ...]
    opening_items: tuple[OpeningItem, ...]
    obligations: tuple[Obligation, ...]


@attrs.frozen(kw_only=True)
class Plan:
    """One composed task; satisfies core's plan protocol.

    Attributes:
        graph, goals, requirements: modules and edges, `source:S03-07` goals, D1-D5.
        updates: in the order of firing.
        resources: `tickets` (R11), `reviews` (per member of staff), `reliefs` (limit per kind, R13).
        brief: public facts: stages, sources_per_stage, tickets, reviews, reliefs.
        work: packages, stages, notices, decoys, views.
        stages: S.
        facts: the rows of the start.
        views: every planned view, comparative ones first, by due stage.
        truth: the answers.
    """

    graph: Graph
    goals: tuple[Goal, ...]
    requirements: tuple[Requirement, ...]
    updates: tuple[AnyUpdate, ...]
    resources: Mapping[str, int]
    brief: Mapping[str, Json]
    work: Mapping[str, int]
    stages: int
    facts: Facts
    views: tuple[PlannedView, ...]
    truth: Truth
