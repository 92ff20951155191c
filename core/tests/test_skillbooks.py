"""A package's skills and handbook as its tests look at them: each fault is told, and sound ones have none."""

from __future__ import annotations

import sys
from itertools import count
from typing import TYPE_CHECKING

import pytest

from skillhorizon.errors import PluginError
from skillhorizon.skills.scripts import ScriptFailed
from skillhorizon.testing import Skillbook

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Pastry = Callable[..., Skillbook]

BODY = """---
name: count-buns
description: Counts buns. Use before shipping.
license: Apache-2.0
---
## When it applies
## Inputs
## Procedure
## Output and state effects
## Pitfalls
## Check
"""
SCRIPT = '''"""Count buns."""
import json
import sys


def run(data):
    """Count the buns of all trays."""
    buns = data.get("buns")
    if not isinstance(buns, list):
        raise ValueError(f"field 'buns' must be a list of integers, not {buns!r}")
    return {"buns": sum(buns)}


if __name__ == "__main__":
    sys.stdout.write(json.dumps(run(json.load(sys.stdin)), separators=(",", ":"), sort_keys=True))
'''
HANDBOOK = "# Trays (R1)\nR1: trays are counted (TRAY_EMPTY). R2: they are shipped.\n"
GATEWAY = 'def refuse(call):\n    call.reject("TRAY_EMPTY", "the tray is empty; bake again")\n'
EXAMPLES = {"count.py": {"buns": [1, 2]}}
numbers = count()


@pytest.fixture
def pastry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Pastry:
    """Makes a package of its own name, sound but for what is changed."""

    def make(*, body: str = BODY, script: str = SCRIPT, gateway: str = GATEWAY) -> Skillbook:
        name = f"pastry_{next(numbers)}"
        skill, handbook = tmp_path / name / "skills" / "count-buns", tmp_path / name / "handbook"
        (skill / "scripts").mkdir(parents=True)
        handbook.mkdir()
        (tmp_path / name / "__init__.py").write_text("")
        (tmp_path / name / "gateway.py").write_text(gateway)
        (skill / "SKILL.md").write_text(body)
        (skill / "scripts" / "count.py").write_text(script)
        (handbook / "trays.md").write_text(HANDBOOK)
        monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
        return Skillbook(name)

    return make


def test_a_sound_package_has_no_faults(pastry: Pastry) -> None:
    book = pastry()
    assert book.run("count.py", {"buns": [1, 2]}) == {"buns": 3}
    assert sorted(book.scripts) == ["count.py"]
    assert sorted(book.handbook) == ["trays"]
    assert book.lacking() == book.differing(EXAMPLES) == book.unchecked(EXAMPLES) == []
    assert book.unclear([("count.py", {"buns": 7})]) == []
    assert book.missing("R1", rules=2) == []
    assert "Trays" in book.text
    assert "Pitfalls" in book.text


def test_a_body_without_a_part_is_told_and_a_bad_header_refused(pastry: Pastry) -> None:
    assert pastry(body=BODY.replace("## Pitfalls\n", "")).lacking() == ["count-buns: ## pitfalls"]
    with pytest.raises(PluginError, match="count-loaves"):
        pastry(body=BODY.replace("name: count-buns", "name: count-loaves"))


def test_a_program_that_answers_otherwise_is_told(pastry: Pastry) -> None:
    other = SCRIPT.replace("sum(buns)", "sum(buns) + (__name__ == '__main__')")
    assert pastry(script=other).differing(EXAMPLES) == ["count.py"]


def test_input_that_is_taken_or_refused_in_no_sentence_is_told(pastry: Pastry) -> None:
    short = SCRIPT.replace('f"field', '"no" if buns == 7 else f"field')
    assert pastry(script=short).unclear([("count.py", {"buns": 7})]) == ['count.py {"buns":7}: no']
    assert pastry().unclear([("count.py", {"buns": [7]})]) == ['count.py {"buns":[7]}: taken']


def test_a_field_that_is_not_checked_is_told(pastry: Pastry) -> None:
    loose = SCRIPT.replace("field 'buns'", "something")
    assert pastry(script=loose).unchecked(EXAMPLES) == ["count.py", "count.py: buns"]


def test_words_rules_and_codes_that_the_handbook_lacks_are_told(pastry: Pastry) -> None:
    book = pastry(gateway=GATEWAY.replace("TRAY_EMPTY", "TRAY_LOST"))
    assert book.missing("loaf", rules=3) == ["loaf", "TRAY_LOST", "R3"]


def test_a_refused_run_raises(pastry: Pastry) -> None:
    with pytest.raises(ScriptFailed, match="field 'buns'"):
        pastry().run("count.py", {})
