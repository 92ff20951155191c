"""Golden scores: what each mutation loses on one task a scenario; a change that moves a score raises the version."""

from __future__ import annotations

import pytest
from fieldops_runs import begun, finished

from skillhorizon import digest
from skillhorizon_fieldops.config import FieldConfig
from skillhorizon_fieldops.environment import environment

CONFIGS = {
    "restoration": FieldConfig("restoration", "layered", 8, 15_000),
    "modernisation": FieldConfig("modernisation", "radial", 8, 15_000),
}
GOLDEN = {
    "restoration": "e0cb8476345dd4218968b1cd101c1697",
    "modernisation": "a69ce5dec9d9b774d8c2822154622a13",
}


def losses(config: FieldConfig) -> dict[str, dict[str, tuple[str, ...]] | None]:
    """What is unmet, and why: by nobody, the reference, and every mutation that has a place."""
    nobody = begun(config, 7)
    lost: dict[str, dict[str, tuple[str, ...]] | None] = {
        "null": nobody.unmet(),
        "reference": finished(config, 7).unmet(),
    }
    for mutation in environment.mutations:
        sabotage = mutation.place(nobody.plan)
        lost[mutation.name] = None if sabotage is None else finished(config, 7, sabotage).unmet()
    return lost


@pytest.mark.parametrize("scenario", CONFIGS)
def test_every_mutation_loses_what_it_always_lost(scenario: str) -> None:
    assert digest(losses(CONFIGS[scenario])) == GOLDEN[scenario]
