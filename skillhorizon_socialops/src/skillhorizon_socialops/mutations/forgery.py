"""State edits past the gateway: a deployment that was never possible, a publication that nobody planned."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skillhorizon import Sabotage, dumps
from skillhorizon_socialops.mutations.places import Places
from skillhorizon_socialops.rows import Publication

if TYPE_CHECKING:
    from skillhorizon import World
    from skillhorizon_socialops.plan import Plan

_REWRITE = "UPDATE artifact SET content_text = ? WHERE id = ? AND version = ?"
_UNPLANNED, _WEIGHT = "p-99-99-x", 200


def withdrawn_asset_deployed(plan: Plan) -> Sabotage | None:
    """Let a deployment name the package version whose asset was withdrawn before."""
    places = Places(plan)
    story = places.story
    for update in places.withdrawals:
        for brief in places.quiet():
            arm = story.winning_arm(brief.brief_id, brief.wave - 1)
            (run,) = story.course.arms[brief.brief_id, arm]
            if brief.wave == update.wave + 1 and update.asset in run.pair:
                name = brief.brief_id

                def edit(world: World, name: str = name) -> None:
                    _deploy_older(world, name)

                return Sabotage(edit=edit, fails=frozenset({f"brief:{name}", "D4"}), only=True)
    return None


def _deploy_older(world: World, brief: str) -> None:
    made = world.ledger.current(f"dp:{brief}")
    if made is None:
        raise LookupError(f"{brief} is not deployed")
    package, _, version = str(made.content["package"]).rpartition("@")
    forged = {**made.content, "package": f"{package}@{int(version) - 1}"}
    world.sql(_REWRITE, dumps(forged), made.id, made.version)


def unplanned_publication(_plan: Plan) -> Sabotage:
    """Publish what nobody planned after the last wave has closed."""

    def edit(world: World) -> None:
        world.insert(Publication(_UNPLANNED, 1, world.clock, _WEIGHT, world.ledger.index, None))

    return Sabotage(edit=edit, fails=frozenset({"D3"}), only=True)
