"""Zip containers, in which most office documents and books are stored: opened within limits, read with typed errors."""

from __future__ import annotations

import zipfile
import zlib
from typing import BinaryIO

from ..errors import ContentTooLarge, SourceCorrupt

MAX_ENTRIES = 10_000
MAX_UNPACKED_BYTES = 1 << 30
MAX_RATIO = 100
"""Unpacked bytes of a packed byte, for members of more than `RATIO_FREE_BYTES`."""
RATIO_FREE_BYTES = 1 << 20
DAMAGED = (
    zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, OverflowError, RuntimeError, OSError, ValueError,
)  # fmt: skip
"""What `zipfile` raises for a damaged container, or for an encrypted member: a name that is no UTF-8 is a `ValueError`."""


def open_container(stream: BinaryIO, *, plugin: str) -> zipfile.ZipFile:
    """Open a zip container whose directory is within the limits of this module (CNV-17).

    Args:
        stream: the file.
        plugin: the plugin that reads it, for messages.

    Raises:
        SourceCorrupt: it is no zip, or has names that are absolute, climb with `..` or stand twice.
        ContentTooLarge: more entries, bytes or expansion than the limits.
    """
    try:
        archive = zipfile.ZipFile(stream)
    except DAMAGED as error:
        raise SourceCorrupt(f"the zip container cannot be opened: {error}", plugin=plugin) from error
    members = archive.infolist()
    if len(members) > MAX_ENTRIES:
        raise ContentTooLarge(f"the container holds {len(members)} entries, more than {MAX_ENTRIES}", plugin=plugin)
    if sum(member.file_size for member in members) > MAX_UNPACKED_BYTES:
        raise ContentTooLarge(f"the container unpacks to more than {MAX_UNPACKED_BYTES} bytes", plugin=plugin)
    for member in members:
        name = member.filename.replace("\\", "/")
        if name.startswith("/") or ".." in name.split("/"):
            raise SourceCorrupt(f"the container holds an entry with an unsafe name: {name[:80]!r}", plugin=plugin)
        if member.file_size > RATIO_FREE_BYTES and member.file_size > MAX_RATIO * max(1, member.compress_size):
            raise ContentTooLarge(f"entry {name[:80]!r} unpacks to more than {MAX_RATIO} times its size", plugin=plugin)
    if len({member.filename for member in members}) < len(members):
        raise SourceCorrupt("the container holds two entries of one name", plugin=plugin)
    return archive


def read_member(archive: zipfile.ZipFile, member: zipfile.ZipInfo | str, *, plugin: str) -> bytes:
    """Return the bytes of a member.

    Args:
        archive: the container, as `open_container` returns it.
        member: the member, or its name.
        plugin: the plugin that reads it, for messages.

    Raises:
        SourceCorrupt: no member has the name, or its bytes do not unpack to the size and the checksum in the directory.
    """
    name = member if isinstance(member, str) else member.filename
    try:
        return archive.read(member)
    except KeyError as error:
        raise SourceCorrupt(f"the document lacks its part {name[:80]!r}", plugin=plugin) from error
    except DAMAGED as error:
        raise SourceCorrupt(f"part {name[:80]!r} cannot be unpacked: {error}", plugin=plugin) from error
