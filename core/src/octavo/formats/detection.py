"""Detects the type from the first bytes; safe in the host."""

from __future__ import annotations

import re

from .detected import Detected, extension_of, verdict
from .signatures import MPEG4, OLE, PDF, ZIP, has_late_pdf_header, is_mpeg4, signature
from .table import UNKNOWN, format_for_extension
from .text_formats import decode_head, text_format

HEAD_BYTES = 4096
"""Maximum number of bytes that `sniff` reads."""

_ZIP_HINTS: tuple[tuple[bytes, str], ...] = (
    (b"mimetypeapplication/epub+zip", "application/epub+zip"),
    (b"mimetypeapplication/vnd.oasis.opendocument.text", "application/vnd.oasis.opendocument.text"),
    (b"mimetypeapplication/vnd.oasis.opendocument.spreadsheet", "application/vnd.oasis.opendocument.spreadsheet"),
    (b"mimetypeapplication/vnd.oasis.opendocument.presentation", "application/vnd.oasis.opendocument.presentation"),
)
_OOXML_PART = re.compile(rb"PK\x03\x04.{26}(word|xl|ppt)/", re.DOTALL)
_OOXML_PARTS = {
    b"word": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    b"xl": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    b"ppt": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
}


def sniff(head: bytes, *, name: str, declared: str | None = None) -> Detected:
    """Detect the type of a file from its first bytes.

    Parses nothing and opens no container: a zip or OLE file with a matching name provisionally gets the type of the
    name. `refine` determines the type in the worker.

    Args:
        head: the first bytes; at most `HEAD_BYTES` of them are used.
        name: the document's name, for its extension.
        declared: media type that a server or a mail declared, if any.
    """
    return verdict(media_type_of(head[:HEAD_BYTES], name=name), name=name, declared=declared)


def media_type_of(head: bytes, *, name: str) -> str:
    """Return the media type of the content, by signature, then as text; octet-stream if both fail."""
    extension = extension_of(name)
    named = format_for_extension(extension)
    if extension == ".pdf" and has_late_pdf_header(head):
        return PDF
    found = signature(head)
    if found == ZIP:
        return _inside_zip(head, named.media_type if named and named.family == "zip" else None)
    if found == OLE:
        # An encrypted modern Office file is an OLE file with an OOXML name.
        return named.media_type if named and (named.family == "ole" or "openxml" in named.media_type) else OLE
    if found is not None:
        return found
    if is_mpeg4(head):
        return MPEG4 if extension in {".m4a", ".m4b"} else UNKNOWN.media_type
    if not head:
        return UNKNOWN.media_type
    named_text = named is not None and named.family == "text"
    text = decode_head(head, named_text=named_text)
    if text is None:
        return PDF if has_late_pdf_header(head) else UNKNOWN.media_type
    return text_format(text, extension=extension, named=named.media_type if named and named_text else None)


def _inside_zip(head: bytes, named: str | None) -> str:
    stored_type = head[30 : 30 + 80]
    # The order does not matter: no hint is a prefix of another.
    for hint, media_type in _ZIP_HINTS:
        if stored_type.startswith(hint):
            return media_type
    if named is not None:
        return named
    part = _OOXML_PART.search(head)
    return _OOXML_PARTS[part.group(1)] if part else ZIP
