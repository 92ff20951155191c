"""The reference policy against a small fake world: what it calls, in which order, and how it goes on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import attrs
import pytest

from skillhorizon import Refused, Skipped, Step
from skillhorizon.skills.library import load_library
from skillhorizon.skills.scripts import ScriptRunner
from skillhorizon_financeops.policy import steps
from skillhorizon_financeops.policy.closings import preparer
from skillhorizon_financeops.policy.desk import Desk
from skillhorizon_financeops.policy.release import free_reviewer

LIBRARY = load_library(Path(str(files("skillhorizon_financeops"))) / "skills")
ENTITIES = [f"E{n:02}" for n in range(1, 13)]
CODES = {"10": "sale", "20": "correction"}
MAKES = {
    "submit_normalization": "NRM:{source_id}",
    "submit_match": "MAT:{source_id}",
    "submit_aggregate": "AGG:{source_id}",
    "record_view": "VW:{source_id}.{basis_stage}",
    "close_stage": "CLS:{stage}",
    "review_stage": "RVW:{stage}",
    "publish_stage": "PUB:{stage}",
    "publish_release": "REL:release",
    "discharge_obligation": "{obligation_id}",
}
MAP_NOTICE = {
    "id": "N-01",
    "kind": "map_superseded",
    "clock": 0,
    "obligation": "restate:N-01",
    "identity_source_id": "ID-1",
    "map_id": "MP-1.1",
    "aliases": ["K01"],
    "from": 100,
    "to": 199,
}


def rows_of(columns: str, *rows: list[Any]) -> dict[str, Any]:
    return {"columns": columns.split(), "rows": list(rows), "next": None}


@attrs.define
class FakeWorld:
    """Two stages of one lockbox: in each a sales source (K01 and K02) and a remittance (K01) that may pay its items."""

    notices_at: dict[str, list[dict[str, Any]]] = attrs.field(factory=dict)
    views: dict[int, list[str]] = attrs.field(factory=dict)
    refuse: Callable[[str, dict[str, Any]], bool] = lambda tool, arguments: False
    calls: list[tuple[str, dict[str, Any]]] = attrs.field(factory=list)
    known: dict[str, Any] = attrs.field(factory=dict)
    versions: Counter[str] = attrs.field(factory=Counter)
    unread: list[dict[str, Any]] = attrs.field(factory=list)
    closed: set[int] = attrs.field(factory=set)
    fired: set[str] = attrs.field(factory=set)
    runner: ScriptRunner = attrs.field(factory=ScriptRunner)

    def call(self, tool: str, /, **arguments: Any) -> Any:
        self.calls.append((tool, arguments))
        if self.refuse(tool, arguments):
            raise Refused("rejected", "REFUSED", "the fake refuses it", {})
        if tool not in MAKES:
            return getattr(self, tool)(**arguments)
        name = MAKES[tool].format(**arguments)
        self.versions[name] += 1
        self.known[name] = f"{name}@{self.versions[name]}"
        if tool == "close_stage":
            self.closed.add(arguments["stage"])
        if name in self.notices_at and name not in self.fired:
            self.fired.add(name)
            self.unread += self.notices_at[name]
        return {"artifact": self.known[name]}

    def script(self, skill: str, script: str, data: Any) -> Any:
        self.calls.append((script, data))
        return self.runner.run(LIBRARY.skill(skill), script, data)

    def need(self, key: str) -> Any:
        if key not in self.known:
            raise Skipped(key)
        return self.known[key]

    def keep(self, key: str, value: Any) -> None:
        self.known[key] = value

    def notices(self) -> list[dict[str, Any]]:
        found, self.unread = self.unread, []
        return found

    def get_release_status(self) -> dict[str, Any]:
        stages = [[1, ["ID-1"]], [2, []]][: 1 + len(self.closed & {1})]
        open_stage = next((stage for stage in (1, 2) if stage not in self.closed), None)
        return {"stages": stages, "open_stage": open_stage, "opening": dict.fromkeys(ENTITIES, 0)}

    def list_staff(self) -> dict[str, Any]:
        return rows_of("staff granted left", *[[f"ST-{n}", 3, 3] for n in range(1, 6)])

    def list_contracts(self, format: str, day: int | None = None) -> dict[str, Any]:
        columns = "contract_id from to rank num den sign basis tax_bps codes disc_bps disc_days tol"
        return rows_of(columns, [f"CT-{format}.0", 0, 9999, 0, 1, 1, 1, "net", 0, CODES, 100, 90, 20])

    def list_accounts(self, account: str | None = None) -> dict[str, Any]:
        rows = [["AC-01", 0, 0, 9999, "E01"], ["AC-02", 0, 0, 9999, "E02"]]
        return rows_of("account rank from to entity", *[row for row in rows if account in (None, row[0])])

    def list_identity_maps(self, identity_source_id: str) -> dict[str, Any]:
        return rows_of("map_id from to rank entries", ["MP-1.0", 0, 9999, 0, 2])

    def get_identity_map(self, map_id: str) -> dict[str, Any]:
        overlay = map_id == "MP-1.1"
        entries = {"K01": "AC-02"} if overlay else {"K01": "AC-01", "K02": "AC-02"}
        dates = {"from": 100, "to": 199, "rank": 1} if overlay else {"from": 0, "to": 9999, "rank": 0}
        return {"map_id": map_id, "identity_source_id": "ID-1", **dates, "entries": entries}

    def list_packages(self, stage: int) -> dict[str, Any]:
        rows = [[f"S{stage:02}-01", "sales", 0, 0, 0], [f"S{stage:02}-02", "remittance", 0, 0, 0]]
        return rows_of("source_id kind NRM MAT AGG", *rows)

    def get_source(self, source_id: str) -> dict[str, Any]:
        stage, sales = int(source_id[1:3]), source_id.endswith("01")
        header = {"stage": stage, "kind": "sales" if sales else "remittance", "format": "FA" if sales else "FR"}
        number = source_id[1:].replace("-", "")
        rows: list[list[Any]] = [[f"O{number}1", 1, "10", "K01", 500, 1], [f"O{number}2", 1, "10", "K02", 70, 1]]
        columns = ["order", "rev", "code", "party", "amt", "added_version"]
        if not sales:
            columns.insert(5, "ref")
            rows = [[f"Q{number}1", 1, "10", "K01", 400, "", 1]]
        declared = {"identity_source_id": "ID-1", "conflict_policy": "first", "lockbox": "LB-01"}
        return {**header, **declared, "day": 100 * stage + 1, "columns": columns, "rows": rows}

    def list_open_items(self, lockbox: str, stage: int, entities: list[str]) -> dict[str, Any]:
        moved = self.versions["NRM:S01-01"] > 1
        items = [["O01011", "E02" if moved else "E01", 500, 500, 101, 251]] if stage == 2 else []
        return rows_of("item entity amount open day due", *[item for item in items if item[1] in entities])

    def list_obligations(self, due_stage: int) -> dict[str, Any]:
        rows = [[f"view:{subject}/{due_stage}", "view", due_stage, "open"] for subject in self.views.get(due_stage, [])]
        return rows_of("obligation_id kind due_stage status", *rows)


def none(module: str) -> int:
    return 0


def drive(world: FakeWorld, *, skip: Callable[[Step], bool] = lambda step: False) -> list[str]:
    """Run the policy, going on after refusals; return the steps in order, marked when refused."""
    trace = []
    for step in steps(world, {}, none):
        if skip(step):
            continue
        name = step.module + (f"/{step.update}" if step.update else "")
        try:
            step.run()
        except (Refused, Skipped):
            name += " refused"
        trace.append(name)
    return trace


def tools(world: FakeWorld) -> Iterator[str]:
    return (tool for tool, _ in world.calls)


PLAIN = [
    *["package:S01-01", "package:S01-02", "closure:1", "package:S02-01", "package:S02-02", "closure:2"],
    *["release", "release", "release"],
]


def test_without_notices_the_stages_come_in_order_and_then_the_release() -> None:
    assert drive(FakeWorld()) == PLAIN


def test_a_sales_package_takes_four_business_calls_and_a_remittance_six() -> None:
    world = FakeWorld()
    drive(world)
    counted = Counter(tools(world))
    assert [counted[name] for name in ("normalize.py", "submit_normalization")] == [4, 4]
    assert [counted[name] for name in ("match.py", "submit_match", "aggregate.py", "submit_aggregate")] == [2, 2, 4, 4]
    assert [counted[name] for name in ("roll.py", "close_stage", "review_stage", "publish_stage")] == [2, 2, 2, 2]
    assert counted["publish_release"] == 1
    assert counted["get_source"] == 4


def test_a_notice_is_assessed_remade_discharged_and_closed_again_under_its_own_name() -> None:
    world = FakeWorld(notices_at={"CLS:2": [MAP_NOTICE]})
    assert drive(world) == [
        *PLAIN[:6],
        "restatement:N-01/N-01",
        "package:S01-01/N-01",
        "package:S01-02/N-01",
        "package:S02-02/N-01",
        "restatement:N-01/N-01",
        "closure:1/N-01",
        "closure:2/N-01",
        *PLAIN[6:],
    ]


def test_a_remittance_moved_through_open_items_is_matched_again_without_a_new_normalisation() -> None:
    world = FakeWorld(notices_at={"CLS:2": [MAP_NOTICE]})
    drive(world)
    assert world.versions["NRM:S02-02"] == 1
    assert world.versions["MAT:S02-02"] == world.versions["AGG:S02-02"] == 2


def test_evidence_names_the_reached_sources_and_not_the_moved_ones() -> None:
    world = FakeWorld(notices_at={"CLS:2": [MAP_NOTICE]})
    drive(world)
    (evidence,) = [arguments["evidence"] for tool, arguments in world.calls if tool == "discharge_obligation"]
    assert evidence == [
        ["AGG:S01-01@2", [["E01", -500], ["E02", 500]]],
        ["AGG:S01-02@2", [["E01", 400], ["E02", -400]]],
    ]


def test_a_notice_that_reaches_nothing_is_discharged_with_empty_evidence() -> None:
    world = FakeWorld(notices_at={"CLS:2": [MAP_NOTICE | {"from": 300, "to": 310, "aliases": ["K02"]}]})
    assert drive(world) == [*PLAIN[:6], "restatement:N-01/N-01", "restatement:N-01/N-01", *PLAIN[6:]]
    assert {"evidence": [], "obligation_id": "restate:N-01"} in [arguments for _, arguments in world.calls]


class OneOrderOfTwoAliases(FakeWorld):
    """A sales source has one order, of K01 by its first row, which counts, and of K02 by its second."""

    def get_source(self, source_id: str) -> dict[str, Any]:
        answer = super().get_source(source_id)
        order, *_ = answer["rows"][0]
        if answer["kind"] == "sales":
            answer["rows"][1] = [order, 2, "20", "K02", 70, 1]
        return answer


def test_a_notice_on_an_alias_that_no_record_uses_reaches_nothing() -> None:
    world = OneOrderOfTwoAliases(notices_at={"CLS:2": [MAP_NOTICE | {"aliases": ["K02"]}]})
    assert drive(world) == [*PLAIN[:6], "restatement:N-01/N-01", "restatement:N-01/N-01", *PLAIN[6:]]
    packages = [each for tool, data in world.calls if tool == "impact.py" for each in data["packages"]]
    assert [each["citations"] for each in packages] == [[["K01", "MP-1.0", "AC-01", 0]]] * 2


def test_a_notice_after_the_release_is_worked_off_and_released_again() -> None:
    world = FakeWorld(notices_at={"REL:release": [MAP_NOTICE]})
    assert drive(world)[-5:] == ["closure:1/N-01", "closure:2/N-01", *["release/N-01"] * 3]
    assert world.versions["REL:release"] == 2
    assert world.versions["RVW:1"] == world.versions["PUB:2"] == 2


def test_a_view_shows_what_its_basis_stage_first_reported() -> None:
    world = FakeWorld(notices_at={"CLS:1": [MAP_NOTICE]}, views={2: ["S01-01.1"]})
    trace = drive(world)
    (view,) = [arguments for tool, arguments in world.calls if tool == "record_view"]
    assert view["aggregate"] == "AGG:S01-01@1"
    assert view["totals"] == [["E01", 1, 500], ["E02", 1, 70]]
    assert trace.index("view:S01-01.1") < trace.index("closure:2")


def test_a_view_that_a_remake_opened_carries_the_notice() -> None:
    world = FakeWorld(notices_at={"CLS:1": [MAP_NOTICE]})

    def open_view(tool: str, arguments: dict[str, Any]) -> bool:
        if tool == "submit_normalization" and world.versions["NRM:S01-01"]:
            world.views = {2: ["S01-01.1"]}
        return False

    world.refuse = lambda tool, arguments: (
        open_view(tool, arguments) if arguments.get("source_id") == "S01-01" else False
    )
    assert "view:S01-01.1/N-01" in drive(world)


def test_a_stage_that_does_not_open_leads_to_the_reviews() -> None:
    world = FakeWorld()
    trace = drive(world, skip=lambda step: step.module == "package:S01-02")
    assert trace == ["package:S01-01", "closure:1 refused", *["release refused"] * 3]


def test_a_package_refused_on_the_way_is_read_afresh_when_run_again() -> None:
    world = FakeWorld()
    once = iter([True])
    world.refuse = lambda tool, arguments: tool == "submit_normalization" and next(once, False)
    step = next(steps(world, {}, none))
    with pytest.raises(Refused):
        step.run()
    step.run()
    assert Counter(tools(world))["get_source"] == 2


def test_preferred_packages_come_first() -> None:
    agenda = steps(FakeWorld(), {}, lambda module: -1 if module == "package:S01-02" else 0)
    assert next(agenda).module == "package:S01-02"


@pytest.mark.parametrize("stages", [4, 24, 96])
def test_reviewers_without_a_conflict_suffice_at_the_smallest_capacity(stages: int) -> None:
    desk = Desk(FakeWorld())
    desk.staff = {f"ST-{n}": -(-stages // 5) + 1 for n in range(1, 6)}
    for stage in range(1, stages + 1):
        reviewer = free_reviewer(desk, stage)
        assert reviewer not in (preparer(desk, stage), desk.reviewed.get(stage - 1, ("", ""))[1])
        desk.staff[reviewer] -= 1
        desk.client.keep(f"CLS:{stage}", f"CLS:{stage}@1")
        desk.reviewed[stage] = (f"CLS:{stage}@1", reviewer)
