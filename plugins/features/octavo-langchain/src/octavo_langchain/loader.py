"""Loads documents into LangChain: from paths, and from the blobs of LangChain's own blob loaders."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Unpack

from langchain_core.document_loaders import BaseBlobParser, BaseLoader, Blob
from langchain_core.documents import Document
from octavo import convert
from octavo.conversion.document_loader import LoadFields, LoadSource, load_records
from octavo.conversion.report_text import failure_error
from octavo.conversion.text_records import TextRecord, text_records, text_unit


class OctavoLoader(BaseLoader):
    """Loads files, folders, URLs and patterns, converted by Octavo.

    Each text is a LangChain `Document` with an id and flat metadata: `source`, `document_id`, `title`, `page`, `start`,
    `end`, `quality`, `flags` and more, as far as they are known.

    Args:
        sources: a file, a folder, the URL of a page, a pattern such as `papers/**/*.pdf`, or several of them.
        unit: what one LangChain document is: `page` (the markdown of a page), `document` (all of it), or `chunk` (a chunk
            of the canonical text).
        fields: `include`, `exclude`, `plugin`, `profile`, `password`, `timeout`, `on_failure`, `jobs` and `runtime`; see
            `octavo.conversion.document_loader.LoadFields`. A document that cannot be converted raises its error, unless
            `on_failure` is "warn".

    Raises:
        UsageError: there is no such unit.
    """

    def __init__(
        self, sources: LoadSource | Iterable[LoadSource], *, unit: str = "page", **fields: Unpack[LoadFields]
    ) -> None:
        self._sources = sources
        self._unit = text_unit(unit)
        self._fields = fields

    def lazy_load(self) -> Iterator[Document]:
        """Yield the documents in the order of their paths, as they are converted.

        Raises:
            UsageError: no such plugin or profile.
            OctavoError: a document cannot be converted, and `on_failure` is not "warn".
        """
        return map(_document, load_records(self._sources, unit=self._unit, **self._fields))


class OctavoBlobParser(BaseBlobParser):
    """Parses the blobs of a LangChain blob loader, such as files of a cloud store.

    Args:
        unit: as for `OctavoLoader`.
        options: keyword arguments of `octavo.convert`, such as `plugin` or `timeout`.

    Raises:
        UsageError: there is no such unit.
    """

    def __init__(self, *, unit: str = "page", **options: Any) -> None:
        self._unit = text_unit(unit)
        self._options = options

    def lazy_parse(self, blob: Blob) -> Iterator[Document]:
        """Convert a blob and yield its documents.

        The blob's own metadata is kept; where it has a key of Octavo's, the blob's value counts. Bytes without a path
        should have a `source` in their metadata: its ending helps to detect text formats.

        Raises:
            OctavoError: the blob cannot be converted.
        """
        source = blob.source
        if blob.data is None and blob.path is not None:
            converted = convert(blob.path, **self._options)
        else:
            converted = convert(blob.as_bytes(), name=source or "document", **self._options)
        error = failure_error(converted.result, source)
        if error is not None:
            raise error
        for record in text_records(converted, source=source, unit=self._unit):
            yield _document(record, **blob.metadata)


def _document(record: TextRecord, **more: Any) -> Document:
    return Document(id=record.record_id, page_content=record.text, metadata={**record.metadata, **more})
