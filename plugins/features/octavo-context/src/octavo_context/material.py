"""What a document gives to work with: its pages, its summary, and what is doubtful about it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePath
from typing import Any, Literal

from octavo_contracts import Category, DegradedFlag, IngestionResult
from octavo_contracts.refs import ref_path
from octavo_library.facade.document import Document
from octavo_library.facade.document_versions import DocumentPage
from octavo_library.facade.runs import DocumentJob

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
    """A document as its parts are needed; each is read once.

    Args:
        document: the document, bound to a version.
        summaries: gives its summary.
        doubtful_below: recognised pages below this confidence are labelled (CTX-13).

    Raises:
        NotConverted: it has no converted version.
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
        """What was made of it and is needed again, such as the layout of its whole text."""

    @cached_property
    def result(self) -> IngestionResult:
        """The version's result."""
        return self.document.result

    @cached_property
    def title(self) -> str:
        """Its title; else the name of its file, else its id."""
        if self.document.title:
            return self.document.title
        paths = self.document.paths
        return PurePath(ref_path(paths[0])).name if paths and paths[0].startswith("file:") else self.document.id

    @cached_property
    def document_type(self) -> str:
        """The type in force."""
        return self.result.document_type

    @property
    def category(self) -> str:
        """The classifier's category; `unclassified` where there is none."""
        said = self.result.classification
        return said.category.value if said is not None else "unclassified"

    @cached_property
    def kind(self) -> Kind:
        """Which layout it has."""
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
        """Its pages; one for a document without pages."""
        return tuple(self.document.pages)

    @property
    def page_count(self) -> int:
        """How many pages: those of the source where they are known."""
        said = self.result.classification
        return max(len(self.pages), (said.page_count or 0) if said is not None else 0)

    @cached_property
    def is_paged(self) -> bool:
        """Whether it has pages, sheets, slides or blocks of time."""
        return self.document.structured_text.paginated

    @cached_property
    def has_text(self) -> bool:
        """Whether there is any text."""
        return self.document.why_empty is None and bool(self.document.canonical_text.strip())

    @cached_property
    def summary(self) -> DocumentSummary | None:
        """Its summary, or None (CTX-14)."""
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
        """Whether it is always sent as text, with an index first (CTX-3)."""
        return is_indexed_type(self.document_type)

    @property
    def method(self) -> str:
        """The plugin that made the text."""
        return self.result.quality_report.selected_tool

    @property
    def flags(self) -> tuple[str, ...]:
        """The flags of its quality report."""
        return tuple(self.result.quality_report.degraded_flags)

    @cached_property
    def doubtful_pages(self) -> dict[int, float]:
        """Pages that were recognised with low confidence → the confidence (CTX-13)."""
        found = self.result.quality_report.ocr_confidence_summary.page_confidences
        return {int(page): sure for page, sure in sorted(found.items()) if sure < self._doubtful_below}

    @property
    def is_partly_recognised(self) -> bool:
        """Whether pages wait for recognition (CTX-14)."""
        return DegradedFlag.OCR_NEEDED.value in self.flags

    @cached_property
    def file_size(self) -> int:
        """Bytes of the original; 0 where that is not known."""
        document = self.document
        return document.context.index.documents.get(document.id, policy=document.policy).file_size or 0

    @cached_property
    def text_tokens(self) -> int:
        """Tokens of its markdown, for a tokenizer of factor 1."""
        return count_tokens(self.document.markdown)


@dataclass(frozen=True, kw_only=True)
class UnderWay:
    """A document that is being converted at this moment, for the first time or again.

    Attributes:
        intent: `ingest` or `reconvert`.
        begun_at: ISO 8601, UTC.
    """

    intent: str
    begun_at: str

    @classmethod
    def of(cls, jobs: list[DocumentJob]) -> UnderWay | None:
        """The open conversion among the jobs on a document, or None."""
        for job in jobs:
            if job.is_open and job.intent.value in ("ingest", "reconvert"):
                return cls(intent=job.intent.value, begun_at=job.begun_at)
        return None
