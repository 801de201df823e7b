"""Detects the type from the whole content, including containers; runs in the worker."""

from __future__ import annotations

from octavo_contracts import SourceView

from .containers import zip_media_type
from .detection import Detected, extension_of, media_type_of, verdict
from .ole import ole_media_type
from .signatures import OLE, ZIP, signature
from .table import format_for_extension

_REFINE_BYTES = 1 << 16


def refine(source: SourceView, *, declared: str | None = None) -> Detected:
    """Detect the type of a file, reading zip and OLE containers and more of a text than `sniff` does.

    Args:
        source: the document; its name gives the extension.
        declared: media type that a server or a mail declared, if any.

    Returns:
        The type. A container whose directory cannot be read gets the type that its name and first bytes suggest.
    """
    with source.open() as stream:
        head = stream.read(_REFINE_BYTES)
        found = signature(head)
        if found == ZIP and (inside := zip_media_type(stream)):
            return verdict(inside[0], name=source.name, declared=declared, encrypted=inside[1])
        if found == OLE and (ole := ole_media_type(stream)):
            media_type = ole.media_type or (_ooxml_name(source.name) if ole.encrypted else OLE)
            return verdict(media_type, name=source.name, declared=declared, encrypted=ole.encrypted)
    return verdict(media_type_of(head, name=source.name), name=source.name, declared=declared)


def _ooxml_name(name: str) -> str:
    """Return the media type of an encrypted Office package from its name, the only hint until it is decrypted."""
    named = format_for_extension(extension_of(name))
    return named.media_type if named and named.family == "zip" else OLE
