"""Compares the structural parts of a source with those of its conversion, and flags what is missing (QLT-2).

The parts were counted by a reader of its own before the conversion (`SourceStructure`). A part with a text is searched
for by its beginning; a part without one is counted. Messages name kinds, numbers and pages, never the document's words.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from octavo_contracts import Conversion, PartKind, QualityEvidence, QualityFinding, SourcePart
from octavo_text.markdown_parts import MarkdownParts, link_key, markdown_parts
from octavo_text.page_spans import pages_text

MAX_SEARCHES = 3000
"""Parts that are searched for in the whole text because no part of the markdown begins as they do."""
TELLING_CHARS = 8
"""A shorter text occurs by chance: on a web page it does not prove that the part belongs to the content."""
KEY_CHARS = 60

_HTML = frozenset({"text/html", "application/xhtml+xml"})
_NOT_ALNUM = re.compile(r"[\W_]+")
_AS_MARKUP = frozenset({PartKind.HEADING, PartKind.LIST_ITEM, PartKind.CODE_BLOCK, PartKind.QUOTE})
"""Kinds that markdown marks; the others keep their words only."""
_OF_FRAMES = frozenset({PartKind.LINK, PartKind.LIST_ITEM})
"""Kinds that menus are made of: an excerpt with half as many as the page has of its words lost hardly any of its own."""
_NOTED_UP_TO = {
    PartKind.HEADING: 0.1,
    PartKind.LIST_ITEM: 0.1,
    PartKind.QUOTE: 0.5,
    PartKind.CODE_BLOCK: 0.1,
    PartKind.LINK: 0.1,
    PartKind.IMAGE: 1.0,
    PartKind.CELL: 0.05,
}
"""Kind → share of its parts up to which a loss is only noted: the words are there, the markup is not."""
_PLURALS = {
    PartKind.LIST_ITEM: ("list_items", "list items"),
    PartKind.TEXT_BOX: ("text_boxes", "text boxes"),
    PartKind.CODE_BLOCK: ("code_blocks", "code blocks"),
    PartKind.NOTE: ("notes", "footnotes, endnotes or speaker notes"),
    PartKind.CHANGE: ("changes", "tracked changes"),
    PartKind.IMAGE: ("images", "descriptions of images"),
    PartKind.CELL: ("cells", "table cells"),
}
_REMEDY = "Compare with the original, or reconvert with another plugin"


@dataclass(frozen=True, kw_only=True)
class StructureLoss:
    """Parts of one kind that a conversion lacks.

    Attributes:
        kind: kind of part.
        lost: number of missing parts.
        of: number of parts of the source.
        pages: pages of the missing parts, ascending; empty if the format has none or the parts were only counted.
        is_excerpt: whether only the content of a page was converted; its words are there, the markup is not.
    """

    kind: str
    lost: int
    of: int
    pages: tuple[int, ...] = ()
    is_excerpt: bool = False

    def finding(self) -> QualityFinding:
        """Return the finding of the quality report."""
        noted_up_to = 1.0 if self.is_excerpt else _NOTED_UP_TO.get(PartKind(self.kind), 0.0)
        code, name = _PLURALS.get(PartKind(self.kind), (f"{self.kind}s", f"{self.kind}s"))
        # Of an excerpt, such as the article of a web page, only parts count whose words it has.
        which = f"{name} of the source, whose words the conversion has," if self.is_excerpt else f"{name} of the source"
        message = (
            f"{self.lost} of {self.of} {which} are {'not marked' if self.is_excerpt else 'missing'} in the conversion"
        )
        if self.pages:
            message += f", on {pages_text(self.pages)}"
        return QualityFinding(
            flag=f"{code}_lost",
            severity="note" if self.lost <= noted_up_to * self.of else "degraded",
            message=message,
            page=self.pages[0] if len(self.pages) == 1 else None,
            remedy=_REMEDY,
        )


def structure_losses(conversion: Conversion, evidence: QualityEvidence) -> tuple[StructureLoss, ...]:
    """Return what the conversion lacks of the source's structure; empty if no plugin counted it.

    Only the content of a web page is converted, without menus and advertisements. So a part of a web page is judged
    only if the conversion has its words, apart from the main heading.

    Args:
        conversion: complete, with a text on every page.
        evidence: facts about the source, with its structure.
    """
    if evidence.structure is None:
        return ()
    known = [part for part in evidence.structure.parts if part.kind in set(PartKind)]
    if not known:
        return ()
    given = _Given(conversion, is_excerpt=evidence.media_type in _HTML)
    found = (given.loss(kind, [part for part in known if part.kind == kind]) for kind in PartKind)
    return tuple(loss for loss in found if loss is not None)


def share_lost(losses: Sequence[StructureLoss], evidence: QualityEvidence) -> float:
    """Return the mean share of lost parts over the kinds that the source has, 0..1; 0 for parts of excerpts."""
    kinds = {part.kind for part in evidence.structure.parts} if evidence.structure is not None else set()
    return sum(loss.lost / loss.of for loss in losses if not loss.is_excerpt) / len(kinds) if kinds else 0.0


class _Given:
    """The parts of a conversion, for comparison."""

    def __init__(self, conversion: Conversion, *, is_excerpt: bool) -> None:
        self._pages = [page.markdown for page in conversion.pages]
        self._parts: MarkdownParts = markdown_parts(self._pages)
        # The titles and notes of a sheet are cells too.
        is_workbook = any(page.kind == "sheet" for page in conversion.pages)
        self._cells = self._parts.cells + (self._parts.paragraphs if is_workbook else 0)
        self._spaced = _spaced(" ".join(_words_of(conversion)))
        self._all = self._spaced.replace(" ", "")
        self._is_excerpt = is_excerpt
        self._keys: dict[str, tuple[frozenset[str], str]] = {}
        self._searches = 0

    def loss(self, kind: PartKind, parts: Sequence[SourcePart]) -> StructureLoss | None:
        """Return what is missing of one kind; None if nothing is."""
        judged = [part for part in parts if self._is_judged(part)]
        total = sum(part.count for part in judged)
        counted = {PartKind.TABLE: self._parts.tables, PartKind.CELL: self._cells}
        counted[PartKind.EQUATION] = self._parts.equations
        if kind in counted:
            lost = total - min(total, counted[kind])
            missing = judged if counted[kind] == 0 else []
        else:
            missing = [part for part in judged if not self._has(part)]
            lost = sum(part.count for part in missing)
        if not lost or (self._is_excerpt and kind in _OF_FRAMES and 2 * self._given(kind) >= total):
            return None
        pages = tuple(sorted({part.page for part in missing if part.page is not None}))
        is_excerpt = self._is_excerpt and kind not in counted
        return StructureLoss(kind=kind, lost=lost, of=total, pages=pages, is_excerpt=is_excerpt)

    def _given(self, kind: PartKind) -> int:
        return len(self._parts.targets) if kind == PartKind.LINK else len(self._parts.texts.get(kind, ()))

    def _is_judged(self, part: SourcePart) -> bool:
        if not self._is_excerpt or (part.kind == PartKind.HEADING and part.level == 1):
            return True
        key = _key(part.text)[:KEY_CHARS]
        # A heading that is lost stands at the beginning of a line; inside a sentence, its words are those of a menu.
        where = self._beginnings if part.kind == PartKind.HEADING else self._all
        sought = f"\n{key}" if part.kind == PartKind.HEADING else key
        return len(key) >= TELLING_CHARS and self._contains(where, sought)

    def _has(self, part: SourcePart) -> bool:
        if part.kind == PartKind.LINK:
            if link_key(part.target) in self._parts.targets:
                return True
            spelt = _key(part.target)  # a cell may hold its own address, or the path of a file
            return len(spelt) >= TELLING_CHARS and self._contains(self._all, spelt)
        key = _key(part.text)[:KEY_CHARS]
        if not key:
            return True  # a part of symbols only cannot be told apart from others
        if part.kind not in _AS_MARKUP:
            return self._contains(self._all, key) if len(key) >= TELLING_CHARS else self._has_words(part.text)
        beginnings, joined = self._marked(part.kind)
        return key in beginnings or self._contains(joined, key)

    def _has_words(self, text: str) -> bool:
        """Whether a short text occurs as words of its own: its letters alone would also be found across two cells."""
        self._searches += 1
        if self._searches > MAX_SEARCHES:
            return True
        sought = re.escape(_spaced(text))
        return re.search(rf"(?<![a-z0-9]){sought}(?![a-z0-9])", self._spaced) is not None

    def _marked(self, kind: str) -> tuple[frozenset[str], str]:
        """Return the beginnings of the parts that the markdown marks, and their whole texts."""
        if kind not in self._keys:
            keys = [_key(text) for text in self._parts.texts.get(kind, ())]
            self._keys[kind] = frozenset(key[:KEY_CHARS] for key in keys), "\n".join(keys)
        return self._keys[kind]

    @cached_property
    def _beginnings(self) -> str:
        """The beginnings of all lines, each after a line break."""
        lines = (_key(line)[:KEY_CHARS] for page in self._pages for line in page.split("\n"))
        return "".join(f"\n{line}" for line in lines)

    def _contains(self, text: str, key: str) -> bool:
        self._searches += 1
        return self._searches > MAX_SEARCHES or key in text


def _words_of(conversion: Conversion) -> list[str]:
    pages = conversion.pages
    hidden = [item.text for page in pages for item in page.hidden_text]
    return [page.markdown if page.text is None else page.text for page in pages] + hidden


def _spaced(text: str) -> str:
    """Return the words in one case, with a space between them instead of everything else."""
    return _NOT_ALNUM.sub(" ", unicodedata.normalize("NFKC", text).casefold()).strip()


def _key(text: str) -> str:
    """Return letters and digits in one case, by which texts of different readers are compared."""
    return _spaced(text).replace(" ", "")
