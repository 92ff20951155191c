from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from skillhorizon.errors import PluginError, UnknownName
from skillhorizon.skills.library import content_digest, load_library
from skillhorizon.skills.validate import validate_library, validate_skill

if TYPE_CHECKING:
    from pathlib import Path

HEAD = "name: weigh-crates\ndescription: Weigh crates when a shipment is booked.\n"
BODY = "# Weigh crates\n\nRun scripts/weigh.py, then read references/scales.md.\n"
SCRIPT = "def run(data):\n    return data\n\nif __name__ == '__main__':\n    pass\n"


def write_skill(root: Path, *, head: str = HEAD, body: str = BODY, folder: str = "weigh-crates") -> Path:
    skill = root / folder
    for inner in ("scripts", "references"):
        (skill / inner).mkdir(parents=True, exist_ok=True)
    (skill / "SKILL.md").write_text(f"---\n{head}---\n\n{body}", encoding="utf-8")
    (skill / "scripts" / "weigh.py").write_text(SCRIPT, encoding="utf-8")
    (skill / "references" / "scales.md").write_text("Scales\n", encoding="utf-8")
    return skill


def test_library_holds_what_the_folders_say(tmp_path: Path) -> None:
    write_skill(tmp_path, head=HEAD + "license: Apache-2.0\nmetadata:\n  version: 1.0\n")
    library = load_library(tmp_path, name="depot")
    skill = library.skill("weigh-crates")
    assert (library.name, skill.license, skill.metadata) == ("depot", "Apache-2.0", {"version": "1.0"})
    assert skill.files == ("references/scales.md", "scripts/weigh.py")
    assert skill.body == BODY
    assert skill.read("references/scales.md") == "Scales\n"


def test_a_valid_skill_has_no_problems(tmp_path: Path) -> None:
    write_skill(tmp_path)
    assert validate_library(tmp_path) == {"weigh-crates": []}


def test_what_a_skill_lacks_is_refused_by_name(tmp_path: Path) -> None:
    write_skill(tmp_path)
    library = load_library(tmp_path)
    with pytest.raises(UnknownName, match="weigh-crates"):
        library.skill("count-crates")
    with pytest.raises(UnknownName, match=r"scripts/weigh\.py"):
        library.skill("weigh-crates").read("../secret")
    with pytest.raises(UnknownName, match="no folder"):
        load_library(tmp_path / "absent")


@pytest.mark.parametrize(
    ("head", "body", "rule"),
    [
        ("name: weigh-crates\n", BODY, "description: is required"),
        (HEAD + "colour: red\n", BODY, "colour: is no field"),
        ("name: Weigh_Crates\ndescription: x\n", BODY, "only a-z"),
        ("name: count-crates\ndescription: x\n", BODY, "its folder is 'weigh-crates'"),
        (f"name: weigh-crates\ndescription: {'x' * 1025}\n", BODY, "has 1025 characters"),
        ("name: weigh-crates\ndescription: ''\n", BODY, "must be text and not empty"),
        (HEAD + "metadata: plain\n", BODY, "must map names to text"),
        (HEAD + "name: weigh-crates\n", BODY, "names name more than once"),
        ("description: a: b\n", BODY, "must be YAML"),
        ("- a\n- b\n", BODY, "must be a mapping"),
        (HEAD, "", "body: is empty"),
        (HEAD, "line\n" * 500, "has 500 lines"),
    ],
)
def test_each_rule_of_the_format_is_enforced(tmp_path: Path, head: str, body: str, rule: str) -> None:
    folder = write_skill(tmp_path, head=head, body=body)
    assert any(rule in str(problem) for problem in validate_skill(folder))
    with pytest.raises(PluginError, match="weigh-crates/SKILL"):
        load_library(tmp_path)


def test_a_skill_without_frontmatter_or_file_is_refused(tmp_path: Path) -> None:
    folder = write_skill(tmp_path)
    (folder / "SKILL.md").write_text("# Weigh\n", encoding="utf-8")
    assert "frontmatter" in str(validate_skill(folder)[0])
    (folder / "SKILL.md").write_bytes(b"---\nname: \xff\n---\n")
    assert "UTF-8" in str(validate_skill(folder)[0])
    (folder / "SKILL.md").unlink()
    assert "is missing" in str(validate_skill(folder)[0])


def test_all_faults_are_told_at_once(tmp_path: Path) -> None:
    folder = write_skill(tmp_path, head="name: x--y\ncolour: red\n", body="Use references/absent.md.\n")
    (folder / "scripts" / "weigh.py").write_text("import numpy\n", encoding="utf-8")
    (folder / "scripts" / "broken.py").write_text("def run(:\n", encoding="utf-8")
    told = "\n".join(map(str, validate_skill(folder)))
    for fault in (
        "colour",
        "description: is required",
        "only a-z",
        "absent.md",
        "broken.py: is not Python",
        "imports numpy",
        "no function run(data)",
        "cannot be run as a program",
    ):
        assert fault in told


def test_the_content_digest_follows_every_file(tmp_path: Path) -> None:
    folder = write_skill(tmp_path)
    before = content_digest(load_library(tmp_path))
    (folder / "scripts" / "__pycache__").mkdir()
    (folder / "scripts" / "__pycache__" / "weigh.cpython-311.pyc").write_bytes(b"x")
    assert content_digest(load_library(tmp_path)) == before
    (folder / "references" / "scales.md").write_text("Other scales\n", encoding="utf-8")
    assert content_digest(load_library(tmp_path)) != before
