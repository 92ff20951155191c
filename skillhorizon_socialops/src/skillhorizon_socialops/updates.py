"""How a planned update changes the world, and which briefs it affects as things stand then."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

import attrs

from skillhorizon import Ended, Notice, World
from skillhorizon_socialops.feeds import raise_feed
from skillhorizon_socialops.keys import SCHEDULED, VOID, WITHDRAWN, rights_key, run_key
from skillhorizon_socialops.plan import (
    AnyUpdate,
    CalendarSubstitution,
    ConversionCorrection,
    RerunOrder,
    RetentionChange,
    RightsWithdrawal,
)
from skillhorizon_socialops.rows import Conversion, Firing, Impact, Policy, Post, Rerun, Wave, Withdrawal
from skillhorizon_socialops.rules import HOUR

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from skillhorizon import Json

    Told = tuple[Mapping[str, Json], Sequence[str]]

_REACHED = """
    SELECT DISTINCT b.brief_id FROM post p JOIN brief b ON b.brief_id = p.brief_id
    WHERE p.status = 'scheduled' AND b.wave <= ?1
        AND EXISTS (SELECT 1 FROM json_each(b.audiences) a WHERE a.value = ?2) ORDER BY b.brief_id"""
_CITING = """
    SELECT DISTINCT b.brief_id FROM cite c
    JOIN artifact k ON k.id = c.id AND k.version = c.version
    JOIN brief b ON b.brief_id = substr(k.subject, 1, length(k.subject) - 2)
    WHERE c.ref = ?2 AND k.kind = 'pk' AND b.wave <= ?1
        AND NOT EXISTS (SELECT 1 FROM artifact later WHERE later.id = k.id AND later.version > k.version)
        AND EXISTS (SELECT 1 FROM post p WHERE p.brief_id = b.brief_id AND +p.status = 'scheduled')
    ORDER BY b.brief_id"""


def apply(update: AnyUpdate, world: World, _subject: str) -> Notice:
    """Change the world as the update says and announce it; the affected briefs are kept for the acknowledgement.

    Args:
        update: the planned update.
        world: changed in place.
    """
    body, affected = _told(update, world)
    world.insert(Impact(update.id, list(affected)), Firing(update.id, world.ledger.index, world.clock))
    return Notice(update.id, update.kind, body)


def _told(update: AnyUpdate, world: World) -> Told:
    """Return the notice's body and the briefs affected."""
    match update:
        case ConversionCorrection():
            return _correct(update, world)
        case RerunOrder():
            return _order_rerun(update, world)
        case CalendarSubstitution():
            return _substitute(update, world)
        case RetentionChange():
            return _change_retention(update, world)
        case RightsWithdrawal():
            return _withdraw(update, world)
        case _:
            assert_never(update)


def _correct(update: ConversionCorrection, world: World) -> Told:
    """Void or delay conversions of a brief; its feed rises in version and a corrective post appears."""
    for event in update.voided:
        world.update(Conversion, update.brief, event, status=VOID)
    for event, delay in update.retimed:
        world.update(Conversion, update.brief, event, delay=delay)
    _insert_post(update.post, world)
    raise_feed(world, update.brief)
    return {"brief": update.brief, "post": update.post.post_id}, [update.brief]


def _order_rerun(update: RerunOrder, world: World) -> Told:
    """Schedule a brief's deployment post again in the wave after the boundary; its deployment ends."""
    ordered, post = world.built(Rerun, update.brief).ordered + 1, f"p{update.brief[1:]}-d"
    wave = update.wave + 1
    world.update(Rerun, update.brief, ordered=ordered)
    world.update(Post, post, wave=wave, hour=update.hour, due_at=_due(world, wave, update.hour), status=SCHEDULED)
    world.ledger.changed(run_key(update.brief), str(ordered))
    return {"brief": update.brief, "post": post}, [update.brief]


def _substitute(update: CalendarSubstitution, world: World) -> Told:
    """Withdraw a brief's scheduled b-post; another one takes its place and the experiment ends, frozen or not."""
    withdrawn = f"p{update.brief[1:]}-b"
    world.update(Post, withdrawn, status=WITHDRAWN)
    _insert_post(update.post, world)
    experiment = world.ledger.current(f"ex:{update.brief}")
    if experiment is not None:
        world.ledger.end(experiment.id, how=Ended.STALE)
    return {"brief": update.brief, "withdrawn": withdrawn, "post": update.post.post_id}, [update.brief]


def _change_retention(update: RetentionChange, world: World) -> Told:
    """Put another policy of an audience in force, with the same cap."""
    current = world.select(Policy, audience_id=update.audience)[-1]
    version = current.policy_version + 1
    world.insert(Policy(update.audience, version, world.clock, update.retention_bp, current.cap))
    body = {"audience": update.audience, "policy": version, "retention_bp": update.retention_bp}
    return body, _names(world, _REACHED, update.wave + 1, update.audience)


def _withdraw(update: RightsWithdrawal, world: World) -> Told:
    """Withdraw an asset's rights: packages that cite it end."""
    affected = _names(world, _CITING, update.wave + 1, rights_key(update.asset))
    world.insert(Withdrawal(update.asset, world.clock))
    world.ledger.changed(rights_key(update.asset), WITHDRAWN)
    return {"asset": update.asset}, affected


def _names(world: World, text: str, wave: int, key: str) -> list[str]:
    return [name for (name,) in world.sql(text, wave, key)]


def _due(world: World, wave: int, hour: int) -> int:
    """Return T(wave, hour) of an opened wave."""
    return world.built(Wave, wave).start + HOUR * hour


def _insert_post(post: Post, world: World) -> None:
    """Insert a planned post with its due time as the waves run."""
    world.insert(attrs.evolve(post, due_at=_due(world, post.wave, post.hour)))
