"""What a command costs over a bare interpreter."""

from __future__ import annotations

import subprocess
import sys

from skillhorizon.bench.figures import Figure, at_most, timed

HELP, LIST = 60, 100
"""Bounds in ms."""
STARTS = 10


def starting() -> list[Figure]:
    """Measure `shz --help` and `shz list-envs`."""
    bare = _least("-c", "pass")
    helped, listed = (_least("-m", "skillhorizon", word) - bare for word in ("--help", "list-envs"))
    return [
        at_most("shz --help over python -c pass", 1000 * helped, HELP, "ms"),
        at_most("shz list-envs over python -c pass", 1000 * listed, LIST, "ms"),
    ]


def _least(*words: str) -> float:
    return timed(lambda: subprocess.run([sys.executable, *words], capture_output=True, check=True), STARTS)
