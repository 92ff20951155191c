"""What the policy reads before it acts: audiences, their exposure, and the feed of a brief."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

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
    asked: dict[str, Json] = {"audience_ids": [*audiences], "since": desk.clock - LOOKBACK, "until": desk.clock}
    for page in pages(desk, "list_publications", **asked):
        for audience, rows in page["groups"].items():
            found[audience] += rows
    return found


def feed_of(desk: Desk, brief: str) -> tuple[int, list[list[Any]]]:
    """Return the version of a brief's feed, and its events, page after page."""
    version, events = 0, []
    for page in pages(desk, "list_conversions", brief_id=brief):
        version = page["feed_version"]
        events += page["rows"]
    return version, events


def rows_of(desk: Desk, tool: str, **filters: Json) -> list[list[Any]]:
    """Return all rows of a list, page after page, each in the order of its columns."""
    return [row for page in pages(desk, tool, **filters) for row in page["rows"]]


def pages(desk: Desk, tool: str, **filters: Json) -> Iterator[dict[str, Any]]:
    """Yield the pages of a list."""
    page = desk.client.call(tool, **filters)
    yield page
    while page["next"] is not None:
        page = desk.client.call(tool, **filters, cursor=page["next"])
        yield page
