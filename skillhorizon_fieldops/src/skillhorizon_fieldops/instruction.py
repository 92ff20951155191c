"""The task's text for agents."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skillhorizon_fieldops.config import PERMIT_LIMIT

if TYPE_CHECKING:
    from skillhorizon_fieldops.config import FieldConfig
    from skillhorizon_fieldops.plan import Plan

_RESTORATION = """You coordinate maintenance for a network operator. Field devices have failed; each must be found out,
repaired and tested, so that the services they carry can be handed back."""
_MODERNISATION = """You coordinate maintenance for a network operator. Field devices are being modernised; each must be
assessed, fitted anew and tested, so that the services they carry can be handed back."""

_TEXT = """{purpose}

There are {devices} devices in {zones} zones and {services} services, planned in {waves} waves. Wave 1 is open; a closed
wave opens the one that follows, and wave {waves} a sweep wave for what was left over. A wave has two crew blocks, E and
L. Batches may be recalled, demands, windows, crews and test procedures may change while you work. Notices tell you of
it, and what they undo must be put right.

Deliver:
- Every device restored, with a current passing test and a right certificate.
- Every service commissioned with exact figures, on current certificates and on current commissionings of the services
  it needs.
- Every isolation closed again.
- An exact account of parts and crew minutes for every wave; for the sweep only if it was used.
- Every section and the system accepted.

Constraints:
- At most {permits} isolation permits may be open at once, and the two devices of a pair are never isolated together.
- Crews work within their blocks, parts come from their batches as the rules say. Relief may be asked for {relief}
  times; more is overdraft and fails delivery.
- All quantities are whole numbers; roundings and all other rules are exact. The rules are served by get_rules, by
  topic; procedures and their scripts are found with list_skills, read_skill and run_skill_script.
- Every call counts towards your allowance of calls. Call finish when everything is delivered.
"""


def instruction(config: FieldConfig, plan: Plan) -> str:
    """Return the task's text: role, goal, deliverables, constraints, and where rules and skills are found."""
    return _TEXT.format(
        purpose=_RESTORATION if config.restoration else _MODERNISATION,
        devices=config.devices,
        zones=plan.brief["zones"],
        services=config.services,
        waves=plan.waves,
        permits=PERMIT_LIMIT,
        relief=plan.resources["relief"],
    )
