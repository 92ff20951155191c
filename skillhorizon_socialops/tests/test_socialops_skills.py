"""Skills and handbook: valid, usable as programs, and in agreement with truth."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillhorizon.skills.scripts import ScriptFailed
from skillhorizon.testing import Skillbook
from skillhorizon_socialops.truth import crediting, exposure

BOOK = Skillbook("skillhorizon_socialops")
run = BOOK.run

ASSET = ["A1", "use", 8100, -900, 9000, ["C1", "C2"], "active"]
PICK = {"candidates": [ASSET], "channel": "C1", "from": 120, "until": 3480, "exclude": []}
PLAN = {
    "sizes": [42_000, 31_500],
    "lapsed_bp": [10_000, 3_000],
    "overlap": 5_260,
    "suppress": [41, 38],
    "holdout_bp": 1_000,
    "split_bp": 5_000,
}
ROWS = {"rows": [{"brief": "b1", "publications": [["p1", 120], ["p2", 600]]}]}
AUDIENCE = {"id": "AU1", "retention_bp": 8_000, "publications": [["p1", 5_220, 420]]}
LOAD = {"post_id": "p9", "as_of": 6_180, "lookback_min": 2_880, "audiences": [AUDIENCE]}
RESTING = {"id": "AU1", "load": 500, "cap": 700, "last_at": 2_580, "cooldown_min": 470}
DUE = {"clock": 3_000, "due_at": 3_000, "status": "scheduled", "weight": 180, "audiences": [RESTING]}
EVENT = ["v1", "o1", 1_000, 50, "paid", [["p1", 900]]]
CREDIT = {"arms": {"p1": "a"}, "posts": {"p1": ["b1", 240, 3]}, "observe_until": 1_560, "events": [EVENT]}
LIFT = {
    "conv": [9, 13],
    "arms": [30_673, 30_672],
    "thresholds": {"min_conv": 8, "min_lift_bp": 800},
    "benchmark": [310, 8_500],
}
IMPACT = {"kind": "retention_change", "refs": ["AU1"], "briefs": [["b1", ["AU1"], True]]}

EXAMPLES: dict[str, dict[str, Any]] = {
    "pick_asset.py": PICK,
    "plan.py": PLAN,
    "lineage.py": ROWS,
    "decayed_load.py": LOAD,
    "due_check.py": DUE,
    "credit.py": CREDIT,
    "lift.py": LIFT,
    "impact.py": IMPACT,
}
BROKEN: list[tuple[str, dict[str, Any]]] = [
    ("pick_asset.py", {**PICK, "candidates": []}),
    ("pick_asset.py", {**PICK, "exclude": ["A1"]}),
    ("pick_asset.py", {**PICK, "exclude": [1]}),
    ("pick_asset.py", {**PICK, "candidates": [ASSET[:6]]}),
    ("pick_asset.py", {**PICK, "candidates": [ASSET, ["A2", "other", *ASSET[2:]]]}),
    ("plan.py", {**PLAN, "sizes": [42_000]}),
    ("plan.py", {**PLAN, "suppress": ["41"]}),
    ("plan.py", {**PLAN, "split_bp": 10_001}),
    ("plan.py", {**PLAN, "holdout_bp": True}),
    ("lineage.py", {"rows": [{"publications": []}]}),
    ("lineage.py", {"rows": ["b1"]}),
    ("lineage.py", {"rows": [{"brief": "b1", "publications": [["p1", 120, 7]]}]}),
    ("decayed_load.py", {**LOAD, "audiences": [AUDIENCE, AUDIENCE]}),
    ("decayed_load.py", {**LOAD, "as_of": 5_219}),
    ("decayed_load.py", {**LOAD, "audiences": [{**AUDIENCE, "publications": [["p1", 5_220]]}]}),
    ("decayed_load.py", {**LOAD, "audiences": ["AU1"]}),
    ("due_check.py", {**DUE, "audiences": [{**RESTING, "last_at": "2580"}]}),
    ("due_check.py", {**DUE, "audiences": [{**RESTING, "cap": None}]}),
    ("credit.py", {**CREDIT, "posts": {}}),
    ("credit.py", {**CREDIT, "posts": {"p1": ["b1", 240]}}),
    ("credit.py", {**CREDIT, "arms": {"p1": "s"}}),
    ("credit.py", {**CREDIT, "events": [[*EVENT[:5], ["p1"]]]}),
    ("lift.py", {**LIFT, "arms": [30_673, 0]}),
    ("lift.py", {**LIFT, "conv": [9]}),
    ("lift.py", {**LIFT, "thresholds": {"min_conv": 8}}),
    ("impact.py", {**IMPACT, "kind": "budget_change"}),
    ("impact.py", {**IMPACT, "refs": []}),
    ("impact.py", {**IMPACT, "briefs": [["b1", ["AU1"], 1]]}),
]


def test_eight_skills_are_valid() -> None:
    assert len(BOOK.library.skills) == 8
    assert BOOK.lacking() == []


def test_every_skill_has_one_script() -> None:
    assert sorted(EXAMPLES) == sorted(script for skill in BOOK.library.skills.values() for script in skill.scripts)
    assert all(len(skill.scripts) == 1 for skill in BOOK.library.skills.values())


def test_a_script_answers_the_same_as_a_program() -> None:
    assert BOOK.differing(EXAMPLES) == []


def test_a_script_refuses_bad_input_in_one_clear_sentence() -> None:
    assert BOOK.unclear(BROKEN) == []


def test_a_script_refuses_a_missing_field_and_one_of_another_type_by_its_name() -> None:
    assert BOOK.unchecked(EXAMPLES) == []


TOPICS = (
    "allowance artifacts assets calendar credit deployment lineage packages plans publication report updates"  # twelve
)
REJECTIONS = (
    "NOT_FOUND WAVE_NOT_OPEN ASSET_KIND ASSET_WITHDRAWN BASIS_NOT_CURRENT ALREADY_RUN CREDIT_NOT_CURRENT "
    "PLAN_ARITHMETIC INPUT_STALE POST_MISMATCH SOURCE_IDENTITIES POST_STATUS DUE_TIME AUDIENCE_LOAD_NOT_CURRENT "
    "COOLDOWN AUDIENCE_CAP SLOT_TAKEN OBSERVATION_OPEN FEED_NOT_CURRENT COUNT_RANGE BENCHMARK_NOT_CURRENT "
    "REPORT_ARITHMETIC PACKAGE_MISMATCH DEPLOYMENT_VALID RELEASE_UNJUSTIFIED WAVE_CLOSED IMPACT_MISMATCH "
    "WAVE_INCOMPLETE UPDATE_OPEN CLOCK_RANGE"
)


def test_the_handbook_has_every_topic_rule_and_rejection_code() -> None:
    assert sorted(BOOK.handbook) == TOPICS.split()
    assert BOOK.missing(REJECTIONS, rules=7) == []


def test_a_topic_fits_one_observation() -> None:
    assert max(len(text.encode()) for text in BOOK.handbook.values()) < 5_000


def test_neither_handbook_nor_skills_tell_what_triggers_an_update() -> None:
    assert not re.search(r"hour:|wave_closed|trigger|T\(w(\+1)?,(9|12)\)|offset|delay\b", BOOK.text)


assets = st.lists(
    st.tuples(
        st.integers(1, 60),
        st.sampled_from([8_000, 8_500, 9_000]),
        st.sampled_from([3_000, 99_999_999]),
        st.sampled_from([["C1"], ["C1", "C2"], ["C2", "C9"]]),
        st.sampled_from(["active", "active", "retired", "withdrawn"]),
    ),
    max_size=6,
    unique_by=lambda each: each[0],
)


@given(assets, st.sets(st.integers(1, 60), max_size=2))
def test_the_best_asset_is_eligible_and_none_that_is_beats_it(drawn: Any, barred: set[int]) -> None:
    rows = [[f"A{n:02}", "use", quality, -900, to, channels, status] for n, quality, to, channels, status in drawn]
    exclude = [f"A{n:02}" for n in sorted(barred)]
    eligible = []
    for asset, _, quality, _, to, channels, status in rows:
        if status == "active" and to >= 3_480 and "C1" in channels and asset not in exclude:
            eligible.append((-quality, asset))
    data = {**PICK, "candidates": rows, "exclude": exclude}
    if eligible:
        assert run("pick_asset.py", data) == {"asset": sorted(eligible)[0][1]}
    else:
        with pytest.raises(ScriptFailed, match="eligible"):
            run("pick_asset.py", data)


posts = st.sampled_from(["p1", "p2", "p3"])
made = st.lists(st.tuples(posts, st.integers(0, 900)), max_size=6)


@given(st.lists(made, max_size=3))
def test_lineage_agrees_with_truth(rows: list[list[tuple[str, int]]]) -> None:
    data = {"rows": [{"brief": "b1", "publications": [[*each] for each in row]} for row in rows]}
    expected = exposure.lineage([[exposure.Run(at, post, 0, 0) for post, at in row] for row in rows])
    assert run("lineage.py", data) == {"lineage": expected}
    assert len(expected) == sum(len(row) for row in rows)


shown = st.lists(st.tuples(posts, st.integers(1_000, 6_180), st.integers(60, 600)), max_size=8)


@given(shown, shown, st.sampled_from([7_000, 7_500, 8_000, 8_500, 9_000]))
def test_loads_and_sources_agree_with_truth(first: Any, second: Any, retention: int) -> None:
    reached = {"AU1": first, "AU2": second}
    audiences = [
        {"id": name, "retention_bp": retention, "publications": [[*each] for each in runs]}
        for name, runs in sorted(reached.items(), reverse=True)
    ]
    seen = exposure.Exposure({n: [exposure.Run(at, p, w, 0) for p, at, w in runs] for n, runs in reached.items()})
    windows = {name: seen.window(name, 6_180, 1) for name in reached}
    assert run("decayed_load.py", {**LOAD, "audiences": audiences}) == {
        "post_id": "p9",
        "sources": [run.post for name in ("AU1", "AU2") for run in windows[name]],
        "loads": {name: exposure.load(windows[name], 6_180, retention) for name in reached},
    }


@given(st.integers(2_900, 3_100), st.integers(2_500, 2_900), st.sampled_from([0, 430, 470]), st.integers(0, 700))
def test_the_earliest_minute_is_the_first_at_which_the_check_is_passed(
    clock: int, last: int, cooldown: int, load: int
) -> None:
    audience = {**RESTING, "last_at": last, "cooldown_min": cooldown}
    data = {**DUE, "clock": clock, "audiences": [{**audience, "load": load}]}
    found = run("due_check.py", data)
    assert found["ok"] == (not found["reasons"])
    passing = [
        minute
        for minute in range(clock, 3_070)
        if run("due_check.py", {**data, "clock": minute, "audiences": [{**audience, "load": 0}]})["ok"]
    ]
    assert found["earliest"] == (passing[0] if passing else None)
    assert ("AUDIENCE_CAP" in found["reasons"]) == (load + 180 > 700)


touch = st.tuples(st.sampled_from(["p1a", "p1b", "p2a", "p2b"]), st.integers(500, 1_000))
event = st.tuples(
    st.integers(1, 5), st.integers(600, 1_700), st.integers(1, 99), st.booleans(), st.lists(touch, max_size=3)
)


@given(st.lists(event, max_size=12), st.tuples(st.integers(1, 2), st.integers(1, 2)), st.integers(240, 480))
def test_credit_agrees_with_truth(drawn: Any, priorities: tuple[int, int], window: int) -> None:
    windows = {"1": 240, "2": window}
    ranks = dict(zip("12", priorities, strict=True))
    names = ["p1a", "p1b", "p2a", "p2b"]
    targets = {name: crediting.Target(name[:2], name[2], windows[name[1]], ranks[name[1]]) for name in names}
    events = [
        [f"v{n:02}", f"o{order}", at, value, "void" if void else "paid", [[*each] for each in touches]]
        for n, (order, at, value, void, touches) in enumerate(drawn)
    ]
    feed = [
        crediting.Conversion(v, o, at, x, s == "void", tuple((p, t) for p, t in ts)) for v, o, at, x, s, ts in events
    ]
    expected = crediting.credit("p1", feed, 1_560, targets)
    data = {
        "arms": {"p1a": "a", "p1b": "b"},
        "posts": {name: [name[:2], windows[name[1]], ranks[name[1]]] for name in names},
        "observe_until": 1_560,
        "events": events,
    }
    assert run("credit.py", data) == {
        name: getattr(expected, name) for name in ("conv_a", "conv_b", "value_a", "value_b")
    }


@pytest.mark.parametrize("kind", ["conversion_correction", "rerun_order", "calendar_substitution"])
def test_a_notice_that_names_a_brief_affects_that_brief(kind: str) -> None:
    assert run("impact.py", {"kind": kind, "refs": ["b7"], "briefs": []}) == {"affected_briefs": ["b7"]}


@given(st.lists(st.tuples(st.integers(1, 9), st.sets(st.sampled_from("XYZ")), st.booleans()), max_size=9))
def test_a_withdrawal_affects_waiting_briefs_that_use_the_asset(drawn: Any) -> None:
    briefs = [[f"b{n}", sorted(uses), waits] for n, uses, waits in drawn]
    expected = sorted({brief for brief, uses, waits in briefs if waits and "X" in uses})
    found = run("impact.py", {"kind": "rights_withdrawal", "refs": ["X"], "briefs": briefs})
    assert found == {"affected_briefs": expected}
