"""Named faults with what must fail, and harmless variations that must pass."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skillhorizon import Mutation
from skillhorizon_socialops.mutations.forgery import unplanned_publication, withdrawn_asset_deployed
from skillhorizon_socialops.mutations.harmless import (
    arm_moved,
    extra_reads,
    lanes_shuffled,
    packages_reversed,
    published_late,
)
from skillhorizon_socialops.mutations.judgement import (
    correction_glossed_over,
    duplicates_counted,
    neighbours_window,
    second_best_test_asset,
)
from skillhorizon_socialops.mutations.neglect import (
    correction_ignored,
    deployment_omitted,
    final_wave_open,
    notice_unacknowledged,
)

if TYPE_CHECKING:
    from skillhorizon_socialops.plan import Plan

__all__ = ["MUTATIONS"]

MUTATIONS: tuple[Mutation[Plan], ...] = (
    Mutation("second-best-test-asset", second_best_test_asset),
    Mutation("duplicates-counted", duplicates_counted),
    Mutation("neighbours-window", neighbours_window),
    Mutation("correction-ignored", correction_ignored),
    Mutation("correction-glossed-over", correction_glossed_over),
    Mutation("notice-unacknowledged", notice_unacknowledged),
    Mutation("final-wave-open", final_wave_open),
    Mutation("withdrawn-asset-deployed", withdrawn_asset_deployed),
    Mutation("deployment-omitted", deployment_omitted),
    Mutation("unplanned-publication", unplanned_publication),
    Mutation("lanes-shuffled", lanes_shuffled),
    Mutation("published-late", published_late),
    Mutation("extra-reads", extra_reads),
    Mutation("arm-moved", arm_moved),
    Mutation("packages-reversed", packages_reversed),
)
"""In the order of the specification: what must fail, then what must pass."""
