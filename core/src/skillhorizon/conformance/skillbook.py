"""The skills and the handbook of an environment's package, as its own tests look at them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cached_property
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from skillhorizon.conformance.unaided import codes, package_files
from skillhorizon.gateway.core_tools import topics
from skillhorizon.model.canonical import dumps
from skillhorizon.skills.library import load_library
from skillhorizon.skills.programs import run_script_process
from skillhorizon.skills.scripts import ScriptFailed, ScriptRunner

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

    from skillhorizon.skills.library import Skill

Examples = Mapping[str, dict[str, Any]]
PARTS = ("## when it applies", "## inputs", "## procedure", "state effects", "## pitfalls", "## check")
"""What the body of a skill tells: when it applies, what it needs, what to do, what comes of it."""
_SHORTEST = 25


class Skillbook:
    """The folders `skills` and `handbook` of a package; scripts go by their file names.

    Raises:
        PluginError: when a skill breaks the Agent Skills format.
    """

    def __init__(self, package: str) -> None:
        self.package = package
        self.folder: Traversable = files(package)
        self.library = load_library(self.folder / "skills")
        self._runner = ScriptRunner()

    @cached_property
    def scripts(self) -> dict[str, Skill]:
        """Return the skill of each script."""
        return {script: skill for skill in self.library.skills.values() for script in skill.scripts}

    @cached_property
    def handbook(self) -> dict[str, str]:
        """Return the handbook's texts by topic."""
        return {name: file.read_text(encoding="utf-8") for name, file in topics(self.folder / "handbook").items()}

    def run(self, script: str, data: dict[str, Any]) -> dict[str, Any]:
        """Run a script in process.

        Raises:
            ScriptFailed: when it refuses its input.
        """
        return self._runner.run(self.scripts[script], script, data)

    def lacking(self) -> list[str]:
        """Return the parts that bodies lack."""
        bodies = [(skill.name, skill.body.lower()) for skill in self.library.skills.values()]
        return [f"{name}: {part}" for name, body in bodies for part in PARTS if part not in body]

    def differing(self, examples: Examples) -> list[str]:
        """Return the scripts that answer otherwise as programs."""
        return [
            name
            for name, data in examples.items()
            if dumps(run_script_process(self.scripts[name], name, data)) != dumps(self.run(name, data))
        ]

    def unclear(self, broken: Iterable[tuple[str, dict[str, Any]]]) -> list[str]:
        """Return inputs that are taken, or refused by anything but one plain sentence."""
        told = [(name, data, self._refusal(name, data)) for name, data in broken]
        return [
            f"{name} {dumps(data)}: {message or 'taken'}"
            for name, data, message in told
            if len(message) <= _SHORTEST or "\n" in message or "Error" in message
        ]

    def unchecked(self, examples: Examples) -> list[str]:
        """Return fields whose absence or wrong type is not refused by their name."""
        found = [name for name in examples if "field '" not in self._refusal(name, {})]
        for name, data in examples.items():
            for field, value in data.items():
                wrong: Any = {} if isinstance(value, list) else [[]]
                if f"'{field}'" not in self._refusal(name, {**data, field: wrong}):
                    found.append(f"{name}: {field}")
        return found

    def _refusal(self, name: str, data: dict[str, Any]) -> str:
        try:
            self.run(name, data)
        except ScriptFailed as refusal:
            return str(refusal)
        return ""

    def missing(self, words: str, rules: int) -> list[str]:
        """Return what stands in no topic: of some words, the rules R1 to `rules`, and the codes that the code names."""
        found = {*re.findall(r"\w+", "\n".join(self.handbook.values()))}
        named = sorted({code for file in package_files(self.package) for code in codes(file)})
        asked = [*words.split(), *named, *(f"R{number}" for number in range(1, rules + 1))]
        return [word for word in asked if word not in found]

    @property
    def text(self) -> str:
        """Return the handbook and the bodies of all skills."""
        return "\n".join([*self.handbook.values(), *(skill.body for skill in self.library.skills.values())])
