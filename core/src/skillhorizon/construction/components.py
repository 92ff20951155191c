"""The components a task is made with: an environment's own, or others chosen by name; and their pins."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib import resources
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from skillhorizon import registry
from skillhorizon.environment import OWN, Environment
from skillhorizon.errors import UnknownName, VersionMismatch
from skillhorizon.model.canonical import digest
from skillhorizon.model.task import ENGINE, Pin, Task
from skillhorizon.session.session import Toolbox
from skillhorizon.skills.library import load_library

if TYPE_CHECKING:
    from collections.abc import Mapping
    from importlib.resources.abc import Traversable

    from skillhorizon.hookspecs import Contribution

_HOOK_OF = {"policy": "shz_reference_policies", "skill-library": "shz_skill_libraries"}
_OWN_ROLES = ("checker", "composer", "gateway", "updates", "world-builder")


@attrs.frozen(eq=False)
class Components:
    """An environment with the policy and skills that a task pins, its toolbox, and the pins themselves."""

    environment: Environment[Any, Any]
    toolbox: Toolbox
    pins: tuple[Pin, ...]

    @property
    def version(self) -> str:
        """The environment's version: its distribution's major.minor."""
        return next(pin.version for pin in self.pins if pin.role == "composer")


def major_minor(version: str) -> str:
    """Return the part of a version that scores depend on.

    >>> major_minor("0.3.7")
    '0.3'
    """
    return ".".join(version.split(".")[:2])


def choose(name: str, *, policy: str = OWN, skills: str = OWN) -> Components:
    """Load an environment with the named policy and skill library.

    Raises:
        UnknownName: when the environment, policy or library is not installed.
        PluginError: when one of them is broken.
    """
    return _chosen(registry.environment(name), policy, skills)


@cache
def _chosen(bundle: Environment[Any, Any], policy: str, skills: str) -> Components:
    chosen = {role: _pick(bundle, role, name) for role, name in (("policy", policy), ("skill-library", skills))}
    steps, folder = chosen["policy"][1].value, chosen["skill-library"][1].value
    made = attrs.evolve(bundle, steps=steps, skills=folder)
    own = registry.point_of(bundle.name)
    pins = [_pin(role, OWN, own.distribution, own.version, content_hash(bundle.package)) for role in _OWN_ROLES]
    pins += [_pin_of(bundle, role, home, item) for role, (home, item) in chosen.items()]
    return Components(made, Toolbox.of(made, load_library(folder)), tuple(sorted(pins, key=lambda pin: pin.role)))


def _pick(bundle: Environment[Any, Any], role: str, name: str) -> tuple[str, Contribution]:
    found = [
        (home, item)
        for home, item in registry.contributions(_HOOK_OF[role], bundle if name == OWN else None)
        if item.role == role and item.environment == bundle.name
    ]
    for home, item in found:
        if item.name == name:
            return home, item
    known = ", ".join([OWN, *(item.name for _, item in found if item.name != OWN)])
    raise UnknownName(f"{bundle.name} has no {role} {name!r}; installed are {known}")


def _pin_of(bundle: Environment[Any, Any], role: str, home: str, item: Contribution) -> Pin:
    version = next((p.version for p in registry.distributions() if p.distribution == home), "0.0.0")
    if item.name != OWN and hasattr(item.value, "iterdir"):
        return _pin(role, item.name, home, version, _digest_below(item.value))
    package = bundle.package if item.name == OWN else _package_of(item.value, bundle.package)
    return _pin(role, item.name, home, version, content_hash(package))


def _package_of(value: Any, default: str) -> str:
    module: str = getattr(value, "__module__", "") or ""
    return module.partition(".")[0] or default


def _pin(role: str, name: str, home: str, version: str, content: str) -> Pin:
    return Pin(role=role, name=name, distribution=home, version=major_minor(version), content=content)


@cache
def content_hash(package: str) -> str:
    """Return the digest of every file of an import package, by path: provenance, never a reason to refuse."""
    spec = find_spec(package)
    if spec is not None and spec.submodule_search_locations is None and spec.origin is not None:
        return digest([["", hashlib.sha256(Path(spec.origin).read_bytes()).hexdigest()]])
    return _digest_below(resources.files(package))


def _digest_below(root: Traversable) -> str:
    return digest([[path, hashlib.sha256(file.read_bytes()).hexdigest()] for path, file in _files(root)])


def _files(root: Traversable) -> list[tuple[str, Traversable]]:
    found: list[tuple[str, Traversable]] = []
    stack: list[tuple[str, Traversable]] = [("", root)]
    while stack:
        path, folder = stack.pop()
        for entry in folder.iterdir():
            if entry.name == "__pycache__" or entry.name.endswith(".pyc"):
                continue
            inner = f"{path}/{entry.name}"
            (stack if entry.is_dir() else found).append((inner, entry))
    return sorted(found, key=lambda pair: pair[0])


def pinned(task: Task) -> tuple[Components, list[str]]:
    """Load the components that a task pins, with warnings on provenance that differs.

    Raises:
        VersionMismatch: when engine or environment version is another.
        UnknownName, PluginError: when a component is not installed or broken.
    """
    names = {pin.role: pin.name for pin in task.pins}
    made = choose(task.environment, policy=names.get("policy", OWN), skills=names.get("skill-library", OWN))
    if task.engine != ENGINE:
        raise VersionMismatch(
            f"task {task.id} was made by engine {task.engine}, this is engine {ENGINE}; "
            "install the core that made it, or generate the task again"
        )
    if made.version != task.version:
        home = registry.point_of(task.environment).distribution
        raise VersionMismatch(
            f"task {task.id} was made by {task.environment} {task.version}, installed is {made.version}; "
            f"install that one: pip install '{home}=={task.version}.*'"
        )
    return made, _differences(task, {pin.role: pin for pin in made.pins})


def _differences(task: Task, mine: Mapping[str, Pin]) -> list[str]:
    changed: dict[str, list[str]] = {}
    for pin in task.pins:
        if pin.role in mine and mine[pin.role].content != pin.content:
            changed.setdefault(pin.distribution, []).append(f"{pin.role} {pin.name}")
    return [
        f"task {task.id}: {home} has changed since the task was made ({', '.join(parts)})"
        for home, parts in changed.items()
    ]
