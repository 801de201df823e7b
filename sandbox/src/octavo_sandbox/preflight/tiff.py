"""Reads the page sizes of a TIFF from its chain of directories."""

from __future__ import annotations

from typing import BinaryIO, Literal

_WIDTH, _HEIGHT = 256, 257
_SHORT = 3
_MAX_TAGS = 4096
Order = Literal["little", "big"]


def tiff_sizes(stream: BinaryIO, *, max_pages: int) -> tuple[tuple[int, int], ...]:
    """Return width and height in pixels of each page, for classic TIFF and BigTIFF.

    Args:
        stream: the file.
        max_pages: the limit of pages; at most one page more is read, which shows the caller that it is exceeded.

    Returns:
        One pair per page, up to where the chain ends, breaks or loops; empty if no page can be read.
    """
    stream.seek(0)
    head = stream.read(16)
    order: Order = "little" if head[:2] == b"II" else "big"
    big = int.from_bytes(head[2:4], order) == 43
    at = int.from_bytes(head[8:16] if big else head[4:8], order)
    sizes: list[tuple[int, int]] = []
    seen: set[int] = set()
    while at and at not in seen and len(sizes) <= max_pages:
        seen.add(at)
        size, at = _directory(stream, at, order=order, big=big)
        if size is None:
            break
        sizes.append(size)
    return tuple(sizes)


def _directory(stream: BinaryIO, at: int, *, order: Order, big: bool) -> tuple[tuple[int, int] | None, int]:
    count_bytes, entry_bytes, next_bytes = (8, 20, 8) if big else (2, 12, 4)
    stream.seek(at)
    count = int.from_bytes(stream.read(count_bytes), order)
    if not 0 < count <= _MAX_TAGS:
        return None, 0
    raw = stream.read(count * entry_bytes + next_bytes)
    if len(raw) < count * entry_bytes:
        return None, 0
    found: dict[int, int] = {}
    for start in range(0, count * entry_bytes, entry_bytes):
        tag = int.from_bytes(raw[start : start + 2], order)
        if tag in {_WIDTH, _HEIGHT}:
            kind = int.from_bytes(raw[start + 2 : start + 4], order)
            value_at = start + (12 if big else 8)
            found[tag] = int.from_bytes(raw[value_at : value_at + (2 if kind == _SHORT else 4)], order)
    size = (found[_WIDTH], found[_HEIGHT]) if len(found) == 2 else None
    return size, int.from_bytes(raw[count * entry_bytes :], order)
