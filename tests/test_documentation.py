"""Every command and code block of the README and of the pages under docs/ does what it says."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from itertools import groupby
from pathlib import Path

import attrs
import pytest

from skillhorizon.cli import COMMANDS

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
FOLLOWED = [page for page in PAGES if page.parent.name not in ("clients", "serving")]
"""Pages that can be followed line by line; those on serving and clients start servers, and have tests of their own."""
LONG_COMMANDS = ("shz demo financeops", ".venv/bin/pytest -n auto")
"""How the two commands end that install and test everything: they would run this test again, and CI runs them."""
LANGUAGES = ("console", "python", "sh")
_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_NUMBER = re.compile(r"\d+(\.\d+)*")


@attrs.frozen
class Example:
    """One command of a `console` block, and what it prints."""

    command: str
    output: str


def blocks(page: Path) -> list[tuple[str, str]]:
    return [(found[1], found[2]) for found in _FENCE.finditer(page.read_text(encoding="utf-8"))]


def examples(block: str) -> list[Example]:
    """Split a console block at its `$ ` lines."""
    numbered, count = [], 0
    for line in block.splitlines():
        count += line.startswith("$ ")
        numbered.append((count, line))
    parts = [[line for _, line in group] for _, group in groupby(numbered, key=lambda pair: pair[0])]
    return [Example(lines[0].removeprefix("$ "), "\n".join(lines[1:])) for lines in parts]


def shape(text: str) -> str:
    """Return a text without what may differ between machines and versions: numbers and the width of columns."""
    lines = (" ".join(line.split()) for line in _NUMBER.sub("0", text).splitlines())
    return "\n".join(lines).strip()


def agrees(printed: str, told: str) -> bool:
    """Whether a text has the told shape; `...` stands for anything."""
    pattern = ".*".join(re.escape(part.strip(" ")) for part in shape(told).split("..."))
    return re.fullmatch(pattern, shape(printed), re.DOTALL) is not None


@attrs.frozen
class Reader:
    """Someone who follows a page in a folder of their own."""

    folder: Path
    env: dict[str, str]

    def follow(self, example: Example) -> None:
        """Run a command, and hold what it prints and its exit against the page."""
        done = subprocess.run(  # noqa: S602  # the page's own commands
            example.command,
            shell=True,
            cwd=self.folder,
            env=self.env,
            capture_output=True,
            text=True,
            check=False,
        )
        printed = done.stdout + done.stderr
        assert (done.returncode != 0) == example.output.startswith("error: "), printed
        assert agrees(printed, example.output), f"$ {example.command}\n{printed}\nis not as told:\n{example.output}"

    def run(self, source: str) -> None:
        """Run a Python block as a script."""
        script = self.folder / "example.py"
        script.write_text(source, encoding="utf-8")
        done = subprocess.run(
            [sys.executable, script.name], cwd=self.folder, env=self.env, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr


@pytest.fixture
def reader(tmp_path: Path) -> Reader:
    programs = str(Path(sys.executable).parent)
    env = {**os.environ, "PATH": os.pathsep.join([programs, os.environ["PATH"]])}
    return Reader(tmp_path, {**env, "PYTHONPYCACHEPREFIX": str(tmp_path / "compiled"), "PYTHONDONTWRITEBYTECODE": ""})


@pytest.mark.timeout(900)  # a page runs dozens of commands, one after the other
@pytest.mark.parametrize("page", FOLLOWED, ids=lambda page: page.name)
def test_a_page_does_what_it_says(page: Path, reader: Reader) -> None:
    for language, block in blocks(page):
        assert language in LANGUAGES, f"say what this block is: {block}"
        if language == "console":
            for example in examples(block):
                reader.follow(example)
        elif language == "python":
            reader.run(block)
        else:
            assert block.rstrip().endswith(LONG_COMMANDS), f"write it as a console block: {block}"
    if page.name == "README.md":
        kept = ROOT / "docs" / "task-graph.svg"
        made = reader.folder / kept.name
        assert made.read_bytes() == kept.read_bytes(), f"{kept} is not what the README's `shz view` draws; copy it anew"


def test_every_command_has_its_section() -> None:
    headings = re.findall(r"^## (.+)$", (ROOT / "docs" / "commands.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(set(COMMANDS) - set(headings)) == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_within_the_repository_lead_somewhere(page: Path) -> None:
    targets = re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8"))
    assert [target for target in targets if not (page.parent / target).exists()] == []


def test_the_shape_of_an_output_ignores_numbers_and_widths() -> None:
    assert agrees("task   tokens\na-01     17941\n", "task  tokens\na-02  9")
    assert agrees("one\ntwo\nthree\n", "one\n...\nthree")
    assert not agrees("one\ntwo\n", "one")
