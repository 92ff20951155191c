"""A task file's values: pins, configuration, blueprint, instruction, measurement and digests."""

from __future__ import annotations

from collections.abc import Mapping

import attrs

from skillhorizon.model.canonical import Json
from skillhorizon.model.goal import Goal, Requirement
from skillhorizon.model.graph import Graph, Shape
from skillhorizon.model.workload import Measurement

SCHEMA = 1
ENGINE = 1
"""Raised when core's bytes or scores change; a task of another engine is refused."""
CANARY = "skillhorizon-canary-5b0e9f6c2d8a47e1-do-not-train"
"""Stands in every task file, so that training sets can be filtered."""


@attrs.frozen(kw_only=True)
class Pin:
    """One component that a task used: its role, name, distribution, version and content hash."""

    role: str
    name: str
    distribution: str
    version: str
    content: str


@attrs.frozen(kw_only=True)
class Cell:
    """Where a task stands in a suite."""

    band: str
    family: str
    variant: str


@attrs.frozen(kw_only=True)
class Blueprint:
    """The structure of a task, enough for a viewer; no values of truth. No client ever sees it."""

    graph: Graph
    goals: tuple[Goal, ...]
    requirements: tuple[Requirement, ...]
    shape: Shape


@attrs.frozen(kw_only=True)
class Digests:
    """SHA-256 of the world at the start, of the reference journal, and of the public tools."""

    start: str
    journal: str
    tools: str


@attrs.frozen(kw_only=True)
class Encoding:
    """How L_ref is counted."""

    serialization: str
    tokenizer: str
    ranks: str


@attrs.frozen(kw_only=True)
class Task:
    """One task; world and plan are rebuilt from (config, seed path)."""

    schema: int
    canary: str
    id: str
    environment: str
    version: str
    engine: int
    pins: tuple[Pin, ...]
    config: Mapping[str, Json]
    seed: int
    split: str
    cell: Cell
    blueprint: Blueprint
    instruction: str
    measurement: Measurement
    encoding: Encoding
    digests: Digests


@attrs.frozen(kw_only=True)
class Entry:
    """A task's line in its suite."""

    id: str
    cell: Cell
    digest: str


@attrs.frozen(kw_only=True)
class Suite:
    """What `suite.json` holds: the options it was generated with, and its tasks in order."""

    schema: int
    canary: str
    name: str
    environment: str
    version: str
    options: Mapping[str, Json]
    tasks: tuple[Entry, ...]
