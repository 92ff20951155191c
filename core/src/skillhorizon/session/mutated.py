"""A client that interferes with the reference policy as a mutation says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from skillhorizon.environment import Refused, Sabotage
from skillhorizon.model.canonical import Json, dumps, loads
from skillhorizon.session.client import SessionClient

if TYPE_CHECKING:
    from skillhorizon.session.session import Session


class MutatedClient(SessionClient):
    """Rewrites arguments, observations and script outputs, and makes extra calls, at every attempt."""

    def __init__(self, session: Session, sabotage: Sabotage) -> None:
        super().__init__(session)
        self.sabotage = sabotage
        self._aside = False

    def call(self, tool: str, /, **arguments: Json) -> Any:
        """Call a tool under the mutation; extra calls it makes are left alone, and their refusals ignored."""
        if self._aside:
            return super().call(tool, **arguments)
        sabotage = self.sabotage
        copied: dict[str, Json] = loads(dumps(arguments))
        said = sabotage.arguments(tool, copied) if sabotage.arguments else copied
        self._extra(sabotage.before, tool, said)
        data = super().call(tool, **said)
        self._extra(sabotage.after, tool, said)
        return sabotage.observation(tool, said, data) if sabotage.observation else data

    def script(self, skill: str, script: str, data: Json) -> Any:
        """Run a script and rewrite its output."""
        output = super().script(skill, script, data)
        return self.sabotage.script(script, data, output) if self.sabotage.script and not self._aside else output

    def _extra(self, calls: Any, tool: str, arguments: dict[str, Json]) -> None:
        if calls is None:
            return
        self._aside = True
        try:
            calls(self, tool, arguments)
        except Refused:
            pass
        finally:
            self._aside = False
