"""Guards the active version: a new version replaces it only if it keeps the pages and the text (STO-6).

`VersionWriter` calls the guard for every version that it stores: of a recognition, a reconversion, a repeated ingestion
or a resumed job. A version that is held back is still stored, and `octavo activate` makes it the active one.

The measure is the number of letters and digits: it does not depend on white space, markup or punctuation, and text that
an engine reports as hidden counts as kept. A version is held back if it

- has fewer pages than the active one, or none if the active one has pages;
- has less than `LARGE_SHARE` of the letters and digits of a page that had at least `MIN_TEXT` of them, if both
  versions have the same number of pages;
- has less than `LARGE_SHARE` of the letters and digits of the whole document, which had at least `MIN_TEXT`.
"""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass
from typing import Any, Self

from octavo_contracts import Conversion, LibraryDamaged, OctavoError, PageAnchorMap, QualityFinding
from octavo_text.version_texts import Texts

from ..storage import ArtifactStore, Index
from ..storage.version_files import ANCHORS, CANONICAL
from ..storage.version_reader import VersionFiles

HELD_BACK = "held_back"
"""Flag of the note in a version's quality report, and its key in `tool.json`."""

LARGE_SHARE = 0.5
"""A page, or a document, that keeps less than this share of its letters and digits has lost text."""

MIN_TEXT = 20
"""Fewer letters and digits than this do not count as text: a page number, a stamp, the noise of a scan."""

SHOWN = 5
"""Number of pages that a message lists; the rest are counted."""

_UNMAPPED = re.compile(r"\(cid:\d{1,6}\)")
"""The notation of some engines for a character that the font does not map: it has digits but is not text."""


@dataclass(frozen=True, kw_only=True)
class PageLoss:
    """A page that lost text.

    Attributes:
        page: its number, from 1.
        before: letters and digits that the active version has on it.
        now: letters and digits that the new version has on it.
    """

    page: int
    before: int
    now: int


@dataclass(frozen=True, kw_only=True)
class HeldBack:
    """Why a version was stored without becoming the active one.

    Attributes:
        active: number of the version that stays active.
        pages_before: pages of that version; 0 if it has no pages.
        pages_now: pages of the new version.
        text_before: letters and digits of the version that stays active.
        text_now: letters and digits of the new version.
        lost: the pages that lost text; empty if the pages of the two versions do not correspond.
    """

    active: int
    pages_before: int
    pages_now: int
    text_before: int
    text_now: int
    lost: tuple[PageLoss, ...] = ()

    @property
    def message(self) -> str:
        """Describe the loss, with both numbers."""
        stays = f"version {self.active} stays active"
        if self.pages_now < self.pages_before:
            return f"{stays}: it has {_pages(self.pages_before)}, the new version has {self.pages_now or 'none'}"
        if not self.lost:
            return f"{stays}: it has {self.text_before:,} letters and digits, the new version has {self.text_now:,}"
        said = [f"page {one.page} has {one.before:,} letters and digits, now {one.now:,}" for one in self.lost]
        more = f"; and {len(said) - SHOWN} more pages" if len(said) > SHOWN else ""
        return f"{stays}: {'; '.join(said[:SHOWN])}{more}"

    def finding(self) -> QualityFinding:
        """The note in the new version's quality report."""
        page = self.lost[0].page if self.lost and self.pages_now >= self.pages_before else None
        return QualityFinding(
            flag=HELD_BACK,
            severity="note",
            message=f"stored but not activated, because pages or text were lost: {self.message}",
            page=page,
            remedy="See the versions with `octavo show --versions`, and choose one with `octavo activate`",
        )

    def as_json(self) -> dict[str, Any]:
        """As JSON values, for `tool.json` and the index."""
        return asdict(self)

    @classmethod
    def read(cls, config_json: str) -> Self | None:
        """Parse a conversion's `config_json` in the index; None for a version that was not held back."""
        kept = json.loads(config_json).get(HELD_BACK)
        if kept is None:
            return None
        return cls(**{**kept, "lost": tuple(PageLoss(**one) for one in kept["lost"])})


@dataclass(frozen=True, kw_only=True)
class TextExtent:
    """The amount of text in a version.

    Attributes:
        pages: letters and digits of each page; empty for a document without pages.
        whole: letters and digits in total.
    """

    pages: tuple[int, ...]
    whole: int


class ActivationGuard:
    """Compares a new version with the active one. Thread-safe.

    Args:
        artifacts: the library's files.
        index: the library's index.
    """

    def __init__(self, artifacts: ArtifactStore, index: Index) -> None:
        self._artifacts = artifacts
        self._index = index

    def check(self, raw_hash: str, *, texts: Texts, conversion: Conversion) -> HeldBack | None:
        """Why a new version of a document must not become the active one; None if it may.

        A document without an active version, or whose active version is damaged, has nothing to lose.
        """
        known = self._index.documents.find_by_hash([raw_hash]).get(raw_hash)
        if known is None or known.active_version is None:
            return None
        files = VersionFiles(
            self._artifacts, raw_hash=raw_hash, version=known.active_version, document=known.document_id
        )
        try:
            before = stored_extent(files)
        except OctavoError as error:
            if isinstance(error, LibraryDamaged) or error.reason is None:
                return None
            raise
        return compared(before, new_extent(texts, conversion), active=known.active_version)


def compared(before: TextExtent, now: TextExtent, *, active: int) -> HeldBack | None:
    """Compare a version with the active one; None if it lost no pages or text that count.

    Args:
        before: extent of the active version.
        now: extent of the new version.
        active: number of the active version.
    """
    lost: tuple[PageLoss, ...] = ()
    if len(before.pages) == len(now.pages):
        pairs = enumerate(zip(before.pages, now.pages, strict=True), start=1)
        lost = tuple(PageLoss(page=page, before=had, now=has) for page, (had, has) in pairs if _is_lost(had, has))
    if not (lost or len(now.pages) < len(before.pages) or _is_lost(before.whole, now.whole)):
        return None
    return HeldBack(
        active=active,
        pages_before=len(before.pages),
        pages_now=len(now.pages),
        text_before=before.whole,
        text_now=now.whole,
        lost=lost,
    )


def stored_extent(files: VersionFiles) -> TextExtent:
    """The extent of a stored version, as its readers see it.

    Raises:
        LibraryDamaged: one of its files is missing or altered.
    """
    text = files.text(CANONICAL)
    try:
        anchors = PageAnchorMap.model_validate_json(files.text(ANCHORS))
    except ValueError as error:
        raise files.damaged(ANCHORS, "is malformed") from error
    pages = tuple(letters(text[anchor.text_start : anchor.text_end]) for anchor in anchors.anchors())
    return TextExtent(pages=pages, whole=sum(pages) if pages else letters(text))


def new_extent(texts: Texts, conversion: Conversion) -> TextExtent:
    """The extent of a new version, with hidden text and what is kept apart as furniture."""
    text = texts.canonical.text
    hidden = [
        sum(map(letters, (*page.furniture, *(item.text for item in page.hidden_text)))) for page in conversion.pages
    ]
    shown = [letters(text[anchor.text_start : anchor.text_end]) for anchor in texts.anchors.anchors()]
    pages = tuple(seen + apart for seen, apart in zip(shown, hidden, strict=True)) if shown else ()
    return TextExtent(pages=pages, whole=sum(pages) if pages else letters(text) + sum(hidden))


def letters(text: str) -> int:
    """Count the letters and digits of a text, without the marks of characters that a font does not map."""
    if "(cid:" in text:
        text = _UNMAPPED.sub("", text)
    return sum(map(str.isalnum, text))


def _is_lost(before: int, now: int) -> bool:
    return before >= MIN_TEXT and now < LARGE_SHARE * before


def _pages(count: int) -> str:
    return "1 page" if count == 1 else f"{count} pages"
