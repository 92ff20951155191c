"""What a test's samples say (R6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skillhorizon_fieldops.rules.physics import FAIL, PASS

if TYPE_CHECKING:
    from collections.abc import Sequence

_WHOLE = 10_000
_REFERENCE_TEMPERATURE = 20


def value_of(samples: Sequence[Sequence[int]], coef_bp: int, offset: int) -> int:
    """Return the value of six [raw, ambient] samples: corrected, without lowest and highest, their mean (R6).

    Args:
        samples: raw readings with the ambient temperature in degrees.
        coef_bp: the procedure's temperature coefficient, in basis points a degree.
        offset: of the cited commissioning of the reference service, else 0.

    >>> value_of([(836, 44), (829, 43), (841, 44), (826, 45), (833, 44), (838, 43)], 39, 12)
    898
    """
    corrected = sorted(
        raw * (_WHOLE + coef_bp * (ambient - _REFERENCE_TEMPERATURE)) // _WHOLE - offset for raw, ambient in samples
    )
    return sum(corrected[1:-1]) // (len(corrected) - 2)


def judged(value: int, kind: str, bound: int) -> str:
    """Return `pass` or `fail`: at least the limit where its kind is min, at most the limit where it is max (R6).

    >>> judged(898, "min", 850), judged(898, "max", 850)
    ('pass', 'fail')
    """
    good = value >= bound if kind == "min" else value <= bound
    return PASS if good else FAIL
