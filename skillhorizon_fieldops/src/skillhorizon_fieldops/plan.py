"""The plan of one task: its facts, its updates, and what is true of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import attrs

from skillhorizon import After, Goal, Graph, Json, Requirement
from skillhorizon_fieldops.rows import (
    Batch,
    Card,
    Crew,
    CrewBlock,
    Device,
    Feed,
    Fit,
    History,
    Manual,
    Member,
    Need,
    Procedure,
    Reading,
    Rule,
    Service,
    Site,
    StoredPoint,
    Travel,
    Window,
    Zone,
)


@attrs.frozen(kw_only=True)
class Update:
    """What the five kinds of update share; the object is resolved when it fires, by its kind's public rule.

    Attributes:
        id: such as `N-03`, in the order of the plan.
        trigger: After(event, count); see `composer.updates` for the events.
        wave: w, whose work the trigger counts.
        decoy: never; each update ends at least one artifact.
    """

    kind: ClassVar[str]
    id: str
    trigger: After
    wave: int
    decoy: bool = False


@attrs.frozen(kw_only=True)
class BatchRecall(Update):
    """The arrester batch in the device just tested is quarantined."""

    kind: ClassVar[str] = "batch_recall"


@attrs.frozen(kw_only=True)
class ServiceBaseline(Update):
    """A commissioned service's demand becomes demand * (10,000 + change_bp) // 10,000."""

    kind: ClassVar[str] = "service_baseline"
    change_bp: int


@attrs.frozen(kw_only=True)
class WindowChange(Update):
    """A booked window is withdrawn; the other block of its wave opens."""

    kind: ClassVar[str] = "window_change"


@attrs.frozen(kw_only=True)
class CrewChange(Update):
    """A booked crew loses both blocks of the booking's wave."""

    kind: ClassVar[str] = "crew_change"


@attrs.frozen(kw_only=True)
class ProcedureRevision(Update):
    """A class gets a new procedure edition: the row to insert."""

    kind: ClassVar[str] = "procedure_revision"
    procedure: Procedure


AnyUpdate = BatchRecall | ServiceBaseline | WindowChange | CrewChange | ProcedureRevision


@attrs.frozen(kw_only=True)
class Truth:
    """The answers; composer and checker alone see them.

    Attributes:
        seed_text: from which run-time draws derive (`skillhorizon.draws`).
        faults: device -> its true fault.
        infants: devices whose first work fails its test.
        upstream: device -> Up(d), all its closed-feed ancestors, nearest first.
    """

    seed_text: str
    faults: Mapping[str, str]
    infants: frozenset[str]
    upstream: Mapping[str, tuple[str, ...]]


@attrs.frozen(kw_only=True)
class Facts:
    """The tables as they stand at the start; rows in the order of their keys."""

    sites: tuple[Site, ...]
    travel: tuple[Travel, ...]
    zones: tuple[Zone, ...]
    windows: tuple[Window, ...]
    devices: tuple[Device, ...]
    readings: tuple[Reading, ...]
    history: tuple[History, ...]
    feeds: tuple[Feed, ...]
    stored_points: tuple[StoredPoint, ...]
    services: tuple[Service, ...]
    members: tuple[Member, ...]
    needs: tuple[Need, ...]
    crews: tuple[Crew, ...]
    crew_blocks: tuple[CrewBlock, ...]
    manuals: tuple[Manual, ...]
    rules: tuple[Rule, ...]
    cards: tuple[Card, ...]
    fits: tuple[Fit, ...]
    batches: tuple[Batch, ...]
    procedures: tuple[Procedure, ...]


@attrs.frozen(kw_only=True)
class Plan:
    """One composed task; satisfies core's plan protocol.

    Attributes:
        graph, goals, requirements: modules and edges, `case:d` goals, D1-D5.
        updates: in the order of their waves.
        resources: `relief`, the units within budget; `permits`, the limit of open permits.
        brief: public facts: scenario, profile, waves, devices, services, zones, sections, relief, permits.
        work: devices, services, waves, zones, updates, needs, references, pairs.
        waves: W; the sweep is W + 1.
        facts: the rows of the start.
        truth: the answers.
    """

    graph: Graph
    goals: tuple[Goal, ...]
    requirements: tuple[Requirement, ...]
    updates: tuple[AnyUpdate, ...]
    resources: Mapping[str, int]
    brief: Mapping[str, Json]
    work: Mapping[str, int]
    waves: int
    facts: Facts
    truth: Truth
