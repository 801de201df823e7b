"""`document.annotations`: bookmarks, highlights and notes on one version's text, relocated in the others (STO-17).

A stored annotation never changes by itself. In another version, its position is found by the quote and its context; if
the quote is not found, the annotation is shown without a position rather than at a wrong one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice

from octavo_contracts import PageAnchorMap, Span, UsageError

from ..storage import AnnotationKind, DocumentRecord, NewAnnotation, PolicyContext, StoredAnnotation
from ..storage.version_files import ANCHORS, CANONICAL
from ..storage.version_reader import files_of
from .context import LibraryContext

MOST_PLACES = 20_000
"""Maximum occurrences of a quote whose contexts are compared: a text may repeat a single letter."""

CONTEXT = 32
"""Code points of context on each side that distinguish equal quotes."""


@dataclass(frozen=True, kw_only=True)
class Annotation:
    """An annotation as seen from one version of its document.

    Attributes:
        id: its id.
        kind: `bookmark`, `highlight` or `note`.
        text: the user's text.
        page: the page, from 1, or None.
        span: position in this version's canonical text; None if it has no position, or was not found in this text.
        quote: the annotated text in the version where the annotation was made.
        made_in: the version in which it was made, or None if it has no position.
        made_by: the user.
        created_at: when it was made, ISO 8601, UTC.
        updated_at: when it was last written.
    """

    id: str
    kind: AnnotationKind
    text: str
    page: int | None
    span: Span | None
    quote: str | None
    made_in: int | None
    made_by: str
    created_at: str
    updated_at: str

    @property
    def is_lost(self) -> bool:
        """Whether its quote was not found in this version's text."""
        return self.quote is not None and self.span is None


class Annotations:
    """The annotations of a document, oldest first, with their positions in one version's text. Reads are not cached.

    Annotations made under a policy context other than the asker's are left out (STO-5).

    Args:
        context: the library's parts.
        record: the document's row in the index, which names the version.
        policy: the asking policy context; None: the library's owner.
    """

    def __init__(self, context: LibraryContext, record: DocumentRecord, *, policy: PolicyContext | None) -> None:
        self._context = context
        self._record = record
        self._policy = policy

    def __iter__(self) -> Iterator[Annotation]:
        return iter(self._read())

    def __len__(self) -> int:
        return len(self._stored())

    def __getitem__(self, number: int, /) -> Annotation:
        return self._read()[number]

    def add(
        self,
        kind: AnnotationKind,
        *,
        text: str = "",
        span: Span | None = None,
        page: int | None = None,
        by: str = "user",
    ) -> Annotation:
        """Add a bookmark, a highlight or a note (STO-17).

        Args:
            kind: "bookmark" (a page or a span), "highlight" (a span), or "note" (either, or the whole document).
            text: the user's text.
            span: a position in this version's canonical text.
            page: a page, from 1.
            by: the user.

        Raises:
            UsageError: the position is outside the text or missing for the kind, or the document has no content.
        """
        version, canonical, anchors = self._version_texts()
        new = compose(
            kind, text=text, span=span, page=page, by=by, version=version, canonical=canonical, anchors=anchors
        )
        stored = self._context.index.annotations.add(self._record.document_id, new, policy=self._policy)
        return seen_from(stored, version=version, canonical=canonical, anchors=anchors)

    def update(self, annotation_id: str, *, text: str) -> None:
        """Replace the text of an annotation.

        Raises:
            UsageError: the document has no such annotation.
        """
        self._context.index.annotations.update(self._record.document_id, annotation_id, body=text, policy=self._policy)

    def remove(self, annotation_id: str) -> None:
        """Delete an annotation.

        Raises:
            UsageError: the document has no such annotation.
        """
        self._context.index.annotations.remove(self._record.document_id, annotation_id, policy=self._policy)

    def _stored(self) -> tuple[StoredAnnotation, ...]:
        return self._context.index.annotations.of_document(self._record.document_id, policy=self._policy)

    def _read(self) -> tuple[Annotation, ...]:
        stored = self._stored()
        if not stored:
            return ()
        version, canonical, anchors = self._version_texts()
        return tuple(seen_from(one, version=version, canonical=canonical, anchors=anchors) for one in stored)

    def _version_texts(self) -> tuple[int, str, PageAnchorMap]:
        """Number, canonical text and anchors of the version."""
        version = content_version(self._record)
        with files_of(self._context, self._record, version) as stored:
            anchors = PageAnchorMap.model_validate_json(stored.text(ANCHORS))
            return version, stored.text(CANONICAL), anchors


def content_version(record: DocumentRecord) -> int:
    """The version with a document's content.

    Raises:
        UsageError: the document has no converted content.
    """
    version = record.active_version
    if version is None:
        raise UsageError(
            "the document has no converted content",
            source=record.title or record.document_id,
            remedy="See why it failed with `octavo show`",
        )
    return version


def compose(
    kind: AnnotationKind,
    *,
    text: str,
    span: Span | None,
    page: int | None,
    by: str,
    version: int,
    canonical: str,
    anchors: PageAnchorMap,
) -> NewAnnotation:
    """Validate an annotation, and add its quote and context.

    Args:
        kind: its kind.
        text: the user's text.
        span: a position in the canonical text.
        page: a page, from 1; derived from the span if that is given.
        by: the user.
        version: the version that is being read.
        canonical: its canonical text.
        anchors: its pages.

    Raises:
        UsageError: the position is outside the text, or missing for the kind.
    """
    if kind == "highlight" and span is None:
        raise UsageError("a highlight needs a span", remedy="Give a span of canonical text")
    if kind == "bookmark" and span is None and page is None:
        raise UsageError("a bookmark needs a page or a span", remedy="Give a page or a span of canonical text")
    if span is None:
        if page is not None and not 1 <= page <= max(len(anchors), 1):
            raise UsageError(f"there is no page {page}; the document has {max(len(anchors), 1)}")
        return NewAnnotation(kind=kind, body=text, page=page, made_by=by)
    if span.start == span.end or span.end > len(canonical):
        raise UsageError(f"span {span.start}-{span.end} is empty or outside the text of {len(canonical)} code points")
    return NewAnnotation(
        kind=kind,
        body=text,
        version=version,
        page=anchors.page_at(span.start),
        span=span,
        quote=span.of(canonical),
        before=canonical[max(0, span.start - CONTEXT) : span.start],
        after=canonical[span.end : span.end + CONTEXT],
        made_by=by,
    )


def seen_from(stored: StoredAnnotation, *, version: int | None, canonical: str, anchors: PageAnchorMap) -> Annotation:
    """An annotation with its position in a version's text."""
    shown = Annotation(
        id=stored.annotation_id,
        kind=stored.kind,
        text=stored.body,
        page=stored.page,
        span=stored.span,
        quote=stored.quote,
        made_in=stored.version,
        made_by=stored.made_by,
        created_at=stored.created_at,
        updated_at=stored.updated_at,
    )
    if stored.span is None or stored.quote is None or stored.version == version:
        return shown
    span = find_again(
        canonical, stored.quote, near=stored.span.start, before=stored.before or "", after=stored.after or ""
    )
    return replace(shown, span=span, page=anchors.page_at(span.start) if span else stored.page)


def find_again(text: str, quote: str, *, near: int, before: str, after: str) -> Span | None:
    """Find a quote in another version of its text.

    Of several occurrences, the one with the longest common context wins, then the one nearest to the old offset. At
    most `MOST_PLACES` occurrences are compared, the nearest to the old offset first.

    Returns:
        The position, or None if the text does not contain the quote.
    """
    best: tuple[int, int, int] | None = None
    for start in _places(text, quote, near):
        end = start + len(quote)
        shared = _shared(before[::-1], text[max(0, start - len(before)) : start][::-1])
        shared += _shared(after, text[end : end + len(after)])
        best = min(best or (1, 0, 0), (-shared, abs(start - near), start))
    return Span(start=best[2], end=best[2] + len(quote)) if best else None


def _places(text: str, quote: str, near: int) -> Iterator[int]:
    """Offsets of a quote: after `near`, then before it; each the nearest first, at most half of `MOST_PLACES`."""
    yield from islice(_found(text, quote, near), MOST_PLACES // 2)
    # Search backwards in the reversed texts: unlike `find`, `rfind` may take time in the product of the two lengths.
    above = text[: max(0, near + len(quote) - 1)]
    for place in islice(_found(above[::-1], quote[::-1], 0), MOST_PLACES // 2):
        yield len(above) - place - len(quote)


def _found(text: str, quote: str, start: int) -> Iterator[int]:
    start = text.find(quote, start)
    while start >= 0:
        yield start
        start = text.find(quote, start + 1)


def _shared(one: str, other: str) -> int:
    """Length of the common prefix of two texts, in code points."""
    count = 0
    for left, right in zip(one, other, strict=False):  # they may be of unequal length
        if left != right:
            break
        count += 1
    return count
