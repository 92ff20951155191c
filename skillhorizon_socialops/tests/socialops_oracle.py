"""A slow, obvious second opinion on every brief: plain dicts and loops over the plan, the world and its log."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from skillhorizon import loads
from skillhorizon_socialops.catalogue import seed
from skillhorizon_socialops.rows import Firing, Move, Post, Publication, Wave

if TYPE_CHECKING:
    from socialops_runs import Run

    from skillhorizon_socialops.plan import Facts
    from skillhorizon_socialops.rows import DependsOn

Case = dict[str, Any]
EVER = 10**9


def case_of(run: Run) -> Case:
    """Gather what happened, in calls and minutes."""
    made = [
        {"ref": f"{name}@{number}", "id": name, "kind": kind, "of": of, "call": call, "ended": ended, **loads(text)}
        for name, number, kind, of, call, ended, text in run.world.sql(
            "SELECT id, version, kind, subject, made, ended, content_text FROM artifact ORDER BY made"
        )
    ]
    closings = [r for r in run.records if r.tool == "close_wave" and r.outcome == "accepted"]
    facts = run.plan.facts
    return {
        "plan": run.plan,
        "briefs": {brief.brief_id: brief for brief in facts.briefs},
        "rows": {
            b.brief_id: [(d.role, d.upstream) for d in facts.depends if d.brief_id == b.brief_id] for b in facts.briefs
        },
        "posts": {post.post_id: post for post in run.world.select(Post)},
        "runs": sorted(run.world.select(Publication), key=lambda row: row.call),
        "moves": run.world.select(Move),
        "starts": {wave.wave: wave.start for wave in run.world.select(Wave)},
        "fired": {row.update_id: row.call for row in run.world.select(Firing)},
        "closings": [0, *(record.index for record in closings)],
        "made": made,
        "updates": {update.id: update for update in run.plan.updates},
        **seeds(),
    }


def of_brief(facts: Facts, brief: str) -> list[DependsOn]:
    return [row for row in facts.depends if row.brief_id == brief]


@cache
def seeds() -> Case:
    """Return the seed's publications by campaign and by audience, its assets and their channels."""
    campaign = {post.post_id: post.campaign_id for post in seed().posts}
    by_campaign: dict[str, list[tuple[int, str, int]]] = {}
    for row in seed().publications:
        by_campaign.setdefault(campaign[row.post_id], []).append((row.at, row.post_id, row.weight))
    by_audience: dict[str, list[tuple[int, str, int]]] = {}
    for link in seed().campaign_audiences:
        by_audience.setdefault(link.audience_id, []).extend(by_campaign[link.campaign_id])
    channels: dict[str, set[str]] = {}
    for place in seed().asset_channels:
        channels.setdefault(place.asset_id, set()).add(place.channel_id)
    assets = {asset.asset_id: asset for asset in seed().assets}
    return {"campaign_runs": by_campaign, "audience_runs": by_audience, "assets": assets, "channels": channels}


def judged(run: Run) -> dict[str, dict[str, bool]]:
    """Return each brief's conditions."""
    case = case_of(run)
    return {f"brief:{brief}": conditions(case, brief) for brief in case["briefs"]}


def conditions(case: Case, brief: str) -> dict[str, bool]:
    ex, cr, rp, dp = (current(case, f"{kind}:{brief}") for kind in ("ex", "cr", "rp", "dp"))
    substitute = f"p{brief[1:]}-s" in case["posts"]
    arms = {"a": f"p{brief[1:]}-a", "b": f"p{brief[1:]}-{'s' if substitute else 'b'}"}
    plan = {} if ex is None else next(m for m in case["made"] if m["ref"] == ex["plan"])
    published = [m for m in case["made"] if m["kind"] == "pb" and case["posts"][m["of"]].brief_id == brief]
    return {
        "experiment": ex is not None,
        "arms_published": all(case["posts"][post].status == "published" for post in arms.values()),
        "control_right": ran_right(case, brief, "a"),
        "test_right": ran_right(case, brief, "b"),
        "plan_true": ex is not None and said(plan, sizes(case, brief)),
        "credit_true": cr is not None and said(cr, credit(case, brief, EVER)),
        "report_true": rp is not None and said(rp, rates(case, brief, EVER)),
        "deployed": dp is not None,
        "deployment_right": dp is not None and deployed_right(case, brief, dp),
        "lineage_true": ex is not None and ex["lineage"] == lineage(case, brief, ex["call"]),
        "sources_true": bool(published) and all(m["sources"] == exposed(case, m)[0] for m in published),
        "loads_true": bool(published) and all(m["loads"] == exposed(case, m)[1] for m in published),
    }


def said(content: dict[str, Any], right: dict[str, Any]) -> bool:
    return all(content[name] == value for name, value in right.items())


def current(case: Case, name: str) -> Any:
    return next((m for m in case["made"] if m["id"] == name and m["ended"] is None), None)


# Conversions, sizes, rates


def fired(case: Case, kind: str, when: int) -> list[Any]:
    """Return the updates of a kind that fired before a call."""
    return [u for u in case["updates"].values() if u.kind == kind and case["fired"].get(u.id, EVER) < when]


def correction_of(case: Case, brief: str, when: int) -> Any:
    return next((u for u in fired(case, "conversion_correction", when) if u.brief == brief), None)


def until_of(case: Case, brief: str) -> int:
    posts = [case["posts"].get(f"p{brief[1:]}-{letter}") for letter in "abs"]
    return 840 + max(int(post.due_at) for post in posts if post is not None and post.status != "withdrawn")


def feed(case: Case, brief: str, when: int) -> list[dict[str, Any]]:
    update, out = correction_of(case, brief, when), []
    for event in case["plan"].facts.events:
        if brief not in event.briefs:
            continue
        posts = [case["posts"].get(post) for post, _ in event.touches]
        if not event.shared and not all(post is not None and post.status == "published" for post in posts):
            continue
        delay, void = event.delay, event.void
        if update is not None:
            void = void or event.id in update.voided
            for name, later in update.retimed:
                if name == event.id:
                    delay = later
        touches = []
        for post, offset in event.touches:
            base = case["starts"][event.wave] if event.shared else case["posts"][post].due_at
            touches.append((post, base + offset))
        at = max(minute for _, minute in touches) + delay
        row = {"id": event.id, "order": event.order, "at": at, "value": event.value, "void": void, "touches": touches}
        out.append(row)
    return out


def credit(case: Case, brief: str, when: int) -> dict[str, int]:
    counts = {"conv_a": 0, "conv_b": 0, "value_a": 0, "value_b": 0}
    seen = set()
    for row in sorted(feed(case, brief, when), key=lambda row: (row["at"], row["id"])):
        if row["void"] or row["at"] > until_of(case, brief) or row["order"] in seen:
            continue
        seen.add(row["order"])
        best: Any = None
        for post, minute in row["touches"]:
            owner = case["briefs"][f"b{post[1:-2]}"]
            if row["at"] - minute <= owner.credit_window_min:
                key = (-minute, owner.priority, post)
                best = key if best is None or key < best else best
        if best is not None and best[2][1:-2] == brief[1:]:
            arm = "a" if best[2].endswith("-a") else "b"
            counts[f"conv_{arm}"] += 1
            counts[f"value_{arm}"] += row["value"]
    return counts


def opening(case: Case, brief: str) -> int:
    """Return the first call after a brief's wave opened."""
    return int(case["closings"][case["briefs"][brief].wave - 1]) + 1


def sizes(case: Case, brief: str) -> dict[str, int]:
    row = case["briefs"][brief]
    known = {audience.audience_id: audience for audience in seed().audiences}
    one, other = sorted(row.audiences)
    overlap = next(each.users for each in seed().audience_overlaps if (each.a, each.b) == (one, other))
    eligible = -overlap
    for name in (one, other):
        eligible += known[name].size * known[name].lapsed_bp // 10_000
    for role, upstream in case["rows"][brief]:
        if role == "suppress":
            found = credit(case, upstream, opening(case, brief))
            eligible -= found["conv_a"] + found["conv_b"]
    holdout = eligible * row.holdout_bp // 10_000
    arm_b = (eligible - holdout) * row.split_bp // 10_000
    return {"eligible": eligible, "holdout": holdout, "arm_a": eligible - holdout - arm_b, "arm_b": arm_b}


def reported(case: Case, brief: str, when: int) -> int:
    """Return the call of the last report before the next closing from a call on; the call itself without one."""
    end = min((call for call in case["closings"] if call >= when), default=EVER)
    calls = [m["call"] for m in case["made"] if m["kind"] == "rp" and m["of"] == brief and m["call"] <= end]
    return calls[-1] if calls else when


def rates(case: Case, brief: str, when: int) -> dict[str, Any]:
    row, found, arms = case["briefs"][brief], credit(case, brief, when), sizes(case, brief)
    rate_a = found["conv_a"] * 1_000_000 // arms["arm_a"]
    rate_b = found["conv_b"] * 1_000_000 // arms["arm_b"]
    lift = (rate_b - rate_a) * 10_000 // max(1, rate_a)
    test = found["conv_a"] + found["conv_b"] >= row.min_conv and lift >= row.min_lift_bp
    for role, upstream in case["rows"][brief]:
        if role == "benchmark":
            before = rates(case, upstream, reported(case, brief, when))
            best = before["rate_b_ppm"] if before["winner"] == "test" else before["rate_a_ppm"]
            test = test and rate_b * 10_000 >= best * row.benchmark_bp
    return {"rate_a_ppm": rate_a, "rate_b_ppm": rate_b, "lift_bp": lift, "winner": "test" if test else "control"}


# Packages


def withdrawn(case: Case, call: int) -> set[str]:
    return {update.asset for update in fired(case, "rights_withdrawal", call)}


def best(case: Case, brief: str, role: str, angle: str, barred: set[str]) -> str:
    row = case["briefs"][brief]
    first = case["starts"][row.wave] + 60 * (2 + row.lane)
    last = case["starts"][row.wave] + 60 * (34 + row.lane) + 1_440
    fitting = []
    for asset in case["assets"].values():
        same = (asset.role, asset.locale, asset.format, asset.angle) == (role, row.locale, row.format, angle)
        licensed = asset.status == "active" and asset.rights_from <= first and asset.rights_to >= last
        if same and licensed and row.channel_id in case["channels"][asset.asset_id] and asset.asset_id not in barred:
            fitting.append((-asset.quality_bp, asset.asset_id))
    return str(min(fitting)[1])


def kept(case: Case, brief: str, pair: list[str], call: int) -> list[str]:
    gone, out = withdrawn(case, call), []
    for name in pair:
        asset = case["assets"][name]
        out.append(best(case, brief, asset.role, asset.angle, gone) if name in gone else name)
    return out


def arm_runs(case: Case, brief: str, arm: str) -> list[dict[str, Any]]:
    """Return an arm's publications: call, assets, and the call that took it back."""
    out = []
    for made in case["made"]:
        if made["kind"] == "pb" and made["of"][1:-2] == brief[1:] and made["of"][-1] in ("a" if arm == "a" else "bs"):
            package = next(m for m in case["made"] if m["ref"] == made["package"])
            later = [m.call for m in case["moves"] if m.post_id == made["of"] and m.call > made["call"]]
            pair = [package["visual"], package["copy"]]
            out.append({"call": made["call"], "pair": pair, "until": min(later, default=EVER)})
    return out


def ran(case: Case, brief: str, arm: str, call: int) -> Any:
    """Return the publication that an arm stood by at a call."""
    found = [run for run in arm_runs(case, brief, arm) if run["call"] < call <= run["until"]]
    return found[-1] if found else None


def right(case: Case, brief: str, arm: str, call: int) -> list[str]:
    row = case["briefs"][brief]
    if arm == "b":
        control = ran(case, brief, "a", call)
        barred = withdrawn(case, call) | set(right(case, brief, "a", call) if control is None else control["pair"])
        return [best(case, brief, role, row.angle, barred) for role in ("visual", "copy")]
    if row.wave == 1:
        return kept(case, brief, [row.baseline_visual, row.baseline_copy], call)
    before = next(upstream for role, upstream in case["rows"][brief] if role == "control")
    won = "b" if rates(case, before, opening(case, brief))["winner"] == "test" else "a"
    runs = arm_runs(case, before, won)
    return kept(case, brief, right(case, before, won, runs[-1]["call"] if runs else call), call)


def ran_right(case: Case, brief: str, arm: str) -> bool:
    runs = arm_runs(case, brief, arm)
    return bool(runs) and runs[-1]["pair"] == right(case, brief, arm, runs[-1]["call"])


def deployed_right(case: Case, brief: str, made: dict[str, Any]) -> bool:
    report = next(m for m in case["made"] if m["ref"] == made["report"])
    package = next(m for m in case["made"] if m["ref"] == made["package"])
    arm = "b" if report["winner"] == "test" else "a"
    run = ran(case, brief, arm, made["call"])
    pair = [package["visual"], package["copy"]]
    return run is not None and package["arm"] == arm and pair == kept(case, brief, run["pair"], made["call"])


# Publications


def lineage(case: Case, brief: str, call: int) -> list[str]:
    row = case["briefs"][brief]
    if row.wave == 1:
        return [post for at, post, _ in sorted(case["campaign_runs"][row.campaign_id]) if -43_200 < at <= 0]
    out = []
    for _, upstream in case["rows"][brief]:
        own = [(r.at, r.post_id) for r in case["runs"] if r.post_id[1:-2] == upstream[1:] and r.call < call]
        out += [post for _, post in sorted(own)]
    return out


def exposed(case: Case, made: dict[str, Any]) -> tuple[list[str], dict[str, int]]:
    """Return the sources and loads that a publication had to state."""
    sources: list[str] = []
    carried: dict[str, int] = {}
    for audience in sorted(case["briefs"][f"b{made['of'][1:-2]}"].audiences):
        runs = [run for run in case["runs"] if run.call < made["call"] and audience in audiences_of(case, run.post_id)]
        seen = [*case["audience_runs"][audience], *((run.at, run.post_id, run.weight) for run in runs)]
        seen = sorted(each for each in seen if each[0] >= made["at"] - 2_880)
        sources += [post for _, post, _ in seen]
        carried[audience] = 0
        for at, _, weight in seen:
            left = weight
            for _ in range((made["at"] - at) // 480):
                left = left * retention(case, audience, made["call"]) // 10_000
            carried[audience] += left
    return sources, carried


def audiences_of(case: Case, post: str) -> list[str]:
    if post.startswith("hp-"):
        return [post[3:-3]]
    return list(case["briefs"][f"b{post[1:-2]}"].audiences)


def retention(case: Case, audience: str, call: int) -> int:
    found = next(p.retention_bp for p in case["plan"].facts.policies if p.audience_id == audience)
    for update in case["updates"].values():
        if (
            update.kind == "retention_change"
            and update.audience == audience
            and case["fired"].get(update.id, EVER) < call
        ):
            found = update.retention_bp
    return int(found)
