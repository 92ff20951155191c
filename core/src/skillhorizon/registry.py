"""A typed facade over entry points and pluggy: what is installed, and loading only what is asked for."""

from __future__ import annotations

import re
from functools import cache
from importlib.metadata import Distribution, EntryPoint, PackageNotFoundError, distribution, entry_points
from typing import TYPE_CHECKING, Any

import attrs

from skillhorizon.errors import PluginError, UnknownName

if TYPE_CHECKING:
    from collections.abc import Iterable

    from skillhorizon.environment import Environment
    from skillhorizon.hookspecs import Contribution

ENVIRONMENTS = "skillhorizon.environments"
PLUGINS = "skillhorizon.plugins"
CORE = "skillhorizon"
_ON_CORE = re.compile(rf"{CORE}(?![\w.-])(?:\[[^]]*\])?\s*\(?([^;()@]*)")
"""A requirement on core and its versions; packaging's own parser would take a tenth of `list-envs`."""


@attrs.frozen
class Listed:
    """An environment as its metadata tells, without importing it; `fault` says what is wrong, '' is nothing."""

    name: str
    version: str
    distribution: str
    fault: str


def core_version() -> str:
    """Return the installed version of core."""
    try:
        return distribution(CORE).version
    except PackageNotFoundError:
        return "0.0.0"


def listed() -> list[Listed]:
    """Return the installed environments by name; duplicates and unmet requirements are flagged."""
    found = sorted(_points(ENVIRONMENTS), key=lambda point: (point.name, _dist_name(point)))
    homes: dict[str, list[str]] = {}
    for point in found:
        homes.setdefault(point.name, []).append(_dist_name(point))
    return [Listed(p.name, _version(p), _dist_name(p), _fault(p, homes[p.name])) for p in found]


def environment(name: str) -> Environment[Any, Any]:
    """Import and return one environment.

    Raises:
        UnknownName: when none is installed under that name.
        PluginError: when two are, or it cannot be imported, or it is no environment.
    """
    return _loaded(_only(name))


def point_of(name: str) -> Listed:
    """Return the listing of one environment.

    Raises:
        UnknownName, PluginError: as `environment` does.
    """
    point = _only(name)
    return Listed(point.name, _version(point), _dist_name(point), "")


def plugins() -> tuple[list[tuple[Listed, Any]], list[Listed]]:
    """Return the further plugins that load, with their objects, and those that do not, each with its cause."""
    good: list[tuple[Listed, Any]] = []
    bad: list[Listed] = []
    for point in sorted(_points(PLUGINS), key=lambda point: (point.name, _dist_name(point))):
        about = Listed(point.name, _version(point), _dist_name(point), "")
        try:
            good.append((about, _import(point)))
        except PluginError as error:
            bad.append(attrs.evolve(about, fault=str(error)))
    return good, bad


def distributions() -> list[Listed]:
    """Return every installed environment and plugin by its metadata."""
    points = [*_points(ENVIRONMENTS), *_points(PLUGINS)]
    return [Listed(point.name, _version(point), _dist_name(point), "") for point in points]


def contributions(hook: str, bundle: Any = None) -> list[tuple[str, Contribution]]:
    """Return what every plugin, and one environment bundle, contributes to a hook: (distribution, contribution).

    Raises:
        PluginError: when an implementation raises, names a hook that does not exist, or a name is given twice.
    """
    homes: list[tuple[str, Any]] = [(about.distribution, plugin) for about, plugin in plugins()[0]]
    if bundle is not None:
        homes.insert(0, (point_of(bundle.name).distribution, bundle))
    found = [(home, item) for home, plugin in homes for item in _asked(hook, home, plugin)]
    _check_unique(found)
    return sorted(found, key=lambda pair: (pair[1].environment, pair[1].name))


def _asked(hook: str, home: str, plugin: Any) -> list[Contribution]:
    import pluggy  # noqa: PLC0415  # 16 ms; only asking for contributions needs it

    from skillhorizon.hookspecs import PROJECT, Specifications  # noqa: PLC0415

    manager = pluggy.PluginManager(PROJECT)
    manager.add_hookspecs(Specifications)
    try:
        manager.register(plugin)
        manager.check_pending()
        _check_marked(plugin)
        return [item for answer in getattr(manager.hook, hook)() for item in answer]
    except Exception as error:
        raise PluginError(f"plugin {home} fails in its hook {hook}: {type(error).__name__}: {error}") from error


def _check_marked(plugin: Any) -> None:
    for name in dir(plugin):
        if name.startswith("shz_") and not hasattr(getattr(plugin, name), "skillhorizon_impl"):
            raise PluginError(f"{name} looks like a hook but is not marked with @hookimpl")


def _check_unique(found: Iterable[tuple[str, Contribution]]) -> None:
    homes: dict[tuple[str, str, str], str] = {}
    for home, item in found:
        key = (item.role, item.environment, item.name)
        if key in homes:
            raise PluginError(
                f"{item.role} {item.name!r} of {item.environment} is registered by {homes[key]} and by {home}; "
                "uninstall one of them or rename it"
            )
        homes[key] = home


def _points(group: str) -> Iterable[EntryPoint]:
    return entry_points(group=group)


def _dist_name(point: EntryPoint) -> str:
    return point.dist.name if point.dist is not None else "unknown"


def _version(point: EntryPoint) -> str:
    return point.dist.version if point.dist is not None else "0.0.0"


def _fault(point: EntryPoint, homes: list[str]) -> str:
    if len(homes) > 1:
        return f"the name is taken by {' and '.join(homes)}; uninstall one of them"
    return "" if point.dist is None else _unmet(point.dist)


def _unmet(dist: Distribution) -> str:
    """Return which requirement on core is not met, as far as its metadata tells, or ''."""
    from packaging.specifiers import SpecifierSet  # noqa: PLC0415  # plain imports must not pay it

    for text in dist.requires or ():
        required = _ON_CORE.match(text)
        if required and not SpecifierSet(required[1]).contains(core_version(), prereleases=True):
            return (
                f"{dist.name} requires {text}, but {CORE} {core_version()} is installed; "
                f"install versions that fit: pip install -U {CORE} {dist.name}"
            )
    return ""


def _only(name: str) -> EntryPoint:
    found = [point for point in _points(ENVIRONMENTS) if point.name == name]
    if not found:
        known = ", ".join(sorted({point.name for point in _points(ENVIRONMENTS)})) or "none"
        raise UnknownName(
            f"no environment {name!r} is installed; installed are {known}. "
            f"Install it with: pip install skillhorizon-{name}"
        )
    if len(found) > 1:
        homes = " and ".join(sorted(_dist_name(point) for point in found))
        raise PluginError(f"environment {name!r} is offered by {homes}; uninstall one of them")
    if found[0].dist is not None and (fault := _unmet(found[0].dist)):
        raise PluginError(fault)
    return found[0]


def _import(point: EntryPoint) -> Any:
    try:
        return point.load()
    except Exception as error:
        raise PluginError(
            f"{_dist_name(point)} {_version(point)} cannot be loaded from {point.value!r} "
            f"({type(error).__name__}: {error}); reinstall it, or uninstall it to go on without"
        ) from error


@cache
def _loaded(point: EntryPoint) -> Environment[Any, Any]:
    from skillhorizon.environment import Environment  # noqa: PLC0415  # imports sqlalchemy; listing must not

    bundle = _import(point)
    if not isinstance(bundle, Environment):
        raise PluginError(f"{point.value!r} of {_dist_name(point)} is a {type(bundle).__name__}, not an Environment")
    if bundle.name != point.name:
        raise PluginError(f"{_dist_name(point)} offers {point.name!r}, but its bundle calls itself {bundle.name!r}")
    return bundle
