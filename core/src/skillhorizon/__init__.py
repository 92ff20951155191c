"""SkillHorizon: long-horizon agent tasks composed out of reusable skills.

Names are imported on first use, so that `import skillhorizon` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from skillhorizon.construction.generate import Order, generate
    from skillhorizon.construction.suites import load_suite, load_task
    from skillhorizon.construction.validate import validate_suite
    from skillhorizon.environment import (
        Client,
        Environment,
        Mutation,
        Noticed,
        Prefer,
        Refused,
        Sabotage,
        Scale,
        Skipped,
        Step,
        Twin,
    )
    from skillhorizon.errors import ConfigError, SkillHorizonError, UnknownName, UsageError
    from skillhorizon.evaluation.agents import Agent
    from skillhorizon.evaluation.execution import EnvironmentFault, Execution, ExecutionEnded
    from skillhorizon.evaluation.limits import Limits, Meter, RunStopped
    from skillhorizon.evaluation.opening import open_session
    from skillhorizon.evaluation.options import RunOptions
    from skillhorizon.evaluation.part import Part, part_of
    from skillhorizon.evaluation.terminal import Terminal
    from skillhorizon.gateway.call import Call
    from skillhorizon.gateway.marks import Columns, Items, Number, Text
    from skillhorizon.gateway.paging import Cursor, Limit, page, query_page, sql_page
    from skillhorizon.gateway.tools import Tool, operation, query
    from skillhorizon.hookspecs import Contribution, hookimpl
    from skillhorizon.model.canonical import Json, digest, dumps, loads
    from skillhorizon.model.goal import Demand, Finding, Goal, Report, Requirement
    from skillhorizon.model.graph import Concern, Edge, Graph, Module, Pattern
    from skillhorizon.model.journal import Record
    from skillhorizon.model.knobs import is_whole, one_of, outside, whole
    from skillhorizon.model.outcome import Outcome, Rejection
    from skillhorizon.model.plan import Plan
    from skillhorizon.model.rng import Rng, draws
    from skillhorizon.model.task import Task
    from skillhorizon.model.tokens import count
    from skillhorizon.model.update import After, At, Notice, PlannedUpdate, Trigger
    from skillhorizon.model.usage import Price, Usage
    from skillhorizon.model.workload import Measurement
    from skillhorizon.results.evaluating import evaluate
    from skillhorizon.serve.hosting import Host, hosted
    from skillhorizon.session.client import listed
    from skillhorizon.session.files import Journal, read_journal
    from skillhorizon.session.session import Observation
    from skillhorizon.skills.validate import validate_library
    from skillhorizon.world.ledger import Artifact, Cite, Ended, Event, Ledger
    from skillhorizon.world.rows import table
    from skillhorizon.world.world import World

_HOMES = {
    "construction.generate": "Order generate",
    "construction.suites": "load_suite load_task",
    "construction.validate": "validate_suite",
    "environment": "Client Environment Mutation Noticed Prefer Refused Sabotage Scale Skipped Step Twin",
    "errors": "ConfigError SkillHorizonError UnknownName UsageError",
    "evaluation.agents": "Agent",
    "evaluation.execution": "EnvironmentFault Execution ExecutionEnded",
    "evaluation.limits": "Limits Meter RunStopped",
    "evaluation.opening": "open_session",
    "evaluation.options": "RunOptions",
    "evaluation.part": "Part part_of",
    "evaluation.terminal": "Terminal",
    "gateway.call": "Call",
    "gateway.marks": "Columns Items Number Text",
    "gateway.paging": "Cursor Limit page query_page sql_page",
    "gateway.tools": "Tool operation query",
    "hookspecs": "Contribution hookimpl",
    "model.canonical": "Json digest dumps loads",
    "model.goal": "Demand Finding Goal Report Requirement",
    "model.graph": "Concern Edge Graph Module Pattern",
    "model.journal": "Record",
    "model.knobs": "is_whole one_of outside whole",
    "model.outcome": "Outcome Rejection",
    "model.plan": "Plan",
    "model.rng": "Rng draws",
    "model.task": "Task",
    "model.tokens": "count",
    "model.update": "After At Notice PlannedUpdate Trigger",
    "model.usage": "Price Usage",
    "model.workload": "Measurement",
    "results.evaluating": "evaluate",
    "serve.hosting": "Host hosted",
    "session.client": "listed",
    "session.files": "Journal read_journal",
    "session.session": "Observation",
    "skills.validate": "validate_library",
    "world.ledger": "Artifact Cite Ended Event Ledger",
    "world.rows": "table",
    "world.world": "World",
}
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names.split()}

__all__ = [  # noqa: PLE0604  # the table above is the list; a test holds it against the imports
    *_HOME_OF
]

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        """Import a public name on first use."""
        if name not in _HOME_OF:
            raise AttributeError(f"module 'skillhorizon' has no attribute {name!r}")
        value = getattr(import_module(f"skillhorizon.{_HOME_OF[name]}"), name)
        globals()[name] = value
        return value
