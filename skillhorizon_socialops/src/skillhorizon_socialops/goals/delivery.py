"""Delivery: updates (D1), calendar (D2), limits (D3), inputs (D4), waves (D5)."""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import TYPE_CHECKING, Any

import attrs

from skillhorizon import World
from skillhorizon_socialops.catalogue import seed
from skillhorizon_socialops.plan import CalendarSubstitution, ConversionCorrection, RerunOrder
from skillhorizon_socialops.rows import SEED_TABLES
from skillhorizon_socialops.truth import past

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from skillhorizon_socialops.goals.judgement import Judgement
    from skillhorizon_socialops.goals.state import Version
    from skillhorizon_socialops.plan import AnyUpdate

_SETTLED = frozenset({"published", "withdrawn", "released"})
_CLOSED = "closed"
_WINDOW_MIN, _HOUR_MIN = 60, 60
_INPUTS = {
    "ap": ("suppress_from",),
    "ex": ("plan", "control_package", "test_package"),
    "pb": ("package",),
    "cr": ("experiment",),
    "rp": ("credit", "plan", "benchmark"),
    "dp": ("report", "package", "publication"),
    "pk": ("basis",),
}
_ARM_OF = {"control_package": "a", "test_package": "b"}


def updates(judgement: Judgement) -> dict[str, bool]:
    """Judge D1: all fired, acknowledged with the right briefs, corrections and re-runs answered where there are any."""
    planned, fired = judgement.plan.updates, judgement.state.fired
    corrections = [update for update in planned if isinstance(update, ConversionCorrection)]
    reruns = [update for update in planned if isinstance(update, RerunOrder)]
    found = {
        "all_fired": all(update.id in fired for update in planned),
        "all_acknowledged": all(_acknowledged(judgement, update) for update in planned),
    }
    if corrections:
        found["corrections_answered"] = all(_answered(judgement, update) for update in corrections)
    if reruns:
        found["reruns_published"] = all(_rerun(judgement, update) for update in reruns)
    return found


def _acknowledged(judgement: Judgement, update: AnyUpdate) -> bool:
    state = judgement.state
    match update:
        case ConversionCorrection() | RerunOrder() | CalendarSubstitution():
            affected = [update.brief]
        case _:
            affected = sorted(state.impacts.get(update.id, ()))
    return update.id in state.resolved and sorted(state.acknowledged.get(update.id, ())) == affected


def _answered(judgement: Judgement, update: ConversionCorrection) -> bool:
    """Whether a corrective post was deployed or released on a report whose winner was then true."""
    post, state = update.post.post_id, judgement.state
    deployed = [
        (made.content["report"], made.made)
        for made in state.of_kind.get("dp", ())
        if made.content["publication"].startswith(f"pb:{post}@")
    ]
    released = [(row.report, row.call) for row in state.releases.values() if row.post_id == post]
    return any(_winner_true(judgement, update.brief, *each) for each in (*deployed, *released))


def _winner_true(judgement: Judgement, brief: str, report: str, call: int) -> bool:
    said, story = judgement.state.versions.get(report), judgement.story
    return said is not None and said.content["winner"] == story.verdict(brief, story.level(call)).winner


def _rerun(judgement: Judgement, update: RerunOrder) -> bool:
    ordered = judgement.state.fired.get(update.id)
    own = f"p{update.brief[1:]}-d"
    made = (version for version in judgement.published.get(update.brief, ()) if version.subject == own)
    return ordered is not None and any(version.made > ordered for version in made)


def calendar(judgement: Judgement) -> dict[str, bool]:
    """Judge D2: no post that the plan has by now is scheduled or missed."""
    statuses = judgement.story.course.statuses
    return {"all_settled": all(statuses.get(post) in _SETTLED for post in _planned(judgement))}


def _planned(judgement: Judgement) -> Iterator[str]:
    """Yield the posts of the plan: those of the start, and those that fired updates added."""
    yield from (post.post_id for post in judgement.plan.facts.posts)
    for update in judgement.plan.updates:
        if isinstance(update, ConversionCorrection | CalendarSubstitution) and update.id in judgement.state.fired:
            yield update.post.post_id


def limits(judgement: Judgement) -> dict[str, bool]:
    """Judge D3: publications keep windows, hours, caps and cooldowns, are planned, and moves stay within budget."""
    made = [version for versions in judgement.published.values() for version in versions]
    state = judgement.state
    return {
        "windows_kept": all(0 <= v.content["at"] - v.content["due_at"] < _WINDOW_MIN for v in made),
        "hours_kept": _once(
            (row.channel_id, row.at // _HOUR_MIN) for row in state.publications if row.channel_id is not None
        ),
        "caps_kept": all(_cap_kept(judgement, version) for version in made),
        "cooldowns_kept": all(_cooldown_kept(judgement, version) for version in made),
        "planned_only": all(_was_planned(judgement, row.post_id, row.ordinal) for row in state.publications),
        "within_allowance": len(state.moves) <= judgement.plan.resources["allowance"],
    }


def _once(items: Iterable[Any]) -> bool:
    return all(count == 1 for count in Counter(items).values())


def _cap_kept(judgement: Judgement, made: Version) -> bool:
    caps, weight = judgement.caps, judgement.known.posts[made.subject].weight
    return all(carried + weight <= caps[audience] for audience, carried in judgement.carried[made.ref].items())


def _cooldown_kept(judgement: Judgement, made: Version) -> bool:
    at = made.content["at"]
    for audience in judgement.reached[made.subject]:
        last = judgement.exposure.last(audience, at, made.made)
        if last is not None and at - last < past().audiences[audience].cooldown_min:
            return False
    return True


def _was_planned(judgement: Judgement, post: str, ordinal: int) -> bool:
    """Whether a publication is a house post's only one, or an artifact tells of it."""
    if post in judgement.known.posts:
        return f"pb:{post}@{ordinal}" in judgement.state.versions
    return post in judgement.reached and ordinal == 1


def inputs(world: World, judgement: Judgement) -> dict[str, bool]:
    """Judge D4: the seed is as it was, and every version stands on what was current at its call."""
    versions = judgement.state.versions.values()
    return {
        "seed_unchanged": world.contents(SEED_TABLES) == seed_contents(),
        "inputs_current": all(_stands(judgement, *given) for given in _given(versions)),
    }


def _given(versions: Iterable[Version]) -> Iterator[tuple[Version, str, str]]:
    """Yield the versions that operations were given: what they made, the argument's name, and the reference."""
    for made in versions:
        for role in _INPUTS[made.kind]:
            said = made.content[role]
            for ref in said if isinstance(said, list) else (said,):
                if ref is not None and "@" in ref:
                    yield made, role, ref


def _stands(judgement: Judgement, made: Version, role: str, ref: str) -> bool:
    """Whether an input was current; a package's previous version and a published arm's package need not be."""
    found = judgement.state.versions.get(ref)
    if found is None:
        return False
    if role == "basis" and found.id == made.id:
        return True
    if made.kind == "ex" and role in _ARM_OF:
        run = judgement.story.course.published(made.subject, _ARM_OF[role], made.made)
        if run is not None:
            return run.pair == judgement.pair(ref)
    return found.current_at(made.made)


@cache
def seed_contents() -> list[tuple[str, ...]]:
    """Return what the seed tables hold as they are made."""
    world = World.empty(SEED_TABLES)
    for field in attrs.fields(type(seed())):
        world.insert(*getattr(seed(), field.name))
    found = world.contents(SEED_TABLES)
    world.close()
    return found


def waves(judgement: Judgement) -> dict[str, bool]:
    """Judge D5: every wave is closed."""
    found = judgement.state.waves
    numbers = range(1, judgement.plan.waves + 1)
    return {"all_closed": all(number in found and found[number].state == _CLOSED for number in numbers)}
