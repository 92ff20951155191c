"""What the options of `mcp:COMMAND` say."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from skillhorizon import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping


@attrs.frozen(kw_only=True)
class ClientSettings:
    """How a client is run.

    Attributes:
        time: seconds that a client may work in all; 0 is no limit.
        restarts: how often a client that fails is started again; it goes on with the same session.
        home: `folder` gives the client its empty folder as home, `keep` the user's own, with logins and settings.
        isolation: `landlock` closes suite and run to the client's processes, `none` does not; '' takes landlock where
            the system has it.
        environment: names of further environment variables that are handed on.
    """

    time: int = 0
    restarts: int = 2
    home: str = "folder"
    isolation: str = ""
    environment: tuple[str, ...] = ()


def settings_of(given: Mapping[str, str]) -> ClientSettings:
    """Return the settings that options give.

    >>> settings_of({"time": "60", "environment": "A,B"}).environment
    ('A', 'B')

    Raises:
        UsageError: when an option is unknown, or its value is none of it.
    """
    known = [field.name for field in attrs.fields(ClientSettings)]
    for name in sorted(set(given) - set(known)):
        raise UsageError(f"mcp takes no option {name!r}; --agent-option is one of {', '.join(known)}")
    return ClientSettings(
        time=_whole(given, "time", 0),
        restarts=_whole(given, "restarts", 2),
        home=_one_of(given, "home", ("folder", "keep")),
        isolation=_one_of(given, "isolation", ("", "landlock", "none")),
        environment=tuple(name for name in given.get("environment", "").split(",") if name),
    )


def _whole(given: Mapping[str, str], name: str, default: int) -> int:
    text = given.get(name, str(default))
    if not (text.isascii() and text.isdigit()):
        raise UsageError(f"--agent-option {name} is {text!r}; give a whole number, 0 or more")
    return int(text)


def _one_of(given: Mapping[str, str], name: str, values: tuple[str, ...]) -> str:
    text = given.get(name, values[0])
    if text not in values:
        raise UsageError(f"--agent-option {name} is {text!r}; it is one of {', '.join(filter(None, values))}")
    return text
