"""`document.annotations`: bookmarks, highlights and notes, made in one version's text, found again in the others (STO-17).

What is stored never changes by itself. Where another version is read, the place is looked up by what was quoted and
what stood around it; where it is not there, the annotation is shown without a place rather than at a wrong one.
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
"""Places of a quote that are compared by their surroundings: a text may hold nothing but one letter."""

CONTEXT = 32
"""How many code points on each side tell equal quotes apart."""


@dataclass(frozen=True, kw_only=True)
class Annotation:
    """An annotation as seen from one version of its document.

    Attributes:
        id: its id.
        kind: `bookmark`, `highlight` or `note`.
        text: what the user wrote.
        page: the page, from 1, or None.
        span: the place in this version's canonical text; None where it has none, or is not found in it.
        quote: the text at the place where it was made.
        made_in: the version that it was made in, or None where it has no place.
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
        """Whether it has a place that this version's text does not have."""
        return self.quote is not None and self.span is None


class Annotations:
    """The annotations of a document, the first first, with their places in one version's text. Each reading asks the library.

    Annotations that were made under another policy context than the asker's are left out (STO-5).

    Args:
        context: the library's parts.
        record: the document's row of the index, which names the version.
        policy: who asks; None: the library's owner.
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
            text: what to say.
            span: a place in this version's canonical text.
            page: a page, from 1.
            by: the user.

        Raises:
            UsageError: the place is not in the text, the kind wants one, or the document has no content.
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
    """The version that holds a document's content.

    Raises:
        UsageError: the document has none.
    """
    version = record.active_version
    if version is None:
        raise UsageError(
            "it has no content to keep anything of",
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
    """Check an annotation and keep what finds its place again.

    Args:
        kind: what it is.
        text: what the user wrote.
        span: a place in the canonical text.
        page: a page, from 1; taken from the span where that is given.
        by: the user.
        version: the version that is being read.
        canonical: its canonical text.
        anchors: its pages.

    Raises:
        UsageError: the place is not in the text, or the kind wants one.
    """
    if kind == "highlight" and span is None:
        raise UsageError("a highlight needs a place", remedy="Give the span of canonical text that it marks")
    if kind == "bookmark" and span is None and page is None:
        raise UsageError("a bookmark needs a place", remedy="Give a page or a span of canonical text")
    if span is None:
        if page is not None and not 1 <= page <= max(len(anchors), 1):
            raise UsageError(f"there is no page {page}; it has {max(len(anchors), 1)}")
        return NewAnnotation(kind=kind, body=text, page=page, made_by=by)
    if span.start == span.end or span.end > len(canonical):
        raise UsageError(f"the span {span.start}-{span.end} marks nothing in a text of {len(canonical)} code points")
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
    """An annotation with its place in a version's text."""
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
    """Where a quote stands in another version of its text.

    Of several places the one wins that has most of the old surroundings, then the one nearest to the old offset. Of more than
    `MOST_PLACES` places those farthest from the old offset are not looked at.

    Returns:
        The place, or None where the quote does not stand in the text.
    """
    best: tuple[int, int, int] | None = None
    for start in _places(text, quote, near):
        end = start + len(quote)
        shared = _shared(before[::-1], text[max(0, start - len(before)) : start][::-1])
        shared += _shared(after, text[end : end + len(after)])
        best = min(best or (1, 0, 0), (-shared, abs(start - near), start))
    return Span(start=best[2], end=best[2] + len(quote)) if best else None


def _places(text: str, quote: str, near: int) -> Iterator[int]:
    """Where a quote stands: from an offset onwards, then before it, each the nearest first and at most half of `MOST_PLACES`."""
    yield from islice(_found(text, quote, near), MOST_PLACES // 2)
    # Backwards by the reverse of both: unlike `find`, `rfind` may take the product of the two lengths.
    above = text[: max(0, near + len(quote) - 1)]
    for place in islice(_found(above[::-1], quote[::-1], 0), MOST_PLACES // 2):
        yield len(above) - place - len(quote)


def _found(text: str, quote: str, start: int) -> Iterator[int]:
    start = text.find(quote, start)
    while start >= 0:
        yield start
        start = text.find(quote, start + 1)


def _shared(one: str, other: str) -> int:
    """How many code points the beginnings of two texts share."""
    count = 0
    for left, right in zip(one, other, strict=False):  # they may be of unequal length
        if left != right:
            break
        count += 1
    return count
