"""What is true: the business rules once more, over a plan's facts, its draws, and what was done.

It shares nothing with the tools' rules or the skills' scripts, so that tests can hold the three against each other.
"""

from skillhorizon_fieldops.truth.accounts import Account, Issue, account
from skillhorizon_fieldops.truth.changes import Changes, Fired, changes
from skillhorizon_fieldops.truth.diagnosis import diagnose, told
from skillhorizon_fieldops.truth.figures import MINIMUM_BP, Figures, figures, rating
from skillhorizon_fieldops.truth.minutes import RESEAT_MIN, SHIFT, minutes
from skillhorizon_fieldops.truth.trials import Sample, offset, passes, samples, value

__all__ = [
    "MINIMUM_BP",
    "RESEAT_MIN",
    "SHIFT",
    "Account",
    "Changes",
    "Figures",
    "Fired",
    "Issue",
    "Sample",
    "account",
    "changes",
    "diagnose",
    "figures",
    "minutes",
    "offset",
    "passes",
    "rating",
    "samples",
    "told",
    "value",
]
