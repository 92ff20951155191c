"""The file SKILL.md: its frontmatter, its body, and the rules of the Agent Skills format that both obey."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import attrs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

FILE = "SKILL.md"
MOST_BODY_LINES = 499
_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_FENCE = "---"
_LONGEST = {"name": 64, "description": 1024, "compatibility": 500}
_REQUIRED = ("name", "description")
_OPTIONAL = ("license", "compatibility", "metadata", "allowed-tools")


@attrs.frozen
class Problem:
    """A fault of a skill: where it stands, the rule it breaks, and the way out."""

    where: str
    rule: str
    way_out: str

    def __str__(self) -> str:
        return f"{self.where}: {self.rule}; {self.way_out}"


@attrs.frozen
class Document:
    """A parsed SKILL.md: the frontmatter's fields as written (every scalar is text) and the Markdown body."""

    fields: Mapping[str, Any]
    body: str

    def text(self, field: str) -> str:
        """Return an optional text field, empty when it is absent."""
        return str(self.fields.get(field, ""))


def parse(text: str) -> Document | Problem:
    """Split SKILL.md into frontmatter and body, or say why that is impossible.

    >>> parse("---\\nname: close-stage\\n---\\n# Close a stage\\n")
    Document(fields={'name': 'close-stage'}, body='# Close a stage\\n')
    >>> print(parse("# Close a stage\\n"))
    SKILL.md: must open with frontmatter; put YAML between two lines '---' at the top of the file
    """
    lines = text.splitlines(keepends=True)
    fences = [at for at, line in enumerate(lines) if line.rstrip() == _FENCE][:2]
    if len(fences) < 2 or fences[0] != 0:  # noqa: PLR2004  # an opening and a closing line
        way_out = f"put YAML between two lines '{_FENCE}' at the top of the file"
        return Problem(FILE, "must open with frontmatter", way_out)
    fields = _fields("".join(lines[1 : fences[1]]))
    if isinstance(fields, Problem):
        return fields
    return Document(fields, "".join(lines[fences[1] + 1 :]).lstrip("\n"))


def problems(document: Document, folder: str) -> list[Problem]:
    """Return every fault of a parsed SKILL.md that lies in a folder of the given name."""
    return [
        *_key_problems(document.fields),
        *(problem for check in _FIELD_CHECKS for problem in check(document.fields)),
        *_folder_problems(document.fields, folder),
        *_body_problems(document.body),
    ]


def _fields(text: str) -> dict[str, Any] | Problem:
    import yaml  # noqa: PLC0415  # only who reads a skill pays for it

    loader = yaml.BaseLoader(text)  # leaves every scalar the text it is: no dates, numbers or booleans
    try:
        node = loader.get_single_node()
        repeated = _repeated(node)
        fields = loader.construct_document(node) if isinstance(node, yaml.MappingNode) else None
    except yaml.YAMLError as error:
        reason = " ".join(str(error).split())
        return Problem(f"{FILE} frontmatter", f"must be YAML ({reason})", "quote values that hold ': ' or '#'")
    if not isinstance(fields, dict):
        return Problem(f"{FILE} frontmatter", "must be a mapping", "write one 'field: value' a line")
    if repeated:
        return Problem(f"{FILE} frontmatter", f"names {', '.join(repeated)} more than once", "keep one of them")
    return fields


def _repeated(node: Any) -> list[str]:  # a YAML node of any kind
    keys = [key.value for key, _ in node.value] if getattr(node, "id", "") == "mapping" else []
    return sorted({str(key) for key in keys if keys.count(key) > 1})


def _key_problems(fields: Mapping[str, Any]) -> Iterator[Problem]:
    known = (*_REQUIRED, *_OPTIONAL)
    for field in sorted(set(fields) - set(known)):
        yield Problem(
            f"{FILE} {field}", "is no field of the format", f"use {', '.join(known)}, or put it into metadata"
        )
    for field in _REQUIRED:
        if field not in fields:
            yield Problem(f"{FILE} {field}", "is required", f"add a line '{field}: ...' to the frontmatter")


def _text_problems(fields: Mapping[str, Any]) -> Iterator[Problem]:
    for field in sorted(set(fields) & {*_REQUIRED, *_OPTIONAL} - {"metadata"}):
        value = fields[field]
        if not isinstance(value, str) or not value.strip():
            yield Problem(f"{FILE} {field}", "must be text and not empty", "write it on one line after the colon")


def _length_problems(fields: Mapping[str, Any]) -> Iterator[Problem]:
    for field, most in _LONGEST.items():
        length = len(str(fields.get(field, "")))
        if length > most:
            yield Problem(f"{FILE} {field}", f"has {length} characters, at most {most} are allowed", "shorten it")


def _name_problems(fields: Mapping[str, Any]) -> Iterator[Problem]:
    name = fields.get("name")
    if isinstance(name, str) and name.strip() and not _NAME.fullmatch(name):
        rule = f"is {name!r}, but only a-z, 0-9 and single hyphens between them are allowed"
        yield Problem(f"{FILE} name", rule, "rename the skill and its folder")


def _metadata_problems(fields: Mapping[str, Any]) -> Iterator[Problem]:
    metadata = fields.get("metadata", {})
    if not isinstance(metadata, dict) or not all(isinstance(value, str) for value in metadata.values()):
        yield Problem(f"{FILE} metadata", "must map names to text", "write indented lines 'name: text' below it")


_FIELD_CHECKS: tuple[Callable[[Mapping[str, Any]], Iterator[Problem]], ...] = (
    _text_problems,
    _length_problems,
    _name_problems,
    _metadata_problems,
)


def _folder_problems(fields: Mapping[str, Any], folder: str) -> Iterator[Problem]:
    name = fields.get("name")
    if isinstance(name, str) and name != folder:
        yield Problem(f"{FILE} name", f"is {name!r}, but its folder is {folder!r}", "give both the same name")


def _body_problems(body: str) -> Iterator[Problem]:
    lines = len(body.splitlines())
    if not body.strip():
        yield Problem(f"{FILE} body", "is empty", "write the procedure below the frontmatter")
    if lines > MOST_BODY_LINES:
        rule = f"has {lines} lines, at most {MOST_BODY_LINES} are allowed"
        yield Problem(f"{FILE} body", rule, "move details into files under references/")
