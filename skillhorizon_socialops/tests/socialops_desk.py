"""A small hand-made season of five briefs in three waves, and a planner who runs it, for the tests of the gateway."""

from __future__ import annotations

from typing import Any

import attrs

from skillhorizon import After, World
from skillhorizon.testing import Handmade
from skillhorizon_socialops.gateway import TOOLS
from skillhorizon_socialops.plan import (
    AnyUpdate,
    CalendarSubstitution,
    ConversionCorrection,
    RerunOrder,
    RetentionChange,
    RightsWithdrawal,
)
from skillhorizon_socialops.rows import (
    TABLES,
    Asset,
    AssetChannel,
    Audience,
    AudienceOverlap,
    Brief,
    Campaign,
    CampaignAudience,
    Channel,
    Conversion,
    DependsOn,
    Feed,
    HousePost,
    Policy,
    Post,
    Programme,
    Rerun,
    SeedPost,
    SeedPublication,
    Wave,
)
from skillhorizon_socialops.rules import Thresholds, load, outcome, split, winning_rate
from skillhorizon_socialops.updates import apply

CAP, ALLOWANCE, WAVES = 2_000, 3, 3
LAPSED = "au3"
AUDIENCES = [
    Audience("au1", 42_000, 10_000, 8_000, 0),
    Audience("au2", 31_500, 10_000, 7_000, 0),
    Audience(LAPSED, 60_000, 4_000, 8_000, 470),
    Audience("au9", 20_000, 10_000, 9_000, 0),
]
OVERLAPS = [
    AudienceOverlap("au1", "au2", 5_260),
    AudienceOverlap("au1", LAPSED, 700),
    AudienceOverlap("au2", LAPSED, 900),
]
LANES = {0: ("au1", "au2"), 1: ("au2", LAPSED)}
HOURS = {"a": 2, "b": 10, "s": 18, "d": 34, "c": 24}
WEIGHTS = {"a": 150, "b": 160, "s": 170, "d": 360, "c": 380}
DEPENDS = [
    DependsOn("b-02-00", 1, "control", "b-01-00"),
    DependsOn("b-02-00", 2, "suppress", "b-01-00"),
    DependsOn("b-02-01", 1, "control", "b-01-01"),
    DependsOn("b-02-01", 2, "suppress", "b-01-01"),
    DependsOn("b-02-01", 3, "suppress", "b-01-00"),
    DependsOn("b-02-01", 4, "history", "b-01-00"),
    DependsOn("b-03-00", 1, "control", "b-02-00"),
    DependsOn("b-03-00", 2, "suppress", "b-02-00"),
    DependsOn("b-03-00", 3, "benchmark", "b-01-00"),
    DependsOn("b-03-00", 4, "history", "b-02-01"),
]
BRIEFS = {"b-01-00": (1, 0), "b-01-01": (1, 1), "b-02-00": (2, 0), "b-02-01": (2, 1), "b-03-00": (3, 0)}
SEED_PUBLICATIONS = [
    SeedPublication("sp1", 1, -50_000, 90),
    SeedPublication("sp2", 1, -43_200, 90),
    SeedPublication("sp3", 1, -43_199, 100),
    SeedPublication("sp3", 2, -2_700, 200),
    SeedPublication("sp4", 1, -700, 120),
    SeedPublication("sp9", 1, -400, 130),
]
SEED_POSTS = {"sp1": "cm1", "sp2": "cm1", "sp3": "cm1", "sp4": "cm1", "sp5": "cm1", "sp9": "cm2"}


def minute(wave: int, hour: int) -> int:
    """Return T(wave, hour) while every wave is closed in time."""
    return 2_880 * (wave - 1) + 60 * hour


def _brief(name: str, wave: int, lane: int) -> Brief:
    first = wave == 1
    return Brief(
        brief_id=name,
        wave=wave,
        lane=lane,
        campaign_id=f"cm{lane + 1}",
        channel_id="ch1",
        locale="de",
        format="image",
        angle="proof",
        audiences=list(LANES[lane]),
        credit_window_min=240,
        priority=lane + 1,
        holdout_bp=1_000,
        split_bp=5_000,
        min_conv=7,
        min_lift_bp=600,
        benchmark_bp=8_500 if wave == 3 else None,
        baseline_visual="v1" if first else None,
        baseline_copy="c1" if first else None,
    )


def post(brief: str, arm: str, wave: int = 0) -> Post:
    """Return a post of a brief as it is planned."""
    own, lane = BRIEFS[brief]
    runs, hour = wave or own, HOURS[arm] + lane
    return Post(f"p{brief[1:]}-{arm}", brief, arm, "ch1", runs, hour, minute(runs, hour), WEIGHTS[arm], "scheduled")


def _feed(brief: str, wave: int) -> list[Conversion]:
    """Return ten events of a brief: three of arm a, six of arm b, and one that another brief touches too."""
    stem = f"p{brief[1:]}"
    own = [
        Conversion(
            brief, f"e{number}", f"o{number}", wave, 0, [[f"{stem}-{arm}", 60 + number]], 30, 100 * number, "paid"
        )
        for number, arm in enumerate("aaabbbbbb", 1)
    ]
    shared = Conversion(brief, "e99", "o99", wave, 1, [[f"{stem}-a", 250], [f"{stem}-b", 700]], 40, 990, "paid")
    return [*own, shared]


def _assets() -> list[Any]:
    rows: list[Any] = []
    for letter, role in (("v", "visual"), ("c", "copy")):
        for number, angle in enumerate(("price", "proof", "proof", "proof", "ease"), 1):
            name = f"{letter}{number}"
            rows.append(Asset(name, role, "de", "image", angle, 9_000 - number, -900, 99_999_999, "active"))
            rows += [AssetChannel(name, "ch1"), AssetChannel(name, "ch2")]
        rows.append(Asset(f"{letter}8", role, "de", "image", "proof", 9_900, -900, 2_000, "retired"))
        rows.append(Asset(f"{letter}9", role, "fr", "image", "proof", 9_000, -900, 99_999_999, "active"))
        rows.append(Asset(f"{letter}7", role, "de", "video", "proof", 9_000, -900, 99_999_999, "active"))
    return rows


def _template() -> World:
    made = World.empty(TABLES)
    made.insert(Channel("ch1", "image"), Channel("ch2", "image"), Channel("ch3", "video"))
    made.insert(*AUDIENCES, *OVERLAPS, *_assets(), *SEED_PUBLICATIONS, *DEPENDS)
    made.insert(Campaign("cm1", "Spring sale", "de", "ch1"), Campaign("cm2", "Winter week", "de", "ch2"))
    made.insert(*(SeedPost(name, campaign) for name, campaign in SEED_POSTS.items()))
    reached = [("cm1", "au1"), ("cm1", "au2"), ("cm2", "au2"), ("cm2", LAPSED)]
    made.insert(*(CampaignAudience(*each) for each in reached))
    for name, (wave, lane) in BRIEFS.items():
        made.insert(_brief(name, wave, lane), Feed(name, 1), Rerun(name, 0), *(post(name, arm) for arm in "abd"))
        made.insert(*_feed(name, wave))
    made.insert(*(Policy(each.audience_id, 1, 0, each.retention_bp, CAP) for each in AUDIENCES[:3]))
    for wave in range(1, WAVES + 1):
        made.insert(Wave(wave, minute(wave, 0), None, "open" if wave == 1 else "unopened"))
        made.insert(
            *(HousePost(f"hp-{each.audience_id}-{wave:02}", each.audience_id, wave, 90) for each in AUDIENCES[:3])
        )
    made.insert(Programme("programme", WAVES, ALLOWANCE))
    return made


_WORLD = _template()


def world() -> World:
    """Return the season at its start."""
    return _WORLD.clone()


VOIDED = ConversionCorrection(
    id="N-01",
    trigger=After("wave_closed", 1),
    wave=1,
    brief="b-01-00",
    voided=("e4", "e5", "e6"),
    retimed=(("e7", 400), ("e8", 400)),
    post=post("b-01-00", "c", 2),
)
SLIGHT = attrs.evolve(VOIDED, voided=("e1",), retimed=())
RERUN = RerunOrder(id="N-01", trigger=After("wave_closed", 1), wave=1, brief="b-01-01", hour=25)
SUBSTITUTION = CalendarSubstitution(
    id="N-01", trigger=After("hour:2/9", 1), wave=1, brief="b-02-00", post=post("b-02-00", "s")
)
RETENTION = RetentionChange(id="N-01", trigger=After("hour:2/12", 1), wave=1, audience=LAPSED, retention_bp=7_500)
WITHDRAWAL = RightsWithdrawal(id="N-01", trigger=After("hour:2/20", 1), wave=1, asset="v2")


class Desk(Handmade):
    """A planner with a session; its methods make the right calls."""

    def __init__(self, *updates: AnyUpdate) -> None:
        super().__init__(world(), TOOLS, apply, updates)

    def post(self, post_id: str) -> Post:
        """Return a post as it stands."""
        found = self.world.get(Post, post_id)
        assert found is not None
        return found

    def brief(self, brief: str) -> Any:
        """Read a brief."""
        return self.call("get_brief", brief_id=brief)

    def go(self, to_minute: int) -> list[Any]:
        """Advance to a minute, and return the notices of the way."""
        notices: list[Any] = []
        while self.world.clock < to_minute:
            until = min(to_minute, self.world.clock + 2_880)
            notices += self.call("advance_clock", to_minute=until)["notices"]
        return notices

    def rows_of(self, brief: str, role: str) -> list[str]:
        """Return the briefs of a brief's rows."""
        return [row.upstream for row in DEPENDS if row.brief_id == brief and role in ("", row.role)]

    def arm(self, brief: str, arm: str) -> Post:
        """Return the post that stands in an arm."""
        posts = self.world.select(Post, brief_id=brief)
        return next(
            each for each in posts if each.status != "withdrawn" and each.arm in (arm, "s" if arm == "b" else "")
        )

    def basis(self, brief: str, arm: str) -> str:
        """Return the basis that a package has (R2)."""
        if self.arm(brief, arm).status == "published":
            last = self.world.ledger.last(f"pk:{brief}.{arm}")
            assert last is not None
            return last.ref
        if arm == "b" or BRIEFS[brief][0] == 1:
            return "brief"
        report = self.world.ledger.current(f"rp:{self.rows_of(brief, 'control')[0]}")
        return "" if report is None else report.ref

    def package(self, brief: str, arm: str, **changes: Any) -> dict[str, Any]:
        """Return arguments of a package that are accepted."""
        chosen = {"visual": "v1", "copy": "c1"} if arm == "a" else {"visual": "v2", "copy": "c2"}
        return {"brief_id": brief, "arm": arm, **chosen, "basis": self.basis(brief, arm), **changes}

    def build(self, brief: str, arm: str, **changes: Any) -> Any:
        """Build a package."""
        return self.call("build_package", **self.package(brief, arm, **changes))

    def planning(self, brief: str, **changes: Any) -> dict[str, Any]:
        """Return the right arguments of a plan (R3)."""
        lane = LANES[BRIEFS[brief][1]]
        cited = [self.ref(f"cr:{name}") for name in self.rows_of(brief, "suppress")]
        taken = sum(self.content(ref)["conv_a"] + self.content(ref)["conv_b"] for ref in cited)
        taken += next(each.users for each in OVERLAPS if (each.a, each.b) == lane)
        segments = [(each.size, each.lapsed_bp) for each in AUDIENCES if each.audience_id in lane]
        numbers = attrs.asdict(split(segments, taken, 1_000, 5_000))
        return {"brief_id": brief, "audiences": list(lane), "suppress_from": cited, **numbers, **changes}

    def plan(self, brief: str) -> Any:
        """Plan a brief's audience."""
        return self.call("plan_audience", **self.planning(brief))

    def lineage(self, brief: str) -> list[str]:
        """Return the right lineage of a brief (R4)."""
        wave, lane = BRIEFS[brief]
        if wave == 1:
            return ["sp3", "sp3", "sp4"] if lane == 0 else ["sp9"]
        return [row[0] for name in self.rows_of(brief, "") for row in self.rows("list_publications", brief_id=name)]

    def registration(self, brief: str, **changes: Any) -> dict[str, Any]:
        """Return the right arguments of a registration (R4)."""
        packages = {}
        for name, arm in (("control_package", "a"), ("test_package", "b")):
            standing = self.arm(brief, arm)
            ran = standing.status == "published"
            packages[name] = self.content(f"pb:{standing.post_id}")["package"] if ran else self.ref(f"pk:{brief}.{arm}")
        return {
            "brief_id": brief,
            "plan": self.ref(f"ap:{brief}"),
            **packages,
            "post_a": self.arm(brief, "a").post_id,
            "post_b": self.arm(brief, "b").post_id,
            "lineage": self.lineage(brief),
            **changes,
        }

    def register(self, brief: str) -> Any:
        """Register a brief's experiment."""
        return self.call("register_experiment", **self.registration(brief))

    def prepare(self, *briefs: str) -> None:
        """Build, plan and register briefs."""
        for brief in briefs:
            self.build(brief, "a")
            self.build(brief, "b")
            self.plan(brief)
            self.register(brief)

    def exposure(self, brief: str) -> dict[str, Any]:
        """Return the right sources and loads of a brief's audiences at this minute (R5)."""
        names, clock = self.brief(brief)["audiences"], self.world.clock
        read = self.call("list_publications", audience_ids=names, since=clock - 2_880)["groups"]
        audiences = self.call("get_audiences", audience_ids=names)["audiences"]
        keeps = {row[0]: row[4] for row in audiences["rows"]}
        sources = [row[0] for name in sorted(read) for row in read[name]]
        loads = {name: load(clock, [(row[1], row[2]) for row in read[name]], keeps[name]) for name in sorted(read)}
        return {"sources": sources, "loads": loads}

    def publication(self, post_id: str, **changes: Any) -> dict[str, Any]:
        """Return the right arguments of an arm's publication now (R5)."""
        found = self.post(post_id)
        package = self.ref(f"pk:{found.brief_id}.{'a' if found.arm == 'a' else 'b'}")
        asked = {"brief_id": found.brief_id, "post_id": post_id, "package": package}
        return {**asked, **self.exposure(found.brief_id), **changes}

    def publish(self, post_id: str) -> Any:
        """Publish an arm's post."""
        return self.call("publish_post", **self.publication(post_id))

    def publish_due(self, post_id: str, late: int = 0) -> Any:
        """Publish an arm's post at its due minute, or some minutes late."""
        self.go(self.post(post_id).due_at + late)
        return self.publish(post_id)

    def run_arms(self, *briefs: str) -> None:
        """Publish the arms of briefs by due minute."""
        posts = [self.arm(brief, arm) for brief in briefs for arm in "ab"]
        for each in sorted(posts, key=lambda found: found.due_at):
            if each.status == "scheduled":
                self.publish_due(each.post_id)

    def crediting(self, brief: str, conv_a: int = 3, conv_b: int = 6, **changes: Any) -> dict[str, Any]:
        """Return arguments of a credit that are accepted; test wins by default."""
        version = self.call("list_conversions", brief_id=brief)["feed_version"]
        asked = {"brief_id": brief, "experiment": self.ref(f"ex:{brief}"), "feed_version": version}
        return {**asked, "conv_a": conv_a, "conv_b": conv_b, "value_a": 600, "value_b": 3_900, **changes}

    def credit(self, brief: str, conv_a: int = 3, conv_b: int = 6) -> Any:
        """Record a credit."""
        return self.call("record_credit", **self.crediting(brief, conv_a, conv_b))

    def reporting(self, brief: str, **changes: Any) -> dict[str, Any]:
        """Return the right arguments of a report (R7)."""
        credit, plan = self.content(f"cr:{brief}"), self.content(self.content(f"ex:{brief}")["plan"])
        benchmark = next(iter(self.rows_of(brief, "benchmark")), None)
        rate = None
        if benchmark is not None:
            said = self.content(f"rp:{benchmark}")
            rate = (winning_rate(said["rate_a_ppm"], said["rate_b_ppm"], said["winner"]), 8_500)
        asked = Thresholds(7, 600, rate)
        right = outcome((credit["conv_a"], credit["conv_b"]), (plan["arm_a"], plan["arm_b"]), asked)
        given = {"brief_id": brief, "credit": self.ref(f"cr:{brief}"), "plan": self.content(f"ex:{brief}")["plan"]}
        named = {} if benchmark is None else {"benchmark": self.ref(f"rp:{benchmark}")}
        return {**given, **named, **attrs.asdict(right), **changes}

    def report(self, brief: str) -> Any:
        """Submit a report."""
        return self.call("submit_report", **self.reporting(brief))

    def conclude(self, *briefs: str) -> None:
        """Credit and report briefs once their observation is over."""
        self.go(max(self.brief(brief)["observe_until"] for brief in briefs))
        for brief in briefs:
            self.credit(brief)
            self.report(brief)

    def deployment(self, post_id: str, **changes: Any) -> dict[str, Any]:
        """Return the right arguments of a deployment now."""
        brief = self.post(post_id).brief_id
        report = self.world.ledger.last(f"rp:{brief}")
        assert report is not None
        package = self.ref(f"pk:{brief}.{'b' if report.content['winner'] == 'test' else 'a'}")
        asked = {"brief_id": brief, "post_id": post_id, "report": report.ref, "package": package}
        return {**asked, **self.exposure(brief), **changes}

    def deploy(self, post_id: str) -> Any:
        """Deploy a brief's d-post or c-post at its due minute."""
        self.go(max(self.world.clock, self.post(post_id).due_at))
        return self.call("deploy_campaign", **self.deployment(post_id))

    def deliver(self, *briefs: str) -> None:
        """Run briefs of one wave from packages to deployment."""
        self.prepare(*briefs)
        self.run_arms(*briefs)
        self.conclude(*briefs)
        for brief in briefs:
            self.deploy(f"p{brief[1:]}-d")

    def close(self, wave: int) -> Any:
        """Close a wave."""
        return self.call("close_wave", wave=wave)

    def finish_wave(self, wave: int) -> Any:
        """Deliver a wave and close it."""
        self.deliver(*(name for name, (own, _) in BRIEFS.items() if own == wave))
        return self.close(wave)

    def acknowledge(self, notice: str, *briefs: str) -> Any:
        """Acknowledge a notice."""
        return self.call("acknowledge_update", notice_id=notice, affected_briefs=list(briefs))
