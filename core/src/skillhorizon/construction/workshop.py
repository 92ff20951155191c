"""Building worlds: the shared base once per process, the task's own rows on a clone of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import attrs

from skillhorizon.construction.components import Components
from skillhorizon.construction.garbage import uncollected
from skillhorizon.errors import ConfigError
from skillhorizon.model.codec import decode, encode
from skillhorizon.model.plan import Plan
from skillhorizon.model.rng import Rng
from skillhorizon.session.session import Recorder, Session
from skillhorizon.world.world import World

if TYPE_CHECKING:
    from collections.abc import Mapping

    from skillhorizon.model.canonical import Json


@attrs.frozen(eq=False)
class Built:
    """A composed and built task: its plan, and the template of its world; `close` frees it."""

    components: Components
    config: Any
    plan: Plan
    template: World
    seed_text: str

    def session(self, recorder: Recorder, *, budget: int | None = None) -> Session:
        """Return a session on a world of its own."""
        return Session(
            self.components.environment,
            self.plan,
            self.template.clone(),
            toolbox=self.components.toolbox,
            recorder=recorder,
            seed=self.seed_text,
            budget=budget,
        )

    def close(self) -> None:
        """Free the template."""
        self.template.close()


class Workshop:
    """Composes and builds tasks of one environment; keeps the base world that they share."""

    def __init__(self, components: Components) -> None:
        self.components = components
        self._base: World | None = None

    @uncollected()
    def build(self, config: Any, *, split: str, seed: int) -> Built:
        """Compose a task from (configuration, split, seed) and build its world.

        Raises:
            ConfigError: when the configuration breaks a rule.
        """
        environment = self.components.environment
        rng = Rng(environment.name, split, seed)
        plan = environment.compose(config, rng)
        return Built(self.components, config, plan, self._furnished(plan), rng.path_text)

    def replanned(self, built: Built, plan: Plan) -> Built:
        """Return a task with the world of another plan in place of its own."""
        return attrs.evolve(built, plan=plan, template=self._furnished(plan))

    def _furnished(self, plan: Plan) -> World:
        world = self._template().clone()
        with world.transaction():
            self.components.environment.build(plan, world)
        return world

    def _template(self) -> World:
        if self._base is None:
            environment = self.components.environment
            self._base = World.empty(environment.tables)
            self._base.govern(environment.on_change, environment.on_end)
            with self._base.transaction():
                environment.base(self._base)
        return self._base

    def config(self, data: Mapping[str, Json]) -> Any:
        """Return the configuration that plain JSON describes.

        Raises:
            ConfigError: when a value is unknown, missing or against its rule.
        """
        try:
            return decode(dict(data), self.components.environment.config)
        except ConfigError:
            raise
        except Exception as error:
            raise ConfigError(f"this is no configuration of {self.components.environment.name}: {error}") from error


def config_json(config: Any) -> dict[str, Json]:
    """Return a configuration as plain JSON."""
    data: dict[str, Json] = encode(config)
    return data
