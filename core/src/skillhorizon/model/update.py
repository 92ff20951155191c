"""Updates that change the business while the work goes on: triggers, planned updates, notices."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import attrs

from skillhorizon.model.canonical import Json


@attrs.frozen
class After:
    """Due once `event` has happened to `count` distinct subjects."""

    event: str
    count: int


@attrs.frozen
class At:
    """Due once the clock shows `minute` or later."""

    minute: int


Trigger = After | At


class PlannedUpdate(Protocol):
    """What core knows of an environment's update; its effect is the environment's own."""

    @property
    def id(self) -> str:
        """The update's id, such as `N-03`."""

    @property
    def kind(self) -> str:
        """The update's kind."""

    @property
    def trigger(self) -> Trigger:
        """When it fires."""

    @property
    def decoy(self) -> bool:
        """Whether it ends no accepted artifact."""


@attrs.frozen
class Notice:
    """What agents are told of a fired update; `answer` is what `get_notice` alone gives."""

    id: str
    kind: str
    body: Mapping[str, Json]
    answer: Json = None
