"""The recipes for real clients: each, from its registry, works on a smoke task with the scripted model to TS = 1."""

from __future__ import annotations

import os
import sys
from gzip import decompress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from test_documentation import ROOT, Reader, blocks, examples
from test_serve_conformance import LEAST_NODE, NPX, PROGRAMS
from test_serve_documents import end_server

from skillhorizon import loads

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGES = sorted((ROOT / "docs" / "clients").glob("*.md"))
RECIPES = [page for page in PAGES if blocks(page) and blocks(page)[0][0] == "console"]
pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(900),  # a client is downloaded first
    pytest.mark.skipif(not NPX, reason=f"needs Node {LEAST_NODE} or newer: `uv sync --group node` brings one"),
]


@pytest.fixture
def reader(tmp_path: Path) -> Iterator[Reader]:
    """Someone with Python's and Node's programs, and a place of their own for what npm installs."""
    programs = tmp_path / "npm" / "bin"
    programs.mkdir(parents=True)
    if len(NPX) > 1:  # Node out of a wheel, whose own `npm` does not find its parts
        shim = programs / "npm"
        shim.write_text(f'#!/bin/sh\nexec "{NPX[0]}" "{Path(NPX[1]).with_name("npm-cli.js")}" "$@"\n')
        shim.chmod(0o700)
    paths = [str(programs), str(Path(sys.executable).parent), PROGRAMS, os.environ["PATH"]]
    npm = {"npm_config_prefix": str(tmp_path / "npm"), "npm_config_update_notifier": "false", "NO_COLOR": "1"}
    yield Reader(tmp_path, {**os.environ, **npm, "PATH": os.pathsep.join(paths)})
    end_server(tmp_path / "model.pid")


@pytest.mark.parametrize("page", RECIPES, ids=lambda page: page.stem)
def test_a_recipe_leads_its_client_to_full_success(page: Path, reader: Reader) -> None:
    for language, block in blocks(page):
        assert language == "console"
        for example in examples(block):
            reader.follow(example)
    (journal,) = (reader.folder / "run").rglob("*.jsonl.gz")
    footer = loads(decompress(journal.read_bytes()).splitlines()[-1])["footer"]
    assert (footer["kind"], footer["score"]["success"]) == ("submitted", True)
    run = loads((reader.folder / "run" / "run.json").read_bytes())
    assert run["isolation"] in ("landlock", "none")


def test_there_are_recipes_for_four_clients() -> None:
    assert {page.stem for page in RECIPES} == {"claude-code", "codex", "gemini-cli", "opencode"}
