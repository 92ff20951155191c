"""A fault that is put right: a wrong map, found by a failed review, resubmitted and closed anew."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs

from skillhorizon import Client, Json, Sabotage
from skillhorizon_financeops.mutations.choices import below_overlay, resolved_through
from skillhorizon_financeops.mutations.places import normalizes, quiet_sales
from skillhorizon_financeops.plan import AccountReassigned, Plan
from skillhorizon_financeops.rows import Source

_FIRST_STAGE = 2


def wrong_map_repaired(plan: Plan) -> Sabotage | None:
    """Resolve a source through its base map; after its stage's review fails, submit it right and close anew."""
    stirred = {name for moved in plan.truth.moved.values() for name in moved} | {v.source_id for v in plan.views}
    for source in quiet_sales(plan):
        if source.source_id not in stirred and source.stage >= _FIRST_STAGE and _apart(plan, source):
            found = below_overlay(plan, source)
            if found is not None:
                return _Repair(plan, source, *found).sabotage()
    return None


def _apart(plan: Plan, source: Source) -> bool:
    """Whether no later remittance depends on a source, and no update ends what was resolved through its base map."""
    base = next(m for m in plan.facts.identity_maps if m.identity_source_id == source.identity_source_id)
    values = [update.value for update in plan.updates if isinstance(update, AccountReassigned)]
    ended = any(v.account in base.entries.values() and v.from_day <= source.day <= v.to_day for v in values)
    return not ended and (source.lockbox is None or source.stage == plan.stages)


@attrs.define
class _Repair:
    """What the fault and its repair remember of the run."""

    plan: Plan
    source: Source
    base: str
    entities: Mapping[str, str]
    right: list[Any] = attrs.Factory(list)
    said: dict[str, Json] = attrs.Factory(dict)
    closings: dict[int, dict[str, Json]] = attrs.Factory(dict)
    change: dict[str, int] = attrs.Factory(dict)
    repaired: bool = False

    def sabotage(self) -> Sabotage:
        """Return the interference."""
        return Sabotage(script=self.script, arguments=self.arguments, before=self.before, after=self.after)

    def script(self, name: str, data: Any, output: Any) -> Any:
        """Resolve the source's records through the base map, until repaired."""
        if self.repaired or not normalizes(name, data, self.source.source_id):
            return output
        self.right = output["records"]
        wrong = resolved_through(self.entities, output)
        self.change = _change(self.right, wrong["records"])
        return wrong

    def arguments(self, tool: str, said: dict[str, Json]) -> dict[str, Json]:
        """Submit the base map; once repaired, add to balances what the policy does not know of."""
        if tool == "submit_normalization" and said["source_id"] == self.source.source_id and not self.repaired:
            self.said = {**said, "records": self.right}
            return {**said, "identity_map_id": self.base}
        return self.adjusted(tool, said) if self.repaired else said

    def adjusted(self, tool: str, said: dict[str, Json]) -> dict[str, Json]:
        """Return arguments whose balances include the repair."""
        if tool == "publish_release":
            return {**said, "balances": self.plus(said["balances"])}
        if tool != "close_stage" or said["stage"] < self.source.stage:
            return said
        own = {"movement": self.plus(said["movement"])} if said["stage"] == self.source.stage else {}
        return {**said, "closing": self.plus(said["closing"]), **own}

    def plus(self, balances: Mapping[str, int]) -> dict[str, int]:
        """Return balances with the repair added."""
        return {entity: amount + self.change.get(entity, 0) for entity, amount in balances.items()}

    def after(self, _client: Client, tool: str, said: dict[str, Json]) -> None:
        """Remember each stage's latest closing."""
        if tool == "close_stage":
            self.closings[said["stage"]] = said

    def before(self, client: Client, tool: str, _said: dict[str, Json]) -> None:
        """Before the first review, have the source's stage reviewed, and repair what the review finds."""
        if tool != "review_stage" or self.repaired:
            return
        stage, source_id = self.source.stage, self.source.source_id
        names = [member.staff for member in self.plan.facts.staff]
        reviewer = next(name for name in names if name != self.closings[stage]["preparer"])
        client.call("review_stage", stage=stage, closure=client.need(f"CLS:{stage}"), reviewer=reviewer)
        client.call("submit_normalization", **self.said)
        totals = [list(total) for total in self.plan.truth.sources[source_id].totals]
        client.call("submit_aggregate", source_id=source_id, totals=totals)
        self.repaired = True
        for number in range(stage, self.plan.stages + 1):
            client.call("close_stage", **self.adjusted("close_stage", self.closings[number]))


def _change(right: list[Any], wrong: list[Any]) -> dict[str, int]:
    change: dict[str, int] = {}
    for sign, records in ((1, right), (-1, wrong)):
        for _, _, entity, minor in records:
            change[entity] = change.get(entity, 0) + sign * minor
    return change
