"""Every fault of a skill at once: its SKILL.md, the files it speaks of, and its scripts."""

from __future__ import annotations

import ast
import re
import sys
from typing import TYPE_CHECKING

from skillhorizon.skills import document
from skillhorizon.skills.document import Document, Problem
from skillhorizon.skills.library import read_document, skill_folders

if TYPE_CHECKING:
    from collections.abc import Iterator
    from importlib.resources.abc import Traversable

_MENTION = re.compile(r"(?<![\w./-])(?:scripts|references|assets)/[\w-]+(?:\.[\w-]+)+")


def validate_skill(folder: Traversable) -> list[Problem]:
    """Return all faults of one skill folder; none means that it is valid and its scripts can be run."""
    parsed = read_document(folder)
    faults = [parsed] if isinstance(parsed, Problem) else _document_problems(parsed, folder)
    return [*faults, *_scripts_problems(folder)]


def validate_library(root: Traversable) -> dict[str, list[Problem]]:
    """Return the faults of every skill folder under `root`, by folder name.

    Raises:
        UnknownName: when `root` is no folder.
    """
    return {folder.name: validate_skill(folder) for folder in skill_folders(root)}


def _document_problems(parsed: Document, folder: Traversable) -> list[Problem]:
    faults = document.problems(parsed, folder.name)
    for path in sorted(set(_MENTION.findall(parsed.body))):
        if not folder.joinpath(*path.split("/")).is_file():
            faults.append(Problem(f"{document.FILE} body", f"speaks of {path}, which is missing", "add or drop it"))
    return faults


def _scripts_problems(folder: Traversable) -> Iterator[Problem]:
    scripts = folder.joinpath("scripts")
    if not scripts.is_dir():
        return
    for file in sorted(scripts.iterdir(), key=lambda entry: entry.name):
        if file.name.endswith(".py"):
            yield from _script_problems(file)


def _script_problems(file: Traversable) -> Iterator[Problem]:
    where = f"scripts/{file.name}"
    try:
        tree = ast.parse(file.read_bytes(), filename=where)
    except (SyntaxError, ValueError) as error:
        yield Problem(where, f"is not Python ({error})", "correct the syntax")
        return
    yield from _import_problems(tree, where)
    yield from _entry_problems(tree, where)


def _import_problems(tree: ast.Module, where: str) -> Iterator[Problem]:
    for module in sorted({name for node in ast.walk(tree) for name in _imported(node)}):
        if module.partition(".")[0] not in sys.stdlib_module_names:
            yield Problem(where, f"imports {module}, but only the standard library is there", "do without it")


def _imported(node: ast.AST) -> list[str]:
    match node:
        case ast.Import():
            return [alias.name for alias in node.names]
        case ast.ImportFrom():
            return ["." * node.level + (node.module or "")]
        case _:
            return []


def _entry_problems(tree: ast.Module, where: str) -> Iterator[Problem]:
    runs = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "run"]
    if not runs or len(runs[-1].args.posonlyargs + runs[-1].args.args) != 1:
        yield Problem(where, "has no function run(data)", "define run(data: dict) -> dict at the top level")
    if not any(isinstance(node, ast.If) and "__main__" in ast.unparse(node.test) for node in tree.body):
        way_out = "under `if __name__ == '__main__':` read JSON from stdin and write canonical JSON to stdout"
        yield Problem(where, "cannot be run as a program", way_out)
