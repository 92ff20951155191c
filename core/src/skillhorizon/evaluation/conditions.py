"""Skills conditions: the toolbox and the instruction that an agent gets under its terms (protocol, section 3)."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any

import attrs

from skillhorizon.errors import CorruptFile, UsageError
from skillhorizon.evaluation.placebo import placebo
from skillhorizon.gateway.core_tools import SKILL_TOOLS
from skillhorizon.model.canonical import loads
from skillhorizon.session.session import Toolbox
from skillhorizon.skills.foreign import CONFINED, UNCONFINED, Confined, Recorded, Unconfined
from skillhorizon.skills.library import SkillLibrary, load_library

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from skillhorizon.construction.components import Components
    from skillhorizon.model.journal import Record
    from skillhorizon.model.terms import Terms

SELF_GENERATED = "self-generated"
PLAIN = ("curated", "none", "placebo", "docs", SELF_GENERATED, f"{SELF_GENERATED}:trial")
NAMED = ("without", "only", "pack")
PACKED = ("pack", SELF_GENERATED)
"""Conditions whose skills lie in a folder of the run."""
RUN = "run_skill_script"
_MENTION = r"\b(?:list_skills|read_skill|run_skill_script|[Ss]kills?)\b"
_CLAUSE = re.compile(rf";[^;.]*{_MENTION}[^;.]*(?=[.])")
_SENTENCE = re.compile(rf"(?:(?<=[.!?\n])|\A)[ ]*[^.!?;\n]*{_MENTION}[^.!?]*[.!?]")
_SCRIPTS = re.compile(
    r"procedures and\s+their\s+scripts\s+are\s+found\s+with\s+list_skills,\s+read_skill\s+and\s+" + RUN
)
_NO_SCRIPTS = "procedures are found with list_skills and read_skill"


def checked(text: str) -> str:
    """Return a skills condition in its one written form.

    Raises:
        UsageError: when there is no such condition.

    >>> checked("only:match-items, close-stage")
    'only:close-stage,match-items'
    """
    kind, _, rest = text.strip().partition(":")
    if text.strip() in PLAIN:
        return text.strip()
    if kind == "pack" and rest:
        return f"pack:{rest}"
    names = sorted({name.strip() for name in rest.split(",")} - {""})
    if kind in NAMED and names and (kind != "without" or len(names) == 1):
        return f"{kind}:{','.join(names)}"
    raise UsageError(
        f"--skills is {text!r}; say curated, none, placebo, docs, self-generated, self-generated:trial, without:NAME, "
        "only:NAME,NAME or pack:DIR"
    )


def toolbox_of(components: Components, terms: Terms, run: Path | None, recorded: Iterable[Record] = ()) -> Toolbox:
    """Return the toolbox that an agent gets.

    Args:
        components: the task's.
        terms: the condition, how scripts run, and what a refusal tells.
        run: the run's folder, where packs lie.
        recorded: records to be replayed on it: their scripts are not run again.

    Raises:
        UsageError: when the condition names a skill that there is not.
        CorruptFile: when the pack's copy is missing.
    """
    made = _packed(components, terms, run, recorded) if terms.kind in PACKED else _chosen(components, terms.skills)
    return attrs.evolve(made, terse=terms.terse)


@cache
def _chosen(components: Components, skills: str) -> Toolbox:
    kind, _, names = skills.partition(":")
    environment = components.environment
    library = load_library(environment.skills)
    match kind:
        case "none":
            return attrs.evolve(components.toolbox.without(SKILL_TOOLS), skills=())
        case "docs":
            return Toolbox.of(environment, _documents(library)).without([RUN])
        case "placebo":
            return Toolbox.of(environment, placebo(library)).without([RUN])
        case "without" | "only":
            return Toolbox.of(environment, _part(library, kind, set(names.split(","))))
        case _:
            return components.toolbox


def _documents(library: SkillLibrary) -> SkillLibrary:
    return _with(library, {name: attrs.evolve(skill, scripts=()) for name, skill in library.skills.items()})


def _part(library: SkillLibrary, kind: str, names: set[str]) -> SkillLibrary:
    unknown = sorted(names - set(library.skills))
    if unknown:
        raise UsageError(
            f"--skills {kind}:{','.join(sorted(names))} names {', '.join(unknown)}, but the skills are "
            f"{', '.join(library.skills)}"
        )
    wanted = names if kind == "only" else set(library.skills) - names
    return _with(library, {name: skill for name, skill in library.skills.items() if name in wanted})


def _with(library: SkillLibrary, skills: dict[str, Any]) -> SkillLibrary:
    return attrs.evolve(library, skills=skills)


def _packed(components: Components, terms: Terms, run: Path | None, recorded: Iterable[Record]) -> Toolbox:
    folder = None if run is None or not terms.pack else run / terms.pack
    if folder is None or not folder.is_dir():
        raise CorruptFile(f"the skill pack {terms.pack or terms.skills} is not in the run's folder; restore it")
    library = load_library(folder)
    has_scripts = any(skill.scripts for skill in library.skills.values())
    if terms.scripts not in (CONFINED, UNCONFINED) or not has_scripts:
        return Toolbox.of(components.environment, library).without([RUN])
    live = Confined() if terms.scripts == CONFINED else Unconfined()
    return Toolbox.of(components.environment, library, Recorded(_outputs(recorded), live))


def _outputs(records: Iterable[Record]) -> Iterator[dict[str, Any] | str]:
    """Yield what scripts gave on the way: outputs, and the messages of those that failed."""
    for record in records:
        if record.tool == RUN:
            said = loads(record.observation)
            if "output" in said:
                yield said["output"]
            elif said.get("error", {}).get("code") == "SCRIPT_FAILED":
                yield str(said["error"].get("message", ""))


def instruction_of(text: str, toolbox: Toolbox) -> str:
    """Return a task's text without what its toolbox does not offer: skills, or their scripts.

    >>> told = "The rules are served by get_rules; skills are found with list_skills. Call finish."
    >>> instruction_of(told, Toolbox({}))
    'The rules are served by get_rules. Call finish.'
    """
    whole, without_scripts, without_skills = instructions(text)
    if RUN in toolbox.tools:
        return whole
    return without_scripts if "list_skills" in toolbox.tools else without_skills


def instructions(text: str) -> tuple[str, str, str]:
    """Return a task's text as it is, without scripts, and without skills."""
    return text, _SCRIPTS.sub(_NO_SCRIPTS, text), _SENTENCE.sub("", _CLAUSE.sub("", text))
