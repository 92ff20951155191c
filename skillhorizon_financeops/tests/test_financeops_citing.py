"""Where updates look for keys: each form of key finds what cites it, and an unknown one is refused."""

from __future__ import annotations

import pytest

from skillhorizon_financeops.composer.citing import Citing, Key
from skillhorizon_financeops.plan import Citation, SourceTruth
from skillhorizon_financeops.rows import Source

DAYS = 0, 9999


def truth(register: str, *citations: Citation) -> SourceTruth:
    return SourceTruth(
        contract_id="CT-FA.0",
        identity_source_id=register,
        conflict_policy="first",
        records=(),
        citations=citations,
        lines=None,
        on_account=None,
        totals=(),
    )


@pytest.fixture
def citing() -> Citing:
    """Two sources of one register and format, which cite K01, and one of another, which cites K01 as well."""
    filed = Citing()
    for number, (name, register, cited) in enumerate(
        [
            ("FA", "ID-1", [("K01", "MP-1.0", "AC-01", 0)]),
            ("FA", "ID-1", [("K01", "MP-1.0", "AC-01", 0), ("K02", "MP-1.0", "AC-02", 0)]),
            ("FB", "ID-2", [("K01", "MP-2.0", "AC-02", 0)]),
        ],
        start=1,
    ):
        source = Source(f"S01-{number:02}", 1, "sales", name, 100 + number, register, "first", None, 1)
        filed.put(source, truth(register, *cited))
    return filed


@pytest.mark.parametrize(
    ("key", "found"),
    [
        (("alias", "ID-1", "K01"), [1, 2]),
        (("alias", "ID-2", "K01"), [3]),
        (("register", "ID-1"), [1, 2]),
        (("account", "AC-02"), [2, 3]),
        (("format", "FB"), [3]),
        (("any",), [1, 2, 3]),
    ],
)
def test_a_key_finds_the_sources_that_cite_it(citing: Citing, key: Key, found: list[int]) -> None:
    assert citing.hits([key], *DAYS) == [(100 + number, f"S01-{number:02}") for number in found]


@pytest.mark.parametrize("key", [("lockbox", "LB-01"), ("alias", "K01"), ("every",), ()])
def test_a_key_of_no_known_form_is_refused(citing: Citing, key: Key) -> None:
    with pytest.raises(ValueError, match="is no key under which sources are found"):
        citing.hits([key], *DAYS)


def test_keys_are_told_by_their_kind(citing: Citing) -> None:
    names = ["S01-02", "S01-03"]
    assert citing.keys(names, "format") == [("format", "FA"), ("format", "FB")]
    assert citing.keys(names, "account") == [("account", "AC-01"), ("account", "AC-02")]
    assert citing.keys(names, "alias") == [("alias", "ID-1", "K01"), ("alias", "ID-1", "K02"), ("alias", "ID-2", "K01")]


def test_keys_of_no_known_kind_are_refused(citing: Citing) -> None:
    with pytest.raises(ValueError, match="no keys of kind 'lockbox'"):
        citing.keys(["S01-01"], "lockbox")
