"""Agents by name: core's scripted ones, plugins', and `module:attribute`."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from importlib import import_module
from typing import Any, Protocol

import attrs

from skillhorizon import registry
from skillhorizon.errors import PluginError, UnknownName, UsageError
from skillhorizon.evaluation.execution import Execution

AGENTS = {
    "careless": "skillhorizon.evaluation.careless:careless",
    "early-stop": "skillhorizon.evaluation.partial:early_stop",
    "forgetful": "skillhorizon.evaluation.careless:forgetful",
    "no-recheck": "skillhorizon.evaluation.careless:no_recheck",
    "null": "skillhorizon.evaluation.scripted:null",
    "read-only": "skillhorizon.evaluation.idle:read_only",
    "reference": "skillhorizon.evaluation.scripted:reference",
    "update-blind": "skillhorizon.evaluation.partial:update_blind",
}
"""Core's own agents: name -> "module:factory"; a factory takes the options text, as in `NAME:OPTIONS`."""
ROLE = "agent"


class Agent(Protocol):
    """Whatever works on executions."""

    @property
    def name(self) -> str:
        """The agent's name."""

    def run(self, execution: Execution) -> None:
        """Work until the execution ends; returning earlier submits."""


@attrs.frozen
class Called:
    """An agent under the name it was asked for by."""

    name: str
    run: Callable[[Execution], None]


def load_agent(spec: str) -> Agent:
    """Return the agent that `NAME`, `NAME:OPTIONS` or `module:attribute` stands for.

    The attribute is an object with `run(execution)`, a class or factory of one that needs no arguments, or a function
    of the execution.

    Raises:
        UnknownName: when nothing answers to the name.
        UsageError: when the options are wrong, or what was found is no agent.
        PluginError: when the module breaks while it is imported.
    """
    name, _, options = spec.partition(":")
    if name in AGENTS:
        module, _, factory = AGENTS[name].partition(":")
        made: Agent = getattr(import_module(module), factory)(options)
        return Called(spec, made.run)
    plugged = {item.name: item.value for _, item in registry.contributions("shz_agents") if item.role == ROLE}
    if name in plugged:
        return _plugged(plugged[name], options, spec)
    if not options:
        raise UnknownName(
            f"there is no agent {name!r}; the agents are {', '.join(sorted({*AGENTS, *plugged}))}, "
            "or name your own as MODULE:ATTRIBUTE"
        )
    return as_agent(_imported(name, options), spec)


def _plugged(value: Any, options: str, spec: str) -> Agent:
    if not options:
        return as_agent(value, spec)
    if not callable(value):
        raise UsageError(f"the agent {spec.partition(':')[0]} takes no options, but {options!r} was given")
    return as_agent(value(options), spec)


def _imported(module: str, attribute: str) -> Any:
    try:
        found = import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or not (module == error.name or module.startswith(f"{error.name}.")):
            raise _broken(module, error) from error
        raise UnknownName(
            f"there is neither an agent nor a module {module!r}; the agents are {', '.join(sorted(AGENTS))}, "
            "and a module must lie in the working folder or be installed"
        ) from error
    except Exception as error:
        raise _broken(module, error) from error
    if not hasattr(found, attribute):
        raise UnknownName(f"the module {module!r} has no {attribute!r}; name the agent as MODULE:ATTRIBUTE")
    return getattr(found, attribute)


def _broken(module: str, error: Exception) -> PluginError:
    return PluginError(f"the agent's module {module!r} fails on import ({type(error).__name__}: {error}); repair it")


def as_agent(value: Any, name: str) -> Agent:
    """Return an object with `run`, a class or factory of one, or a function of the execution, as an agent.

    Raises:
        UsageError: when it is none of these.
    """
    made = _made(value, name) if isinstance(value, type) or _needs(value) == 0 else value
    run = getattr(made, "run", None)
    if callable(run):
        return Called(name, run)
    if callable(made) and _needs(made) == 1:
        return Called(name, made)
    raise UsageError(f"{name} is no agent: give an object with `run(execution)` or a function of the execution")


def _made(factory: Callable[[], Any], name: str) -> Any:
    try:
        return factory()
    except Exception as error:
        raise UsageError(f"the agent {name} cannot be made ({type(error).__name__}: {error}); repair it") from error


def name_of(value: Any) -> str:
    """Return the name of an agent object: its own, or where its code stands."""
    own = getattr(value, "name", None)
    place = value if hasattr(value, "__qualname__") else type(value)
    return own if isinstance(own, str) else f"{place.__module__}:{place.__qualname__}"


def _needs(value: Any) -> int:
    """Return how many arguments a function needs; -1 when it is none or has no signature."""
    if not callable(value) or callable(getattr(value, "run", None)):
        return -1
    try:
        parameters = inspect.signature(value).parameters.values()
    except (TypeError, ValueError):
        return -1
    needed = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return sum(1 for p in parameters if p.default is p.empty and p.kind in needed)
