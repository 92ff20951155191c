from __future__ import annotations

from pathlib import Path

import pytest

from skillhorizon.errors import CorruptFile, StorageError
from skillhorizon.model.goal import Finding
from skillhorizon.model.journal import Record
from skillhorizon.model.outcome import Outcome
from skillhorizon.model.score import Score
from skillhorizon.model.task import Cell
from skillhorizon.session.files import Footer, Header, JournalFile, closed_path, open_path, read_journal, seal

HEADER = Header(
    task="t-1",
    digest="d" * 64,
    environment="bakery",
    cell=Cell(band="smoke", family="plain", variant="rye"),
    agent="null",
    trial=1,
    allowance="0.5",
    budget=9,
    versions={"core": "0.1.0"},
)
FOOTER = Footer(
    kind="submitted",
    calls=2,
    charged=2,
    score=Score(goals_met=1, goals=3, success=False, reward=1 / 3, unmet=(Finding("g", {"b": False, "a": True}),)),
)


needs_full_disk = pytest.mark.skipif(
    not Path("/dev/full").exists(), reason="the system has no disk that is always full"
)


def record(index: int) -> Record:
    return Record(
        index=index,
        turn=index,
        tool="bake",
        arguments_text='{"order":"é"}',
        observation='{"x":1}\n',
        outcome=Outcome.FAILED,
        charged=1,
        made=(f"TRAY:a@{index}",),
        ended=(("TRAY:b@1", "stale", "N-1"),),
        fired=("N-1",),
        clock=5 * index,
    )


def written(path: Path, calls: int = 2) -> JournalFile:
    file = JournalFile.start(path, HEADER)
    for index in range(1, calls + 1):
        file.append(record(index))
    return file


def test_a_closed_journal_gives_back_what_was_written(tmp_path: Path) -> None:
    closed = written(tmp_path / "runs" / "1.jsonl.gz").close(FOOTER)
    journal = read_journal(closed)
    assert (journal.header, journal.records, journal.footer) == (HEADER, (record(1), record(2)), FOOTER)
    assert list(closed.parent.iterdir()) == [closed]


def test_every_record_is_on_file_before_the_next_call(tmp_path: Path) -> None:
    file = written(tmp_path / "1.jsonl")
    assert read_journal(tmp_path / "1.jsonl").records == (record(1), record(2))
    file.leave()


def test_equal_journals_are_equal_bytes(tmp_path: Path) -> None:
    both = [written(tmp_path / name / "1.jsonl").close(FOOTER).read_bytes() for name in ("a", "b")]
    assert both[0] == both[1]


def test_a_journal_without_a_last_line_has_not_ended(tmp_path: Path) -> None:
    written(tmp_path / "1.jsonl").leave()
    assert read_journal(tmp_path / "1.jsonl").footer is None


@pytest.mark.parametrize("kept", [1, 40, 150])
def test_a_torn_last_line_is_dropped(tmp_path: Path, kept: int) -> None:
    path = tmp_path / "1.jsonl"
    written(path).leave()
    whole = path.read_bytes()
    last = len(record(2).line()) + 1
    path.write_bytes(whole[: len(whole) - last + kept])
    assert read_journal(path).records == (record(1),)


def test_writing_goes_on_after_a_torn_line(tmp_path: Path) -> None:
    path = tmp_path / "1.jsonl"
    written(path).leave()
    with path.open("ab") as file:
        file.write(b'{"index":3,"tu')
    resumed = JournalFile.resume(path, read_journal(path))
    resumed.append(record(3))
    resumed.leave()
    assert [r.index for r in read_journal(path).records] == [1, 2, 3]


def test_a_journal_killed_before_its_compression_is_closed_later(tmp_path: Path) -> None:
    closed = written(tmp_path / "a" / "1.jsonl").close(FOOTER)
    plain = tmp_path / "b" / "1.jsonl"
    plain.parent.mkdir()
    file = written(plain)
    file._write({"footer": {"kind": "submitted", "calls": 2, "charged": 2, "score": None, "fault": ""}})
    file.leave()
    assert seal(plain).name == closed.name
    footer = read_journal(closed_path(plain)).footer
    assert footer is not None
    assert footer.kind == "submitted"


def test_a_damaged_line_is_named(tmp_path: Path) -> None:
    path = tmp_path / "1.jsonl"
    written(path, 3).leave()
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:2], b'{"index":"two"}\n', *lines[3:]]))
    with pytest.raises(CorruptFile, match=r"1\.jsonl is damaged at line 3.*run the execution again"):
        read_journal(path)


@pytest.mark.parametrize("text", [b"", b'{"a":1}\n', b"[]\n", b"not json\n", b'{"header":{"schema":1}}\n'])
def test_what_is_no_journal_is_named(tmp_path: Path, text: bytes) -> None:
    path = tmp_path / "1.jsonl"
    path.write_bytes(text)
    with pytest.raises(CorruptFile, match=r"1\.jsonl"):
        read_journal(path)


def test_a_truncated_archive_is_named(tmp_path: Path) -> None:
    closed = written(tmp_path / "1.jsonl").close(FOOTER)
    closed.write_bytes(closed.read_bytes()[:-20])
    with pytest.raises(CorruptFile, match="cannot be unpacked"):
        read_journal(closed)


def test_a_missing_journal_is_named(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match=r"none\.jsonl"):
        read_journal(tmp_path / "none.jsonl")


@needs_full_disk
def test_a_full_disk_is_told_at_once(tmp_path: Path) -> None:
    path = open_path(tmp_path / "1.jsonl.gz")
    path.symlink_to("/dev/full")
    with pytest.raises(StorageError, match="No space left on device; free space"):
        JournalFile.start(path, HEADER)


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StorageError, match="name a writable folder"):
        JournalFile.start(tmp_path / "file" / "1.jsonl", HEADER)


@needs_full_disk
def test_the_first_fault_of_writing_stays(tmp_path: Path) -> None:
    file = written(tmp_path / "1.jsonl")
    with Path("/dev/full").open("wb", buffering=0) as full:
        kept, file._file = file._file, full
        with pytest.raises(StorageError):
            file.append(record(3))
        file._file = kept
    with pytest.raises(StorageError):
        file.append(record(3))
    assert file.fault is not None
    file.leave()
