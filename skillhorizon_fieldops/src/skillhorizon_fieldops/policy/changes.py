"""Notices: what they say, and what has to be done again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import attrs

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from skillhorizon import Json
    from skillhorizon_fieldops.policy.desk import Desk
    from skillhorizon_fieldops.policy.memory import News


def learn_batch(desk: Desk, notice: dict[str, Any]) -> None:
    """Take in a batch's new status."""
    batch = desk.batches.get(notice["batch"])
    if batch is not None:
        desk.batches[batch.id] = attrs.evolve(batch, status=notice["status"])


def learn_demand(desk: Desk, notice: dict[str, Any]) -> None:
    """Take in a service's new demand."""
    desk.demands[notice["service"]] = notice["demand"]


def learn_window(desk: Desk, notice: dict[str, Any]) -> None:
    """Take in that a zone's window was withdrawn and another one opened."""
    wave, zone = notice["wave"], desk.zones.get(notice["zone"])
    desk.crews.clear()
    if zone is not None:
        changed = {(wave, notice["withdrawn"]): "withdrawn", (wave, notice["opened"]): "open"}
        desk.zones[zone.id] = attrs.evolve(zone, windows={**zone.windows, **changed})


def learn_crew(desk: Desk, _notice: dict[str, Any]) -> None:
    """Forget the crews: one is withdrawn, minutes of others returned."""
    desk.crews.clear()


def learn_procedure(desk: Desk, notice: dict[str, Any]) -> None:
    """Take in a new edition of a class's procedure, unless none was read yet."""
    if notice["class"] in desk.procedures:
        columns = ("class", "edition", "coef_bp", "limit", "limit_kind")
        desk.procedures[notice["class"]].append([notice[name] for name in columns])


LEARN: Mapping[str, Callable[[Desk, dict[str, Any]], None]] = {
    "batch_recall": learn_batch,
    "service_baseline": learn_demand,
    "window_change": learn_window,
    "crew_change": learn_crew,
    "procedure_revision": learn_procedure,
}


def assess(desk: Desk, news: News) -> list[str]:
    """Take in a notice, mark what it ended as its own to redo, and return the devices to work again.

    Raises:
        Refused: when the script fails.
    """
    notice, update = news.notice, news.notice["id"]
    LEARN[notice["kind"]](desk, notice)
    found = desk.client.script("absorb-change", "impact.py", surroundings(desk, news))
    mine = {("WRK", each) for each in found["work"]} | {("TST", each) for each in found["tests"]}
    mine |= {("CRT", each) for each in found["certificates"]} | {("COM", each) for each in found["commissions"]}
    for kind, subject in sorted(mine):
        if (kind, subject) in desk.caused:
            desk.caused[kind, subject] = update
    return [str(each) for each in found["work"]]


def surroundings(desk: Desk, news: News) -> dict[str, Json]:
    """Describe what a notice ended, and the services and references among it, as `impact.py` takes them."""
    of_kind: dict[str, list[str]] = {}
    for kind, subject, _ in news.ended:
        of_kind.setdefault(kind, []).append(subject)
    services = [desk.services[each] for each in of_kind.get("COM", [])]
    refs = {each: desk.devices[each].ref_service for each in of_kind.get("TST", [])}
    return {
        "stale": [ref for _, _, ref in news.ended],
        "members": {each.id: [device for device, _ in each.members] for each in services},
        "needs": {each.id: [*each.needs] for each in services},
        "refs": {device: service for device, service in refs.items() if service is not None},
    }
