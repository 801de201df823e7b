"""Unpacks one zip entry as a stream, and refuses it if it is larger than declared."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator
from typing import BinaryIO

from octavo_contracts import ContentTooLarge, SourceCorrupt

from .report import shown
from .zip_directory import Member

_BLOCK = 1 << 16


def unpacked(stream: BinaryIO, member: Member, *, what: str) -> Iterator[bytes]:
    """Yield the entry's bytes in blocks.

    `zipfile` silently stops at the declared size; other readers do not, so an entry that is larger than declared is
    refused. Entries with another compression method than deflate yield nothing: their declared sizes were checked
    before.

    Raises:
        ContentTooLarge: the entry is larger than declared.
        SourceCorrupt: the entry is smaller than declared, or not a deflate stream.
    """
    info = member.info
    stream.seek(member.data_start)
    if info.compress_type == zipfile.ZIP_STORED:
        yield from _stored(stream, member, what=what)
    elif info.compress_type == zipfile.ZIP_DEFLATED:
        yield from _deflated(stream, member, what=what)


def _stored(stream: BinaryIO, member: Member, *, what: str) -> Iterator[bytes]:
    left = member.info.compress_size
    if left != member.info.file_size:
        raise SourceCorrupt(f"{what} declares a false size for its entry {shown(member.info.filename)}")
    while left > 0 and (block := stream.read(min(left, _BLOCK))):
        left -= len(block)
        yield block
    if left:
        raise SourceCorrupt(f"{what} ends within its entry {shown(member.info.filename)}")


def _deflated(stream: BinaryIO, member: Member, *, what: str) -> Iterator[bytes]:
    name = shown(member.info.filename)
    declared, total, left = member.info.file_size, 0, member.info.compress_size
    inflater = zlib.decompressobj(-zlib.MAX_WBITS)
    try:
        while not inflater.eof:
            packed = inflater.unconsumed_tail
            if not packed:
                packed = stream.read(min(left, _BLOCK))
                left -= len(packed)
            block = inflater.decompress(packed, _BLOCK)
            total += len(block)
            if total > declared:
                raise ContentTooLarge(f"{what} declares {declared:,} bytes for its entry {name}, which is larger")
            if block:
                yield block
            elif not packed:
                break
    except zlib.error as error:
        raise SourceCorrupt(f"{what} has an entry that cannot be unpacked: {name} ({error})") from error
    if total < declared:
        raise SourceCorrupt(f"{what} ends within its entry {name}")


def head_and_rest(blocks: Iterator[bytes], *, keep: int) -> tuple[bytes, bool]:
    """Read a stream to its end; return its first `keep` bytes, and whether there were more."""
    head = bytearray()
    more = False
    for block in blocks:
        room = keep - len(head)
        head += block[:room]
        more = more or len(block) > room
    return bytes(head), more
