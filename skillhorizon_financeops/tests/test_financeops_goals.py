"""The checker: what holds at the start, after the reference run, and after single edits of its world."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import attrs
import pytest
from financeops_runs import begun, finished

from skillhorizon import dumps, loads
from skillhorizon_financeops.config import FAMILIES, FinanceConfig
from skillhorizon_financeops.rows import Contract, Obligation, Source

if TYPE_CHECKING:
    from financeops_runs import Run

    from skillhorizon import World

CELLS = [(family, variant) for family, variants in FAMILIES.items() for variant in variants]
CASH = FinanceConfig("receivables-reconciliation", "referenced", 6, 6)


@pytest.fixture(scope="module")
def run() -> Run:
    return finished(CASH, 5)


def rewritten(world: World, artifact: str, **fields: object) -> None:
    """Put other fields into the content of an artifact's valid version."""
    found = world.ledger.last(artifact)
    assert found is not None
    text = dumps({**found.content, **fields})
    world.sql("UPDATE artifact SET content_text = ? WHERE id = ? AND version = ?", text, found.id, found.version)


def discharged(duty: str, evidence: object, world: World) -> None:
    world.update(Obligation, duty, status="discharged", evidence=evidence)


def reopened(duty: str, world: World) -> None:
    world.update(Obligation, duty, status="open")


@pytest.mark.parametrize(("family", "variant"), CELLS)
def test_the_reference_meets_everything(family: str, variant: str) -> None:
    assert finished(FinanceConfig(family, variant, 4, 4), 1).unmet() == {}


@pytest.mark.parametrize("updates", ["none", "more"])
def test_the_reference_meets_everything_with_other_updates(updates: str) -> None:
    assert finished(FinanceConfig("release-maintenance", "amendment", 6, 4, updates=updates), 2).unmet() == {}


@pytest.mark.parametrize("updates", ["none", "default"])
def test_nothing_but_the_invariant_holds_at_the_start(updates: str) -> None:
    report = begun(attrs.evolve(CASH, updates=updates), 5).report()
    conditions = [each.conditions for each in (*report.goals, *report.requirements) if each.id != "D5"]
    assert not [name for named in conditions for name, holds in named.items() if holds]
    assert report.requirements[-1].met


def test_checking_writes_nothing(run: Run) -> None:
    before = run.world.digest()
    run.report()
    assert run.world.digest() == before


def test_findings_stand_in_the_plans_order(run: Run) -> None:
    report = run.report()
    assert [each.id for each in report.goals] == [goal.id for goal in run.plan.goals]
    assert [each.id for each in report.requirements] == [each.id for each in run.plan.requirements]


def test_a_record_off_by_one_is_untrue(run: Run) -> None:
    truth = run.plan.truth.sources["S02-01"]
    order, alias, entity, minor = truth.records[0]
    wrong = [[order, alias, entity, minor + 1], *map(list, truth.records[1:])]
    unmet = run.after(lambda world: rewritten(world, "NRM:S02-01", records=wrong))
    assert unmet == {"source:S02-01": ("records_true",)}


@pytest.mark.parametrize(
    ("artifact", "field", "value", "condition"),
    [
        ("NRM:S02-01", "contract_id", "CT-FA.9", "contract_true"),
        ("NRM:S02-01", "identity_source_id", "ID-9", "identity_source_true"),
        ("NRM:S02-01", "conflict_policy", "last", "policy_true"),
        ("AGG:S02-01", "totals", [], "totals_true"),
        ("MAT:S02-02", "lines", [["Q020299", "O010101", 1, 0, 0]], "lines_true"),
        ("MAT:S02-02", "on_account", [["Q020299", "E01", 1]], "on_account_true"),
    ],
)
def test_each_part_of_a_package_is_judged_by_itself(
    run: Run, artifact: str, field: str, value: object, condition: str
) -> None:
    unmet = run.after(lambda world: rewritten(world, artifact, **{field: value}))
    assert unmet == {f"source:{artifact[4:]}": (condition,)}


def test_what_is_no_list_is_no_empty_list_of_rows(run: Run) -> None:
    paid = next(name for name, truth in run.plan.truth.sources.items() if truth.on_account == ())
    others: tuple[object, ...] = ({}, "", None)
    for empty in others:
        unmet = run.after(partial(rewritten, artifact=f"MAT:{paid}", on_account=empty))
        assert unmet == {f"source:{paid}": ("on_account_true",)}


@pytest.mark.parametrize("rows", [1, True, "rows", {"a": 1}, [7], [[]], [["a"], 3, None]])
def test_rows_of_any_other_form_are_untrue(run: Run, rows: object) -> None:
    unmet = run.after(lambda world: rewritten(world, "NRM:S02-01", records=rows))
    assert unmet == {"source:S02-01": ("records_true",)}


@pytest.mark.parametrize("kind", ["NRM", "MAT", "AGG"])
@pytest.mark.parametrize("text", ["null", "[]", "{}", "0", '""'])
def test_a_package_without_content_is_untrue(run: Run, kind: str, text: str) -> None:
    edit = "UPDATE artifact SET content_text = ? WHERE id = ? AND ended IS NULL"
    unmet = run.after(lambda world: world.sql(edit, text, f"{kind}:S02-02"))
    conditions = unmet.pop("source:S02-02")
    assert unmet == {}
    assert {"NRM": "records_true", "MAT": "lines_true", "AGG": "totals_true"}[kind] in conditions


def test_rows_compare_as_multisets(run: Run) -> None:
    turned = [list(row) for row in reversed(run.plan.truth.sources["S02-01"].records)]
    assert run.after(lambda world: rewritten(world, "NRM:S02-01", records=turned)) == {}


def test_a_map_is_judged_through_the_citations_it_yields(run: Run) -> None:
    (entries,) = run.world.sql("SELECT entries FROM citation WHERE source_id = 'S02-01' ORDER BY version DESC LIMIT 1")
    alias, _, *rest = loads(entries[0])[0]
    other = dumps([[alias, "MP-9.0", *rest], *loads(entries[0])[1:]])
    unmet = run.after(lambda w: w.sql("UPDATE citation SET entries = ? WHERE source_id = 'S02-01'", other))
    assert unmet == {"source:S02-01": ("citations_true",)}


def test_an_aggregate_that_its_closure_does_not_cite_leaves_the_goal_unmet(run: Run) -> None:
    unmet = run.after(lambda w: w.sql("DELETE FROM cite WHERE ref = 'AGG:S02-01' AND id = 'CLS:2'"))
    assert unmet == {"source:S02-01": ("closed_with_aggregate",)}


def test_a_view_with_todays_totals_loses_its_source_only(run: Run) -> None:
    truth = run.plan.truth
    view = next(v for v in run.plan.views if truth.views[v.subject] != truth.sources[v.source_id].totals)
    totals = [list(total) for total in truth.sources[view.source_id].totals]
    unmet = run.after(lambda w: rewritten(w, f"VW:{view.subject}", totals=totals))
    assert unmet == {f"source:{view.source_id}": (f"view_true:{view.subject}",)}


def test_balances_are_judged_per_stage(run: Run) -> None:
    closing = {**run.plan.truth.closing[2], "E01": 0}
    assert run.after(lambda w: rewritten(w, "CLS:2", closing=closing)) == {"D1": ("closings_true",)}
    movement = {**run.plan.truth.movement[2], "E01": 1}
    assert run.after(lambda w: rewritten(w, "CLS:2", movement=movement)) == {"D1": ("movements_true",)}
    assert run.after(lambda w: rewritten(w, "REL:release", balances=closing)) == {"D3": ("balances_true",)}


def test_a_finding_leaves_the_review_unmet(run: Run) -> None:
    unmet = run.after(lambda w: rewritten(w, "RVW:3", findings=[["S03-01", "F1"]]))
    assert unmet == {"D2": ("no_findings",)}


def test_evidence_of_a_restatement_is_exact(run: Run) -> None:
    update = run.plan.updates[0]
    held = run.world.get(Obligation, update.obligation_id)
    assert held is not None
    near = [f"AGG:{run.plan.truth.near[update.id][0]}@1", []]
    for evidence in ([*held.evidence, near], held.evidence[1:], held.evidence * 2):
        unmet = run.after(partial(discharged, held.obligation_id, evidence))
        assert unmet == {"D4": ("restatements_true", "attestations_true")}


def test_an_open_view_or_restatement_leaves_duties_unmet(run: Run) -> None:
    for duty in (run.plan.views[0].obligation_id, run.plan.updates[0].obligation_id):
        unmet = run.after(partial(reopened, duty))
        assert unmet.keys() == {"D4"}


def test_an_attestation_lists_what_spent_its_relief(run: Run) -> None:
    def granted(world: World, evidence: object) -> None:
        world.insert(Obligation("attest:revision.1", "attest", None, "discharged", evidence))

    assert run.after(lambda w: granted(w, [])) == {}
    assert run.after(lambda w: granted(w, [["NRM:S01-01@2", []]])) == {"D4": ("attestations_true",)}
    poorer = attrs.evolve(run, plan=attrs.evolve(run.plan, resources={**run.plan.resources, "tickets": 0}))
    spent = [f"{name}@{n}" for name, n in run.world.sql(
        "SELECT id, version FROM artifact WHERE kind = 'NRM' AND version > 1 ORDER BY made LIMIT 3"
    )]  # fmt: skip
    assert poorer.after(lambda w: granted(w, [[ref, []] for ref in reversed(spent)])) == {}


def test_an_open_attestation_leaves_duties_unmet(run: Run) -> None:
    duty = Obligation("attest:review.1", "attest", None, "open", None)
    assert run.after(lambda w: w.insert(duty)) == {"D4": ("attestations_true",)}


def test_tables_hold_the_seed_and_fired_notices_only(run: Run) -> None:
    contract = run.plan.facts.contracts[0]
    assert run.after(lambda w: w.update(Contract, contract.contract_id, num=7)) == {"D5": ("tables_kept",)}
    assert run.after(lambda w: w.update(Source, "S01-01", version=9)) == {"D5": ("tables_kept",)}
    edit = "UPDATE source_row SET cells = '[]' WHERE source_id = 'S01-01' AND pos = 1"
    assert run.after(lambda w: w.sql(edit)) == {"D5": ("rows_kept",)}


def test_nothing_may_be_built_on_what_had_ended(run: Run) -> None:
    outdate = "UPDATE artifact SET ended = 1, made = 0 WHERE id = 'RVW:1' AND version = 1"
    assert "inputs_current" in run.after(lambda w: w.sql(outdate))["D5"]


def test_a_notice_that_has_not_fired_leaves_the_release_unmet(run: Run) -> None:
    last = run.plan.updates[-1].id
    assert "notices_fired" in run.after(lambda w: w.sql("DELETE FROM notice WHERE id = ?", last))["D3"]


CHOICES = ("records_true", "contract_true", "identity_source_true", "policy_true", "citations_true")
ENDED: list[tuple[str, str, tuple[str, ...]]] = [
    ("NRM:S02-01", "source:S02-01", ("normalization_valid", *CHOICES)),
    ("MAT:S02-02", "source:S02-02", ("match_valid", "lines_true", "on_account_true")),
    ("AGG:S02-01", "source:S02-01", ("aggregate_valid", "totals_true", "closed_with_aggregate")),
    ("CLS:2", "source:S02-01", ("stage_closed", "closed_with_aggregate")),
    ("CLS:2", "D1", ("closures_valid", "movements_true", "closings_true")),
    ("RVW:2", "D2", ("reviews_valid", "no_findings")),
    ("PUB:2", "D3", ("stages_published",)),
    ("REL:release", "D3", ("release_valid", "balances_true")),
]


@pytest.mark.parametrize(("artifact", "judged", "conditions"), ENDED)
def test_what_has_ended_holds_no_longer(run: Run, artifact: str, judged: str, conditions: tuple[str, ...]) -> None:
    end = "UPDATE artifact SET ended = 999999, ended_as = 'stale' WHERE id = ? AND ended IS NULL"
    unmet = run.after(lambda w: w.sql(end, artifact))[judged]
    assert tuple(name for name in unmet if not name.startswith("view_closed")) == conditions


def test_a_view_that_its_closure_does_not_cite_leaves_the_goal_unmet(run: Run) -> None:
    view = run.plan.views[0]
    sever = "DELETE FROM cite WHERE ref = ? AND id = ?"
    unmet = run.after(lambda w: w.sql(sever, f"VW:{view.subject}", f"CLS:{view.due}"))
    assert unmet == {f"source:{view.source_id}": (f"view_closed:{view.subject}/{view.due}",)}


def test_a_view_is_judged_by_its_latest_version(run: Run) -> None:
    view = run.plan.views[0]
    again = """INSERT INTO artifact SELECT id, version + 1, kind, subject, period, args_text, '{"totals": []}', made,
        clock, ended, ended_as, cause FROM artifact WHERE id = ? ORDER BY version DESC LIMIT 1"""
    unmet = run.after(lambda w: w.sql(again, f"VW:{view.subject}"))
    names = (f"view_true:{view.subject}", f"view_closed:{view.subject}/{view.due}")
    assert unmet == {f"source:{view.source_id}": names}


@pytest.mark.parametrize(
    "edit",
    [
        "UPDATE entity SET opening = opening + 1 WHERE entity = 'E01'",
        "UPDATE identity_source SET released_stage = 2 WHERE identity_source_id = 'ID-1'",
        "UPDATE identity_map SET rank = 9 WHERE map_id = 'MP-1.0'",
        "UPDATE account_value SET entity = 'E99' WHERE account = 'AC-01' AND rank = 0",
        "UPDATE opening_item SET amount = amount + 1 WHERE item = 'O000101'",
        "UPDATE contract SET tol = 99 WHERE contract_id = 'CT-FR.0'",
        "DELETE FROM source WHERE source_id = 'S06-05'",
    ],
)
def test_every_table_of_sources_and_reference_data_is_kept(run: Run, edit: str) -> None:
    assert run.after(lambda w: w.sql(edit)) == {"D5": ("tables_kept",)}


@pytest.mark.parametrize(
    "edit",
    [
        "UPDATE source_row SET added_version = 9 WHERE source_id = 'S01-01' AND pos = 1",
        "UPDATE source_row SET pos = 999 WHERE source_id = 'S01-01' AND pos = 1",
        "UPDATE source_row SET source_id = 'S99-01' WHERE source_id = 'S01-01' AND pos = 1",
        "UPDATE source_row SET cells = (SELECT cells FROM source_row WHERE source_id = 'S01-02' AND pos = 1) "
        "WHERE source_id = 'S01-01' AND pos = 1",
        "DELETE FROM source_row WHERE source_id = 'S01-01' AND pos = 1",
        "DELETE FROM source_row",
        "INSERT INTO source_row SELECT source_id, 999, added_version, cells FROM source_row WHERE pos = 1",
    ],
)
def test_every_row_of_a_source_is_kept(run: Run, edit: str) -> None:
    assert run.after(lambda w: w.sql(edit)) == {"D5": ("rows_kept",)}


@pytest.mark.parametrize("used", ["NRM:S02-01", "MAT:S02-02", "AGG:S02-01", "CLS:2", "RVW:2", "PUB:2"])
def test_nothing_was_made_of_what_had_ended_before(run: Run, used: str) -> None:
    latest = "(SELECT max(version) FROM artifact WHERE id = ?1)"
    outdate = f"UPDATE artifact SET ended = made WHERE id = ?1 AND version = {latest}"  # noqa: S608  # no value in it
    assert run.after(lambda w: w.sql(outdate, used))["D5"] == ("inputs_current",)
