"""What all tasks share: the channels, audiences, campaigns, assets and publications that the desk starts from.

One fixed generator draws them, so that every task, builder and checker sees the same 20,734 rows.
"""

from __future__ import annotations

from collections import defaultdict
from functools import cache
from itertools import combinations, product
from typing import TYPE_CHECKING

import attrs

from skillhorizon import Rng
from skillhorizon_socialops.rows import (
    Asset,
    AssetChannel,
    Audience,
    AudienceOverlap,
    Campaign,
    CampaignAudience,
    Channel,
    PostAsset,
    SeedPost,
    SeedPublication,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

VISUAL, COPY = ROLES = ("visual", "copy")
LOCALES = ("de", "en", "es", "fr", "it")
FORMATS = ("image", "carousel", "video", "story", "reel")
ANGLES = ("price", "proof", "ease")
RETENTIONS = (7_000, 7_500, 8_000, 8_500, 9_000)
COOLDOWNS = (430, 450, 470)
WHOLE = 10_000
EVER = 99_999_999
"""The minute at which rights end that never do."""
ACTIVE, RETIRED = "active", "retired"
_PER_CELL = 6
_AUDIENCES, _LAPSED = 40, 20
_CAMPAIGNS, _POSTS = 180, 4_200
_UNPUBLISHED, _TWICE = 402, 266
_FIRST, _LATELY, _LAST = -129_600, -43_199, -360
_OCCASIONS = (
    "Spring", "Summer", "Autumn", "Winter", "Weekend", "Holiday", "Payday", "Newcomer", "Loyalty", "Launch",
    "Evening", "Travel", "Garden", "Kitchen", "Office",
)  # fmt: skip
_KINDS = (
    "sale", "preview", "stories", "welcome", "bundle", "classics", "favourites", "club", "offers", "guide", "week",
    "return",
)  # fmt: skip


@attrs.frozen(kw_only=True)
class Seed:
    """The seed tables, each by its key."""

    channels: tuple[Channel, ...]
    audiences: tuple[Audience, ...]
    audience_overlaps: tuple[AudienceOverlap, ...]
    campaigns: tuple[Campaign, ...]
    campaign_audiences: tuple[CampaignAudience, ...]
    assets: tuple[Asset, ...]
    asset_channels: tuple[AssetChannel, ...]
    posts: tuple[SeedPost, ...]
    post_assets: tuple[PostAsset, ...]
    publications: tuple[SeedPublication, ...]


@cache
def seed() -> Seed:
    """Return the seed tables, drawn once per process and always the same.

    >>> found = seed()
    >>> len(found.assets), len(found.publications), sum(len(rows) for rows in attrs.astuple(found, recurse=False))
    (900, 4064, 20734)
    """
    rng = Rng("skillhorizon-socialops", "seed")
    channels = _channels(rng.stream("channels"))
    audiences = _audiences(rng.stream("audiences"))
    campaigns = _campaigns(rng.stream("campaigns"), channels)
    assets, places = _assets(rng.stream("assets"), channels)
    posts = _posts(rng.stream("posts"))
    return Seed(
        channels=channels,
        audiences=audiences,
        audience_overlaps=tuple(_overlaps(rng.stream("overlaps"), audiences)),
        campaigns=campaigns,
        campaign_audiences=tuple(_reach(rng.stream("reach"), audiences)),
        assets=assets,
        asset_channels=places,
        posts=posts,
        post_assets=tuple(_used(rng.stream("used"), posts, _makers(campaigns, channels), assets)),
        publications=tuple(_publications(rng.stream("publications"), posts)),
    )


def _channels(rng: Rng) -> tuple[Channel, ...]:
    formats = rng.shuffled([*FORMATS, *FORMATS])
    return tuple(Channel(f"ch{number:02}", form) for number, form in enumerate(formats, 1))


def _audiences(rng: Rng) -> tuple[Audience, ...]:
    lapsed = frozenset(rng.sample(range(_AUDIENCES), _LAPSED))
    return tuple(_audience(rng.stream(number), number, lapsed=number in lapsed) for number in range(_AUDIENCES))


def _audience(rng: Rng, number: int, *, lapsed: bool) -> Audience:
    return Audience(
        audience_id=f"au{number + 1:02}",
        size=rng.integer(18_000, 70_000),
        lapsed_bp=rng.integer(3_000, 6_000) if lapsed else WHOLE,
        retention_bp=rng.choice(RETENTIONS),
        cooldown_min=rng.choice(COOLDOWNS) if lapsed else 0,
    )


def _overlaps(rng: Rng, audiences: tuple[Audience, ...]) -> Iterator[AudienceOverlap]:
    """Yield 5 to 15 percent of the smaller size, for every pair."""
    for one, other in combinations(audiences, 2):
        users = min(one.size, other.size) * rng.integer(500, 1_500) // WHOLE
        yield AudienceOverlap(one.audience_id, other.audience_id, users)


def _campaign_id(number: int) -> str:
    return f"cm{number + 1:03}"


def _campaigns(rng: Rng, channels: tuple[Channel, ...]) -> tuple[Campaign, ...]:
    titles = rng.shuffled([f"{occasion} {kind}" for occasion, kind in product(_OCCASIONS, _KINDS)])
    return tuple(
        Campaign(_campaign_id(number), title, rng.choice(LOCALES), rng.choice(channels).channel_id)
        for number, title in enumerate(titles)
    )


def _reach(rng: Rng, audiences: tuple[Audience, ...]) -> Iterator[CampaignAudience]:
    for number in range(_CAMPAIGNS):
        for each in sorted(found.audience_id for found in rng.sample(audiences, 2)):
            yield CampaignAudience(_campaign_id(number), each)


def _assets(rng: Rng, channels: tuple[Channel, ...]) -> tuple[tuple[Asset, ...], tuple[AssetChannel, ...]]:
    places: dict[str, list[str]] = defaultdict(list)
    for channel in channels:
        places[channel.format].append(channel.channel_id)
    cells = list(product(ROLES, LOCALES, FORMATS, ANGLES))
    ids = iter(rng.stream("ids").shuffled([f"as{number:03}" for number in range(1, len(cells) * _PER_CELL + 1)]))
    assets: list[Asset] = []
    taken: list[AssetChannel] = []
    for cell in cells:
        drawn = rng.stream(*cell)
        found = [_asset(drawn, cell, (next(ids), *traits)) for traits in _traits(drawn)]
        assets += found
        taken += _placed(drawn, found, places)
    return tuple(sorted(assets, key=lambda each: each.asset_id)), tuple(
        sorted(taken, key=lambda each: (each.asset_id, each.channel_id))
    )


def _traits(rng: Rng) -> Iterator[tuple[int, int, str]]:
    """Yield quality, end of rights and status of a cell's six assets.

    The best one's rights end early; the second runs on one channel of its format only; the third may be retired; the
    last two may tie.
    """
    best, *others = sorted(rng.sample(range(5_000, 9_800), _PER_CELL), reverse=True)
    quality = rng.shuffled(others)
    if rng.chance(1_500):
        quality[-1] = quality[-2]
    yield best, rng.integer(1_500, 2_600), ACTIVE
    yield quality[0], EVER, ACTIVE
    yield quality[1], EVER, RETIRED if rng.chance(5_000) else ACTIVE
    for each in quality[2:]:
        yield each, EVER, ACTIVE


def _asset(rng: Rng, cell: tuple[str, str, str, str], traits: tuple[str, int, int, str]) -> Asset:
    role, locale, form, angle = cell
    asset_id, quality, rights_to, status = traits
    return Asset(asset_id, role, locale, form, angle, quality, -rng.integer(60, 43_200), rights_to, status)


def _placed(rng: Rng, cell: list[Asset], places: Mapping[str, list[str]]) -> Iterator[AssetChannel]:
    """Yield both channels of the format; the second asset has one of them, and one of another format."""
    own = places[cell[0].format]
    others = sorted(channel for form, found in places.items() for channel in found if form != cell[0].format)
    for number, each in enumerate(cell):
        for channel in (rng.choice(own), rng.choice(others)) if number == 1 else own:
            yield AssetChannel(each.asset_id, channel)


def _posts(rng: Rng) -> tuple[SeedPost, ...]:
    campaigns = rng.shuffled([number % _CAMPAIGNS for number in range(_POSTS)])
    return tuple(SeedPost(f"sp{number:04}", _campaign_id(each)) for number, each in enumerate(campaigns, 1))


def _makers(campaigns: tuple[Campaign, ...], channels: tuple[Channel, ...]) -> dict[str, tuple[str, str]]:
    """Return locale and format by campaign."""
    formats = {each.channel_id: each.format for each in channels}
    return {each.campaign_id: (each.locale, formats[each.channel_id]) for each in campaigns}


def _used(
    rng: Rng, posts: tuple[SeedPost, ...], makers: Mapping[str, tuple[str, str]], assets: tuple[Asset, ...]
) -> Iterator[PostAsset]:
    """Yield a visual and a copy of the campaign's locale and format for each post."""
    stock: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    for each in assets:
        stock[each.role, each.locale, each.format].append(each.asset_id)
    for post in posts:
        chosen = [rng.choice(stock[role, *makers[post.campaign_id]]) for role in ROLES]
        for asset in sorted(chosen):
            yield PostAsset(post.post_id, asset)


def _publications(rng: Rng, posts: tuple[SeedPost, ...]) -> Iterator[SeedPublication]:
    """Yield when posts were published: most once, some twice, some never; of each campaign one lately."""
    campaign_of = {post.post_id: post.campaign_id for post in posts}
    kept = sorted(rng.sample(list(campaign_of), len(posts) - _UNPUBLISHED))
    late = frozenset({campaign_of[post]: post for post in reversed(kept)}.values())
    twice = frozenset(rng.sample(kept, _TWICE))
    for post in kept:
        first = rng.integer(_LATELY if post in late else _FIRST, _LAST - 1_440 if post in twice else _LAST)
        yield SeedPublication(post, 1, first, rng.integer(60, 300))
        if post in twice:
            again = rng.integer(first + 1_440, min(first + 20_160, _LAST))
            yield SeedPublication(post, 2, again, rng.integer(60, 300))
