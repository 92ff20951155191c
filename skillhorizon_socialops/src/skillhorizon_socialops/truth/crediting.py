"""Who is credited with a conversion (R6)."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

import attrs

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

Touch = tuple[str, int]
"""post, minute."""
_moment = attrgetter("at", "id")


class Conversion(NamedTuple):
    """A row of a feed with its minutes."""

    id: str
    order: str
    at: int
    value: int
    void: bool
    touches: Sequence[Touch]


@attrs.frozen
class Target:
    """What crediting needs of a touched post: its brief, arm, and the brief's window and priority."""

    brief: str
    arm: str
    window: int
    priority: int


@attrs.frozen
class Credit:
    """What a brief's arms won: orders, and their value in minor units."""

    conv_a: int
    conv_b: int
    value_a: int
    value_b: int

    @property
    def conv(self) -> int:
        """Orders of both arms."""
        return self.conv_a + self.conv_b


def winner(conversion: Conversion, targets: Mapping[str, Target]) -> str | None:
    """Return the post with the latest touch inside its brief's window; ties: lower priority, then smaller id.

    >>> targets = {"own": Target("x", "b", 240, 1), "other": Target("y", "b", 480, 2)}
    >>> winner(Conversion("e1", "o1", 1_000, 5, False, (("own", 700), ("other", 650))), targets)
    'other'
    """
    inside = [
        (-at, targets[post].priority, post)
        for post, at in conversion.touches
        if 0 <= conversion.at - at <= targets[post].window
    ]
    return min(inside)[2] if inside else None


def counted(feed: Iterable[Conversion], until: int) -> list[Conversion]:
    """Return what counts of a feed: not void, not later than `until`, each order's earliest row."""
    kept: dict[str, Conversion] = {}
    for row in sorted([row for row in feed if not row.void and row.at <= until], key=_moment):
        kept.setdefault(row.order, row)
    return list(kept.values())


def credit(brief: str, feed: Iterable[Conversion], until: int, targets: Mapping[str, Target]) -> Credit:
    """Return what a brief's arms are credited with."""
    conv, value = {"a": 0, "b": 0}, {"a": 0, "b": 0}
    for row in counted(feed, until):
        post = winner(row, targets)
        if post is not None and targets[post].brief == brief:
            conv[targets[post].arm] += 1
            value[targets[post].arm] += row.value
    return Credit(conv["a"], conv["b"], value["a"], value["b"])
