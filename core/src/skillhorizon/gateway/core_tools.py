"""The tools that core gives every environment: rules, notices, artifacts, skills, finish."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal, Protocol

from skillhorizon.gateway.call import Call
from skillhorizon.gateway.marks import Text
from skillhorizon.gateway.paging import PAGE, Cursor, Limit, page
from skillhorizon.gateway.tools import Answer, Tool, control, query
from skillhorizon.gateway.tools import script as script_tool
from skillhorizon.model.outcome import Rejection
from skillhorizon.skills.scripts import ScriptFailed, ScriptRunner

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

    from skillhorizon.model.canonical import Json
    from skillhorizon.skills.library import Skill, SkillLibrary
    from skillhorizon.world.artifacts import Artifact

Name = Annotated[str, Text(max=120)]
NoticeId = Annotated[str, Text(max=80, ref="notice")]
ArtifactRef = Annotated[
    str, Text(max=200, ref="artifact", doc="`kind:subject` for the latest version, or `kind:subject@n`")
]
Validity = Literal["valid", "stale", "superseded", "void", "historic"]


SKILL_TOOLS = ("list_skills", "read_skill", "run_skill_script")
"""The tools that speak of skills."""


class Scripts(Protocol):
    """Runs scripts of skills."""

    def run(self, skill: Skill, script: str, data: dict[str, Any]) -> dict[str, Any]:
        """Return a script's output.

        Raises:
            ScriptFailed: with the script's own message.
        """


def core_tools(
    handbook: Traversable, library: SkillLibrary, silent_kinds: frozenset[str], scripts: Scripts | None = None
) -> tuple[Tool, ...]:
    """Return core's own tools over an environment's handbook and a skill library; scripts run in process by default."""
    own = (rules_tool(handbook), list_notices, get_notice, artifacts_tool(silent_kinds), get_artifact, finish)
    return (*own, *skill_tools(library, scripts or ScriptRunner()))


def topics(handbook: Traversable) -> dict[str, Traversable]:
    """Return the handbook's files by topic."""
    files = sorted(handbook.iterdir(), key=lambda file: file.name)
    return {file.name.removesuffix(".md"): file for file in files if file.name.endswith(".md")}


def rules_tool(handbook: Traversable) -> Tool:
    """Return `get_rules` over a handbook."""
    files = topics(handbook)
    texts: dict[str, str] = {}

    @query
    def get_rules(call: Call, topic: Name) -> Answer:
        """Read one topic of the handbook: the public rules with their formulas and rejection codes."""
        if topic not in files:
            has = ", ".join(files)
            raise Rejection("UNKNOWN_TOPIC", f"the handbook has no topic {topic!r}; it has {has}", object=topic)
        if topic not in texts:
            texts[topic] = files[topic].read_text(encoding="utf-8")
        return {"topic": topic, "text": texts[topic]}

    return get_rules


@query
def list_notices(call: Call, limit: Limit | None = None, cursor: Cursor | None = None) -> Answer:
    """List the notices received so far, in the order of their arrival."""
    rows = [[n.id, n.kind, n.clock, bool(n.resolved), n.body] for n in call.ledger.fired()]
    return page(rows, ("id", "kind", "clock", "resolved", "body"), limit=limit, cursor=cursor)


@query
def get_notice(call: Call, notice_id: NoticeId) -> Answer:
    """Read one notice received."""
    notice = call.ledger.notice(notice_id)
    if notice is None:
        message = f"no notice {notice_id!r} was received; list_notices names those that were"
        raise Rejection("UNKNOWN_ID", message, object=notice_id)
    body = {"id": notice.id, "kind": notice.kind, "clock": notice.clock, "resolved": bool(notice.resolved)}
    return {**body, "body": notice.body, **({} if notice.answer is None else {"answer": notice.answer})}


def artifacts_tool(silent: frozenset[str]) -> Tool:
    """Return `list_artifacts`; of silent kinds it neither shows nor filters validity."""

    @query
    def list_artifacts(
        call: Call,
        kind: Name | None = None,
        prefix: Name | None = None,
        validity: Validity | None = None,
        limit: Limit | None = None,
        cursor: Annotated[str, Text(max=200, doc="`next` of the page before")] | None = None,
    ) -> Answer:
        """List the latest version of each artifact by id, of one kind, with a subject prefix, or of one validity."""
        start = f"{kind}:{prefix or ''}" if kind else (prefix or "")
        rows: list[list[Json]] = []
        size, last = limit or PAGE, cursor or ""
        for artifact in _heads(call, start, last):
            quiet = artifact.kind in silent
            if validity is None or (not quiet and validity == _validity(artifact)):
                if len(rows) == size:
                    return {"columns": _COLUMNS, "rows": rows, "next": last}
                rows.append(_line(artifact, quiet=quiet))
                last = artifact.id
        return {"columns": _COLUMNS, "rows": rows, "next": None}

    return list_artifacts


_COLUMNS = ["artifact", "made", "validity", "ended", "cause"]
_HEADS = "SELECT id, max(version) FROM artifact WHERE id >= ? AND id < ? AND id > ? GROUP BY id ORDER BY id"


def _heads(call: Call, start: str, after: str) -> Any:
    for artifact_id, version in call.world.store.db.execute(_HEADS, (start, f"{start}\U0010ffff", after)):
        yield call.ledger.version(artifact_id, version)


def _line(artifact: Artifact, *, quiet: bool) -> list[Json]:
    if quiet:
        return [artifact.ref, artifact.made, None, None, None]
    return [artifact.ref, artifact.made, _validity(artifact), artifact.ended, artifact.cause]


def _validity(artifact: Artifact) -> str:
    return artifact.ended_as or "valid"


@query
def get_artifact(call: Call, artifact: ArtifactRef) -> Answer:
    """Read an artifact's content, validity and the artifact versions it stands on."""
    found = call.ledger.named(artifact) if "@" in artifact else call.ledger.last(artifact)
    if found is None:
        message = f"there is no artifact {artifact!r}; list_artifacts names them"
        raise Rejection("UNKNOWN_ID", message, object=artifact)
    cited = sorted(
        ref
        for ref in {c.ref if c.token is None else c.version_ref for c in call.ledger.cites(found)}
        if call.ledger.named(ref) is not None
    )
    return {
        "artifact": found.ref,
        "made": found.made,
        "validity": _validity(found),
        "content": found.content,
        "cites": cited,
    }


def skill_tools(library: SkillLibrary, runner: Scripts) -> tuple[Tool, ...]:
    """Return `list_skills`, `read_skill` and `run_skill_script` over a library."""

    @query
    def list_skills(call: Call) -> Answer:
        """List the skills at hand with what they are for."""
        rows = [[s.name, s.description, list(s.files)] for s in library.skills.values()]
        return {"columns": ["skill", "description", "files"], "rows": rows}

    @query
    def read_skill(call: Call, skill: Name, file: Name | None = None) -> Answer:
        """Read a skill's instructions, or one of its files."""
        found = _skill(library, skill)
        if file is None:
            return {"skill": found.name, "text": found.body, "files": list(found.files)}
        if file not in found.files:
            message = f"skill {skill!r} has no file {file!r}; it has {', '.join(found.files)}"
            raise Rejection("UNKNOWN_FILE", message, object=file)
        return {"skill": found.name, "file": file, "text": found.read(file)}

    @script_tool
    def run_skill_script(call: Call, skill: Name, script: Name, input: dict[str, Any]) -> Answer:  # noqa: A002
        """Run a skill's script on a JSON object and return its output."""
        found = _skill(library, skill)
        if script not in found.scripts:
            has = ", ".join(found.scripts) or "none"
            message = f"skill {skill!r} has no script {script!r}; it has {has}"
            raise Rejection("UNKNOWN_SCRIPT", message, object=script)
        try:
            return {"output": runner.run(found, script, input)}
        except ScriptFailed as error:
            raise Rejection("SCRIPT_FAILED", str(error), object=script) from error

    return list_skills, read_skill, run_skill_script


def _skill(library: SkillLibrary, name: str) -> Skill:
    if name not in library.skills:
        raise Rejection("UNKNOWN_SKILL", f"there is no skill {name!r}; list_skills names them", object=name)
    return library.skills[name]


@control
def finish(call: Call) -> Answer:
    """End the work; the first request is answered with the delivery conditions, a second one submits."""
    return {"finished": True}
