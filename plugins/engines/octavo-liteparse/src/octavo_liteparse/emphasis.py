"""Emphasis and links of single words, put in place of those of whole lines.

liteparse makes one piece of what stands on a line, with the font and the link of a part of it: a bold word at the start of a
line makes the line bold, and one of the links on a line covers the line. The page itself says how each word is set. A line
that is bold by mistake is also a paragraph of its own for liteparse, and is joined with the rest of its paragraph here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import accumulate, pairwise, zip_longest
from typing import TYPE_CHECKING, Final

from octavo_contracts.authoring.pdf_words import PrintedPage, PrintedWord, Style, printed_pages

from .engine import INSTALL
from .marked_text import MarkedText, common, written
from .paragraphs import PROSE, TEXTS, letters_of
from .torn_paragraphs import LineHeights, joined

if TYPE_CHECKING:
    from liteparse.types import LayoutBlock, ParsedPage, TextItem

_MARGIN: Final = 1.5
"""How far the middle of a word may lie outside of its block, in points."""
_LONG_WORD: Final = 30
"""Letters from which on a word may be several in a writing without blanks, with a style each."""


def set_emphasis(pages: Iterable[ParsedPage], data: bytes) -> None:
    """Give the words of paragraphs and list items the emphasis and the links that they have in print, in place.

    Args:
        pages: of a document, as liteparse read them.
        data: the document; its pages are read again where a block has emphasis or a link.
    """
    found = {page.page_num: page for page in pages if _is_set_by_words(page)}
    if not found:
        return
    for number, printed in printed_pages(data, found, remedy=INSTALL):
        page = found[number]
        page.blocks = _PageWords(printed, page.text_items).in_blocks(page.blocks or [])


def _is_set_by_words(page: ParsedPage) -> bool:
    """Return whether a block of a page has emphasis or a link, or is a heading that may be the first line of a paragraph."""
    blocks = page.blocks or []
    lines = LineHeights(page.text_items)
    return any(map(_is_marked, blocks)) or any(
        lines.goes_on(above, below) for above, below in pairwise(blocks) if above.kind == "heading"
    )


def _is_marked(block: LayoutBlock) -> bool:
    text = block.text or ""
    return block.kind in TEXTS and (block.bold or block.italic or "*" in text or "](" in text)


class _PageWords:
    """The words of a page."""

    def __init__(self, printed: PrintedPage, items: Sequence[TextItem]) -> None:
        self._printed = printed
        self._lines = LineHeights(items)

    @cached_property
    def _targets(self) -> set[str | None]:
        """Targets of the links on all words of the page."""
        return {self._printed.target_of(word) for word in self._printed.words}

    def in_blocks(self, blocks: Sequence[LayoutBlock]) -> list[LayoutBlock]:
        """Return blocks with the styles of their words, and paragraphs that a line was taken off in one piece."""
        made: list[LayoutBlock] = []
        was_mixed = False
        for block, below in zip_longest(blocks, blocks[1:]):
            # A mark at one place of a line has made a paragraph or a heading of the line.
            found = self._styled(block) if _is_marked(block) else self._as_paragraph(block, below)
            is_mixed = found is not None and (block.kind == "heading" or (_is_whole(block) and not _is_whole(found)))
            one = found or block
            if made and (is_mixed or was_mixed) and self._lines.goes_on(made[-1], one):
                whole = joined(made[-1], one)
                made[-1] = self._styled(whole) or whole
            else:
                made.append(one)
            was_mixed = is_mixed
        return made

    def _as_paragraph(self, block: LayoutBlock, below: LayoutBlock | None) -> LayoutBlock | None:
        """Return the paragraph that a heading begins; None where it is a heading, all of it in one style."""
        if block.kind != "heading" or below is None or not self._lines.goes_on(block, below):
            return None
        found = self._styled(replace(block, kind="paragraph", level=None))
        return found if found is not None and "*" in (found.text or "") else None

    def _styled(self, block: LayoutBlock) -> LayoutBlock | None:
        """Return a block with the styles that its words have on the page; None where its words or its links are not found there."""
        old = MarkedText(block.text or "")
        styles = list(self._styles(block, old.words))
        if not styles or not (old.targets <= {style.target for style in styles} or old.targets <= self._targets):
            return None
        whole = common(styles) if block.kind in PROSE else None
        if whole is not None:
            text = written(old.words, [Style(target=style.target) for style in styles])
            new = replace(block, text=text, bold=whole[0], italic=whole[1])
        else:
            new = replace(block, text=written(old.words, styles), bold=False, italic=False)
        # A block whose words would change keeps the text that liteparse gave it.
        return new if MarkedText(new.text or "").words == old.words else None

    def _styles(self, block: LayoutBlock, words: Sequence[str]) -> Iterator[Style]:
        """Yield the styles of words; none where the page does not have their letters in this order."""
        printed = self._inside(block)
        letters = [letters_of([word]) for word in words]
        first = letters_of(word.text for word in printed).find("".join(letters))
        if first < 0 or not any(letters):
            return
        by_letter = [
            (style, own)
            for word in printed
            if (own := letters_of([word.text]))
            for style in [self._printed.style_of(word)] * len(own)
        ]
        found: list[Style | None] = []
        for start, own in zip(accumulate(map(len, letters), initial=first), letters, strict=False):
            if len(own) > _LONG_WORD and len({style for style, _ in by_letter[start : start + len(own)]}) > 1:
                return
            style, whole = by_letter[start + (len(own) - 1) // 2] if own else (None, "")
            # Signs around a word are known where the page has the same word.
            found.append(style if style is None or whole == own else style._replace(head=0, tail=0))
        yield from _completed(found)

    def _inside(self, block: LayoutBlock) -> list[PrintedWord]:
        """Return the words in a block."""
        box = block.bbox
        if box is None:
            return []
        return [
            word
            for word in self._printed.words
            if box.x - _MARGIN <= word.across <= box.x + box.width + _MARGIN
            and box.y - _MARGIN <= word.down <= box.y + box.height + _MARGIN
        ]


def _completed(styles: Sequence[Style | None]) -> list[Style]:
    """Return styles with that of signs between two words: of both words if they have one style, and none otherwise."""
    made: list[Style] = []
    last: Style | None = None
    for place, style in enumerate(styles):
        if style is not None:
            last = style
            made.append(style)
        else:
            behind = next((other for other in styles[place:] if other is not None), last)
            is_between = behind is not None and behind[:3] == (last or behind)[:3]
            made.append(Style(*behind[:3]) if behind is not None and is_between else Style())
    return made


def _is_whole(block: LayoutBlock) -> bool:
    """Return whether all of a block is bold, or all of it is italic."""
    return block.bold or block.italic
