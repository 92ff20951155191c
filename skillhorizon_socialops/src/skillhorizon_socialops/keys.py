"""What artifacts are watched for besides other artifacts, and the words of states that several modules share."""

from __future__ import annotations

GRANTED, WITHDRAWN = "granted", "withdrawn"
"""Tokens of an asset's rights; a withdrawn post bears the same word."""
SCHEDULED, PUBLISHED, MISSED, RELEASED = "scheduled", "published", "missed", "released"
"""Further states of a post."""
UNOPENED, OPEN, CLOSED = "unopened", "open", "closed"
"""States of a wave."""
PAID, VOID = "paid", "void"
"""States of a conversion."""
CONTROL, SUPPRESS, BENCHMARK, HISTORY = "control", "suppress", "benchmark", "history"
"""What a brief takes from an earlier one."""
WAVE_CLOSED = "wave_closed"
"""The event of a closed wave; its subject is the wave's number."""


def rights_key(asset: str) -> str:
    """Return the key of an asset's rights, such as `rights:as012`; its token is granted or withdrawn."""
    return f"rights:{asset}"


def feed_key(brief: str) -> str:
    """Return the key of a brief's conversion feed, such as `feed:b-01-00`; its token is the feed's version."""
    return f"feed:{brief}"


def run_key(brief: str) -> str:
    """Return the key of a brief's re-runs, such as `run:b-01-00`; its token counts those ordered."""
    return f"run:{brief}"


def winner_key(brief: str) -> str:
    """Return the aspect of a brief's report that says who won, such as `rp:b-01-00/winner`."""
    return f"rp:{brief}/winner"


def hour_event(wave: int, hour: int) -> str:
    """Return the event of an hour of a wave, such as `hour:2/9`."""
    return f"hour:{wave}/{hour}"
