"""Tickets, reliefs and attestations (R11, R13): what is counted, what reopens, and how D4 judges it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import attrs
import pytest
from financeops_desk import Desk, world
from financeops_runs import begun

from skillhorizon import Client, Json, Sabotage
from skillhorizon_financeops.config import FinanceConfig
from skillhorizon_financeops.goals.duties import obligations
from skillhorizon_financeops.rows import Allowance, Obligation, Spending

if TYPE_CHECKING:
    from financeops_runs import Run

    from skillhorizon import World


@attrs.frozen
class Granted:
    """What D4 reads of a plan when no notice and no view is planned."""

    resources: Mapping[str, int]
    views: tuple[Any, ...] = ()
    updates: tuple[Any, ...] = ()


def attested(desk: Desk, **resources: int) -> bool:
    found = obligations(desk.world, Granted({"tickets": 0, "reviews": 0, **resources}))  # type: ignore[arg-type]  # a plan's part
    return found["attestations_true"]


def status(desk: Desk, name: str) -> str:
    found = desk.obligation(name)
    assert found is not None
    return found.status


def spend(desk: Desk, count: int) -> None:
    """Make as many further versions of the first source's normalization."""
    made = desk.world.ledger.last("NRM:S01-01")
    start = 0 if made is None else made.version
    for n in range(start, start + count):
        desk.normalize("S01-01", records=[["O010101", "K01", "E01", n]])


def attest(desk: Desk, name: str, *refs: str) -> None:
    desk.call("discharge_obligation", obligation_id=name, evidence=[[ref, []] for ref in refs])


@pytest.fixture
def relieved() -> Desk:
    """Return a clerk with two tickets at the start, who spent them and then took two reliefs one after the other."""
    desk = Desk(made=world(tickets=2, reliefs=3))
    spend(desk, 3)
    desk.call("request_relief", kind="revision")
    spend(desk, 3)
    desk.call("request_relief", kind="revision")
    return desk


def test_a_relief_j_covers_three_tickets_from_base_plus_3j_minus_2(relieved: Desk) -> None:
    attest(relieved, "attest:revision.1", *(f"NRM:S01-01@{n}" for n in (6, 5, 4)))
    attest(relieved, "attest:revision.2")
    assert attested(relieved, tickets=2)
    attest(relieved, "attest:revision.1", *(f"NRM:S01-01@{n}" for n in (3, 4, 5)))
    assert not attested(relieved, tickets=2)


def test_spending_reopens_the_attestation_of_the_relief_that_pays(relieved: Desk) -> None:
    attest(relieved, "attest:revision.1", *(f"NRM:S01-01@{n}" for n in (4, 5, 6)))
    attest(relieved, "attest:revision.2")
    spend(relieved, 1)
    assert (status(relieved, "attest:revision.1"), status(relieved, "attest:revision.2")) == ("discharged", "open")
    assert not attested(relieved, tickets=2)
    attest(relieved, "attest:revision.2", "NRM:S01-01@7")
    assert attested(relieved, tickets=2)


def test_a_reopened_attestation_is_discharged_anew_even_by_what_stood_before(relieved: Desk) -> None:
    attest(relieved, "attest:revision.2")
    spend(relieved, 1)
    attest(relieved, "attest:revision.2")
    assert status(relieved, "attest:revision.2") == "discharged"
    assert not attested(relieved, tickets=2)


def test_tickets_of_the_start_need_no_attestation() -> None:
    desk = Desk(made=world(tickets=2))
    spend(desk, 3)
    assert attested(desk, tickets=2)
    assert [each.version for each in desk.world.select(Spending)] == ["NRM:S01-01@2", "NRM:S01-01@3"]


def test_matches_aggregates_and_closings_cost_no_ticket() -> None:
    desk = Desk(made=world(tickets=0))
    desk.stage(1)
    on_account = [["Q010201", "E01", 4_950], ["Q010202", "E02", 1_000]]
    desk.call("submit_match", source_id="S01-02", lines=[], on_account=on_account)
    desk.aggregate("S01-02")
    desk.close(1)
    assert desk.world.get(Allowance, "tickets") == Allowance("tickets", 0, 0)


def test_evidence_with_a_unit_too_few_too_many_twice_or_with_amounts_is_untrue(relieved: Desk) -> None:
    right = [[f"NRM:S01-01@{n}", []] for n in (4, 5, 6)]
    attest(relieved, "attest:revision.2")
    amounts: list[Any] = [*right[:2], ["NRM:S01-01@6", [["E01", 1]]]]
    for evidence in (right[:2], [*right, ["NRM:S01-01@1", []]], [*right, right[0]], amounts):
        relieved.call("discharge_obligation", obligation_id="attest:revision.1", evidence=evidence)
        assert not attested(relieved, tickets=2)
    relieved.call("discharge_obligation", obligation_id="attest:revision.1", evidence=right)
    assert attested(relieved, tickets=2)


def test_a_review_relief_covers_each_reviewers_unit_after_the_start() -> None:
    desk = Desk(made=world(reviews=1, reliefs=2))
    for stage in (1, 2):
        desk.stage(stage)
    desk.review(1, "ST-2")
    desk.review(2, "ST-3")
    desk.close(2, preparer="ST-2")
    desk.review(2, "ST-1")
    desk.close(2, preparer="ST-1")
    desk.call("request_relief", kind="review", stage=2)
    attest(desk, "attest:review.1")
    assert attested(desk, reviews=1)
    desk.review(2, "ST-3")
    assert status(desk, "attest:review.1") == "open"
    attest(desk, "attest:review.1", "RVW:2@3")
    assert attested(desk, reviews=1)
    attest(desk, "attest:review.1", "RVW:2@1")
    assert not attested(desk, reviews=1)


def test_a_failed_review_spends_capacity_too() -> None:
    desk = Desk(made=world(reviews=1))
    desk.work("S01-02")
    desk.normalize("S01-01", conflict_policy="first")
    desk.aggregate("S01-01")
    desk.close(1)
    assert desk.observe("review_stage", stage=1, closure="CLS:1@1", reviewer="ST-2").outcome == "failed"
    assert [(each.holder, each.number, each.version) for each in desk.world.select(Spending)] == [
        ("ST-2", 1, "RVW:1@1")
    ]


class Frugal:
    """A team that starts without tickets: it asks for relief when there are none, and attests before the release."""

    def __init__(self, *, forgets: int = 0) -> None:
        self.forgets = forgets
        self.spent: list[str] = []

    def before(self, client: Client, tool: str, said: dict[str, Json]) -> None:
        status = client.call("get_release_status")
        if tool == "submit_normalization" and not status["tickets"]["left"]:
            client.call("request_relief", kind="revision")
        if tool == "publish_release":
            for j in range(1, status["reliefs"]["revision"]["spent"] + 1):
                evidence: list[Json] = [[ref, []] for ref in self.spent[3 * j - 3 : 3 * j]][self.forgets :]
                client.call("discharge_obligation", obligation_id=f"attest:revision.{j}", evidence=evidence)

    def after(self, client: Client, tool: str, said: dict[str, Json]) -> None:
        made = client.need(f"NRM:{said['source_id']}") if tool == "submit_normalization" else "@1"
        if not made.endswith("@1"):
            self.spent.append(made)

    @property
    def sabotage(self) -> Sabotage:
        return Sabotage(before=self.before, after=self.after)


def without_tickets() -> Run:
    run = begun(FinanceConfig("release-maintenance", "supersession", 4, 4), 2)
    run.world.update(Allowance, "tickets", granted=0)
    return attrs.evolve(run, plan=attrs.evolve(run.plan, resources={**run.plan.resources, "tickets": 0}))


def test_a_team_that_lives_on_reliefs_and_attests_them_delivers() -> None:
    run = without_tickets().finished(Frugal().sabotage)
    assert run.world.count(Obligation, kind="attest") == 1
    assert run.unmet() == {}


def test_a_forgotten_unit_loses_the_obligations_only() -> None:
    run = without_tickets().finished(Frugal(forgets=1).sabotage)
    assert run.unmet() == {"D4": ("attestations_true",)}


def discharged(world: World, name: str) -> bool:
    found = world.get(Obligation, name)
    return found is not None and found.status == "discharged"


def test_a_view_stays_discharged_when_the_closing_that_listed_it_ends() -> None:
    desk = Desk()
    desk.stage(1)
    desk.stage(2)
    desk.stage(3, views=[desk.view()])
    desk.close(1, preparer="ST-2")
    assert desk.world.ledger.current("CLS:3") is None
    assert discharged(desk.world, "view:S01-01.1/3")
    desk.close(2)
    desk.refused("VIEW_MISSING", "view:S01-01.1/3", "close_stage", **desk.rolled(3))
    made = desk.close(3, views=["VW:S01-01.1@1"])
    duty = desk.obligation("view:S01-01.1/3")
    assert duty is not None
    assert (duty.status, duty.evidence) == ("discharged", made["artifact"])
