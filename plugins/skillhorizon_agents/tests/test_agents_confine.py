"""What closes folders to a client closes them whatever happens around it meanwhile."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from skillhorizon_agents.clients import confine

if TYPE_CHECKING:
    from pathlib import Path

LANDLOCK = pytest.mark.skipif(not confine.landlock(), reason="the kernel offers no Landlock")
VANISHING = """
import sys
from pathlib import Path
from skillhorizon_agents.clients import confine

closed, fleeting, *asked = map(Path, sys.argv[1:])
listed = confine.readable

def listed_then_gone(*where):
    found = listed(*where)
    if fleeting in found and fleeting.exists():
        fleeting.rmdir()
    return found

confine.readable = listed_then_gone
confine.close([closed])
assert not fleeting.exists()
for path in asked:
    try:
        print(path.read_text())
    except PermissionError:
        print("closed")
"""
"""A program that closes a folder while another one beside it goes, and then reads files."""


@LANDLOCK
def test_a_folder_that_goes_between_its_listing_and_its_opening_stops_nothing(tmp_path: Path) -> None:
    home = tmp_path.resolve()
    for name in ("closed", "open", "fleeting"):
        (home / name).mkdir()
    for name in ("closed", "open"):
        (home / name / "file").write_text(f"read {name}")
    paths = [home / "closed", home / "fleeting", home / "closed" / "file", home / "open" / "file"]
    words = [sys.executable, "-c", VANISHING, *map(str, paths)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.stdout.splitlines() == ["closed", "read open"], done.stderr
