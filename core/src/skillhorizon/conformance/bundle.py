"""Before all checks: the bundle has every role, of the right kind."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import attrs

from skillhorizon.conformance.findings import Finding
from skillhorizon.environment import Mutation, Scale
from skillhorizon.gateway.tools import Tool
from skillhorizon.world.rows import layout

if TYPE_CHECKING:
    from collections.abc import Iterator

    from skillhorizon.environment import Environment

NAME = "bundle"
_CALLABLES = ("compose", "base", "build", "steps", "apply", "check", "instruction")
_OF_SCALE = ("bounds", "step", "config", "reach", "accept")
_OPTIONS = ("slack", "updates")
found = partial(Finding, check=NAME)


def check(environment: Environment[Any, Any]) -> Iterator[Finding]:
    """Find roles that are missing or of another kind, and options that every configuration has."""
    for role in _CALLABLES:
        if not callable(getattr(environment, role, None)):
            yield found(message=f"the environment lacks its role {role}", evidence=_shown(environment, role))
    for role, kind in (("tools", Tool), ("mutations", Mutation)):
        yield from _of_kind(environment, role, kind)
    for role in ("handbook", "skills"):
        if not _is_folder(getattr(environment, role, None)):
            yield found(message=f"the role {role} is no folder", evidence=_shown(environment, role))
    yield from _tables(environment)
    yield from _config(environment)
    yield from _scale(environment)


def _shown(environment: Environment[Any, Any], role: str) -> str:
    return f"{role} = {getattr(environment, role, None)!r}"


def _of_kind(environment: Environment[Any, Any], role: str, kind: type) -> Iterator[Finding]:
    value = getattr(environment, role, None)
    if not isinstance(value, tuple) or not value:
        yield found(message=f"the role {role} is no tuple with at least one {kind.__name__}", evidence=f"{value!r}")
        return
    for item in value:
        if not isinstance(item, kind):
            yield found(message=f"the role {role} holds something that is no {kind.__name__}", evidence=f"{item!r}")


def _is_folder(value: Any) -> bool:
    return hasattr(value, "is_dir") and bool(value.is_dir())


def _tables(environment: Environment[Any, Any]) -> Iterator[Finding]:
    for row in environment.tables or ():
        try:
            layout(row)
        except TypeError as error:
            yield found(message=f"the row class {row.__name__} has no table", evidence=str(error))


def _config(environment: Environment[Any, Any]) -> Iterator[Finding]:
    config: Any = environment.config
    if not (isinstance(config, type) and attrs.has(config)):
        yield found(message="the configuration is no attrs class", evidence=_shown(environment, "config"))
        return
    fields = [field.name for field in attrs.fields(config)]
    for option in _OPTIONS:
        if option not in fields:
            yield found(message=f"the configuration has no option {option}", evidence=f"its fields are {fields}")


def _scale(environment: Environment[Any, Any]) -> Iterator[Finding]:
    scale: Any = environment.scale
    if not isinstance(scale, Scale):
        yield found(message="the environment lacks its role scale", evidence=_shown(environment, "scale"))
        return
    for part in _OF_SCALE:
        if not callable(getattr(scale, part)):
            yield found(message=f"the scale lacks its {part}", evidence=f"{part} = {getattr(scale, part)!r}")
    if not scale.cells or not scale.bands:
        yield found(message="the scale has no cells or no bands", evidence=f"{scale.cells!r}, {scale.bands!r}")
