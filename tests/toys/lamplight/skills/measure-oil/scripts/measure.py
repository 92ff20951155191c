"""Reckon the oil of a lamp."""

import json
import sys
from typing import Any


def run(data: dict[str, Any]) -> dict[str, int]:
    """Return the measure of oil for a wick and a wind."""
    return {"oil": 3 * data["wick"] + data["wind"]}


if __name__ == "__main__":
    sys.stdout.write(json.dumps(run(json.load(sys.stdin)), sort_keys=True, separators=(",", ":")))
