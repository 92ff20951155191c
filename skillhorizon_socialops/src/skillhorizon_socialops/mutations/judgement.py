"""Faults of judgement: assets and conversions are taken for what they are not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import attrs

from skillhorizon import Sabotage
from skillhorizon_socialops.mutations.places import Places, as_output, own_post, said_credit, true_and_flawed
from skillhorizon_socialops.truth import Conversion, Target, shelf

if TYPE_CHECKING:
    from collections.abc import Callable

    from skillhorizon_socialops.plan import Plan
    from skillhorizon_socialops.rows import Brief

_VISUAL = "visual"


def second_best_test_asset(plan: Plan) -> Sabotage | None:
    """Choose the second-best visual for a test arm, which then wins and is the next brief's control."""
    places = Places(plan)
    for brief in plan.facts.briefs:
        successor, found = places.successor(brief), _two_best(places, brief)
        wins = successor is not None and places.story.winning_arm(brief.brief_id, brief.wave) == "b"
        if found is not None and successor is not None and wins:
            fails = frozenset({f"brief:{brief.brief_id}", f"brief:{successor.brief_id}"})
            return Sabotage(script=_choosing(places, brief, *found), fails=fails)
    return None


def _two_best(places: Places, brief: Brief) -> tuple[str, str] | None:
    """Return the right visual of a brief's test arm and the next one, if no visual of that kind is ever withdrawn."""
    story, known = places.story, shelf()
    (run,) = story.course.arms[brief.brief_id, "b"]
    first = run.pair[0]
    row = known.assets[first]
    if any(known.assets[u.asset].role == _VISUAL and _alike(known.assets[u.asset], row) for u in places.withdrawals):
        return None
    barred = {first, *story.course.arms[brief.brief_id, "a"][0].pair}
    try:
        return first, known.best(_VISUAL, row.angle, story.place(brief.brief_id), barred)
    except LookupError:
        return None


def _alike(one: Any, other: Any) -> bool:
    return (one.locale, one.format, one.angle) == (other.locale, other.format, other.angle)


def _choosing(places: Places, brief: Brief, first: str, second: str) -> Callable[[str, Any, Any], Any]:
    due = places.story.course.dues[own_post(brief.brief_id)]

    def script(called: str, data: Any, output: Any) -> Any:
        for_test = called == "pick_asset.py" and data["from"] == due and data["exclude"]
        return {"asset": second} if for_test and output["asset"] == first else output

    return script


def duplicates_counted(plan: Plan) -> Sabotage | None:
    """Count every row of an order."""

    def flaw(each: Any) -> Any:
        return each._replace(order=each.id) if isinstance(each, Conversion) else each

    return _credited_wrong(Places(plan), lambda _brief: flaw)


def neighbours_window(plan: Plan) -> Sabotage | None:
    """Judge every touch by the window of a brief that shares conversions with the credited one."""
    places = Places(plan)

    def neighbours(brief: Brief) -> Callable[[Any], Any]:
        known = places.story.known
        touched = {name for event in known.events[brief.brief_id] for name in event.briefs}
        window = known.briefs[max(touched - {brief.brief_id}, default=brief.brief_id)].credit_window_min
        return lambda each: attrs.evolve(each, window=window) if isinstance(each, Target) else each

    return _credited_wrong(places, neighbours)


def _credited_wrong(places: Places, flaw_of: Callable[[Brief], Callable[[Any], Any]]) -> Sabotage | None:
    """Credit the latest brief for which a flaw matters as the flaw has it."""
    for brief in places.quiet():
        name, flaw = brief.brief_id, flaw_of(brief)
        true, flawed = true_and_flawed(places.story, name, flaw)
        if true != flawed:
            final = brief.wave == places.plan.waves
            return Sabotage(script=_crediting(name, flaw), fails=frozenset({f"brief:{name}"}), only=final)
    return None


def _crediting(brief: str, flaw: Callable[[Any], Any]) -> Callable[[str, Any, Any], Any]:
    def script(called: str, data: Any, output: Any) -> Any:
        concerned = called == "credit.py" and own_post(brief) in data["arms"]
        return said_credit(data, brief, flaw) if concerned else output

    return script


def correction_glossed_over(plan: Plan) -> Sabotage | None:
    """Credit a corrected brief as before, so that its winner stays and its corrective post is released."""
    places = Places(plan)
    for update in reversed(places.corrections):
        story, brief = places.story, update.brief
        before, after = (story.verdict(brief, level).winner for level in (update.wave - 1, update.wave))
        if before != after:
            said = as_output(story.credit(brief, update.wave - 1))

            def script(called: str, data: Any, output: Any, brief: str = brief, said: Any = said) -> Any:
                return said if called == "credit.py" and own_post(brief) in data["arms"] else output

            return Sabotage(script=script, fails=frozenset({f"brief:{brief}", "D1"}))
    return None
