"""The places in an environment's source that refuse a call."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

import attrs

from skillhorizon.gateway.tools import Kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from skillhorizon.gateway.tools import Tool

_LEDGER = "require"
_REJECTION = "Rejection"


@attrs.frozen(order=True)
class Site:
    """One statement that refuses a call: its file, line, the function around it, and the code it gives."""

    file: str
    line: int
    function: str
    code: str

    @property
    def name(self) -> str:
        """File and line."""
        return f"{self.file}:{self.line}"

    def __str__(self) -> str:
        return f"{self.name} {self.code} in {self.function}"


def refusing(statement: ast.stmt) -> ast.Call | None:
    """Return the call by which a statement refuses: `call.reject`, `raise Rejection`, or the ledger's `require`."""
    value: ast.expr | None = None
    if isinstance(statement, ast.Raise):
        value = statement.exc
    elif isinstance(statement, (ast.Expr, ast.Assign, ast.AnnAssign, ast.Return)):
        value = statement.value
    if isinstance(value, ast.IfExp):
        value = value.body
    if isinstance(value, ast.Attribute):
        value = value.value
    return value if isinstance(value, ast.Call) and _refuses(value, statement) else None


def _refuses(call: ast.Call, statement: ast.stmt) -> bool:
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    if isinstance(statement, ast.Raise):
        return name == _REJECTION
    return name == _LEDGER or (name == "reject" and isinstance(statement, ast.Expr))


def sites_of(files: Mapping[str, Path], tools: Iterable[Tool]) -> list[Site]:
    """Return the sites in some source files, by name, that operations can come to.

    What an operation comes to is judged by names: every function whose name stands in a function that it comes to.
    """
    trees = {name: ast.parse(path.read_bytes()) for name, path in files.items()}
    reached = _reached(trees.values(), {tool.body.__name__ for tool in tools if tool.kind is Kind.OPERATION})
    return sorted(site for name, tree in trees.items() for site in _sites(name, tree) if site.function in reached)


def _sites(file: str, tree: ast.Module) -> Iterator[Site]:
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef):
            for statement in ast.walk(function):
                if isinstance(statement, ast.stmt) and (call := refusing(statement)) is not None:
                    yield Site(file, statement.lineno, function.name, _code(call))


def _code(call: ast.Call) -> str:
    texts = [a.value for a in call.args if isinstance(a, ast.Constant) and isinstance(a.value, str)]
    return next((text for text in texts if text.isupper()), "?")


def _reached(trees: Iterable[ast.Module], starts: set[str]) -> set[str]:
    functions: dict[str, set[str]] = {}
    for tree in trees:
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef):
                functions.setdefault(node.name, set()).update(_names(node))
    reached, stack = set(starts), list(starts)
    while stack:
        for name in functions.get(stack.pop(), set()) & functions.keys():
            if name not in reached:
                reached.add(name)
                stack.append(name)
    return reached


def _names(function: ast.FunctionDef) -> Iterator[str]:
    for node in ast.walk(function):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr


class Instrumented(ast.NodeTransformer):
    """Puts `__site__(line)` before every statement that refuses; with `without`, deletes the one at that line."""

    def __init__(self, without: int = 0) -> None:
        self.without = without

    def visit(self, node: ast.AST) -> Any:
        """Return a node, changed; a statement may become two."""
        made: ast.AST = super().generic_visit(node)
        call = refusing(made) if isinstance(made, ast.stmt) else None
        if call is None or not isinstance(made, ast.stmt):
            return made
        if made.lineno != self.without:
            return [_noted(made), made]
        return _deleted(made, call)


def _noted(statement: ast.stmt) -> ast.stmt:
    call = ast.Call(ast.Name("__site__", ast.Load()), [ast.Constant(statement.lineno)], [])
    return ast.copy_location(ast.Expr(call), statement)


def _deleted(statement: ast.stmt, call: ast.Call) -> ast.stmt:
    """Return what is left of a statement: nothing, or the current version where one was required."""
    if isinstance(statement, (ast.Expr, ast.Raise)):
        return ast.copy_location(ast.Pass(), statement)
    if isinstance(call.func, ast.Attribute):
        call.func.attr, call.args = "current", call.args[:1]
    return statement
