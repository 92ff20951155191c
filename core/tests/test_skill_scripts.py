from __future__ import annotations

import sys
from enum import StrEnum
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillhorizon import loads
from skillhorizon.errors import UnknownName
from skillhorizon.skills.library import Skill
from skillhorizon.skills.programs import run_script_process
from skillhorizon.skills.scripts import (
    MOST_INPUT_BYTES,
    ScriptFailed,
    ScriptRunner,
    canonical_input,
    run_script,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

MAIN = """
import json, sys
if __name__ == "__main__":
    out = json.dumps(run(json.load(sys.stdin)), ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    sys.stdout.write(out)
"""
DOUBLE = "def run(data):\n    return {'twice': [2 * n for n in data['numbers']], 'who': data['who']}\n"


def skill_with(folder: Path, source: str) -> Skill:
    (folder / "scripts").mkdir(exist_ok=True)
    (folder / "scripts" / "act.py").write_text(source + MAIN, encoding="utf-8")
    return Skill(name="act", description="Acts.", body="Act.", folder=folder, scripts=("act.py",))


def test_a_script_answers_alike_in_and_out_of_process(tmp_path: Path) -> None:
    skill = skill_with(tmp_path, DOUBLE)
    data = {"who": "Zoë", "numbers": [1, -2]}
    expected = {"twice": [2, -4], "who": "Zoë"}
    assert run_script(skill, "act.py", data) == expected
    assert run_script_process(skill, "act.py", data) == expected


def test_a_runner_loads_a_file_once_and_leaves_nothing_behind(tmp_path: Path) -> None:
    skill = skill_with(
        tmp_path, "calls = []\n\ndef run(data):\n    calls.append(1)\n    return {'calls': len(calls)}\n"
    )
    modules = set(sys.modules)
    runner = ScriptRunner()
    assert [runner.run(skill, "act.py", {})["calls"] for _ in range(3)] == [1, 2, 3]
    assert ScriptRunner().run(skill, "act.py", {}) == {"calls": 1}
    assert not [name for name in set(sys.modules) - modules if "skill" in name]
    assert [entry.name for entry in (tmp_path / "scripts").iterdir()] == ["act.py"]


def test_a_script_cannot_change_its_callers_data(tmp_path: Path) -> None:
    skill = skill_with(tmp_path, "def run(data):\n    data['list'].append(2)\n    return data\n")
    data: dict[str, Any] = {"list": [1]}
    assert run_script(skill, "act.py", data) == {"list": [1, 2]}
    assert data == {"list": [1]}


def test_texts_that_look_like_floats_are_texts(tmp_path: Path) -> None:
    data = {"version": "MP-2.1", "sizes": ["1e-7", "3e22", "0.5"], "1.5": 1}
    assert run_script(skill_with(tmp_path, "def run(data):\n    return data\n"), "act.py", data) == data


def test_what_is_written_as_text_is_text_whatever_stands_beside_it() -> None:
    class Colour(StrEnum):
        RED = "red"

    for beside in ("plain", "1.5", "1e-7"):
        assert loads(canonical_input({"colour": Colour.RED, "beside": beside}))["colour"] == "red"


@given(st.floats() | st.floats(min_value=1e15, max_value=1e30).map(round).map(float))
def test_no_float_passes_for_a_whole_number(number: float) -> None:
    with pytest.raises(ScriptFailed, match="float is no canonical JSON"):
        canonical_input({"sizes": [1, number]})


def test_dataclasses_work_inside_a_script(tmp_path: Path) -> None:
    source = (
        "from __future__ import annotations\nfrom dataclasses import dataclass\n\n"
        "@dataclass\nclass Item:\n    size: int\n\ndef run(data):\n    return {'size': Item(3).size}\n"
    )
    assert run_script(skill_with(tmp_path, source), "act.py", {}) == {"size": 3}


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("raise ValueError('crate 7 has no weight')", "crate 7 has no weight"),
        ("return data['weight']", "KeyError: 'weight'"),
        ("raise SystemExit(3)", "SystemExit: 3"),
        ("return [1]", "returned list, not an object"),
        ("return {'share': 0.5}", "float is no canonical JSON"),
        ("return {'share': [None, float('nan')]}", "float is no canonical JSON"),
        ("return {'share': 3e22}", "float is no canonical JSON"),
        ("return {'share': [1e-7, 2]}", "float is no canonical JSON"),
        ("import uuid; return {'id': uuid.UUID(int=7)}", "UUID is no canonical JSON"),
        ("import enum; return {'kind': enum.Enum('Kind', 'FLAT').FLAT}", "Kind is no canonical JSON"),
        ("import orjson; return {'raw': orjson.Fragment(b'1} and more')}", "Fragment is no canonical JSON"),
        ("import orjson; return {'raw': orjson.Fragment(b'[1]')}", "Fragment is no canonical JSON"),
        ("return {1: 2}", "the key 1 is no text"),
        ("data['self'] = data; return data", "Recursion"),
        ("return {'s': {1, 2}}", "set is no canonical JSON"),
        ("return {'n': 2 ** 70}", "TypeError"),
        ("return {'s': chr(0xD800)}", "TypeError"),
        ("return run(data)", "RecursionError"),
    ],
)
def test_whatever_goes_wrong_is_a_script_failure(tmp_path: Path, body: str, message: str) -> None:
    skill = skill_with(tmp_path, f"def run(data):\n    {body}\n")
    with pytest.raises(ScriptFailed, match=message.replace("(", r"\(")):
        run_script(skill, "act.py", {})


@pytest.mark.parametrize("source", ["def walk(data):\n    return data\n", "def run(:\n", "import no_such_module\n"])
def test_a_file_that_is_no_script_fails_as_one(tmp_path: Path, source: str) -> None:
    with pytest.raises(ScriptFailed, match="Error"):
        run_script(skill_with(tmp_path, source), "act.py", {})


@pytest.mark.parametrize("run", [run_script, run_script_process])
def test_input_is_capped_and_must_be_canonical(
    tmp_path: Path, run: Callable[[Skill, str, dict[str, Any]], object]
) -> None:
    skill = skill_with(tmp_path, DOUBLE)
    with pytest.raises(ScriptFailed, match="send it in parts"):
        run(skill, "act.py", {"text": "x" * MOST_INPUT_BYTES})
    with pytest.raises(ScriptFailed, match="float"):
        run(skill, "act.py", {"share": 0.5})
    with pytest.raises(ScriptFailed, match="no canonical JSON"):
        run(skill, "act.py", {"text": chr(0xD800)})
    with pytest.raises(UnknownName, match=r"scripts/act\.py"):
        run(skill, "../act.py", {})


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("def run(data):\n    raise ValueError('crate 7 has no weight')\n", "^crate 7 has no weight"),
        ("print('{ }')\n\ndef run(data):\n    return {}\n", "no JSON"),
        ("print('{\"b\": 1}', end='')\nraise SystemExit\n", "not canonical"),
        ("print('{\"b\":0.5}', end='')\nraise SystemExit\n", "float is no canonical JSON"),
        ("print('{\"b\":-0.0}', end='')\nraise SystemExit\n", "float is no canonical JSON"),
        ("print('[]', end='')\nraise SystemExit\n", "not an object"),
        ("raise SystemExit(3)\n", "exit code 3"),
    ],
)
def test_a_program_that_misbehaves_is_a_script_failure(tmp_path: Path, source: str, message: str) -> None:
    with pytest.raises(ScriptFailed, match=message):
        run_script_process(skill_with(tmp_path, source), "act.py", {})
