"""Variations that change nothing of what counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skillhorizon import Client, Json, Sabotage, digest

if TYPE_CHECKING:
    from skillhorizon_financeops.plan import Plan

_OPERATIONS = frozenset(
    {
        "submit_normalization",
        "submit_match",
        "submit_aggregate",
        "record_view",
        "close_stage",
        "review_stage",
        "publish_stage",
        "publish_release",
        "discharge_obligation",
    }
)


def reversed_packages(_plan: Plan) -> Sabotage:
    """Work a stage's packages and views from the last to the first."""
    return Sabotage(prefer=lambda module: -int(module[12:14] or 0) if module.startswith("package:") else 0)


def shuffled_packages(_plan: Plan) -> Sabotage:
    """Work what is ready together in another order."""
    return Sabotage(prefer=lambda module: int(digest(module)[:8], 16))


def extra_reads(_plan: Plan) -> Sabotage:
    """Read status and staff again before operations."""

    def before(client: Client, tool: str, _said: dict[str, Json]) -> None:
        if tool in _OPERATIONS:
            client.call("get_release_status")
            client.call("list_staff")

    return Sabotage(before=before)


def submitted_twice(_plan: Plan) -> Sabotage:
    """Send every accepted operation again."""

    def after(client: Client, tool: str, said: dict[str, Json]) -> None:
        if tool in _OPERATIONS:
            client.call(tool, **said)

    return Sabotage(after=after)


def early_reviews(plan: Plan) -> Sabotage:
    """Review each closure as soon as it is made, by other legal reviewers; later reviews find it done."""
    reviewers: dict[int, str] = {}
    used = {member.staff: 0 for member in plan.facts.staff}

    def after(client: Client, tool: str, said: dict[str, Json]) -> None:
        if tool != "close_stage":
            return
        stage = said["stage"]
        barred = {said["preparer"], reviewers.get(stage - 1), reviewers.get(stage + 1)}
        reviewer = min(sorted(used.keys() - barred), key=lambda name: (used[name], name))
        client.call("review_stage", stage=stage, closure=client.need(f"CLS:{stage}"), reviewer=reviewer)
        reviewers[stage] = reviewer
        used[reviewer] += 1

    def arguments(tool: str, said: dict[str, Json]) -> dict[str, Json]:
        early = reviewers.get(said["stage"]) if tool == "review_stage" else None
        return said if early is None else {**said, "reviewer": early}

    return Sabotage(after=after, arguments=arguments)
