"""The makers' side: models with their cards and manuals, parts that fit, test procedures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import attrs

from skillhorizon_fieldops.config import CLASSES, FieldConfig
from skillhorizon_fieldops.rows import Card, Fit, Manual, Procedure, Rule

if TYPE_CHECKING:
    from skillhorizon import Rng

MODELS: Mapping[str, tuple[str, str]] = {"head": ("M1", "M2"), "mid": ("M3", "M4"), "edge": ("M5", "M6")}
FAULTS = ("F1", "F2", "F3", "F4", "F5")
ARRESTER = "arrester"
FAMILIES = ("optic", "power", "control")
DERATE_BP = 1_200
PROCEDURES = (
    Procedure("head", 1, 39, 850, "min"),
    Procedure("mid", 1, 36, 900, "max"),
    Procedure("edge", 1, 44, 820, "min"),
)
"""Edition 1 of each class."""
METRICS: Mapping[bool, Mapping[str, int]] = {
    True: {"err_ppm": 100, "loss_mdb": 60, "supply_mv": 480, "temp_dc": 70},
    False: {"cfg": 90, "fw": 110, "serial": 4_000, "uptime_d": 160},
}
"""Metric -> a tenth of its range, for restoration and for modernisation."""
STEPS = 10
_REVS = (1, 9)
_QTY, _ARRESTER_QTY = (1, 4), 2
_RESTORATION_MIN, _MODERNISATION_MIN = (20, 70), (10, 22)
_THIRD_EDITION_BPS = 5_000
_ACTIONS: Mapping[bool, Mapping[str | None, str]] = {
    True: {
        "optic": "replace optic",
        "power": "replace power unit",
        "control": "replace control board",
        ARRESTER: "replace arrester",
        None: "clean and reset",
    },
    False: {
        "optic": "fit new optic",
        "power": "fit new power unit",
        "control": "fit new control board",
        ARRESTER: "fit new arrester",
        None: "load new configuration",
    },
}


@attrs.frozen
class Edition:
    """A manual edition with its rules, by rank."""

    manual: Manual
    rules: tuple[Rule, ...]

    def covers(self, hw_rev: int) -> bool:
        """Whether a hardware revision lies in its range."""
        return self.manual.rev_lo <= hw_rev <= self.manual.rev_hi


@attrs.frozen(kw_only=True)
class Catalogue:
    """All that models bring along.

    Attributes:
        cards: model -> fault -> card.
        editions: model -> its editions, highest issue first.
    """

    cards: Mapping[str, Mapping[str, Card]]
    editions: Mapping[str, tuple[Edition, ...]]

    def fault_of(self, model: str, family: str | None) -> str:
        """Return the fault of a model whose card asks for a family."""
        return next(fault for fault, card in self.cards[model].items() if card.family == family)

    def in_range(self, model: str, hw_rev: int) -> tuple[Edition, ...]:
        """Return the editions that cover a device; the first is in force (R2)."""
        return tuple(edition for edition in self.editions[model] if edition.covers(hw_rev))


def catalogue(rng: Rng, config: FieldConfig) -> Catalogue:
    """Draw cards and manuals of the six models."""
    models = [model for pair in MODELS.values() for model in pair]
    return Catalogue(
        cards={model: _cards(rng.stream("cards", model), config, model) for model in models},
        editions={model: _editions(rng.stream("manuals", model), config, model) for model in models},
    )


def _cards(rng: Rng, config: FieldConfig, model: str) -> dict[str, Card]:
    minutes = _RESTORATION_MIN if config.restoration else _MODERNISATION_MIN
    families = rng.shuffled([*FAMILIES, ARRESTER, None])
    return {
        fault: Card(
            model, fault, _ACTIONS[config.restoration][family], family, _qty(rng, family), rng.integer(*minutes)
        )
        for fault, family in zip(FAULTS, families, strict=True)
    }


def _qty(rng: Rng, family: str | None) -> int:
    if family is None:
        return 0
    return _ARRESTER_QTY if family == ARRESTER else rng.integer(*_QTY)


def _editions(rng: Rng, config: FieldConfig, model: str) -> tuple[Edition, ...]:
    """Draw two or three editions; the oldest issue covers all revisions, later ones a part."""
    ranges = [_REVS, _upper_or_lower(rng)]
    if rng.chance(_THIRD_EDITION_BPS):
        low = rng.integer(2, 4)
        ranges.append((low, low + rng.integer(3, 4)))
    issues = sorted(rng.sample(range(2, 10), len(ranges)))
    numbers = rng.shuffled(range(1, len(ranges) + 1))
    grid = _thresholds(rng, config, len(ranges))
    found = [
        _edition(rng, Manual(f"{model}-{number}", model, issue, *revs), {metric: grid[metric][n] for metric in grid})
        for n, (number, issue, revs) in enumerate(zip(numbers, issues, ranges, strict=True))
    ]
    return tuple(reversed(found))


def _upper_or_lower(rng: Rng) -> tuple[int, int]:
    edge = rng.integer(4, 5)
    return (edge, _REVS[1]) if rng.chance(5_000) else (_REVS[0], 10 - edge)


def _thresholds(rng: Rng, config: FieldConfig, editions: int) -> dict[str, list[int]]:
    """Draw for each metric a threshold per edition, all well apart."""
    return {
        metric: [tenth * place + rng.integer(0, tenth // 3) for place in rng.sample(range(2, STEPS - 1), editions)]
        for metric, tenth in METRICS[config.restoration].items()
    }


def _edition(rng: Rng, manual: Manual, thresholds: Mapping[str, int]) -> Edition:
    """Draw four rules of a metric each, and a fifth that always holds."""
    faults, metrics = rng.shuffled(FAULTS), rng.shuffled(sorted(thresholds))
    lines = [(metric, rng.choice((">", "<")), thresholds[metric]) for metric in metrics]
    lines.append((rng.choice(metrics), ">", 0))
    return Edition(
        manual,
        tuple(
            Rule(manual.edition, rank, *line, fault)
            for rank, (line, fault) in enumerate(zip(lines, faults, strict=True), start=1)
        ),
    )


def fits(rng: Rng) -> tuple[Fit, ...]:
    """Draw which part is which: per family and class two regular ones and an alternate, and one arrester."""
    kinds = [(f, c, *revs) for f in FAMILIES for c in CLASSES for revs in ((1, 5, 0), (6, 9, 0), (*_REVS, DERATE_BP))]
    parts = rng.shuffled([f"PT{n:02}" for n in range(1, len(kinds) + 2)])
    arrester = parts.pop()
    rows = [Fit(f, c, part, low, high, derate) for part, (f, c, low, high, derate) in zip(parts, kinds, strict=True)]
    rows += [Fit(ARRESTER, device_class, arrester, *_REVS, 0) for device_class in CLASSES]
    return tuple(sorted(rows, key=lambda fit: (fit.family, fit.device_class, fit.part)))
