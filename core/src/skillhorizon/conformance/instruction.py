"""Check 17: the instruction discloses neither an order of work nor a skill."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

from skillhorizon.conformance.findings import Finding
from skillhorizon.conformance.guard import short
from skillhorizon.skills.library import load_library

if TYPE_CHECKING:
    from collections.abc import Iterator

    from skillhorizon.conformance.subject import Specimen, Subject

NAME = "instruction"
found = partial(Finding, check=NAME)
_ORDER = (
    re.compile(r"^\s*(?:step\s+)?\d+[.):]\s", re.IGNORECASE | re.MULTILINE),
    re.compile(r"\b(?:firstly|secondly|thirdly|lastly|afterwards)\b", re.IGNORECASE),
    re.compile(r"\b(?:first|then|next|finally|after that),", re.IGNORECASE),
    re.compile(r"(?:^|[.;:!]\s+)(?:first|then|next|finally)\b", re.IGNORECASE | re.MULTILINE),
    re.compile(r"\bin (?:this|the following) order\b", re.IGNORECASE),
)


def check(subject: Subject) -> Iterator[Finding]:
    """Look for names of skills, scripts, operations and modules, and for words of order."""
    told: set[str] = set()
    for specimen in subject.proven(subject.samples()):
        for finding in _disclosed(specimen):
            if finding.evidence not in told:
                told.add(finding.evidence)
                yield finding


def _disclosed(specimen: Specimen) -> Iterator[Finding]:
    built = specimen.built
    environment, plan = built.components.environment, built.plan
    text = environment.instruction(built.config, plan)
    if not text.strip():
        yield found(message=f"the instruction is empty ({specimen.spot})", evidence=repr(text))
    library = load_library(environment.skills)
    names = {
        "a skill": set(library.skills),
        "a script": {script for skill in library.skills.values() for script in skill.scripts},
        "an operation": {tool.name for tool in environment.tools if tool.kind == "operation" and "_" in tool.name},
        "a module": {module.id for module in plan.graph.modules if ":" in module.id},
    }
    for kind, known in names.items():
        for name in sorted(known):
            if re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text):
                yield found(message=f"the instruction names {kind} ({specimen.spot})", evidence=name)
    for pattern in _ORDER:
        match = pattern.search(text)
        if match:
            around = text[max(match.start() - 40, 0) : match.end() + 60]
            yield found(message=f"the instruction tells an order of work ({specimen.spot})", evidence=short(around))
