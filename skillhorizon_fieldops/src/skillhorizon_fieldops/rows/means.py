"""What the work is done with: crews, manuals, parts and procedures; minutes and units are whole numbers."""

from __future__ import annotations

import attrs

from skillhorizon import table


@table("crew", key=("crew",), indexes=(("primary_class",), ("other_class",)))
@attrs.frozen
class Crew:
    """A crew; it may work devices of its primary and of one other class."""

    crew: str
    region: str
    primary_class: str
    other_class: str


@table("crew_block", key=("crew", "wave", "block"), indexes=(("wave",),))
@attrs.frozen
class CrewBlock:
    """A crew's minutes in a block of a wave; `status` is open or withdrawn."""

    crew: str
    wave: int
    block: str
    free: int
    status: str


@table("manual", key=("edition",), indexes=(("model",),))
@attrs.frozen
class Manual:
    """One edition of a model's manual: the hardware revisions that it covers, and its issue (R2)."""

    edition: str
    model: str
    issue: int
    rev_lo: int
    rev_hi: int


@table("rule", key=("edition", "rank"))
@attrs.frozen
class Rule:
    """One line of an edition: `metric op threshold` means `fault`; `op` is > or <; lower ranks come first."""

    edition: str
    rank: int
    metric: str
    op: str
    threshold: int
    fault: str


@table("card", key=("model", "fault"))
@attrs.frozen
class Card:
    """The work that a fault of a model asks for: parts of a family (None: no parts), minutes before R4."""

    model: str
    fault: str
    action: str
    family: str | None
    qty: int
    base_min: int


@table("fit", key=("family", "device_class", "part"), indexes=(("part",),))
@attrs.frozen
class Fit:
    """A part that fits devices of a class and some hardware revisions; it takes `derate_bp` off their rating."""

    family: str
    device_class: str
    part: str
    rev_lo: int
    rev_hi: int
    derate_bp: int


@table("batch", key=("batch",), indexes=(("part", "expiry_wave", "batch"),))
@attrs.frozen
class Batch:
    """Units of a part; `opening` = free + held + consumed + scrapped; `status` is released or quarantined."""

    batch: str
    part: str
    expiry_wave: int
    pack: int
    opening: int
    free: int
    held: int
    consumed: int
    scrapped: int
    status: str


@table("procedure", key=("device_class", "edition"))
@attrs.frozen
class Procedure:
    """How tests of a class are corrected and judged (R6); `bound` is the limit, `kind` min or max."""

    device_class: str
    edition: int
    coef_bp: int
    bound: int
    kind: str
