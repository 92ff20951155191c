from __future__ import annotations

import gzip
from importlib import resources

import pytest

from skillhorizon.errors import CorruptFile
from skillhorizon.model import tokens


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", 0),
        ("hello world", 2),
        ("Close stage 3.", 5),
        ('{"arguments":{"source_id":"S03-07"},"tool":"get_source"}', 17),
        ("Déjà vu 12345 — 漢字", 10),
    ],
)
def test_texts_have_the_counts_of_o200k_base(text: str, expected: int) -> None:
    assert tokens.count(text) == expected


def test_special_marker_is_counted_as_text_and_never_raises() -> None:
    assert tokens.count("<|endoftext|>") > 1


def test_counts_add_up_where_texts_meet_at_a_newline() -> None:
    assert tokens.count("one\ntwo") == tokens.count("one\n") + tokens.count("two")


def test_vendored_vocabulary_is_the_one_its_digest_names() -> None:
    blob = resources.files("skillhorizon.model").joinpath("data", "o200k_base.tiktoken.gz").read_bytes()
    assert tokens.unpack(blob).count(b"\n") == 199_998


@pytest.mark.parametrize(
    ("blob", "fault"),
    [
        (gzip.compress(b"IQ== 0\n", mtime=0), "has SHA-256"),
        (gzip.compress(b"IQ== 0\n", mtime=0)[:-4], "cannot be unpacked"),
        (b"version https://git-lfs.github.com/spec/v1\n", "cannot be unpacked"),
    ],
)
def test_corrupt_vocabulary_is_refused_with_the_way_out(blob: bytes, fault: str) -> None:
    with pytest.raises(CorruptFile, match=rf"o200k_base.*{fault}.*force-reinstall"):
        tokens.unpack(blob)
