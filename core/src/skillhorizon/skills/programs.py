"""Running a skill's script as the program it is: canonical JSON on stdin, canonical JSON from stdout."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from importlib import resources
from typing import TYPE_CHECKING, Any

import attrs

from skillhorizon.errors import CorruptFile
from skillhorizon.model.canonical import dumps_bytes, loads
from skillhorizon.skills.scripts import LONGEST_MESSAGE, ScriptFailed, canonical_input, require_object, require_plain

if TYPE_CHECKING:
    from skillhorizon.skills.library import Skill

_SECONDS = 30
_FLAGS = ("-I", "-B", "-X", "utf8")


@attrs.frozen
class Ending:
    """How a program ended: exit code and what it wrote."""

    code: int
    output: bytes
    errors: str

    def result(self) -> dict[str, Any]:
        """Return what the program wrote, parsed.

        Raises:
            ScriptFailed: when it failed or wrote anything but one canonical JSON object.
        """
        if self.code != 0:
            lines = self.errors.strip().splitlines() or [f"the script ended with exit code {self.code}"]
            raise ScriptFailed(lines[-1].removeprefix("ValueError: ")[:LONGEST_MESSAGE])
        return require_object(_canonical(self.output.removesuffix(b"\n")))


def run_script_process(skill: Skill, script: str, data: dict[str, Any]) -> dict[str, Any]:
    """Run one script as a program of this interpreter.

    Raises:
        UnknownName: when the skill has no such script.
        ScriptFailed: when the input is too large, the program fails, or it writes anything but canonical JSON.
    """
    with resources.as_file(skill.script(script)) as path:
        return start([sys.executable, *_FLAGS, str(path)], canonical_input(data), seconds=_SECONDS).result()


def start(command: list[str], text: bytes, *, seconds: int, keep: tuple[int, ...] = ()) -> Ending:
    """Run a program in an empty environment with `text` on its stdin.

    What it writes goes to files, so that a limit on files bounds it. It keeps the descriptors `keep`.

    Raises:
        ScriptFailed: when it has not ended after `seconds` of wall time.
    """
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        try:
            done = subprocess.run(  # noqa: S603  # the callers' commands are their own
                command,
                input=text,
                stdout=output,
                stderr=errors,
                env={},
                check=False,
                timeout=seconds,
                pass_fds=keep,
            )
        except subprocess.TimeoutExpired as error:
            raise ScriptFailed(f"the script did not end within {seconds} seconds") from error
        output.seek(0)
        errors.seek(0)
        return Ending(done.returncode, output.read(), errors.read().decode(errors="replace"))


def _canonical(output: bytes) -> object:
    try:
        value = loads(output)
    except CorruptFile as error:
        raise ScriptFailed(f"the script wrote no JSON: {error}") from error
    if dumps_bytes(value) != output:
        raise ScriptFailed("the script wrote JSON that is not canonical: sort the keys, leave out spaces and escapes")
    require_plain(value)
    return value
