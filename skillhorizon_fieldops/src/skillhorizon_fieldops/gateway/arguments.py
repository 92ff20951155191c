"""The arguments of the tools: ids, version references, and what lists hold."""

from __future__ import annotations

from typing import Annotated, Literal

import attrs

from skillhorizon import Columns, Items, Number, Text

DeviceId = Annotated[str, Text(max=16, ref="device", doc="such as D027")]
ZoneId = Annotated[str, Text(max=16, ref="zone", doc="such as Z014")]
ServiceId = Annotated[str, Text(max=16, ref="service", doc="such as S012")]
SectionId = Annotated[str, Text(max=16, ref="section", doc="such as A03")]
CrewId = Annotated[str, Text(max=16, ref="crew", doc="such as C07")]
PartId = Annotated[str, Text(max=16, ref="part", doc="such as PT05")]
BatchId = Annotated[str, Text(max=24, ref="batch", doc="such as B031")]
ModelId = Annotated[str, Text(max=16, ref="model", doc="such as M3")]
ManualEdition = Annotated[str, Text(max=16, ref="manual", doc="an edition such as M3-2")]
FaultId = Annotated[str, Text(max=16, ref="fault", doc="such as F2")]
PointId = Annotated[str, Text(max=16, ref="point")]
Job = Annotated[str, Text(max=24, ref="job", doc="zone.class such as Z014.head, or a rework device")]
CauseRef = Annotated[str, Text(max=40, ref="cause", doc="the DGN, or the failing CRT, such as DGN:D027@1")]
PermitRef = Annotated[str, Text(max=40, ref="permit", doc="a version such as PRM:Z014@1")]
BookingRef = Annotated[str, Text(max=40, ref="booking", doc="a version such as BKG:Z014.head@1")]
ReservationRef = Annotated[str, Text(max=40, ref="reservation", doc="a version such as RSV:D027@1")]
TestRef = Annotated[str, Text(max=40, ref="test", doc="a version such as TST:D027@1")]
CertificateRef = Annotated[str, Text(max=40, ref="certificate", doc="a version such as CRT:D027@1")]
CommissionRef = Annotated[str, Text(max=40, ref="commission", doc="a version such as COM:S012@1")]
SectionRef = Annotated[str, Text(max=40, ref="acceptance", doc="a version such as SEC:A03@1")]
AccountRef = Annotated[str, Text(max=40, ref="account", doc="a version such as ACC:3@1")]

WaveNumber = Annotated[int, Number(low=1, high=9_999, doc="a wave, from 1; the one after the last is the sweep")]
Block = Literal["E", "L"]
DeviceClass = Literal["head", "mid", "edge"]
DeviceStatus = Literal["rework", "open", "worked", "tested", "certified"]
ServiceStatus = Literal["open", "current"]
LedgerPart = Literal["parts", "crews"]
Verdict = Literal["pass", "fail"]
Units = Annotated[int, Number(low=0, high=1_000_000, doc="units")]
Minutes = Annotated[int, Number(low=1, high=1_000_000, doc="minutes")]
TotalMinutes = Annotated[int, Number(low=0, high=1_000_000_000, doc="minutes")]
EditionNumber = Annotated[int, Number(low=1, high=9_999, doc="a procedure's edition")]


@attrs.frozen
class Diagnosis:
    """The fault that an edition of the manual gives a device."""

    device: DeviceId
    edition: ManualEdition
    fault: FaultId


@attrs.frozen
class Line:
    """The batch and the quantity of a device's reservation."""

    device: DeviceId
    batch: BatchId
    qty: Annotated[int, Number(low=1, high=1_000_000, doc="units, as the card says")]


@attrs.frozen
class Settlement:
    """Where the rest of a device's reservation went."""

    device: DeviceId
    returned: Units
    scrapped: Units


@attrs.frozen
class Result:
    """What a device's test says under an edition of its class's procedure."""

    device: DeviceId
    test: TestRef
    edition: EditionNumber
    value: int
    verdict: Verdict


@attrs.frozen
class CrewBlockName:
    """A crew's block of a wave."""

    crew: CrewId
    wave: WaveNumber
    block: Block


Parts = Annotated[list[PartId], Items(min=1, max=4)]
Diagnoses = Annotated[list[Diagnosis], Items(min=1, max=12)]
Lines = Annotated[list[Line], Items(min=1, max=12, doc="in the order in which they are served")]
Settlements = Annotated[list[Settlement], Items(min=1, max=12)]
Results = Annotated[list[Result], Items(min=1, max=12)]
Devices = Annotated[list[DeviceId], Items(min=1, max=12, unordered=True)]
Points = Annotated[list[PointId], Items(max=60, unordered=True)]
Certificates = Annotated[list[CertificateRef], Items(max=20, unordered=True)]
Needs = Annotated[list[CommissionRef], Items(max=20, unordered=True)]
Commissions = Annotated[list[CommissionRef], Items(max=20, unordered=True)]
Sections = Annotated[list[SectionRef], Items(max=400, unordered=True)]
Accounts = Annotated[list[AccountRef], Items(max=400, unordered=True)]
AccountLine = Annotated[
    tuple[PartId, Units, Units, Units, Units], Columns("part", "issued", "consumed", "returned", "scrapped")
]
"""A part's units in a wave."""
AccountLines = Annotated[list[AccountLine], Items(max=60, unordered=True)]
