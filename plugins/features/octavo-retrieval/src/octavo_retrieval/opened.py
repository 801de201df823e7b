"""Documents loaded for the tools: pages with their locations, cached between calls."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

from octavo.conversion.empty_text import is_empty
from octavo_contracts import IngestionQualityReport, Locator, Span
from octavo_library.facade.document import Document

from .sections import PageText, SectionIndex

KEPT_CHARS = 40_000_000
"""Cache limit in characters, not counting the document in use."""

PageSummaries = Callable[[Document], Mapping[int, str]]
"""Returns the summaries of a document's pages, by page number, if the host has any."""


@dataclass(frozen=True)
class OpenedPage:
    """A page with its locations in the canonical text and in converted.md.

    Attributes:
        number: page number, from 1.
        label: label in the document, such as a printed page number.
        text: canonical text of the page.
        markdown: markdown of the page.
        markdown_start: offset of the page in converted.md, in code points.
        paginated: whether the document has real pages.
    """

    number: int
    label: str | None
    text: str
    markdown: str
    markdown_start: int
    paginated: bool

    def locator(self, start: int, end: int) -> str:
        """Locator of a part of the page's canonical text."""
        return str(Locator(page=self.number if self.paginated else None, start=start, end=end))

    def markdown_span(self, start: int, end: int) -> Span:
        """Span of a part of the page's markdown in converted.md."""
        return Span(start=self.markdown_start + start, end=self.markdown_start + end)


class OpenedDocument:
    """One version of a document, loaded whole.

    Args:
        document: the document.
        summaries: returns page summaries.
    """

    def __init__(self, document: Document, summaries: PageSummaries | None = None) -> None:
        assert document.active_version is not None  # ensured by `Scope.readable`
        self.version = document.active_version
        result = document.result
        self.quality: IngestionQualityReport = result.quality_report
        self.recognisers = tuple(
            dict.fromkeys(one.plugin for one in result.attempts if one.hook == "ocr" and one.outcome == "ok")
        )
        canonical, markdown = document.canonical_text, document.markdown
        anchors = list(result.page_anchor_map.anchors())
        self.paginated = bool(anchors)
        self.chars = len(canonical) + len(markdown)
        self.has_text = not is_empty(canonical)
        self.why_empty = document.why_empty
        self.pages: tuple[OpenedPage, ...] = tuple(
            OpenedPage(
                number=one.page,
                label=one.label,
                text=canonical[one.text_start : one.text_end],
                markdown=markdown[one.markdown_start : one.markdown_end],
                markdown_start=one.markdown_start,
                paginated=True,
            )
            for one in anchors
        ) or (OpenedPage(1, None, canonical, markdown, 0, paginated=False),)
        self._spans = [(one.text_start, one.text_end) for one in anchors] or [(0, len(canonical))]
        self._summaries = dict(summaries(document)) if summaries is not None else {}

    @cached_property
    def sections(self) -> SectionIndex:
        """The section index of the document."""
        return SectionIndex(
            [PageText(one.number, one.label, one.markdown, one.text) for one in self.pages], summaries=self._summaries
        )

    def confidence(self, page: int) -> float | None:
        """OCR confidence of a page, 0..1; None if OCR was not used."""
        return self.quality.ocr_confidence_summary.page_confidences.get(str(page))

    def extraction_method(self, pages: tuple[int, ...] | list[int]) -> str:
        """The engine that extracted the given pages; the OCR engine if all of them were read by OCR."""
        recognised = [page for page in pages if self.confidence(page) is not None]
        tool = self.quality.selected_tool
        if not recognised:
            return tool
        by = f"ocr_{'+'.join(self.recognisers) or 'unknown'}"
        return by if len(recognised) == len(pages) else f"{tool}+{by}"

    def pages_of_span(self, span: Span) -> tuple[int, int]:
        """First and last page of a range of the canonical text."""
        hit = [
            number
            for number, (start, end) in enumerate(self._spans, start=1)
            if start < max(span.end, span.start + 1) and end > span.start
        ]
        return (hit[0], hit[-1]) if hit else (1, 1)

    @property
    def canonical_length(self) -> int:
        """Code points of the canonical text."""
        return self._spans[-1][1]


class OpenedDocuments:
    """Cache of recently read documents. Thread-safe.

    The cache decides nothing about access: each call first finds the document in the index, then looks it up here by
    version and policy context.

    Args:
        summaries: returns page summaries.
        kept_chars: cache limit in characters.
    """

    def __init__(self, summaries: PageSummaries | None = None, *, kept_chars: int = KEPT_CHARS) -> None:
        self._summaries = summaries
        self._kept_chars = kept_chars
        self._kept: OrderedDict[tuple[object, ...], OpenedDocument] = OrderedDict()
        self._lock = threading.Lock()

    def open(self, document: Document) -> OpenedDocument:
        """Load a document whole, from the cache if possible.

        Raises:
            UsageError: the version was purged.
            LibraryDamaged: files of the version are missing or altered.
        """
        key = (document.id, document.active_version, document.policy, document.status)
        with self._lock:
            found = self._kept.get(key)
            if found is not None:
                self._kept.move_to_end(key)
                return found
        opened = OpenedDocument(document, self._summaries)
        with self._lock:
            self._kept[key] = opened
            while len(self._kept) > 1 and sum(one.chars for one in self._kept.values()) > self._kept_chars:
                self._kept.popitem(last=False)
        return opened
