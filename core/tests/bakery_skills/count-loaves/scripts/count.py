"""Add up loaves."""

import json
import sys


def run(data):
    """Return the total."""
    return {"total": sum(data["loaves"])}


if __name__ == "__main__":
    sys.stdout.write(json.dumps(run(json.load(sys.stdin)), sort_keys=True, separators=(",", ":")))
