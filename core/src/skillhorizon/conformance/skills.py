"""Check 13: skills are valid, their scripts are programs, and they hold nothing of any task."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Any

import attrs

from skillhorizon.conformance.findings import Finding
from skillhorizon.conformance.guard import short
from skillhorizon.model.canonical import dumps, loads
from skillhorizon.skills.library import load_library
from skillhorizon.skills.programs import run_script_process
from skillhorizon.skills.scripts import ScriptFailed, run_script
from skillhorizon.skills.validate import validate_library
from skillhorizon.world.artifacts import LEDGER_TABLES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from importlib.resources.abc import Traversable

    from skillhorizon.conformance.subject import Specimen, Subject
    from skillhorizon.construction.workshop import Built
    from skillhorizon.skills.library import Skill, SkillLibrary

NAME = "skills"
found = partial(Finding, check=NAME)
_RUN = "run_skill_script"
_FAST_INPUTS, _FULL_INPUTS = 1, 5
_TOKEN = re.compile(r"[\w.-]*\w")
_TELLING, _SUSPICIOUS = 8, 4
"""Lengths from which one datum of a task, or two of one row, give it away."""
_ANOTHER = 1000


def check(subject: Subject) -> Iterator[Finding]:
    """Run every script with the reference's inputs, and look for what tasks and skills have in common."""
    library, specimens = load_library(subject.environment.skills), list(subject.proven(subject.few()))
    yield from _scripts(library, specimens, _FULL_INPUTS if subject.profile.full else _FAST_INPUTS)
    yield from _instances(subject, library, specimens)


def invalid(folder: Traversable) -> Iterator[Finding]:
    """Find skills that break the Agent Skills format; nothing can be loaded with them."""
    for name, problems in validate_library(folder).items():
        for problem in problems:
            yield found(message=f"the skill {name} breaks the Agent Skills format", evidence=str(problem))


def _scripts(library: SkillLibrary, specimens: Iterable[Specimen], count: int) -> Iterator[Finding]:
    """Compare each script in process and as a program: with recorded inputs, and with none."""
    inputs: dict[tuple[str, str], dict[str, None]] = {
        (skill.name, script): {"{}": None} for skill in library.skills.values() for script in skill.scripts
    }
    for specimen in specimens:
        for record in specimen.run.records:
            if record.tool == _RUN:
                said = loads(record.arguments_text)
                inputs.setdefault((said["skill"], said["script"]), {})[dumps(said["input"])] = None
    for (name, script), texts in inputs.items():
        for text in list(texts)[: count + 1]:
            yield from _compared(library.skill(name), script, text)


def _compared(skill: Skill, script: str, text: str) -> Iterator[Finding]:
    inside, outside = (_outcome(run, skill, script, text) for run in (run_script, run_script_process))
    if inside != outside:
        told = f"input: {short(text)}\nin process: {short(inside)}\nas a program: {short(outside)}"
        yield found(message=f"{script} of skill {skill.name} answers otherwise as a program", evidence=told)


def _outcome(run: Callable[[Skill, str, dict[str, Any]], Any], skill: Skill, script: str, text: str) -> str:
    try:
        return dumps(run(skill, script, loads(text)))
    except ScriptFailed as error:
        return "" if text == "{}" else f"fails: {error}"  # messages of a program and of a library may differ


def _instances(subject: Subject, library: SkillLibrary, specimens: Iterable[Specimen]) -> Iterator[Finding]:
    """Find data of one task in a skill: a long datum that its like has not, or two of one row in one line."""
    lines = [(skill.name, path, line) for skill in library.skills.values() for path, line in _lines(skill)]
    for specimen in specimens:
        like = subject.build(attrs.evolve(specimen.spot, seed=specimen.spot.seed + _ANOTHER))
        common = {word for row in _rows(like) for word in row}
        rows = [row - common for row in _rows(specimen.built)]
        like.close()
        for name, path, line in lines:
            words = {word for word in _TOKEN.findall(line) if len(word) >= _SUSPICIOUS}
            shared = next((both for row in rows if _gives_away(both := row & words)), None) if words else None
            if shared is not None:
                told = f"{path}: {short(line.strip())}\nof {specimen.spot}: {', '.join(sorted(shared))}"
                yield found(message=f"the skill {name} holds data of a task", evidence=told)


def _gives_away(shared: frozenset[str]) -> bool:
    return len(shared) > 1 or any(len(token) >= _TELLING for token in shared)


def _rows(built: Built) -> set[frozenset[str]]:
    """Return the longer words of every row of a task's own tables at its start."""
    store = built.template.store
    texts = [dumps(row) for kind in store.rows if kind not in LEDGER_TABLES for row in store.select(kind)]
    return {frozenset(word for word in _TOKEN.findall(text) if len(word) >= _SUSPICIOUS) for text in texts}


def _lines(skill: Skill) -> Iterator[tuple[str, str]]:
    texts = [("SKILL.md", skill.body), *((path, skill.read(path)) for path in skill.files)]
    return ((path, line) for path, text in texts for line in text.splitlines())
