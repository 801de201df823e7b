"""Pairs samples of the source with the corresponding parts of the conversion."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from octavo_contracts import Conversion, Page, PageAgreement, PageSight, QualityEvidence
from octavo_text.spread_indices import spread_indices

CLOSE_CHARS = 4000
"""Characters of a page's text that are compared; a sample has fewer."""
CLOSE_WHOLE = 60_000
"""The same for a document whose pages the converter does not separate."""
CLOSE_PAGES = 5
MIN_ROWS = 3
"""Fewer rows do not count as a table that could be lost."""
DENIERS = 2
"""Fewer other readers do not decide that a page has no table."""

HEADING = re.compile(r"^#{1,6} |<h[1-6][\s>]", re.MULTILINE)
_TABLE = re.compile(r"^[ \t]*+\|[^\n|]*+\||<t[dh][\s>]", re.MULTILINE)
_ROW = re.compile(r"^[ \t]*+\|(?![-:| \t]*+$)[^\n|]*+\||<tr[\s>]", re.MULTILINE)


@dataclass(frozen=True, kw_only=True)
class Pair:
    """A sample of a page, with the corresponding part of the conversion.

    Attributes:
        sight: sample of the source.
        markdown: the converted page; the whole document if pages are not separated.
        text: the same as plain text.
        has_table: whether it contains any table.
        rows: rows of its tables.
        is_whole: whether it is the whole document, of which the sample is one page.
    """

    sight: PageSight
    markdown: str
    text: str
    has_table: bool
    rows: int = 0
    is_whole: bool = False

    @property
    def shows_a_table(self) -> bool:
        """Whether the source shows a table."""
        return self.sight.table_rows >= MIN_ROWS

    @property
    def lost_its_tables(self) -> bool:
        """Whether the source shows a table where the conversion has none."""
        return self.shows_a_table and not self.has_table

    @property
    def lost_its_headings(self) -> bool:
        """Whether the source shows a heading where the conversion has none."""
        return self.sight.heading_lines > 0 and HEADING.search(self.markdown) is None


def pairs(conversion: Conversion, evidence: QualityEvidence) -> Iterator[Pair]:
    """Yield each sample with its page, or with the whole document if the conversion lacks the source's pages."""
    pages = conversion.pages
    agreements = {agreement.page: agreement for agreement in evidence.agreements}
    apart = conversion.paginated and evidence.source_page_count in (None, len(pages))
    for sight in evidence.sights:
        page = pages[sight.page - 1] if apart and sight.page <= len(pages) else pages[0]
        markdown = page.markdown if apart else page.markdown[:CLOSE_WHOLE]
        has_table = bool(page.tables) or _TABLE.search(markdown) is not None
        is_denied = apart and not has_table and _denies_tables(agreements.get(sight.page))
        yield Pair(
            sight=sight.model_copy(update={"table_rows": 0}) if is_denied else sight,
            markdown=markdown,
            text="\n".join((*page.furniture, page.text or ""))[: CLOSE_CHARS if apart else CLOSE_WHOLE],
            has_table=has_table,
            rows=rows_given(page),
            is_whole=not apart,
        )


def _denies_tables(agreement: PageAgreement | None) -> bool:
    """Return whether most of at least two other readers that can find tables find none on the page.

    A sample takes text in columns and lines of a letterhead for tables at times, where no reader has one. One reader alone
    is not enough: it can miss a table without lines that the conversion missed too.
    """
    readers = [other for other in agreement.others if other.reads_tables] if agreement is not None else []
    found = sum(other.tables is not None for other in readers)
    return len(readers) >= DENIERS and 2 * found < len(readers)


def rows_given(page: Page) -> int:
    """Count the rows of a page's tables, or of those in its markdown if it lists none."""
    if page.tables:
        return sum(len(table.rows) for table in page.tables)
    return len(_ROW.findall(page.markdown[:CLOSE_WHOLE]))


def few(pages: Sequence[Page]) -> list[Page]:
    """Return the pages that are compared closely."""
    return [pages[index] for index in spread_indices(len(pages), CLOSE_PAGES)]
