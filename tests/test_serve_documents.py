"""The pages on serving do what they say; what they start is ended however they end."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from signal import SIGKILL

import pytest
from test_documentation import ROOT, Reader, blocks, examples

PAGES = sorted((ROOT / "docs" / "serving").glob("*.md"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_on_serving_does_what_it_says(page: Path, tmp_path: Path) -> None:
    programs = str(Path(sys.executable).parent)
    env = {**os.environ, "PATH": os.pathsep.join([programs, os.environ["PATH"]])}
    reader = Reader(tmp_path, env)
    try:
        for language, block in blocks(page):
            if language == "python":
                reader.run(block)
            else:
                assert language == "console"
                for example in examples(block):
                    reader.follow(example)
    finally:
        end_server(tmp_path / "serve.pid")


def end_server(noted: Path) -> None:
    """End the server whose process a page noted last, unless the page did."""
    if noted.exists():
        try:
            os.kill(int(noted.read_text()), SIGKILL)
        except ProcessLookupError:
            return
