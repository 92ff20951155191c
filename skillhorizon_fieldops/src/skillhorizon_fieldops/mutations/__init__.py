"""Named faults with what must fail, and harmless variations that must pass."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skillhorizon import Mutation
from skillhorizon_fieldops.mutations.certificates import passing_value_plus_one, wrong_repair_certified
from skillhorizon_fieldops.mutations.closing import (
    account_off_by_one,
    permit_left_open,
    relief_overdrawn,
    system_refused,
)
from skillhorizon_fieldops.mutations.harmless import extra_reads, one_by_one, one_relief, tests_repeated, zones_shuffled
from skillhorizon_fieldops.mutations.neglect import need_outdated, recalled_unit_kept, references_not_retested
from skillhorizon_fieldops.mutations.substitutes import alternate_part, other_crew, zone_in_the_sweep
from skillhorizon_fieldops.mutations.wrongly import first_diagnoses_wrong

if TYPE_CHECKING:
    from skillhorizon_fieldops.plan import Plan

__all__ = ["MUTATIONS"]

MUTATIONS: tuple[Mutation[Plan], ...] = (
    Mutation("wrong-repair-certified", wrong_repair_certified),
    Mutation("passing-value-plus-one", passing_value_plus_one),
    Mutation("need-outdated", need_outdated),
    Mutation("permit-left-open", permit_left_open),
    Mutation("account-off-by-one", account_off_by_one),
    Mutation("relief-overdrawn", relief_overdrawn),
    Mutation("system-refused", system_refused),
    Mutation("references-not-retested", references_not_retested),
    Mutation("recalled-unit-kept", recalled_unit_kept),
    Mutation("zones-shuffled", zones_shuffled),
    Mutation("one-by-one", one_by_one),
    Mutation("extra-reads", extra_reads),
    Mutation("alternate-part", alternate_part),
    Mutation("other-crew", other_crew),
    Mutation("tests-repeated", tests_repeated),
    Mutation("one-relief", one_relief),
    Mutation("zone-in-the-sweep", zone_in_the_sweep),
    Mutation("first-diagnoses-wrong", first_diagnoses_wrong),
)
"""In the order of the specification: what must fail, then what must pass."""
