"""Golden scores: what each mutation loses on one task a scenario; a change that moves a score raises the version."""

from __future__ import annotations

import pytest

from skillhorizon import digest
from skillhorizon.testing import losses
from skillhorizon_fieldops.config import FieldConfig
from skillhorizon_fieldops.environment import environment

CONFIGS = {
    "restoration": FieldConfig("restoration", "layered", 8, 15_000),
    "modernisation": FieldConfig("modernisation", "radial", 8, 15_000),
}
SEED = 7
GOLDEN = {
    "restoration": "e0cb8476345dd4218968b1cd101c1697",
    "modernisation": "a69ce5dec9d9b774d8c2822154622a13",
}


@pytest.mark.parametrize("scenario", CONFIGS)
def test_every_mutation_loses_what_it_always_lost(scenario: str) -> None:
    assert digest(losses(environment, CONFIGS[scenario], SEED)) == GOLDEN[scenario]
