"""Finding what a call names: unknown ids, and what is not released before its stage opens."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, NoReturn

from skillhorizon_financeops.gateway.answers import unknown
from skillhorizon_financeops.rows import IdentityMap, IdentitySource, Source, Staff
from skillhorizon_financeops.rules import ENTITIES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from skillhorizon import Call, World

UNOPENED = "unopened"
_SOURCE = """
    SELECT s.source_id, s.stage, s.kind, s.format, s.day, s.identity_source_id, s.conflict_policy, s.lockbox, s.version,
        t.status
    FROM source s JOIN stage t ON t.stage = s.stage WHERE s.source_id = ?"""
_INPUTS = """
    SELECT s.kind, s.stage, s.lockbox, n.version, n.content_text, m.version, m.content_text, t.status
    FROM source s JOIN stage t ON t.stage = s.stage
        LEFT JOIN artifact n ON n.id = 'NRM:' || s.source_id AND n.ended IS NULL
        LEFT JOIN artifact m ON m.id = 'MAT:' || s.source_id AND m.ended IS NULL
    WHERE s.source_id = ?"""
_STATUS = "SELECT status FROM stage WHERE stage = ?"
_RELEASED = "SELECT released_stage FROM identity_source WHERE identity_source_id = ?"
_FORMAT = "SELECT format FROM contract WHERE contract_id = ?"
_LOCKBOX = "SELECT 1 FROM opening_item WHERE lockbox = ? LIMIT 1"
_LAST_OPENED = "SELECT max(stage) FROM stage WHERE status <> 'unopened'"
_LAST = "SELECT max(stage) FROM stage"
_ENTITIES = frozenset(ENTITIES)


def last_opened(world: World) -> int:
    """Return the latest stage that has opened."""
    return int(world.sql(_LAST_OPENED)[0][0])


def last_stage(world: World) -> int:
    """Return the release's last stage."""
    return int(world.sql(_LAST)[0][0])


def stage_status(world: World, stage: int) -> str:
    """Return unopened, open or closed; '' for a stage that the release does not have."""
    found = world.sql(_STATUS, stage)
    return str(found[0][0]) if found else ""


def _not_released(call: Call, kind: str, name: str, stage: int) -> NoReturn:
    message = f"{kind} {name} is not released before stage {stage} opens; close the stages before it first"
    call.reject("NOT_RELEASED", message, object=name)


def opened_stage(call: Call, stage: int) -> int:
    """Return a stage that a query names.

    Raises:
        Rejection: UNKNOWN_ID beyond the last stage, NOT_RELEASED before it opens.
    """
    status = stage_status(call.world, stage)
    if not status:
        unknown(call, "stage", str(stage), f"the release has stages 1 to {last_stage(call.world)}")
    if status == UNOPENED:
        _not_released(call, "stage", str(stage), stage)
    return stage


def released_source(call: Call, source_id: str) -> Source:
    """Return a source of an opened stage.

    Raises:
        Rejection: UNKNOWN_ID, NOT_RELEASED.
    """
    found = call.world.sql(_SOURCE, source_id)
    if not found:
        unknown(call, "source", source_id, "list_sources names those released")
    source = Source(*found[0][:-1])
    if found[0][-1] == UNOPENED:
        _not_released(call, "source", source_id, source.stage)
    return source


class Inputs(NamedTuple):
    """A source's header, and the current versions of its normalization and match with their contents as JSON.

    A version is None where none is current, as a text then is.
    """

    kind: str
    stage: int
    lockbox: str | None
    normalized: int | None
    records_text: str
    matched: int | None
    match_text: str


def inputs_of(call: Call, source_id: str) -> Inputs:
    """Return what a match or aggregate of a source of an opened stage is made from.

    Raises:
        Rejection: UNKNOWN_ID, NOT_RELEASED.
    """
    found = call.world.sql(_INPUTS, source_id)
    if not found or found[0][-1] == UNOPENED:
        released_source(call, source_id)
    return Inputs(*found[0][:-1])


def current_input(call: Call, artifact_id: str, version: int | None) -> str:
    """Return the reference of an artifact's current version.

    Raises:
        Rejection: INPUT_NOT_CURRENT, when there is none.
    """
    if version is None:
        call.ledger.require(artifact_id, "INPUT_NOT_CURRENT")
    return f"{artifact_id}@{version}"


def released_identity(call: Call, identity_source_id: str, *, opened: int = 1) -> None:
    """Check that an identity source is of an opened stage; the caller knows that stages up to `opened` are.

    Raises:
        Rejection: UNKNOWN_ID, NOT_RELEASED.
    """
    found = call.world.sql(_RELEASED, identity_source_id)
    if not found:
        unknown(call, "identity source", identity_source_id, "get_release_status names those released")
    stage = found[0][0]
    if stage > opened and stage_status(call.world, stage) == UNOPENED:
        _not_released(call, "identity source", identity_source_id, stage)


def released_map(call: Call, map_id: str) -> IdentityMap:
    """Return a map of a released identity source.

    Raises:
        Rejection: UNKNOWN_ID, NOT_RELEASED.
    """
    found = call.world.get(IdentityMap, map_id)
    if found is None:
        unknown(call, "identity map", map_id, "list_identity_maps names those of an identity source")
    source = call.world.get(IdentitySource, found.identity_source_id)
    if source is not None and stage_status(call.world, source.released_stage) == UNOPENED:
        _not_released(call, "identity map", map_id, source.released_stage)
    return found


def contract_format(call: Call, contract_id: str) -> str:
    """Return the format that a contract reads.

    Raises:
        Rejection: UNKNOWN_ID.
    """
    found = call.world.sql(_FORMAT, contract_id)
    if not found:
        unknown(call, "contract", contract_id, "list_contracts names those of a format")
    return str(found[0][0])


def known_staff(call: Call, staff: str) -> Staff:
    """Return a member of staff.

    Raises:
        Rejection: UNKNOWN_ID.
    """
    found = call.world.get(Staff, staff)
    if found is None:
        unknown(call, "member of staff", staff, "list_staff names all of them")
    return found


def known_lockbox(call: Call, lockbox: str) -> str:
    """Return a lockbox's id; each has opening items.

    Raises:
        Rejection: UNKNOWN_ID.
    """
    if not call.world.sql(_LOCKBOX, lockbox):
        unknown(call, "lockbox", lockbox, "list_sources names each source's lockbox")
    return lockbox


def known_entities(call: Call, names: Sequence[str]) -> None:
    """Check that every name is one of the twelve entities.

    Raises:
        Rejection: UNKNOWN_ID, for the first that is not.
    """
    if not _ENTITIES.issuperset(names):
        name = next(each for each in names if each not in _ENTITIES)
        unknown(call, "entity", name, f"entities are {ENTITIES[0]} to {ENTITIES[-1]}")
