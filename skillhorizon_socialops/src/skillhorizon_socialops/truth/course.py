"""The calendar as it ran: what truth is replayed over, beside the plan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import attrs

from skillhorizon_socialops.truth.shelf import Pair

PUBLISHED, WITHDRAWN = "published", "withdrawn"


@attrs.frozen
class ArmRun:
    """A publication of an arm: its call, the assets it ran with, and the call that ended it by rescheduling."""

    call: int
    pair: Pair
    until: int | None = None


@attrs.frozen(kw_only=True)
class Course:
    """What happened, in call numbers and minutes.

    Attributes:
        starts: wave -> the minute it starts, provisional while unopened.
        dues: post -> its present due minute; posts that do not exist yet are missing.
        statuses: post -> its present status.
        arms: (brief, arm) -> its publications by call.
        fired: update -> the call that it fired in.
        reports: brief -> the calls that made its reports, ascending.
    """

    starts: Mapping[int, int]
    dues: Mapping[str, int]
    statuses: Mapping[str, str]
    arms: Mapping[tuple[str, str], Sequence[ArmRun]]
    fired: Mapping[str, int]
    reports: Mapping[str, Sequence[int]]

    def published(self, brief: str, arm: str, call: int) -> ArmRun | None:
        """Return the publication that an arm stands by at a call; None while it is unpublished."""
        runs = self.arms.get((brief, arm), ())
        earlier = [run for run in runs if run.call < call and (run.until is None or run.until >= call)]
        return earlier[-1] if earlier else None
