"""The README's two commands are the ones that are run and kept."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TEST_COMMAND = ".venv/bin/pytest -n auto"
INSTALL_COMMAND = " && ".join(
    (
        "python3 -m venv .venv",
        ".venv/bin/pip install uv",
        ".venv/bin/uv sync --locked --all-packages",
        ".venv/bin/shz demo financeops",
    )
)


@pytest.mark.parametrize("command", [INSTALL_COMMAND, TEST_COMMAND])
def test_the_readme_gives_each_command_in_one_line(command: str) -> None:
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    assert any(line.strip().removeprefix("$ ").endswith(command) for line in lines)


def test_ci_runs_the_readmes_test_command() -> None:
    assert TEST_COMMAND in (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
