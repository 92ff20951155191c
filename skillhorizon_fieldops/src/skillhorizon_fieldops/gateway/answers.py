"""What operations answer, and the refusals that many of them share."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from skillhorizon import Artifact, Call, Ended, Json

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_SHOWN = 100


def done(call: Call, *made: str, **more: Json) -> dict[str, Json]:
    """Return an operation's answer: the versions made, what went stale, and more; due updates fire first.

    Notices are added to it when updates fired.
    """
    call.fire()
    stale = [change.ref for change in call.ledger.changes if change.how == Ended.STALE]
    return {"made": list(made), "stale": stale[:_SHOWN], "stale_count": len(stale), "notices": [], **more}


def again(call: Call, artifact: Artifact) -> dict[str, Json]:
    """Answer an equal submission with the version that stands."""
    return done(call, artifact.ref)


def unknown(call: Call, kind: str, name: str, way_out: str) -> NoReturn:
    """Refuse an id that nothing has.

    Raises:
        Rejection: unknown_object, always.
    """
    call.reject("unknown_object", f"there is no {kind} {name!r}; {way_out}", object=name)


def name_once(call: Call, names: Iterable[str]) -> None:
    """Check that a list names no object twice.

    Raises:
        Rejection: duplicate_object, for the first that it repeats.
    """
    seen: set[str] = set()
    for name in names:
        if name in seen:
            call.reject("duplicate_object", f"{name} stands in the list twice; name each object once", object=name)
        seen.add(name)


def known_version(call: Call, ref: str, kind: str) -> Artifact:
    """Return the artifact version that an argument names, ended or not.

    Raises:
        Rejection: unknown_object.
    """
    found = call.ledger.named(ref)
    if found is None or found.kind != kind:
        unknown(call, f"{kind} version", ref, f"name one as {kind}:subject@n")
    return found


def check_current(call: Call, artifact: Artifact) -> None:
    """Check that a cited version has not ended.

    Raises:
        Rejection: not_current, naming the citation; superseded ones count.
    """
    if not artifact.live:
        message = f"{artifact.ref} is {artifact.ended_as}; cite the current version of {artifact.id}"
        call.reject("not_current", message, object=artifact.ref)


def cited(call: Call, ref: str, kind: str) -> Artifact:
    """Return the current artifact version that an argument cites.

    Raises:
        Rejection: unknown_object, not_current.
    """
    found = known_version(call, ref, kind)
    check_current(call, found)
    return found


def all_cited(call: Call, refs: Sequence[str], kind: str) -> list[Artifact]:
    """Return the current artifact versions that a list cites, each once.

    Raises:
        Rejection: unknown_object, duplicate_object, not_current.
    """
    found = [known_version(call, ref, kind) for ref in refs]
    name_once(call, refs)
    for each in found:
        check_current(call, each)
    return found


def odd_one(wanted: Sequence[str], given: Sequence[str]) -> str | None:
    """Return the first that is missing, else the first that is too many, else None."""
    missing = (name for name in wanted if name not in given)
    extra = (name for name in given if name not in wanted)
    return next(missing, None) or next(extra, None)
