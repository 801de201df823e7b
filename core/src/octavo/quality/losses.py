"""Signs that a conversion lost something, each from 0 (no sign) to 1: what the expected accuracy is made of (QLT-3).

A few pages are looked at closely, so that the cost is the same for ten pages and for ten thousand. No sign names an engine: what
one can not do counts only where the document shows that it was wanted.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from octavo_contracts import Conversion, DegradedFlag, Page, PageSight, QualityEvidence

from ..evenly import evenly

CLOSE_CHARS = 4000
"""Characters of a page's text that are looked at closely; a sight has fewer."""
CLOSE_WHOLE = 60_000
"""As much of a document whose pages the converter does not tell apart."""
CLOSE_PAGES = 5
MIN_ROWS = 3
"""Fewer rows make no table that could be missed."""
_MIN_WORDS = 10
_GREEK_TEXT = 5
"""A text with so many Greek words is Greek."""
WHOLE_SIGHT = 2900
"""A sight of fewer characters is all the text there is, not its beginning."""

_WORD = re.compile(r"[^\W_]+")
_NO_SPACES = re.compile("[\u3040-\u30ff\u3400-\u9fff]")
_BROKEN = re.compile("([^\\W\\d_])[-\u00ad\u2010\x02\ufffe][ \\t]*+\n[ \\t]*+(?=[^\\W\\d_])")
_FORMULA = re.compile("[\u2190-\u21ff\u2200-\u22ff\u27c0-\u27ef\u2a00-\u2aff±\u00d7·\U0001d400-\U0001d7ff]")
_GREEK = re.compile("[\u0391-\u03a9\u03b1-\u03c9]")
_GREEK_WORD = re.compile("[\u0391-\u03c9\u1f00-\u1fff]{3,}")
_TABLE = re.compile(r"^[ \t]*+\|[^\n|]*+\||<t[dh][\s>]", re.MULTILINE)
_HEADING = re.compile(r"^#{1,6} |<h[1-6][\s>]", re.MULTILINE)
_LINK = re.compile(r"(!?)\[([^\[\]\n]{0,300})\]\([^()\n]{0,2000}\)")
_MARKS = " *-#|>+.0123456789"

PDF = "application/pdf"
_HTML = frozenset({"text/html", "application/xhtml+xml"})
_MAIL = frozenset({"message/rfc822", "application/mbox", "application/vnd.ms-outlook"})
_MAIL_FIELDS = ("subject", "from", "to", "date")
_SLIDES = ("presentation", "powerpoint")
_MARKUP = ("wordprocessingml", "opendocument.text", "presentation")
_WARNINGS = frozenset({DegradedFlag.PARTIAL_CONVERSION.value, DegradedFlag.ENCODING_REPAIRED.value})


@dataclass(frozen=True, kw_only=True)
class Pair:
    """A sight of a page, and what the conversion has of it.

    Attributes:
        sight: what was seen in the source.
        markdown: the converted page; the whole where pages are not told apart.
        text: the same as plain text.
        has_table: whether it holds any table.
    """

    sight: PageSight
    markdown: str
    text: str
    has_table: bool

    @property
    def lost_its_tables(self) -> bool:
        """Whether the source shows a table where the conversion has none."""
        return self.sight.table_rows >= MIN_ROWS and not self.has_table

    @property
    def lost_its_headings(self) -> bool:
        """Whether the source shows a heading where the conversion has none."""
        return self.sight.heading_lines > 0 and _HEADING.search(self.markdown) is None


def losses(conversion: Conversion, evidence: QualityEvidence, *, recognised: Collection[int] = ()) -> dict[str, float]:
    """The signs there are; a name that is missing was not assessed.

    Args:
        conversion: complete, with a text on every page.
        evidence: what is known of the source.
        recognised: pages that were read by recognition.
    """
    media_type = evidence.media_type
    found: dict[str, float] = {}
    if media_type == PDF:
        seen = [pair for pair in pairs(conversion, evidence) if pair.sight.page not in recognised]
        found |= _on_pages(seen, pages=len(conversion.pages)) if seen else {}
    if media_type in _HTML:
        found["links"] = _menus([page.markdown for page in _few(conversion.pages)])
    if media_type in _MAIL:
        fields = conversion.metadata.fields
        found["fields_lost"] = sum(name not in fields for name in _MAIL_FIELDS) / len(_MAIL_FIELDS)
    if any(mark in media_type for mark in _SLIDES):
        found["slides"] = 1.0
    if any(mark in media_type for mark in _MARKUP):
        found |= _against_markup(conversion, evidence)
    if any(warning.code in _WARNINGS for warning in conversion.warnings):
        found["warned"] = 1.0
    if recognised:
        found |= _recognised(conversion, evidence, recognised)
    return found


def pairs(conversion: Conversion, evidence: QualityEvidence) -> Iterator[Pair]:
    """Each sight with its page; with the whole where the conversion does not tell the source's pages apart."""
    pages = conversion.pages
    apart = conversion.paginated and evidence.source_page_count in (None, len(pages))
    for sight in evidence.sights:
        page = pages[sight.page - 1] if apart and sight.page <= len(pages) else pages[0]
        markdown = page.markdown if apart else page.markdown[:CLOSE_WHOLE]
        yield Pair(
            sight=sight,
            markdown=markdown,
            text=(page.text or "")[: CLOSE_CHARS if apart else CLOSE_WHOLE],
            has_table=bool(page.tables) or _TABLE.search(markdown) is not None,
        )


def _few(pages: Sequence[Page]) -> list[Page]:
    """The pages that are looked at closely."""
    return [pages[index] for index in evenly(len(pages), CLOSE_PAGES)]


def words(text: str) -> list[str]:
    """The words of a text in lower case, those that a line end parts joined; characters where no spaces part words."""
    text = _BROKEN.sub(r"\1", text.replace("\r", ""))
    if not text.isascii() and _NO_SPACES.search(text):
        text = _NO_SPACES.sub(lambda found: f" {found[0]} ", text)
    return _WORD.findall(text.lower())


def _on_pages(seen: Sequence[Pair], *, pages: int) -> dict[str, float]:
    """What the pages of a fixed layout show and the conversion does not."""

    def share(of: Callable[[Pair], float]) -> float:
        return sum(map(of, seen)) / len(seen)

    lost = share(lambda pair: pair.lost_its_tables)
    found = {
        "fixed_layout": 1.0,
        "tables": share(lambda pair: pair.sight.table_rows >= MIN_ROWS),
        "tables_lost": lost,
        "short_tables_lost": pages**-0.5 if lost else 0.0,
        "headings_lost": share(lambda pair: pair.lost_its_headings),
        "pictures": share(lambda pair: pair.sight.picture_share),
        "formulas": min(1.0, share(lambda pair: _formulas(pair.sight.text))),
    }
    read = [(words(pair.sight.text), words(pair.text)) for pair in seen]
    read = [(source, given) for source, given in read if len(source) >= _MIN_WORDS]
    if read:
        found["words_missing"] = sum(_missing(source, given) for source, given in read) / len(read)
        order = [_missing(list(pairwise(source)), list(pairwise(given))) for source, given in read]
        found["disorder"] = sum(order) / len(read)
    return found


def _against_markup(conversion: Conversion, evidence: QualityEvidence) -> dict[str, float]:
    """What stands between the tags of an office document, held against the conversion, and the other way round."""
    source = words(evidence.sights[0].text) if evidence.sights else []
    if len(source) < _MIN_WORDS:
        return {}
    given = words((conversion.pages[0].text or "")[:CLOSE_WHOLE])
    text = evidence.sights[0].text
    found = {"words_missing": _missing(source, given), "formulas": min(1.0, _formulas(text))}
    if len(text) < WHOLE_SIGHT and not conversion.paginated:
        found["surplus"] = _missing(given, source)
    return found


def _missing(source: Sequence[Hashable], given: Sequence[Hashable]) -> float:
    """The share of what was seen that was not given."""
    return 1 - (Counter(source) & Counter(given)).total() / len(source) if source else 0.0


def _formulas(text: str) -> float:
    """Twenty times the share of signs that formulas are written with; the letters of a Greek text are none."""
    if text.isascii():
        return 0.0
    found = len(_FORMULA.findall(text))
    if len(_GREEK_WORD.findall(text)) < _GREEK_TEXT:
        found += len(_GREEK.findall(text))
    return 20 * found / max(200, len(text))


def _menus(markdowns: Sequence[str]) -> float:
    """Five times the share of the text in lines that are links for the most part: menus and teasers, not the matter."""
    total = dense = 0
    for markdown in markdowns:
        for line in markdown[:CLOSE_WHOLE].splitlines():
            shown = _LINK.sub(lambda found: "" if found[1] else found[2], line).strip(_MARKS)
            linked = sum(len(found[2]) for found in _LINK.finditer(line) if not found[1])
            total += len(shown)
            dense += len(shown) if 2 * linked > len(shown) else 0
    return min(1.0, 5 * dense / total) if total else 0.0


def _recognised(conversion: Conversion, evidence: QualityEvidence, recognised: Collection[int]) -> dict[str, float]:
    """How much was recognised, how sure that was, and whether it is set as till receipts and labels are."""
    found = {"recognised": len(recognised) / len(conversion.pages)}
    if evidence.ocr_confidences:
        found["unsure"] = min(1.0, 4 * (1 - sum(evidence.ocr_confidences) / len(evidence.ocr_confidences)))
    letters = [char for page in _few(conversion.pages) for char in (page.text or "")[:CLOSE_CHARS] if char.isalpha()]
    if len(letters) >= _MIN_WORDS:
        found["capitals"] = sum(map(str.isupper, letters)) / len(letters)
    return found
