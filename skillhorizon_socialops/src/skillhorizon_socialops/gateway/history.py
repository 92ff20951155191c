"""Reading publications: those of earlier campaigns, of briefs, and of house posts."""

from __future__ import annotations

from functools import cache
from itertools import compress
from typing import TYPE_CHECKING, Any, NamedTuple

from skillhorizon import Call, Cursor, Json, dumps, loads, query, sql_page
from skillhorizon_socialops.gateway.arguments import PAGE, Audiences, BriefId, CampaignId, Minute, Rows
from skillhorizon_socialops.gateway.known import check_brief, known_campaign, known_names

if TYPE_CHECKING:
    from collections.abc import Sequence

_COLUMNS = ("post", "at", "weight", "audiences")
_KEY = ("at", "post", "ordinal")
_GROUPED = ("post", "at", "weight")
_EVER = 1_000_000_000
_BETWEEN = "p.at BETWEEN ? AND ?"
_BY_BRIEF = "p.post_id IN (SELECT post_id FROM post WHERE brief_id = ?)"
_BY_CAMPAIGN = "p.post_id IN (SELECT post_id FROM seed_post WHERE campaign_id = ?)"
_RUN = "SELECT p.at, p.post_id, p.ordinal FROM publication p"
_SEED = "SELECT p.at, p.post_id, p.ordinal FROM seed_publication p"
_TOLD = """
    WITH asked(post_id) AS (SELECT value FROM json_each(?))
    SELECT p.post_id, p.ordinal, p.weight, coalesce(b.audiences, json_array(h.audience_id))
    FROM asked JOIN publication p USING (post_id) LEFT JOIN post o USING (post_id)
    LEFT JOIN brief b USING (brief_id) LEFT JOIN house_post h USING (post_id)
    UNION ALL
    SELECT p.post_id, p.ordinal, p.weight,
        (SELECT json_group_array(c.audience_id) FROM campaign_audience c WHERE c.campaign_id = o.campaign_id)
    FROM asked JOIN seed_publication p USING (post_id) JOIN seed_post o USING (post_id)"""
_RUN_REACHING = "SELECT p.audience_id, p.at, p.post_id, p.ordinal, p.weight FROM exposure p"
_OF_RUN = "p.audience_id IN (SELECT value FROM json_each(?))"
_SEED_REACHING = """
    SELECT c.audience_id, p.at, p.post_id, p.ordinal, p.weight
    FROM seed_publication p JOIN seed_post o ON o.post_id = p.post_id
    JOIN campaign_audience c ON c.campaign_id = o.campaign_id"""
_OF_SEED = "c.audience_id IN (SELECT value FROM json_each(?))"


class Asked(NamedTuple):
    """Which publications are asked for: of a brief or a campaign, reaching audiences, between two minutes."""

    brief: str | None
    campaign: str | None
    audiences: str | None
    since: int
    until: int

    def statement(self, run: str, seed: str) -> tuple[str, list[str | int]]:
        """Return what reads posts of briefs and house posts, and earlier posts, as far as they can be meant."""
        own = () if self.campaign is not None else (self.brief, self.audiences)
        earlier = () if self.brief is not None or self.since > 0 else (self.campaign, self.audiences)
        params: list[str | int] = []
        for meant in (own, earlier):
            if meant:
                params += (self.since, self.until, *[value for value in meant if value is not None])
        of_run, of_seed = ([value is not None for value in meant] for meant in (own, earlier))
        return _text(run, seed, tuple(of_run), tuple(of_seed)), params


@cache
def _text(run: str, seed: str, of_run: tuple[bool, ...], of_seed: tuple[bool, ...]) -> str:
    own, earlier = _where(of_run, (_BY_BRIEF, _OF_RUN)), _where(of_seed, (_BY_CAMPAIGN, _OF_SEED))
    return f"{run} WHERE {own} UNION ALL {seed} WHERE {earlier}"


def _where(given: Sequence[bool], conditions: Sequence[str]) -> str:
    """Return what is asked besides the minutes, where each condition is given; nothing can be meant without any."""
    return " AND ".join([_BETWEEN, *compress(conditions, given)]) if given else "0"


@query
def list_publications(
    call: Call,
    audience_ids: Audiences | None = None,
    brief_id: BriefId | None = None,
    campaign_id: CampaignId | None = None,
    since: Minute | None = None,
    until: Minute | None = None,
    limit: Rows | None = None,
    cursor: Cursor | None = None,
) -> dict[str, Json]:
    """List publications so far, house posts included, between two minutes, both included.

    Those that reached audiences come grouped by audience; a campaign's are those of its own earlier posts.
    """
    if brief_id is not None:
        check_brief(call, brief_id)
    if campaign_id is not None:
        known_campaign(call, campaign_id)
    names = None if audience_ids is None else known_names(call, audience_ids)
    bounds = (-_EVER if since is None else since, _EVER if until is None else until)
    asked = Asked(brief_id, campaign_id, None if names is None else dumps(names), *bounds)
    if names is None:
        return _listed(call, asked, limit or PAGE, cursor)
    return _reaching(call, asked, names, limit or PAGE, cursor)


def _listed(call: Call, asked: Asked, limit: int, cursor: str | None) -> dict[str, Json]:
    """Return a page of publications with their audiences, by (at, post)."""
    text, params = asked.statement(_RUN, _SEED)
    found: dict[str, Any] = sql_page(call, f"{text} ORDER BY 1, 2, 3", params, _KEY, limit=limit, cursor=cursor)
    posts = dumps(sorted({post for _, post, _ in found["rows"]}))
    told = {(post, ordinal): rest for post, ordinal, *rest in call.world.sql(_TOLD, posts)}
    rows = [
        [post, at, told[post, ordinal][0], sorted(loads(told[post, ordinal][1]))] for at, post, ordinal in found["rows"]
    ]
    return {"columns": list(_COLUMNS), "rows": rows, "next": found["next"]}


def _reaching(call: Call, asked: Asked, names: Sequence[str], limit: int, cursor: str | None) -> dict[str, Json]:
    """Return a page of what reached audiences, by (audience, at, post); one that nothing reached is there too."""
    text, params = asked.statement(_RUN_REACHING, _SEED_REACHING)
    columns = ("audience", *_KEY, "weight")
    found: dict[str, Any] = sql_page(call, f"{text} ORDER BY 1, 2, 3, 4", params, columns, limit=limit, cursor=cursor)
    groups: dict[str, list[Json]] = {name: [] for name in names}
    for audience, at, post, _, weight in found["rows"]:
        groups[audience].append([post, at, weight])
    return {"columns": list(_GROUPED), "groups": groups, "next": found["next"]}
