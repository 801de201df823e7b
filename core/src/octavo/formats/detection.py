"""Detects the type from the first bytes, and compares it with the name; safe in the host."""

from __future__ import annotations

import re
from pathlib import PurePath

from octavo_contracts import Model, RoutingType
from pydantic import Field

from .signatures import MPEG4, OLE, PDF, ZIP, has_late_pdf_header, is_mpeg4, signature
from .table import UNKNOWN, Format, format_for_extension, format_of
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
_XML_DOCUMENTS = frozenset(
    {"application/jats+xml", "application/docbook+xml", "application/x-fictionbook+xml", "text/x-opml+xml"}
)
_GENERIC: dict[str, frozenset[str]] = {
    "text/plain": _XML_DOCUMENTS
    | {
        "text/csv",
        "text/tab-separated-values",
        "text/markdown",
        "text/vtt",
        "text/x-org",
        "application/x-tex",
        "application/x-subrip",
        "application/json",
        "application/xml",
    },
    "application/xml": _XML_DOCUMENTS | {"application/rss+xml", "application/atom+xml", "image/svg+xml", "text/html"},
    "application/json": frozenset({"application/x-ipynb+json"}),
}
"""Name's type → types of content for which the name is also correct: every VTT file is also plain text."""


class Detected(Model):
    """What a file is (CLS-8)."""

    media_type: str = Field(description="Type by content, for example 'application/pdf'.")
    extension_media_type: str | None = Field(
        default=None, description="Type of the name's extension; null if the extension is unknown."
    )
    mismatch: str | None = Field(
        default=None, description="Mismatch between the content and the name or declared type, as a sentence; or null."
    )
    encrypted: bool = Field(default=False, description="Whether the content is encrypted, as far as known.")

    @property
    def format(self) -> Format:
        """The row of the table of formats for this type."""
        return format_of(self.media_type)

    @property
    def routing_type(self) -> RoutingType:
        """Routing type of the format; used until the classifier determines a better one."""
        return self.format.routing_type


def extension_of(name: str) -> str:
    """Return the extension of a document's name, lower case with the dot, or ''."""
    return PurePath(name.replace("\\", "/")).suffix.lower()


def agree(content: str, named: str) -> bool:
    """Return whether a name or declaration of type `named` is correct for content of type `content`."""
    return content == named or content in _GENERIC.get(named, frozenset())


def verdict(media_type: str, *, name: str, declared: str | None = None, encrypted: bool = False) -> Detected:
    """Compare the content's type with the name and with the type that a server or mail declared.

    Args:
        media_type: type by content.
        name: the document's name.
        declared: a declared media type, parameters allowed; generic ones such as octet-stream are not compared.
        encrypted: whether the content is encrypted.
    """
    extension = extension_of(name)
    named = format_for_extension(extension)
    parts: list[str] = []
    if named is not None and not agree(media_type, named.media_type):
        parts.append(f"the name ends in {extension}, the extension of {named.name}")
    declared_format = format_of(declared.partition(";")[0].strip().lower()) if declared else UNKNOWN
    if declared_format is not UNKNOWN and not agree(media_type, declared_format.media_type):
        parts.append(f"the declared type is {declared_format.media_type}")
    mismatch = None
    if parts:
        what = format_of(media_type)
        content = "of an unknown format" if what is UNKNOWN else what.name
        mismatch = f"The content is {content}, but {' and '.join(parts)}."
    return Detected(
        media_type=media_type,
        extension_media_type=named.media_type if named else None,
        mismatch=mismatch,
        encrypted=encrypted,
    )


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
