"""Modules and functions stay short, in every package: long ones are split where a second thought begins."""

from __future__ import annotations

import ast
from pathlib import Path
from statistics import median

import pytest

ROOT = Path(__file__).parents[1]
FRONTS = [path for pattern in ("*", "plugins/*") for path in ROOT.glob(f"{pattern}/src/*/__init__.py")]
PACKAGES = sorted(path.parent for path in FRONTS)
MODULE_MEDIAN, MODULE_MOST = 120, 400
FUNCTION_MEDIAN, FUNCTION_P95 = 8, 30

Lengths = dict[str, int]
"""Lines by what they were counted in: a path, for a function with the line it starts at."""


def module_lengths(package: Path) -> Lengths:
    """Return the lines of every module, skill scripts included."""
    return {str(path.relative_to(ROOT)): len(source(path).splitlines()) for path in sorted(package.rglob("*.py"))}


def function_lengths(package: Path) -> Lengths:
    """Return the lines of every function and method from `def` to its end, docstring included."""
    found: Lengths = {}
    for path in sorted(package.rglob("*.py")):
        for node in ast.walk(ast.parse(source(path))):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                found[f"{path.relative_to(ROOT)}:{node.lineno} {node.name}"] = lines_of(node)
    return found


def source(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def lines_of(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    return (node.end_lineno or node.lineno) - node.lineno + 1


def p95(lengths: Lengths) -> int:
    """Return the length that 95 of 100 do not exceed."""
    ordered = sorted(lengths.values())
    return ordered[-(-len(ordered) * 95 // 100) - 1]


def longest(lengths: Lengths) -> str:
    return ", ".join(sorted(lengths, key=lambda name: -lengths[name])[:5])


@pytest.fixture(params=PACKAGES, ids=lambda path: path.name)
def package(request: pytest.FixtureRequest) -> Path:
    return Path(request.param)


def test_modules_are_short(package: Path) -> None:
    lengths = module_lengths(package)
    assert median(lengths.values()) <= MODULE_MEDIAN, f"the longest are {longest(lengths)}"
    assert [name for name, lines in lengths.items() if lines > MODULE_MOST] == []


def test_functions_are_short(package: Path) -> None:
    lengths = function_lengths(package)
    assert median(lengths.values()) <= FUNCTION_MEDIAN, f"the longest are {longest(lengths)}"
    assert p95(lengths) <= FUNCTION_P95, f"the longest are {longest(lengths)}"


def test_the_95th_percentile_leaves_one_in_twenty_out() -> None:
    assert p95({str(lines): lines for lines in range(1, 21)}) == 19
