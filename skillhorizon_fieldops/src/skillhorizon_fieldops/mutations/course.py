"""The order in which the reference finishes a wave, and so whom its updates meet."""

from __future__ import annotations

from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING

from skillhorizon_fieldops.plan import BatchRecall, ServiceBaseline

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from skillhorizon_fieldops.mutations.places import Places

_MOST_REACHED = 8


def _in_order(waits: Mapping[str, int], below: Mapping[str, list[str]]) -> Iterator[str]:
    """Yield by id what waits for nothing any more."""
    left = dict(waits)
    ready = [name for name, count in left.items() if not count]
    heapify(ready)
    while ready:
        name = heappop(ready)
        yield name
        for other in below.get(name, ()):
            if other in left:
                left[other] -= 1
                if not left[other]:
                    heappush(ready, other)


def cases(places: Places, wave: int) -> list[str]:
    """Return a wave's devices in the order in which they are first tested."""
    own = {name for name, device in places.devices.items() if device.wave == wave}
    upstream = places.plan.truth.upstream
    return list(_in_order({name: len(own.intersection(upstream[name])) for name in sorted(own)}, places.below))


def services(places: Places, wave: int) -> list[str]:
    """Return a wave's services in the order in which they are first commissioned."""
    own = {name for name, service in places.services.items() if service.wave == wave}
    waits = {name: len(own.intersection(places.needs.get(name, ()))) for name in sorted(own)}
    return list(_in_order(waits, places.dependents))


def recalled(places: Places, update: BatchRecall) -> str:
    """Return the device whose test fires a recall."""
    users = [name for name in cases(places, update.wave) if places.card(name).family == "arrester"]
    return users[update.trigger.count - 1]


def baselines(places: Places) -> list[tuple[ServiceBaseline, str]]:
    """Return each baseline with the service that it changes; those that find none are left out."""
    out: list[tuple[ServiceBaseline, str]] = []
    changed: set[str] = set()
    for update in places.plan.updates:
        if isinstance(update, ServiceBaseline):
            current = _current(places, update)
            reached = {name: _reached(places, name, current, update.wave) for name in sorted(current - changed)}
            fitting = [name for name, count in reached.items() if count <= _MOST_REACHED]
            if fitting:
                name = min(fitting, key=lambda name, counts=reached: (-counts[name], name))  # type: ignore[misc]  # bound
                changed.add(name)
                out.append((update, name))
    return out


def _current(places: Places, update: ServiceBaseline) -> set[str]:
    earlier = {name for name, service in places.services.items() if service.wave < update.wave}
    return earlier | set(services(places, update.wave)[: update.trigger.count])


def _reached(places: Places, start: str, current: set[str], wave: int) -> int:
    """Count the commissionings that stand on one, itself included: through needs, and through tests that refer."""
    seen, queue = {start}, [start]
    while queue:
        name = queue.pop()
        users = [*places.dependents.get(name, ())]
        for device in tested(places, name, wave):
            users += places.carried[device]
        fresh = [user for user in dict.fromkeys(users) if user in current and user not in seen]
        seen.update(fresh)
        queue += fresh
    return len(seen)


def tested(places: Places, service: str, wave: int) -> list[str]:
    """Return the devices that refer to a service and are tested by the time services of a wave are commissioned."""
    return [name for name in places.referring.get(service, ()) if places.devices[name].wave <= wave]


def highest_demands(places: Places) -> dict[str, int]:
    """Return the highest demand that each service ever has."""
    demands = {name: service.demand for name, service in places.services.items()}
    for update, name in baselines(places):
        demands[name] = max(demands[name], demands[name] * (10_000 + update.change_bp) // 10_000)
    return demands
