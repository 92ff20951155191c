"""The trial of a source's rows, held against every wrong reading of them made in full."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs
import pytest
from financeops_oracle import minor
from hypothesis import example, given
from hypothesis import strategies as st

from skillhorizon_financeops.composer.contracts import MEANINGS
from skillhorizon_financeops.composer.orders import counting
from skillhorizon_financeops.composer.trial import Trial
from skillhorizon_financeops.rows import Contract, IdentityMap
from skillhorizon_financeops.truth import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from skillhorizon_financeops.composer.trial import Order
    from skillhorizon_financeops.truth import Reading

POLICIES = ("first", "latest_revision")
PLAIN = Contract("CT-FA.1", "FA", 200, 399, 1, 1, 1, 1, "net", 0, MEANINGS[0], None, None, None)
SWAPPED = attrs.evolve(PLAIN, contract_id="CT-FA.2", rank=2, codes=MEANINGS[1])
BASE = IdentityMap("MP-1.0", "ID-1", 0, 9999, 0, {"K01": "AC-01", "K02": "AC-02", "K03": "AC-03"})
OVERLAYS = (
    IdentityMap("MP-1.2", "ID-1", 0, 9999, 2, {"K03": "AC-13"}),
    IdentityMap("MP-1.1", "ID-1", 0, 9999, 1, {"K02": "AC-12"}),
)

contracts = st.builds(
    Contract,
    contract_id=st.just("CT-FA.2"),
    format=st.just("FA"),
    from_day=st.just(0),
    to_day=st.just(9999),
    rank=st.just(2),
    num=st.sampled_from([1, 10]),
    den=st.sampled_from([1, 10]),
    sign=st.sampled_from([1, -1]),
    basis=st.sampled_from(["net", "gross"]),
    tax_bps=st.sampled_from([500, 2_000]),
    codes=st.sampled_from(MEANINGS),
    disc_bps=st.none(),
    disc_days=st.none(),
    tol=st.none(),
)


def trial(policy: str, *, neighbours: Sequence[Contract] = (), overlays: Sequence[IdentityMap] = ()) -> Trial:
    code = {kind: code for code, kind in PLAIN.codes.items()}
    return Trial(PLAIN, code, policy, neighbours, (*overlays, BASE))


@st.composite
def orders_of(draw: st.DrawFn, order: str) -> list[Reading]:
    """One to three rows, with amounts that often are the same in minor units."""
    drawn = draw(
        st.lists(
            st.tuples(
                st.sampled_from(sorted(PLAIN.codes)), st.sampled_from(sorted(BASE.entries)), st.integers(-12, 12)
            ),
            min_size=1,
            max_size=3,
        )
    )
    revisions = draw(st.permutations(range(1, len(drawn) + 1)))
    return [(order, revision, *row, "") for revision, row in zip(revisions, drawn, strict=True)]


def read(orders: Sequence[Order], policy: str, contract: Contract) -> list[tuple[str, str, int]]:
    """Order, alias and minor units of each record (R2, R3)."""
    records = []
    for rows in orders:
        kinds = {row[1]: contract.codes[row[2]] for row in rows}
        candidates = [row for row in rows if kinds[row[1]] in {"sale", "correction"}]
        if policy == "first":
            candidates = [row for row in candidates if row is rows[0]]
        elif "withdrawn" in kinds.values():
            candidates = []
        if candidates:
            order, _, _, alias, amount, _ = max(candidates, key=lambda row: row[1])
            records.append((order, alias, minor(attrs.asdict(contract), amount)))
    return records


def cited(records: list[tuple[str, str, int]], maps: Sequence[IdentityMap]) -> set[tuple[str, str, str]]:
    """Alias, map and account of each alias of the records (R4)."""
    found = set()
    for _, alias, _ in records:
        holder = max((each for each in maps if alias in each.entries), key=lambda each: each.rank)
        found.add((alias, holder.map_id, holder.entries[alias]))
    return found


def every_wrong_reading_shows(tried: Trial, orders: Sequence[Order]) -> bool:
    right = read(orders, tried.policy, tried.contract)
    (other,) = {*POLICIES} - {tried.policy}
    wrong = [read(orders, other, tried.contract)]
    wrong += [read(orders, tried.policy, neighbour) for neighbour in tried.neighbours]
    below = [[each for each in tried.maps if each is not overlay] for overlay in tried.maps if overlay.rank]
    return right not in wrong and all(cited(right, maps) != cited(right, tried.maps) for maps in below)


@given(
    st.tuples(*map(orders_of, ("O1", "O2"))) | st.tuples(*map(orders_of, ("O1", "O2", "O3"))),
    st.sampled_from(POLICIES),
    st.lists(contracts, max_size=2),
    st.sampled_from([(), OVERLAYS[:1], OVERLAYS[1:], OVERLAYS]),
)
def test_a_source_tells_right_from_wrong_if_and_only_if_every_wrong_reading_shows(
    orders: list[Order], policy: str, neighbours: list[Contract], overlays: Sequence[IdentityMap]
) -> None:
    tried = trial(policy, neighbours=neighbours, overlays=overlays)
    found = tried.told(orders)
    assert (found is not None) == every_wrong_reading_shows(tried, orders)
    assert found is None or found == tried.right(orders)


@given(orders_of("O1"), st.sampled_from(POLICIES), st.sampled_from(MEANINGS))
@example([("O1", 2, "20", "K01", 5, ""), ("O1", 1, "10", "K02", 7, "")], "latest_revision", MEANINGS[0])
@example([("O1", 1, "90", "K01", 0, ""), ("O1", 2, "10", "K02", 7, "")], "first", MEANINGS[0])
def test_the_row_drawn_to_count_is_the_one_that_truly_counts(
    rows: list[Reading], policy: str, codes: dict[str, str]
) -> None:
    index = counting([(codes[row[2]], row[1]) for row in rows], policy)
    expected = {} if index is None else {"O1": (index + 1, *rows[index][3:])}
    assert counted(policy, codes, rows) == expected


CORRECTED = [("O1", 1, "10", "K01", 500, ""), ("O1", 2, "20", "K01", 600, "")]
WITHDRAWN = [("O1", 1, "10", "K01", 500, ""), ("O1", 2, "90", "K01", 0, "")]
MOVED = [("O2", 1, "10", "K01", 500, ""), ("O2", 2, "20", "K02", 500, "")]


@pytest.mark.parametrize("policy", POLICIES)
def test_orders_that_read_the_same_by_both_policies_tell_nothing(policy: str) -> None:
    alone, renewed = [CORRECTED[0]], [CORRECTED[0], ("O1", 2, "20", "K01", 500, "")]
    assert trial(policy).told([alone]) is trial(policy).told([renewed]) is None


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("rows", [CORRECTED, WITHDRAWN, MOVED], ids=["amount", "inclusion", "party"])
def test_an_order_tells_the_policies_apart_by_its_amount_its_inclusion_or_its_party(
    policy: str, rows: list[Reading]
) -> None:
    orders = [rows, [("O3", 1, "10", "K01", 700, "")]]
    assert trial(policy).told(orders) == trial(policy).right(orders) != {}


@pytest.mark.parametrize("code", ["20", "70"])
def test_an_order_that_one_contract_alone_includes_tells_the_contracts_apart(code: str) -> None:
    tried = trial("first", neighbours=[SWAPPED])
    assert tried.told([WITHDRAWN]) is None
    assert tried.told([WITHDRAWN, [("O2", 1, code, "K01", 700, "")]]) is not None


def test_an_order_that_contracts_read_for_another_party_tells_them_apart() -> None:
    assert trial("latest_revision", neighbours=[SWAPPED]).told([WITHDRAWN, MOVED]) is not None


@pytest.mark.parametrize("codes", MEANINGS, ids=["same", "other"])
def test_one_order_of_another_amount_tells_contracts_apart(codes: dict[str, str]) -> None:
    tried = trial("first", neighbours=[attrs.evolve(SWAPPED, num=10, codes=codes)])
    worthless: list[Order] = [[(order, 1, "10", "K01", 0, "")] for order in ("O2", "O3")]
    assert tried.told([worthless[0], WITHDRAWN, worthless[1]]) is not None


@pytest.mark.parametrize("blind", [0, 1])
def test_each_neighbouring_contract_must_show(blind: int) -> None:
    neighbours = [attrs.evolve(PLAIN, num=10)]
    neighbours.insert(blind, attrs.evolve(PLAIN, rank=0))
    assert trial("first", neighbours=neighbours[1 - blind :][:1]).told([CORRECTED]) is not None
    assert trial("first", neighbours=neighbours).told([CORRECTED]) is None


@pytest.mark.parametrize(("alias", "told"), [("K01", False), ("K02", True), ("K03", False)])
def test_an_overlay_must_hold_an_alias_that_counts(alias: str, *, told: bool) -> None:
    orders = [CORRECTED, [("O2", 1, "10", alias, 500, ""), ("O2", 2, "70", "K02", 900, "")]]
    assert (trial("latest_revision", overlays=OVERLAYS[1:]).told(orders) is not None) == told


def test_every_overlay_must_hold_an_alias_that_counts() -> None:
    orders = [CORRECTED, [("O2", 1, "10", "K02", 500, "")], [("O3", 1, "10", "K03", 500, "")]]
    assert trial("first", overlays=OVERLAYS).told(orders) is not None
    assert trial("first", overlays=OVERLAYS).told(orders[:2]) is None
    assert trial("first", overlays=OVERLAYS).told([orders[0], orders[2]]) is None
