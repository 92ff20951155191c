"""Running a script that somebody else wrote: as a confined program, or not at all."""

from __future__ import annotations

import sys
import tempfile
from importlib import resources
from typing import TYPE_CHECKING, Any

import attrs

from skillhorizon.errors import SkillHorizonError
from skillhorizon.skills.programs import start
from skillhorizon.skills.scripts import canonical_input

if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from pathlib import Path

    from skillhorizon.skills.library import Skill
    from skillhorizon.skills.programs import Ending

UNENFORCED = 77
"""The exit code of `jail.py` when it could not confine itself."""

_FLAGS = ("-I", "-S", "-B", "-X", "utf8")
_GRACE_SECONDS = 5


class SandboxUnavailable(SkillHorizonError):
    """A system that cannot keep a foreign script from files, network and processes."""


@attrs.frozen(kw_only=True)
class Limits:
    """What a foreign script may use: processor seconds, bytes of memory, bytes of output."""

    seconds: int = 10
    memory: int = 512 * 1024 * 1024
    output: int = 64 * 1024


DEFAULT_LIMITS = Limits()


def run_script_confined(
    skill: Skill, script: str, data: dict[str, Any], limits: Limits = DEFAULT_LIMITS
) -> dict[str, Any]:
    """Run a script without network, other processes, or files beyond the standard library and its own folder.

    Raises:
        UnknownName: when the skill has no such script.
        ScriptFailed: when the input is too large, the script fails or meets a limit, or it writes no canonical JSON.
        SandboxUnavailable: when this system cannot enforce the limits; the script was not run.
    """
    text = canonical_input(data)
    with resources.as_file(skill.script(script)) as path:
        return _jailed(path, text, limits).result()


def require_confinement(folder: Path) -> None:
    """Confine a process that may read one folder.

    Raises:
        SandboxUnavailable: when this system lacks what confining needs; the text names it.
    """
    _jailed(folder / "nothing", b"", DEFAULT_LIMITS)


def _jailed(script: Path, text: bytes, limits: Limits) -> Ending:
    """Run a program in the jail, which signs that it is closed before the program begins and can sign too.

    Raises:
        ScriptFailed: when it does not end.
        SandboxUnavailable: when the jail could not be closed.
    """
    with _jail() as jail, tempfile.TemporaryFile() as sign:
        numbers = map(str, (limits.seconds, limits.memory, limits.output, sign.fileno()))
        command = [sys.executable, *_FLAGS, str(jail), str(script), *numbers]
        ending = start(command, text, seconds=limits.seconds + _GRACE_SECONDS, keep=(sign.fileno(),))
        sign.seek(0)
        closed = bool(sign.read())
    if ending.code == UNENFORCED and not closed:
        raise SandboxUnavailable(
            f"scripts of this pack cannot be confined here ({ending.errors}); use a pack without scripts, or leave "
            "--allow-scripts out; --allow-scripts=unconfined runs them with all that you may do"
        )
    return ending


def _jail() -> AbstractContextManager[Path]:
    return resources.as_file(resources.files("skillhorizon.skills").joinpath("jail.py"))
