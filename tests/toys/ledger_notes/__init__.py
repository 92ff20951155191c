"""An extension of an environment that somebody else wrote: a reference policy and a skill library for FinanceOps."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

from skillhorizon import hookimpl
from skillhorizon.hookspecs import Contribution
from skillhorizon_financeops.policy import steps

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from skillhorizon import Client, Json, Prefer, Step


def diligent(client: Client, brief: Mapping[str, Json], prefer: Prefer) -> Iterator[Step]:
    """Read the rules of closing before the work that the environment's own reference does."""
    client.call("get_rules", topic="closing")
    yield from steps(client, brief, prefer)


class Plugin:
    """What the extension contributes."""

    @hookimpl
    def shz_reference_policies(self) -> list[Contribution]:
        """Return the policy."""
        return [Contribution(role="policy", environment="financeops", name="diligent", value=diligent)]

    @hookimpl
    def shz_skill_libraries(self) -> list[Contribution]:
        """Return the library: the environment's skills, and one more."""
        library = files("ledger_notes") / "skills"
        return [Contribution(role="skill-library", environment="financeops", name="annotated", value=library)]


plugin = Plugin()
