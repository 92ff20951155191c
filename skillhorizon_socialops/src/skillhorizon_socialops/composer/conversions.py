"""The conversions of a wave: offsets from posts' due minutes, or from the wave's start where two briefs share one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

import attrs

from skillhorizon_socialops.composer.briefs import HOURS
from skillhorizon_socialops.config import OVERLAPPING
from skillhorizon_socialops.plan import Event
from skillhorizon_socialops.rows import Brief

if TYPE_CHECKING:
    from collections.abc import Iterable

    from skillhorizon import Rng

_EVENTS, _LEAST_OWN = (16, 28), 8
_ENDS_ON_B = (4_200, 6_800)
_OFFSET = (60, 240)
_DELAY = (20, 600)
_OBSERVED_MIN = 840
_IN_WINDOW_BP = 7_500
_VOIDS, _DUPLICATES, _LATER = (1, 3), (2, 4), (1, 120)
_MOST_TOUCHES = 3
_LEAST_CREDITED = 4
_VALUE = (1_000, 20_000)
_SHARED_BP = {OVERLAPPING: 3_500}
_SHARED_ELSE_BP = 2_000
_WHOLE = 10_000
_MOMENT = itemgetter(1, 0)


@attrs.frozen
class Side:
    """A brief beside its two arms; b is the substitute where one is planned.

    Attributes:
        posts: arm -> post.
        arms: each arm's post and its due minute in the wave.
        until: the last minute of the wave that counts.
    """

    brief: Brief
    posts: Mapping[str, str]
    arms: Sequence[tuple[str, int]]
    until: int

    @classmethod
    def of(cls, brief: Brief, *, substituted: bool) -> Side:
        """Return a brief's side."""
        letters = {"a": "a", "b": "s" if substituted else "b"}
        posts = {arm: f"p{brief.brief_id[1:]}-{letter}" for arm, letter in letters.items()}
        arms = [(posts[arm], 60 * (HOURS[letter] + brief.lane)) for arm, letter in letters.items()]
        return cls(brief, posts, arms, max(due for _, due in arms) + _OBSERVED_MIN)


class Draft(NamedTuple):
    """An event without its numbers; `room` is the longest delay that every touched brief still counts."""

    briefs: tuple[str, ...]
    touches: tuple[tuple[str, int], ...]
    delay: int
    room: int
    value: int
    void: bool = False

    @property
    def shared(self) -> bool:
        """Whether it touches two briefs."""
        return len(self.briefs) > 1


def conversions(
    rng: Rng, scenario: str, sides: Sequence[Side], pairs: Sequence[tuple[int, int]], first: int
) -> list[Event]:
    """Draw a wave's events.

    Args:
        rng: the wave's own stream.
        scenario: whose share of events touches two briefs.
        sides: the wave's briefs by lane.
        pairs: lanes that share events.
        first: the number of the first event; ids and orders follow in drawn orders.
    """
    totals = [rng.stream("count", lane).integer(*_EVENTS) for lane in range(len(sides))]
    shared = {pair: _shared(rng.stream("shared", *pair), scenario, sides, pair, totals) for pair in _counted(pairs)}
    drafts: list[list[Draft]] = []
    for lane, side in enumerate(sides):
        touched = sum(len(found) for pair, found in shared.items() if lane in pair)
        own = _own(rng.stream("own", lane), side, max(_LEAST_OWN, totals[lane] - touched))
        owned = [draft for pair, found in shared.items() if pair[0] == lane for draft in found]
        drafts += _repeated(rng.stream("again", lane), own + owned)
    return _numbered(rng.stream("numbers"), sides[0].brief.wave, drafts, first)


def _counted(pairs: Sequence[tuple[int, int]]) -> Iterable[tuple[int, int]]:
    return dict.fromkeys(pairs)


def _pairs_per_lane(scenario: str, lanes: int) -> int:
    return 2 if scenario == OVERLAPPING and lanes > 2 else 1  # noqa: PLR2004  # two lanes are one pair


def _shared(
    rng: Rng, scenario: str, sides: Sequence[Side], pair: tuple[int, int], totals: Sequence[int]
) -> list[Draft]:
    """Draw the events of a pair of lanes; the first ends on two touches of one minute.

    With a share s of all events, a brief shows 2s/(1 + s) of its own as shared.
    """
    share = _SHARED_BP.get(scenario, _SHARED_ELSE_BP)
    wanted = (totals[pair[0]] + totals[pair[1]]) * share // (_WHOLE + share)
    count = max(1, wanted // _pairs_per_lane(scenario, len(sides)))
    one, other = (sides[lane] for lane in pair)
    return [_tied(rng, one, other), *(_crossing(rng, one, other) for _ in range(count - 1))]


def _tied(rng: Rng, one: Side, other: Side) -> Draft:
    low, high = _OFFSET
    meetings = [
        ((post, other_post), max(due, other_due) + low, min(due, other_due) + high)
        for post, due in one.arms
        for other_post, other_due in other.arms
        if abs(due - other_due) <= high - low
    ]
    posts, earliest, latest = rng.choice(meetings)
    minute = rng.integer(earliest, latest)
    window = min(one.brief.credit_window_min, other.brief.credit_window_min)
    room = min(_DELAY[1], one.until - minute, other.until - minute)
    touches = tuple((post, minute) for post in posts)
    delay = rng.integer(_DELAY[0], min(room, window))
    return _draft(rng, (one, other), touches, delay, room)


def _crossing(rng: Rng, one: Side, other: Side) -> Draft:
    touched = [rng.choice(one.arms), rng.choice(other.arms)]
    if rng.chance(_WHOLE // 2):
        touched.append(rng.choice([*one.arms, *other.arms]))
    touches = tuple(sorted({(post, due + rng.integer(*_OFFSET)) for post, due in touched}, key=_MOMENT))
    last = touches[-1]
    room = min(_DELAY[1], one.until - last[1], other.until - last[1])
    owner = one if last[0] in one.posts.values() else other
    return _draft(rng, (one, other), touches, _delay(rng, owner.brief.credit_window_min, room), room)


def _delay(rng: Rng, window: int, room: int) -> int:
    """Draw a delay, three times in four inside the window, if there is room beyond it."""
    low = _DELAY[0]
    if room <= window or rng.chance(_IN_WINDOW_BP):
        return rng.integer(low, min(window, room))
    return rng.integer(window + 1, room)


def _draft(rng: Rng, sides: Sequence[Side], touches: tuple[tuple[str, int], ...], delay: int, room: int) -> Draft:
    return Draft(tuple([side.brief.brief_id for side in sides]), touches, delay, room, rng.integer(*_VALUE))


def _own(rng: Rng, side: Side, count: int) -> list[Draft]:
    """Draw a brief's own events, again until at least four orders are credited."""
    attempt = 0
    while True:
        found = _attempt(rng.stream(attempt), side, count)
        credited = [draft for draft in found if not draft.void and draft.delay <= side.brief.credit_window_min]
        if len(credited) >= _LEAST_CREDITED:
            return found
        attempt += 1


def _attempt(rng: Rng, side: Side, count: int) -> list[Draft]:
    on_b = count * rng.integer(*_ENDS_ON_B) // _WHOLE
    found = [_single(rng, side, "b" if number < on_b else "a") for number in range(count)]
    voids = set(rng.sample(range(count), rng.integer(*_VOIDS)))
    for number in voids:
        found[number] = found[number]._replace(void=True)
    return found


def _single(rng: Rng, side: Side, arm: str) -> Draft:
    """Draw an event of one brief whose last touch is on an arm; an earlier one may be on a."""
    last = rng.integer(*_OFFSET)
    touches = {(side.posts[arm], last)}
    for _ in range(rng.integer(0, _MOST_TOUCHES - 1)):
        if arm == "b" and rng.chance(_WHOLE // 2):
            touches.add((side.posts["a"], rng.integer(*_OFFSET)))
        else:
            touches.add((side.posts[arm], rng.integer(_OFFSET[0], last)))
    delay = _delay(rng, side.brief.credit_window_min, _DELAY[1])
    return _draft(rng, (side,), tuple(sorted(touches)), delay, _DELAY[1])


def _repeated(rng: Rng, drafts: Sequence[Draft]) -> list[list[Draft]]:
    """Return each event with its repetitions: some orders stand twice, the second time later."""
    able = [number for number, draft in enumerate(drafts) if not draft.void and draft.delay < draft.room]
    chosen = set(rng.sample(able, min(len(able), rng.integer(*_DUPLICATES))))
    return [[draft, _later(rng, draft)] if number in chosen else [draft] for number, draft in enumerate(drafts)]


def _later(rng: Rng, draft: Draft) -> Draft:
    delay = min(draft.room, draft.delay + rng.integer(*_LATER))
    return draft._replace(delay=delay, value=rng.integer(*_VALUE))


def _numbered(rng: Rng, wave: int, orders: Sequence[Sequence[Draft]], first: int) -> list[Event]:
    rows = sum(map(len, orders))
    ids = iter(rng.stream("ids").shuffled(range(first, first + rows)))
    names = rng.stream("orders").shuffled(range(first, first + rows))
    return [
        Event(
            id=f"e{next(ids):04}",
            order=f"o{name:04}",
            wave=wave,
            briefs=draft.briefs,
            shared=draft.shared,
            touches=draft.touches,
            delay=draft.delay,
            value=draft.value,
            void=draft.void,
        )
        for name, drafts in zip(names, orders, strict=False)
        for draft in drafts
    ]
