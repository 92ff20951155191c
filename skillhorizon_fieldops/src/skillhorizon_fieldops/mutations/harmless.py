"""Variations that change nothing of what counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skillhorizon import Client, Json, Sabotage, digest

if TYPE_CHECKING:
    from skillhorizon_fieldops.plan import Plan

_ITEMS = {"record_diagnosis": "entries", "reserve_parts": "lines"}
_OPERATIONS = frozenset(
    {
        *_ITEMS,
        "certify_tests",
        "assign_crew",
        "issue_isolation",
        "perform_work",
        "close_isolation",
        "settle_parts",
        "run_test",
        "commission_service",
        "close_wave",
        "post_account",
        "accept_section",
        "accept_system",
    }
)


def zones_shuffled(_plan: Plan) -> Sabotage:
    """Work the zones that are ready in another order."""
    return Sabotage(prefer=lambda module: int(digest(module)[:8], 16) if module.startswith("access:") else 1 << 32)


def one_by_one(_plan: Plan) -> Sabotage:
    """Send the items of a list one by one; the whole list then finds them done."""

    def before(client: Client, tool: str, said: dict[str, Json]) -> None:
        for item in said[_ITEMS[tool]] if tool in _ITEMS else ():
            client.call(tool, **{_ITEMS[tool]: [item]})

    return Sabotage(before=before)


def extra_reads(_plan: Plan) -> Sabotage:
    """Read the brief and the notices again before operations."""

    def before(client: Client, tool: str, _said: dict[str, Json]) -> None:
        if tool in _OPERATIONS:
            client.call("get_brief")
            client.call("list_notices")

    return Sabotage(before=before)


def tests_repeated(_plan: Plan) -> Sabotage:
    """Run every test twice."""

    def after(client: Client, tool: str, said: dict[str, Json]) -> None:
        if tool == "run_test":
            client.call(tool, **said)

    return Sabotage(after=after)


def one_relief(plan: Plan) -> Sabotage:
    """Ask for one expedited batch, which nobody needs."""
    part, asked = plan.facts.batches[0].part, [False]

    def before(client: Client, tool: str, _said: dict[str, Json]) -> None:
        if tool == "record_diagnosis" and not asked[0]:
            asked[0] = True
            client.call("request_relief", expedite=part)

    return Sabotage(before=before)
