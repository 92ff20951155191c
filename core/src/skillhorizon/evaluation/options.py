"""What to evaluate: the choice of tasks, the number of trials, the allowance."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from fnmatch import fnmatchcase
from fractions import Fraction
from math import ceil
from typing import TYPE_CHECKING

import attrs

from skillhorizon.errors import UsageError
from skillhorizon.evaluation import conditions
from skillhorizon.model.terms import CURATED, Terms
from skillhorizon.model.workload import band

if TYPE_CHECKING:
    from skillhorizon.model.task import Entry, Suite, Task

DEFAULT_ALLOWANCE = "0.5"
MOST_ALLOWANCE = 100


@attrs.frozen(kw_only=True)
class RunOptions:
    """Options of a run; a run that is continued must agree on them.

    Attributes:
        tasks: a pattern of task ids, such as `*-64k-*`.
        bands: the bands; none given is all.
        families: the families; none given is all.
        limit: at most so many tasks, the first ones of the suite; 0 is no limit.
        trials: executions of each task.
        allowance: A as a share of R, written as a decimal: the budget is B = R + ceil(share * R) (protocol, section 2).
        skills: the skills condition (protocol, section 3).
        scripts: how scripts of a skill pack run: no, confined or unconfined.
        feedback: what a refusal tells: full, or its code alone.
        settings: the agent's own options by name.
    """

    tasks: str = "*"
    bands: tuple[str, ...] = ()
    families: tuple[str, ...] = ()
    limit: int = 0
    trials: int = 1
    allowance: str = DEFAULT_ALLOWANCE
    skills: str = CURATED
    scripts: str = "no"
    feedback: str = "full"
    settings: Mapping[str, str] = attrs.Factory(dict)

    @property
    def terms(self) -> Terms:
        """The terms that an agent works under; where its pack lies is the run's to say."""
        return Terms(skills=self.skills, scripts=self.scripts, feedback=self.feedback)

    def checked(self) -> RunOptions:
        """Return the options in their one written form.

        Raises:
            UsageError: when a value is outside its rule.
        """
        if self.trials < 1 or self.limit < 0:
            raise UsageError(
                f"--trials is {self.trials} and --limit {self.limit}; give at least 1 trial and a limit >= 0"
            )
        _check_word("--allow-scripts", self.scripts, ("no", "confined", "unconfined"))
        _check_word("--feedback", self.feedback, ("full", "code"))
        share = format(_share(self.allowance).normalize(), "f")
        bands = tuple(band(name).name for name in self.bands)
        return attrs.evolve(
            self,
            bands=bands,
            families=tuple(self.families),
            allowance=share,
            skills=conditions.checked(self.skills),
            settings=dict(sorted(self.settings.items())),
        )


def _check_word(option: str, word: str, known: tuple[str, ...]) -> None:
    if word not in known:
        raise UsageError(f"{option} is {word!r}; say one of {', '.join(known)}")


def _share(text: str) -> Decimal:
    try:
        share = Decimal(text)
    except InvalidOperation:
        share = Decimal(-1)
    if not (share.is_finite() and 0 <= share <= MOST_ALLOWANCE):
        raise UsageError(f"--allowance is {text!r}; give a share of the reference's calls such as 0.5, at most 100")
    return share


def budget(task: Task, allowance: str) -> int:
    """Return the calls that may be charged: B = R + ceil(share * R) (protocol, section 2).

    Raises:
        UsageError: when the share is no decimal in 0..100.
    """
    calls = task.measurement.calls
    return calls + ceil(Fraction(_share(allowance)) * calls)


def chosen(suite: Suite, options: RunOptions) -> list[Entry]:
    """Return the suite's tasks that the options choose, in the suite's order.

    Raises:
        UsageError: when there are none.
    """
    found = [entry for entry in suite.tasks if _fits(entry, options)]
    if not found:
        cells = (("bands", _kinds(suite, "band")), ("families", _kinds(suite, "family")))
        has = "; ".join(f"its {name} are {', '.join(values)}" for name, values in cells)
        raise UsageError(f"no task of suite {suite.name} fits --tasks {options.tasks}, --bands and --families; {has}")
    return found[: options.limit] if options.limit else found


def _fits(entry: Entry, options: RunOptions) -> bool:
    return (
        fnmatchcase(entry.id, options.tasks)
        and (not options.bands or entry.cell.band in options.bands)
        and (not options.families or entry.cell.family in options.families)
    )


def _kinds(suite: Suite, part: str) -> list[str]:
    return sorted({str(getattr(entry.cell, part)) for entry in suite.tasks})
