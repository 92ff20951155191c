"""Limits of a whole run, and the meter that all its executions share."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING

import attrs

from skillhorizon.errors import SkillHorizonError, StorageError, UsageError
from skillhorizon.evaluation.stopwatch import Stopwatch
from skillhorizon.model.usage import Price, Usage

if TYPE_CHECKING:
    from collections.abc import Hashable
    from pathlib import Path


class RunStopped(SkillHorizonError):
    """What stops a whole run, and not one execution: a limit is reached, a key refused; the same command goes on."""


@attrs.frozen(kw_only=True)
class Limits:
    """What a run may use at most, all commands that worked on it together; None is no limit.

    Attributes:
        cost: in the currency of the prices.
        tokens: read and written.
        calls: charged calls of tools.
        seconds: wall time of the commands, however many executions went on at once.
        price: of the agent's model.
    """

    cost: Decimal | None = None
    tokens: int | None = None
    calls: int | None = None
    seconds: float | None = None
    price: Price | None = None


class Meter:
    """Adds up what a run uses, in this command and before it, and stops it at its limits."""

    def __init__(self, limits: Limits | None = None, watch: Stopwatch | None = None) -> None:
        self.limits, self.watch = limits or Limits(), watch or Stopwatch()
        self.usage, self.calls, self._stop = Usage(), 0, ""
        self._settled: dict[Hashable, tuple[Usage, int]] = {}

    @property
    def cost(self) -> Decimal:
        """What was used at the price given, 0 without one."""
        return self.limits.price.of(self.usage) if self.limits.price else Decimal(0)

    def add(self, usage: Usage, calls: int = 0) -> None:
        """Count what was used."""
        self.usage, self.calls = self.usage + usage, self.calls + calls

    def settle(self, part: Hashable, usage: Usage | None = None, calls: int = 0) -> None:
        """Count what a part of the run used in all, in place of what was settled for it before.

        Without `usage` the usage settled before stands.
        """
        before, made = self._settled.get(part, (Usage(), 0))
        used = before if usage is None else usage
        self._settled[part] = used, calls
        self.add(used - before, calls - made)

    def stop(self, reason: str) -> None:
        """Let every execution of the run stop at its next turn."""
        self._stop = self._stop or reason

    def check(self) -> None:
        """Look whether the run may go on; asked before each request and each execution.

        Raises:
            RunStopped: when it may not.
        """
        limits, spent = self.limits, self.watch.keep()
        for name, used, most in (
            ("--max-cost", self.cost, limits.cost),
            ("--max-tokens", self.usage.tokens, limits.tokens),
            ("--max-calls", self.calls, limits.calls),
            ("--max-time", spent / 1000, limits.seconds),
        ):
            if most is not None and used >= most:
                self.stop(f"{name} {_plain(most)} is reached ({_plain(used)} used); give a higher one to go on")
        if self._stop:
            raise RunStopped(f"{self._stop}; what was done is kept, and the same command goes on from there")


def _plain(value: Decimal | float) -> str:
    return format(Decimal(str(value)).normalize(), "f")


def read_prices(path: Path) -> dict[str, Price]:
    """Read a price table: {"AGENT": {"input": 2.5, "cached": 0.25, "output": 10}}, per million tokens.

    Raises:
        UsageError: when the file is no such table.
        StorageError: when it cannot be read.
    """
    import json  # noqa: PLC0415  # the strict parser of the project reads no decimals

    try:
        table = json.loads(path.read_text(encoding="utf-8"), parse_float=Decimal, parse_int=Decimal)
        return {name: Price(**{kind: _amount(value) for kind, value in row.items()}) for name, row in table.items()}
    except OSError as error:
        raise StorageError(f"cannot read the prices {path}: {error.strerror}; name an existing file") from error
    except (ValueError, TypeError, AttributeError, InvalidOperation) as error:
        raise UsageError(
            f"{path} is no table of prices ({error}); write "
            '{"AGENT": {"input": 2.5, "cached": 0.25, "output": 10}}, per million tokens'
        ) from error


def _amount(value: object) -> Decimal:
    amount = Decimal(str(value))
    if not (amount.is_finite() and amount >= 0):
        raise ValueError(f"a price is {value!r}")
    return amount
