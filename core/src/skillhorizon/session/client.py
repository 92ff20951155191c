"""The reference policy's client: public tools over a session, and the policy's own memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from skillhorizon.environment import Client, Noticed, Refused, Skipped
from skillhorizon.model.canonical import Json, loads
from skillhorizon.model.outcome import Outcome
from skillhorizon.session.session import Observation, Session

_GOES_ON = (Outcome.ACCEPTED, Outcome.FAILED)


class SessionClient:
    """Calls tools of a session; keeps notices, the versions it saw made, and what steps learned."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.stop_on_notice = False
        self._notices: list[dict[str, Any]] = []
        self._known: dict[str, Any] = {}

    def call(self, tool: str, /, **arguments: Json) -> Any:
        """Call a tool and return the parsed observation; see `skillhorizon.Client`."""
        return self.heard(tool, self.session.call(tool, arguments))

    def heard(self, tool: str, observation: Observation) -> Any:
        """Take in an observation: remember versions and notices, and return its JSON.

        Raises:
            Refused: when the call was not accepted.
            Noticed: when notices came and the policy asked to stop on them.
        """
        text, _, outcome, record = observation
        data = loads(text)
        if outcome not in _GOES_ON:
            error = data["error"]
            told = f"{tool}: {error.get('message', '')}"
            raise Refused(outcome, error["code"], told, error.get("details", {}))
        for ref in record.made:
            self._known[ref.rpartition("@")[0]] = ref
        notices = data.get("notices")
        if notices:
            self._notices += notices
            if self.stop_on_notice:
                raise Noticed
        return data

    def script(self, skill: str, script: str, data: Json) -> Any:
        """Run a skill's script and return its output."""
        return self.call("run_skill_script", skill=skill, script=script, input=data)["output"]

    def need(self, key: str) -> Any:
        """Return the last version seen made of an artifact id, or the value kept under `key`."""
        if key not in self._known:
            raise Skipped(f"{key} was never made or kept; the step that does so was skipped")
        return self._known[key]

    def keep(self, key: str, value: Any) -> None:
        """Store what a step learned."""
        self._known[key] = value

    def notices(self) -> list[dict[str, Any]]:
        """Return and forget the notices since the last look."""
        seen, self._notices = self._notices, []
        return seen


ClientOf = Callable[[Session], SessionClient]


def listed(client: Client, tool: str, /, **filters: Json) -> list[dict[str, Any]]:
    """Return all rows of a list tool by column name, page after page.

    Raises:
        Refused: when the list refuses its filters.
    """
    rows: list[dict[str, Any]] = []
    page = client.call(tool, **filters)
    while True:
        columns = page["columns"]
        rows += [dict(zip(columns, row, strict=True)) for row in page["rows"]]
        if page["next"] is None:
            return rows
        page = client.call(tool, **filters, cursor=page["next"])
