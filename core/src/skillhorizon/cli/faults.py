"""Every fault as one paragraph on stderr, with the exit code that says whose it is."""

from __future__ import annotations

import errno
import sys
from typing import TYPE_CHECKING, Any

import click

from skillhorizon.errors import SkillHorizonError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

USAGE, FAILED, INTERRUPTED = 2, 1, 130
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


def run(
    command: Callable[..., Any], args: Sequence[str] | None = None, *, standalone_mode: bool = True, **extra: Any
) -> Any:
    """Run click's `main` and turn whatever goes wrong into one paragraph and an exit code.

    The code is 0 when it is done, 1 when a check failed or a file is at fault, 2 for usage and 130 for Ctrl-C. With
    `--debug` anywhere among the arguments the traceback comes first. As click does, it exits, unless
    `standalone_mode` is off: then faults go through.
    """
    debug, rest = _without_debug(list(sys.argv[1:] if args is None else args))
    if not standalone_mode:
        return command(rest, standalone_mode=False, **extra)
    try:
        code = command(rest, standalone_mode=False, **extra)
    except click.exceptions.NoArgsIsHelpError as error:  # a group without a command shows its help, as click does
        error.show()
        code = USAGE
    except Exception as error:  # the outermost frame: every fault is told here
        code = _told(error, debug=debug)
    sys.exit(code if isinstance(code, int) else 0)


def _without_debug(words: list[str]) -> tuple[bool, list[str]]:
    """Take `--debug` out of the words before a lone `--`."""
    end = words.index("--") if "--" in words else len(words)
    return "--debug" in words[:end], [w for i, w in enumerate(words) if i >= end or w != "--debug"]


def _told(error: Exception, *, debug: bool) -> int:
    if debug:
        import traceback  # noqa: PLC0415  # wanted only here

        click.echo("".join(traceback.format_exception(error)), err=True, nl=False)
    text, code = told(error)
    say(text)
    return code


def say(text: str, kind: str = "error") -> None:
    """Write one paragraph on stderr, `error: ...` or another kind."""
    click.echo(f"{kind}: {' '.join(text.split())}", err=True)


def told(error: BaseException) -> tuple[str, int]:
    """Return the paragraph and the exit code of a fault.

    >>> told(OSError(28, "No space left on device", "suite/tasks/a.json"))[1]
    1
    """
    match error:
        case SkillHorizonError():
            return str(error), error.exit_code
        case click.UsageError():
            return _usage(error), error.exit_code
        case click.ClickException():
            return error.format_message(), error.exit_code
        case click.Abort():
            return _interrupted(error.__cause__), INTERRUPTED
        case OSError():
            return _system(error), FAILED
        case _:
            return _unexpected(error), FAILED


def _usage(error: click.UsageError) -> str:
    message = error.format_message()
    way_out = f"; see `{error.ctx.command_path} --help`" if error.ctx is not None and "`" not in message else ""
    return message + way_out


def _interrupted(cause: BaseException | None) -> str:
    """Return the text that a command gave its KeyboardInterrupt, or a general one."""
    given = str(cause) if isinstance(cause, KeyboardInterrupt) else ""
    return given or "stopped by Ctrl-C; what was written stays, and the same command goes on from there"


def _system(error: OSError) -> str:
    name = f" {error.filename}" if error.filename else ""
    reason = error.strerror or str(error)
    if error.errno in _FULL:
        return f"cannot write{name}: {reason}; what was written stays: free some space and run the same command again"
    return f"cannot use{name}: {reason}; name another place, or change its permissions, and run the command again"


def _unexpected(error: BaseException) -> str:
    return (
        f"something unexpected went wrong ({type(error).__name__}: {error}); this is a defect: run the command again "
        "with --debug and report the traceback"
    )
