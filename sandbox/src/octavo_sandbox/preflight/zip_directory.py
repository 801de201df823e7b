"""Reads a zip container's directory within limits, and checks it before anything is unpacked."""

from __future__ import annotations

import re
import stat
import zipfile
from dataclasses import dataclass
from typing import BinaryIO

from octavo_contracts import ContentTooLarge, SourceCorrupt, SourceEncrypted

from .limits import PreflightLimits, how_to_raise
from .report import shown

_END_MARK = b"PK\x05\x06"
_ENTRY_MARK = b"PK\x01\x02"
_LOCAL_MARK = b"PK\x03\x04"
_LOCAL_BYTES = 30
_COMMENT_MAX = 65_535
_DRIVE = re.compile(r"[A-Za-z]:")
_DESCRIPTOR_FLAG = 0x08
_UNSET = {0, 0xFFFFFFFF}


@dataclass(kw_only=True)
class Budget:
    """Remaining allowance of a container, shared with all archives nested in it.

    Attributes:
        entries: remaining entries.
        bytes: remaining unpacked bytes.
    """

    entries: int
    bytes: int


@dataclass(frozen=True, kw_only=True)
class Member:
    """One entry that passed the checks.

    Attributes:
        info: the entry of the central directory.
        data_start: offset of its packed bytes in the file.
    """

    info: zipfile.ZipInfo
    data_start: int


def read_directory(
    stream: BinaryIO, *, limits: PreflightLimits, budget: Budget, what: str, encrypted_ok: bool
) -> tuple[Member, ...]:
    """Read and check the directory of a zip.

    Args:
        stream: the zip, seekable.
        limits: the limits.
        budget: the document's remaining allowance; reduced by this zip's entries and bytes.
        what: name of the zip in messages, for example "the document".
        encrypted_ok: whether encrypted entries are allowed, since a password was given.

    Returns:
        The files of the zip, without folders.

    Raises:
        SourceCorrupt: the zip is truncated, not a zip, or ambiguous on purpose: overlapping, duplicate or escaping
            entries, symbolic links, two directories that disagree.
        ContentTooLarge: too many entries, too large, or expanding too much.
        SourceEncrypted: an entry is encrypted.
    """
    _count_entries(stream, limits=limits, budget=budget, what=what)
    try:
        archive = zipfile.ZipFile(stream)
        infos = archive.infolist()
    except (zipfile.BadZipFile, ValueError, NotImplementedError, OverflowError, EOFError) as error:
        raise SourceCorrupt(f"the directory of {what}, a zip container, cannot be read ({error})") from error
    budget.entries -= len(infos)
    _check_names(infos, what=what)
    _check_sizes(infos, limits=limits, budget=budget, what=what)
    if not encrypted_ok and any(info.flag_bits & 1 for info in infos):
        raise SourceEncrypted(f"{what} has encrypted entries")
    members = _locate(stream, infos, end=archive.start_dir, what=what)
    return tuple(member for member in members if not member.info.is_dir())


def _count_entries(stream: BinaryIO, *, limits: PreflightLimits, budget: Budget, what: str) -> None:
    """Count entries before `zipfile` builds an object for each: a directory of millions would exhaust memory."""
    size = stream.seek(0, 2)
    tail_start = max(0, size - _COMMENT_MAX - 22)
    stream.seek(tail_start)
    tail = stream.read()
    at = tail.rfind(_END_MARK)
    if at < 0 or len(tail) - at < 22:
        raise SourceCorrupt(f"{what} is a zip container without a directory: the file is truncated")
    directory = int.from_bytes(tail[at + 12 : at + 16], "little")
    end = tail_start + at
    # The size of a zip64 directory is stored elsewhere: read the last 64 MiB, enough for far more entries than allowed.
    start = max(0, end - (directory if directory != 0xFFFFFFFF else 64 << 20))
    stream.seek(start)
    count, left, carry = 0, end - start, b""
    while left > 0 and (block := stream.read(min(left, 1 << 20))):
        left -= len(block)
        count += (carry + block).count(_ENTRY_MARK)
        carry = block[-3:]
    if count > budget.entries:
        raise ContentTooLarge(
            f"{what} brings the container to more than the {limits.max_entries:,} entries allowed ({count:,} here)",
            remedy=how_to_raise("max_entries"),
        )


def _check_names(infos: list[zipfile.ZipInfo], *, what: str) -> None:
    seen: set[str] = set()
    for info in infos:
        name = info.filename
        parts = name.replace("\\", "/").split("/")
        if name.startswith(("/", "\\")) or _DRIVE.match(name) or ".." in parts:
            raise SourceCorrupt(f"{what} has an entry that escapes its folder: {shown(name)}")
        if "\x00" in info.orig_filename:
            raise SourceCorrupt(f"{what} has an entry with a zero byte in its name: {shown(name)}")
        if name in seen:
            raise SourceCorrupt(f"{what} has two entries with the same name: {shown(name)}")
        if stat.S_ISLNK(info.external_attr >> 16):
            raise SourceCorrupt(f"{what} contains a symbolic link: {shown(name)}")
        seen.add(name)


def _check_sizes(infos: list[zipfile.ZipInfo], *, limits: PreflightLimits, budget: Budget, what: str) -> None:
    for info in infos:
        budget.bytes -= info.file_size
        if info.file_size > limits.ratio_floor_bytes and info.file_size > limits.max_ratio * max(1, info.compress_size):
            raise ContentTooLarge(
                f"{what} contains {shown(info.filename)}, which expands {info.file_size // max(1, info.compress_size):,} "
                f"times to {info.file_size:,} bytes; at most {limits.max_ratio} times is allowed",
                remedy=how_to_raise("max_ratio"),
            )
    if budget.bytes < 0:
        raise ContentTooLarge(
            f"{what} unpacks to more than the {limits.max_unpacked_bytes:,} bytes allowed for a container",
            remedy=how_to_raise("max_unpacked_bytes"),
        )


def _locate(stream: BinaryIO, infos: list[zipfile.ZipInfo], *, end: int, what: str) -> list[Member]:
    members: list[Member] = []
    for info in infos:
        # `zipfile` shifts offsets by the declared start of the directory, which may be false: offsets can become
        # negative.
        local = b""
        if info.header_offset >= 0:
            stream.seek(info.header_offset)
            local = stream.read(_LOCAL_BYTES)
        if len(local) < _LOCAL_BYTES or not local.startswith(_LOCAL_MARK):
            raise SourceCorrupt(f"{what} has no data for its entry {shown(info.filename)}: the file is damaged")
        _check_local_sizes(local, info, what=what)
        skip = int.from_bytes(local[26:28], "little") + int.from_bytes(local[28:30], "little")
        members.append(Member(info=info, data_start=info.header_offset + _LOCAL_BYTES + skip))
    last_end, last_name = 0, ""
    for member in sorted(members, key=lambda member: (member.info.header_offset, member.data_start)):
        if member.info.header_offset < last_end:
            raise SourceCorrupt(f"{what} has overlapping entries: {shown(last_name)}, {shown(member.info.filename)}")
        last_end, last_name = member.data_start + member.info.compress_size, member.info.filename
    if last_end > end:
        raise SourceCorrupt(f"{what} has an entry that overlaps the directory: {shown(last_name)}")
    return members


def _check_local_sizes(local: bytes, info: zipfile.ZipInfo, *, what: str) -> None:
    """Compare both directories: readers differ in which of the two they trust, so they must agree."""
    if int.from_bytes(local[6:8], "little") & _DESCRIPTOR_FLAG:
        return
    packed, unpacked = int.from_bytes(local[18:22], "little"), int.from_bytes(local[22:26], "little")
    if (packed not in _UNSET and packed != info.compress_size) or (
        unpacked not in _UNSET and unpacked != info.file_size
    ):
        raise SourceCorrupt(f"{what} declares two sizes for its entry {shown(info.filename)}")
