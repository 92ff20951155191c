"""The tools' rules against the skills' scripts and against truth, on drawn values."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillhorizon import Rng
from skillhorizon.skills.library import load_library
from skillhorizon.skills.scripts import ScriptRunner
from skillhorizon_fieldops import truth
from skillhorizon_fieldops.rows import Procedure
from skillhorizon_fieldops.rules import (
    HEADROOM_BP,
    RESEAT_MIN,
    boundary,
    figures,
    judged,
    samples,
    value_of,
    withdrawn,
    work_minutes,
)

LIBRARY = load_library(Path(str(files("skillhorizon_fieldops"))) / "skills")
RUNNER = ScriptRunner()


def script(skill: str, name: str, data: dict[str, Any]) -> Any:
    return RUNNER.run(LIBRARY.skill(skill), name, data)


names = st.sampled_from([f"D{n}" for n in range(1, 7)])
readings = st.lists(st.tuples(st.integers(700, 1000), st.integers(-5, 45)), min_size=6, max_size=6)
procedures = st.builds(
    Procedure,
    device_class=st.sampled_from(["head", "mid", "edge"]),
    edition=st.integers(1, 4),
    coef_bp=st.integers(32, 48),
    bound=st.integers(816, 904),
    kind=st.sampled_from(["min", "max"]),
)
members = st.lists(st.tuples(st.integers(800, 2400), st.sampled_from([0, 1200])), min_size=1, max_size=4)
dependents = st.lists(st.tuples(st.integers(1, 2000), st.integers(500, 3000)), max_size=3)


@given(st.integers(1, 40), st.sampled_from([1, 2, 4, 5]))
def test_whole_packs_are_withdrawn_and_none_too_many(qty: int, pack: int) -> None:
    units = withdrawn(qty, pack)
    assert units % pack == 0
    assert 0 <= units - qty < pack


@given(st.integers(10, 70), st.integers(0, 1500), st.booleans())
def test_minutes_are_those_of_truth(base: int, access: int, stored: bool) -> None:
    assert work_minutes(base, access, stored=stored) == truth.minutes(base, access, stored=stored)
    assert RESEAT_MIN == truth.RESEAT_MIN


@given(
    st.sets(names, min_size=1, max_size=4),
    st.lists(st.tuples(names, names).filter(lambda pair: pair[0] != pair[1]), max_size=12),
    st.lists(names, max_size=4),
)
def test_points_are_those_of_the_script(inside: set[str], ends: list[tuple[str, str]], held: list[str]) -> None:
    feeds = [(f"P{n}", *pair) for n, pair in enumerate(ends)]
    stored = [(f"Q{n}", device) for n, device in enumerate(held)]
    data = {"devices": sorted(inside), "feeds": [list(f) for f in feeds], "stored": [list(s) for s in stored]}
    found = boundary(inside, feeds, stored)
    assert found == script("plan-isolation", "isolation_points.py", data)["points"]
    for point, upstream, downstream in feeds:
        assert (point in found) == (len({upstream, downstream} & inside) == 1)


@given(readings, procedures, st.integers(0, 25))
def test_values_and_verdicts_are_those_of_truth_and_the_script(
    taken: list[tuple[int, int]], procedure: Procedure, offset: int
) -> None:
    value = value_of(taken, procedure.coef_bp, offset)
    verdict = judged(value, procedure.kind, procedure.bound)
    assert value == truth.value(taken, procedure, offset)
    assert (verdict == "pass") == truth.passes(value, procedure)
    test = {"device": "D1", "class": procedure.device_class, "test": "TST:D1@1", "offset": offset}
    row = [procedure.device_class, procedure.edition, procedure.coef_bp, procedure.bound, procedure.kind]
    data = {"tests": [{**test, "samples": [list(pair) for pair in taken]}], "procedures": [row]}
    (entry,) = script("evaluate-test", "evaluate_test.py", data)["entries"]
    assert (entry["value"], entry["verdict"], entry["edition"]) == (value, verdict, procedure.edition)


@given(st.integers(0, 10_000), procedures, st.booleans())
def test_samples_are_those_of_truth(seed: int, first: Procedure, passes: bool) -> None:
    drawn = samples(Rng("samples", seed), first, passes=passes)
    assert [tuple(pair) for pair in drawn] == list(truth.samples(Rng("samples", seed), first, sound=passes))


PUBLISHED = {"head": (39, 850, "min"), "mid": (36, 900, "max"), "edge": (44, 820, "min")}


@given(
    st.integers(0, 10_000),
    st.sampled_from(sorted(PUBLISHED)),
    st.booleans(),
    st.tuples(st.integers(-4, 4), st.integers(-4, 4), st.integers(0, 25)),
)
def test_no_edition_and_no_offset_judges_a_test_otherwise(
    seed: int, level: str, passes: bool, moved: tuple[int, int, int]
) -> None:
    coef_bp, bound, kind = PUBLISHED[level]
    drawn = samples(Rng("verdicts", seed), Procedure(level, 1, coef_bp, bound, kind), passes=passes)
    value = value_of(drawn, coef_bp + moved[0], moved[2])
    assert judged(value, kind, bound + moved[1]) == ("pass" if passes else "fail")


@given(members, st.integers(1, 2000), dependents, st.sampled_from(["gold", "silver", "bronze"]))
def test_figures_are_those_of_truth_and_the_script(
    carried: list[tuple[int, int]], demand: int, others: list[tuple[int, int]], tier: str
) -> None:
    right = figures(carried, demand, others)
    true = truth.figures([truth.rating(*member) for member in carried], demand, others)
    assert (right.capacity, right.load, right.headroom_bp) == (true.capacity, true.load, true.headroom_bp)
    data = {
        "members": [[f"D{n}", *member] for n, member in enumerate(carried)],
        "demand": demand,
        "dependents": [[f"S{n}", *other] for n, other in enumerate(others)],
        "tier": tier,
    }
    told = script("commission-service", "commission.py", data)
    assert [told[name] for name in ("capacity", "load", "headroom_bp")] == [
        right.capacity,
        right.load,
        right.headroom_bp,
    ]
    assert told["minimum_bp"] == HEADROOM_BP[tier] == truth.MINIMUM_BP[tier]


@pytest.mark.parametrize(("verdict", "value"), [("pass", 850), ("fail", 849)])
def test_the_limit_itself_passes(verdict: str, value: int) -> None:
    assert judged(value, "min", 850) == verdict
