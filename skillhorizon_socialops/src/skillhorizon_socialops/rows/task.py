"""The task's own rows, as they stand at the start; posts and policies change."""

from __future__ import annotations

import attrs

from skillhorizon import Json, table


@table("programme", key=("name",))
@attrs.frozen
class Programme:
    """What is fixed for the whole task: one row named `programme`; `allowance` reschedules are within budget."""

    name: str
    waves: int
    allowance: int


@table("brief", key=("brief_id",), indexes=(("wave", "lane"),))
@attrs.frozen
class Brief:
    """A campaign brief; `audiences` are its two, ascending; baselines stand in wave 1 only."""

    brief_id: str
    wave: int
    lane: int
    campaign_id: str
    channel_id: str
    locale: str
    format: str
    angle: str
    audiences: Json
    credit_window_min: int
    priority: int
    holdout_bp: int
    split_bp: int
    min_conv: int
    min_lift_bp: int
    benchmark_bp: int | None
    baseline_visual: str | None
    baseline_copy: str | None


@table("depends_on", key=("brief_id", "number"))
@attrs.frozen
class DependsOn:
    """What a brief takes from an earlier one: role control, suppress, benchmark or history."""

    brief_id: str
    number: int
    role: str
    upstream: str


@table("post", key=("post_id",), indexes=(("brief_id",), ("status", "due_at"), ("wave",)))
@attrs.frozen
class Post:
    """A brief's post: `arm` is a, b, s, d or c; it runs in `wave`, due at its `hour`.

    `due_at` is start(wave) + 60 * hour, provisional until the wave opens; `status` is scheduled, published, withdrawn,
    missed or released.
    """

    post_id: str
    brief_id: str
    arm: str
    channel_id: str
    wave: int
    hour: int
    due_at: int
    weight: int
    status: str


@table("house_post", key=("post_id",), indexes=(("wave",),), hidden=("house_weight",))
@attrs.frozen
class HousePost:
    """Another team's post to an audience, published by itself at hour 43 of its wave."""

    post_id: str
    audience_id: str
    wave: int
    house_weight: int


@table("policy", key=("audience_id", "policy_version"))
@attrs.frozen
class Policy:
    """How fast an audience forgets, and its cap; the latest version is the current one (R5)."""

    audience_id: str
    policy_version: int
    since: int
    retention_bp: int
    cap: int


@table("conversion", key=("brief_id", "event_id"), hidden=("touches", "delay"))
@attrs.frozen
class Conversion:
    """An event in a brief's feed (R6).

    `touches` are [post, offset]: from the post's due minute, or from the start of `wave` when the event is `shared` by
    two briefs; the conversion follows `delay` minutes after the last touch.
    """

    brief_id: str
    event_id: str
    order_id: str
    wave: int
    shared: int
    touches: Json
    delay: int
    value: int
    status: str
