"""Finds damaged content streams of a PDF: a reader draws what stands before the damage, and reports nothing."""

from __future__ import annotations

import zlib
from collections.abc import Iterator

_REACH = 600
"""Bytes in front of a stream in which its dictionary begins."""
_FILTERS = (b"/Filter/FlateDecode", b"/Filter /FlateDecode", b"/Filter[/FlateDecode]", b"/Filter [/FlateDecode]")
_NOT_CONTENT = (
    b"/Subtype", b"/Length1", b"/Length2", b"/XRef", b"/ObjStm", b"/FunctionType", b"/ShadingType", b"/DecodeParms", b"/N ",
)  # fmt: skip
"""Entries of dictionaries of images, fonts, metadata, tables of objects, functions and colours."""
_PIECE = 1 << 14
"""Compressed bytes that are taken at a time: they give at most 16 MB."""
_MAX_BYTES = 256 << 20
"""Decompressed bytes after which the rest of a document is not checked."""


def damaged_streams(data: bytes) -> tuple[int, int]:
    """Count the streams of a PDF that may be the content of a page or a form, and those of them that are damaged.

    A stream that ends too early, or whose checksum alone is wrong, is complete for PDF readers. Streams with several filters
    are not checked.

    Args:
        data: the file, without encryption.

    Returns:
        The number of streams, and of damaged ones.
    """
    count = damaged = 0
    left = _MAX_BYTES
    for start, end in _content(data):
        if left <= 0:
            break
        size = _decompressed(memoryview(data)[start:end], at_most=left)
        count += 1
        damaged += size is None
        left -= size or 0
    return count, damaged


def _content(data: bytes) -> Iterator[tuple[int, int]]:
    """Yield the place of each stream that is compressed once and is no image, font or table of objects."""
    at = data.find(b"stream")
    while at >= 0:
        after = at + len(b"stream")
        head = data[max(0, at - _REACH) : at]
        head = head[head.rfind(b"obj") :]
        if any(name in head for name in _FILTERS) and not any(name in head for name in _NOT_CONTENT):
            start = after + (2 if data[after : after + 2] == b"\r\n" else 1)
            end = data.find(b"endstream", start)
            after = end if end >= 0 else len(data)
            yield start, after
            after += len(b"endstream")
        at = data.find(b"stream", after)


def _decompressed(data: memoryview, *, at_most: int) -> int | None:
    """Return the bytes that a stream has, counted up to a limit; None if it is damaged."""
    stream, size = zlib.decompressobj(), 0
    try:
        for at in range(0, len(data), _PIECE):
            size += len(stream.decompress(data[at : at + _PIECE]))
            if stream.eof or size >= at_most:
                break
    except zlib.error as error:
        return size if "incorrect data check" in str(error) else None
    return size
