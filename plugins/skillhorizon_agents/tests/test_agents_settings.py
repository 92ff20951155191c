"""Options, schemas, prompts, the notebook and what is imported when."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from skillhorizon import Usage, UsageError, loads
from skillhorizon.evaluation.agents import load_agent
from skillhorizon_agents import prompts
from skillhorizon_agents.context import Window
from skillhorizon_agents.conversation import Answer, Result, Results, Said
from skillhorizon_agents.notes import READ, WRITE, Notebook
from skillhorizon_agents.schemas import plain
from skillhorizon_agents.settings import Settings, settings_of

SDKS = ("openai", "anthropic", "litellm", "httpx", "httpx2")


@pytest.mark.parametrize("words", ["--help", "list-envs"])
def test_commands_that_ask_no_model_import_no_sdk(words: str) -> None:
    report = f"import sys; from skillhorizon.cli import shz; shz.main(['{words}'], standalone_mode=False)"
    check = f"print('loaded:', [name for name in {SDKS} + ('skillhorizon_agents',) if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", f"{report}; {check}"], capture_output=True, text=True, check=True)
    assert "loaded: []" in done.stdout


def test_loading_an_agent_imports_no_sdk() -> None:
    report = (
        "import sys; from skillhorizon.evaluation.agents import load_agent; load_agent('openai/m'); "
        f"load_agent('anthropic/m'); print([name for name in {SDKS} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", report], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_models_name_may_hold_colons_and_slashes() -> None:
    assert load_agent("openai/llama3:8b").name == "openai/llama3:8b"
    assert load_agent("litellm/gemini/some-model").name == "litellm/gemini/some-model"


def test_a_family_without_a_model_is_told() -> None:
    with pytest.raises(UsageError, match="openai/ names no model; say openai/MODEL"):
        load_agent("openai/")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("effort", "most"),
        ("context", "sliding"),
        ("context", "sliding:0"),
        ("context", "summary|forget"),
        ("context-limit", "10"),
        ("output", "1.5"),
        ("temperature", "hot"),
        ("temperature", "nan"),
        ("timeout", "0"),
        ("notes", "maybe"),
        ("trigger", "101"),
    ],
)
def test_a_wrong_option_is_told_with_what_is_right(name: str, text: str) -> None:
    with pytest.raises(UsageError, match=f"--agent-option {name} is '.*'; (say|give)"):
        settings_of({name: text})


def test_schemas_keep_to_keywords_that_every_provider_takes() -> None:
    schema: dict[str, Any] = {
        "type": "array",
        "items": {"anyOf": [{"type": "string", "maxLength": 4}, {"type": "integer", "minimum": 0}]},
        "minItems": 2,
        "maxItems": 2,
        "description": "[a, b]",
    }
    made = plain({"type": "object", "properties": {"row": schema}, "required": [], "additionalProperties": False})
    assert made["properties"]["row"]["description"] == "[a, b]; at most 2 items; at least 2 items"
    assert set(made["properties"]["row"]) == {"type", "description", "items"}
    assert "additionalProperties" not in made


def test_prompts_say_what_they_are_for() -> None:
    assert all(prompts.text(name) for name in prompts.NAMES)
    assert "THE SUMMARY" in prompts.adopted("THE SUMMARY")
    assert len(prompts.prompts_digest()) == 16


def test_the_notebook_replaces_and_deletes() -> None:
    book = Notebook()
    assert loads(book.call(WRITE, {"text": "one"})) == {"number": 1, "notes": 1}
    assert loads(book.call(WRITE, {"text": "two", "number": 1}))["notes"] == 1
    assert loads(book.call(READ, {})) == {"notes": [[1, "two"]]}
    assert loads(book.call(WRITE, {"text": "", "number": 1}))["notes"] == 0
    for wrong in ({}, None, {"text": 3}, {"text": "x", "number": 9}, {"text": "x", "number": []}, {"text": "x" * 5000}):
        assert loads(book.call(WRITE, wrong))["error"]["code"] == "MALFORMED"


def turn(text: str) -> tuple[Answer, Results]:
    answer = Answer(text="a", calls=(), usage=Usage())
    return answer, Results((Result("c", "look", text),))


def window(policy: str, keep: int = 2, limit: int = 2_000) -> Window:
    made = Window("system", "task", (), policy, Settings(keep=keep, context_limit=limit, output=100))
    for number in range(1, 7):
        made.add(*turn("word " * 300), (number, number))
    return made


def test_a_compaction_tells_which_calls_left() -> None:
    full = window("summary")
    done = full.compaction("what was")
    assert (done.kept, done.left) == (2, ((1, 4),))
    full.compact(done)
    first, *rest = full.items()
    assert isinstance(first, Said)
    assert first.text == "task\n\n" + prompts.adopted("what was")
    assert len(rest) == 4


def test_turns_that_are_too_large_to_keep_leave_too() -> None:
    full = window("summary", keep=6, limit=1_500)
    assert full.compaction().kept == 1


def test_cleared_results_leave_once() -> None:
    full = window("clear-results")
    full.compact(full.compaction())
    texts = [item.results[0].text for item in full.items() if isinstance(item, Results)]
    assert texts[:4] == [prompts.text("cleared")] * 4
    assert prompts.text("cleared") not in texts[4:]
    full.add(*turn("word"), (7, 7))
    assert full.compaction().left == ((5, 5),)


def test_without_a_policy_nothing_leaves() -> None:
    full = window("none")
    assert not full.full
    assert full.size > full.mark
