"""Chunks with their text and where they stand: what an index for retrieval is filled with."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from octavo_contracts import IngestionResult


@dataclass(frozen=True, kw_only=True)
class TextChunk:
    """One chunk of a document.

    Attributes:
        chunk_id: stable: the same text and chunking give the same id.
        text: its text.
        page: page of the document, from 1; None for a document without pages.
        start: offset of its first code point in the canonical text.
        end: offset after its last one.
        document_id: the document.
        title: the document's title, or None.
        source: the document as the caller named it, or None.
    """

    chunk_id: str
    text: str
    page: int | None
    start: int
    end: int
    document_id: str | None
    title: str | None
    source: str | None = None

    @property
    def metadata(self) -> dict[str, str | int]:
        """Everything but the text, without keys that have no value: what an index keeps beside a vector."""
        return {key: value for key, value in asdict(self).items() if key != "text" and value is not None}

    def __repr__(self) -> str:
        where = f"page {self.page}, " if self.page is not None else ""
        shown = self.text if len(self.text) <= 40 else f"{self.text[:39]}…"
        return f"<TextChunk {where}{self.start}-{self.end}: {shown!r}>"


def text_chunks(result: IngestionResult, text: str, *, source: str | None = None) -> tuple[TextChunk, ...]:
    """The chunks of a result with their texts, in order.

    Args:
        result: of the document.
        text: its canonical text.
        source: the document as the caller named it.
    """
    return tuple(
        TextChunk(
            chunk_id=chunk.chunk_id,
            text=chunk.span.of(text),
            page=chunk.page,
            start=chunk.span.start,
            end=chunk.span.end,
            document_id=result.document_id,
            title=result.metadata.title,
            source=source,
        )
        for chunk in result.chunk_manifest
    )
