"""What the policy reads before it acts: audiences, their exposure, and the feed of a brief."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from skillhorizon import Json
    from skillhorizon_socialops.policy.desk import Desk

LOOKBACK = 2880


def audiences_of(desk: Desk, audiences: list[str]) -> tuple[list[dict[str, Any]], int]:
    """Return the rows of audiences in ascending id, and the users in two of them."""
    data = desk.client.call("get_audiences", audience_ids=[*audiences])
    page = data["audiences"]
    rows = [dict(zip(page["columns"], row, strict=True)) for row in page["rows"]]
    return rows, sum(users for _, _, users in data["overlaps"])


def exposure_of(desk: Desk, audiences: list[str]) -> dict[str, list[Any]]:
    """Return [post, at, weight] of what reached each audience within the lookback, page after page."""
    found: dict[str, list[Any]] = {each: [] for each in audiences}
    more: dict[str, Json] = {}
    while True:
        page = desk.client.call(
            "list_publications", audience_ids=[*audiences], since=desk.clock - LOOKBACK, until=desk.clock, **more
        )
        for audience, rows in page["groups"].items():
            found[audience] += rows
        if page["next"] is None:
            return found
        more = {"cursor": page["next"]}


def feed_of(desk: Desk, brief: str) -> tuple[int, list[list[Any]]]:
    """Return the version of a brief's feed, and its events, page after page."""
    events: list[list[Any]] = []
    more: dict[str, Json] = {}
    while True:
        page = desk.client.call("list_conversions", brief_id=brief, **more)
        events += page["rows"]
        if page["next"] is None:
            return page["feed_version"], events
        more = {"cursor": page["next"]}
