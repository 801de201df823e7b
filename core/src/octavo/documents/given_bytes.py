"""What a caller may give for a document, as a path, a URL or bytes: streams and buffers are read here."""

from __future__ import annotations

import os
from typing import Protocol, runtime_checkable

from octavo_contracts import UsageError


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
