"""Faults in certificates: services cannot be handed back on them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from skillhorizon import Sabotage
from skillhorizon_fieldops.mutations.places import ALL_SERVICES_AND_SYSTEM, Places

if TYPE_CHECKING:
    from skillhorizon_fieldops.plan import Plan

_ARRESTER = "arrester"


def wrong_repair_certified(plan: Plan) -> Sabotage | None:
    """Repair another fault than the true one, and certify the failing test as passing."""
    places = Places(plan)
    quiet = [name for name in _quiet(places) if places.card(name).family is not None]
    if not quiet:
        return None
    name = quiet[0]
    wrong, first = places.without_parts(name), {row.device_class: row.bound for row in plan.facts.procedures}
    value = first[places.devices[name].device_class]

    def script(called: str, _data: Any, output: Any) -> Any:
        if called == "diagnose.py":
            return _changed(output, name, fault=wrong)
        return _changed(output, name, verdict="pass", value=value) if called == "evaluate_test.py" else output

    return _losing(places, name, Sabotage(script=script))


def passing_value_plus_one(plan: Plan) -> Sabotage | None:
    """Certify a passing test with one more than its value."""
    places = Places(plan)
    quiet = [name for name in _quiet(places) if name not in plan.truth.infants]
    return _losing(places, quiet[0], Sabotage(script=_plus_one(quiet[0]))) if quiet else None


def _plus_one(name: str) -> Any:
    def script(called: str, _data: Any, output: Any) -> Any:
        if called != "evaluate_test.py":
            return output
        found = [entry["value"] for entry in output["entries"] if entry["device"] == name]
        return _changed(output, name, value=found[0] + 1) if found else output

    return script


def _quiet(places: Places) -> list[str]:
    """Return the devices without an arrester, those first that the fewest cases wait for."""
    names = [name for name in places.devices if places.card(name).family != _ARRESTER]
    return sorted(names, key=lambda name: (len(places.lost((), places.carried[name])), name))


def _changed(output: Any, name: str, **fields: Any) -> Any:
    entries = [{**entry, **fields} if entry["device"] == name else entry for entry in output["entries"]]
    return {**output, "entries": entries}


def _losing(places: Places, name: str, sabotage: Sabotage) -> Sabotage:
    """State what a case loses whose certificate no service can cite: cases below go on, its services do not."""
    fails = {f"case:{name}", *places.lost((), places.carried[name]), *ALL_SERVICES_AND_SYSTEM}
    return Sabotage(script=sabotage.script, fails=frozenset(fails), only=True)
