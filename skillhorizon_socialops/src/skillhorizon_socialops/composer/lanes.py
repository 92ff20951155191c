"""What each lane keeps from wave to wave: a locale, a channel and its format, and two audiences."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from skillhorizon_socialops.catalogue import LOCALES, seed
from skillhorizon_socialops.config import COOLDOWN, OVERLAPPING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from skillhorizon import Rng
    from skillhorizon_socialops.config import SocialConfig


@attrs.frozen
class Lane:
    """A lane: its number from 0, and what its briefs have in common; audiences ascend."""

    number: int
    locale: str
    channel: str
    format: str
    audiences: tuple[str, str]


def lanes(rng: Rng, config: SocialConfig) -> tuple[Lane, ...]:
    """Draw the lanes; every second half shares a group's locale and channel."""
    groups = -(-config.lanes // 2)
    places = list(
        zip(
            rng.stream("locales").sample(LOCALES, groups),
            rng.stream("channels").sample(seed().channels, groups),
            strict=True,
        )
    )
    out = []
    for number, (one, other) in enumerate(_audiences(rng.stream("audiences"), config)):
        locale, channel = places[number % groups]
        out.append(Lane(number, locale, channel.channel_id, channel.format, (min(one, other), max(one, other))))
    return tuple(out)


def _audiences(rng: Rng, config: SocialConfig) -> Iterator[tuple[str, str]]:
    """Yield the lanes' audiences: a ring, two lapsed of its own, or one that two lanes share and one lapsed."""
    count = config.lanes
    drawn = rng.shuffled(seed().audiences)
    lapsed = [audience.audience_id for audience in drawn if audience.cooldown_min]
    steady = [audience.audience_id for audience in drawn if not audience.cooldown_min]
    for lane in range(count):
        if config.scenario == OVERLAPPING:
            yield steady[lane], steady[(lane + 1) % count]
        elif config.scenario == COOLDOWN:
            yield lapsed[2 * lane], lapsed[2 * lane + 1]
        else:
            yield steady[lane // 2], lapsed[lane]


def pairs(config: SocialConfig, running: int) -> list[tuple[int, int]]:
    """Return the pairs of lanes that share conversions, of those that run in a wave."""
    count = config.lanes
    if config.scenario == OVERLAPPING:
        found = {(min(one, (one + 1) % count), max(one, (one + 1) % count)) for one in range(count)}
    elif config.scenario == COOLDOWN:
        found = set()
    else:
        found = {(one, one + 1) for one in range(0, count - 1, 2)}
    return [(one, other) for one, other in sorted(found) if other < running]
