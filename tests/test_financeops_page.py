"""The page on FinanceOps says what the environment's scale says."""

from __future__ import annotations

from pathlib import Path

import pytest

from skillhorizon_financeops.config import FAMILIES
from skillhorizon_financeops.scale import SCALE

PAGE = Path(__file__).parents[1] / "docs" / "environments" / "financeops.md"
BANDS = ("smoke", "64k", "128k", "256k", "512k", "1m", "2m", "4m")
WHERE = [(band, family, variant) for band in BANDS for family, variants in FAMILIES.items() for variant in variants]


def ends(text: str) -> tuple[int, int]:
    """The ends of a range, with an en dash between them; a single number is both."""
    low, _, high = text.replace(",", "").partition("\N{EN DASH}")
    return int(low), int(high or low)


def rows() -> list[list[str]]:
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")]


SIZES = {tuple(row[i] for i in (0, 2, 3)): row for row in rows() if len(row) == 9 and row[0] in BANDS}


def test_the_page_has_every_band_and_variant_once_in_order() -> None:
    assert list(SIZES) == WHERE
    assert len(SIZES) == sum(len(row) == 9 and row[0] in BANDS for row in rows())


@pytest.mark.parametrize("where", WHERE, ids="-".join)
def test_the_page_has_the_scales_widths_packages_and_reach(where: tuple[str, str, str]) -> None:
    _, stages, _, _, width, packages, tokens, calls, business = SIZES[where]
    knobs = SCALE.bounds(*where)
    configs = [SCALE.config(*where, knob, {}) for knob in knobs]
    assert ends(width) == knobs
    assert ends(packages) == tuple(config.packages for config in configs)
    assert {int(stages)} == {config.stages for config in configs}
    assert ends(business) < ends(calls)
    if where[0] != "smoke":
        assert tuple(1000 * end for end in ends(tokens)) == SCALE.reach(*where)


@pytest.mark.parametrize("band", BANDS)
def test_the_summary_of_a_band_spans_its_variants(band: str) -> None:
    (summary,) = [row for row in rows() if len(row) == 5 and row[0] == band]
    for column, of in ((1, 5), (2, 7), (3, 8)):
        spans = [ends(row[of]) for where, row in SIZES.items() if where[0] == band]
        assert ends(summary[column]) == (min(low for low, _ in spans), max(high for _, high in spans))


def test_the_page_names_every_variant_with_its_family() -> None:
    text = PAGE.read_text(encoding="utf-8")
    for family, variants in FAMILIES.items():
        assert f"| {family} | {variants[0]} |" in text
        assert all(f"| | {variant} |" in text for variant in variants[1:])
