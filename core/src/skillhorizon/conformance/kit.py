"""Running the checks on an environment: whatever it does is a finding, never a crash of the kit."""

from __future__ import annotations

import faulthandler
import sys
from multiprocessing import parent_process
from time import monotonic
from typing import TYPE_CHECKING

import attrs

from skillhorizon.conformance import bundle
from skillhorizon.conformance.checks import check_of, chosen
from skillhorizon.conformance.findings import Checked, ConformanceReport, Finding
from skillhorizon.conformance.guard import Overdue, cause, deadline, overheard, short
from skillhorizon.conformance.origin import bundle_of, components_of
from skillhorizon.conformance.profiles import FAST, Profile, profile_of
from skillhorizon.conformance.reference import unproven
from skillhorizon.conformance.skills import invalid
from skillhorizon.conformance.subject import Spot, Subject, writer_or
from skillhorizon.construction.workers import run_all
from skillhorizon.errors import UnknownName

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_MOST = 12
"""Findings of one check that are shown; the rest are counted."""
_GRACE_SECONDS = 60
_BREAKING = (Exception, SystemExit)


@attrs.frozen
class Job:
    """One check of one environment, for whatever process it comes to; `number` orders the results."""

    number: int
    origin: str
    check: str
    profile: Profile

    def __str__(self) -> str:
        return f"check {self.check} of {self.origin}"


@attrs.frozen
class Examined:
    """What one check came to: what it found, tasks that could not be proven, and what was printed where."""

    checked: Checked
    findings: tuple[Finding, ...]
    unproven: tuple[tuple[Spot, tuple[str, str]], ...]
    printed: tuple[tuple[str, str], ...]


def check_environment(
    origin: str,
    *,
    profile: str | Profile = FAST,
    only: Iterable[str] = (),
    workers: int = 1,
    progress: Callable[[str], None] | None = None,
) -> ConformanceReport:
    """Run the checks on an environment.

    Args:
        origin: the name of an installed environment, or `module:attribute` of a bundle or of a function that makes one.
        profile: fast or full.
        only: names of checks; none is all.
        workers: processes at once; 1 runs everything in this process, 0 is one process per core.
        progress: told the name of each check that has been run.

    Raises:
        UnknownName: when no environment is installed under that name, or a check or profile does not exist.
    """
    thorough = profile if isinstance(profile, Profile) else profile_of(profile)
    jobs = [Job(number, origin, name, thorough) for number, name in enumerate(chosen(only))]
    faults, printed = _bundle(origin)
    done: list[tuple[int, Examined]] = []
    if not faults:
        for each in run_all(examine, jobs, workers=workers):
            done.append((each.job.number, each.result or _lost(each.job, each.error)))
            if progress is not None:
                progress(each.job.check)
    return _report(origin, thorough, faults, printed, [result for _, result in sorted(done, key=lambda pair: pair[0])])


def _bundle(origin: str) -> tuple[list[Finding], dict[str, str]]:
    """Load the bundle and look at its roles."""
    with overheard() as ear:
        try:
            with deadline(FAST.patience):
                environment = bundle_of(origin)
                faults = list(bundle.check(environment)) or list(invalid(environment.skills))
                if not faults:
                    components_of(origin, environment)
        except UnknownName:
            raise
        except Overdue as error:
            faults = [bundle.found(message="loading the environment hangs", evidence=str(error))]
        except _BREAKING as error:
            faults = [bundle.found(message="the environment cannot be loaded", evidence=cause(error))]
    return faults, ear.said


_subjects: dict[tuple[str, Profile], Subject] = {}
"""The subject that this process works on: specimens are shared by its checks."""


def _subject(job: Job) -> Subject:
    key = (job.origin, job.profile)
    if key not in _subjects:
        _subjects.clear()
        _subjects[key] = Subject(job.origin, components_of(job.origin, bundle_of(job.origin)), job.profile)
    return _subjects[key]


def examine(job: Job) -> Examined:
    """Run one check; one that hangs where Python cannot interrupt it ends the process."""
    start = monotonic()
    if parent_process() is not None and sys.__stderr__ is not None:
        faulthandler.dump_traceback_later(job.profile.limit + _GRACE_SECONDS, exit=True, file=sys.__stderr__)
    findings: list[Finding] = []
    with overheard() as ear:
        subject = _subject(job)
        subject.looked_at = 0
        try:
            with deadline(job.profile.limit):
                findings.extend(check_of(job.check)(subject))
        except Overdue as error:
            told = f"the environment hangs: no end after {job.profile.limit:g} s"
            findings.append(Finding(check=job.check, message=told, evidence=str(error)))
        except _BREAKING as error:
            told = f"the environment breaks the check: {type(error).__name__}"
            findings.append(Finding(check=writer_or(job.check, error), message=told, evidence=cause(error)))
    faulthandler.cancel_dump_traceback_later()
    checked = Checked(check=job.check, looked_at=subject.looked_at, milliseconds=round(1000 * (monotonic() - start)))
    return Examined(checked, tuple(_cut(findings)), tuple(subject.unproven.items()), tuple(ear.said.items()))


def _cut(findings: list[Finding]) -> list[Finding]:
    if len(findings) <= _MOST:
        return findings
    rest = findings[_MOST:]
    more = Finding(check=rest[0].check, message=f"and {len(rest)} more findings", evidence=rest[0].message)
    return [*findings[:_MOST], more]


def _lost(job: Job, error: Exception | None) -> Examined:
    """Return what a check came to whose process died."""
    told = Finding(check=job.check, message="the environment ends or blocks the process", evidence=str(error))
    return Examined(Checked(check=job.check, looked_at=0, milliseconds=0), (told,), (), ())


def _report(
    origin: str,
    profile: Profile,
    faults: list[Finding],
    printed: dict[str, str],
    done: list[Examined],
) -> ConformanceReport:
    causes = dict(pair for result in done for pair in result.unproven)
    texts = printed | dict(pair for result in reversed(done) for pair in result.printed)
    loud = [
        bundle.found(message=f"the environment prints at {where}", evidence=short(text.strip()))
        for where, text in texts.items()
        if text.strip()
    ]
    found = [finding for result in done for finding in result.findings]
    return ConformanceReport(
        environment=origin,
        profile=profile.name,
        checked=tuple(result.checked for result in done),
        findings=(*faults, *loud, *_cut(list(unproven(causes.items()))), *found),
    )
