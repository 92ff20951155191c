"""The goal of one brief: its experiment, plan, credit, report and deployment are true and stand on true sources."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from skillhorizon import Finding
from skillhorizon_socialops.truth import CONTROL, PUBLISHED, TEST, lineage, past

if TYPE_CHECKING:
    from skillhorizon_socialops.goals.judgement import Judgement
    from skillhorizon_socialops.goals.state import Version

_HISTORY_MIN = -43_200
_ARM_OF = {CONTROL: "a", TEST: "b"}


def brief_finding(judgement: Judgement, brief: str) -> Finding:
    """Judge goal `brief:b` by conditions (1) to (5)."""
    judged = _Brief(judgement, brief)
    conditions = {**judged.experiment(), **judged.figures(), **judged.deployment(), **judged.sources()}
    return Finding(f"brief:{brief}", conditions)


class _Brief:
    """One brief beside its current artifacts."""

    def __init__(self, judgement: Judgement, brief: str) -> None:
        self.judgement, self.brief = judgement, brief
        self.story = judgement.story
        kinds = ("ex", "cr", "rp", "dp")
        self.made = {kind: judgement.state.current.get(f"{kind}:{brief}") for kind in kinds}

    def _content(self, kind: str) -> Any:
        made = self.made[kind]
        return None if made is None else made.content

    def experiment(self) -> dict[str, bool]:
        """Judge condition (1)."""
        posts = self._arm_posts()
        return {
            "experiment": self.made["ex"] is not None,
            "arms_published": all(self.story.course.statuses.get(post) == PUBLISHED for post in posts.values()),
            "control_right": self._ran_right("a"),
            "test_right": self._ran_right("b"),
        }

    def _arm_posts(self) -> dict[str, str]:
        """Return the post that stands for each arm: a substitute once it exists."""
        own = f"p{self.brief[1:]}-"
        substituted = f"{own}s" in self.story.course.statuses
        return {"a": f"{own}a", "b": f"{own}s" if substituted else f"{own}b"}

    def _ran_right(self, arm: str) -> bool:
        runs = self.story.course.arms.get((self.brief, arm), ())
        return bool(runs) and runs[-1].pair == self.story.arm(self.brief, arm, runs[-1].call)

    def figures(self) -> dict[str, bool]:
        """Judge conditions (2) and (3)."""
        found, decided = self._content("cr"), self._content("rp")
        return {
            "plan_true": self._plan_true(),
            "credit_true": found is not None and self._credit_true(found),
            "report_true": decided is not None and self._report_true(decided),
        }

    def _plan_true(self) -> bool:
        bound = self._content("ex")
        plan = None if bound is None else self.judgement.state.versions.get(bound["plan"])
        if plan is None:
            return False
        true, said = self.story.sizes(self.brief), plan.content
        return (said["eligible"], said["holdout"], said["arm_a"], said["arm_b"]) == (
            true.eligible,
            true.holdout,
            true.arm_a,
            true.arm_b,
        )

    def _credit_true(self, said: Any) -> bool:
        true = self.story.credit(self.brief, self.judgement.final)
        return (said["conv_a"], said["conv_b"], said["value_a"], said["value_b"]) == (
            true.conv_a,
            true.conv_b,
            true.value_a,
            true.value_b,
        )

    def _report_true(self, said: Any) -> bool:
        true = self.story.verdict(self.brief, self.judgement.final)
        return (said["rate_a_ppm"], said["rate_b_ppm"], said["lift_bp"], said["winner"]) == (
            true.rate_a_ppm,
            true.rate_b_ppm,
            true.lift_bp,
            true.winner,
        )

    def deployment(self) -> dict[str, bool]:
        """Judge condition (4); the package is the winner's, as its arm ran, what is withdrawn replaced."""
        made = self.made["dp"]
        return {"deployed": made is not None, "deployment_right": made is not None and self._deployed_right(made)}

    def _deployed_right(self, made: Version) -> bool:
        report = self.judgement.state.versions.get(made.content["report"])
        if report is None:
            return False
        arm, package = _ARM_OF[report.content["winner"]], made.content["package"]
        right = self.story.deployed(self.brief, arm, made.made)
        return package.startswith(f"pk:{self.brief}.{arm}@") and self.judgement.pair(package) == right

    def sources(self) -> dict[str, bool]:
        """Judge condition (5)."""
        made = self.judgement.published.get(self.brief, ())
        return {
            "lineage_true": self._lineage_true(),
            "sources_true": bool(made) and all(map(self._sources_true, made)),
            "loads_true": bool(made) and all(map(self._loads_true, made)),
        }

    def _lineage_true(self) -> bool:
        made = self.made["ex"]
        return made is not None and made.content["lineage"] == self._lineage(made.made)

    def _lineage(self, call: int) -> list[str]:
        """Return the lineage that a registration at a call had to state (R4)."""
        judgement, rows = self.judgement, self.judgement.known.rows[self.brief]
        row = judgement.known.briefs[self.brief]
        if row.wave == 1:
            return lineage([[run for run in past().campaign_runs[row.campaign_id] if run.at > _HISTORY_MIN]])
        return lineage([run for run in judgement.brief_runs[each] if run.call < call] for _, each in rows)

    def _sources_true(self, made: Version) -> bool:
        windows = self.judgement.seen[made.ref].values()
        return bool(made.content["sources"] == [run.post for window in windows for run in window])

    def _loads_true(self, made: Version) -> bool:
        return bool(made.content["loads"] == self.judgement.carried[made.ref])
