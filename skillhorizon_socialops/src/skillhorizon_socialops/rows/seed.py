"""What all tasks share: 20,734 rows that nothing writes."""

from __future__ import annotations

import attrs

from skillhorizon import table


@table("channel", key=("channel_id",))
@attrs.frozen
class Channel:
    """A place of publication; two take each format."""

    channel_id: str
    format: str


@table("audience", key=("audience_id",))
@attrs.frozen
class Audience:
    """A segment of users; a lapsed one reaches a share of them and rests `cooldown_min` minutes (R3, R5).

    `retention_bp` is what a task starts from; its own policies follow.
    """

    audience_id: str
    size: int
    lapsed_bp: int
    retention_bp: int
    cooldown_min: int


@table("audience_overlap", key=("a", "b"))
@attrs.frozen
class AudienceOverlap:
    """Users who are in both audiences, a < b."""

    a: str
    b: str
    users: int


@table("campaign", key=("campaign_id",))
@attrs.frozen
class Campaign:
    """An earlier campaign: its title, locale and channel."""

    campaign_id: str
    title: str
    locale: str
    channel_id: str


@table("campaign_audience", key=("campaign_id", "audience_id"))
@attrs.frozen
class CampaignAudience:
    """One of the two audiences that a campaign's posts reach."""

    campaign_id: str
    audience_id: str


@table("asset", key=("asset_id",), indexes=(("role", "locale", "format"),))
@attrs.frozen
class Asset:
    """A licensed asset, its quality and the minutes its rights cover; `status` is active or retired (R1)."""

    asset_id: str
    role: str
    locale: str
    format: str
    angle: str
    quality_bp: int
    rights_from: int
    rights_to: int
    status: str


@table("asset_channel", key=("asset_id", "channel_id"))
@attrs.frozen
class AssetChannel:
    """One of the two channels that an asset may run on."""

    asset_id: str
    channel_id: str


@table("seed_post", key=("post_id",), indexes=(("campaign_id",),))
@attrs.frozen
class SeedPost:
    """A post of an earlier campaign."""

    post_id: str
    campaign_id: str


@table("post_asset", key=("post_id", "asset_id"))
@attrs.frozen
class PostAsset:
    """One of the two assets of an earlier post."""

    post_id: str
    asset_id: str


@table("seed_publication", key=("post_id", "ordinal"), indexes=(("at",),))
@attrs.frozen
class SeedPublication:
    """An earlier post's publication; it reached both audiences of the campaign."""

    post_id: str
    ordinal: int
    at: int
    weight: int
