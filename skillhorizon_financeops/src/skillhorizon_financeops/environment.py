"""The environment: one bundle of its roles, found through the entry point `financeops`."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

from skillhorizon import Environment
from skillhorizon_financeops.builder import base, build
from skillhorizon_financeops.composer import compose
from skillhorizon_financeops.config import FinanceConfig
from skillhorizon_financeops.gateway import TOOLS
from skillhorizon_financeops.goals import check
from skillhorizon_financeops.instruction import instruction
from skillhorizon_financeops.mutations import MUTATIONS
from skillhorizon_financeops.policy import steps
from skillhorizon_financeops.rows import TABLES
from skillhorizon_financeops.scale import SCALE
from skillhorizon_financeops.twins import twins
from skillhorizon_financeops.updates import apply

if TYPE_CHECKING:
    from skillhorizon_financeops.plan import Plan

__all__ = ["environment"]

_PACKAGE = "skillhorizon_financeops"

environment: Environment[FinanceConfig, Plan] = Environment(
    name="financeops",
    package=_PACKAGE,
    title="Close a group's ledger stage by stage, keep it true while its sources change, then review and publish it",
    config=FinanceConfig,
    tables=TABLES,
    compose=compose,
    base=base,
    build=build,
    tools=TOOLS,
    steps=steps,
    apply=apply,
    check=check,
    mutations=MUTATIONS,
    handbook=files(_PACKAGE) / "handbook",
    skills=files(_PACKAGE) / "skills",
    instruction=instruction,
    scale=SCALE,
    # What a notice touches is the agent's to work out.
    silent_kinds=frozenset({"NRM", "MAT", "AGG"}),
    twins=twins,
)
