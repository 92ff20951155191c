"""For plugins' own tests: the conformance checks, runs of the policy, and whether tests notice what is deleted."""

from skillhorizon.conformance.checks import CHECKS
from skillhorizon.conformance.deletion.sites import Site
from skillhorizon.conformance.deletion.survival import Laid, Misjudged, Trapper, conditions_of, missed_by_mutations
from skillhorizon.conformance.deletion.traps import Trap, calls_of
from skillhorizon.conformance.findings import Checked, ConformanceReport, Finding, Severity
from skillhorizon.conformance.handmade import Handmade
from skillhorizon.conformance.kit import check_environment
from skillhorizon.conformance.profiles import FAST, FULL, Profile
from skillhorizon.conformance.rehearsal import Interference, Rehearsal, Took, Trace, losses, traced
from skillhorizon.conformance.skillbook import Skillbook
from skillhorizon.conformance.subject import Spot

__all__ = [
    "CHECKS",
    "FAST",
    "FULL",
    "Checked",
    "ConformanceReport",
    "Finding",
    "Handmade",
    "Interference",
    "Laid",
    "Misjudged",
    "Profile",
    "Rehearsal",
    "Severity",
    "Site",
    "Skillbook",
    "Spot",
    "Took",
    "Trace",
    "Trap",
    "Trapper",
    "calls_of",
    "check_environment",
    "conditions_of",
    "losses",
    "missed_by_mutations",
    "traced",
]
