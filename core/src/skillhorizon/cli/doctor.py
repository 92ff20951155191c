"""`shz doctor`: whether this installation works, and what to do where it does not."""

from __future__ import annotations

import os
import platform
import sqlite3
import sys
import tempfile
from functools import partial
from typing import TYPE_CHECKING

import attrs
import click

from skillhorizon import cli, registry
from skillhorizon.cli.list_envs import cause
from skillhorizon.cli.output import json_option, show
from skillhorizon.errors import PluginError, SkillHorizonError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_OLDEST_PYTHON, _OLDEST_SQLITE = (3, 11), (3, 35, 0)
_COLUMNS = {"check": "check", "status": "status", "detail": "detail"}


@attrs.frozen
class Check:
    """One thing looked at: `fault` says what is broken and the way out, '' is nothing; `detail` what was found."""

    name: str
    detail: str
    fault: str = ""

    def as_json(self) -> dict[str, str]:
        """Return the check as one row."""
        return {
            "check": self.name,
            "status": "broken" if self.fault else "ok",
            "detail": self.fault or self.detail,
        }


@click.command("doctor")
@json_option
def doctor(*, as_json: bool) -> None:
    """Check this installation."""
    rows = [check.as_json() for check in checks()]
    show(rows, _COLUMNS, as_json=as_json)
    if any(row["status"] == "broken" for row in rows):
        raise click.exceptions.Exit(1)


def checks() -> Iterator[Check]:
    """Look at everything, one after the other."""
    yield _python()
    yield Check("skillhorizon", registry.core_version())
    yield _sqlite()
    yield _tried("tokenizer", _tokenizer)
    yield _tried("folder", _folder)
    yield Check("cores", str(_cores()))
    yield from _environments()
    yield from _plugins()
    yield from _commands()


def _python() -> Check:
    fault = "" if sys.version_info >= _OLDEST_PYTHON else "Python 3.11 or newer is needed; install it and start again"
    return Check("python", platform.python_version(), fault)


def _sqlite() -> Check:
    old = sqlite3.sqlite_version_info < _OLDEST_SQLITE
    fault = f"SQLite {sqlite3.sqlite_version} is too old; use a Python built with 3.35 or newer" if old else ""
    return Check("sqlite", sqlite3.sqlite_version, fault)


def _tried(name: str, look: Callable[[], str]) -> Check:
    try:
        return Check(name, look())
    except (SkillHorizonError, OSError) as error:
        return Check(name, "", str(error))


def _tokenizer() -> str:
    from skillhorizon.model import tokens  # noqa: PLC0415  # 0.3 s

    tokens.count("doctor")
    return f"{tokens.ENCODING}, vocabulary verified"


def _folder() -> str:
    """Write a file into the working folder and take it away again."""
    try:
        with tempfile.TemporaryFile(dir="."):
            return "the working folder can be written"
    except OSError as error:
        raise OSError(
            f"the working folder cannot be written ({error.strerror}); change to another, or give --out"
        ) from error


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _environments() -> Iterator[Check]:
    found = registry.listed()
    for item in found:
        yield Check(f"environment {item.name}", f"{item.distribution} {item.version}", cause(item))
    if not found:
        yield Check("environments", "", "none is installed; pip install skillhorizon-financeops installs one")


def _plugins() -> Iterator[Check]:
    good, bad = registry.plugins()
    for about, _plugin in good:
        yield Check(f"plugin {about.name}", f"{about.distribution} {about.version}")
    for about in bad:
        yield Check(f"plugin {about.name}", "", about.fault)
    yield from _hooks()


def _hooks() -> Iterator[Check]:
    """Ask every plugin for everything it contributes."""
    from skillhorizon.hookspecs import Specifications  # noqa: PLC0415  # pluggy

    faults = []
    for hook in sorted(name for name in vars(Specifications) if name.startswith("shz_")):
        try:
            registry.contributions(hook)
        except PluginError as error:
            faults.append(str(error))
    yield from (Check("hooks", "", fault) for fault in dict.fromkeys(faults))


def _commands() -> Iterator[Check]:
    names = dict.fromkeys(point.name for point in cli.plugged())
    return (_tried(f"command {name}", partial(_command, name)) for name in names)


def _command(name: str) -> str:
    cli.plugged_command(name)
    return "loads"
