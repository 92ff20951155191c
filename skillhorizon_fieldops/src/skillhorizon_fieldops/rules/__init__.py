"""The business rules as pure functions: values in, values out (R3 to R6, R8)."""

from skillhorizon_fieldops.rules.figures import HEADROOM_BP, Figures, capacity, figures
from skillhorizon_fieldops.rules.isolation import boundary
from skillhorizon_fieldops.rules.minutes import RESEAT, RESEAT_MIN, work_minutes
from skillhorizon_fieldops.rules.parts import withdrawn
from skillhorizon_fieldops.rules.physics import FAIL, PASS, samples
from skillhorizon_fieldops.rules.verdicts import judged, value_of

__all__ = [
    "FAIL",
    "HEADROOM_BP",
    "PASS",
    "RESEAT",
    "RESEAT_MIN",
    "Figures",
    "boundary",
    "capacity",
    "figures",
    "judged",
    "samples",
    "value_of",
    "withdrawn",
    "work_minutes",
]
