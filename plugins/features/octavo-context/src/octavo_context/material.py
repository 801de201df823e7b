"""`Material`: pages, summary and quality findings of a document, loaded on demand."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePath
from typing import Any, Literal

from octavo_contracts import Category, DegradedFlag, IngestionResult
from octavo_contracts.refs import ref_path
from octavo_library.facade.document import Document
from octavo_library.facade.runs import DocumentJob
from octavo_text.document_pages import DocumentPage

from .errors import NotConverted
from .page_index import is_indexed_type, registered_index
from .summaries import DocumentSummary, SummarySource
from .tokens import count_tokens

Kind = Literal["pdf", "word", "plain", "spreadsheet", "presentation", "audio", "image"]

_KINDS: dict[Category, Kind] = {
    Category.PDF_VISUAL: "pdf",
    Category.PDF_TEXT: "pdf",
    Category.PDF_SCANNED: "pdf",
    Category.WORD: "word",
    Category.PLAINTEXT: "plain",
    Category.SPREADSHEET: "spreadsheet",
    Category.PRESENTATION: "presentation",
    Category.IMAGE: "image",
    Category.AUDIO: "audio",
}
PDF = "application/pdf"
_CAPTIONS = ("text/vtt", "application/x-subrip")


class Material:
    """The parts of a document, each loaded once when first needed.

    Args:
        document: the document, bound to a version.
        summaries: source of the summary.
        doubtful_below: OCR pages below this confidence, 0..1, are labelled (CTX-13).

    Raises:
        NotConverted: the document has no converted version.
    """

    def __init__(self, document: Document, *, summaries: SummarySource, doubtful_below: float) -> None:
        if document.active_version is None:
            raise NotConverted(
                f"the document could not be converted: {document.reason}",
                source=document.title or document.id,
                remedy="See its receipts with `octavo show`",
            )
        self.document = document
        self._summaries = summaries
        self._doubtful_below = doubtful_below
        self.made: dict[object, Any] = {}
        """Cache of derived values, such as the layout of the whole text."""

    @cached_property
    def result(self) -> IngestionResult:
        """The conversion result of the bound version."""
        return self.document.result

    @cached_property
    def title(self) -> str:
        """The title, else the file name, else the id."""
        if self.document.title:
            return self.document.title
        paths = self.document.paths
        return PurePath(ref_path(paths[0])).name if paths and paths[0].startswith("file:") else self.document.id

    @cached_property
    def document_type(self) -> str:
        """The document type in effect."""
        return self.result.document_type

    @property
    def category(self) -> str:
        """The classifier's category, or `unclassified`."""
        said = self.result.classification
        return said.category.value if said is not None else "unclassified"

    @cached_property
    def kind(self) -> Kind:
        """The kind that selects the layout."""
        media_type = self.document.media_type or ""
        if media_type == PDF:
            return "pdf"
        if media_type in _CAPTIONS:
            return "audio"
        said = self.result.classification
        if said is not None:
            return _KINDS[said.category]
        return "image" if media_type.startswith("image/") else "plain"

    @property
    def visual_importance(self) -> str:
        """`high`, `medium` or `low`."""
        said = self.result.classification
        return said.visual_importance if said is not None else "medium"

    @cached_property
    def pages(self) -> tuple[DocumentPage, ...]:
        """The pages; one page for a document without pages."""
        return tuple(self.document.pages)

    @property
    def page_count(self) -> int:
        """The number of pages, of the source if known."""
        said = self.result.classification
        return max(len(self.pages), (said.page_count or 0) if said is not None else 0)

    @cached_property
    def is_paged(self) -> bool:
        """Whether the document has pages, sheets, slides or time blocks."""
        return self.document.structured_text.paginated

    @cached_property
    def has_text(self) -> bool:
        """Whether the document has text."""
        return self.document.why_empty is None and bool(self.document.canonical_text.strip())

    @cached_property
    def summary(self) -> DocumentSummary | None:
        """The summary, or None (CTX-14)."""
        if not self.has_text:
            return None
        found = self._summaries(self.document)
        index = registered_index(self.document, self.document_type)
        if index is not None:
            text, pages = (found.text, found.pages) if found is not None else ("", {})
            return DocumentSummary(text=text, pages=pages, index=index)
        return found

    @property
    def is_indexed(self) -> bool:
        """Whether the document is always sent as text, preceded by its index (CTX-3)."""
        return is_indexed_type(self.document_type)

    @property
    def method(self) -> str:
        """The plugin that extracted the text."""
        return self.result.quality_report.selected_tool

    @property
    def flags(self) -> tuple[str, ...]:
        """Flags of the quality report."""
        return tuple(self.result.quality_report.degraded_flags)

    @cached_property
    def doubtful_pages(self) -> dict[int, float]:
        """OCR pages with low confidence → confidence, 0..1 (CTX-13)."""
        found = self.result.quality_report.ocr_confidence_summary.page_confidences
        return {int(page): sure for page, sure in sorted(found.items()) if sure < self._doubtful_below}

    @property
    def is_partly_recognised(self) -> bool:
        """Whether some pages still need OCR (CTX-14)."""
        return DegradedFlag.OCR_NEEDED.value in self.flags

    @cached_property
    def file_size(self) -> int:
        """Size of the original in bytes; 0 if unknown."""
        document = self.document
        return document.context.index.documents.get(document.id, policy=document.policy).file_size or 0

    @cached_property
    def text_tokens(self) -> int:
        """Tokens of the markdown, for a tokenizer of factor 1."""
        return count_tokens(self.document.markdown)


@dataclass(frozen=True, kw_only=True)
class UnderWay:
    """A running conversion of a document, the first or a repeated one.

    Attributes:
        intent: `ingest` or `reconvert`.
        begun_at: ISO 8601, UTC.
    """

    intent: str
    begun_at: str

    @classmethod
    def of(cls, jobs: list[DocumentJob]) -> UnderWay | None:
        """The running conversion among the jobs of a document, or None."""
        for job in jobs:
            if job.is_open and job.intent.value in ("ingest", "reconvert"):
                return cls(intent=job.intent.value, begun_at=job.begun_at)
        return None
