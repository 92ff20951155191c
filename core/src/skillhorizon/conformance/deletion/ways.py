"""Every way by which an operation comes to something that refuses: read from the source, and seen from inside."""

from __future__ import annotations

import ast
import sys
from collections import defaultdict
from functools import cached_property
from typing import TYPE_CHECKING, Any

import attrs

from skillhorizon.conformance.deletion.sites import Site, named, place, refusals
from skillhorizon.gateway.tools import Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path
    from types import CodeType, FrameType

    from skillhorizon.gateway.tools import Tool

_WITHIN = ".<locals>."


@attrs.define(eq=False)
class _Function:
    """A function of the source."""

    file: str
    node: ast.FunctionDef

    @cached_property
    def refused(self) -> list[tuple[str, str]]:
        """Place and code of what refuses in it."""
        return sorted((place(self.file, call.lineno, call.col_offset), code) for call, code in refusals(self.node))

    @cached_property
    def called(self) -> list[tuple[str, str]]:
        """Place and name of what it calls."""
        calls = (node for node in ast.walk(self.node) if isinstance(node, ast.Call))
        places = ((place(self.file, call.lineno, call.col_offset), _name(call.func)) for call in calls)
        return sorted((where, name) for where, name in places if name)


def _name(func: ast.expr) -> str:
    if isinstance(func, ast.Attribute):
        return func.attr
    return func.id if isinstance(func, ast.Name) else ""


class Source:
    """The functions of a package, by name; a name stands for a function of the same file before those of others.

    Args:
        files: file -> path.
    """

    def __init__(self, files: Mapping[str, Path]) -> None:
        self._named: dict[str, list[_Function]] = defaultdict(list)
        for file, path in files.items():
            for node in ast.walk(ast.parse(path.read_bytes())):
                if isinstance(node, ast.FunctionDef):
                    self._named[node.name].append(_Function(file, node))
        self._files = {str(path): file for file, path in files.items()}

    def sites(self, tools: Iterable[Tool]) -> list[Site]:
        """Return the sites that operations can come to, each with its way."""
        found: list[Site] = []
        for tool in tools:
            if tool.kind is Kind.OPERATION:
                code = tool.body.__code__
                bodies = self._of(code.co_name, self._files.get(code.co_filename, ""))
                found += [site for body in bodies for site in self._from(body, code.co_name, (), ())]
        return sorted(set(found))

    def _of(self, name: str, file: str) -> list[_Function]:
        found = self._named.get(name, [])
        return [each for each in found if each.file == file] or found

    def _from(
        self, function: _Function, operation: str, way: tuple[str, ...], inside: tuple[_Function, ...]
    ) -> Iterator[Site]:
        for where, code in function.refused:
            yield Site(where, function.node.name, code, operation, way)
        for where, name in function.called:
            for other in self._of(name, function.file):
                if other is not function and other not in inside:
                    yield from self._from(other, operation, (*way, where), (*inside, function))


class Watch:
    """Is asked by every site that is come to whether it may refuse.

    Attributes:
        without: the name of the site that may not.
    """

    def __init__(self, files: Mapping[str, Path]) -> None:
        self._files = {str(path): file for file, path in files.items()}
        self._places: dict[CodeType, list[str]] = {}
        self._last: tuple[str, ...] = ()
        self.without = ""

    def asked(self, file: str) -> Callable[[int, int], bool]:
        """Return what a file's sites ask."""

        def site(line: int, column: int) -> bool:
            here = place(file, line, column)
            if self.without and not self.without.endswith(here):
                return True
            self._last = (*self._way(sys._getframe(1)), here)
            return named(self._last) != self.without

        return site

    def refuser(self) -> str:
        """Return the name of the last site come to, which refused if a call was refused, and forget it."""
        last, self._last = self._last, ()
        return named(last)

    def _way(self, frame: FrameType | None) -> tuple[str, ...]:
        """Return the places of the calls by which a frame was come to, from where the package was entered."""
        way: list[str] = []
        around, own = "", True
        while frame is not None and frame.f_code.co_filename in self._files:
            code = frame.f_code
            if not own and code.co_qualname != around:
                way.append(self._place(code, frame.f_lasti))
            within = code.co_name.startswith("<")
            around = code.co_qualname.rpartition(_WITHIN)[0] if within else ""
            own, frame = False, frame.f_back
        return tuple(reversed(way))

    def _place(self, code: CodeType, instruction: int) -> str:
        if code not in self._places:
            file = self._files[code.co_filename]
            spots: Iterable[tuple[Any, ...]] = code.co_positions()
            self._places[code] = [place(file, spot[0] or 0, spot[2] or 0) for spot in spots]
        return self._places[code][instruction // 2]
