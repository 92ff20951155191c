"""The checker: what holds at the start, after the reference run, and after single edits of its world."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import attrs
import pytest
from socialops_runs import begun, finished

from skillhorizon import dumps
from skillhorizon_socialops.config import PATTERNS, SCENARIOS, SocialConfig
from skillhorizon_socialops.plan import ConversionCorrection, RerunOrder, RetentionChange
from skillhorizon_socialops.rows import Acknowledgement, Firing, Move, Post, Publication, Release, Wave

if TYPE_CHECKING:
    from socialops_runs import Run

    from skillhorizon import World
    from skillhorizon_socialops.plan import AnyUpdate

CELLS = [(scenario, pattern) for scenario in SCENARIOS for pattern in PATTERNS]
SMALL = SocialConfig("overlap_reactivation", "recall", 14, updates="more")
SEED = 1
LAST = "b-04-01"
"""A brief of the final wave, on which nothing else stands."""
INVARIANTS = {"D3", "D4"}
REWRITE = "UPDATE artifact SET content_text = ? WHERE id = ? AND version = ?"
END = "UPDATE artifact SET ended = 1000000, ended_as = 'stale', cause = 'call:1' WHERE id = ? AND ended IS NULL"


@pytest.fixture(scope="module")
def run() -> Run:
    return finished(SMALL, SEED)


def content(run: Run, artifact: str) -> Any:
    found = run.world.ledger.last(artifact)
    assert found is not None
    return found.content


def rewritten(run: Run, artifact: str, **fields: object) -> dict[str, tuple[str, ...]]:
    """What is unmet once other fields stand in the content of an artifact's last version."""

    def edit(world: World) -> None:
        found = world.ledger.last(artifact)
        assert found is not None
        world.sql(REWRITE, dumps({**found.content, **fields}), found.id, found.version)

    return run.after(edit)


def forged(world: World, *, text: str, name: str, version: int) -> None:
    world.sql(REWRITE, text, name, version)


def ended(run: Run, artifact: str) -> dict[str, tuple[str, ...]]:
    return run.after(lambda world: world.sql(END, artifact))


def update_of(run: Run, kind: type[AnyUpdate]) -> Any:
    return next(update for update in run.plan.updates if isinstance(update, kind))


# The start and the end


@pytest.mark.parametrize(("scenario", "pattern"), CELLS)
def test_the_reference_meets_everything(scenario: str, pattern: str) -> None:
    assert finished(SocialConfig(scenario, pattern, 6), 1).unmet() == {}


@pytest.mark.parametrize("updates", ["none", "more"])
@pytest.mark.parametrize("slack", [0, 5_000])
def test_the_reference_meets_everything_with_other_updates_and_slack(updates: str, slack: int) -> None:
    assert finished(attrs.evolve(SMALL, updates=updates, slack=slack), 2).unmet() == {}


@pytest.mark.parametrize("updates", ["none", "default"])
def test_nothing_but_the_invariants_holds_at_the_start(updates: str) -> None:
    report = begun(attrs.evolve(SMALL, updates=updates), SEED).report()
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


# Briefs


def test_a_brief_without_a_current_experiment_has_neither_plan_nor_lineage(run: Run) -> None:
    assert ended(run, f"ex:{LAST}") == {f"brief:{LAST}": ("experiment", "plan_true", "lineage_true")}


def test_an_arm_that_is_scheduled_again_is_not_published(run: Run) -> None:
    unmet = run.after(lambda world: world.update(Post, f"p{LAST[1:]}-a", status="scheduled"))
    assert "arms_published" in unmet[f"brief:{LAST}"]
    assert unmet["D2"] == ("all_settled",)


@pytest.mark.parametrize(("arm", "condition"), [("a", "control_right"), ("b", "test_right")])
def test_the_assets_of_each_arm_are_judged_by_themselves(run: Run, arm: str, condition: str) -> None:
    other = content(run, f"pk:{LAST}.{'b' if arm == 'a' else 'a'}")
    package = f"pk:{LAST}.{arm}"
    unmet = rewritten(run, package, copy=other["copy"])
    assert condition in unmet[f"brief:{LAST}"]
    assert unmet.keys() == {f"brief:{LAST}"}


def test_a_wrong_control_is_one_that_test_need_not_avoid(run: Run) -> None:
    """Test leaves out what control ran with, right or not; what stands where the right one would is wrong then."""
    other = content(run, f"pk:{LAST}.b")
    unmet = rewritten(run, f"pk:{LAST}.a", visual=other["visual"])
    assert {"control_right", "test_right"} <= {*unmet[f"brief:{LAST}"]}


@pytest.mark.parametrize("field", ["eligible", "holdout", "arm_a", "arm_b"])
def test_each_number_of_a_plan_is_judged(run: Run, field: str) -> None:
    plan = f"ap:{LAST}"
    assert rewritten(run, plan, **{field: content(run, plan)[field] + 1}) == {f"brief:{LAST}": ("plan_true",)}


@pytest.mark.parametrize("field", ["conv_a", "conv_b", "value_a", "value_b"])
def test_each_number_of_a_credit_is_judged(run: Run, field: str) -> None:
    credit = f"cr:{LAST}"
    assert rewritten(run, credit, **{field: content(run, credit)[field] + 1}) == {f"brief:{LAST}": ("credit_true",)}


@pytest.mark.parametrize("field", ["rate_a_ppm", "rate_b_ppm", "lift_bp"])
def test_each_number_of_a_report_is_judged(run: Run, field: str) -> None:
    report = f"rp:{LAST}"
    assert rewritten(run, report, **{field: content(run, report)[field] + 1}) == {f"brief:{LAST}": ("report_true",)}


def test_another_winner_makes_report_and_deployment_wrong(run: Run) -> None:
    winner = "control" if content(run, f"rp:{LAST}")["winner"] == "test" else "test"
    unmet = rewritten(run, f"rp:{LAST}", winner=winner)
    assert unmet == {f"brief:{LAST}": ("report_true", "deployment_right")}


def test_credits_and_reports_must_be_current(run: Run) -> None:
    assert ended(run, f"cr:{LAST}") == {f"brief:{LAST}": ("credit_true",)}
    assert ended(run, f"rp:{LAST}") == {f"brief:{LAST}": ("report_true",)}


def test_a_deployment_must_be_current_and_of_the_winners_assets(run: Run) -> None:
    assert ended(run, f"dp:{LAST}") == {f"brief:{LAST}": ("deployed", "deployment_right")}
    package = content(run, f"dp:{LAST}")["package"]
    other = package.replace(".a@", ".b@") if ".a@" in package else package.replace(".b@", ".a@")
    assert "deployment_right" in rewritten(run, f"dp:{LAST}", package=other)[f"brief:{LAST}"]


def test_the_lineage_keeps_order_and_repetitions(run: Run) -> None:
    lineage = content(run, f"ex:{LAST}")["lineage"]
    assert len(set(lineage)) < len(lineage)
    for other in (sorted(set(lineage)), list(reversed(lineage)), lineage[:-1]):
        assert rewritten(run, f"ex:{LAST}", lineage=other) == {f"brief:{LAST}": ("lineage_true",)}


@pytest.mark.parametrize("arm", "abd")
def test_sources_and_loads_of_every_publication_are_judged(run: Run, arm: str) -> None:
    post = f"pb:p{LAST[1:]}-{arm}"
    said = content(run, post)
    assert rewritten(run, post, sources=[*said["sources"], "sp0001"]) == {f"brief:{LAST}": ("sources_true",)}
    audience = min(said["loads"])
    loads = {**said["loads"], audience: said["loads"][audience] + 1}
    assert rewritten(run, post, loads=loads) == {f"brief:{LAST}": ("loads_true",)}


def test_loads_follow_the_retention_that_was_in_force(run: Run) -> None:
    update = update_of(run, RetentionChange)
    unmet = run.after(lambda world: world.update(Firing, update.id, call=10**6))
    lost = [conditions for each, conditions in unmet.items() if each.startswith("brief:")]
    assert lost
    assert all(conditions == ("loads_true",) for conditions in lost)


# Delivery


def test_every_update_must_have_fired(run: Run) -> None:
    last = run.plan.updates[-1].id
    assert "all_fired" in run.after(lambda world: world.delete(Firing, last))["D1"]


def test_every_notice_must_be_acknowledged_with_the_briefs_it_affects(run: Run) -> None:
    for update in run.plan.updates:
        unmet = run.after(partial(lambda w, name: w.delete(Acknowledgement, name), name=update.id))
        assert unmet == {"D1": ("all_acknowledged",)}
        more = partial(lambda w, name: w.update(Acknowledgement, name, briefs=["b-99-99"]), name=update.id)
        assert run.after(more) == {"D1": ("all_acknowledged",)}
    reopen = "UPDATE notice SET resolved = 0 WHERE id = 'N-01'"
    assert run.after(lambda world: world.sql(reopen)) == {"D1": ("all_acknowledged",)}


def test_a_named_brief_is_affected_whatever_was_written_down(run: Run) -> None:
    update = update_of(run, ConversionCorrection)

    def forge(world: World) -> None:
        world.sql("UPDATE impact SET affected = '[]' WHERE notice_id = ?", update.id)
        world.update(Acknowledgement, update.id, briefs=[])

    assert run.after(forge) == {"D1": ("all_acknowledged",)}


def test_a_corrective_post_must_be_deployed_or_released_on_a_true_winner() -> None:
    for seed in range(1, 6):
        run = finished(SMALL, seed)
        for release in run.world.select(Release):
            kind, _, version = release.report.rpartition("@")
            found = run.world.ledger.version(kind, int(version))
            assert found is not None
            winner = "control" if found.content["winner"] == "test" else "test"
            text = dumps({**found.content, "winner": winner})
            unmet = run.after(partial(forged, text=text, name=found.id, version=found.version))
            assert "corrections_answered" in unmet["D1"]
            dropped = run.after(partial(lambda w, post: w.delete(Release, post), post=release.post_id))
            assert dropped == {"D1": ("corrections_answered",)}
            return
    pytest.fail("no corrective post was released")


def test_an_ordered_rerun_must_run_after_the_order() -> None:
    for seed in range(1, 9):
        run = finished(SMALL, seed)
        orders = [update for update in run.plan.updates if isinstance(update, RerunOrder)]
        for update in orders:
            unmet = run.after(partial(lambda w, name: w.update(Firing, name, call=10**6), name=update.id))
            assert unmet["D1"] == ("reruns_published",)
            return
    pytest.fail("no re-run was ordered")


@pytest.mark.parametrize("status", ["scheduled", "missed"])
def test_no_post_may_be_left(run: Run, status: str) -> None:
    assert run.after(lambda w: w.update(Post, f"p{LAST[1:]}-d", status=status)) == {"D2": ("all_settled",)}


def published(world: World, post: str) -> Publication:
    found = world.get(Publication, post, 1)
    assert found is not None
    return found


def test_publications_keep_their_windows(run: Run) -> None:
    post = f"pb:p{LAST[1:]}-d"
    due = content(run, post)["at"]
    for wrong in (due + 1, due - 60):
        assert rewritten(run, post, due_at=wrong) == {"D3": ("windows_kept",)}
    assert rewritten(run, post, due_at=due - 59) == {}


def test_a_channel_has_one_publication_an_hour(run: Run) -> None:
    def edit(world: World) -> None:
        one = published(world, f"p{LAST[1:]}-d")
        world.insert(attrs.evolve(one, post_id=f"p{LAST[1:]}-d", ordinal=2, at=one.at - one.at % 60 + 59))

    assert run.after(edit)["D3"] == ("hours_kept", "planned_only")


def test_a_load_beyond_the_cap_is_noticed(run: Run) -> None:
    unmet = run.after(lambda world: world.update(Publication, f"p{LAST[1:]}-b", 1, weight=50_000))
    assert unmet["D3"] == ("caps_kept",)


def test_an_audience_without_its_rest_is_noticed(run: Run) -> None:
    def edit(world: World) -> None:
        late = published(world, f"p{LAST[1:]}-b").at
        world.update(Publication, f"p{LAST[1:]}-a", 1, at=late - 100)

    assert "cooldowns_kept" in run.after(edit)["D3"]


@pytest.mark.parametrize(
    ("post", "ordinal"), [("p-99-99-x", 1), ("sp0001", 1), (f"p{LAST[1:]}-d", 7), ("hp-au99-01", 1)]
)
def test_only_planned_posts_are_published(run: Run, post: str, ordinal: int) -> None:
    row = Publication(post, ordinal, 10**6, 200, 10**6, None)
    assert run.after(lambda world: world.insert(row)) == {"D3": ("planned_only",)}


def test_moves_within_the_allowance_are_free(run: Run) -> None:
    budget = run.plan.resources["allowance"]
    moves = [Move(number, 10**6, f"p{LAST[1:]}-d", 0, 60) for number in range(1, budget + 2)]
    assert run.after(lambda world: world.insert(*moves[:budget])) == {}
    assert run.after(lambda world: world.insert(*moves)) == {"D3": ("within_allowance",)}


@pytest.mark.parametrize(
    "edit",
    [
        "UPDATE asset SET quality_bp = 1 WHERE asset_id = 'as001'",
        "DELETE FROM seed_publication WHERE post_id = (SELECT min(post_id) FROM seed_publication)",
        "UPDATE audience SET size = size + 1 WHERE audience_id = 'au01'",
        "INSERT INTO channel VALUES ('ch99', 'reel')",
    ],
)
def test_the_seed_stays_as_it_was(run: Run, edit: str) -> None:
    assert run.after(lambda world: world.sql(edit))["D4"] == ("seed_unchanged",)


@pytest.mark.parametrize(
    "artifact",
    [f"cr:{LAST}", f"rp:{LAST}", f"ex:{LAST}", f"ap:{LAST}", "rp:b-03-01"],
)
def test_inputs_must_have_been_current(run: Run, artifact: str) -> None:
    """Nothing made of a version that had ended before counts."""
    edit = "UPDATE artifact SET made = 0, ended = 1, ended_as = 'stale', cause = 'call:1' WHERE id = ?"
    assert "inputs_current" in run.after(lambda world: world.sql(edit, artifact))["D4"]


def test_an_input_that_never_was_is_not_current(run: Run) -> None:
    assert "inputs_current" in rewritten(run, f"dp:{LAST}", report=f"rp:{LAST}@77")["D4"]


def test_every_wave_must_be_closed(run: Run) -> None:
    assert run.after(lambda world: world.update(Wave, 4, state="open")) == {"D5": ("all_closed",)}
