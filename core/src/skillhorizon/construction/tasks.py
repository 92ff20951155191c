"""Task files: making a task out of a proof, and rebuilding what a task describes."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from skillhorizon.construction.components import Components, pinned
from skillhorizon.construction.workshop import Built, Workshop, config_json
from skillhorizon.errors import CorruptFile, DigestMismatch, StorageError
from skillhorizon.model import tokens
from skillhorizon.model.canonical import SERIALIZATION, Json, dumps_bytes, loads
from skillhorizon.model.codec import decode, to_text
from skillhorizon.model.task import (
    CANARY,
    ENGINE,
    SCHEMA,
    Blueprint,
    Cell,
    Digests,
    Encoding,
    Task,
)

if TYPE_CHECKING:
    from pathlib import Path

    from skillhorizon.construction.proof import Proof


def tools_digest(components: Components) -> str:
    """Return the SHA-256 of the public tools: names, texts and schemas."""
    told = [[tool.name, tool.doc, tool.schema] for tool in components.toolbox.tools.values()]
    return hashlib.sha256(dumps_bytes(told)).hexdigest()


def task_of(built: Built, proof: Proof, *, task_id: str, split: str, seed: int, cell: Cell) -> Task:
    """Return the task that a proven build describes."""
    plan, components = built.plan, built.components
    environment = components.environment
    return Task(
        schema=SCHEMA,
        canary=CANARY,
        id=task_id,
        environment=environment.name,
        version=components.version,
        engine=ENGINE,
        pins=components.pins,
        config=config_json(built.config),
        seed=seed,
        split=split,
        cell=cell,
        blueprint=Blueprint(
            graph=plan.graph,
            goals=tuple(plan.goals),
            requirements=tuple(plan.requirements),
            shape=plan.graph.shape(),
        ),
        instruction=environment.instruction(built.config, plan),
        measurement=proof.measurement,
        encoding=Encoding(serialization=SERIALIZATION, tokenizer=tokens.ENCODING, ranks=tokens.SHA256),
        digests=Digests(start=built.template.digest(), journal=proof.journal, tools=tools_digest(components)),
    )


def read_task(path: Path) -> Task:
    """Read a task file.

    Raises:
        StorageError: when it cannot be read.
        CorruptFile: when it is not a task, or one of another schema.
    """
    try:
        return _task(loads(path.read_bytes()))
    except OSError as error:
        raise StorageError(f"cannot read the task file {path}: {error.strerror}; name an existing task file") from error
    except CorruptFile as error:
        raise CorruptFile(f"{path} is no task file: {error}; restore it, or generate the task again") from error


def _task(data: Json) -> Task:
    if not isinstance(data, dict) or "schema" not in data or "environment" not in data:
        raise CorruptFile("it lacks the keys `schema` and `environment`")
    if data["schema"] != SCHEMA:
        raise CorruptFile(f"it has schema {data['schema']!r}, this version reads {SCHEMA}")
    return decode(data, Task)


def task_text(task: Task) -> str:
    """Return a task file's text."""
    return to_text(task)


def task_digest(task: Task) -> str:
    """Return the SHA-256 of a task file's text: the task's identity in runs."""
    return hashlib.sha256(task_text(task).encode()).hexdigest()


def rebuild(task: Task, workshop: Workshop | None = None) -> tuple[Built, list[str]]:
    """Compose and build a task again, with warnings on provenance that differs.

    Raises:
        VersionMismatch: when engine or environment version is another.
        DigestMismatch: when the world or the tools differ from the recorded digests.
    """
    components, warnings = pinned(task)
    shop = workshop if workshop is not None and workshop.components is components else Workshop(components)
    built = shop.build(shop.config(task.config), split=task.split, seed=task.seed)
    if tools_digest(components) != task.digests.tools:
        raise DigestMismatch(f"task {task.id}: the tools differ from those it was made with; {_WAY_OUT}")
    if built.template.digest() != task.digests.start:
        raise DigestMismatch(f"task {task.id}: the rebuilt world differs from the recorded one; {_WAY_OUT}")
    return built, warnings


_WAY_OUT = "install the version that made it, or generate the task again"
