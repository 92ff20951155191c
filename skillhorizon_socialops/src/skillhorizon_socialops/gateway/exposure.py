"""What a brief's audiences have seen of late, and what they may still see (R5)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from skillhorizon_socialops.rules import LOOKBACK, load

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from skillhorizon import Call
    from skillhorizon_socialops.rows import Brief, Post

_RECENT = """
    SELECT audience_id, at, post_id, weight FROM exposure
    WHERE audience_id IN (?1, ?2) AND at >= ?3 ORDER BY audience_id, at, post_id, ordinal"""
_RECENT_AND_EARLIER = """
    SELECT audience_id, at, post_id, ordinal, weight FROM exposure WHERE audience_id IN (?1, ?2) AND at >= ?3
    UNION ALL
    SELECT c.audience_id, p.at, p.post_id, p.ordinal, p.weight
    FROM seed_publication p JOIN seed_post o ON o.post_id = p.post_id
    JOIN campaign_audience c ON c.campaign_id = o.campaign_id AND c.audience_id IN (?1, ?2)
    WHERE p.at >= ?3 ORDER BY 1, 2, 3, 4"""
_LIMITS = """
    SELECT a.audience_id, a.cooldown_min, p.retention_bp, p.cap FROM audience a
    JOIN policy p ON p.audience_id = a.audience_id
    WHERE a.audience_id IN (?1, ?2) ORDER BY a.audience_id, p.policy_version"""


class Seen(NamedTuple):
    """One audience at a minute: its publications (at, post, weight) within the lookback, its limits and its load."""

    audience: str
    clock: int
    made: Sequence[tuple[int, str, int]]
    cooldown_min: int
    cap: int
    load: int

    @property
    def sources(self) -> list[str]:
        """The posts published, one entry for each publication."""
        return [post for _, post, _ in self.made]

    @property
    def rested_at(self) -> int:
        """The first minute at which a lapsed audience may be reached again; others always may."""
        return self.made[-1][0] + self.cooldown_min if self.made and self.cooldown_min else 0


def seen(call: Call, brief: Brief) -> list[Seen]:
    """Return what the audiences of a brief have seen until now, ascending."""
    clock, pair = call.world.clock, tuple(brief.audiences)
    since = clock - LOOKBACK
    made: dict[str, list[tuple[int, str, int]]] = {name: [] for name in pair}
    if since < 0:
        for audience, at, post, _, weight in call.world.sql(_RECENT_AND_EARLIER, *pair, since):
            made[audience].append((at, post, weight))
    else:
        for audience, at, post, weight in call.world.sql(_RECENT, *pair, since):
            made[audience].append((at, post, weight))
    limits = {row[0]: row[1:] for row in call.world.sql(_LIMITS, *pair)}
    return [_seen(name, clock, made[name], *limits[name]) for name in pair]


def _seen(
    audience: str, clock: int, made: Sequence[tuple[int, str, int]], cooldown_min: int, retention_bp: int, cap: int
) -> Seen:
    carried = load(clock, [(at, weight) for at, _, weight in made], retention_bp)
    return Seen(audience, clock, made, cooldown_min, cap, carried)


def check_sources(call: Call, reached: Sequence[Seen], given: Sequence[str]) -> None:
    """Check the sources, audience after audience (R5).

    Raises:
        Rejection: SOURCE_IDENTITIES, naming the failing audience.
    """
    place = 0
    for number, each in enumerate(reached, 1):
        right = each.sources
        end = len(given) if number == len(reached) else place + len(right)
        if list(given[place:end]) != right:
            message = f"the part of the sources for {each.audience} is not its publications of the last {LOOKBACK}"
            told = f"{message} minutes by (at, post), one entry for each, house posts and duplicates kept (R5)"
            call.reject("SOURCE_IDENTITIES", told, object=each.audience)
        place = end


def check_loads(call: Call, reached: Sequence[Seen], given: Mapping[str, int]) -> None:
    """Check that each audience has its load at this minute (R5).

    Raises:
        Rejection: AUDIENCE_LOAD_NOT_CURRENT, naming the failing audience.
    """
    for each in reached:
        if given.get(each.audience) != each.load:
            message = f"the load of {each.audience} is not what it carries at minute {each.clock} by its current policy"
            told = f"{message}; read its publications and its policy again (R5)"
            call.reject("AUDIENCE_LOAD_NOT_CURRENT", told, object=each.audience)
    for name in sorted(set(given) - {each.audience for each in reached}):
        message = f"{name} is no audience of the brief; give one load for each of its own (R5)"
        call.reject("AUDIENCE_LOAD_NOT_CURRENT", message, object=name)


def check_limits(call: Call, reached: Sequence[Seen], post: Post) -> None:
    """Check the cooldowns of lapsed audiences, then the caps (R5).

    Raises:
        Rejection: COOLDOWN, AUDIENCE_CAP.
    """
    for each in reached:
        if each.clock < each.rested_at:
            message = f"{each.audience} is lapsed and rests for {each.cooldown_min} minutes after a publication"
            call.reject("COOLDOWN", f"{message}; publish later within the window (R5)", object=each.audience)
    for each in reached:
        if each.load + post.weight > each.cap:
            message = (
                f"{each.audience} carries {each.load} and {post.post_id} weighs {post.weight}; its cap is {each.cap}"
            )
            call.reject("AUDIENCE_CAP", f"{message}; publish when the load has run down (R5)", object=each.audience)
