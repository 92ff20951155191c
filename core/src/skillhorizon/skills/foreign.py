"""Scripts of packs that somebody else wrote: confined or, when that is asked for, not; and never twice on a replay."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

import attrs

from skillhorizon.skills.programs import run_script_process
from skillhorizon.skills.sandbox import DEFAULT_LIMITS, Limits, run_script_confined
from skillhorizon.skills.scripts import ScriptFailed

if TYPE_CHECKING:
    from collections.abc import Iterable

    from skillhorizon.skills.library import Skill

CONFINED, UNCONFINED = "confined", "unconfined"


@attrs.frozen
class Confined:
    """Runs scripts without network, other processes, and files beyond their own folder, under limits."""

    limits: Limits = DEFAULT_LIMITS

    def run(self, skill: Skill, script: str, data: dict[str, Any]) -> dict[str, Any]:
        """Return a script's output; see `run_script_confined`."""
        return run_script_confined(skill, script, data, self.limits)


@attrs.frozen
class Unconfined:
    """Runs scripts as programs that may do what this user may."""

    def run(self, skill: Skill, script: str, data: dict[str, Any]) -> dict[str, Any]:
        """Return a script's output; see `run_script_process`."""
        return run_script_process(skill, script, data)


class Recorded:
    """Answers the first runs from what was recorded, since a foreign script need not say the same twice."""

    def __init__(self, outputs: Iterable[dict[str, Any] | str], live: Confined | Unconfined) -> None:
        self._outputs, self._live = deque(outputs), live

    def run(self, skill: Skill, script: str, data: dict[str, Any]) -> dict[str, Any]:
        """Return the next recorded output, and when none is left the script's own.

        Raises:
            ScriptFailed: when it failed then, or fails now.
        """
        if not self._outputs:
            return self._live.run(skill, script, data)
        output = self._outputs.popleft()
        if isinstance(output, str):
            raise ScriptFailed(output)
        return output
