"""The checker: what holds at the start, after the reference run, and after single edits of its world."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import attrs
import pytest
from fieldops_runs import begun, finished

from skillhorizon import dumps, loads
from skillhorizon_fieldops.config import PROFILES, SCENARIOS, FieldConfig
from skillhorizon_fieldops.rows import Batch, Isolation, Relief

if TYPE_CHECKING:
    from fieldops_runs import Run

    from skillhorizon import World
    from skillhorizon_fieldops.plan import Plan

CELLS = [(scenario, profile) for scenario in SCENARIOS for profile in PROFILES]
SMALL = FieldConfig("restoration", "radial", 12, 16_000)
INVARIANTS = {"D2", "D4"}


@pytest.fixture(scope="module")
def run() -> Run:
    return finished(SMALL, 5)


def rewritten(world: World, artifact: str, **fields: object) -> None:
    """Put other fields into the content of an artifact's last version."""
    found = world.ledger.last(artifact)
    assert found is not None
    text = dumps({**found.content, **fields})
    world.sql("UPDATE artifact SET content_text = ? WHERE id = ? AND version = ?", text, found.id, found.version)


def ended(world: World, artifact: str, how: str = "stale") -> None:
    edit = "UPDATE artifact SET ended = made, ended_as = ?, cause = 'call:1' WHERE id = ? AND ended IS NULL"
    world.sql(edit, how, artifact)


def content(run: Run, artifact: str) -> Any:
    found = run.world.ledger.current(artifact)
    assert found is not None
    return found.content


def quiet(plan: Plan) -> str:
    """A device with a part, but neither arrester nor reference."""
    cards = {(card.model, card.fault): card.family for card in plan.facts.cards}
    return next(
        d.device
        for d in plan.facts.devices
        if d.ref_service is None and not d.infant and cards[d.model, d.fault] not in {None, "arrester"}
    )


# The start and the end


@pytest.mark.parametrize(("scenario", "profile"), CELLS)
def test_the_reference_meets_everything(scenario: str, profile: str) -> None:
    assert finished(FieldConfig(scenario, profile, 8, 16_000), 1).unmet() == {}


@pytest.mark.parametrize("updates", ["none", "more"])
def test_the_reference_meets_everything_with_other_updates(updates: str) -> None:
    assert finished(FieldConfig("modernisation", "layered", 10, 17_000, updates=updates), 2).unmet() == {}


@pytest.mark.parametrize("updates", ["none", "default"])
def test_nothing_but_the_invariants_holds_at_the_start(updates: str) -> None:
    report = begun(attrs.evolve(SMALL, updates=updates), 5).report()
    findings = [*report.goals, *(each for each in report.requirements if each.id not in INVARIANTS)]
    assert not [name for each in findings for name, holds in each.conditions.items() if holds]
    assert all(each.met for each in report.requirements if each.id in INVARIANTS)


def test_checking_writes_nothing(run: Run) -> None:
    before = run.world.digest()
    run.report()
    assert run.world.digest() == before


def test_findings_stand_in_the_plans_order(run: Run) -> None:
    report = run.report()
    assert [each.id for each in report.goals] == [goal.id for goal in run.plan.goals]
    assert [each.id for each in report.requirements] == [each.id for each in run.plan.requirements]


# Cases


def test_a_case_whose_work_ended_is_not_worked(run: Run) -> None:
    name = quiet(run.plan)
    unmet = run.after(lambda w: ended(w, f"WRK:{name}"))
    assert unmet[f"case:{name}"] == ("worked", "fault_true", "batch_kept", "tested", "value_true", "restored")


def test_a_wrong_repair_is_untrue(run: Run) -> None:
    name = quiet(run.plan)
    wrong = next(f for f in ("F1", "F2") if f != run.plan.truth.faults[name])
    unmet = run.after(lambda w: rewritten(w, f"WRK:{name}", fault=wrong))
    assert unmet == {f"case:{name}": ("fault_true", "value_true")}


def test_a_recalled_batch_may_not_stay_installed(run: Run) -> None:
    name = quiet(run.plan)
    notice = next(u.id for u in run.plan.updates if u.kind == "batch_recall")
    batch = content(run, f"WRK:{name}")["batch"]
    text = dumps({"batch": batch, "part": "PT01", "status": "quarantined"})
    unmet = run.after(lambda w: w.sql("UPDATE notice SET body = ? WHERE id = ?", text, notice))
    assert unmet[f"case:{name}"] == ("batch_kept",)


def test_a_test_of_older_work_does_not_count(run: Run) -> None:
    name = quiet(run.plan)
    edit = "UPDATE cite SET token = '0' WHERE role = 'work' AND id = ?"
    assert run.after(lambda w: w.sql(edit, f"TST:{name}")) == {f"case:{name}": ("tested",)}


@pytest.mark.parametrize(
    ("artifact", "unmet"),
    [
        ("CRT", ("certified", "verdict_pass", "value_true", "edition_in_force")),
        ("TST", ("tested", "certified", "value_true")),
    ],
)
def test_neither_test_nor_certificate_counts_alone(run: Run, artifact: str, unmet: tuple[str, ...]) -> None:
    name = quiet(run.plan)
    assert run.after(lambda w: ended(w, f"{artifact}:{name}"))[f"case:{name}"] == unmet


def test_a_certificate_of_another_test_does_not_count(run: Run) -> None:
    name = quiet(run.plan)
    unmet = run.after(lambda w: rewritten(w, f"CRT:{name}", test=f"TST:{name}@9"))
    assert unmet == {f"case:{name}": ("certified", "value_true")}


@pytest.mark.parametrize(
    ("field", "value", "condition"),
    [("verdict", "fail", "verdict_pass"), ("value", 1, "value_true"), ("edition", 7, "edition_in_force")],
)
def test_each_part_of_a_certificate_is_judged_by_itself(run: Run, field: str, value: object, condition: str) -> None:
    name = quiet(run.plan)
    unmet = run.after(lambda w: rewritten(w, f"CRT:{name}", **{field: value}))
    assert unmet[f"case:{name}"] == (condition,)


def test_a_test_of_an_infants_first_work_has_another_value(run: Run) -> None:
    name = quiet(run.plan)
    truth = attrs.evolve(run.plan.truth, infants=run.plan.truth.infants | {name})
    unmet = attrs.evolve(run, plan=attrs.evolve(run.plan, truth=truth)).unmet()
    assert unmet == {f"case:{name}": ("value_true",)}


def test_the_offset_of_another_commissioning_makes_another_value(run: Run) -> None:
    name = next(d.device for d in run.plan.facts.devices if d.ref_service)
    edit = "UPDATE cite SET token = '77' WHERE role = 'reference' AND id = ?"
    lost = {run.after(lambda w: w.sql(edit, f"TST:{name}")).get(f"case:{name}")}
    assert lost == {("value_true",)}


def test_an_isolated_device_is_not_restored(run: Run) -> None:
    name = quiet(run.plan)
    zone = next(d.zone for d in run.plan.facts.devices if d.device == name)
    unmet = run.after(lambda w: w.insert(Isolation(name, zone, f"PRM:{zone}@1")))
    assert unmet == {f"case:{name}": ("restored",), "D2": ("devices_restored",)}


# Delivery


def test_every_service_is_commissioned(run: Run) -> None:
    name = run.plan.facts.services[3].service
    unmet = run.after(lambda w: ended(w, f"COM:{name}"))
    assert set(unmet["D1"]) >= {"commissioned", "certificates_exact", "needs_exact", "figures_exact", "headroom_kept"}


@pytest.mark.parametrize(
    ("field", "value", "conditions"),
    [
        ("certificates", [], ("certificates_exact",)),
        ("needs", ["COM:S999@1"], ("needs_exact",)),
        ("capacity", 1, ("figures_exact",)),
        ("load", 1, ("figures_exact",)),
        ("headroom_bp", 1, ("figures_exact",)),
    ],
)
def test_each_part_of_a_commissioning_is_judged_by_itself(
    run: Run, field: str, value: object, conditions: tuple[str, ...]
) -> None:
    name = run.plan.facts.services[0].service
    assert run.after(lambda w: rewritten(w, f"COM:{name}", **{field: value})) == {"D1": conditions}


def test_a_service_is_not_handed_back_on_a_certificate_that_says_fail(run: Run) -> None:
    unmet = run.after(lambda w: rewritten(w, f"CRT:{quiet(run.plan)}", verdict="fail"))
    assert unmet["D1"] == ("certificates_exact",)


def test_headroom_counts_the_derating_of_installed_parts(run: Run) -> None:
    derated = next(fit.part for fit in run.plan.facts.fits if fit.derate_bp)

    def everywhere(world: World) -> None:
        for device in run.plan.facts.devices:
            rewritten(world, f"WRK:{device.device}", part=derated)

    assert set(run.after(everywhere)["D1"]) == {"figures_exact", "headroom_kept"}


def test_an_open_permit_leaves_isolations_unmet(run: Run) -> None:
    zone = run.plan.facts.zones[0].zone
    edit = "UPDATE artifact SET ended = NULL, ended_as = NULL, cause = NULL WHERE id = ?"
    assert run.after(lambda w: w.sql(edit, f"PRM:{zone}"))["D2"] == ("permits_closed",)


def test_accounts_are_judged_by_lines_and_minutes(run: Run) -> None:
    posted = content(run, "ACC:2")
    turned = [list(line) for line in reversed(posted["lines"])]
    assert run.after(lambda w: rewritten(w, "ACC:2", lines=turned)) == {}
    (part, *amounts), *rest = posted["lines"]
    wrong = [[part, amounts[0] + 1, *amounts[1:]], *rest]
    assert run.after(lambda w: rewritten(w, "ACC:2", lines=wrong)) == {"D3": ("lines_exact",)}
    assert run.after(lambda w: rewritten(w, "ACC:2", lines=rest)) == {"D3": ("lines_exact",)}
    assert run.after(lambda w: rewritten(w, "ACC:2", crew_minutes=1)) == {"D3": ("minutes_exact",)}


@pytest.mark.parametrize(("since_settled", "unmet"), [(1, None), (0, ("lines_exact",)), (-1, ("lines_exact",))])
def test_a_rest_is_scrapped_unless_it_was_returned_before_its_batch_was_recalled(
    run: Run, since_settled: int, unmet: tuple[str, ...] | None
) -> None:
    notice = next(u.id for u in run.plan.updates if u.kind == "batch_recall")
    settled = "SELECT content_text, max(ended) FROM artifact WHERE kind = 'RSV' AND ended_as = 'historic'"
    ((text, call),) = run.world.sql(settled)
    batch = loads(text)
    assert batch["withdrawn"] > batch["qty"]

    def recalled(world: World) -> None:
        body = dumps({"batch": batch["batch"], "part": batch["part"], "status": "quarantined"})
        world.sql("UPDATE notice SET body = ? WHERE id = ?", body, notice)
        world.sql("UPDATE artifact SET ended = ? WHERE cause = ?", call + since_settled, notice)

    assert run.after(recalled).get("D3") == unmet


def test_a_missing_account_leaves_accounts_unmet(run: Run) -> None:
    unmet = run.after(lambda w: ended(w, "ACC:1"))
    assert unmet["D3"] == ("accounts_posted", "lines_exact", "minutes_exact")


def test_the_sweep_is_accounted_for_when_it_was_used(run: Run) -> None:
    late = "UPDATE artifact SET clock = ? WHERE kind = 'WRK' AND id = ? AND version = 1"
    name = quiet(run.plan)
    unmet = run.after(partial(lambda w, n: w.sql(late, run.plan.waves + 1, n), n=f"WRK:{name}"))
    assert "accounts_posted" in unmet["D3"]


def granted(number: int) -> Relief:
    return Relief(number, "overtime", "C001", 1, "E", None, None)


def test_overdraft_leaves_limits_unmet(run: Run) -> None:
    budget = run.plan.resources["relief"]
    within = [granted(n) for n in range(1, budget + 1)]
    assert run.after(lambda w: w.insert(*within)) == {}
    assert run.after(lambda w: w.insert(*within, granted(budget + 1))) == {"D4": ("no_overdraft",)}


def test_units_of_a_batch_add_up_to_what_it_opened_with(run: Run) -> None:
    batch = run.plan.facts.batches[0]
    assert run.after(lambda w: w.update(Batch, batch.batch, free=99)) == {"D4": ("batches_balanced",)}
    unmet = run.after(lambda w: w.update(Batch, batch.batch, opening=batch.opening + 5, scrapped=5))
    assert unmet == {"D4": ("batches_balanced",)}


def test_an_expedited_batch_has_four_packs(run: Run) -> None:
    like = run.plan.facts.batches[0]

    def arrived(units: int, world: World) -> None:
        world.insert(Batch(f"{like.part}-X1", like.part, 20, like.pack, units, units, 0, 0, 0, "released"))

    assert run.after(partial(arrived, 4 * like.pack)) == {}
    assert run.after(partial(arrived, 5 * like.pack)) == {"D4": ("batches_balanced",)}


def test_an_unaccepted_system_leaves_delivery_unmet(run: Run) -> None:
    assert run.after(lambda w: ended(w, "SYS:system")) == {"D5": ("accepted",)}
