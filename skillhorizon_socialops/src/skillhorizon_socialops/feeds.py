"""The versions of conversion feeds: what corrections and moved arms raise (R6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skillhorizon_socialops.keys import feed_key
from skillhorizon_socialops.rows import Feed

if TYPE_CHECKING:
    from skillhorizon import World


def feed_version(world: World, brief: str) -> int:
    """Return the version of a brief's feed."""
    return world.built(Feed, brief).version


def raise_feed(world: World, brief: str) -> None:
    """Raise the version of a brief's feed: credits of earlier versions end."""
    version = feed_version(world, brief) + 1
    world.update(Feed, brief, version=version)
    world.ledger.changed(feed_key(brief), str(version))
