"""Check 14: tasks can be solved without skills, and the handbook holds every rule and rejection code."""

from __future__ import annotations

import ast
import re
from functools import cache, partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from skillhorizon.conformance.findings import Finding
from skillhorizon.conformance.guard import cause
from skillhorizon.conformance.runs import perform
from skillhorizon.environment import Refused
from skillhorizon.gateway.core_tools import topics
from skillhorizon.model.canonical import Json, dumps, loads
from skillhorizon.session.client import SessionClient
from skillhorizon.session.session import Nowhere, Session, Toolbox
from skillhorizon.skills.library import SkillLibrary, load_library
from skillhorizon.skills.scripts import ScriptFailed, ScriptRunner

if TYPE_CHECKING:
    from collections.abc import Iterator

    from skillhorizon.conformance.subject import Specimen, Subject
    from skillhorizon.environment import Environment

NAME = "unaided"
found = partial(Finding, check=NAME)
_REFUSING = ("reject", "failed", "Rejection", "require", "cited")
_CODE = re.compile(r"[A-Z][A-Z0-9]*(_[A-Z0-9]+)+|[A-Z]{4,}|[a-z][a-z0-9]*(_[a-z0-9]+)+")
_RULE = re.compile(r"\bR(\d{1,2})\b")


class LocalClient(SessionClient):
    """Computes what scripts would, without any tool of skills."""

    def __init__(self, session: Session, library: SkillLibrary) -> None:
        super().__init__(session)
        self._library, self._runner = library, ScriptRunner()

    def script(self, skill: str, script: str, data: Json) -> Any:
        """Return a script's output, computed here."""
        try:
            return self._runner.run(self._library.skill(skill), script, loads(dumps(data)))
        except ScriptFailed as error:
            raise Refused("rejected", "SCRIPT_FAILED", str(error), {}) from error


def check(subject: Subject) -> Iterator[Finding]:
    """Run references whose session has no skills, and look every rule and code up in the handbook."""
    yield from _handbook(subject.environment)
    for specimen in subject.proven(subject.samples()):
        yield from _solved(specimen)


def _solved(specimen: Specimen) -> Iterator[Finding]:
    built, environment = specimen.built, specimen.built.components.environment
    library = load_library(environment.skills)
    session = Session(
        environment,
        built.plan,
        built.template.clone(),
        toolbox=Toolbox.of(environment, SkillLibrary("none", library.root, {})),
        recorder=Nowhere(),
        seed=built.seed_text,
    )
    told = f"the task cannot be solved without skills ({specimen.spot})"
    try:
        run = perform(session, LocalClient(session, library))
    except Exception as error:  # whatever a policy raises is a finding
        yield found(message=told, evidence=cause(error))
        return
    if run.unmet:
        yield found(message=told, evidence=f"unmet: {', '.join(sorted(run.unmet)[:10])}")


def _handbook(environment: Environment[Any, Any]) -> Iterator[Finding]:
    text = "\n".join(file.read_text(encoding="utf-8") for file in topics(environment.handbook).values())
    words, files = set(re.findall(r"\w+", text)), sources(environment)
    missing = sorted({code for file in files for code in codes(file) if code not in words})
    if missing:
        told = "rejection codes stand in no topic of the handbook"
        yield found(message=told, evidence=", ".join(missing))
    rules = {int(number) for number in _RULE.findall(_spoken(environment) + text)}
    absent = [f"R{number}" for number in range(1, max(rules, default=0) + 1) if f"R{number}" not in words]
    if absent:
        yield found(message="rules stand in no topic of the handbook", evidence=", ".join(absent))


def _spoken(environment: Environment[Any, Any]) -> str:
    """Return what tools and skills say, and every text of the code that refuses."""
    library = load_library(environment.skills)
    skills = [text for s in library.skills.values() for text in (s.body, *(s.read(path) for path in s.files))]
    texts = [ast.unparse(call) for file in sources(environment) for call in refusals(_parsed(file))]
    return "\n".join([*(tool.doc for tool in environment.tools), *skills, *texts])


def sources(environment: Environment[Any, Any]) -> list[Path]:
    """Return the source files of the packages or modules that hold an environment's tools."""
    modules = sorted({tool.body.__module__ for tool in environment.tools})
    tops = sorted({module.partition(".")[0] for module in modules})
    return [file for top in tops for file in package_files(top)]


def package_files(top: str) -> list[Path]:
    """Return the source files of a package or module."""
    spec = find_spec(top)
    if spec is not None and spec.submodule_search_locations:
        return sorted(file for folder in spec.submodule_search_locations for file in Path(folder).rglob("*.py"))
    origin = getattr(import_module(top), "__file__", None)
    return [Path(origin)] if origin else []


@cache
def _parsed(file: Path) -> ast.Module:
    return ast.parse(file.read_bytes(), str(file))


def refusals(tree: ast.AST) -> Iterator[ast.Call]:
    """Yield the calls that may refuse: of reject, failed, Rejection, and of the ledger's `require` and `cited`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _called(node) in _REFUSING:
            yield node


def _called(node: ast.Call) -> str:
    function = node.func
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def codes(file: Path) -> set[str]:
    """Return the rejection codes that a source file names."""
    given = (value for call in refusals(_parsed(file)) for value in (*call.args, *(k.value for k in call.keywords)))
    texts = (value.value for value in given if isinstance(value, ast.Constant) and isinstance(value.value, str))
    return {text for text in texts if _CODE.fullmatch(text)}
