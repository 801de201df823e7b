"""Anchors: makes and checks the place that a memory was extracted from (ENG-5)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from octavo_contracts import LibraryDamaged, Locator, LocatorError, Span, UsageError, page_spans, resolve_span
from octavo_library.facade.document import Document
from octavo_library.storage import MemoryAnchor
from octavo_library.storage.version_files import CANONICAL, version_refs
from octavo_library.storage.version_reader import files_of
from octavo_retrieval import Scope, ToolFailure

from .failures import no_anchor
from .models import MAX_QUOTE, SourceAnchor

CONTEXT: Final = 32
"""Code points on each side of a passage that tell equal passages apart."""

_SOURCE = re.compile(r"(?P<document>[^:]{6,64}):v(?P<version>[1-9][0-9]{0,8}):(?P<locator>(?:page|char):.+)")
_MAKE: Final = "Make one with MemoryStore.anchor, or take the source_ref of a passage of search_documents"


@dataclass(frozen=True, kw_only=True)
class VersionText:
    """The canonical text of one version, with its references.

    Attributes:
        document: the document.
        version: the version.
        text: its canonical text.
    """

    document: Document
    version: int
    text: str

    def page_at(self, offset: int) -> int | None:
        """The page of an offset, from 1; None for a text without pages."""
        pages = page_spans(self.text)
        if len(pages) == 1:
            return None
        return next((number for number, page in enumerate(pages, start=1) if offset < page.end + 1), len(pages))

    def locator(self, span: Span) -> str:
        """Locator of a span: within its page if it lies in one."""
        page = self.page_at(span.start)
        if page is not None:
            body = page_spans(self.text)[page - 1]
            if body.start <= span.start and span.end <= body.end:
                return str(Locator(page=page, start=span.start - body.start, end=span.end - body.start))
        return str(Locator(start=span.start, end=span.end))

    def source_ref(self, span: Span) -> str:
        """The document, its version and the locator."""
        return f"{self.document.id}:v{self.version}:{self.locator(span)}"


def version_text(scope: Scope, document: Document, version: int) -> VersionText | None:
    """The canonical text of a version; None if the version was purged, is damaged, or is not the asker's.

    Args:
        scope: the visible documents.
        document: the document.
        version: the version.
    """
    index = scope.library.context.index
    rows = {row.version: row for row in index.versions.of_document(document.id, policy=document.policy)}
    if version not in rows or rows[version].purged_at is not None:
        return None
    record = index.documents.get(document.id, policy=document.policy)
    try:
        with files_of(scope.library.context, record, version) as stored:
            return VersionText(document=document, version=version, text=stored.text(CANONICAL))
    except (LibraryDamaged, UsageError):
        return None  # purged or damaged since the rows were read


def make_anchor(
    scope: Scope,
    document_ref: str,
    *,
    quote: str | None = None,
    locator: str | None = None,
    span: Span | None = None,
) -> SourceAnchor:
    """Make the anchor of a passage in the active version of a document.

    Args:
        scope: the visible documents.
        document_ref: the document.
        quote: the passage; alone, it must occur exactly once.
        locator: its locator in the canonical text.
        span: its place in the canonical text, instead of a locator.

    Raises:
        ToolFailure: the document is not in scope, or has no content.
        SourceAnchorMissing: no passage is given, or it is not in the text, or more than once.
    """
    document = scope.readable(document_ref)
    assert document.active_version is not None  # ensured by `readable`
    text = VersionText(document=document, version=document.active_version, text=document.canonical_text)
    if span is not None:
        place = _checked(text.text, Locator(start=span.start, end=span.end))
    elif locator is not None:
        place = _checked(text.text, locator)
    elif quote is not None and quote.strip():
        place = _found(text.text, quote)
    else:
        raise no_anchor("A memory needs a passage of its source", remedy="Give a quote, a locator or a span")
    refs = version_refs(document.raw_hash, text.version, original="")
    return SourceAnchor(
        source_ref=text.source_ref(place),
        content_ref=refs.markdown,
        conversion_artifact_ref=refs.conversion,
        quote=quote if quote is not None else place.of(text.text),
    )


def checked_anchor(scope: Scope, anchor: SourceAnchor | None) -> tuple[MemoryAnchor, VersionText]:
    """Check that the three references of an anchor agree, and that it slices the text of its version (ENG-5).

    Args:
        scope: the visible documents.
        anchor: the anchor; None: the memory has none, and is refused.

    Raises:
        SourceAnchorMissing: a reference is missing, the references disagree, or the passage is not at its place.
    """
    if anchor is None:
        raise no_anchor("A memory cannot be written without the passage that it was extracted from", remedy=_MAKE)
    for name in ("source_ref", "content_ref", "conversion_artifact_ref"):
        if not getattr(anchor, name):
            raise no_anchor(f"A memory cannot be written without {name}", remedy=_MAKE)
    named = _SOURCE.fullmatch(anchor.source_ref)
    if named is None:
        raise no_anchor(
            f"{anchor.source_ref[:120]!r} is no source_ref with a document, a version and a locator", remedy=_MAKE
        )
    try:
        document = scope.find(named["document"])
    except ToolFailure as failure:
        raise no_anchor(f"source_ref leads nowhere: {failure.message}", remedy=failure.remedy or _MAKE) from None
    version = int(named["version"])
    refs = version_refs(document.raw_hash, version, original="")
    for name, given, right in (
        ("content_ref", anchor.content_ref, refs.markdown),
        ("conversion_artifact_ref", anchor.conversion_artifact_ref, refs.conversion),
    ):
        if given != right:
            raise no_anchor(f"{name} does not belong to version {version} of the document", remedy=_MAKE)
    text = version_text(scope, document, version)
    if text is None:
        raise no_anchor(
            f"Version {version} of the document does not exist, or was purged", remedy="Anchor it in the active version"
        )
    place = _checked(text.text, named["locator"])
    quote = place.of(text.text)
    if anchor.quote is not None and anchor.quote != quote:
        raise no_anchor(f"The quote is not what stands at {named['locator']}", remedy=_MAKE)
    stored = MemoryAnchor(
        document_id=document.id,
        version=version,
        page=text.page_at(place.start),
        span=place,
        quote=quote,
        before=text.text[max(0, place.start - CONTEXT) : place.start],
        after=text.text[place.end : place.end + CONTEXT],
        source_ref=text.source_ref(place),
        content_ref=refs.markdown,
        conversion_artifact_ref=refs.conversion,
    )
    return stored, text


def _checked(text: str, locator: Locator | str) -> Span:
    """The span of a locator, which must slice something that can be read."""
    try:
        place = resolve_span(text, locator)
    except LocatorError as error:
        raise no_anchor(f"The anchor does not slice the text: {error}", remedy=_MAKE) from None
    if not place.of(text).strip():
        raise no_anchor(f"There is no text at {locator}", remedy="Give the place of a passage")
    if place.end - place.start > MAX_QUOTE:
        raise no_anchor(
            f"The passage has {place.end - place.start} characters, and {MAX_QUOTE} are the most",
            remedy="Anchor the memory in the sentences that say it",
        )
    return place


def _found(text: str, quote: str) -> Span:
    start = text.find(quote)
    if start < 0:
        raise no_anchor(
            "The quote is not in the active version of the document",
            remedy="Copy it from its text: `octavo export DOC --to text -d DIR`; tools: format text of retrieve_document_pages",
        )
    if text.find(quote, start + 1) >= 0:
        raise no_anchor(
            f"The quote occurs {text.count(quote)} times in the document", remedy="Give a longer quote, or a locator"
        )
    return _checked(text, Locator(start=start, end=start + len(quote)))
