"""The plan of one task: its rows, its conversions as offsets, its updates, and its resources."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import attrs

from skillhorizon import After, Goal, Graph, Json, Requirement
from skillhorizon_socialops.rows import Brief, DependsOn, HousePost, Policy, Post


@attrs.frozen(kw_only=True)
class Event:
    """A conversion, drawn as offsets: when it happens depends on when the posts that it touches are due.

    Attributes:
        id: of this row, such as `e0412`.
        order: what was bought; a repeated row bears the same order.
        wave: of the briefs that it touches.
        briefs: whose feeds show it, one or two.
        shared: whether it touches two briefs; its touches then are minutes after the wave's start.
        touches: (post, offset): minutes after that post's due time, or after the wave's start if shared.
        delay: minutes from the latest touch to the conversion.
        value: in minor units.
        void: whether its status is `void` from the start.
    """

    id: str
    order: str
    wave: int
    briefs: tuple[str, ...]
    shared: bool
    touches: tuple[tuple[str, int], ...]
    delay: int
    value: int
    void: bool


@attrs.frozen(kw_only=True)
class Update:
    """What the five kinds of update share.

    Attributes:
        id: such as `N-03`, in the order of the plan.
        trigger: After(`wave_closed`, w) or After(`hour:w+1/h`, 1).
        wave: w, the boundary between waves w and w + 1 that it belongs to.
        decoy: whether it ends no accepted artifact, as a change of retention: it changes what comes.
    """

    kind: ClassVar[str]
    id: str
    trigger: After
    wave: int
    decoy: bool = False


@attrs.frozen(kw_only=True)
class ConversionCorrection(Update):
    """Conversions of a brief turn void or happen later, and a corrective post appears.

    Attributes:
        brief: whose feed changes.
        voided: rows that turn void.
        retimed: (row, its new delay).
        post: the corrective post, its due time provisional.
    """

    kind: ClassVar[str] = "conversion_correction"
    brief: str
    voided: tuple[str, ...]
    retimed: tuple[tuple[str, int], ...]
    post: Post


@attrs.frozen(kw_only=True)
class RerunOrder(Update):
    """A brief's deployment post is to run again, in wave w + 1 at this hour."""

    kind: ClassVar[str] = "rerun_order"
    brief: str
    hour: int


@attrs.frozen(kw_only=True)
class CalendarSubstitution(Update):
    """A brief's scheduled b-post is withdrawn; the substitute's due time is provisional."""

    kind: ClassVar[str] = "calendar_substitution"
    brief: str
    post: Post


@attrs.frozen(kw_only=True)
class RetentionChange(Update):
    """An audience keeps another share of what it has seen; publications to come state other loads."""

    kind: ClassVar[str] = "retention_change"
    audience: str
    retention_bp: int
    decoy: bool = True


@attrs.frozen(kw_only=True)
class RightsWithdrawal(Update):
    """An asset may no longer be used."""

    kind: ClassVar[str] = "rights_withdrawal"
    asset: str


AnyUpdate = ConversionCorrection | RerunOrder | CalendarSubstitution | RetentionChange | RightsWithdrawal


@attrs.frozen(kw_only=True)
class Facts:
    """The task's own rows as they stand at the start, by key, and its conversions."""

    briefs: tuple[Brief, ...]
    depends: tuple[DependsOn, ...]
    posts: tuple[Post, ...]
    house_posts: tuple[HousePost, ...]
    policies: tuple[Policy, ...]
    events: tuple[Event, ...]


@attrs.frozen(kw_only=True)
class Plan:
    """One composed task; satisfies core's plan protocol.

    Attributes:
        graph, goals, requirements: modules and edges, `brief:b` goals, D1-D5 (without D1 if nothing is updated).
        updates: in the order of their minutes.
        resources: `allowance`, the reschedules within it.
        brief: public facts: scenario, pattern, waves, lanes, briefs, final, allowance.
        work: briefs, waves, lanes, updates, conversions.
        waves: W.
        facts: the rows of the start, and the conversions.
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
