"""Which orders a correction takes from a brief."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING

import attrs

from skillhorizon import After, Rng
from skillhorizon_socialops.composer.briefs import post, weight
from skillhorizon_socialops.plan import ConversionCorrection
from skillhorizon_socialops.rows import Brief
from skillhorizon_socialops.truth import Story

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from skillhorizon_socialops.plan import Event

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


def correction(search: Search) -> Found | None:
    """Seek brief and orders together, so that the winner changes or stays as wanted, if any can.

    Returns:
        The first correction that does as wanted, else the first of all; None when no brief has a credited order
        to lose.
    """
    other: Found | None = None
    for brief in search.briefs:
        for taken in _corrections(search, brief):
            found = Found(taken, changes_winner(search.story, taken))
            if found.changes == search.changing:
                return found
            other = other or found
    return other


def changes_winner(story: Story, found: ConversionCorrection) -> bool:
    """Whether the winner after a correction, reported at its boundary, is another than before."""
    after = story.decide(found.brief, story.credit_after(found), found.wave).winner
    return story.verdict(found.brief, found.wave - 1).winner != after


def _corrections(search: Search, brief: Brief) -> Iterator[ConversionCorrection]:
    """Yield corrections of a brief's orders, of drawn and growing numbers."""
    rng = search.rng.stream(brief.brief_id)
    before = search.story.credit(brief.brief_id, search.wave - 1)
    for own, orders in _orders(rng, search.story, brief):
        for count in _counts(own.stream("counts"), [len(rows) for rows in orders]):
            found = _taken(own.stream("taken"), search, brief, orders[:count])
            if search.story.credit_after(found) != before:
                yield found


def _orders(rng: Rng, story: Story, brief: Brief) -> Iterator[tuple[Rng, list[list[Event]]]]:
    """Yield an arm's credited orders in drawn orders, then those of few rows first, of which most can be taken."""
    credited = {arm: _credited(story, brief, arm) for arm in "ab"}
    for arm, turn in rng.shuffled([(arm, turn) for arm in "ab" for turn in range(_TURNS)]):
        own = rng.stream(arm, turn)
        yield own, [credited[arm][order] for order in own.shuffled(sorted(credited[arm]))]
    for arms in ("a", "b", "ab"):
        own = rng.stream(arms, "few")
        rows = {order: events for arm in arms for order, events in credited[arm].items()}
        yield own, sorted((rows[order] for order in own.shuffled(sorted(rows))), key=len)


def _counts(rng: Rng, sizes: Sequence[int]) -> Iterator[int]:
    """Yield how many of the orders to take, at most six rows together; a drawn number first."""
    fitting = [count for count in range(1, len(sizes) + 1) if sum(sizes[:count]) <= _MOST_ROWS]
    if fitting:
        first = rng.choice(fitting)
        yield first
        yield from (count for count in reversed(fitting) if count != first)


def _credited(story: Story, brief: Brief, arm: str) -> Mapping[str, list[Event]]:
    """Return the orders that one arm is credited with and that touch no other brief, with all their rows."""
    rows: dict[str, list[Event]] = defaultdict(list)
    for event in story.known.events[brief.brief_id]:
        if not event.shared:
            rows[event.order].append(event)
    window = brief.credit_window_min
    return {
        order: events
        for order, events in rows.items()
        if any(not event.void and event.delay <= window and _last_arm(story, event) == arm for event in events)
    }


def _last_arm(story: Story, event: Event) -> str:
    dues = story.course.dues
    last = max(event.touches, key=lambda touch: dues[touch[0]] + touch[1])
    return story.target(last[0]).arm


def _taken(rng: Rng, search: Search, brief: Brief, orders: Sequence[Sequence[Event]]) -> ConversionCorrection:
    """Let each order turn void, or happen past the window of its last touch."""
    voided: list[str] = []
    retimed: list[tuple[str, int]] = []
    window = brief.credit_window_min
    for events in orders:
        if rng.chance(5_000):
            voided += [event.id for event in events if not event.void]
        else:
            late = [event for event in events if event.delay <= window]
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
