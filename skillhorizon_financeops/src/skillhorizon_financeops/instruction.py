"""The task's text for agents."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from skillhorizon_financeops.config import FinanceConfig
    from skillhorizon_financeops.plan import Plan

_MATCHING = """
- Remittances are matched: what each receipt applies to which open item, discounts and writeoffs within the contract's
  terms, and the rest on account."""

_TEXT = """You run record-to-report for a group of twelve entities, E01 to E12. Feeds from subsidiaries and banks
("sources") must become entity balances, stage by stage, and be reviewed and published.

There are {stages} stages with {width} sources each. Stage 1 is open; closing a stage for the first time opens the next.
Reference data and sources may be superseded or amended while you work, even after a release. Notices tell you of it,
and what they affect must be put right.

Deliver:
- For every source a valid normalization and a valid aggregate that are right under what is known at the end.{matching}
- Every stage closed with right movements and closing balances, together with the views of earlier totals that fall due
  at it.
- Every stage reviewed without findings and published; the release published with the balances of the last stage.
- Every obligation discharged: views, restatements and attestations, with right evidence.

Constraints:
- Each new version of a normalization after the first costs one ticket; you have {tickets}. Each of five reviewers may
  review {reviews} times. Relief may be asked for at most {reliefs} times for tickets and as often for reviews, and each
  relief must be attested.
- Nobody reviews what they prepared, nor both of two neighbouring stages.
- Amounts are whole minor units; roundings and all other rules are exact. The rules are served by get_rules, by topic;
  procedures and their scripts are found with list_skills, read_skill and run_skill_script.
- Every call counts towards your allowance of calls. Call finish when everything is delivered.
"""


def instruction(config: FinanceConfig, plan: Plan) -> str:
    """Return the task's text: role, goal, deliverables, constraints, and where rules and skills are found."""
    return _TEXT.format(
        stages=plan.stages,
        width=config.width,
        matching=_MATCHING if config.receivables else "",
        tickets=plan.resources["tickets"],
        reviews=plan.resources["reviews"],
        reliefs=plan.resources["reliefs"],
    )
