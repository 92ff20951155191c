"""The arguments of the tools: ids, version references, and what lists hold."""

from __future__ import annotations

from typing import Annotated, Literal

from skillhorizon import Items, Number, Text

PAGE = 60
"""The most rows on a page, and how many there are unless fewer are asked for."""
Rows = Annotated[int, Number(low=1, high=PAGE, doc="rows a page, at most 60")]

BriefId = Annotated[str, Text(max=16, ref="brief", doc="such as b-02-01")]
PostId = Annotated[str, Text(max=16, ref="post", doc="such as p-02-01-a")]
AssetId = Annotated[str, Text(max=16, ref="asset", doc="such as as012")]
AudienceId = Annotated[str, Text(max=16, ref="audience", doc="such as au07")]
ChannelId = Annotated[str, Text(max=16, ref="channel", doc="such as ch03")]
CampaignId = Annotated[str, Text(max=16, ref="campaign", doc="such as cm041")]
NoticeId = Annotated[str, Text(max=16, ref="notice", doc="such as N-03")]
SourceId = Annotated[str, Text(max=16, ref="publication", doc="a published post, house posts included")]
Basis = Annotated[str, Text(max=40, ref="basis", doc="`brief`, or a version such as rp:b-01-01@1 or pk:b-02-01.a@1")]
PackageRef = Annotated[str, Text(max=40, ref="package", doc="a version such as pk:b-02-01.a@1")]
PlanRef = Annotated[str, Text(max=40, ref="plan", doc="a version such as ap:b-02-01@1")]
ExperimentRef = Annotated[str, Text(max=40, ref="experiment", doc="a version such as ex:b-02-01@1")]
CreditRef = Annotated[str, Text(max=40, ref="credit", doc="a version such as cr:b-02-01@1")]
ReportRef = Annotated[str, Text(max=40, ref="report", doc="a version such as rp:b-02-01@1")]

Role = Literal["visual", "copy"]
Locale = Annotated[str, Text(max=8, doc="such as de")]
Format = Annotated[str, Text(max=16, doc="such as video")]
Angle = Annotated[str, Text(max=16, doc="such as proof")]
AssetStatus = Literal["active", "retired", "withdrawn"]
WaveState = Literal["unopened", "open", "closed"]
Arm = Literal["a", "b"]
Winner = Literal["control", "test"]
WaveNumber = Annotated[int, Number(low=1, high=9_999, doc="a wave, from 1")]
Minute = Annotated[int, Number(low=-1_000_000_000, high=1_000_000_000, doc="a minute of the clock")]
Users = Annotated[int, Number(low=0, high=1_000_000_000, doc="users")]
Count = Annotated[int, Number(low=0, high=1_000_000, doc="orders")]
Value = Annotated[int, Number(low=0, high=1_000_000_000_000, doc="minor units")]
Version = Annotated[int, Number(low=1, high=9_999, doc="of the brief's feed")]
Rate = Annotated[int, Number(low=0, high=1_000_000_000_000, doc="conversions per million users")]

Audiences = Annotated[list[AudienceId], Items(min=1, max=10)]
OwnAudiences = Annotated[list[AudienceId], Items(max=10, doc="the brief's own, ascending")]
Credits = Annotated[list[CreditRef], Items(max=10, doc="of the brief's suppress rows, in row order")]
Lineage = Annotated[list[SourceId], Items(max=400, doc="row after row, one entry for each publication (R4)")]
Sources = Annotated[list[SourceId], Items(max=400, doc="audience after audience, one entry for each publication (R5)")]
Loads = Annotated[dict[str, int], Items(max=10, doc="audience -> decayed load (R5)")]
Affected = Annotated[list[BriefId], Items(max=400, unordered=True)]
