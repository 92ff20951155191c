"""Where in a plan a mutation has its place: what is true when every post runs as planned."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from skillhorizon_socialops.composer.nominal import replayed
from skillhorizon_socialops.plan import ConversionCorrection, Plan, RerunOrder, RightsWithdrawal
from skillhorizon_socialops.truth import Conversion, Credit, Story, Target, credit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from skillhorizon_socialops.rows import Brief

Flaw = Conversion | Target


class Places:
    """A plan and its nominal truth."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan

    @cached_property
    def story(self) -> Story:
        """What is true when every post runs when it is due."""
        return replayed(self.plan)

    @cached_property
    def corrections(self) -> list[ConversionCorrection]:
        """The corrections in the plan's order."""
        return [update for update in self.plan.updates if isinstance(update, ConversionCorrection)]

    @cached_property
    def withdrawals(self) -> list[RightsWithdrawal]:
        """The withdrawals in the plan's order."""
        return [update for update in self.plan.updates if isinstance(update, RightsWithdrawal)]

    @cached_property
    def disturbed(self) -> set[str]:
        """The briefs that are corrected, or deployed again."""
        return {u.brief for u in self.plan.updates if isinstance(u, ConversionCorrection | RerunOrder)}

    def quiet(self) -> Iterator[Brief]:
        """Yield the briefs that are neither corrected nor deployed again, the final wave's first."""
        for brief in reversed(self.plan.facts.briefs):
            if brief.brief_id not in self.disturbed:
                yield brief

    def successor(self, brief: Brief) -> Brief | None:
        """Return the brief of the next wave on the same lane."""
        rows = self.story.known.briefs
        return rows.get(f"b-{brief.wave + 1:02}-{brief.lane:02}")


def own_post(brief: str, arm: str = "a") -> str:
    """Return the id of a brief's post."""
    return f"p{brief[1:]}-{arm}"


def said_credit(data: Any, brief: str, flaw: Callable[[Any], Any]) -> dict[str, int]:
    """Work out what `credit.py` would say of its input if a flaw changed each event and each post's terms."""
    feed = [
        flaw(Conversion(name, order, at, value, status == "void", tuple((post, m) for post, m in touches)))
        for name, order, at, value, status, touches in data["events"]
    ]
    targets = {
        post: flaw(Target(of, data["arms"].get(post, ""), window, priority))
        for post, (of, window, priority) in data["posts"].items()
    }
    return as_output(credit(brief, feed, data["observe_until"], targets))


def true_and_flawed(story: Story, brief: str, flaw: Callable[[Any], Any]) -> tuple[Credit, Credit]:
    """Return a brief's nominal credit in the end, and what a flaw makes of it."""
    level = max((row.wave for row in story.known.briefs.values()), default=0)
    feed = story.feed(brief, level)
    targets: Mapping[str, Target] = {post: flaw(story.target(post)) for row in feed for post, _ in row.touches}
    flawed: Sequence[Conversion] = [flaw(row) for row in feed]
    return story.credit(brief, level), credit(brief, flawed, story.observe_until(brief), targets)


def as_output(found: Credit) -> dict[str, int]:
    """Return a credit as `credit.py` gives it."""
    return {"conv_a": found.conv_a, "conv_b": found.conv_b, "value_a": found.value_a, "value_b": found.value_b}
