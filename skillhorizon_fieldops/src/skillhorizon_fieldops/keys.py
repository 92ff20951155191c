"""What artifacts are watched for besides other artifacts: the keys that they cite, and the keys' tokens."""

from __future__ import annotations

OPEN, WITHDRAWN = "open", "withdrawn"
"""States of a window and of a crew's block; also the tokens of their keys."""
RELEASED, QUARANTINED = "released", "quarantined"
"""States of a batch; also the tokens of its key."""


def manual_key(edition: str) -> str:
    """Return the key of a manual's edition, such as `manual:M3-2`."""
    return f"manual:{edition}"


def batch_key(batch: str) -> str:
    """Return the key of a batch, such as `batch:B031`."""
    return f"batch:{batch}"


def window_key(zone: str, wave: int, block: str) -> str:
    """Return the key of a zone's window, such as `window:Z014/3.E`."""
    return f"window:{zone}/{wave}.{block}"


def block_key(crew: str, wave: int, block: str) -> str:
    """Return the key of a crew's block, such as `block:C07/3.E`."""
    return f"block:{crew}/{wave}.{block}"


def touch_key(device: str) -> str:
    """Return the key of a device's touches, such as `device:D027/touch` (R7)."""
    return f"device:{device}/touch"


def demand_key(service: str) -> str:
    """Return the key of a service's demand, such as `service:S012/demand`."""
    return f"service:{service}/demand"


def procedure_name(device_class: str, edition: int) -> str:
    """Return the name of a procedure's edition, such as `procedure:head/2`; kept as provenance only."""
    return f"procedure:{device_class}/{edition}"
