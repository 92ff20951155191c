"""The tool that deletes one precondition at a time tells what no trap notices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skillhorizon.testing import Trapper, conditions_of, missed_by_mutations

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

STAMPS = """
from bakery import TOOLS, Batch, OrderId, bakery

from skillhorizon import Call, Json, operation


@operation(makes="STAMP:{order}")
def stamp(call: Call, order: OrderId) -> Json:
    \"\"\"Stamp an order.\"\"\"
    if order.startswith("X"):
        call.reject("ODD_NAME", "no order is called so")
    batch = call.world.get(Batch, order)
    if batch is None:
        call.reject("UNKNOWN_ID", "there is no such order")
    return {"loaves": batch.loaves}


environment = bakery(tools=(*TOOLS, stamp))
"""


def test_every_precondition_and_condition_of_the_bakery_counts() -> None:
    trapper = Trapper("bakery:bakery", "bakery")
    assert [site.code for site in trapper.sites] == ["UNKNOWN_ID", "WRONG_COUNT", "NOT_BAKED"]
    assert trapper.survivors(trapper.sites, list(trapper.laid())) == []
    specimens = list(trapper.specimens())
    assert conditions_of(specimens) == missed_by_mutations(specimens, trapper.environment.mutations)


def test_a_needless_precondition_survives_and_the_environment_stays_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tmp_path.joinpath("stamping_bakery.py").write_text(STAMPS)
    monkeypatch.syspath_prepend(str(tmp_path))
    trapper = Trapper("stamping_bakery:environment", "stamping_bakery")
    survivors = trapper.survivors(trapper.sites, list(trapper.laid()))
    assert [str(site) for site in survivors] == ["stamping_bakery.py:11 ODD_NAME in stamp"]
    import stamping_bakery  # type: ignore[import-not-found]  # noqa: PLC0415  # written above

    assert "__site__" not in vars(stamping_bakery)


def test_a_condition_that_no_mutation_misses_is_named() -> None:
    trapper = Trapper("bakery:bakery", "bakery")
    specimens = list(trapper.specimens())
    harmless = [mutation for mutation in trapper.environment.mutations if mutation.name == "reversed-orders"]
    assert missed_by_mutations(specimens, harmless) == set()
    assert conditions_of(specimens) == {"baked", "shipped"}
