"""Agents by name: core's scripted ones, plugins', and `module:attribute`."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol

import attrs

from skillhorizon import registry
from skillhorizon.errors import PluginError, UnknownName, UsageError
from skillhorizon.evaluation.execution import Execution

if TYPE_CHECKING:
    from pathlib import Path

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


class Attending(Agent, Protocol):
    """An agent that waits for a model, so that many executions go on at once on one event loop.

    Its `attend` works as `run` does. What else an agent may have, attending or not, is found by `trait`:
    `continues` (an execution left open goes on, see `Continuing`), `versions` (name -> text, what it is made of),
    `isolation` (what keeps it from the task's files), `preflight()` (looks before the run whether it can work),
    `accounts` (False where nobody knows what its model uses), `estimate(measurement)` (-> Usage, what a task will
    take), `spent(files, ended=False)` (-> Usage, what was paid for an execution that is open or for a pack of skills;
    of one that has ended, what its result does not tell), `create(execution, folder)` (a coroutine that writes a pack
    of skills into a folder, which stands only when it is complete; the execution is a sample of the tools).
    """

    async def attend(self, execution: Execution) -> None:
        """Work until the execution ends; returning earlier submits."""


class Continuing(Agent, Protocol):
    """An agent that goes on with an execution that an earlier process left open.

    Whenever it keeps what it has done it calls `execution.watch.keep()`, so that a kill loses no wall time.
    """

    def kept(self, files: Path, records: int) -> int:
        """Return after how many of the journal's records it goes on, at most `records`; 0 is from the start.

        `files` is how the names of its own files begin; with 0 records they belong to no execution any more.
        """


@attrs.frozen
class Called:
    """An agent under the name it was asked for by; `made` is the object itself."""

    name: str
    run: Callable[[Execution], None]
    made: Any = None


def trait(agent: Agent, name: str, *, default: Any) -> Any:
    """Return what an agent says of itself, or a default."""
    return getattr(agent.made if isinstance(agent, Called) else agent, name, default)


def load_agent(spec: str, settings: Mapping[str, str] | None = None) -> Agent:
    """Return the agent that `NAME`, `NAME:OPTIONS`, `FAMILY/MODEL` or `module:attribute` stands for.

    The attribute is an object with `run(execution)`, a class or factory of one that needs no arguments, or a function
    of the execution. A plugin's factory takes (options text) or (options text, settings).

    Raises:
        UnknownName: when nothing answers to the name.
        UsageError: when the options are wrong, or what was found is no agent.
        PluginError: when the module breaks while it is imported.
    """
    name, _, options = spec.partition(":")
    asked = dict(settings or {})
    if name in AGENTS:
        _check_none(name, asked)
        module, _, factory = AGENTS[name].partition(":")
        made: Agent = getattr(import_module(module), factory)(options)
        return Called(spec, made.run, made)
    plugged = {item.name: item.value for _, item in registry.contributions("shz_agents") if item.role == ROLE}
    family, slash, model = spec.partition("/")
    if slash and family + slash in plugged:
        return _named(spec, plugged[family + slash](model, asked))
    if name in plugged:
        return _plugged(plugged[name], options, spec, asked)
    _check_none(spec, asked)
    if not options:
        raise UnknownName(
            f"there is no agent {name!r}; the agents are {', '.join(sorted(AGENTS))}{_of_plugins(plugged)}, "
            "or name your own as MODULE:ATTRIBUTE"
        )
    return as_agent(_imported(name, options, plugged), spec)


def _of_plugins(names: Iterable[str]) -> str:
    told = sorted(f"{name}MODEL" if name.endswith("/") else name for name in names)
    return f", of plugins {', '.join(told)}" if told else ""


def _check_none(agent: str, settings: Mapping[str, str]) -> None:
    if settings:
        raise UsageError(f"the agent {agent} takes no --agent-option, but {', '.join(sorted(settings))} was given")


def _named(spec: str, made: Any) -> Agent:
    return made if made.name == spec else Called(spec, made.run, made)


def _plugged(value: Any, options: str, spec: str, settings: Mapping[str, str]) -> Agent:
    if _needs(value) == 2:  # noqa: PLR2004  # options and settings
        return _named(spec, value(options, settings))
    _check_none(spec, settings)
    if not options:
        return as_agent(value, spec)
    if not callable(value):
        raise UsageError(f"the agent {spec.partition(':')[0]} takes no options, but {options!r} was given")
    return as_agent(value(options), spec)


def _imported(module: str, attribute: str, plugged: Collection[str]) -> Any:
    try:
        found = import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or not (module == error.name or module.startswith(f"{error.name}.")):
            raise _broken(module, error) from error
        raise UnknownName(
            f"there is neither an agent nor a module {module!r}; the agents are {', '.join(sorted(AGENTS))}"
            f"{_of_plugins(plugged)}, and a module must lie in the working folder or be installed"
        ) from error
    except Exception as error:
        raise _broken(module, error) from error
    if not hasattr(found, attribute):
        model = f", or a model as {module}/{attribute}" if f"{module}/" in plugged else ""
        raise UnknownName(f"the module {module!r} has no {attribute!r}; name the agent as MODULE:ATTRIBUTE{model}")
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
        return Called(name, run, made)
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
