"""The recording of a run: everything that it was told from outside, one JSON object a line (RES-19).

Each line is written and flushed before the step that it belongs to is committed, so that a killed run loses none. A step that was
executed again has its lines twice, and the later ones count. The file holds texts of documents: it is readable by its owner only, and a
purge in the library does not reach it.
"""

from __future__ import annotations

import json
import os
import stat
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Self

from octavo_contracts import OctavoError, StorageError, UsageError
from octavo_sandbox.egress.gate import RecordedOwners
from octavo_sandbox.filesystem.durable import storage_errors
from octavo_text.canonical import CanonicalText

from .corpus_provider import Passage
from .source_reader import SourceReading
from .sources import SearchResult, Sources, SourceText

FORMAT = 1
"""Version of the format."""

MAX_BYTES = 1 << 30
"""Size limit of a recording that is replayed. A run over eight sources of a thousand pages has 30 MB."""


class MissingAnswer(Exception):
    """The recording has no answer. No `OctavoError`, which the workflow would report as a failed source."""


_REMEDY = "Give the file that `octavo research start --record FILE` wrote"


def check_new_recording(path: Path) -> None:
    """Check the place of a recording before there is a run.

    Raises:
        UsageError: something other than an empty file is there, or its folder does not exist.
    """
    if os.path.lexists(path) and not (path.is_file() and path.stat().st_size == 0):
        raise UsageError(f"{path} exists", remedy="Give a new file for the recording")
    if not path.parent.is_dir():
        raise UsageError(f"{path.parent} is no folder", remedy="Make the folder first, or give another file")


class Tape:
    """A recording that grows. Safe for many threads.

    Args:
        path: a new file, or the recording of the same run.
        header: what the run is.

    Raises:
        UsageError: the file has something else.
        StorageError: the file cannot be written.
    """

    def __init__(self, path: Path, header: dict[str, Any]) -> None:
        self._path = path
        self._lock = threading.Lock()
        first = {"kind": "run", "format": FORMAT, **header}
        with storage_errors(path, doing="recording a research run"):
            descriptor = _open_file(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, remedy="Give a new file")
        self._file = os.fdopen(descriptor, "a+b", buffering=0)
        self._texts: set[tuple[str, int]] = set()
        self.answers: dict[str, dict[str, Any]] = {}
        """Key of a request → the recorded answer of the model."""
        try:
            self._continue(first)
        except BaseException:
            self._file.close()
            raise

    def _continue(self, first: dict[str, Any]) -> None:
        self._file.seek(0)
        data = self._file.read()
        whole = data[: data.rfind(b"\n") + 1]
        if not data:
            self.add(**first)
            return
        try:
            rows = [json.loads(line) for line in whole.splitlines()] if whole.startswith(b"{") else []
        except (ValueError, RecursionError):
            rows = []
        if not rows or rows[0] != json.loads(json.dumps(first)):
            raise UsageError(f"{self._path} exists and is no recording of this run", remedy="Give a new file")
        with storage_errors(self._path, doing="recording a research run"):
            os.truncate(self._path, len(whole))  # the line in which the run was killed
        self._texts = {(row["document_id"], row["version"]) for row in rows if row["kind"] == "text"}
        self.answers = {row["key"]: row for row in rows if row["kind"] == "model" and "error" not in row}

    def add(self, **row: Any) -> None:
        """Append a line."""
        line = json.dumps(row, sort_keys=True, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n"
        with self._lock, storage_errors(self._path, doing="recording a research run"):
            self._file.write(line)
            os.fsync(self._file.fileno())
        if row["kind"] == "model" and "error" not in row:
            self.answers[row["key"]] = row

    def add_text(self, *, document_id: str, version: int, title: str, text: str) -> None:
        """Append a text, once."""
        with self._lock:
            if (document_id, version) in self._texts:
                return
            self._texts.add((document_id, version))
        self.add(kind="text", document_id=document_id, version=version, title=title, text=text)

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class RecordedSources:
    """Sources whose answers are recorded.

    Args:
        inner: the sources that answer.
        tape: the recording.
    """

    def __init__(self, inner: Sources, tape: Tape) -> None:
        self._inner = inner
        self._tape = tape

    def search(
        self, step: str, query: str, *, behind: Sequence[str] = (), limits: Mapping[str, int] = MappingProxyType({})
    ) -> SearchResult:
        """Search, and record the result."""
        row: dict[str, Any] = {"kind": "search", "step": step, "query": query}
        try:
            found = self._inner.search(step, query, behind=behind, limits=limits)
        except OctavoError as error:
            self._tape.add(**row, error=error.message)
            raise
        self._tape.add(**row, **asdict(found))
        return found

    def open(self, step: str, document_id: str) -> SourceText:
        """Open a document, and record its text."""
        row: dict[str, Any] = {"kind": "open", "step": step, "document_id": document_id}
        try:
            found = self._inner.open(step, document_id)
        except OctavoError as error:
            self._tape.add(**row, error=error.message)
            raise
        self._tape.add_text(document_id=document_id, version=found.version, title=found.title, text=found.text.text)
        self._tape.add(**row, version=found.version, title=found.title, path=found.path, paginated=found.text.paginated)
        return found

    def read(self, step: str, document_id: str, question: str, found: Sequence[tuple[str, int]]) -> SourceReading:
        """Read a document, and record the reading and the text."""
        row: dict[str, Any] = {"kind": "read", "step": step, "document_id": document_id}
        try:
            reading = self._inner.read(step, document_id, question, found)
            title, text = self._inner.text(document_id, reading.version)
        except OctavoError as error:
            self._tape.add(**row, error=error.message)
            raise
        self._tape.add_text(document_id=document_id, version=reading.version, title=title, text=text)
        self._tape.add(**row, reading=reading.to_json())
        return reading

    def text(self, document_id: str, version: int) -> tuple[str, str]:
        """The text of a version, which was recorded when it was read."""
        return self._inner.text(document_id, version)

    def is_readable(self, document_id: str) -> bool:
        """As the inner sources."""
        return self._inner.is_readable(document_id)

    def owners(self, document_id: str) -> RecordedOwners | None:
        """As the inner sources."""
        return self._inner.owners(document_id)

    def asker(self) -> RecordedOwners | None:
        """As the inner sources."""
        return self._inner.asker()

    def is_late(self, step: str) -> bool:
        """Whether the time is up, recorded where it is."""
        late = self._inner.is_late(step)
        if late:
            self._tape.add(kind="late", step=step)
        return late


@dataclass(frozen=True, kw_only=True)
class Recording:
    """A recording that was read.

    Attributes:
        header: what the run is: `research_id`, `question`, `options` and `models`.
        rows: the answers, by kind, step and subject; the later of equal ones.
        end: the last line of a completed run; None: the run did not complete.
    """

    header: dict[str, Any]
    rows: dict[tuple[str, ...], dict[str, Any]] = field(repr=False)
    end: dict[str, Any] | None

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read a recording.

        Raises:
            UsageError: the file is no recording, or of a newer format.
            StorageError: the file cannot be read.
        """
        rows = list(_lines(path))
        if not rows or rows[0].get("kind") != "run":
            raise UsageError(f"{path} is no recording of a research run")
        if rows[0].get("format") != FORMAT:
            raise UsageError(
                f"{path} has format {rows[0].get('format')!r}, and this version of Octavo reads {FORMAT}",
                remedy="Replay it with the Octavo that recorded it",
            )
        ends = [row for row in rows if row.get("kind") == "end"]
        return cls(header=rows[0], rows={_key(row): row for row in rows[1:]}, end=ends[-1] if ends else None)

    def row(self, kind: str, *subject: str) -> dict[str, Any]:
        """An answer.

        Raises:
            MissingAnswer: the recording does not have it.
        """
        try:
            return self.rows[(kind, *subject)]
        except KeyError:
            raise MissingAnswer(f"the recording has no answer to {kind} {' '.join(subject)[:200]}") from None


class ReplayedSources:
    """Sources that answer from a recording. No library, no network."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording

    def search(
        self, step: str, query: str, *, behind: Sequence[str] = (), limits: Mapping[str, int] = MappingProxyType({})
    ) -> SearchResult:
        """The recorded result."""
        row = _answer(self._recording.row("search", step, query))
        failures = tuple((reason, message) for reason, message in row["failures"])
        return SearchResult(
            hits=tuple(Passage(**hit) for hit in row["hits"]),
            pending=row["pending"],
            failures=failures,
            fetched=tuple(row["fetched"]),
            requests=row.get("requests", {}),
        )

    def open(self, step: str, document_id: str) -> SourceText:
        """The recorded text."""
        row = _answer(self._recording.row("open", step, document_id))
        _, text = self.text(document_id, row["version"])
        return SourceText(
            document_id=document_id,
            version=row["version"],
            title=row["title"],
            path=row["path"],
            # A document of one page does not show in its text whether the page is its own.
            text=replace(CanonicalText.from_archive(text), paginated=row["paginated"]),
        )

    def read(self, step: str, document_id: str, question: str, found: Sequence[tuple[str, int]]) -> SourceReading:
        """The recorded reading."""
        return SourceReading.from_json(_answer(self._recording.row("read", step, document_id))["reading"])

    def text(self, document_id: str, version: int) -> tuple[str, str]:
        """The recorded text."""
        row = self._recording.row("text", document_id, str(version))
        return row["title"], row["text"]

    def is_readable(self, document_id: str) -> bool:
        """Whether the recording has a text of the document."""
        return any(key[:2] == ("text", document_id) for key in self._recording.rows)

    def owners(self, document_id: str) -> RecordedOwners | None:
        """None: nothing is sent."""
        return None

    def asker(self) -> RecordedOwners | None:
        """None: nothing is sent."""
        return None

    def is_late(self, step: str) -> bool:
        """Whether the run was late then."""
        return ("late", step) in self._recording.rows


_SUBJECTS = {
    "search": ("step", "query"),
    "open": ("step", "document_id"),
    "read": ("step", "document_id"),
    "text": ("document_id", "version"),
    "model": ("key",),
    "count": ("key",),
    "late": ("step",),
}


def _key(row: dict[str, Any]) -> tuple[str, ...]:
    kind = row.get("kind", "")
    return (kind, *(str(row.get(name)) for name in _SUBJECTS.get(kind, ())))


def _answer(row: dict[str, Any]) -> dict[str, Any]:
    if "error" in row:
        raise OctavoError(row["error"])
    return row


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    data = _read(path)
    for number, line in enumerate(data[: data.rfind(b"\n") + 1].splitlines(), 1):
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):  # of objects that are nested too deeply
            row = None
        if not isinstance(row, dict):
            raise UsageError(
                f"{path} is no recording of a research run: line {number} is no JSON object that can be read",
                remedy=_REMEDY,
            )
        yield row


def _read(path: Path) -> bytes:
    try:
        descriptor = _open_file(path, os.O_RDONLY, remedy=_REMEDY)
        with os.fdopen(descriptor, "rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise StorageError(f"{path} cannot be read: {error.strerror}") from error
    if len(data) > MAX_BYTES:
        raise UsageError(f"{path} is larger than {MAX_BYTES >> 20:,} MiB, the limit of a recording")
    return data


def _open_file(path: Path, flags: int, *, remedy: str) -> int:
    """Open a regular file: a pipe would block, and a device has no end.

    Raises:
        UsageError: it is no regular file.
        OSError: it cannot be opened.
    """
    descriptor = os.open(path, flags | getattr(os, "O_NONBLOCK", 0), 0o600)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise UsageError(f"{path} is no file", remedy=remedy)
    return descriptor
