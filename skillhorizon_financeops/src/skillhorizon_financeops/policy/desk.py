"""What the policy remembers of its own work between steps."""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from skillhorizon import Skipped, listed
from skillhorizon_financeops.policy.reference import FORMATS, Reference

if TYPE_CHECKING:
    from skillhorizon import Client

REMITTANCE = "remittance"


_HEADER = ("stage", "kind", "format", "day", "identity_source_id", "conflict_policy", "lockbox")
told = itemgetter(*_HEADER, "columns", "rows")
"""What `get_source` answers of a source besides its id, as `Source` holds it."""


class Source(NamedTuple):
    """A source as read: its header, and its rows under their columns."""

    id: str
    stage: int
    kind: str
    format: str
    day: int
    identity: str
    policy: str
    lockbox: str | None
    columns: list[str]
    rows: list[list[Any]]


class Normalized(NamedTuple):
    """A source's records, the refs of a remittance's receipts, and the citations of the aliases that records use."""

    records: list[list[Any]]
    refs: dict[str, str]
    citations: list[list[Any]]

    @property
    def entities(self) -> list[str]:
        """The entities of the records, sorted."""
        return sorted({entity for _, _, entity, _ in self.records})


class Matched(NamedTuple):
    """The open items that a remittance was matched against, its lines and what no item took."""

    items: list[list[Any]]
    lines: list[list[Any]]
    on_account: list[list[Any]]


class Made(NamedTuple):
    """What was made of a source, up to the version of its aggregate; only remittances are matched."""

    normalized: Normalized
    matched: Matched | None
    totals: list[list[Any]]
    aggregate: str

    @property
    def effect(self) -> list[tuple[Any, ...]]:
        """What it adds to its lockbox's open items and takes from them (R6)."""
        if self.matched is not None:
            return sorted((item, sum(amounts)) for _, item, *amounts in self.matched.lines)
        return sorted((order, entity, minor) for order, _, entity, minor in self.normalized.records if minor > 0)


class Desk:
    """The policy's memory: reference data, sources, what was made, views due, reviews and publications.

    Attributes:
        packages: source ids and kinds of each stage listed.
        sources, made: what was read and made, by source id.
        trusted: sources whose reading need not be repeated: their package was made from it, or a notice had it read.
        listed_items: open items read to decide whether a remittance moved, until its match uses them.
        affected: sources that a notice reaches, by notice id; known once it is assessed.
        due: subjects of the views due, by stage; `foreseen`: those known before a notice's remakes, with its id.
        recorded: subjects of views with a step behind them.
        closed: stages that a closure was accepted for.
        reported: what first closings reported of each source, and later ones until the next, with their stage (R9);
            `unreported`: what was made since.
        reviewed: (closure version, reviewer) by stage; `published`: review version by stage.
    """

    def __init__(self, client: Client) -> None:
        self.client = client
        self.reference = Reference()
        self.opened: dict[int, list[str]] = {}
        self.open_stage: int | None = None
        self.opening: dict[str, int] = {}
        self.staff: dict[str, int] = {}
        self.packages: dict[int, dict[str, str]] = {}
        self.sources: dict[str, Source] = {}
        self.made: dict[str, Made] = {}
        self.trusted: set[str] = set()
        self.listed_items: dict[str, list[list[Any]]] = {}
        self.affected: dict[str, list[str]] = {}
        self.due: dict[int, list[str]] = {}
        self.foreseen: dict[int, tuple[str, list[str]]] = {}
        self.recorded: set[str] = set()
        self.closed: set[int] = set()
        self.reported: dict[str, list[tuple[int, Made]]] = {}
        self.unreported: dict[str, Made] = {}
        self.reviewed: dict[int, tuple[str, str]] = {}
        self.published: dict[int, str] = {}

    def made_of(self, source_id: str) -> Made:
        """Return what was made of a source.

        Raises:
            Skipped: when a skipped step should have made it.
        """
        if source_id not in self.made:
            raise Skipped(f"nothing was made of source '{source_id}'; the step that does so was skipped")
        return self.made[source_id]

    def report(self, stage: int) -> None:
        """Note what a stage's first closing reports of the sources made since the one before."""
        for source_id, made in self.unreported.items():
            self.reported.setdefault(source_id, []).append((stage, made))
        self.unreported.clear()

    def read_start(self) -> None:
        """Read status, staff, all contracts and accounts."""
        self.look()
        self.staff = {row["staff"]: row["left"] for row in listed(self.client, "list_staff")}
        for form in FORMATS:
            self.reference.read_contracts(self.client, form)
        self.reference.read_accounts(self.client)

    def look(self) -> None:
        """Read the status, and the maps of the identity sources that newly opened stages brought."""
        status = self.client.call("get_release_status")
        self.open_stage, self.opening = status["open_stage"], status["opening"]
        for stage, identities in status["stages"]:
            if stage not in self.opened:
                self.opened[stage] = identities
                for identity in identities:
                    self.reference.read_maps(self.client, identity)

    def list_packages(self, stage: int) -> list[str]:
        """List the source ids of a stage."""
        rows = listed(self.client, "list_packages", stage=stage)
        self.packages[stage] = {row["source_id"]: row["kind"] for row in rows}
        return list(self.packages[stage])

    def list_due(self, stage: int) -> list[str]:
        """List the subjects (source.basis) of the views due at a stage."""
        rows = listed(self.client, "list_obligations", due_stage=stage)
        ids = [row["obligation_id"] for row in rows if row["kind"] == "view"]
        return [each.removeprefix("view:").partition("/")[0] for each in ids]
