"""Documents as the tools read them: pages with their places, kept in memory from call to call."""

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
"""Characters of documents that are kept in memory at most, beside the one at work."""

PageSummaries = Callable[[Document], Mapping[int, str]]
"""Gives the summaries of a document's pages, by page, where a host has made some."""


@dataclass(frozen=True)
class OpenedPage:
    """A page with its places in both texts.

    Attributes:
        number: from 1.
        label: what the document calls it.
        text: its canonical body.
        markdown: its markdown.
        markdown_start: its start in converted.md.
        paginated: whether the page is the document's own.
    """

    number: int
    label: str | None
    text: str
    markdown: str
    markdown_start: int
    paginated: bool

    def locator(self, start: int, end: int) -> str:
        """The place of a part of its canonical body."""
        return str(Locator(page=self.number if self.paginated else None, start=start, end=end))

    def markdown_span(self, start: int, end: int) -> Span:
        """The place of a part of its markdown in converted.md."""
        return Span(start=self.markdown_start + start, end=self.markdown_start + end)


class OpenedDocument:
    """One version of a document, read whole.

    Args:
        document: the document.
        summaries: gives page summaries.
    """

    def __init__(self, document: Document, summaries: PageSummaries | None = None) -> None:
        assert document.active_version is not None  # `Scope.readable` saw to it
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
        """The index by which sections are found."""
        return SectionIndex(
            [PageText(one.number, one.label, one.markdown, one.text) for one in self.pages], summaries=self._summaries
        )

    def confidence(self, page: int) -> float | None:
        """Confidence of a page's recognition; None where it was not recognised."""
        return self.quality.ocr_confidence_summary.page_confidences.get(str(page))

    def extraction_method(self, pages: tuple[int, ...] | list[int]) -> str:
        """The engine that read some pages: that of recognition where it read them all."""
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
    """The documents that were read last. Thread-safe.

    What may be seen is decided by the index at every call: a document is looked up here only after the index gave it, by
    its version and by the policy context that it was given to.

    Args:
        summaries: gives page summaries.
        kept_chars: characters that are kept at most.
    """

    def __init__(self, summaries: PageSummaries | None = None, *, kept_chars: int = KEPT_CHARS) -> None:
        self._summaries = summaries
        self._kept_chars = kept_chars
        self._kept: OrderedDict[tuple[object, ...], OpenedDocument] = OrderedDict()
        self._lock = threading.Lock()

    def open(self, document: Document) -> OpenedDocument:
        """A document read whole, from memory where it was read before.

        Raises:
            UsageError: its version was purged.
            LibraryDamaged: files of its version are missing or altered.
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
