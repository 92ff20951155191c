"""Skills and handbook: valid, usable as programs, and in agreement with the rules and with truth."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillhorizon.skills.scripts import ScriptFailed
from skillhorizon.testing import Skillbook
from skillhorizon_fieldops import rules, truth
from skillhorizon_fieldops.rows import Manual, Procedure, Rule

BOOK = Skillbook("skillhorizon_fieldops")
run = BOOK.run

CASE = {"device": "d1", "model": "M", "hw_rev": 4, "readings": {"fw": [7]}}
EDITION = {"model": "M", "edition": "M-1", "issue": 1, "rev_lo": 1, "rev_hi": 9, "rules": [[1, "fw", ">", 5, "old"]]}
NEED = {"device": "d1", "class": "edge", "hw_rev": 4, "family": "optic", "qty": 3, "pair": None, "taken": []}
FITS = [["optic", "edge", "P-7", 1, 5, 0]]
JOB = {"job": "z1.edge", "class": "edge", "block": "E", "region": "R1", "access_bp": 0, "devices": [[45, 0]]}
SAMPLES = [[836, 44], [829, 43], [841, 44], [826, 45], [833, 44], [838, 43]]
TRIAL = {"device": "d1", "class": "head", "test": "TST:d1@1", "offset": 12, "samples": SAMPLES}
SERVICE = {"members": [["d1", 1200, 0]], "demand": 700, "dependents": [], "tier": "gold"}
CHANGE = {"stale": ["COM:s1@1"], "members": {"s1": ["d1"]}, "needs": {}, "refs": {"d4": "s1"}}

EXAMPLES: dict[str, dict[str, Any]] = {
    "diagnose.py": {"cases": [CASE], "editions": [EDITION]},
    "select_parts.py": {"wave": 1, "cases": [NEED], "batches": [["B1", "P-7", 4, 2, 8, "released"]], "fits": FITS},
    "crew_minutes.py": {"jobs": [JOB], "travel": [["R1", "R1", 5]], "crews": [["c1", "edge", "R1", "E", 480]]},
    "isolation_points.py": {"devices": ["d1"], "feeds": [["F1", "d0", "d1"]], "stored": []},
    "settle.py": {"lines": [{"device": "d1", "withdrawn": 4, "used": 3, "status": "released"}]},
    "evaluate_test.py": {"tests": [TRIAL], "procedures": [["head", 1, 39, 850, "min"]]},
    "commission.py": SERVICE,
    "reconcile.py": {"parts": [["d1", "P-7", "B1", 4, 3, 1, 0]], "crews": [["z1.edge", "c1", 50]]},
    "impact.py": CHANGE,
}
BROKEN: list[tuple[str, dict[str, Any]]] = [
    ("diagnose.py", {"cases": [CASE] * 13, "editions": [EDITION]}),
    ("diagnose.py", {"cases": [CASE], "editions": []}),
    ("diagnose.py", {"cases": [{**CASE, "readings": {"fw": [1, 2]}}], "editions": [EDITION]}),
    ("diagnose.py", {"cases": [{**CASE, "readings": {"fw": [3]}}], "editions": [EDITION]}),
    ("diagnose.py", {"cases": [CASE], "editions": [{**EDITION, "rules": [[1, "fw", "~", 5, "old"]]}]}),
    ("select_parts.py", {**EXAMPLES["select_parts.py"], "batches": []}),
    ("select_parts.py", {**EXAMPLES["select_parts.py"], "cases": [{**NEED, "qty": 0}]}),
    ("select_parts.py", {**EXAMPLES["select_parts.py"], "cases": [NEED] * 13}),
    ("select_parts.py", {**EXAMPLES["select_parts.py"], "cases": [{**NEED, "taken": [[]]}]}),
    ("crew_minutes.py", {**EXAMPLES["crew_minutes.py"], "crews": [["c1", "edge", "R1", "E", 49]]}),
    ("crew_minutes.py", {**EXAMPLES["crew_minutes.py"], "travel": []}),
    ("crew_minutes.py", {**EXAMPLES["crew_minutes.py"], "jobs": [JOB] * 13}),
    ("isolation_points.py", {**EXAMPLES["isolation_points.py"], "devices": []}),
    ("isolation_points.py", {**EXAMPLES["isolation_points.py"], "feeds": [["F1", "d0"]]}),
    ("settle.py", {"lines": [{"device": "d1", "withdrawn": 2, "used": 3, "status": "released"}]}),
    ("settle.py", {"lines": [{"device": "d1", "withdrawn": 4, "used": 3, "status": "lost"}]}),
    ("settle.py", {"lines": ["d1"] * 13}),
    ("evaluate_test.py", {"tests": [TRIAL], "procedures": []}),
    ("evaluate_test.py", {**EXAMPLES["evaluate_test.py"], "tests": [{**TRIAL, "samples": SAMPLES[:5]}]}),
    ("evaluate_test.py", {"tests": [TRIAL], "procedures": [["head", 1, 39, 850, "about"]]}),
    ("evaluate_test.py", {"tests": [TRIAL] * 13, "procedures": []}),
    ("commission.py", {**SERVICE, "tier": "tin"}),
    ("commission.py", {**SERVICE, "members": []}),
    ("commission.py", {**SERVICE, "demand": 0}),
    ("reconcile.py", {**EXAMPLES["reconcile.py"], "parts": [["d1", "P-7", "B1", 4, 3, 0, 0]]}),
    ("impact.py", {**CHANGE, "stale": ["d1"]}),
    ("impact.py", {**CHANGE, "needs": {"s1": ["s2"], "s2": ["s1"]}}),
    ("impact.py", {**CHANGE, "members": {"s1": "d1"}}),
    ("impact.py", {**CHANGE, "refs": {"d4": ["s1"]}}),
]


def test_nine_skills_are_valid() -> None:
    assert len(BOOK.library.skills) == 9
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
    "acceptance accounts artifacts certificates commissioning crews diagnosis isolation parts relief tests updates "
    "waves work"
)
REJECTIONS = (
    "unknown_object not_current duplicate_object fault_not_in_edition unsettled part_does_not_fit quantity_mismatch "
    "batch_unusable pair_batch stock_short not_first_expiring no_work window_not_open crew_not_qualified "
    "crew_block_full already_isolated wave_unbooked not_booked n_minus_one permit_limit service_impact "
    "point_not_applicable not_isolated energy_present wrong_provenance booking_too_short bad_cause "
    "reservation_missing nothing_to_settle settlement_mismatch device_isolated upstream_isolated work_not_current "
    "reference_not_current already_current member_isolated members_incomplete certificate_not_substantiated "
    "verdict_fail needs_incomplete figures_rejected headroom_short wave_not_open wave_not_clear wave_open "
    "section_incomplete isolation_open reservation_open acceptance_incomplete account_mismatch wave_closed"
)


def test_the_handbook_has_every_topic_rule_and_rejection_code() -> None:
    assert sorted(BOOK.handbook) == TOPICS.split()
    assert BOOK.missing(REJECTIONS, rules=10) == []


def test_a_topic_fits_one_observation() -> None:
    assert max(len(text.encode()) for text in BOOK.handbook.values()) < 5_000


def test_neither_handbook_nor_skills_tell_what_triggers_an_update() -> None:
    assert not re.search(r"arrester_tested|⌈2z/3⌉|infant|trigger", BOOK.text)


@given(st.lists(st.integers(0, 1000), min_size=6, max_size=6), st.integers(1, 9), st.integers(1, 999))
def test_diagnose_agrees_with_truth(values: list[int], hw_rev: int, threshold: int) -> None:
    manuals = [Manual("M-1", "M", 2, 1, 9), Manual("M-2", "M", 5, 4, 9), Manual("M-3", "M", 3, 6, 9)]
    told = {
        manual.edition: [
            Rule(manual.edition, 1, "temp", ">", threshold + n, f"F{n}"),
            Rule(manual.edition, 2, "temp", "<", 1001, f"G{n}"),
        ]
        for n, manual in enumerate(manuals)
    }
    edition, fault = truth.diagnose(manuals, told, hw_rev, {"temp": values})
    editions = [
        {"model": m.model, "edition": m.edition, "issue": m.issue, "rev_lo": m.rev_lo, "rev_hi": m.rev_hi}
        | {"rules": [[r.rank, r.metric, r.op, r.threshold, r.fault] for r in told[m.edition]]}
        for m in manuals
    ]
    case = {"device": "d1", "model": "M", "hw_rev": hw_rev, "readings": {"temp": values}}
    found = run("diagnose.py", {"cases": [case], "editions": editions})
    assert found == {"entries": [{"device": "d1", "edition": edition, "fault": fault}]}


@given(st.integers(1, 90), st.integers(0, 1500), st.booleans(), st.integers(5, 30))
def test_minutes_agree_with_the_rules(base: int, access: int, stored: bool, travel: int) -> None:
    job = {**JOB, "access_bp": access, "devices": [[base, int(stored)], [20, 0]]}
    data = {"jobs": [job], "travel": [["R1", "R1", travel]], "crews": [["c1", "edge", "R1", "E", 480]]}
    expected = rules.work_minutes(base, access, stored=stored) + rules.work_minutes(20, access, stored=False) + travel
    assert run("crew_minutes.py", data) == {"jobs": [["z1.edge", "c1", expected]]}


names = st.sampled_from(["d1", "d2", "d3", "d4", "d5"])


@given(st.sets(names, min_size=1), st.lists(st.tuples(names, names), max_size=8), st.lists(names, max_size=4))
def test_points_agree_with_the_rules(devices: set[str], ends: list[tuple[str, str]], stored: list[str]) -> None:
    feeds = [(f"F{n}", start, end) for n, (start, end) in enumerate(ends)]
    held = [(f"E{n}", device) for n, device in enumerate(stored)]
    data = {"devices": sorted(devices), "feeds": [[*feed] for feed in feeds], "stored": [[*each] for each in held]}
    assert run("isolation_points.py", data) == {"points": rules.boundary(devices, feeds, held)}


samples = st.lists(st.tuples(st.integers(600, 1100), st.integers(-5, 45)), min_size=6, max_size=6)


@given(samples, st.integers(30, 50), st.integers(0, 25), st.sampled_from(["min", "max"]))
def test_evaluation_agrees_with_rules_and_truth(
    taken: list[tuple[int, int]], coef: int, offset: int, kind: str
) -> None:
    tests = [{**TRIAL, "offset": offset, "samples": [[*sample] for sample in taken]}]
    data = {"tests": tests, "procedures": [["head", 2, coef, 850, kind], ["head", 1, 1, 1, "min"]]}
    (entry,) = run("evaluate_test.py", data)["entries"]
    procedure = Procedure("head", 2, coef, 850, kind)
    assert entry["edition"] == 2
    assert entry["value"] == rules.value_of(taken, coef, offset) == truth.value(taken, procedure, offset)
    assert entry["verdict"] == rules.judged(entry["value"], kind, 850)
    assert (entry["verdict"] == "pass") == truth.passes(entry["value"], procedure)


@given(
    st.lists(st.tuples(st.integers(800, 2400), st.sampled_from([0, 1200])), min_size=1, max_size=4),
    st.integers(100, 900),
    st.lists(st.tuples(st.integers(100, 900), st.integers(500, 3000)), max_size=3),
)
def test_figures_agree_with_the_rules(members: Any, demand: int, dependents: Any) -> None:
    expected = rules.figures(members, demand, dependents)
    data = {
        "members": [[f"d{n}", *each] for n, each in enumerate(members)],
        "demand": demand,
        "dependents": [[f"s{n}", *each] for n, each in enumerate(dependents)],
        "tier": "silver",
    }
    found = run("commission.py", data)
    assert (found["capacity"], found["load"], found["headroom_bp"]) == (
        expected.capacity,
        expected.load,
        expected.headroom_bp,
    )
    assert found["minimum_bp"] == rules.HEADROOM_BP["silver"]


batches = st.lists(
    st.tuples(st.integers(1, 6), st.integers(1, 5), st.integers(0, 20), st.sampled_from(["released", "quarantined"])),
    max_size=6,
)


@given(batches, st.integers(1, 4), st.integers(1, 4))
def test_parts_come_from_the_usable_batch_that_expires_first(drawn: Any, qty: int, wave: int) -> None:
    listed = [[f"B{n}", "P-7", *each] for n, each in enumerate(drawn)]
    usable = [
        (expiry, batch)
        for batch, _, expiry, pack, free, status in listed
        if status == "released" and expiry >= wave and free >= rules.withdrawn(qty, pack)
    ]
    data = {"wave": wave, "cases": [{**NEED, "qty": qty}], "batches": listed, "fits": FITS}
    if usable:
        assert run("select_parts.py", data)["lines"] == [{"device": "d1", "batch": min(usable)[1], "qty": qty}]
    else:
        with pytest.raises(ScriptFailed, match="no usable batch"):
            run("select_parts.py", data)
