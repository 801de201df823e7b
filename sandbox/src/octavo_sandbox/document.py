"""The document inside the worker: a descriptor that any number of readers read at any offset (CNV-17)."""

from __future__ import annotations

import io
import os
import weakref
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO, cast

from octavo_contracts import SourceChanged, private_copy


class FdSource:
    """A `SourceView` over a descriptor that the host opened read-only.

    The worker has no path to the original. Every stream reads with `pread`: duplicates of a descriptor share one
    offset, and reopening the descriptor through /proc would need access to the path.

    Args:
        fd: the descriptor, closed by `close`.
        facts: name, media_type, size and sha256, as determined by the host.
        work_dir: folder in which `path` creates its copy.
    """

    def __init__(self, fd: int, *, facts: Mapping[str, Any], work_dir: Path) -> None:
        self._fd = fd
        self._facts = facts
        self._work_dir = work_dir
        self._copy: Path | None = None
        self._streams: weakref.WeakSet[_DescriptorStream] = weakref.WeakSet()

    @property
    def name(self) -> str:
        """See `SourceView`."""
        return str(self._facts["name"])

    @property
    def media_type(self) -> str:
        """See `SourceView`."""
        return str(self._facts["media_type"])

    @property
    def size(self) -> int:
        """See `SourceView`."""
        return int(self._facts["size"])

    @property
    def sha256(self) -> str:
        """See `SourceView`."""
        return str(self._facts["sha256"])

    def open(self) -> BinaryIO:
        """See `SourceView`. The stream has no `fileno`: it keeps its own offset, not the descriptor's."""
        raw = _DescriptorStream(os.dup(self._fd), size=self.size, name=self.name)
        self._streams.add(raw)
        stream = io.BufferedReader(raw, 1 << 16)
        return cast(BinaryIO, stream)  # BufferedReader behaves as a BinaryIO but is not declared as one

    def read_bytes(self) -> bytes:
        """See `SourceView`."""
        with self.open() as stream:
            return stream.read()

    @property
    def path(self) -> Path:
        """See `SourceView`."""
        if self._copy is None:
            self._copy = private_copy(self, self._work_dir)
        return self._copy

    def close(self) -> None:
        """Close every stream that `open` returned, and the descriptor, so that no document outlives its call."""
        for stream in list(self._streams):
            stream.close()
        os.close(self._fd)


class _DescriptorStream(io.RawIOBase):
    """Reads a descriptor with `pread` up to the size that was hashed."""

    def __init__(self, fd: int, *, size: int, name: str) -> None:
        super().__init__()
        self._fd = fd
        self._size = size
        self._document = name
        self._at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = os.SEEK_SET, /) -> int:
        start = {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self._size}[whence]
        if start + offset < 0:
            raise ValueError(f"negative seek position {start + offset}")
        self._at = start + offset
        return self._at

    def readinto(self, buffer: Any, /) -> int:
        view = memoryview(buffer)
        wanted = min(len(view), self._size - self._at)
        if wanted <= 0:
            return 0
        block = os.pread(self._fd, wanted, self._at)
        if not block:
            # A truncated file must not look complete to a tolerant parser.
            raise SourceChanged(
                f"the file ends at byte {self._at}, but had {self._size} when it was hashed", source=self._document
            )
        view[: len(block)] = block
        self._at += len(block)
        return len(block)

    def close(self) -> None:
        if not self.closed:
            os.close(self._fd)
        super().close()
