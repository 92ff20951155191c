"""Where an environment under test comes from: its installed name, or `module:attribute`."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from skillhorizon import registry
from skillhorizon.construction.components import Components, choose
from skillhorizon.environment import Environment
from skillhorizon.errors import PluginError
from skillhorizon.session.session import Toolbox


def bundle_of(origin: str) -> Environment[Any, Any]:
    """Load an environment's bundle.

    Args:
        origin: the name of an installed environment, or `module:attribute` of a bundle or of a function that makes one.

    Raises:
        UnknownName, PluginError: when it is not installed, or no environment.
    """
    if ":" not in origin:
        return registry.environment(origin)
    module, _, attribute = origin.partition(":")
    found = getattr(import_module(module), attribute)
    made = found if isinstance(found, Environment) else found()
    if not isinstance(made, Environment):
        raise PluginError(f"{origin!r} is a {type(made).__name__}, not an Environment")
    return made


def components_of(origin: str, environment: Environment[Any, Any]) -> Components:
    """Return a loaded environment with its own policy, skills and tools.

    Raises:
        PluginError: when its skills break the format.
    """
    if ":" not in origin:
        return choose(origin)
    return Components(environment, Toolbox.of(environment), ())
