"""Journals as files: appended and flushed per call, compressed when closed (architecture, section 5)."""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, BinaryIO

import attrs

from skillhorizon.errors import CorruptFile, StorageError
from skillhorizon.model.canonical import Json, dumps_bytes, loads
from skillhorizon.model.codec import decode, encode
from skillhorizon.model.journal import Record, record_of
from skillhorizon.model.score import Score
from skillhorizon.model.task import Cell
from skillhorizon.model.terms import DEFAULT, Terms
from skillhorizon.model.usage import Usage

if TYPE_CHECKING:
    from pathlib import Path

SCHEMA = 1
SUFFIX = ".jsonl"
CLOSED = ".gz"


@attrs.frozen(kw_only=True)
class Header:
    """A journal's first line: whose execution of which task it is, under which budget (None: no limit) and versions.

    `terms` say which skills were offered and what refusals told: a replay repeats them.
    """

    schema: int = SCHEMA
    task: str
    digest: str
    environment: str
    cell: Cell
    agent: str
    trial: int
    allowance: str
    budget: int | None
    versions: Mapping[str, Json]
    terms: Terms = DEFAULT


@attrs.frozen(kw_only=True)
class Footer:
    """A closed journal's last line: how the execution ended, and its score, or the fault of the infrastructure.

    `calls` counts records, `charged` those that the budget paid for; `usage` is None where no model is accounted for.
    """

    kind: str
    calls: int
    charged: int
    score: Score | None = None
    fault: str = ""
    usage: Usage | None = None


@attrs.frozen
class Journal:
    """What a journal's file holds; without a footer the execution has not ended. `size`: bytes up to a torn line."""

    header: Header
    records: tuple[Record, ...]
    footer: Footer | None
    size: int


def open_path(path: Path) -> Path:
    """Return where a journal stands while it is written.

    >>> from pathlib import Path
    >>> open_path(Path("1.jsonl.gz")).name
    '1.jsonl'
    """
    return path.with_suffix("") if path.suffix == CLOSED else path


def closed_path(path: Path) -> Path:
    """Return where a journal stands once it is closed.

    >>> from pathlib import Path
    >>> closed_path(Path("1.jsonl")).name
    '1.jsonl.gz'
    """
    return path if path.suffix == CLOSED else path.with_name(path.name + CLOSED)


class JournalFile:
    """A recorder that appends to a file and flushes per call: it survives the process, not a loss of power.

    `fault` keeps the first error of writing, which every later call meets again.
    """

    def __init__(self, path: Path, file: BinaryIO) -> None:
        self.path = path
        self.fault: StorageError | None = None
        self._file = file

    @classmethod
    def start(cls, path: Path, header: Header) -> JournalFile:
        """Start a journal, in place of one that was not closed.

        Raises:
            StorageError: when the folder or disk does not take it.
        """
        where = open_path(path)
        try:
            where.parent.mkdir(parents=True, exist_ok=True)
            made = cls(where, where.open("wb", buffering=0))
        except OSError as error:
            raise _unwritable(where, error) from error
        try:
            made._write({"header": encode(header)})  # its own
        except StorageError:
            made.leave()
            raise
        return made

    @classmethod
    def resume(cls, path: Path, journal: Journal) -> JournalFile:
        """Go on with a journal that was not closed; a torn last line is cut off.

        Raises:
            StorageError: when the file cannot be written.
        """
        where = open_path(path)
        try:
            os.truncate(where, journal.size)
            return cls(where, where.open("ab", buffering=0))
        except OSError as error:
            raise _unwritable(where, error) from error

    @classmethod
    def cut(cls, path: Path, journal: Journal) -> JournalFile:
        """Go on after the records of a journal that was not closed; what the file holds beyond them is cut off.

        Raises:
            StorageError: when the file cannot be written.
        """
        try:
            lines = open_path(path).read_bytes()[: journal.size].splitlines(keepends=True)
        except OSError as error:
            raise _unwritable(open_path(path), error) from error
        kept = lines[: len(journal.records) + 1]
        return cls.resume(path, attrs.evolve(journal, size=sum(map(len, kept))))

    def append(self, record: Record) -> None:
        """Write one record and hand it to the operating system.

        Raises:
            StorageError: when the disk does not take it.
        """
        self._line(record.line())

    def _write(self, value: Json) -> None:
        self._line(dumps_bytes(value))

    def _line(self, line: bytes) -> None:
        if self.fault is not None:
            raise self.fault
        rest = memoryview(line + b"\n")
        try:
            while rest:
                rest = rest[self._file.write(rest) :]
        except OSError as error:
            self.fault = _unwritable(self.path, error)
            raise self.fault from error

    def leave(self) -> None:
        """Let go of the file; the execution can be continued or started again."""
        self._file.close()

    def close(self, footer: Footer) -> Path:
        """Write the footer, force everything to disk and compress; return the closed file.

        Raises:
            StorageError: when the disk does not take it.
        """
        try:
            self._write({"footer": encode(footer)})
            os.fsync(self._file.fileno())
        except OSError as error:
            raise _unwritable(self.path, error) from error
        finally:
            self.leave()
        return seal(self.path)


def seal(path: Path) -> Path:
    """Compress a journal that has its footer and return the closed file; equal journals give equal bytes.

    Raises:
        StorageError: when the disk does not take it.
    """
    closed = closed_path(path)
    part = closed.with_name(f".{closed.name}.{os.getpid()}.part")
    try:
        with part.open("wb") as raw:
            with gzip.GzipFile(filename="", mode="wb", compresslevel=6, fileobj=raw, mtime=0) as packed:
                packed.write(open_path(path).read_bytes())
            raw.flush()
            os.fsync(raw.fileno())
        part.replace(closed)
        open_path(path).unlink()
    except OSError as error:
        raise _unwritable(closed, error) from error
    return closed


def read_journal(path: Path) -> Journal:
    """Read a journal, closed or not; a torn last line is left out.

    Raises:
        StorageError: when it cannot be read.
        CorruptFile: when it is no journal, or damaged before its last line.
    """
    data = _unpacked(path)
    whole = data[: data.rfind(b"\n") + 1]
    lines = whole.splitlines()
    if not lines:
        raise CorruptFile(f"{path} holds no journal: its first line is missing; run the execution again")
    number = 0
    try:
        header = _header(lines[0])
        last = loads(lines[-1])
        footer = decode(last["footer"], Footer) if "footer" in last else None
        body = lines[1:-1] if footer is not None else lines[1:]
        records = []
        for line in body:
            number += 1
            records.append(record_of(loads(line)))
    except (CorruptFile, KeyError, TypeError, ValueError) as error:
        raise CorruptFile(
            f"{path} is damaged at line {number + 1} ({error}); restore it, or delete it and run the execution again"
        ) from error
    return Journal(header, tuple(records), footer, len(whole))


def _header(line: bytes) -> Header:
    data = loads(line)
    if not isinstance(data, dict) or "header" not in data:
        raise CorruptFile("it is no journal of an execution")
    header = decode(data["header"], Header)
    if header.schema != SCHEMA:
        raise CorruptFile(f"its schema is {header.schema}, this version reads {SCHEMA}")
    return header


def _unpacked(path: Path) -> bytes:
    try:
        data = path.read_bytes()
        return gzip.decompress(data) if path.suffix == CLOSED else data
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise CorruptFile(f"{path} cannot be unpacked ({error}); delete it and run the execution again") from error
    except OSError as error:
        raise StorageError(f"cannot read the journal {path}: {error.strerror}; name an existing journal") from error


def _unwritable(path: Path, error: OSError) -> StorageError:
    return StorageError(
        f"cannot write the journal {path}: {error.strerror or error}; free space or name a writable folder, "
        "then give the same command again: what was done is kept"
    )
