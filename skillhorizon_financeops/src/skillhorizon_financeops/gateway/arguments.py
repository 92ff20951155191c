"""The arguments of the tools: ids, version references, and rows that travel as JSON arrays."""

from __future__ import annotations

from typing import Annotated, Literal

from skillhorizon import Columns, Items, Number, Text

SourceId = Annotated[str, Text(max=16, ref="source", doc="such as S03-07")]
ContractId = Annotated[str, Text(max=16, ref="contract", doc="such as FB-3")]
IdentitySourceId = Annotated[str, Text(max=16, ref="identity_source", doc="such as ID-4")]
MapId = Annotated[str, Text(max=16, ref="identity_map", doc="such as MP-4.1")]
AccountId = Annotated[str, Text(max=16, ref="account", doc="such as AC-17")]
EntityId = Annotated[str, Text(max=8, ref="entity", doc="E01 to E12")]
StaffId = Annotated[str, Text(max=16, ref="staff", doc="such as ST-2")]
Lockbox = Annotated[str, Text(max=16, ref="lockbox", doc="such as LB-03")]
ObligationId = Annotated[str, Text(max=40, ref="obligation", doc="such as restate:N-03")]
AggregateRef = Annotated[str, Text(max=40, ref="aggregate", doc="a version such as AGG:S03-07@1")]
ViewRef = Annotated[str, Text(max=40, ref="view", doc="a version such as VW:S03-07.4@1")]
ClosureRef = Annotated[str, Text(max=40, ref="closure", doc="a version such as CLS:3@1")]
ReviewRef = Annotated[str, Text(max=40, ref="review", doc="a version such as RVW:3@1")]
VersionRef = Annotated[str, Text(max=40, ref="artifact", doc="a version such as AGG:S03-07@2")]
StageNumber = Annotated[int, Number(low=1, high=9999, doc="a stage, from 1")]
Day = Annotated[int, Number(low=0, high=999_999, doc="a business day")]
Order = Annotated[str, Text(max=12, ref="order")]
Item = Annotated[str, Text(max=12, ref="item")]
Minor = Annotated[int, Number(low=0, doc="minor units")]

SourceKind = Literal["sales", "remittance"]
Format = Literal["FA", "FB", "FC", "FD", "FR"]
Policy = Literal["first", "latest_revision"]
ReliefKind = Literal["revision", "review"]
ShownStatus = Literal["open", "discharged"]


Record = Annotated[
    tuple[Order, Annotated[str, Text(max=8, ref="alias")], EntityId, int],
    Columns("order", "alias", "entity", "minor"),
]
"""One included order of a source."""
Line = Annotated[
    tuple[Order, Item, Minor, Minor, Minor],
    Columns("pay", "item", "applied", "discount", "writeoff"),
]
"""What one payment settles of one item, in minor units; all three together are what it takes off the item."""
OnAccount = Annotated[tuple[Order, EntityId, Minor], Columns("pay", "entity", "amount")]
"""What of a payment no item took, in minor units."""
Total = Annotated[tuple[EntityId, Annotated[int, Number(low=0)], int], Columns("entity", "count", "net")]
"""An entity's records and their net in minor units."""
Change = Annotated[tuple[EntityId, int], Columns("entity", "change")]
"""By how much an entity's net changed, in minor units."""
Evidence = Annotated[
    tuple[VersionRef, Annotated[list[Change], Items(max=12, unordered=True)]],
    Columns("version", "changes"),
]
"""A version and the changes that it stands for; none for an attestation."""

Records = Annotated[list[Record], Items(max=40, unordered=True)]
Lines = Annotated[list[Line], Items(max=100, unordered=True)]
OnAccounts = Annotated[list[OnAccount], Items(max=40, unordered=True)]
Totals = Annotated[list[Total], Items(max=12, unordered=True)]
Views = Annotated[list[ViewRef], Items(max=60, unordered=True)]
Balances = Annotated[dict[str, int], Items(max=12, doc="minor units of all twelve entities")]
EvidenceRows = Annotated[list[Evidence], Items(max=60, unordered=True)]
Entities = Annotated[list[EntityId], Items(max=12)]
