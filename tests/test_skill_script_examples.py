"""The examples in the docstrings of skill scripts: these are programs, which pytest does not collect itself."""

from __future__ import annotations

import doctest
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[1]
SCRIPTS = sorted(ROOT.glob("skillhorizon_*/src/*/skills/*/scripts/*.py"))


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: f"{path.parts[-3]}/{path.name}")
def test_the_examples_of_a_script_hold(script: Path) -> None:
    module = ModuleType(script.stem)
    exec(compile(script.read_bytes(), str(script), "exec"), module.__dict__)  # noqa: S102  # the project's own script
    result = doctest.testmod(module)
    assert result.failed == 0
