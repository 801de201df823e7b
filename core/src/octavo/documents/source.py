"""The original document: opened once, read-only, hashed once, never parsed in this process (STO-1, CNV-17)."""

from __future__ import annotations

import hashlib
import os
import re
import stat
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Protocol, Self, runtime_checkable

from octavo_contracts import QualityFinding, SourceChanged, SourceMissing, UsageError, file_ref, memory_ref
from octavo_sandbox import SourceHandle

HASH_BLOCK = 1 << 18
"""Block size for hashing: small enough for the processor's cache."""
NEUTRAL_NAME = "document"
"""Name of a document in workers if its real name is withheld."""
_EXTENSION = re.compile(r"\.[A-Za-z0-9]{1,10}")
HEAD_BYTES = 4096
"""Number of leading bytes kept for type detection."""


class NoPath(os.PathLike[str]):
    """A source of a run that is not a path: it becomes one failure, and the other sources are processed (ENG-15).

    Args:
        given: the value.
        problem: why it is not a path.
    """

    def __init__(self, given: object, problem: str) -> None:
        self.shown = f"<{type(given).__name__}>"
        self.problem = problem

    def __fspath__(self) -> str:
        """Return the name of the value in results."""
        return self.shown


class Given(Iterator[str | os.PathLike[str]]):
    """The sources of a run, each a path, a URL or a `NoPath`. An error of the caller's iterator ends only the sources.

    Args:
        sources: the caller's sources.

    Attributes:
        error: error of the caller's iterator, to be raised after the sources before it are processed; or None.
    """

    def __init__(self, sources: Iterable[object]) -> None:
        self.error: Exception | None = None
        self._sources = iter(sources)

    def __next__(self) -> str | os.PathLike[str]:
        """Return the next source."""
        try:
            given = next(self._sources)
        except StopIteration:
            raise
        except Exception as error:  # noqa: BLE001 - the caller's own code; the run raises it at its end
            self.error = error
            raise StopIteration from None
        return (
            NoPath(given, "bytes need a name; ingest them one at a time: ingest(data, name='letter.txt')")
            if isinstance(given, bytes)
            else as_source(given)
        )


@runtime_checkable
class Readable(Protocol):
    """A file-like object: an open file, `io.BytesIO`, an upload of a web framework."""

    def read(self) -> bytes | str:
        """What is left of it."""


SourceLike = str | os.PathLike[str] | bytes | bytearray | memoryview | Readable
"""A path, a URL, bytes, or a file-like object."""


def as_given(source: object, name: str | None) -> tuple[object, str | None]:
    """A path, a URL or bytes for what a caller gave, and its name.

    A file-like object is read from where it stands to its end, and is not closed. Text is taken as UTF-8. Its own name is
    used where no other is given.

    Args:
        source: see `SourceLike`; anything else is returned as it is.
        name: the name that the caller gave.

    Raises:
        UsageError: the object cannot be read, or gives neither bytes nor text.
    """
    if isinstance(source, bytearray | memoryview):
        return bytes(source), name
    if isinstance(source, str | bytes | os.PathLike) or not isinstance(source, Readable):
        return source, name
    own = getattr(source, "name", None) or getattr(source, "filename", None)
    name = name or (os.path.basename(own) if isinstance(own, str) else None)
    try:
        data: object = source.read()
    except (OSError, ValueError) as error:  # a closed file is a ValueError
        raise UsageError(f"the file-like object cannot be read: {error}", source=name) from error
    if isinstance(data, str):
        data = data.encode("utf-8", "surrogateescape")
    if not isinstance(data, bytes | bytearray | memoryview):
        raise UsageError(f"read() of the {type(source).__name__} gave a {type(data).__name__}, not bytes", source=name)
    return bytes(data), name


def as_source(given: object) -> str | os.PathLike[str]:
    """Return a path or URL unchanged; a `NoPath` for a value that cannot be a path."""
    if isinstance(given, NoPath):
        return given
    if not isinstance(given, str | os.PathLike):
        return NoPath(given, f"a {type(given).__name__} is neither a path nor a URL")
    try:
        os.fsencode(os.fsdecode(given))
        hash(given)
    except Exception as error:  # noqa: BLE001 - the caller's own class computes its path
        return NoPath(given, f"the path cannot be read: {type(error).__name__}")
    return given


@dataclass(kw_only=True)
class Source:
    """An open document. Close it, or use it as a context manager.

    Attributes:
        display: the document as the user named it.
        name: its last path component, for messages and extensions.
        fd: a descriptor opened for reading only.
        size: bytes.
        raw_file_hash: SHA-256 of the bytes.
        head: the first bytes.
        original_ref: `file:` for a path, `memory:` for bytes.
        path: the path, or None for bytes.
        opened_as: device, inode, size, modification time and change time at opening.
        place: reference of its location, stored with the document: the path, a URL, or None.
        findings: findings from opening it, for the quality report.
        worker_name: its name for workers, and so for plugins; None: its real name.
    """

    display: str
    name: str
    fd: int
    size: int
    raw_file_hash: str
    head: bytes
    original_ref: str
    path: Path | None
    opened_as: tuple[int, ...]
    place: str | None = None
    findings: tuple[QualityFinding, ...] = ()
    worker_name: str | None = None

    @classmethod
    def from_path(cls, path: str | bytes | os.PathLike[str]) -> Self:
        """Open and hash a file.

        Raises:
            SourceMissing: the file does not exist, is not a regular file, or is not readable.
        """
        if isinstance(path, NoPath):
            raise SourceMissing(path.problem, source=path.shown, remedy="Give a path, a URL, or bytes with a name")
        real = Path(os.fsdecode(path))
        display = printable(os.fspath(real))
        fd = open_readonly(real, display=display)
        try:
            return cls._from_fd(fd, display=display, name=printable(real.name), path=real, original_ref=file_ref(real))
        except BaseException:
            os.close(fd)
            raise

    @classmethod
    def from_store(cls, path: Path, *, ref: str, name: str | None = None, display: str | None = None) -> Self:
        """Open bytes that a library stored; they have no path of the user.

        Args:
            path: path of the stored bytes.
            ref: their reference, `store:originals/…`.
            name: the document's name; None: that of the file.
            display: the document's name in messages; None: its name.

        Raises:
            SourceMissing: the bytes are missing or not readable.
        """
        shown = printable(PurePosixPath(name).name if name else path.name)
        display = printable(display) if display else shown
        fd = open_readonly(path, display=display)
        try:
            return cls._from_fd(fd, display=display, name=shown, path=None, original_ref=ref)
        except BaseException:
            os.close(fd)
            raise

    @classmethod
    def from_bytes(cls, data: bytes, *, name: str) -> Self:
        """Wrap bytes that have no path, such as an attachment.

        Args:
            data: the bytes.
            name: the document's name; its extension helps to detect text formats.
        """
        with tempfile.TemporaryFile() as stream:
            stream.write(data)
            stream.flush()
            # Reopen read-only: the worker must not get a writable descriptor.
            fd = _reopen_readonly(stream.fileno(), data)
        ref = memory_ref(hashlib.sha256(data).hexdigest())
        try:
            return cls._from_fd(
                fd, display=printable(name), name=printable(Path(name).name), path=None, original_ref=ref
            )
        except BaseException:
            os.close(fd)
            raise

    @classmethod
    def _from_fd(cls, fd: int, *, display: str, name: str, path: Path | None, original_ref: str) -> Self:
        status = os.fstat(fd)
        try:
            raw_file_hash, head = hash_fd(fd), os.pread(fd, HEAD_BYTES, 0)
        except OSError as error:  # a damaged disk, a file of /proc
            raise SourceMissing(f"the file cannot be read: {error.strerror}", source=display) from error
        return cls(
            display=display,
            name=name,
            fd=fd,
            size=status.st_size,
            raw_file_hash=raw_file_hash,
            head=head,
            original_ref=original_ref,
            path=path,
            opened_as=_identity(status),
            place=original_ref if path is not None else None,
        )

    def handle(self, *, media_type: str) -> SourceHandle:
        """Return the handle that workers receive."""
        return SourceHandle(
            fd=self.fd,
            name=self.worker_name or self.name,
            display=self.name,
            media_type=media_type,
            size=self.size,
            sha256=self.raw_file_hash,
        )

    def without_name(self) -> Self:
        """Withhold the name from workers except for the extension, since their results are shared; return self."""
        extension = PurePosixPath(self.name).suffix
        self.worker_name = f"{NEUTRAL_NAME}{extension if _EXTENSION.fullmatch(extension) else ''}"
        return self

    def check_unchanged(self) -> None:
        """Raise if the file was modified since it was hashed.

        Raises:
            SourceChanged: its size or a timestamp changed.
        """
        if _identity(os.fstat(self.fd)) != self.opened_as:
            raise SourceChanged("the file changed while it was being read", source=self.display)

    def normalized_binary_hash(self, *, textual: bool) -> str:
        """Return the SHA-256 after normalising byte order mark, line endings and white space; of the bytes if not text.

        Args:
            textual: whether the format is plain text, in which such differences are insignificant.
        """
        if not textual:
            return self.raw_file_hash
        return _hash_folded(self.fd)

    def close(self) -> None:
        """Close the descriptor; closing twice is harmless."""
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def open_readonly(path: Path, *, display: str) -> int:
    """Open a regular file for reading; refuse pipes and devices without blocking.

    Raises:
        SourceMissing: the file does not exist, is not a regular file, or is not readable.
    """
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError as error:
        remedy = "Get permission to read it, or run octavo as its owner" if isinstance(error, PermissionError) else None
        raise SourceMissing(f"the file cannot be opened: {error.strerror}", source=display, remedy=remedy) from error
    except ValueError as error:  # a NUL byte in the path
        raise SourceMissing(f"invalid path: {error}", source=display) from error
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        raise SourceMissing("not a regular file", source=display)
    return fd


def hash_fd(fd: int) -> str:
    """Return the SHA-256 of a file from its start, without moving the descriptor's offset."""
    digest = hashlib.sha256()
    offset = 0
    while block := os.pread(fd, HASH_BLOCK, offset):
        digest.update(block)
        offset += len(block)
        if len(block) < HASH_BLOCK:
            break
    return digest.hexdigest()


def _hash_folded(fd: int) -> str:
    """Return the SHA-256 of a file's words, separated by single spaces, using constant memory."""
    digest = hashlib.sha256()
    offset = 0
    started = word_goes_on = False
    while block := os.pread(fd, HASH_BLOCK, offset):
        offset += len(block)
        if offset == len(block):
            block = block.removeprefix(b"\xef\xbb\xbf")
        words = block.split()
        if not words:
            word_goes_on = word_goes_on and not block
            continue
        if started and not (word_goes_on and not block[:1].isspace()):
            digest.update(b" ")
        digest.update(b" ".join(words))
        started, word_goes_on = True, not block[-1:].isspace()
    return digest.hexdigest()


def hash_file(path: str | os.PathLike[str]) -> str | None:
    """Return the SHA-256 of a regular file, or None.

    None means that the file is missing, not a regular file or not readable; `Source.from_path` raises the specific
    error.
    """
    if isinstance(path, NoPath):
        return None
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except (OSError, ValueError):
        return None
    try:
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode):
            return None
        return hash_fd(fd)
    except OSError:
        return None
    finally:
        os.close(fd)


def printable(name: str) -> str:
    """Return a file name that can be printed and stored: bytes that are not UTF-8 become U+FFFD."""
    try:
        encoded = os.fsencode(name)
    except UnicodeEncodeError:  # a lone surrogate that encodes no byte
        encoded = name.encode("utf-8", "replace")
    return encoded.decode("utf-8", "replace")


def _identity(status: os.stat_result) -> tuple[int, ...]:
    return (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)


def _reopen_readonly(fd: int, data: bytes) -> int:
    try:
        return os.open(f"/proc/self/fd/{fd}", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:  # no /proc, as on macOS: use a named file and unlink it at once
        handle, path = tempfile.mkstemp()
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(data)
            return os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        finally:
            os.unlink(path)  # `mkstemp` just created it under a new random name
