"""The briefs of each wave, what they depend on, and their posts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from skillhorizon_socialops.catalogue import ANGLES, seed
from skillhorizon_socialops.composer.lanes import Lane, lanes
from skillhorizon_socialops.config import MERGE, OVERLAPPING, RECALL
from skillhorizon_socialops.rows import Brief, DependsOn, HousePost, Post
from skillhorizon_socialops.truth import Place, past, shelf

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from skillhorizon import Rng
    from skillhorizon_socialops.config import SocialConfig

WAVE_MIN = 2_880
HOURS = {"a": 2, "b": 10, "s": 18, "c": 24, "d": 34}
"""The hour of lane 0's posts in their wave; lane i's are i hours later. A re-run's is that of c."""
RERUN_HOUR = HOURS["c"]
HOUSE_HOUR = 43
SCHEDULED = "scheduled"
_WINDOWS = (240, 360, 480)
_LATELY = -43_200
_LEAST_HISTORY = 3


def brief_id(wave: int, lane: int) -> str:
    """Return a brief's id, such as `b-01-00`."""
    return f"b-{wave:02}-{lane:02}"


def due(wave: int, hour: int) -> int:
    """Return the minute at which an hour of a wave is due if no wave closes late."""
    return WAVE_MIN * (wave - 1) + 60 * hour


def post(brief: Brief, arm: str, wave: int, weight: int) -> Post:
    """Return a brief's post, scheduled in a wave."""
    hour = HOURS[arm] + brief.lane
    name = f"p{brief.brief_id[1:]}-{arm}"
    return Post(name, brief.brief_id, arm, brief.channel_id, wave, hour, due(wave, hour), weight, SCHEDULED)


def weight(rng: Rng, arm: str) -> int:
    """Draw a post's weight; deployments and corrective posts count twice."""
    drawn = rng.integer(150, 260)
    return 2 * drawn if arm in {"c", "d"} else drawn


@attrs.frozen(kw_only=True)
class Portfolio:
    """The briefs of all waves; briefs by wave and lane, the rest by key."""

    lanes: tuple[Lane, ...]
    briefs: tuple[Brief, ...]
    depends: tuple[DependsOn, ...]
    posts: tuple[Post, ...]
    house_posts: tuple[HousePost, ...]

    def of_wave(self, wave: int) -> list[Brief]:
        """Return a wave's briefs by lane."""
        return [brief for brief in self.briefs if brief.wave == wave]


def portfolio(rng: Rng, config: SocialConfig) -> Portfolio:
    """Draw all briefs with their rows, posts and the house posts."""
    laid_out = lanes(rng.stream("lanes"), config)
    depends = tuple(_rows(rng.stream("history"), config))
    compared = {row.brief_id for row in depends if row.role == "benchmark"}
    briefs = tuple(_briefs(rng.stream("briefs"), config, laid_out, compared))
    weights = rng.stream("weights")
    posts = [post(brief, arm, brief.wave, weight(weights, arm)) for brief in briefs for arm in "abd"]
    return Portfolio(
        lanes=laid_out,
        briefs=briefs,
        depends=depends,
        posts=tuple(posts),
        house_posts=tuple(_house_posts(rng.stream("house"), config, laid_out)),
    )


def running(config: SocialConfig, wave: int) -> int:
    """Return how many lanes have a brief in a wave."""
    return config.final if wave == config.waves else config.lanes


def _briefs(rng: Rng, config: SocialConfig, laid_out: Sequence[Lane], compared: set[str]) -> Iterator[Brief]:
    campaigns = _campaigns(rng.stream("campaigns"), config.lanes)
    number = 0
    for wave in range(1, config.waves + 1):
        for lane in laid_out[: running(config, wave)]:
            name = brief_id(wave, lane.number)
            own = rng.stream(name)
            baseline = _baseline(own.stream("baseline"), lane) if wave == 1 else (None, None)
            yield Brief(
                brief_id=name,
                wave=wave,
                lane=lane.number,
                campaign_id=campaigns[number % len(campaigns)],
                channel_id=lane.channel,
                locale=lane.locale,
                format=lane.format,
                angle=own.choice(ANGLES),
                audiences=list(lane.audiences),
                credit_window_min=own.choice(_WINDOWS),
                priority=own.integer(1, 5),
                holdout_bp=own.integer(500, 1_500),
                split_bp=own.integer(4_000, 6_000),
                min_conv=own.integer(7, 11),
                min_lift_bp=own.integer(300, 1_200),
                benchmark_bp=own.integer(8_500, 11_000) if name in compared else None,
                baseline_visual=baseline[0],
                baseline_copy=baseline[1],
            )
            number += 1


def _campaigns(rng: Rng, first: int) -> list[str]:
    """Return the campaigns in a drawn order; the first wave's have a history, if they can with a repetition."""
    names = rng.shuffled([campaign.campaign_id for campaign in seed().campaigns])
    lately = {name: [run.post for run in past().campaign_runs[name] if run.at > _LATELY] for name in names}
    rich = [name for name in names if len(lately[name]) >= _LEAST_HISTORY]
    rich.sort(key=lambda name: len(lately[name]) == len(set(lately[name])))
    return [*rich[:first], *(name for name in names if name not in rich[:first])]


def _baseline(rng: Rng, lane: Lane) -> tuple[str, str]:
    place = Place(
        lane.locale,
        lane.format,
        lane.channel,
        due(1, HOURS["a"] + lane.number),
        due(1, HOURS["d"] + lane.number),
    )
    return shelf().pair(rng.choice(ANGLES), place, ())


def _rows(rng: Rng, config: SocialConfig) -> Iterator[DependsOn]:
    for wave in range(2, config.waves + 1):
        for lane in range(running(config, wave)):
            name = brief_id(wave, lane)
            for number, (role, upstream) in enumerate(_upstream(rng.stream(name), config, wave, lane), 1):
                yield DependsOn(name, number, role, upstream)


def _upstream(rng: Rng, config: SocialConfig, wave: int, lane: int) -> Iterator[tuple[str, str]]:
    """Yield (role, upstream) of a brief's rows in their order."""
    count = config.lanes
    yield "control", brief_id(wave - 1, lane)
    yield "suppress", brief_id(wave - 1, lane)
    if config.pattern == MERGE:
        yield "suppress", brief_id(wave - 1, (lane + 1) % count)
    if config.pattern == RECALL and wave >= 3:  # noqa: PLR2004  # the specification's wave
        yield "benchmark", brief_id(max(1, wave - 4), lane)
    if config.scenario == OVERLAPPING:
        if count > 2:  # noqa: PLR2004  # two lanes have no third
            yield "history", brief_id(wave - 1, (lane - 1) % count)
    elif wave >= 3:  # noqa: PLR2004  # the specification's wave
        yield "history", brief_id(rng.integer(max(1, wave - 3), wave - 2), lane)


def _house_posts(rng: Rng, config: SocialConfig, laid_out: Sequence[Lane]) -> Iterator[HousePost]:
    for audience in task_audiences(laid_out):
        for wave in range(1, config.waves + 1):
            yield HousePost(f"hp-{audience}-{wave:02}", audience, wave, rng.integer(60, 300))


def task_audiences(laid_out: Sequence[Lane]) -> list[str]:
    """Return the audiences that some lane uses, ascending."""
    return sorted({audience for lane in laid_out for audience in lane.audiences})
