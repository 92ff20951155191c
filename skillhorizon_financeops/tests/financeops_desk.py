"""A small hand-made release and a clerk who works on it, for the tests of the gateway."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from skillhorizon import After, World
from skillhorizon.gateway.call import Call
from skillhorizon.testing import Handmade
from skillhorizon_financeops.gateway import TOOLS
from skillhorizon_financeops.plan import (
    AccountReassigned,
    AnyUpdate,
    ContractSuperseded,
    MapSuperseded,
    PlannedView,
    SourceAmended,
)
from skillhorizon_financeops.reference import Feed, feed_of
from skillhorizon_financeops.rows import (
    COLUMNS,
    NEVER,
    TABLES,
    AccountValue,
    Allowance,
    Contract,
    Entity,
    IdentityMap,
    IdentitySource,
    Obligation,
    OpeningItem,
    Receivable,
    Source,
    SourceRow,
    Staff,
    Stage,
)
from skillhorizon_financeops.rules import (
    ENTITIES,
    OpenItem,
    Receipt,
    governing,
    match,
    match_totals,
    record_totals,
    records,
    resolve,
    roll,
    usable,
)
from skillhorizon_financeops.updates import apply

if TYPE_CHECKING:
    from collections.abc import Sequence

CODES = {"10": "sale", "20": "correction", "70": "metadata", "90": "withdrawn"}
STAGES = 3

CONTRACTS = [
    Contract("FA-1", "FA", 0, 9999, 0, 1, 1, 1, "net", 0, CODES, None, None, None),
    Contract("FB-1", "FB", 0, 9999, 0, 1, 1, 1, "net", 0, CODES, None, None, None),
    Contract("FB-2", "FB", 200, 299, 1, 1, 10, 1, "gross", 825, CODES, None, None, None),
    Contract("FR-1", "FR", 0, 9999, 0, 1, 1, 1, "net", 0, CODES, 200, 120, 50),
]
MAPS = [
    IdentityMap("MP-1.0", "ID-1", 0, 9999, 0, {"K01": "AC-01", "K02": "AC-02", "K03": "AC-03"}),
    IdentityMap("MP-1.1", "ID-1", 190, 260, 1, {"K02": "AC-03"}),
    IdentityMap("MP-2.0", "ID-2", 0, 9999, 0, {"K01": "AC-02", "K02": "AC-01"}),
    IdentityMap("MP-4.0", "ID-4", 0, 9999, 0, {"K01": "AC-01", "K02": "AC-02"}),
]
ACCOUNTS = [
    AccountValue("AC-01", 0, 0, 9999, "E01"),
    AccountValue("AC-02", 0, 0, 9999, "E02"),
    AccountValue("AC-03", 0, 0, 9999, "E03"),
    AccountValue("AC-03", 1, 200, 299, "E05"),
]
OPENING = [
    OpeningItem("A0001", "LB-01", "E01", 5000, 40, 190),
    OpeningItem("A0002", "LB-01", "E02", 3000, 50, 200),
]


def _rows(stage: int) -> dict[str, list[list[Any]]]:
    o = f"O0{stage}01"
    q = f"Q0{stage}02"
    return {
        f"S0{stage}-01": [
            ["K01", 10_000 * stage, f"{o}01", "10", 1],
            ["K02", 20_000, f"{o}02", "10", 1],
            ["K02", 22_000, f"{o}02", "20", 2],
            ["K01", 70, f"{o}03", "10", 1],
            ["K01", 0, f"{o}03", "90", 2],
        ],
        f"S0{stage}-02": [
            [f"{q}01", 1, "10", "K01", 4_950, "A0001" if stage == 1 else f"O0{stage - 1}0101"],
            [f"{q}02", 1, "10", "K02", 1_000, ""],
        ],
    }


def sources() -> tuple[list[Source], list[SourceRow]]:
    """Return three stages of one lockbox: a sales source and a remittance each."""
    found, rows = [], []
    for stage in range(1, STAGES + 1):
        identity = "ID-1" if stage < STAGES else "ID-4"
        day, sales, remittance = 100 * stage, f"S0{stage}-01", f"S0{stage}-02"
        found.append(Source(sales, stage, "sales", "FB", day, identity, "latest_revision", "LB-01", 1))
        found.append(Source(remittance, stage, "remittance", "FR", day + 2, identity, "first", "LB-01", 1))
        for source_id, cells in _rows(stage).items():
            rows += [SourceRow(source_id, pos, 1, each) for pos, each in enumerate(cells, 1)]
    return found, rows


def world(*, tickets: int = 4, reviews: int = 4, reliefs: int = 1) -> World:
    """Return the release at its start."""
    made = World.empty(TABLES)
    headers, rows = sources()
    identities = [IdentitySource(f"ID-{n}", 1) for n in (1, 2)] + [IdentitySource("ID-4", 2)]
    made.insert(*headers, *rows, *CONTRACTS, *MAPS, *ACCOUNTS, *OPENING, *identities)
    made.insert(*(Entity(entity, 100) for entity in ENTITIES))
    made.insert(*(Staff(f"ST-{n}", reviews, reviews) for n in (1, 2, 3)))
    made.insert(*(Receivable(i.item, i.lockbox, i.entity, i.amount, i.day, i.due, 0, NEVER) for i in OPENING))
    made.insert(*(Stage(n, "open" if n == 1 else "unopened") for n in range(1, STAGES + 1)))
    made.insert(Allowance("tickets", tickets, 0))
    made.insert(Allowance("relief:revision", reliefs, 0), Allowance("relief:review", reliefs, 0))
    made.insert(PlannedView("S01-01", 1, 3).obligation("hidden"))
    return made


OVERLAY = MapSuperseded(
    id="N-01",
    trigger=After("stage_closed", 2),
    stage=2,
    decoy=False,
    views=(PlannedView("S02-01", 2, 3),),
    overlay=IdentityMap("MP-1.2", "ID-1", 200, 201, 2, {"K02": "AC-01"}),
)
REASSIGNED = AccountReassigned(
    id="N-01",
    trigger=After("stage_closed", 2),
    stage=2,
    decoy=False,
    value=AccountValue("AC-03", 2, 200, 201, "E07"),
)
SUPERSEDED = ContractSuperseded(
    id="N-01",
    trigger=After("stage_closed", 2),
    stage=2,
    decoy=False,
    contract=Contract("FB-3", "FB", 100, 150, 2, 1, 100, 1, "net", 0, CODES, None, None, None),
)
AMENDED = SourceAmended(
    id="N-01",
    trigger=After("stage_closed", 2),
    stage=2,
    decoy=False,
    sources=("S01-01", "S01-02", "S02-01"),
    rows=(
        SourceRow("S01-01", 6, 2, ["K01", 11_000, "O010101", "20", 2]),
        SourceRow("S01-02", 3, 2, ["Q010201", 2, "20", "K01", 1, ""]),
        SourceRow("S02-01", 6, 2, ["K01", 1, "O020101", "70", 2]),
    ),
)


class Desk(Handmade):
    """A clerk with a session; `work` methods submit what the rules give."""

    def __init__(self, *updates: AnyUpdate, made: World | None = None) -> None:
        super().__init__(world() if made is None else made, TOOLS, apply, updates)

    def source(self, source_id: str) -> Source:
        """Return a source's header."""
        found = self.world.get(Source, source_id)
        assert found is not None
        return found

    def chosen(self, source_id: str) -> tuple[Contract, Feed, dict[str, int]]:
        """Return the governing contract, the rows, and which of them are selected (R1, R2)."""
        source = self.source(source_id)
        contract = governing(self.world.select(Contract, format=source.format), source.day)
        assert contract is not None
        feed = feed_of(self.world, source)
        return contract, feed, feed.chosen(source.conflict_policy, contract.codes)

    def package(self, source_id: str, **changes: Any) -> dict[str, Any]:
        """Return the right arguments of a normalization, with some replaced (R1 to R5)."""
        source = self.source(source_id)
        contract, feed, chosen = self.chosen(source_id)
        maps = self.world.select(IdentityMap, identity_source_id=source.identity_source_id)
        accounts: dict[str, list[AccountValue]] = {}
        for value in self.world.select(AccountValue):
            accounts.setdefault(value.account, []).append(value)
        reigning = {account: governing(values, source.day) for account, values in accounts.items()}
        values = {account: (value.rank, value.entity) for account, value in reigning.items() if value is not None}
        entities = {}
        for alias in {feed.parties[at] for at in chosen.values()}:
            cited = resolve(alias, usable(maps, source.day), values)
            assert cited is not None
            entities[alias] = cited.entity
        submitted = governing(maps, source.day)
        assert submitted is not None
        return {
            "source_id": source_id,
            "contract_id": contract.contract_id,
            "identity_source_id": source.identity_source_id,
            "identity_map_id": submitted.map_id,
            "conflict_policy": source.conflict_policy,
            "records": [list(each) for each in records(chosen, feed.parties, feed.amounts, contract, entities)],
            **changes,
        }

    def normalize(self, source_id: str, **changes: Any) -> Any:
        """Submit a normalization."""
        return self.call("submit_normalization", **self.package(source_id, **changes))

    def content(self, artifact_id: str) -> Any:
        """Return the current content of an artifact."""
        found = self.world.ledger.current(artifact_id)
        assert found is not None, artifact_id
        return found.content

    def open_items(self, stage: int) -> list[OpenItem]:
        """Return a stage's list of open items."""
        page = self.call("list_open_items", lockbox="LB-01", stage=stage)
        assert page["next"] is None
        return [OpenItem(*row) for row in page["rows"]]

    def matched(self, source_id: str) -> dict[str, Any]:
        """Return the right arguments of a match (R6)."""
        source = self.source(source_id)
        contract, _, _ = self.chosen(source_id)
        columns = COLUMNS["FR"]
        rows = [row.cells for row in self.world.select(SourceRow, source_id=source_id)]
        refs = {cells[columns.index("order")]: cells[columns.index("ref")] for cells in reversed(rows)}
        receipts = [
            Receipt(pay, entity, minor, refs[pay])
            for pay, _, entity, minor in self.content(f"NRM:{source_id}")["records"]
        ]
        assert contract.disc_bps is not None
        made = match(receipts, self.open_items(source.stage), contract, source.day)  # type: ignore[arg-type]  # FR has terms
        return {
            "source_id": source_id,
            "lines": [list(line) for line in made.lines],
            "on_account": [list(row) for row in made.on_account],
        }

    def match(self, source_id: str) -> Any:
        """Submit a match."""
        return self.call("submit_match", **self.matched(source_id))

    def totals(self, source_id: str) -> list[list[Any]]:
        """Return the totals that tie (R7)."""
        normalized = self.content(f"NRM:{source_id}")["records"]
        if self.source(source_id).kind == "sales":
            return [list(total) for total in record_totals((entity, minor) for _, _, entity, minor in normalized)]
        content = self.content(f"MAT:{source_id}")
        settled = [(pay, sum(parts)) for pay, _, *parts in content["lines"]]
        settled += [(pay, amount) for pay, _, amount in content["on_account"]]
        return [list(t) for t in match_totals(settled, {order: entity for order, _, entity, _ in normalized})]

    def aggregate(self, source_id: str) -> Any:
        """Submit totals."""
        return self.call("submit_aggregate", source_id=source_id, totals=self.totals(source_id))

    def work(self, source_id: str) -> None:
        """Do a whole package."""
        self.normalize(source_id)
        if self.source(source_id).kind == "remittance":
            self.match(source_id)
        self.aggregate(source_id)

    def rolled(self, stage: int, *, views: Sequence[str] = (), preparer: str = "ST-1") -> dict[str, Any]:
        """Return the right arguments of a closing (R8)."""
        opening = dict.fromkeys(ENTITIES, 100) if stage == 1 else self.content(f"CLS:{stage - 1}")["closing"]
        found = [self.world.ledger.current(f"AGG:S0{stage}-0{n}") for n in (1, 2)]
        totals = [tuple(total) for each in found if each is not None for total in each.content["totals"]]
        movement, closing = roll(opening, totals)
        return {"stage": stage, "preparer": preparer, "views": list(views), "movement": movement, "closing": closing}

    def close(self, stage: int, *, views: Sequence[str] = (), preparer: str = "ST-1") -> Any:
        """Close a stage."""
        return self.call("close_stage", **self.rolled(stage, views=views, preparer=preparer))

    def stage(self, stage: int, *, views: Sequence[str] = ()) -> Any:
        """Do all packages of a stage and close it."""
        for n in (1, 2):
            self.work(f"S0{stage}-0{n}")
        return self.close(stage, views=views)

    def view(self, source_id: str = "S01-01", basis: int = 1) -> str:
        """Record a view from the first aggregate version."""
        version = self.world.ledger.version(f"AGG:{source_id}", 1)
        assert version is not None
        made = self.call(
            "record_view",
            source_id=source_id,
            basis_stage=basis,
            aggregate=version.ref,
            totals=version.content["totals"],
        )
        return str(made["artifact"])

    def release(self) -> None:
        """Do all stages, review, publish and release."""
        for stage in (1, 2):
            self.stage(stage)
        self.stage(3, views=[self.view()])
        for stage in (1, 2, 3):
            self.review(stage)
            self.publish(stage)
        self.call("publish_release", balances=self.content("CLS:3")["closing"])

    def review(self, stage: int, reviewer: str = "") -> Any:
        """Review a stage by somebody who prepared nothing: ST-2 odd ones, ST-3 even ones."""
        closure = self.world.ledger.current(f"CLS:{stage}")
        assert closure is not None
        who = reviewer or ("ST-2" if stage % 2 else "ST-3")
        return self.call("review_stage", stage=stage, closure=closure.ref, reviewer=who)

    def publish(self, stage: int) -> Any:
        """Publish a stage."""
        review = self.world.ledger.current(f"RVW:{stage}")
        assert review is not None
        return self.call("publish_stage", stage=stage, review=review.ref)

    def obligation(self, obligation_id: str) -> Obligation | None:
        """Return an obligation, hidden or not."""
        return self.world.get(Obligation, obligation_id)

    @property
    def ask(self) -> Call:
        """A call outside the session, for what only bodies see."""
        return Call(self.world, 0, "", list)
