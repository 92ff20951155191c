"""Named faults with what must fail, and harmless variations that must pass."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skillhorizon import Mutation
from skillhorizon_financeops.mutations.choices import adjacent_contract, first_in_first_out, map_below_overlay
from skillhorizon_financeops.mutations.harmless import (
    early_reviews,
    extra_reads,
    reversed_packages,
    shuffled_packages,
    submitted_twice,
)
from skillhorizon_financeops.mutations.neglect import (
    last_notice_unhandled,
    near_miss_in_evidence,
    package_not_remade,
    release_withheld,
    restated_view,
)
from skillhorizon_financeops.mutations.readings import metadata_amount, record_off_by_one
from skillhorizon_financeops.mutations.repair import wrong_map_repaired

if TYPE_CHECKING:
    from skillhorizon_financeops.plan import Plan

__all__ = ["MUTATIONS"]

MUTATIONS: tuple[Mutation[Plan], ...] = (
    Mutation("record-off-by-one", record_off_by_one),
    Mutation("metadata-amount", metadata_amount),
    Mutation("adjacent-contract", adjacent_contract),
    Mutation("map-below-overlay", map_below_overlay),
    Mutation("first-in-first-out", first_in_first_out),
    Mutation("restated-view", restated_view),
    Mutation("package-not-remade", package_not_remade),
    Mutation("near-miss-in-evidence", near_miss_in_evidence),
    Mutation("release-withheld", release_withheld),
    Mutation("last-notice-unhandled", last_notice_unhandled),
    Mutation("reversed-packages", reversed_packages),
    Mutation("shuffled-packages", shuffled_packages),
    Mutation("extra-reads", extra_reads),
    Mutation("early-reviews", early_reviews),
    Mutation("submitted-twice", submitted_twice),
    Mutation("wrong-map-repaired", wrong_map_repaired),
)
"""In the order of the specification: what must fail, then what must pass."""
