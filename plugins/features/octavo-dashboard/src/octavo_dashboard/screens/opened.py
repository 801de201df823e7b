"""Finds the document of a page as the asker sees it."""

from __future__ import annotations

from octavo_contracts import UsageError
from octavo_library import Document, Library
from pydantic import Field

from ..problems import NotFound
from ..screen import Query, Reader

ID_PATTERN = r"^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$"


class DocumentQuery(Query):
    """A document."""

    document_id: str = Field(pattern=ID_PATTERN, description="Id of the document.")


def open_document(reader: Reader, document_id: str) -> Document:
    """The document of an id.

    Raises:
        NotFound: there is none, or the asker may not see it.
    """
    try:
        return reader.library.catalogue.find(document_id, corpus=reader.corpus)
    except UsageError:
        raise NotFound("document") from None


def open_version(reader: Reader, document_id: str, version: int) -> Document:
    """A version of a document.

    Raises:
        NotFound: the asker has no such document.
        UsageError: it has no such version, or the version was purged.
    """
    open_document(reader, document_id)  # a corpus has its own documents alone, which a reference does not check
    return reader.library.document(document_id, version=version, corpus=reader.corpus)


def converters(library: Library, document: Document) -> list[str]:
    """Names of the plugins that read documents of this type and can be used."""
    if document.media_type is None:
        return []
    found = library.context.runtime.catalogue.having("convert", media_type=document.media_type)
    return [plugin.name for plugin in found if plugin.missing() is None]
