"""Which points isolate a set of devices (R5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def boundary(
    devices: Iterable[str], feeds: Iterable[tuple[str, str, str]], stored: Iterable[tuple[str, str]]
) -> list[str]:
    """Return the required points: feeds with exactly one end in the set, and its stored points, in order (R5).

    Args:
        devices: those that are isolated together.
        feeds: (point, upstream device, downstream device), closed and open ones.
        stored: (point, device).

    >>> feeds = [("a", "d1", "d2"), ("b", "d2", "d3"), ("c", "d3", "d4"), ("t", "d9", "d3"), ("x", "d8", "d9")]
    >>> boundary(["d2", "d3"], feeds, [("e3", "d3"), ("e9", "d9")])
    ['a', 'c', 'e3', 't']
    """
    inside = frozenset(devices)
    crossing = {point for point, upstream, downstream in feeds if (upstream in inside) != (downstream in inside)}
    return sorted(crossing | {point for point, device in stored if device in inside})
