"""What is true of a task's briefs, replayed over the calendar as it ran.

Corrections fire at closings alone, so what is known of conversions changes by boundary: level L stands for all
corrections that fired up to boundary L; a call's level is the last boundary whose corrections fired before it.
"""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING

from skillhorizon_socialops.truth.course import PUBLISHED, WITHDRAWN, Course
from skillhorizon_socialops.truth.crediting import Conversion, Credit, Target, Touch, credit
from skillhorizon_socialops.truth.figures import TEST, Sizes, Thresholds, Verdict, sizes, verdict
from skillhorizon_socialops.truth.known import TEST_ARMS, Known, past
from skillhorizon_socialops.truth.shelf import Pair, Place, shelf

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from skillhorizon_socialops.plan import ConversionCorrection, Event
    from skillhorizon_socialops.rows import Brief

_OBSERVED_MIN = 840
_FIRST_HOUR, _DEPLOY_HOUR = 2, 34
_WHOLE = 10_000
_minute = itemgetter(1)


def arm_of(post_arm: str) -> str:
    """Return the arm that a post's letter stands for; a substitute counts as b."""
    return "b" if post_arm in TEST_ARMS else post_arm


class Story:
    """Answers what is true; each answer is worked out once."""

    def __init__(self, known: Known, course: Course) -> None:
        self.known, self.course = known, course
        self._credits: dict[tuple[str, bool], Credit] = {}
        self._verdicts: dict[tuple[str, int], Verdict] = {}
        self._sizes: dict[str, Sizes] = {}
        self._ran: dict[tuple[str, str], Pair] = {}
        self._targets: dict[str, Target] = {}
        self._places: dict[str, Place] = {}

    def level(self, call: int) -> int:
        """Return the last boundary whose correction fired before a call; 0 before any."""
        fired = self.course.fired
        known = (update.wave for update in self.known.corrections.values() if fired.get(update.id, call) < call)
        return max(known, default=0)

    def opening(self, brief: str) -> int:
        """Return the level at which a brief's wave opened."""
        return self.known.briefs[brief].wave - 1

    # Conversions

    def observe_until(self, brief: str) -> int:
        """Return the last minute that counts: 840 after the later arm that is not withdrawn is due (R6)."""
        return _OBSERVED_MIN + max(self.course.dues[post] for post in self.arm_posts(brief))

    def arm_posts(self, brief: str) -> Iterator[str]:
        """Yield the posts of a brief's arms that are not withdrawn."""
        for letter in ("a", *TEST_ARMS):
            post = f"p{brief[1:]}-{letter}"
            if self.course.statuses.get(post, WITHDRAWN) != WITHDRAWN:
                yield post

    def feed(self, brief: str, level: int) -> list[Conversion]:
        """Return a brief's events at a level, those that are not to be seen left out."""
        return self._corrected(brief, self._correction(brief, level))

    def _correction(self, brief: str, level: int) -> ConversionCorrection | None:
        """Return a brief's correction if it fired up to a level."""
        found = self.known.corrections.get(brief)
        return found if found is not None and found.wave <= level and found.id in self.course.fired else None

    def _corrected(self, brief: str, correction: ConversionCorrection | None) -> list[Conversion]:
        voided = () if correction is None else correction.voided
        delays = {} if correction is None else dict(correction.retimed)
        rows: list[Conversion] = []
        ran = self._ran_at(brief)
        for event in self.known.events[brief]:
            touches = self._touches(event, ran)
            if touches:
                at = max(touches, key=_minute)[1] + delays.get(event.id, event.delay)
                void = event.void or event.id in voided
                rows.append(Conversion(event.id, event.order, at, event.value, void, touches))
        return rows

    def _ran_at(self, brief: str) -> dict[str, int]:
        """Return when a brief's published arms were due."""
        statuses, dues = self.course.statuses, self.course.dues
        posts = [f"p{brief[1:]}-{letter}" for letter in ("a", *TEST_ARMS)]
        return {post: dues[post] for post in posts if statuses.get(post) == PUBLISHED}

    def _touches(self, event: Event, ran: Mapping[str, int]) -> list[Touch]:
        """Return when an event's posts were touched; nothing while one of its brief's own posts is unpublished."""
        if event.shared:
            start = self.course.starts[event.wave]
            return [(post, offset + start) for post, offset in event.touches]
        made = [(post, offset + ran[post]) for post, offset in event.touches if post in ran]
        return made if len(made) == len(event.touches) else []

    def target(self, post: str) -> Target:
        """Return what crediting needs of a post."""
        if post not in self._targets:
            row = self.known.posts[post]
            brief = self.known.briefs[row.brief_id]
            self._targets[post] = Target(row.brief_id, arm_of(row.arm), brief.credit_window_min, brief.priority)
        return self._targets[post]

    def credit(self, brief: str, level: int) -> Credit:
        """Return what a brief is credited with at a level (R6)."""
        correction = self._correction(brief, level)
        key = brief, correction is not None
        if key not in self._credits:
            self._credits[key] = self._credited(brief, self._corrected(brief, correction))
        return self._credits[key]

    def _credited(self, brief: str, feed: list[Conversion]) -> Credit:
        posts = {post for row in feed for post, _ in row.touches}
        targets = {post: self.target(post) for post in posts}
        return credit(brief, feed, self.observe_until(brief), targets)

    # Plans and reports

    def sizes(self, brief: str) -> Sizes:
        """Return a brief's plan from the credits at its wave's opening (R3)."""
        if brief not in self._sizes:
            row, level = self.known.briefs[brief], self.opening(brief)
            suppressed = [self.credit(upstream, level).conv for upstream in self.known.upstream(brief, "suppress")]
            self._sizes[brief] = sizes(reach(row), suppressed, row.holdout_bp, row.split_bp)
        return self._sizes[brief]

    def report_level(self, brief: str, level: int) -> int:
        """Return the level at which the last report up to a level was submitted; the level itself without one."""
        levels = [at for at in map(self.level, self.course.reports.get(brief, ())) if at <= level]
        return levels[-1] if levels else level

    def verdict(self, brief: str, level: int) -> Verdict:
        """Return a brief's rates and winner at a level, its benchmark as of its report's submission (R7)."""
        key = brief, level
        if key not in self._verdicts:
            self._verdicts[key] = self.decide(brief, self.credit(brief, level), self.report_level(brief, level))
        return self._verdicts[key]

    def decide(self, brief: str, found: Credit, level: int) -> Verdict:
        """Return the verdict on a credit, reported at a level."""
        row, arms = self.known.briefs[brief], self.sizes(brief)
        asked = Thresholds(row.min_conv, row.min_lift_bp, row.benchmark_bp or 0)
        conv, benchmark = (found.conv_a, found.conv_b), self.benchmark_ppm(brief, level)
        return verdict(conv, (arms.arm_a, arms.arm_b), asked, benchmark)

    def benchmark_ppm(self, brief: str, level: int) -> int | None:
        """Return the winning arm's rate of a brief's benchmark at a level; None without a benchmark row."""
        rows = self.known.upstream(brief, "benchmark")
        return self.verdict(rows[0], level).best_ppm if rows else None

    def winning_arm(self, brief: str, level: int) -> str:
        """Return the arm that wins at a level."""
        return "b" if self.verdict(brief, level).winner == TEST else "a"

    # Packages

    def withdrawn(self, call: int) -> set[str]:
        """Return the assets withdrawn before a call."""
        return {u.asset for u in self.known.withdrawals if self.course.fired.get(u.id, call) < call}

    def place(self, brief: str) -> Place:
        """Return where and when a brief's packages run, by its wave's plan."""
        if brief not in self._places:
            row = self.known.briefs[brief]
            first = self.course.starts[row.wave] + 60 * row.lane
            dues = (first + 60 * hour for hour in (_FIRST_HOUR, _DEPLOY_HOUR))
            self._places[brief] = Place(row.locale, row.format, row.channel_id, *dues)
        return self._places[brief]

    def control(self, brief: str, call: int) -> Pair:
        """Return the right control assets at a call: the baseline, or the predecessor's winning package (R2)."""
        row = self.known.briefs[brief]
        predecessors = self.known.upstream(brief, "control")
        if predecessors:
            pair = self.ran(predecessors[0], self.winning_arm(predecessors[0], self.opening(brief)), call)
        else:
            pair = str(row.baseline_visual), str(row.baseline_copy)
        return shelf().kept(pair, self.place(brief), self.withdrawn(call))

    def test(self, brief: str, call: int) -> Pair:
        """Return the right test assets at a call: R1 without the control arm's, as run, else as right then (R2)."""
        run = self.course.published(brief, "a", call)
        barred = self.withdrawn(call).union(self.control(brief, call) if run is None else run.pair)
        return shelf().pair(self.known.briefs[brief].angle, self.place(brief), barred)

    def arm(self, brief: str, arm: str, call: int) -> Pair:
        """Return an arm's right assets for a publication at a call."""
        return self.control(brief, call) if arm == "a" else self.test(brief, call)

    def ran(self, brief: str, arm: str, call: int) -> Pair:
        """Return the assets that were right when an arm was last published; before that, right at `call`."""
        runs = self.course.arms.get((brief, arm), ())
        if not runs:
            return self.arm(brief, arm, call)
        if (brief, arm) not in self._ran:
            self._ran[brief, arm] = self.arm(brief, arm, runs[-1].call)
        return self._ran[brief, arm]

    def deployed(self, brief: str, arm: str, call: int) -> Pair | None:
        """Return the right assets to deploy an arm with: as it ran, what is withdrawn replaced (R2)."""
        run = self.course.published(brief, arm, call)
        return None if run is None else shelf().kept(run.pair, self.place(brief), self.withdrawn(call))


def reach(brief: Brief) -> int:
    """Return the people whom a brief's two audiences reach (R3)."""
    seen, names = past(), sorted(brief.audiences)
    sizes = (seen.audiences[name].size * seen.audiences[name].lapsed_bp // _WHOLE for name in names)
    return sum(sizes) - seen.overlaps[names[0], names[1]]
