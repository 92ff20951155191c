"""What operations answer, and the refusal of ids that nothing has."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from skillhorizon import Artifact, Call, Ended, Json

if TYPE_CHECKING:
    from skillhorizon_socialops.rows import Brief

PACKAGE = "pk"
"""The kind of artifacts of which only reading one by one tells whether it is valid."""
_PACKAGES, _STALE = f"{PACKAGE}:", str(Ended.STALE)


def done(call: Call, *made: str, **more: Json) -> dict[str, Json]:
    """Return an operation's answer: the versions made, what went stale, packages left out, and more.

    Notices are added to it when updates fired.
    """
    stale = [ref for ref, how, _ in call.ledger.changes if how == _STALE and not ref.startswith(_PACKAGES)]
    return {"made": list(made), "stale": stale, "notices": [], **more}


def again(call: Call, artifact: Artifact) -> dict[str, Json]:
    """Answer an equal submission with the version that stands."""
    return done(call, artifact.ref)


def stands(call: Call, *ids: str) -> list[str] | None:
    """Return the current versions of artifacts if equal arguments made all of them, else None."""
    if not all(call.ledger.made_by(each, call.ledger.args_text) for each in ids):
        return None
    found = [call.ledger.current(each) for each in ids]
    return [each.ref for each in found if each is not None]


def not_found(call: Call, kind: str, name: str, way_out: str) -> NoReturn:
    """Refuse an id that nothing has.

    Raises:
        Rejection: NOT_FOUND, always.
    """
    call.reject("NOT_FOUND", f"there is no {kind} {name!r}; {way_out}", object=name)


def known_version(call: Call, ref: str, artifact_id: str) -> Artifact:
    """Return the artifact version that an argument names, ended or not; it must be one of `artifact_id`.

    Raises:
        Rejection: NOT_FOUND.
    """
    found = call.ledger.named(ref)
    if found is None or found.id != artifact_id:
        not_found(call, f"version of {artifact_id}", ref, f"name one as {artifact_id}@n; list_artifacts shows them")
    return found


def version_of_kind(call: Call, ref: str, kind: str) -> Artifact:
    """Return the artifact version of a kind that an argument names, ended or not, of whatever brief.

    Raises:
        Rejection: NOT_FOUND.
    """
    found = call.ledger.named(ref)
    if found is None or found.kind != kind:
        not_found(call, f"{kind} version", ref, f"name one as {kind}:subject@n; list_artifacts shows them")
    return found


def package_id(brief: Brief, arm: str) -> str:
    """Return the id of the package of a brief's arm."""
    return f"{PACKAGE}:{brief.brief_id}.{arm}"
