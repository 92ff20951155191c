"""The environment: one bundle of its roles, found through the entry point `socialops`."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

from skillhorizon import Environment
from skillhorizon_socialops.builder import base, build
from skillhorizon_socialops.composer import compose
from skillhorizon_socialops.config import SocialConfig
from skillhorizon_socialops.gateway import TOOLS
from skillhorizon_socialops.goals import check
from skillhorizon_socialops.instruction import instruction
from skillhorizon_socialops.mutations import MUTATIONS
from skillhorizon_socialops.policy import steps
from skillhorizon_socialops.rows import TABLES
from skillhorizon_socialops.scale import SCALE
from skillhorizon_socialops.twins import twins
from skillhorizon_socialops.updates import apply

if TYPE_CHECKING:
    from skillhorizon_socialops.plan import Plan

__all__ = ["environment"]

_PACKAGE = "skillhorizon_socialops"

environment: Environment[SocialConfig, Plan] = Environment(
    name="socialops",
    package=_PACKAGE,
    title="Run campaign briefs wave by wave while feeds and rights change, from licensed assets to the deployed winner",
    config=SocialConfig,
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
    silent_kinds=frozenset({"pk"}),
    twins=twins,
)
