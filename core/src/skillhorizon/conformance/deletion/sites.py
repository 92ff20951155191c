"""The places in an environment's source that refuse a call, and having them ask first whether they still may."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

import attrs

if TYPE_CHECKING:
    from collections.abc import Iterator

ASKED = "__site__"
"""The name under which an instrumented module finds whom to ask."""
_LEDGER, _REJECTION, _REJECT = "require", "Rejection", "reject"
_REQUIRED = 2


@attrs.frozen(order=True)
class Site:
    """One precondition of an operation: what refuses, and the calls by which the operation comes to it.

    Attributes:
        place: file, line and column of what refuses.
        function: the function around it.
        code: the code it gives; `?` when the source does not say.
        operation: the function of the operation.
        way: places of the calls that lead there, from the operation's own on; none when it stands there itself.
    """

    place: str
    function: str
    code: str
    operation: str
    way: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """All places, outermost first: what tells a site from all others."""
        return named((*self.way, self.place))

    def __str__(self) -> str:
        through = f", through {named(self.way)}" if self.way else ""
        return f"{self.place} {self.code} of {self.operation}{through}"


def named(places: tuple[str, ...]) -> str:
    """Return the name of a site that is come to by some places."""
    return " > ".join(places)


def place(file: str, line: int, column: int) -> str:
    """Return a place as text; lines count from 1, columns too."""
    return f"{file}:{line}:{column + 1}"


def refusals(tree: ast.AST) -> Iterator[tuple[ast.Call, str]]:
    """Yield what refuses in some source, with its code: `call.reject`, `raise Rejection`, the ledger's `require`."""
    for node in ast.walk(tree):
        call = _refusing(node)
        if call is not None:
            yield call, _code(call)


def _refusing(node: ast.AST) -> ast.Call | None:
    """Return the call by which a node refuses; of `reject` and `raise` the node is the statement."""
    match node:
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr=name)) as call) if name == _REJECT:
            return call
        case ast.Raise(exc=ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)) as call) if name == _REJECTION:
            return call
        case ast.Call(func=ast.Attribute(attr=name), args=args) if name == _LEDGER and len(args) == _REQUIRED:
            return node
    return None


def _code(call: ast.Call) -> str:
    where = 1 if isinstance(call.func, ast.Attribute) and call.func.attr == _LEDGER else 0
    given = call.args[where : where + 1]
    return str(given[0].value) if given and isinstance(given[0], ast.Constant) else "?"


class Instrumented(ast.NodeTransformer):
    """Lets everything that refuses ask `__site__(line, column)` first, and not refuse when it is told no.

    A required version that is not there is then the current one, None.
    """

    def visit(self, node: ast.AST) -> Any:
        """Return a node, changed."""
        made: ast.AST = super().generic_visit(node)
        call = _refusing(made)
        if call is None:
            return made
        asked = ast.Call(ast.Name(ASKED, ast.Load()), [ast.Constant(call.lineno), ast.Constant(call.col_offset)], [])
        changed = ast.If(asked, [made], []) if isinstance(made, ast.stmt) else ast.IfExp(asked, call, _current(call))
        return ast.copy_location(changed, made)


def _current(call: ast.Call) -> ast.Call:
    func = call.func
    ledger = func.value if isinstance(func, ast.Attribute) else func
    return ast.copy_location(ast.Call(ast.Attribute(ledger, "current", ast.Load()), call.args[:1], []), call)
