"""What is true: the business rules once more, over a plan's offsets and deltas and the calendar as it ran.

It shares nothing with the tools' rules or the skills' scripts, so that tests can hold the three against each other.
"""

from skillhorizon_socialops.truth.course import PUBLISHED, WITHDRAWN, ArmRun, Course
from skillhorizon_socialops.truth.crediting import Conversion, Credit, Target, credit
from skillhorizon_socialops.truth.exposure import LOOKBACK_MIN, Exposure, Run, lineage, load, remaining
from skillhorizon_socialops.truth.figures import CONTROL, TEST, Sizes, Thresholds, Verdict, sizes, verdict
from skillhorizon_socialops.truth.known import TEST_ARMS, Known, Past, past
from skillhorizon_socialops.truth.shelf import Pair, Place, Shelf, shelf
from skillhorizon_socialops.truth.story import Story, arm_of, reach

__all__ = [
    "CONTROL",
    "LOOKBACK_MIN",
    "PUBLISHED",
    "TEST",
    "TEST_ARMS",
    "WITHDRAWN",
    "ArmRun",
    "Conversion",
    "Course",
    "Credit",
    "Exposure",
    "Known",
    "Pair",
    "Past",
    "Place",
    "Run",
    "Shelf",
    "Sizes",
    "Story",
    "Target",
    "Thresholds",
    "Verdict",
    "arm_of",
    "credit",
    "lineage",
    "load",
    "past",
    "reach",
    "remaining",
    "shelf",
    "sizes",
    "verdict",
]
