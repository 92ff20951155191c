"""Running the scripts that skills ship, in process for speed; `programs` and `sandbox` run them as programs."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from types import ModuleType
from typing import TYPE_CHECKING, Any, NoReturn

import attrs
import orjson

from skillhorizon.errors import SkillHorizonError
from skillhorizon.model.canonical import digest

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

    from skillhorizon.skills.library import Skill

MOST_INPUT_BYTES = 64 * 1024
"""The largest input of a script, in bytes of canonical JSON."""

LONGEST_MESSAGE = 500
"""Where the message of a failed script is cut, in characters."""


class ScriptFailed(SkillHorizonError):
    """A script that got unusable input or broke on it; the text is the script's own message."""


@attrs.frozen
class ScriptRunner:
    """Runs scripts in process; each file is loaded once per runner."""

    _loaded: dict[tuple[str, str], Callable[[Any], object]] = attrs.field(factory=dict, init=False, repr=False)

    def run(self, skill: Skill, script: str, data: dict[str, Any]) -> dict[str, Any]:
        """Return what the script's `run` makes of a copy of `data`, as plain JSON values.

        Raises:
            UnknownName: when the skill has no such script.
            ScriptFailed: when the input is too large, the script raises, or its result is no canonical JSON object.
        """
        entry = self._entry(skill, script)
        _, copy = _read(data)
        try:
            _, result = _exact(entry(copy))
        except (Exception, SystemExit) as error:  # a script is foreign code: whatever it raises is its answer
            raise ScriptFailed(_message(error)) from error
        return require_object(result)

    def _entry(self, skill: Skill, script: str) -> Callable[[Any], object]:
        known = (str(skill.folder), script)
        if known not in self._loaded:
            self._loaded[known] = _failing(skill.script(script))
        return self._loaded[known]


def _failing(file: Traversable) -> Callable[[Any], object]:
    """Load a script; one that breaks while it is loaded fails like one that breaks while it runs."""
    try:
        return _load(file)
    except (Exception, SystemExit) as error:  # a script is foreign code
        raise ScriptFailed(_message(error)) from error


def run_script(skill: Skill, script: str, data: dict[str, Any]) -> dict[str, Any]:
    """Run one script once in process; see `ScriptRunner.run`."""
    return ScriptRunner().run(skill, script, data)


def _load(file: Traversable) -> Callable[[Any], object]:
    """Execute the file in a module of its own, without writing byte code into the skill's folder."""
    name = f"_skill_script_{digest(str(file))}"
    module = ModuleType(name)
    module.__file__ = str(file)
    sys.modules[name] = module  # dataclasses look their module up while the class is made
    try:
        exec(compile(file.read_bytes(), str(file), "exec", dont_inherit=True), module.__dict__)  # noqa: S102  # a skill is code
    finally:
        del sys.modules[name]
    run = getattr(module, "run", None)
    if not callable(run):
        raise TypeError(f"{file.name} has no function run(data)")
    return run  # type: ignore[no-any-return]  # what it returns is checked at each call


def canonical_input(data: dict[str, Any]) -> bytes:
    """Return the canonical JSON that a script reads.

    Raises:
        ScriptFailed: when `data` has no canonical JSON or too much of it.
    """
    return _read(data)[0]


def _read(data: dict[str, Any]) -> tuple[bytes, Any]:
    """Return the canonical JSON of a script's input and a copy for the script to keep; see `canonical_input`."""
    try:
        text, copy = _exact(data)
    except (RecursionError, TypeError) as error:
        raise ScriptFailed(f"the input is no canonical JSON: {error}") from error
    if len(text) > MOST_INPUT_BYTES:
        raise ScriptFailed(f"the input has {len(text)} bytes, at most {MOST_INPUT_BYTES} are read; send it in parts")
    return text, copy


_EXPONENT = re.compile(rb"e[-+0-9]").search
"""Finds what a float is written with when it has no point; texts may hold the same."""
_ALIEN = orjson.OPT_PASSTHROUGH_DATACLASS | orjson.OPT_PASSTHROUGH_DATETIME | orjson.OPT_PASSTHROUGH_SUBCLASS


def _exact(value: object) -> tuple[bytes, Any]:
    """Return the canonical JSON of plain values and what it says; what is not plain shows when it is read back.

    Raises:
        ScriptFailed: when a value or a key has no canonical JSON.
        TypeError: when it is nested without end, or a number or text has none.
    """
    try:
        text = orjson.dumps(value, option=orjson.OPT_SORT_KEYS | _ALIEN)
        copy = orjson.loads(text)
    except (TypeError, orjson.JSONDecodeError):
        require_plain(value)
        raise
    if copy != value:  # something was written as what it is not
        require_plain(value)
    if b"." in text or _EXPONENT(text):
        _WITHOUT_FLOATS.decode(text.decode())
    return text, copy


def _refuse_float(_text: str) -> NoReturn:
    raise _alien(float)


_WITHOUT_FLOATS = json.JSONDecoder(parse_float=_refuse_float)


def require_plain(value: object) -> None:
    """Refuse what canonical JSON has no form for, and say what it is.

    Raises:
        ScriptFailed: for a value that is neither text, whole number, truth, null, list nor object.
    """
    stack: list[Any] = [(value,)]
    seen: set[int] = set()
    while stack:
        item = stack.pop()
        if id(item) in seen:  # a list that holds itself
            continue
        seen.add(id(item))
        if type(item) is dict:
            _require_text_keys(item)
            item = item.values()
        kinds = set(map(type, item))
        _require_known(kinds)
        if not kinds <= _PLAIN:
            stack += [each for each in item if type(each) not in _PLAIN]


_PLAIN = frozenset({str, int, bool, type(None)})
_KNOWN = _PLAIN | {list, tuple, dict}


def _require_known(kinds: set[type]) -> None:
    if not kinds <= _KNOWN:
        raise _alien(min(kinds - _KNOWN, key=lambda kind: kind.__name__))


def _alien(kind: type) -> ScriptFailed:
    return ScriptFailed(f"a value of type {kind.__name__} is no canonical JSON; use integers and text")


def _require_text_keys(item: dict[object, object]) -> None:
    if not set(map(type, item)) <= {str}:
        key = next(key for key in item if type(key) is not str)
        raise ScriptFailed(f"the key {key!r} is no text; JSON objects have text keys")


def require_object(output: object) -> dict[str, Any]:
    """Return a script's result.

    Raises:
        ScriptFailed: when it is no JSON object.
    """
    if not isinstance(output, dict):
        raise ScriptFailed(f"the script returned {type(output).__name__}, not an object")
    return output


def _message(error: BaseException) -> str:
    own = isinstance(error, (ScriptFailed, ValueError))
    text = str(error) if own else f"{type(error).__name__}: {error}"
    return text.encode(errors="replace").decode()[:LONGEST_MESSAGE]
