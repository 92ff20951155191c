"""Skills and libraries of them, read from folders once and frozen."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from importlib.resources.abc import Traversable
from typing import TYPE_CHECKING

import attrs

from skillhorizon.errors import PluginError, UnknownName
from skillhorizon.model.canonical import digest
from skillhorizon.skills import document
from skillhorizon.skills.document import Document, Problem

if TYPE_CHECKING:
    from collections.abc import Iterator

_SKIPPED = "__pycache__"


@attrs.frozen(kw_only=True)
class Skill:
    """One Agent Skills package; `scripts` and `references` are file names inside the folders of those names."""

    name: str
    description: str
    body: str
    folder: Traversable
    license: str = ""
    compatibility: str = ""
    metadata: Mapping[str, str] = attrs.Factory(dict)
    scripts: tuple[str, ...] = ()
    references: tuple[str, ...] = ()

    @property
    def files(self) -> tuple[str, ...]:
        """The paths that `read` accepts."""
        return (*(f"references/{name}" for name in self.references), *(f"scripts/{name}" for name in self.scripts))

    def read(self, path: str) -> str:
        """Return the text of one of the skill's files.

        Raises:
            UnknownName: when the skill has no such file.
        """
        return self._file(path).read_text(encoding="utf-8")

    def script(self, name: str) -> Traversable:
        """Return the file of a script.

        Raises:
            UnknownName: when the skill has no such script.
        """
        return self._file(f"scripts/{name}")

    def _file(self, path: str) -> Traversable:
        if path not in self.files:
            raise UnknownName(f"skill {self.name!r} has no file {path!r}; it has {', '.join(self.files) or 'none'}")
        return self.folder.joinpath(*path.split("/"))


@attrs.frozen
class SkillLibrary:
    """Named skills that belong together, in the order of their names."""

    name: str
    root: Traversable
    skills: Mapping[str, Skill]

    def skill(self, name: str) -> Skill:
        """Return the skill called `name`.

        Raises:
            UnknownName: when the library lacks it.
        """
        if name not in self.skills:
            known = ", ".join(self.skills) or "none"
            raise UnknownName(f"library {self.name!r} has no skill {name!r}; it has {known}")
        return self.skills[name]


def load_library(root: Traversable, *, name: str = "") -> SkillLibrary:
    """Read every skill folder under `root`; the library is called as its folder unless `name` says otherwise.

    Raises:
        PluginError: when a SKILL.md breaks the format; all faults of all skills are named.
    """
    loaded = [read_skill(folder) for folder in skill_folders(root)]
    faults = [str(problem) for found in loaded if not isinstance(found, Skill) for problem in found]
    if faults:
        raise PluginError(f"the skills under {root.name!r} break the Agent Skills format: " + " | ".join(faults))
    skills = {skill.name: skill for skill in loaded if isinstance(skill, Skill)}
    return SkillLibrary(name or root.name, root, skills)


def skill_folders(root: Traversable) -> list[Traversable]:
    """Return the folders directly under `root` that are meant as skills, by name.

    Raises:
        UnknownName: when `root` is no folder.
    """
    if not root.is_dir():
        raise UnknownName(f"there is no folder {str(root)!r} to read skills from")
    return [entry for entry in _entries(root) if entry.is_dir()]


def read_skill(folder: Traversable) -> Skill | list[Problem]:
    """Read one skill, or return every fault of its SKILL.md."""
    parsed = read_document(folder)
    if isinstance(parsed, Problem):
        return [attrs.evolve(parsed, where=f"{folder.name}/{parsed.where}")]
    faults = document.problems(parsed, folder.name)
    if faults:
        return [attrs.evolve(fault, where=f"{folder.name}/{fault.where}") for fault in faults]
    return _skill(folder, parsed)


def read_document(folder: Traversable) -> Document | Problem:
    """Parse the SKILL.md of a folder, or say why it cannot be read."""
    file = folder.joinpath(document.FILE)
    if not file.is_file():
        return Problem(document.FILE, "is missing", f"every skill folder holds a file {document.FILE}")
    try:
        return document.parse(file.read_bytes().decode("utf-8"))
    except UnicodeDecodeError as error:
        return Problem(document.FILE, f"is not UTF-8 (byte {error.start})", "save it as UTF-8")


def content_digest(library: SkillLibrary) -> str:
    """Return the digest of every file of every skill, by path: what a task pins."""
    return digest([[path, hashlib.sha256(file.read_bytes()).hexdigest()] for path, file in _files(library)])


def _skill(folder: Traversable, parsed: Document) -> Skill:
    return Skill(
        name=parsed.text("name"),
        description=parsed.text("description"),
        license=parsed.text("license"),
        compatibility=parsed.text("compatibility"),
        metadata=dict(parsed.fields.get("metadata", {})),
        body=parsed.body,
        scripts=tuple(name for name in _names(folder, "scripts") if name.endswith(".py")),
        references=_names(folder, "references"),
        folder=folder,
    )


def _names(folder: Traversable, kind: str) -> tuple[str, ...]:
    inner = folder.joinpath(kind)
    return tuple(entry.name for entry in _entries(inner) if entry.is_file()) if inner.is_dir() else ()


def _entries(folder: Traversable) -> list[Traversable]:
    visible = (entry for entry in folder.iterdir() if not entry.name.startswith(".") and entry.name != _SKIPPED)
    return sorted(visible, key=lambda entry: entry.name)


def _files(library: SkillLibrary) -> Iterator[tuple[str, Traversable]]:
    for skill in library.skills.values():
        yield from _below(skill.folder, skill.name)


def _below(folder: Traversable, path: str) -> Iterator[tuple[str, Traversable]]:
    for entry in _entries(folder):
        inner = f"{path}/{entry.name}"
        if entry.is_dir():
            yield from _below(entry, inner)
        else:
            yield inner, entry
