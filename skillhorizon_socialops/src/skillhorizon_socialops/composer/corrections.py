"""Which orders a correction takes from a brief."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING

import attrs

from skillhorizon import After, Rng
from skillhorizon_socialops.composer.briefs import post, weight
from skillhorizon_socialops.plan import ConversionCorrection, Event
from skillhorizon_socialops.rows import Brief
from skillhorizon_socialops.truth import Story

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


_MOST_ROWS = 6
_LONGEST_DELAY = 600
_TURNS = 2


@attrs.frozen(kw_only=True)
class Search:
    """What a correction is sought with.

    Attributes:
        rng: of this boundary.
        story: what is true before it.
        wave: w; the boundary follows it.
        briefs: candidates in the order of preference.
        changing: whether the winner is to change.
    """

    rng: Rng
    story: Story
    wave: int
    briefs: Sequence[Brief]
    changing: bool


@attrs.frozen
class Found:
    """A correction, without an id, and whether it changes its brief's winner."""

    correction: ConversionCorrection
    changes: bool


@attrs.frozen
class Order:
    """A credited order that touches one brief only: its arm, and all its rows."""

    arm: str
    rows: Sequence[Event]


@attrs.frozen
class Choice:
    """Orders of a brief to be taken from it, the generator that draws how, and whether the winner changes by it."""

    rng: Rng
    brief: Brief
    orders: Sequence[Order]
    changes: bool


def correction(search: Search) -> Found | None:
    """Seek brief and orders together, so that the winner changes or stays as wanted, if any can.

    Returns:
        The first correction that does as wanted, else the first of all; None when no brief has a credited order
        to lose.
    """
    other: Choice | None = None
    for brief in search.briefs:
        for choice in _choices(search, brief):
            if choice.changes == search.changing:
                return Found(_taken(search, choice), choice.changes)
            other = other or choice
    return None if other is None else Found(_taken(search, other), other.changes)


def _choices(search: Search, brief: Brief) -> Iterator[Choice]:
    """Yield credited orders of a brief, of drawn and growing numbers; it is reported again at the boundary."""
    rng, story, name = search.rng.stream(brief.brief_id), search.story, brief.brief_id
    credit, winner = story.credit(name, search.wave - 1), story.verdict(name, search.wave - 1).winner
    for own, orders in _orders(rng, story, brief):
        for count in _counts(own.stream("counts"), [len(order.rows) for order in orders]):
            lost = Counter(order.arm for order in orders[:count])
            left = attrs.evolve(credit, conv_a=credit.conv_a - lost["a"], conv_b=credit.conv_b - lost["b"])
            yield Choice(own, brief, orders[:count], story.decide(name, left, search.wave).winner != winner)


def _orders(rng: Rng, story: Story, brief: Brief) -> Iterator[tuple[Rng, list[Order]]]:
    """Yield an arm's credited orders in drawn orders, then those of few rows first, of which most can be taken."""
    credited = {arm: _credited(story, brief, arm) for arm in "ab"}
    for arm, turn in rng.shuffled([(arm, turn) for arm in "ab" for turn in range(_TURNS)]):
        own = rng.stream(arm, turn)
        yield own, [credited[arm][order] for order in own.shuffled(sorted(credited[arm]))]
    for arms in ("a", "b", "ab"):
        own = rng.stream(arms, "few")
        found = {name: order for arm in arms for name, order in credited[arm].items()}
        yield own, sorted((found[name] for name in own.shuffled(sorted(found))), key=lambda order: len(order.rows))


def _counts(rng: Rng, sizes: Sequence[int]) -> Iterator[int]:
    """Yield how many of the orders to take, at most six rows together; a drawn number first."""
    fitting = [count for count in range(1, len(sizes) + 1) if sum(sizes[:count]) <= _MOST_ROWS]
    if fitting:
        first = rng.choice(fitting)
        yield first
        yield from (count for count in reversed(fitting) if count != first)


def _credited(story: Story, brief: Brief, arm: str) -> Mapping[str, Order]:
    """Return the orders that one arm is credited with and that touch no other brief."""
    rows: dict[str, list[Event]] = defaultdict(list)
    for event in story.known.events[brief.brief_id]:
        if not event.shared:
            rows[event.order].append(event)
    window = brief.credit_window_min
    return {
        order: Order(arm, events)
        for order, events in rows.items()
        if any(not event.void and event.delay <= window and _last_arm(story, event) == arm for event in events)
    }


def _last_arm(story: Story, event: Event) -> str:
    dues = story.course.dues
    last = max(event.touches, key=lambda touch: dues[touch[0]] + touch[1])
    return story.target(last[0]).arm


def _taken(search: Search, choice: Choice) -> ConversionCorrection:
    """Let each order turn void, or happen past the window of its last touch."""
    rng, brief = choice.rng.stream("taken"), choice.brief
    voided: list[str] = []
    retimed: list[tuple[str, int]] = []
    window = brief.credit_window_min
    for order in choice.orders:
        if rng.chance(5_000):
            voided += [event.id for event in order.rows if not event.void]
        else:
            late = [event for event in order.rows if event.delay <= window]
            retimed += [(event.id, rng.integer(window + 1, _LONGEST_DELAY)) for event in late]
    return ConversionCorrection(
        id="",
        trigger=After("wave_closed", search.wave),
        wave=search.wave,
        brief=brief.brief_id,
        voided=tuple(sorted(voided)),
        retimed=tuple(sorted(retimed)),
        post=post(brief, "c", search.wave + 1, weight(rng, "c")),
    )
