"""Add up loaves."""

import json
import sys
from typing import Any


def run(data: dict[str, Any]) -> dict[str, int]:
    """Return the total."""
    return {"total": sum(data["loaves"])}


if __name__ == "__main__":
    sys.stdout.write(json.dumps(run(json.load(sys.stdin)), sort_keys=True, separators=(",", ":")))
