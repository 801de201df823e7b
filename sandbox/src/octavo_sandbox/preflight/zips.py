"""Checks zip containers: the directory, the parts that a parser would read, and nested archives."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from typing import BinaryIO

from octavo_contracts import ContentTooLarge, QualityFinding, SourceCorrupt

from .detected_type import DetectedType
from .inflating import head_and_rest, unpacked
from .limits import PreflightLimits, how_to_raise
from .office import PartReader
from .prolog import PROLOG_BYTES, read_prolog
from .report import shown
from .zip_directory import Budget, Member, read_directory

_MARKUP = (".xml", ".rels", ".xhtml", ".html", ".htm", ".opf", ".ncx", ".svg", ".vml")
_ZIP_MARK = b"PK\x03\x04"


def check_zip(
    stream: BinaryIO, detected: DetectedType, *, limits: PreflightLimits, encrypted_ok: bool = False
) -> tuple[QualityFinding, ...]:
    """Check a document that is a zip container.

    Raises:
        SourceCorrupt, ContentTooLarge, SourceEncrypted: see `read_directory`; also if a part declares entities, is
            damaged, or is larger than declared.
    """
    budget = Budget(entries=limits.max_entries, bytes=limits.max_unpacked_bytes)
    members = read_directory(stream, limits=limits, budget=budget, what="the document", encrypted_ok=encrypted_ok)
    is_archive = detected.format.sub_kind == "archive"
    office = PartReader(media_type=detected.media_type, limits=limits)
    for member in members:
        if member.info.flag_bits & 1:
            continue
        if is_archive or not member.info.filename.lower().endswith(_MARKUP):
            _check_member(stream, member, limits=limits, budget=budget, depth=1, whole=is_archive)
        else:
            _check_part(stream, member, office)
        office.see_name(member.info.filename)
    return office.findings()


def _check_part(stream: BinaryIO, member: Member, office: PartReader) -> None:
    name = member.info.filename
    if member.info.compress_type not in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:
        raise SourceCorrupt(f"the part {shown(name)} uses a compression method that no document format allows")
    watched = office.watch(name, unpacked(stream, member, what="the document"))
    head, _ = head_and_rest(watched, keep=PROLOG_BYTES)
    prolog = read_prolog(head)
    if prolog.entities:
        raise SourceCorrupt(
            f"the part {shown(name)} declares XML entities, which documents of this kind never need",
            remedy="Save it again in the program that made it; entities can expand without limit or read other files",
        )
    if prolog.doctype and office.is_ooxml:
        raise SourceCorrupt(f"the part {shown(name)} has a document type declaration, which Office formats forbid")


def _check_member(
    stream: BinaryIO, member: Member, *, limits: PreflightLimits, budget: Budget, depth: int, whole: bool
) -> None:
    """Check an entry that is not markup: nested archives are opened, other entries are read if `whole`."""
    what = "the document" if depth == 1 else "an archive within it"
    blocks = unpacked(stream, member, what=what)
    first = next(blocks, b"")
    if first.startswith(_ZIP_MARK):
        _check_nested(first + b"".join(_capped(blocks, member, limits)), limits=limits, budget=budget, depth=depth + 1)
    elif whole:
        for _ in blocks:
            pass


def _capped(blocks: Iterator[bytes], member: Member, limits: PreflightLimits) -> list[bytes]:
    if member.info.file_size > limits.max_nested_bytes:
        raise ContentTooLarge(
            f"the archive {shown(member.info.filename)} within the document has {member.info.file_size:,} bytes; "
            f"at most {limits.max_nested_bytes:,} are allowed",
            remedy=how_to_raise("max_nested_bytes"),
        )
    return list(blocks)


def _check_nested(data: bytes, *, limits: PreflightLimits, budget: Budget, depth: int) -> None:
    if depth > limits.max_archive_depth:
        raise ContentTooLarge(f"archives are nested more than {limits.max_archive_depth} levels deep")
    stream = io.BytesIO(data)
    members = read_directory(
        stream, limits=limits, budget=budget, what="an archive within the document", encrypted_ok=True
    )
    for member in members:
        if not member.info.flag_bits & 1:
            _check_member(stream, member, limits=limits, budget=budget, depth=depth, whole=False)
