"""A desk some way into a course: further calls are made and remembered, up to one that is refused."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import attrs
from courses import Call

from skillhorizon.session.session import Nowhere, Session
from skillhorizon.testing import Trap

if TYPE_CHECKING:
    from collections.abc import Iterator

    from courses import Course

LOOKBACK = 2_880


@attrs.define
class Played:
    """A session after some calls of a course, and the calls made since."""

    session: Session
    before: tuple[Call, ...]
    made: list[Call] = attrs.field(factory=list)

    def do(self, tool: str, **said: Any) -> Any:
        """Make a call that the trap will make too."""
        self.made.append((tool, said))
        return self.ask(tool, **said)

    def ask(self, tool: str, **said: Any) -> Any:
        """Make a call that the trap will not make."""
        return self.session.call(tool, said).data

    def refused(self, code: str, tool: str, **said: Any) -> Trap:
        """The calls so far, then one that is refused."""
        name = f"{code} of {tool} after call {len(self.before)}, and {len(self.made)} more"
        return Trap(name, (*self.before, *self.made, (tool, said)), code)

    @property
    def clock(self) -> int:
        return int(self.ask("get_clock")["clock"])

    def current(self, artifact: str) -> str:
        """The current version of an artifact."""
        found = self.session.world.ledger.current(artifact)
        assert found is not None, artifact
        return found.ref

    def content(self, artifact: str) -> Any:
        found = self.session.world.ledger.last(artifact)
        assert found is not None, artifact
        return found.content

    def audit(self, brief: str, post: str) -> dict[str, Any]:
        """Sources and loads of a brief's audiences at this minute, as the skill's script works them out."""
        names = self.ask("get_brief", brief_id=brief)["audiences"]
        now = self.clock
        read = self.ask("get_audiences", audience_ids=names)["audiences"]
        rows = [dict(zip(read["columns"], row, strict=True)) for row in read["rows"]]
        groups = self.ask("list_publications", audience_ids=names, since=now - LOOKBACK, until=now)["groups"]
        audiences = [
            {"id": row["audience"], "retention_bp": row["retention_bp"], "publications": groups[row["audience"]]}
            for row in rows
        ]
        data = {"post_id": post, "as_of": now, "lookback_min": LOOKBACK, "audiences": audiences}
        said = {"skill": "load-audit", "script": "decayed_load.py", "input": data}
        found = self.ask("run_skill_script", **said)["output"]
        return {"sources": found["sources"], "loads": found["loads"]}


@contextmanager
def played(course: Course, number: int, *, without: tuple[int, ...] = ()) -> Iterator[Played]:
    """Play a course up to a call, without some of them."""
    before = tuple(call for at, call in enumerate(course.calls[:number]) if at not in without)
    session = course.built.session(Nowhere())
    try:
        for name, said in before:
            session.call(name, said)
        yield Played(session, before)
    finally:
        session.world.close()
