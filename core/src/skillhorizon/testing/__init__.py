"""For plugins' own tests: the conformance checks and their report, and whether tests notice what is deleted."""

from skillhorizon.conformance.checks import CHECKS
from skillhorizon.conformance.deletion.sites import Site
from skillhorizon.conformance.deletion.survival import Laid, Trapper, conditions_of, missed_by_mutations
from skillhorizon.conformance.deletion.traps import Trap, calls_of
from skillhorizon.conformance.findings import Checked, ConformanceReport, Finding, Severity
from skillhorizon.conformance.kit import check_environment
from skillhorizon.conformance.profiles import FAST, FULL, Profile

__all__ = [
    "CHECKS",
    "FAST",
    "FULL",
    "Checked",
    "ConformanceReport",
    "Finding",
    "Laid",
    "Profile",
    "Severity",
    "Site",
    "Trap",
    "Trapper",
    "calls_of",
    "check_environment",
    "conditions_of",
    "missed_by_mutations",
]
