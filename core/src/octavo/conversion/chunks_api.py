"""`octavo.chunks`, in a light module so that workers can start before the rest of Octavo is imported."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

from ..plugins.prestart import start_workers_ahead

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from .document_loader import LoadFields, LoadSource
    from .text_chunks import TextChunk


def chunks(sources: LoadSource | Iterable[LoadSource], **fields: Unpack[LoadFields]) -> Iterator[TextChunk]:
    """Convert documents and yield their chunks, each with its text and metadata; nothing is stored.

    Args:
        sources: a file, a folder, the URL of a page, a pattern such as `papers/**/*.pdf`, or several of them.
        fields: `include`, `exclude`, `plugin`, `profile`, `password`, `timeout`, `on_failure`, `jobs` and `runtime`; see
            `octavo.conversion.document_loader.LoadFields`.

    Yields:
        The chunks, document by document in the order of their paths. `TextChunk.metadata` has the source, page and
        offsets.

    Raises:
        UsageError: no such plugin or profile, or an option has no such value.
        OctavoError: a document cannot be converted. With `on_failure="warn"` it is logged and left out.
    """
    if fields.get("runtime") is None:
        start_workers_ahead()
    from .document_loader import load_documents
    from .text_chunks import text_chunks

    documents = load_documents(sources, **fields)
    return (
        chunk for one in documents for chunk in text_chunks(one.converted.result, one.converted.text, source=one.source)
    )
