"""Traced runs of the reference policy on real tasks: which step made which calls, under which update."""

from __future__ import annotations

from typing import Any

from fieldops_runs import begun

from skillhorizon import testing
from skillhorizon.testing import Interference
from skillhorizon_fieldops.config import FieldConfig
from skillhorizon_fieldops.plan import Plan

SMALL = FieldConfig("restoration", "radial", 6, 10_500)
MODERN = FieldConfig("modernisation", "ring", 10, 17_000)
MIDDLE = FieldConfig("restoration", "layered", 20, 16_000)
Trace = testing.Trace[Plan]


def traced(config: FieldConfig, seed: int, **how: Any) -> Trace:
    """Run the policy, interfered with as `skillhorizon.testing.Interference` says."""
    return testing.traced(begun(config, seed), Interference(**how))
