"""The package's front door: what it names, and what it costs to open."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import skillhorizon

HEAVY = ("sqlalchemy", "networkx", "tiktoken", "pluggy", "yaml", "cattrs")


def names_for_type_checkers() -> dict[str, str]:
    tree = ast.parse(Path(skillhorizon.__file__).read_text(encoding="utf-8"))
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module]
    own = [node for node in imports if str(node.module).startswith("skillhorizon.")]
    return {alias.name: str(node.module).removeprefix("skillhorizon.") for node in own for alias in node.names}


def test_the_table_of_names_is_what_type_checkers_see() -> None:
    assert names_for_type_checkers() == skillhorizon._HOME_OF
    assert sorted(skillhorizon.__all__) == sorted(names_for_type_checkers())


@pytest.mark.parametrize("name", sorted(skillhorizon.__all__))
def test_every_public_name_can_be_imported(name: str) -> None:
    assert getattr(skillhorizon, name) is not None


def test_a_misspelt_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="Enviroment"):
        getattr(skillhorizon, "Enviroment")  # noqa: B009  # a plain access would not pass mypy


def test_importing_the_package_loads_nothing_heavy() -> None:
    report = f"import sys, skillhorizon; print([name for name in {HEAVY} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", report], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
