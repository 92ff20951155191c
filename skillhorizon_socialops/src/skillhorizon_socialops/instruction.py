"""The text that an agent gets: the task, what to deliver and what binds, but no order of work and no skills."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from skillhorizon_socialops.config import SocialConfig
    from skillhorizon_socialops.plan import Plan

_TEXT = """You run the campaign desk of a company that advertises on social channels. Each campaign brief compares a
control arm with a test arm, credits the conversions that follow, and deploys the winner.

There are {briefs} briefs in {waves} waves of up to {lanes}. Wave 1 is open; a closed wave opens the one that follows.
The clock moves only when you advance it or close a wave. {changes}

Deliver for every brief:
- An accepted experiment with right assets and audience sizes, both arms published.
- A credit and a report that are true of its conversions as they stand in the end.
- A current deployment of the winning arm.
And for the whole:
{updates}- Every planned post published, withdrawn or released, and every wave closed.

Constraints:
- Each publication states the historical publications and the loads that its audiences had at that minute, and keeps
  its due time, the channel's hours, the audiences' caps and cooldowns.
- Posts may be rescheduled {allowance} times; more is overdraft and fails delivery.
- All quantities are whole numbers; roundings and all other rules are exact. The rules are served by get_rules, by
  topic; procedures and their scripts are found with list_skills, read_skill and run_skill_script.
- Every call counts towards your allowance of calls. Call finish when everything is delivered.
"""
_CHANGES = """Conversions may be corrected, posts be
ordered again or replaced, audiences' retention and assets' rights change while you work. Notices tell you of it, and
what they undo must be put right."""
_UPDATES = "- Every update acknowledged with the briefs it affects, and everything done that it asks for.\n"


def instruction(config: SocialConfig, plan: Plan) -> str:
    """Return the task's text: role, goal, deliverables, constraints, and where rules and skills are found."""
    return _TEXT.format(
        briefs=config.briefs,
        waves=plan.waves,
        lanes=config.lanes,
        changes=_CHANGES if plan.updates else "",
        updates=_UPDATES if plan.updates else "",
        allowance=plan.resources["allowance"],
    )
