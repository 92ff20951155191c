"""The tool that deletes one precondition at a time tells what no trap notices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from skillhorizon.testing import Misjudged, Trap, Trapper, calls_of, conditions_of, missed_by_mutations

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    Kitchen = Callable[..., Trapper]

KITCHEN = """
from bakery import TOOLS, Batch, OrderId, bakery

from skillhorizon import Call, Json, operation


def known(call: Call, order: str) -> Batch:
    batch = call.world.get(Batch, order)
    if batch is None:
        call.reject("UNKNOWN_ID", "there is no such order", object=order)
    return batch


"""
STAMPS = '''
@operation(makes="STAMP:{order}")
def stamp(call: Call, order: OrderId) -> Json:
    """Stamp an order."""
    if order.startswith("X"):
        call.reject("ODD_NAME", "no order is called so")
    return {"loaves": known(call, order).loaves}


environment = bakery(tools=(*TOOLS, stamp))
'''
PAIRS = '''
@operation(makes="PAIR:{first}")
def pair(call: Call, first: OrderId, second: OrderId) -> Json:
    """Pair two orders, of which the second is baked."""
    one, others = known(call, first), [known(call, order) for order in (second,)]
    trays = [call.ledger.require(f"TRAY:{other.order}", "NOT_BAKED").ref for other in others]
    return {"loaves": one.loaves + len(trays)}


environment = bakery(tools=(*TOOLS, pair))
'''
RECALLS = '''
@operation(makes="recall:{order}", repeat=False)
def recall(call: Call, order: OrderId) -> Json:
    """Take an order back, which is never allowed."""
    if call.world.get(Batch, order) is None:
        call.reject("UNKNOWN_ID", "there is no such order", object=order)
    if call.world.clock >= 0:
        call.reject("NO_RECALL", "what is shipped is shipped", object="SHP:all")
    call.ledger.end("SHP:all")
    return {}


environment = bakery(tools=(*TOOLS, recall))
'''
CUPBOARD = '''
CHECKS = {"order": known}


@operation(makes="STAMP:{order}")
def stamp(call: Call, order: OrderId) -> Json:
    """Stamp an order."""
    return {"loaves": CHECKS["order"](call, order).loaves}


environment = bakery(tools=(*TOOLS, stamp))
'''


@pytest.fixture
def kitchen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Kitchen:
    """Makes a trapper of a bakery with one operation more, out of its source."""

    def made(name: str, source: str, **more: Any) -> Trapper:
        tmp_path.joinpath(f"{name}.py").write_text(KITCHEN + source)
        return Trapper(f"{name}:environment", name, **more)

    monkeypatch.syspath_prepend(str(tmp_path))
    return made


def test_every_precondition_and_condition_of_the_bakery_counts() -> None:
    trapper = Trapper("bakery:bakery", "bakery")
    assert [(site.operation, site.code) for site in trapper.sites] == [
        ("bake", "UNKNOWN_ID"),
        ("bake", "WRONG_COUNT"),
        ("ship", "NOT_BAKED"),
    ]
    assert trapper.unnoticed() == []
    assert trapper.unmissed() == set()


def test_a_needless_precondition_survives_and_the_environment_stays_as_it_is(kitchen: Kitchen) -> None:
    trapper = kitchen("stamping_bakery", STAMPS)
    assert [str(site) for site in trapper.unnoticed()] == ["stamping_bakery.py:19:9 ODD_NAME of stamp"]
    import stamping_bakery  # type: ignore[import-not-found]  # noqa: PLC0415  # written above

    assert "__site__" not in vars(stamping_bakery)


def test_each_way_to_a_refusal_is_a_precondition_of_its_own(kitchen: Kitchen) -> None:
    trapper = kitchen("pairing_bakery", PAIRS)
    refused, laid = "pairing_bakery.py:10:9", list(trapper.laid())
    sites = [site for site in trapper.sites if site.place == refused]
    assert [site.way for site in sites] == [("pairing_bakery.py:18:19",), ("pairing_bakery.py:18:40",)]
    assert [site.code for site in trapper.sites] == ["UNKNOWN_ID", "UNKNOWN_ID", "NOT_BAKED"]
    assert all(any(site.name in each.sites for each in laid) for site in trapper.sites)
    assert trapper.survivors(sites, laid) == []


def unknown_order(code: str, culprit: str = "") -> Callable[..., Iterable[Trap]]:
    """A trap whose last call takes back an order that nobody made, and the refusal that it names."""

    def own(built: Any, records: Any) -> Iterable[Trap]:
        yield Trap("a stranger's order", (*calls_of(records), ("recall", {"order": "B99"})), code, culprit)

    return own


def test_a_precondition_that_changes_the_code_alone_is_noticed_by_a_trap_that_names_it(kitchen: Kitchen) -> None:
    assert [site.code for site in kitchen("recalling_bakery", RECALLS).unnoticed()] == ["UNKNOWN_ID"]
    for culprit in ("", "B99"):
        assert kitchen("recalling_bakery", RECALLS, own=unknown_order("UNKNOWN_ID", culprit)).unnoticed() == []


@pytest.mark.parametrize(
    ("own", "says"),
    [
        (unknown_order("NO_RECALL"), "NO_RECALL was to refuse it, not UNKNOWN_ID"),
        (unknown_order("UNKNOWN_ID", "B98"), "UNKNOWN_ID B98 was to refuse it, not UNKNOWN_ID B99"),
    ],
)
def test_a_trap_that_names_another_refusal_is_misjudged(kitchen: Kitchen, own: Any, says: str) -> None:
    with pytest.raises(Misjudged, match=says):
        list(kitchen("recalling_bakery", RECALLS, own=own).named())


def test_a_refusal_that_the_source_does_not_show_is_told(kitchen: Kitchen) -> None:
    with pytest.raises(Misjudged, match=r"refused at cupboard_bakery.py:\d+:\d+ > cupboard_bakery.py:10:9, where"):
        list(kitchen("cupboard_bakery", CUPBOARD).laid())


def test_a_code_that_no_operation_gives_is_told() -> None:
    with pytest.raises(Misjudged, match="no operation refuses by the code 'BURNT'"):
        Trapper("bakery:bakery", "bakery").unnoticed("BURNT")


def test_a_condition_that_no_mutation_misses_is_named() -> None:
    trapper = Trapper("bakery:bakery", "bakery")
    specimens = list(trapper.specimens())
    harmless = [mutation for mutation in trapper.environment.mutations if mutation.name == "reversed-orders"]
    assert missed_by_mutations(specimens, harmless) == set()
    assert conditions_of(specimens) == {"baked", "shipped"}
