"""What each device is: model, revision, fault, pair, rating; who wears an arrester, whose first work fails."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import attrs

from skillhorizon_fieldops.composer.catalogue import ARRESTER, FAULTS, MODELS, Catalogue
from skillhorizon_fieldops.rows import Card, History

if TYPE_CHECKING:
    from skillhorizon import Rng
    from skillhorizon_fieldops.composer.estate import Estate
    from skillhorizon_fieldops.config import FieldConfig

_PAIRED_PERCENT, _DEVICES_PER_INFANT = 15, 25
_SMALL_WAVE, _FEW_USERS, _USERS = 8, (1, 2), (3, 5)
_MISLED_BPS = 6_000
_REVS = range(1, 10)
_RATED_TENS = (80, 240)
_ACTIONS = ("inspected", "cleaned", "reset", "firmware loaded", "connector replaced", "label renewed")
_WEEKS, _HISTORY = (5, 400), 3


@attrs.frozen(kw_only=True)
class Kit:
    """The devices' equipment, by index.

    Attributes:
        models, revs, faults, rated: of each device.
        partners: device -> the other one of its pair.
        users: devices that need an arrester.
        infants: devices whose first work fails its test.
        misled: devices of which a superseded edition says another fault.
    """

    models: tuple[str, ...]
    revs: tuple[int, ...]
    faults: tuple[str, ...]
    rated: tuple[int, ...]
    partners: Mapping[int, int]
    users: frozenset[int]
    infants: frozenset[int]
    misled: frozenset[int]

    def card(self, catalogue: Catalogue, index: int) -> Card:
        """Return the card of a device's true fault."""
        return catalogue.cards[self.models[index]][self.faults[index]]


def kit(rng: Rng, config: FieldConfig, estate: Estate, catalogue: Catalogue) -> Kit:
    """Equip all devices."""
    count = config.devices
    partners = _pairs(rng.stream("pairs"), estate)
    users = frozenset(_users(rng.stream("users"), config, estate, partners))
    models = [rng.choice(MODELS[device_class]) for device_class in estate.network.classes]
    for one, other in partners.items():
        models[other] = models[min(one, other)]
    misled = frozenset(index for index in range(count) if rng.chance(_MISLED_BPS))
    return Kit(
        models=tuple(models),
        revs=tuple(_rev(rng, catalogue, model, misled=index in misled) for index, model in enumerate(models)),
        faults=_faults(rng.stream("faults"), catalogue, models, partners, users),
        rated=tuple(10 * rng.integer(*_RATED_TENS) for _ in range(count)),
        partners=partners,
        users=users,
        infants=frozenset(rng.stream("infants").sample(range(count), -(-count // _DEVICES_PER_INFANT))),
        misled=misled,
    )


def _pairs(rng: Rng, estate: Estate) -> dict[int, int]:
    """Pair devices of one class and different zones."""
    partners: dict[int, int] = {}
    waiting: dict[str, int] = {}
    count = len(estate.names)
    for index in rng.shuffled(range(count)):
        if len(partners) + 2 > count * _PAIRED_PERCENT // 100:
            break
        device_class = estate.network.classes[index]
        other = waiting.get(device_class)
        if other is not None and estate.zone_of[other] != estate.zone_of[index]:
            partners[index], partners[other] = other, index
            del waiting[device_class]
        else:
            waiting[device_class] = index
    return partners


def _users(rng: Rng, config: FieldConfig, estate: Estate, partners: dict[int, int]) -> list[int]:
    """Draw each wave's arrester users: unpaired, with fewest descendants; where all are paired, a pair is dissolved."""
    users: list[int] = []
    for wave in range(1, config.waves + 1):
        devices = sorted(rng.shuffled(estate.of_wave(wave)), key=lambda index: estate.network.descendants[index])
        wanted = rng.integer(*(_FEW_USERS if len(devices) < _SMALL_WAVE else _USERS))
        if all(index in partners for index in devices):
            del partners[partners.pop(devices[0])]
        users += [index for index in devices if index not in partners][:wanted]
    return users


def _rev(rng: Rng, catalogue: Catalogue, model: str, *, misled: bool) -> int:
    """Draw a revision; one that a superseded edition covers too, when that shall mislead."""
    return rng.choice([rev for rev in _REVS if not misled or len(catalogue.in_range(model, rev)) > 1])


def _faults(
    rng: Rng, catalogue: Catalogue, models: list[str], partners: Mapping[int, int], users: frozenset[int]
) -> tuple[str, ...]:
    faults = []
    for index, model in enumerate(models):
        arrester = catalogue.fault_of(model, ARRESTER)
        faults.append(arrester if index in users else rng.choice([fault for fault in FAULTS if fault != arrester]))
    for one, other in partners.items():
        faults[other] = faults[min(one, other)]
    return tuple(faults)


def history(rng: Rng, names: tuple[str, ...]) -> tuple[History, ...]:
    """Draw three older actions of each device, the latest first."""
    rows = []
    for name in sorted(names):
        weeks = sorted(rng.sample(range(*_WEEKS), _HISTORY))
        rows += [History(name, number, ago, rng.choice(_ACTIONS)) for number, ago in enumerate(weeks, start=1)]
    return tuple(rows)
