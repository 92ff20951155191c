"""Runs of SocialOps in which something is wrong that no variation of one call comes to; all of it is refused.

Each names the code that the handbook's order gives.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING, Any

from courses import Course
from socialops_played import Played, played

from skillhorizon.testing import Spot, Trap

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from skillhorizon.construction.workshop import Built
    from skillhorizon.model.journal import Record

WHOLE = Spot("128k", "overlapping_conversions", "recall", 14, 5)
"""Has every kind of update, one corrective post released and one deployed, and lanes that share a channel."""
HOUR, NEVER = 60, 10**6
SMALLEST = 2
_MANY = 40
LONGEST = 2_880


def refused(built: Built, records: Sequence[Record]) -> Iterator[Trap]:
    """Yield the traps of one task; those that it has no place for are left out."""
    course = Course.of(built, records)
    for lay in LAID if course.plan.waves > SMALLEST else (*EVERYWHERE, *LAID):
        yield from lay(course)


def of_kind(course: Course, kind: str) -> list[Any]:
    """The planned updates of a kind."""
    return [update for update in course.plan.updates if update.kind == kind]


def strangers(course: Course) -> Iterator[Trap]:
    """Ids that nothing has."""
    acknowledged = course.first("acknowledge_update")
    yield course.changed("NOT_FOUND", acknowledged, affected_briefs=["b-99-99"])
    for tool in ("build_package", "plan_audience", "register_experiment", "publish_post", "record_credit"):
        yield course.changed("NOT_FOUND", course.first(tool), brief_id="b-99-99")
    reported, deployed = course.first("submit_report"), course.first("deploy_campaign")
    yield course.changed("NOT_FOUND", reported, brief_id="b-99-99")
    yield course.changed("NOT_FOUND", reported, benchmark="rp:b-99-99@1")
    yield course.changed("NOT_FOUND", deployed, brief_id="b-99-99")
    yield course.changed("NOT_FOUND", deployed, post_id="p-99-99-d")
    yield course.changed("NOT_FOUND", course.first("publish_post"), post_id="p-99-99-a")
    yield course.changed("NOT_FOUND", course.first("plan_audience"), audiences=["au98", "au99"])
    for name in ("post_a", "post_b"):
        yield course.changed("NOT_FOUND", course.first("register_experiment"), **{name: "p-99-99-a"})
    for brief, post in (("b-99-99", "p-01-00-a"), ("b-01-00", "p-99-99-a")):
        moved = {"brief_id": brief, "post_id": post, "due_at": 20 * HOUR}
        yield course.refused("NOT_FOUND", 0, ("reschedule_post", moved))
        yield course.refused("NOT_FOUND", 0, ("release_post", {"brief_id": brief, "post_id": post}))
    yield course.refused("NOT_FOUND", 0, ("close_wave", {"wave": 99}))


def too_early(course: Course) -> Iterator[Trap]:
    """Work on a wave that has not opened, and the closing of another wave than the open one."""
    later = "b-02-00"
    for tool in ("build_package", "plan_audience", "register_experiment", "publish_post", "record_credit"):
        yield course.refused("WAVE_NOT_OPEN", 0, course.calls[course.first(tool, brief_id=later)])
    for tool in ("submit_report", "deploy_campaign"):
        yield course.refused("WAVE_NOT_OPEN", 0, course.calls[course.first(tool, brief_id=later)])
    yield course.refused("WAVE_NOT_OPEN", 0, ("release_post", {"brief_id": later, "post_id": "p-02-00-c"}))
    moved = {"brief_id": later, "post_id": "p-02-00-a", "due_at": 20 * HOUR}
    yield course.refused("WAVE_NOT_OPEN", 0, ("reschedule_post", moved))
    yield course.refused("WAVE_NOT_OPEN", len(course.calls), ("close_wave", {"wave": 1}))


def audits(course: Course) -> Iterator[Trap]:
    """Loads that are off by one, or of an audience too many."""
    for tool in ("publish_post", "deploy_campaign"):
        number = course.first(tool)
        loads = course.said(number)["loads"]
        audience = min(loads)
        for wrong in ({**loads, audience: loads[audience] + 1}, {**loads, "au99": 0}):
            yield course.changed("AUDIENCE_LOAD_NOT_CURRENT", number, loads=wrong)


def twice(course: Course) -> Iterator[Trap]:
    """What is published is published, planned or registered again."""
    for tool in ("publish_post", "deploy_campaign"):
        number = course.first(tool)
        name, said = course.calls[number]
        yield course.refused("POST_STATUS", number, (name, said), (name, {**said, "sources": []}))
    first = course.first("publish_post")
    planned = course.said(course.first("plan_audience", brief_id=course.said(first)["brief_id"]))
    again = ("plan_audience", {**planned, "eligible": planned["eligible"] + 1})
    yield course.refused("ALREADY_RUN", first, course.calls[first], again)


def registered_after_all(course: Course) -> Iterator[Trap]:
    """Once both arms have run, a lineage that has grown since is registered."""
    for at in course.numbers("deploy_campaign"):
        brief = course.said(at)["brief_id"]
        later = f"b-{int(brief[2:4]) + 1:02}-{brief[-2:]}"
        made = [number for number in course.numbers("register_experiment", brief_id=later) if number < at]
        runs = [number for number in course.numbers("publish_post", brief_id=later) if number < at]
        if made and len(runs) > 1:
            with played(course, at + 1) as desk:
                said = course.said(made[-1])
                yield desk.refused(
                    "ALREADY_RUN", "register_experiment", **{**said, "lineage": grown_lineage(desk, later)}
                )
            return


def grown_lineage(desk: Played, brief: str) -> list[str]:
    """What a brief's lineage would be now."""
    out: list[str] = []
    for _, upstream in desk.ask("get_brief", brief_id=brief)["depends_on"]:
        out += [row[0] for row in desk.ask("list_publications", brief_id=upstream)["rows"]]
    return out


def untimely(course: Course) -> Iterator[Trap]:
    """An arm and a deployment before the clock comes to their due minute, with all else right."""
    dues = {post.post_id: post.due_at for post in course.plan.facts.posts}
    for tool in ("publish_post", "deploy_campaign"):
        said = course.said(course.first(tool))
        brief, post = said["brief_id"], said["post_id"]
        number = next(at for at in course.numbers("advance_clock") if course.said(at)["to_minute"] >= dues[post])
        with played(course, number) as desk:
            yield desk.refused("DUE_TIME", tool, **{**said, **desk.audit(brief, post)})


def unregistered(course: Course) -> Iterator[Trap]:
    """An arm runs without an experiment."""
    number = course.first("publish_post")
    brief = course.said(number)["brief_id"]
    with played(course, number, without=(course.first("register_experiment", brief_id=brief),)) as desk:
        yield desk.refused("INPUT_STALE", "publish_post", **course.said(number))


def outdated(course: Course) -> Iterator[Trap]:
    """Versions that were replaced or ended: packages, plans, experiments, credits and reports."""
    yield from _packages(course)
    yield from _plans(course)
    deployed = course.first("deploy_campaign")
    with played(course, deployed) as desk:
        _credit_more(desk, course.said(deployed)["brief_id"])
        yield desk.refused("INPUT_STALE", "deploy_campaign", **course.said(deployed))
    for brief in [u.brief for u in of_kind(course, "calendar_substitution")]:
        number = course.first("record_credit", brief_id=brief)
        yield course.changed("INPUT_STALE", number, experiment=f"ex:{brief}@1")


def _packages(course: Course) -> Iterator[Trap]:
    registered = course.first("register_experiment")
    brief = course.said(registered)["brief_id"]
    built = course.said(course.first("build_package", brief_id=brief, arm="a"))
    test = course.said(course.first("build_package", brief_id=brief, arm="b"))
    mixed = {**test, "visual": built["visual"]}
    with played(course, registered) as desk:
        desk.do("build_package", **mixed)
        yield desk.refused("INPUT_STALE", "register_experiment", **course.said(registered))
    first, second = course.numbers("publish_post", brief_id=brief)[:2]
    with played(course, second) as desk:
        desk.do("build_package", **mixed)
        said = {**course.said(second), **desk.audit(brief, "x")}
        yield desk.refused("INPUT_STALE", "publish_post", **said)
        yield desk.refused("INPUT_STALE", "publish_post", **{**said, "package": desk.current(f"pk:{brief}.b")})
    with played(course, first + 1) as desk:
        own = {**built, "visual": test["visual"], "basis": desk.current(f"pk:{brief}.a")}
        made = desk.do("build_package", **own)["made"][0]
        said = {**course.said(registered), "control_package": made}
        yield desk.refused("INPUT_STALE", "register_experiment", **said)


def _plans(course: Course) -> Iterator[Trap]:
    """A credit upstream is recorded with one order more, and what was planned on it ends."""
    brief, before = "b-02-00", "b-01-00"
    registered = course.first("register_experiment", brief_id=brief)
    with played(course, registered) as desk:
        _credit_more(desk, before)
        yield desk.refused("INPUT_STALE", "register_experiment", **course.said(registered))
    planned = course.first("plan_audience", brief_id=brief)
    said = course.said(planned)
    yield course.changed("CREDIT_NOT_CURRENT", planned, suppress_from=[])
    yield course.changed("CREDIT_NOT_CURRENT", planned, suppress_from=[*said["suppress_from"], *said["suppress_from"]])
    reported = course.first("submit_report", brief_id=brief)
    with played(course, reported) as desk:
        yield _planned_again(desk, course.said(reported), said)
    with played(course, reported) as desk:
        yield _without_experiment(desk, course.said(reported))


def _credit_more(desk: Played, brief: str) -> None:
    """Record a credit again, with another value."""
    said = dict(desk.content(f"cr:{brief}"))
    desk.do("record_credit", brief_id=brief, **{**said, "value_a": said["value_a"] + 1})


def _planned_again(desk: Played, report: dict[str, Any], plan: dict[str, Any]) -> Trap:
    """Both arms are taken back, and another plan is made while the experiment stands by the first one."""
    brief = report["brief_id"]
    before = plan["suppress_from"][0].partition(":")[2].partition("@")[0]
    _take_back(desk, brief)
    credit = desk.current(f"cr:{brief}")
    said = dict(desk.content(f"cr:{before}"))
    more = {**said, "conv_a": said["conv_a"] + 1}
    desk.do("record_credit", brief_id=before, **more)
    eligible = plan["eligible"] - 1
    data = desk.ask("get_brief", brief_id=brief)
    holdout = eligible * data["holdout_bp"] // 10_000
    arm_b = (eligible - holdout) * data["split_bp"] // 10_000
    sizes = {"eligible": eligible, "holdout": holdout, "arm_a": eligible - holdout - arm_b, "arm_b": arm_b}
    cited = [desk.current(f"cr:{before}"), *plan["suppress_from"][1:]]
    desk.do("plan_audience", **{**plan, **sizes, "suppress_from": cited})
    return desk.refused("INPUT_STALE", "submit_report", **{**report, "credit": credit})


def _take_back(desk: Played, brief: str) -> None:
    """Move both published arms far ahead, wait until they were observed, and credit what is left: nothing."""
    start = int(desk.ask("get_post", post_id=f"p{brief[1:]}-d")["due_at"]) - HOUR * (34 + int(brief[-2:]))
    for post, hour in ((f"p{brief[1:]}-a", 45), (f"p{brief[1:]}-b", 46)):
        desk.do("reschedule_post", brief_id=brief, post_id=post, due_at=start + HOUR * hour)
    end = start + HOUR * 60
    while desk.clock < end:
        desk.do("advance_clock", to_minute=min(end, desk.clock + LONGEST))
    version = desk.ask("list_conversions", brief_id=brief)["feed_version"]
    nothing = dict.fromkeys(("conv_a", "conv_b", "value_a", "value_b"), 0)
    experiment = desk.current(f"ex:{brief}")
    desk.do("record_credit", brief_id=brief, experiment=experiment, feed_version=version, **nothing)


def _without_experiment(desk: Played, report: dict[str, Any]) -> Trap:
    """Both arms are taken back, another experiment is registered, and another package ends it."""
    brief = report["brief_id"]
    _take_back(desk, brief)
    own, control = dict(desk.content(f"pk:{brief}.b")), desk.content(f"pk:{brief}.a")
    build = partial(desk.do, "build_package", brief_id=brief, arm="b", copy=own["copy"], basis="brief")
    build(visual=control["visual"])
    experiment = {**desk.content(f"ex:{brief}"), "test_package": desk.current(f"pk:{brief}.b")}
    desk.do("register_experiment", brief_id=brief, **{**experiment, "lineage": grown_lineage(desk, brief)})
    build(visual=own["visual"])
    return desk.refused("INPUT_STALE", "submit_report", **{**report, "credit": desk.current(f"cr:{brief}")})


def undelivered(course: Course) -> Iterator[Trap]:
    """A wave is closed whose report has ended; its posts are settled."""
    with played(course, course.first("close_wave", wave=1)) as desk:
        _credit_more(desk, "b-01-00")
        yield desk.refused("WAVE_INCOMPLETE", "close_wave", wave=1)


def withdrawn(course: Course) -> Iterator[Trap]:
    """An asset whose rights are gone is built with, and deployed."""
    for update in of_kind(course, "rights_withdrawal"):
        told = course.first("acknowledge_update", notice_id=update.id)
        built = (number for number in course.numbers("build_package") if number < told)
        for number in built:
            said = course.said(number)
            if update.asset in (said["visual"], said["copy"]):
                yield course.refused("ASSET_WITHDRAWN", told, ("build_package", said))
                break
        for number in course.numbers("deploy_campaign"):
            package, _, version = course.said(number)["package"].rpartition("@")
            if number > told and int(version) > 1:
                yield course.changed("INPUT_STALE", number, package=f"{package}@{int(version) - 1}")


def corrected(course: Course) -> Iterator[Trap]:
    """Corrective posts: deployed although nothing changed, left scheduled, moved once released."""
    for number in course.numbers("release_post"):
        said = course.said(number)
        brief, post = said["brief_id"], said["post_id"]
        with played(course, number) as desk:
            deployed = desk.content(f"dp:{brief}")
            asked = {**said, "report": desk.current(f"rp:{brief}"), "package": deployed["package"]}
            yield desk.refused("DEPLOYMENT_VALID", "deploy_campaign", **asked, sources=[], loads={})
        with played(course, number + 1) as desk:
            due = desk.clock // HOUR * HOUR + 44 * HOUR
            yield desk.refused("POST_STATUS", "reschedule_post", **said, due_at=due)
        wave = next(u.wave + 1 for u in of_kind(course, "conversion_correction") if u.post.post_id == post)
        closed = course.first("close_wave", wave=wave)
        with played(course, closed, without=(number,)) as desk:
            yield desk.refused("WAVE_INCOMPLETE", "close_wave", wave=wave)
        return


def moved(course: Course) -> Iterator[Trap]:
    """Posts moved where there is no place."""
    brief = "b-01-00"
    own = {"brief_id": brief, "post_id": "p-01-00-b"}
    first = ("reschedule_post", {**own, "post_id": "p-01-00-a", "due_at": 20 * HOUR})
    yield course.refused("SLOT_TAKEN", 0, first, ("reschedule_post", {**own, "due_at": 20 * HOUR}))
    yield course.refused("SLOT_TAKEN", 0, ("reschedule_post", {**own, "due_at": 24 * HOUR}))
    late = {"brief_id": brief, "post_id": "p-01-00-d", "due_at": NEVER * HOUR}
    yield course.refused("SLOT_TAKEN", len(course.calls), ("reschedule_post", late))
    with played(course, course.first("close_wave", wave=1) + 1) as desk:
        yield desk.refused("WAVE_CLOSED", "reschedule_post", **own, due_at=desk.clock + 20 * HOUR)


def restless(course: Course) -> Iterator[Trap]:
    """A deployment moved behind the house post reaches a lapsed audience too early."""
    number = course.first("deploy_campaign")
    said = course.said(number)
    brief, post = said["brief_id"], said["post_id"]
    with played(course, number) as desk:
        audiences = desk.ask("get_brief", brief_id=brief)["audiences"]
        rest = [row[-1] for row in desk.ask("get_audiences", audience_ids=audiences)["audiences"]["rows"]]
        if not any(rest):
            return
        desk.do("reschedule_post", brief_id=brief, post_id=post, due_at=44 * HOUR)
        desk.do("advance_clock", to_minute=44 * HOUR)
        yield desk.refused("COOLDOWN", "deploy_campaign", **{**said, **desk.audit(brief, post)})


def overfull(course: Course) -> Iterator[Trap]:
    """A post runs again and again, until an audience carries too much."""
    for tool in ("publish_post", "deploy_campaign"):
        number = course.last(tool)
        yield from _again_and_again(course, number)


def _again_and_again(course: Course, number: int) -> Iterator[Trap]:
    tool, said = course.calls[number]
    brief, post = said["brief_id"], said["post_id"]
    with played(course, number + 1) as desk:
        audiences = desk.ask("get_brief", brief_id=brief)["audiences"]
        if any(row[-1] for row in desk.ask("get_audiences", audience_ids=audiences)["audiences"]["rows"]):
            return
        for _ in range(_MANY):
            free = desk.ask("list_calendar")["free"]
            due = min(minute for minutes in free.values() for minute in minutes if minute > desk.clock)
            desk.do("reschedule_post", brief_id=brief, post_id=post, due_at=due)
            desk.do("advance_clock", to_minute=due)
            asked = {**said, **desk.audit(brief, post)}
            answer = desk.do(tool, **asked)
            if answer.get("error", {}).get("code") == "AUDIENCE_CAP":
                desk.made.pop()
                yield desk.refused("AUDIENCE_CAP", tool, **asked)
                return


def compared(course: Course) -> Iterator[Trap]:
    """Benchmarks that are missing, or not asked for."""
    plain = course.first("submit_report", brief_id="b-02-00")
    yield course.changed("BENCHMARK_NOT_CURRENT", plain, benchmark="rp:b-01-00@1")
    for number in course.numbers("submit_report"):
        said = dict(course.said(number))
        if said.pop("benchmark", None):
            yield course.refused("BENCHMARK_NOT_CURRENT", number, ("submit_report", said))
            return


Lay = Callable[[Course], Iterable[Trap]]
EVERYWHERE: tuple[Lay, ...] = (strangers, too_early, audits, twice, unregistered, undelivered, moved, restless)
"""What any task has a place for; the smallest ones are enough."""
LAID: tuple[Lay, ...] = (registered_after_all, outdated, untimely, withdrawn, corrected, overfull, compared)
"""What some tasks have a place for."""
