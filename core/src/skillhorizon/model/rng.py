"""A counter-based generator (BLAKE2b): the same draws on every platform and Python version."""

from __future__ import annotations

import struct
from hashlib import blake2b
from typing import TYPE_CHECKING, TypeVar

from skillhorizon.model.canonical import dumps_bytes

if TYPE_CHECKING:
    from collections.abc import Sequence

T = TypeVar("T")
_WORD = 1 << 64
_SMALL = 1 << 32
_SURE = _WORD - _SMALL
"""Up to here words lie below the last multiple of any small bound."""
_WORDS = struct.Struct(">8Q")


class Rng:
    """Draws from one named stream; `stream(name)` derives an independent one.

    Each object counts its own blocks, so adding draws in one stream never moves another.

    >>> Rng("demo", 7).integer(1, 6) == Rng("demo", 7).integer(1, 6)
    True
    """

    __slots__ = ("_block", "_keyed", "_path", "_words")

    def __init__(self, *path: str | int) -> None:
        self._start(path)

    def _start(self, path: tuple[str | int, ...]) -> None:
        self._path = path
        self._keyed = blake2b(key=blake2b(dumps_bytes(path), digest_size=32).digest(), digest_size=64)
        self._block = 0
        self._words: list[int] = []

    def __getstate__(self) -> tuple[tuple[str | int, ...], int, list[int]]:
        """Return what a copy goes on from: a keyed hash cannot be kept."""
        return self._path, self._block, self._words

    def __setstate__(self, state: tuple[tuple[str | int, ...], int, list[int]]) -> None:
        """Go on where another generator was."""
        path, block, words = state
        self._start(path)
        self._block, self._words = block, list(words)

    def stream(self, *name: str | int) -> Rng:
        """Return an independent generator named below this one."""
        made = Rng.__new__(Rng)
        made._start((*self._path, *name))
        return made

    @property
    def path_text(self) -> str:
        """The stream's whole name as canonical JSON: what run-time draws derive from."""
        return dumps_bytes(self._path).decode()

    def _word(self) -> int:
        """Return a word of a new block, whose others wait to be drawn."""
        block, number = self._keyed.copy(), self._block
        block.update(number.to_bytes(8, "big"))
        self._block = number + 1
        words: list[int] = [*_WORDS.unpack(block.digest())]
        self._words = words
        return words.pop()

    def _below(self, bound: int) -> int:
        """Return an integer in [0, bound), without bias: words past the last multiple of the bound do not count."""
        word = self._words.pop() if self._words else self._word()
        return word % bound if word < _SURE and bound < _SMALL else self._fair(word, bound)

    def _fair(self, word: int, bound: int) -> int:
        while word >= _WORD - _WORD % bound:
            word = self._words.pop() if self._words else self._word()
        return word % bound

    def integer(self, low: int, high: int) -> int:
        """Return an integer in [low, high], both included.

        Raises:
            ValueError: when the range is empty.
        """
        if high < low:
            raise ValueError(f"no integer lies in [{low}, {high}]")
        bound = high - low + 1
        word = self._words.pop() if self._words else self._word()
        return low + (word % bound if word < _SURE and bound < _SMALL else self._fair(word, bound))

    def chance(self, basis_points: int) -> bool:
        """Return True in `basis_points` of 10,000 draws."""
        word = self._words.pop() if self._words else self._word()
        return (word % 10_000 if word < _SURE else self._fair(word, 10_000)) < basis_points

    def choice(self, items: Sequence[T]) -> T:
        """Return one item.

        Raises:
            ValueError: when there is none.
        """
        bound = len(items)
        if not bound:
            raise ValueError("there is nothing to choose from")
        word = self._words.pop() if self._words else self._word()
        return items[word % bound if word < _SURE and bound < _SMALL else self._fair(word, bound)]

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """Return the items in a drawn order (Fisher-Yates)."""
        out = list(items)
        for i in range(len(out) - 1, 0, -1):
            j = self._below(i + 1)
            out[i], out[j] = out[j], out[i]
        return out

    def sample(self, items: Sequence[T], count: int) -> list[T]:
        """Return `count` distinct positions' items in drawn order.

        Raises:
            ValueError: when fewer than `count` exist.
        """
        if count > len(items):
            raise ValueError(f"{count} items asked of {len(items)}")
        pool = list(items)
        for i in range(count):
            j = i + self._below(len(pool) - i)
            pool[i], pool[j] = pool[j], pool[i]
        return pool[:count]

    def weighted(self, pairs: Sequence[tuple[T, int]]) -> T:
        """Return one item, drawn by its whole-number weight.

        Raises:
            ValueError: when the weights add up to nothing.
        """
        total = sum(weight for _, weight in pairs)
        if total <= 0:
            raise ValueError("the weights add up to nothing")
        mark = self._below(total)
        for item, weight in pairs:
            if mark < weight:
                return item
            mark -= weight
        raise AssertionError("unreachable: the mark lies below the total")


def draws(seed_text: str, subject: str, attempt: int) -> Rng:
    """Return the run-time draws of an object's n-th attempt; tools and checkers of a task get the same ones.

    Args:
        seed_text: the `path_text` of the generator that composed the task.
        subject: the object, such as `TST:d-17`.
        attempt: the attempt's number.
    """
    return Rng("draws", seed_text, subject, attempt)
