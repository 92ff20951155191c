"""How everything stands: what operations, the clock and updates leave besides artifacts."""

from __future__ import annotations

import attrs

from skillhorizon import Json, table


@table("wave", key=("wave",), indexes=(("state",),))
@attrs.frozen
class Wave:
    """A wave: unopened, open or closed; the start of an unopened one is provisional."""

    wave: int
    start: int
    closed_at: int | None
    state: str


@table("feed", key=("brief_id",))
@attrs.frozen
class Feed:
    """The version of a brief's conversion feed; corrections and moved arms raise it."""

    brief_id: str
    version: int


@table("rerun", key=("brief_id",))
@attrs.frozen
class Rerun:
    """How many re-runs of a brief's deployment were ordered."""

    brief_id: str
    ordered: int


@table("publication", key=("post_id", "ordinal"))
@attrs.frozen
class Publication:
    """A publication of a brief's or a house post; `call` is the call that made it; house posts use no channel."""

    post_id: str
    ordinal: int
    at: int
    weight: int
    call: int
    channel_id: str | None


@table("exposure", key=("audience_id", "at", "post_id", "ordinal"))
@attrs.frozen
class Exposure:
    """An audience that a publication reached."""

    audience_id: str
    at: int
    post_id: str
    ordinal: int
    weight: int


@table("move", key=("number",))
@attrs.frozen
class Move:
    """One granted reschedule, overdraft included."""

    number: int
    call: int
    post_id: str
    was_due: int
    due_at: int


@table("release", key=("post_id",))
@attrs.frozen
class Release:
    """A corrective post that was not needed, and the report that said so."""

    post_id: str
    report: str
    call: int


@table("withdrawal", key=("asset_id",))
@attrs.frozen
class Withdrawal:
    """An asset whose rights were withdrawn."""

    asset_id: str
    since: int


@table("impact", key=("notice_id",), hidden=("affected",))
@attrs.frozen
class Impact:
    """The briefs that a fired update affected, as things stood then."""

    notice_id: str
    affected: Json


@table("acknowledgement", key=("notice_id",))
@attrs.frozen
class Acknowledgement:
    """The affected briefs that a notice was acknowledged with."""

    notice_id: str
    call: int
    briefs: Json


@table("firing", key=("update_id",))
@attrs.frozen
class Firing:
    """When an update fired."""

    update_id: str
    call: int
    clock: int
