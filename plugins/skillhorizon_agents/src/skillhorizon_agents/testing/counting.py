"""The tokens that the server reports: by `o200k_base`, what earlier requests held counted once."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from skillhorizon import count
from skillhorizon_agents.testing.formats.reading import dumped
from skillhorizon_agents.testing.talk import Reply, Tokens

if TYPE_CHECKING:
    from collections.abc import Sequence

PER_TEXT = 4
"""Tokens that frame each message."""
REASONING = 32
"""Tokens that a reply with reasoning reports for it."""
_WEIGHED = 200_000


@lru_cache(maxsize=_WEIGHED)
def _count(text: str) -> int:
    return count(text)


def read_tokens(texts: Sequence[str]) -> int:
    """Return how many tokens a request has."""
    return sum(map(_count, texts)) + PER_TEXT * len(texts)


def tokens_of(texts: Sequence[str], before: Sequence[str], reply: Reply) -> Tokens:
    """Return what is reported for a reply; what the request has in common with the one `before` is cached."""
    same = 0
    for one, other in zip(texts, before, strict=False):
        if one != other:
            break
        same += 1
    written = count(reply.text) + sum(count(ask.name) + count(ask.arguments) for ask in reply.asks)
    reasoning = REASONING if reply.private else 0
    return Tokens(
        input=read_tokens(texts),
        cached=read_tokens(texts[:same]),
        output=written + reasoning + PER_TEXT,
        reasoning=reasoning,
    )


def refused_keyword(schema: object, keyword: str) -> bool:
    """Whether a JSON Schema uses a keyword anywhere.

    >>> refused_keyword({"properties": {"a": {"maxLength": 3}}}, "maxLength")
    True
    """
    return bool(keyword) and f'"{keyword}":' in dumped(schema)
