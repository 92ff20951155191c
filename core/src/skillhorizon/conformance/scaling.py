"""Check 11: the reference's workload is about linear in the scale knob."""

from __future__ import annotations

from functools import partial
from statistics import linear_regression, mean
from typing import TYPE_CHECKING

from skillhorizon.conformance.findings import Finding
from skillhorizon.conformance.subject import Spot
from skillhorizon.model import tokens

if TYPE_CHECKING:
    from collections.abc import Iterator

    from skillhorizon.conformance.subject import Specimen, Subject

NAME = "scaling"
found = partial(Finding, check=NAME)
KNOBS, FULL_SEEDS, FAST_SEEDS = 5, 5, 2
LARGEST_RESIDUAL = 0.1
_FEWEST = 3
_BANDS = ("128k", "256k", "512k", "1m")


def check(subject: Subject) -> Iterator[Finding]:
    """Fit a line to the means of several seeds at several knobs, in the bands over 128K (else the largest there is)."""
    bands = [band for band in subject.bands if band in _BANDS] or list(subject.bands[-1:])
    whole = subject.profile.full
    for band in bands if whole else bands[:1]:
        cells = subject.environment.scale.cells_of(band)
        for cell in cells if whole else cells[:1]:
            yield from _fitted(subject, band, cell)


def _fitted(subject: Subject, band: str, cell: tuple[str, str]) -> Iterator[Finding]:
    means: dict[int, float] = {}
    for knob in subject.knobs(band, cell, KNOBS):
        seeds = FULL_SEEDS if subject.profile.full else FAST_SEEDS
        spots = [Spot(band, *cell, knob, seed + 1) for seed in range(seeds)]
        measured = [l_ref(specimen) for specimen in subject.proven(spots)]
        if measured:
            means[knob] = mean(measured)
    if len(means) < _FEWEST:
        return
    for knob, share in residuals(means).items():
        if abs(share) > LARGEST_RESIDUAL:
            told = f"L_ref is not linear in the knob: {share:+.0%} at knob {knob} ({band} {'/'.join(cell)})"
            yield found(
                message=told, evidence="\n".join(f"knob {k}: {value:,.0f} tokens" for k, value in means.items())
            )


def residuals(means: dict[int, float]) -> dict[int, float]:
    """Return by which share each mean lies off the least-squares line.

    >>> residuals({1: 110.0, 2: 210.0, 3: 310.0})
    {1: 0.0, 2: 0.0, 3: 0.0}
    """
    slope, base = linear_regression(list(means), list(means.values()))
    return {knob: (value - (base + slope * knob)) / (base + slope * knob) for knob, value in means.items()}


def l_ref(specimen: Specimen) -> int:
    """Return the tokens of a reference run's calls and observations (protocol, section 1)."""
    return sum(tokens.count(record.call_text) + tokens.count(record.observation) for record in specimen.run.records)
