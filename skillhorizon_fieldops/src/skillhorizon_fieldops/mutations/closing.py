"""Faults at the end of the work: what is left open, miscounted, overdrawn or never accepted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from skillhorizon import Client, Json, Sabotage
from skillhorizon_fieldops.mutations.places import Places

if TYPE_CHECKING:
    from skillhorizon_fieldops.plan import Plan

_ISSUED, _CONSUMED = 1, 2


def permit_left_open(plan: Plan) -> Sabotage | None:
    """Never close the permit of one zone of the last wave: its wave cannot be closed either."""
    places = Places(plan)
    late = {name: device for name, device in places.devices.items() if device.wave == plan.waves}
    paired = {device.zone for device in late.values() if device.pair in late}
    zones = sorted({device.zone for device in late.values()} - paired)
    if not zones:
        return None
    zone = zones[-1]
    lost = places.lost([name for name, device in late.items() if device.zone == zone], ())

    def arguments(tool: str, said: dict[str, Json]) -> dict[str, Json]:
        open_one = tool == "close_isolation" and said["permit"].startswith(f"PRM:{zone}@")
        return {**said, "permit": f"PRM:{zone}@999"} if open_one else said

    return Sabotage(arguments=arguments, fails=lost | {"D1", "D2", "D3", "D5"}, only=True)


def account_off_by_one(plan: Plan) -> Sabotage:
    """Post the last wave's account with one unit less in a line."""

    def arguments(tool: str, said: dict[str, Json]) -> dict[str, Json]:
        if tool != "post_account" or said["wave"] != plan.waves:
            return said
        lines: list[Any] = [list(line) for line in said["lines"]]
        line = next((line for line in lines if line[_CONSUMED]), None)
        if line is None:
            lines[0][_ISSUED] -= 1
        else:
            line[_CONSUMED] -= 1
        return {**said, "lines": lines}

    return Sabotage(arguments=arguments, fails=frozenset({"D3", "D5"}), only=True)


def relief_overdrawn(plan: Plan) -> Sabotage:
    """Ask for one unit of relief more than the budget has."""
    part, asked = plan.facts.batches[0].part, [False]

    def before(client: Client, tool: str, _said: dict[str, Json]) -> None:
        if tool == "record_diagnosis" and not asked[0]:
            asked[0] = True
            for _ in range(plan.resources["relief"] + 1):
                client.call("request_relief", expedite=part)

    return Sabotage(before=before, fails=frozenset({"D4"}), only=True)


def system_refused(_plan: Plan) -> Sabotage:
    """Accept all sections, but the system without them."""

    def arguments(tool: str, said: dict[str, Json]) -> dict[str, Json]:
        return {**said, "sections": []} if tool == "accept_system" else said

    return Sabotage(arguments=arguments, fails=frozenset({"D5"}), only=True)
