"""Detects formats that have a signature in their first bytes."""

from __future__ import annotations

import re

ZIP = "application/zip"
OLE = "application/x-ole-storage"
PDF = "application/pdf"
MPEG4 = "audio/mp4"

_PREFIXES: tuple[tuple[bytes, str], ...] = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"II*\x00", "image/tiff"),
    (b"MM\x00*", "image/tiff"),
    (b"II+\x00", "image/tiff"),
    (b"MM\x00+", "image/tiff"),
    (b"PK\x03\x04", ZIP),
    (b"PK\x05\x06", ZIP),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", OLE),
    (b"{\\rtf", "application/rtf"),
    (b"ID3", "audio/mpeg"),
    (b"fLaC", "audio/flac"),
    (b"OggS", "audio/ogg"),
    (b"\x1f\x8b\x08", "application/gzip"),
    (b"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"),
    (b"Rar!\x1a\x07", "application/vnd.rar"),
)

_RIFF = {b"WAVE": "audio/wav", b"WEBP": "image/webp"}
_BMP_HEADER_SIZES = frozenset({12, 40, 52, 56, 64, 108, 124})
_PDF_HEADER = re.compile(rb"%PDF-\d")
_PDF_SEARCH = 1024


def signature(head: bytes) -> str | None:
    """Return the media type according to the signature, or None.

    A zip or OLE container is returned as such; detecting its document type requires reading the container. Text formats
    and PDFs with bytes before their header are not detected here.
    """
    for prefix, media_type in _PREFIXES:
        if head.startswith(prefix):
            return media_type
    if head.lstrip(b"\xef\xbb\xbf \t\r\n\x00").startswith(b"%PDF-"):
        return PDF
    if head[:4] in {b"RIFF", b"RIFX", b"RF64"}:
        return _RIFF.get(head[8:12])
    if head[4:8] == b"ftyp" and head[8:11] in {b"M4A", b"M4B"}:
        return MPEG4
    if head[:2] == b"BM" and int.from_bytes(head[14:18], "little") in _BMP_HEADER_SIZES:
        return "image/bmp"
    return "audio/mpeg" if _is_mpeg_frame(head) else None


def is_mpeg4(head: bytes) -> bool:
    """Return whether this is an MPEG-4 container. It may contain sound or video; the file name tells which."""
    return head[4:8] == b"ftyp"


def has_late_pdf_header(head: bytes) -> bool:
    """Return whether a PDF header occurs in the first 1024 bytes, where PDF readers accept it."""
    return _PDF_HEADER.search(head, 0, _PDF_SEARCH + 5) is not None


def _is_mpeg_frame(head: bytes) -> bool:
    """Return whether this is an MPEG audio frame header: sync bits, and no reserved value in its fields."""
    if len(head) < 4 or head[0] != 0xFF or head[1] & 0xE0 != 0xE0:
        return False
    version, layer = head[1] >> 3 & 3, head[1] >> 1 & 3
    bitrate, rate = head[2] >> 4, head[2] >> 2 & 3
    # Layer I is not MP3, and matching it would mistake UTF-16's byte order mark for a frame.
    return version != 1 and layer in {1, 2} and bitrate not in {0, 15} and rate != 3
