"""The command `shz`: a table of commands, each imported only when it is run."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from skillhorizon.cli import faults

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

COMMANDS = {
    "bench": "skillhorizon.cli.bench:bench",
    "call": "skillhorizon.cli.call:call",
    "check-env": "skillhorizon.cli.check_env:check_env",
    "describe": "skillhorizon.cli.describe:describe",
    "demo": "skillhorizon.cli.demo:demo",
    "doctor": "skillhorizon.cli.doctor:doctor",
    "eval": "skillhorizon.cli.eval:evaluate",
    "export": "skillhorizon.cli.export:export",
    "generate": "skillhorizon.cli.generate:generate",
    "list-envs": "skillhorizon.cli.list_envs:list_envs",
    "replay": "skillhorizon.cli.replay:replay",
    "runs": "skillhorizon.cli.runs:runs",
    "serve": "skillhorizon.cli.serve:serve",
    "show": "skillhorizon.cli.show:show",
    "skills": "skillhorizon.cli.skills:skills",
    "validate": "skillhorizon.cli.validate:validate",
    "view": "skillhorizon.cli.view:view",
}
"""Core's own commands: name -> "module:attribute"."""

SUMMARIES = {
    "bench": "Measure speed against floors.",
    "call": "Make one call on a running `shz serve`.",
    "check-env": "Check an environment against the contract.",
    "describe": "Show an environment's bands, tools, skills, rules and mutations.",
    "demo": "Generate, validate and evaluate two small tasks.",
    "doctor": "Check this installation.",
    "eval": "Run an agent over a suite and score it.",
    "export": "Export what a run recorded.",
    "generate": "Generate a suite of proven tasks.",
    "list-envs": "List the installed environments.",
    "replay": "Repeat a journal and score its state.",
    "runs": "List the runs below a folder, shz-runs by default.",
    "serve": "Serve tasks to agents over the Model Context Protocol.",
    "show": "Show what a run reached and what it missed.",
    "skills": "Work with skill packages.",
    "validate": "Prove every task of a suite again.",
    "view": "Draw a task's graph.",
}
"""The line of each command in `shz --help`, which imports no command; it is the command's own short help."""

GROUP = "skillhorizon.commands"
"""Entry-point group of further commands, `name = "module:click_command"`."""


class Commands(click.Group):
    """A group that imports a command when it is run, and tells every fault in one paragraph."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  # click's signature
        """Return the names of all commands, plugins' included, without importing any."""
        return sorted({*COMMANDS, *_told_by_plugins()})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002  # click's
        """Import and return one command.

        Raises:
            PluginError: when a plugin's command is offered twice or cannot be imported.
        """
        if cmd_name not in COMMANDS:
            return plugged_command(cmd_name)
        module, _, attribute = COMMANDS[cmd_name].partition(":")
        found: click.Command = getattr(import_module(module), attribute)
        return found

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that the arguments name.

        Raises:
            click.UsageError: when there is none; it names those that are like it.
        """
        if self.get_command(ctx, args[0]) is None and not args[0].startswith("-"):
            raise click.UsageError(f"there is no command {args[0]!r}; {self._like(ctx, args[0])}", ctx)
        return super().resolve_command(ctx, args)

    def _like(self, ctx: click.Context, name: str) -> str:
        from difflib import get_close_matches  # noqa: PLC0415  # only a misspelt command needs it

        near = get_close_matches(name, self.list_commands(ctx))
        return f"did you mean {' or '.join(near)}?" if near else "`shz --help` lists them"

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands out of the table alone."""
        told = _told_by_plugins() | SUMMARIES
        with formatter.section("Commands"):
            formatter.write_dl([(name, told[name]) for name in self.list_commands(ctx)])

    def main(self, *args: Any, **extra: Any) -> Any:
        """Run the command line; every fault becomes one paragraph on stderr and an exit code."""
        return faults.run(super().main, *args, **extra)


def _told_by_plugins() -> dict[str, str]:
    """Return the plugins' commands and where they come from; `--help` pays for metadata only when there are any."""
    return {point.name: f"(from {_home(point)})" for point in plugged()} if _any_plugged() else {}


def _any_plugged() -> bool:
    """Whether a distribution's entry points name commands, by a look at the files alone."""
    files = (file for folder in sys.path for file in Path(folder).glob("*.dist-info/entry_points.txt"))
    return any(f"[{GROUP}]".encode() in file.read_bytes() for file in files)


def plugged() -> list[EntryPoint]:
    """Return the entry points of plugins' commands, by name."""
    from importlib.metadata import entry_points  # noqa: PLC0415  # 20 ms; running a command of core needs none of it

    return sorted(entry_points(group=GROUP), key=lambda point: (point.name, _home(point)))


def _home(point: EntryPoint) -> str:
    return point.dist.name if point.dist is not None else "unknown"


def plugged_command(name: str) -> click.Command | None:
    """Import and return a plugin's command, or None when no plugin has it.

    Raises:
        PluginError: when it is offered twice or cannot be imported.
    """
    from skillhorizon.errors import PluginError  # noqa: PLC0415

    found = [point for point in plugged() if point.name == name]
    if not found:
        return None
    if len(found) > 1:
        homes = " and ".join(_home(point) for point in found)
        raise PluginError(f"the command {name!r} is offered by {homes}; uninstall one of them")
    try:
        command: click.Command = found[0].load()
    except Exception as error:
        raise PluginError(
            f"the command {name!r} of {_home(found[0])} cannot be loaded from {found[0].value!r} "
            f"({type(error).__name__}: {error}); reinstall that distribution, or uninstall it"
        ) from error
    return command


@click.command(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="skillhorizon", prog_name="shz")
@click.option("--debug", is_flag=True, expose_value=False, help="Show the traceback of a fault; stands anywhere.")
def shz() -> None:
    """Compose long-horizon agent tasks, prove them, and score agents on them."""


def main() -> NoReturn:
    """Run `shz` on the process's arguments and exit."""
    raise SystemExit(shz.main(prog_name="shz"))
