"""`shz skills validate`."""

from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner, Result

from skillhorizon.cli import shz
from skillhorizon.model.canonical import loads

SKILLS = Path(__file__).parent / "bakery_skills"


def run(*words: str) -> Result:
    return CliRunner().invoke(shz, ["skills", "validate", *words])


def test_a_library_and_a_single_skill_are_valid() -> None:
    assert run(str(SKILLS)).output == "1 valid: count-loaves\n"
    assert run(str(SKILLS / "count-loaves")).output == "1 valid: count-loaves\n"


def test_every_fault_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "Bad-Name"
    folder.mkdir()
    folder.joinpath("SKILL.md").write_text("---\nname: Bad-Name\n---\nSee references/missing.md.\n")
    done = run(str(tmp_path), "--json")
    assert done.exit_code == 1
    rows = loads(done.stdout)
    assert len(rows) >= 3
    assert {row["skill"] for row in rows} == {"Bad-Name"}
    assert all(row["where"] and row["rule"] and row["way_out"] for row in rows)


def test_a_folder_without_skills_is_a_usage_error(tmp_path: Path) -> None:
    done = run(str(tmp_path))
    assert done.exit_code == 2
    assert "holds no skill" in done.stderr
    assert run(str(tmp_path / "nowhere")).exit_code == 2
