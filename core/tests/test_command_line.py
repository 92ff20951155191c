"""The command line as a whole: what it costs, what it lists, and how it tells of faults."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from importlib import import_module
from resource import RUSAGE_CHILDREN, getrusage
from typing import TYPE_CHECKING

import click
import pytest
from click.testing import CliRunner
from distributions import COMMANDS as GROUP
from distributions import install

from skillhorizon.cli import COMMANDS, SUMMARIES, Commands, faults, shz
from skillhorizon.errors import CorruptFile, UnknownName

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

HEAVY = ("sqlalchemy", "networkx", "tiktoken", "pluggy", "yaml", "cattrs", "orjson", "small_bakery", "greetings")
GREETING = """
import click


@click.command()
def greet():
    \"\"\"Greet.\"\"\"
    click.echo("hello")
"""
REPORT = f"""
import sys
from skillhorizon.cli import main
try:
    main()
finally:
    print([name for name in {HEAVY} if name in sys.modules], file=sys.stderr)
"""
CLICK = "import click"
SCAN = "import click; from importlib.metadata import entry_points; entry_points(group='none')"
MOST_TIMES = 2
"""What listing may cost, in times of what nobody can leave out: the library, or the look at what is installed."""


class Failing(Commands):
    """A command line whose only command raises an error."""

    def __init__(self, error: BaseException) -> None:
        super().__init__("shz")
        self.error = error

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return click.Command(cmd_name, callback=self.fail)

    def fail(self) -> None:
        raise self.error


def told(error: BaseException, *more: str) -> tuple[int, str]:
    done = CliRunner().invoke(Failing(error), ["fail", *more])
    assert done.stdout == ""
    return done.exit_code, done.stderr


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_a_commands_line_in_the_help_is_its_own_short_help(name: str) -> None:
    module, _, attribute = COMMANDS[name].partition(":")
    command = getattr(import_module(module), attribute)
    assert command.name == name
    assert command.get_short_help_str(limit=200) == SUMMARIES[name]


def test_the_help_lists_every_command() -> None:
    done = CliRunner().invoke(shz, ["--help"])
    assert done.exit_code == 0
    assert all(f"  {name} " in done.output and SUMMARIES[name] in done.output for name in COMMANDS)


@pytest.mark.parametrize("words", [["--help"], ["list-envs"], ["--version"]])
def test_listing_loads_no_command_library_or_environment(words: list[str], with_bakery: Path, tmp_path: Path) -> None:
    install(tmp_path, "test-greetings", {GROUP: {"greet": "greetings:greet"}}, modules={"greetings": GREETING})
    path = os.pathsep.join([str(with_bakery), str(tmp_path)])
    done = subprocess.run(
        [sys.executable, "-c", REPORT, *words],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": path},
    )
    assert done.stderr.strip() == "[]"
    assert done.stdout


def processor_time(words: list[str], cache: Path) -> float:
    """Return the processor time of one run with compiled modules at hand."""
    env = {**os.environ, "PYTHONPYCACHEPREFIX": str(cache)}
    env.pop("PYTHONDONTWRITEBYTECODE", None)
    before = getrusage(RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", *words], check=True, capture_output=True, env=env)
    after = getrusage(RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


@pytest.mark.slow
@pytest.mark.parametrize(("word", "yardstick"), [("--help", CLICK), ("list-envs", SCAN)], ids=["help", "list-envs"])
def test_listing_starts_at_once(word: str, yardstick: str, tmp_path: Path) -> None:
    start = "import sys; from skillhorizon.cli import main; main()"
    lines = (["pass"], [yardstick], [start, word])
    rounds = [[processor_time(line, tmp_path) for line in lines] for _ in range(7)]
    bare, least, ours = (min(times) for times in zip(*rounds, strict=True))
    assert ours - bare <= MOST_TIMES * (least - bare)


def test_python_m_is_the_same_command() -> None:
    words = [sys.executable, "-m", "skillhorizon", "--version"]
    assert subprocess.run(words, capture_output=True, text=True, check=True).stdout.startswith("shz, version ")


def test_a_misspelt_command_names_its_like() -> None:
    done = CliRunner().invoke(shz, ["genrate"])
    assert done.exit_code == 2
    assert done.stderr == "error: there is no command 'genrate'; did you mean generate?; see `shz --help`\n"


def test_an_unknown_option_is_a_usage_error_of_one_paragraph() -> None:
    done = CliRunner().invoke(shz, ["list-envs", "--chek"])
    assert done.exit_code == 2
    assert done.stderr.count("\n") == 1
    assert "--chek" in done.stderr
    assert "`shz list-envs --help`" in done.stderr


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (CorruptFile("a.json is no task file; restore it"), 1, "error: a.json is no task file; restore it"),
        (UnknownName("no environment 'x'"), 2, "error: no environment 'x'"),
        (OSError(errno.ENOSPC, "No space left on device", "out/t.json"), 1, "cannot write out/t.json: No space left"),
        (
            PermissionError(errno.EACCES, "Permission denied", "out"),
            1,
            "cannot use out: Permission denied; name another",
        ),
        (KeyboardInterrupt(), 130, "error: stopped by Ctrl-C; what was written stays"),
        (KeyboardInterrupt("stopped after 3 of 9 tasks"), 130, "error: stopped after 3 of 9 tasks"),
        (ZeroDivisionError("division by zero"), 1, "ZeroDivisionError: division by zero); this is a defect"),
        (click.exceptions.Exit(1), 1, ""),
        (click.BadParameter("it is odd", param_hint="--width"), 2, "--width: it is odd"),
    ],
)
def test_every_fault_is_one_paragraph_with_its_exit_code(error: BaseException, code: int, said: str) -> None:
    exit_code, stderr = told(error)
    assert exit_code == code
    assert said in stderr
    assert stderr.strip().count("\n") == 0
    assert "Traceback" not in stderr


@pytest.mark.parametrize("words", [[], ["skills"]])
def test_a_group_without_a_command_shows_its_help(words: list[str]) -> None:
    done = CliRunner().invoke(shz, words)
    assert done.exit_code == 2
    assert done.stderr.startswith("Usage: ")
    assert "\nCommands:\n" in done.stderr


def test_debug_shows_the_traceback_first() -> None:
    code, stderr = told(CorruptFile("a.json is no task file"), "--debug")
    assert code == 1
    assert stderr.startswith("Traceback")
    assert stderr.endswith("error: a.json is no task file\n")


def test_debug_after_a_double_dash_is_an_argument() -> None:
    assert faults._without_debug(["call", "--debug", "--", "--debug"]) == (True, ["call", "--", "--debug"])


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    monkeypatch.syspath_prepend(str(tmp_path))

    def add(name: str, target: str, **modules: str) -> None:
        install(tmp_path, name, {GROUP: {"greet": target}}, modules=modules)

    return add


def test_a_plugins_command_is_listed_and_run(plugin: Callable[..., None]) -> None:
    plugin("test-hello", "greetings_one:greet", greetings_one=GREETING)
    assert "(from test-hello)" in CliRunner().invoke(shz, ["--help"]).output
    assert CliRunner().invoke(shz, ["greet"]).output == "hello\n"


def test_a_broken_command_plugin_is_named_and_stops_no_other_command(plugin: Callable[..., None]) -> None:
    plugin("test-broken-command", "greetings_two:greet", greetings_two="import a_module_that_is_missing")
    done = CliRunner().invoke(shz, ["greet"])
    assert done.exit_code == 1
    assert "'greet' of test-broken-command" in done.stderr
    assert "a_module_that_is_missing" in done.stderr
    assert CliRunner().invoke(shz, ["list-envs"]).exit_code == 0


def test_a_command_offered_twice_names_both_distributions(plugin: Callable[..., None]) -> None:
    plugin("test-one", "greetings_three:greet", greetings_three=GREETING)
    plugin("test-two", "greetings_three:greet")
    done = CliRunner().invoke(shz, ["greet"])
    assert done.exit_code == 1
    assert "test-one and test-two" in done.stderr
