"""The environment: one bundle of its roles, found through the entry point `fieldops`."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

from skillhorizon import Environment
from skillhorizon_fieldops.builder import base, build
from skillhorizon_fieldops.composer import compose
from skillhorizon_fieldops.config import FieldConfig
from skillhorizon_fieldops.gateway import TOOLS
from skillhorizon_fieldops.goals import check
from skillhorizon_fieldops.instruction import instruction
from skillhorizon_fieldops.mutations import MUTATIONS
from skillhorizon_fieldops.policy import steps
from skillhorizon_fieldops.returns import ON_END
from skillhorizon_fieldops.rows import TABLES
from skillhorizon_fieldops.scale import SCALE
from skillhorizon_fieldops.twins import twins
from skillhorizon_fieldops.updates import apply

if TYPE_CHECKING:
    from skillhorizon_fieldops.plan import Plan

__all__ = ["environment"]

_PACKAGE = "skillhorizon_fieldops"

environment: Environment[FieldConfig, Plan] = Environment(
    name="fieldops",
    package=_PACKAGE,
    title="Restore or modernise field devices wave by wave while plans change, and hand their services back",
    config=FieldConfig,
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
    on_end=ON_END,
    twins=twins,
)
