"""Counting tokens by `o200k_base`, from the vocabulary that lies in the package: nothing is ever downloaded."""

from __future__ import annotations

import functools
import gzip
import hashlib
import zlib
from base64 import b64decode
from importlib import resources
from typing import TYPE_CHECKING

from skillhorizon.errors import CorruptFile

if TYPE_CHECKING:
    from collections.abc import Iterable

    import tiktoken

ENCODING = "o200k_base"
SHA256 = "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"
"""Digest of the uncompressed vocabulary; every task file names it (protocol, section 1)."""

_SPECIAL = {"<|endoftext|>": 199999, "<|endofprompt|>": 200018}
_CONTRACTION = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
_LETTERS = r"[^\r\n\p{L}\p{N}]?"
_PATTERN = "|".join(
    (
        rf"{_LETTERS}[\p{{Lu}}\p{{Lt}}\p{{Lm}}\p{{Lo}}\p{{M}}]*[\p{{Ll}}\p{{Lm}}\p{{Lo}}\p{{M}}]+{_CONTRACTION}",
        rf"{_LETTERS}[\p{{Lu}}\p{{Lt}}\p{{Lm}}\p{{Lo}}\p{{M}}]+[\p{{Ll}}\p{{Lm}}\p{{Lo}}\p{{M}}]*{_CONTRACTION}",
        r"\p{N}{1,3}",
        r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
        r"\s*[\r\n]+",
        r"\s+(?!\S)",
        r"\s+",
    )
)


def unpack(blob: bytes) -> bytes:
    """Return the vocabulary out of its gzip file.

    Raises:
        CorruptFile: when the bytes are not the ones that every count depends on.
    """
    try:
        data = gzip.decompress(blob)
    except (EOFError, OSError, zlib.error) as error:
        raise _corrupt(f"cannot be unpacked ({error})") from error
    found = hashlib.sha256(data).hexdigest()
    if found != SHA256:
        raise _corrupt(f"has SHA-256 {found} instead of {SHA256}")
    return data


def count(text: str) -> int:
    """Return the number of tokens in `text`; markers such as `<|endoftext|>` are counted as plain text.

    >>> count("Close stage 3."), count("")
    (5, 0)
    """
    return len(_encoding().encode_ordinary(text))


def total(texts: Iterable[str]) -> int:
    """Return the number of tokens in all texts together, each counted alone.

    >>> total(["Close stage 3.", "Close", ""])
    6
    """
    return sum(map(len, map(_encoding().encode_ordinary, texts)))


@functools.cache
def _encoding() -> tiktoken.Encoding:
    import tiktoken  # noqa: PLC0415  # costs 0.1 s, wanted only where tokens are counted

    blob = resources.files("skillhorizon.model").joinpath("data", f"{ENCODING}.tiktoken.gz").read_bytes()
    ranks = _ranks(unpack(blob))
    encoding = tiktoken.Encoding(ENCODING, pat_str=_PATTERN, mergeable_ranks=ranks, special_tokens=_SPECIAL)
    ranks.clear()  # the encoder has its own copy; this one would hold 30 MiB for nothing
    return encoding


def _ranks(data: bytes) -> dict[bytes, int]:
    return {b64decode(token): int(rank) for token, rank in (line.split() for line in data.splitlines())}


def _corrupt(fault: str) -> CorruptFile:
    return CorruptFile(
        f"the vocabulary {ENCODING} in the installed package {fault}, so its token counts would be wrong; "
        "install it anew: pip install --force-reinstall skillhorizon"
    )
