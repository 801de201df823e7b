"""Unpack one entry in a stream, and stop when it is larger than it says."""

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
    """The entry's bytes in blocks.

    `zipfile` stops in silence at the declared size; other readers do not, so an entry that holds more than it
    declares is refused. Entries of an archive that are packed by another method than deflate come out
    empty: their declared sizes were checked.

    Raises:
        ContentTooLarge: it holds more than it declares.
        SourceCorrupt: it holds less, or is no deflate stream.
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
        raise SourceCorrupt(f"{what} gives a false size for its entry {shown(member.info.filename)}")
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
                raise ContentTooLarge(f"{what} declares {declared:,} bytes for its entry {name}, which holds more")
            if block:
                yield block
            elif not packed:
                break
    except zlib.error as error:
        raise SourceCorrupt(f"{what} holds an entry that cannot be unpacked: {name} ({error})") from error
    if total < declared:
        raise SourceCorrupt(f"{what} ends within its entry {name}")


def head_and_rest(blocks: Iterator[bytes], *, keep: int) -> tuple[bytes, bool]:
    """The first `keep` bytes of a stream that is read to its end, and whether there was more."""
    head = bytearray()
    more = False
    for block in blocks:
        room = keep - len(head)
        head += block[:room]
        more = more or len(block) > room
    return bytes(head), more
