"""The hooks that plugins implement; pluggy calls them at registration only, never in the path of a call."""

from __future__ import annotations

from typing import Any

import attrs
import pluggy

PROJECT = "skillhorizon"
hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)


@attrs.frozen(kw_only=True)
class Contribution:
    """One implementation of a role: which environment it serves, its name, and the object itself."""

    role: str
    environment: str
    name: str
    value: Any


class Specifications:
    """Every hook returns contributions; one object may implement any of them."""

    @hookspec
    def shz_world_builders(self) -> list[Contribution]:
        """Return world builders: (base, build) of an environment."""
        return []

    @hookspec
    def shz_skill_libraries(self) -> list[Contribution]:
        """Return skill libraries: folders of Agent Skills packages."""
        return []

    @hookspec
    def shz_module_composers(self) -> list[Contribution]:
        """Return composers: (config, rng) -> plan."""
        return []

    @hookspec
    def shz_update_schedulers(self) -> list[Contribution]:
        """Return update appliers: (update, world, subject) -> notice or None."""
        return []

    @hookspec
    def shz_reference_policies(self) -> list[Contribution]:
        """Return reference policies: (client, brief, prefer) -> steps."""
        return []

    @hookspec
    def shz_goal_checkers(self) -> list[Contribution]:
        """Return checkers: (world, plan) -> report."""
        return []

    @hookspec
    def shz_gateways(self) -> list[Contribution]:
        """Return gateways: tuples of tools."""
        return []

    @hookspec
    def shz_agents(self) -> list[Contribution]:
        """Return agents: objects with a `name` and `run(execution)`; they serve every environment (`*`)."""
        return []
