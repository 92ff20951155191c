"""What core needs to know of an environment's plan."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from skillhorizon.model.canonical import Json
    from skillhorizon.model.goal import Goal, Requirement
    from skillhorizon.model.graph import Graph
    from skillhorizon.model.update import PlannedUpdate


class Plan(Protocol):
    """An environment's plan: a frozen attrs class with at least these fields.

    `resources` are the amounts granted; `brief` holds the public facts of the instruction (also given to the
    reference policy); `work` the environment's own work counts. Truth stays in the environment's further fields.
    """

    @property
    def graph(self) -> Graph:
        """Modules and edges."""

    @property
    def goals(self) -> Sequence[Goal]:
        """Local goals."""

    @property
    def requirements(self) -> Sequence[Requirement]:
        """Joint delivery conditions."""

    @property
    def updates(self) -> Sequence[PlannedUpdate]:
        """Updates in their order of position."""

    @property
    def resources(self) -> Mapping[str, int]:
        """Resource amounts granted at the start."""

    @property
    def brief(self) -> Mapping[str, Json]:
        """Public facts of the instruction."""

    @property
    def work(self) -> Mapping[str, int]:
        """Work counts, such as packages and stages."""
