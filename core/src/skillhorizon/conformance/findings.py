"""What checks find, and the report on an environment."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

import attrs

if TYPE_CHECKING:
    from skillhorizon.model.canonical import Json


class Severity(StrEnum):
    """An error breaks the contract; a warning is worth a look."""

    ERROR = "error"
    WARNING = "warning"


@attrs.frozen(kw_only=True)
class Finding:
    """One thing that a check found: its message names what failed, its evidence shows it."""

    check: str
    message: str
    evidence: str = ""
    severity: Severity = Severity.ERROR

    def __str__(self) -> str:
        shown = "".join(f"\n    {line}" for line in self.evidence.splitlines())
        return f"{self.severity} [{self.check}] {self.message}{shown}"


@attrs.frozen(kw_only=True)
class Checked:
    """One check that was run: how many specimens (tasks, tools, skills) it looked at, in how many milliseconds."""

    check: str
    looked_at: int
    milliseconds: int


@attrs.frozen(kw_only=True)
class ConformanceReport:
    """All findings on one environment, and the checks that were run."""

    environment: str
    profile: str
    checked: tuple[Checked, ...]
    findings: tuple[Finding, ...]

    @property
    def sound(self) -> bool:
        """Whether no finding is an error."""
        return all(finding.severity is not Severity.ERROR for finding in self.findings)

    @property
    def blamed(self) -> frozenset[str]:
        """The checks that found an error."""
        return frozenset(finding.check for finding in self.findings if finding.severity is Severity.ERROR)

    def of(self, check: str) -> tuple[Finding, ...]:
        """Return the findings of one check."""
        return tuple(finding for finding in self.findings if finding.check == check)

    def as_json(self) -> dict[str, Json]:
        """Return the report as plain JSON."""
        return {
            "environment": self.environment,
            "profile": self.profile,
            "sound": self.sound,
            "checks": [attrs.asdict(checked) for checked in self.checked],
            "findings": [attrs.asdict(finding) for finding in self.findings],
        }

    def __str__(self) -> str:
        verdict = "conforms" if self.sound else f"has {len(self.findings)} findings"
        head = f"{self.environment} {verdict} ({self.profile} profile, {len(self.checked)} checks)"
        return "\n".join([head, *map(str, self.findings)])
