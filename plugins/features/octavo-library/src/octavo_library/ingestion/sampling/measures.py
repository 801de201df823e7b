"""Compares two conversions by four metrics and by the agreement of their texts (CNV-4)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise

from octavo_text.words import words

METRICS = ("text_yield", "tables", "headings", "page_anchors")
"""Characters of canonical text and furniture; tables and headings in the markdown; share of page boundaries kept, 0..1."""
MAX_WORDS = 1_000_000
"""Maximum words of a text for the agreement: more would not change it noticeably."""

MAX_LINE_CHARS = 10_000
"""Longer lines are not classified: no heading and no delimiter row of a table is that long."""

_FENCE = re.compile(r"[ \t]*+(```+|~~~+)")
_HEADING = re.compile(r" {0,3}#{1,6}(?:[ \t]|$)")
_UNDERLINE = re.compile(r" {0,3}(?:=+|-{2,})[ \t]*$")
# Possessive quantifiers: engines write these lines, and the time for a long one must be linear in its length.
_DELIMITER = re.compile(r"\|?+[ \t]*+:?+-++:?+[ \t]*+(?:\|[ \t]*+:?+-++:?+[ \t]*+)*+\|?+")
_BLOCK_START = re.compile(r" {0,3}(?:[>|]|[-*+] |\d+[.)] )")
_HTML_TABLE = re.compile(r"<table[\s>]", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True)
class Reading:
    """The comparable properties of one plugin's conversion.

    Attributes:
        tool: the plugin.
        engine_version: version of its engine, or None.
        pages: canonical text of each page; a single text for a document without pages.
        paginated: whether the document itself has these pages.
        markdown: the markdown of each page.
        page_anchors: share of the page boundaries that were kept; None if not assessed.
        quality_score: 0..1, or None if not assessed.
        furniture_chars: characters of running heads, feet and page numbers that are kept apart from the pages. They
            count as text yield: otherwise an engine whose furniture was found would seem to lose text.
    """

    tool: str
    engine_version: str | None
    pages: tuple[str, ...]
    paginated: bool
    markdown: tuple[str, ...]
    page_anchors: float | None
    quality_score: float | None = None
    furniture_chars: int = 0


@dataclass(frozen=True, kw_only=True)
class Difference:
    """The values of one metric in two readings.

    Attributes:
        a: value of the first; None if the metric does not apply.
        b: value of the second; likewise.
        difference: their difference as a share of the larger, 0..1; None if the metric applies to neither.
        diverges: whether the difference is above the threshold.
    """

    a: float | None
    b: float | None
    difference: float | None
    diverges: bool


@dataclass(frozen=True, kw_only=True)
class Measured:
    """The comparison of two readings of one document.

    Attributes:
        metrics: name → values and difference, in the order of `METRICS`.
        agreement: agreement of the texts, 0..1: the share of word pairs that both have.
        pages: agreement of each page, if both have the same number of pages; else empty.
    """

    metrics: Mapping[str, Difference]
    agreement: float
    pages: tuple[float, ...] = ()

    @property
    def diverging(self) -> tuple[str, ...]:
        """The metrics that differ by more than the threshold."""
        return tuple(name for name, metric in self.metrics.items() if metric.diverges)


def compare_readings(a: Reading, b: Reading, *, threshold: float) -> Measured:
    """Compare two readings of one document.

    Args:
        a: the first reading.
        b: the second reading.
        threshold: difference, 0..1, above which a metric diverges.
    """
    values = zip(METRICS, _values(a), _values(b), strict=True)
    alike = a.paginated and b.paginated and len(a.pages) == len(b.pages)
    return Measured(
        metrics={name: _difference(one, other, threshold) for name, one, other in values},
        agreement=agreement("\n".join(a.pages), "\n".join(b.pages)),
        pages=tuple(agreement(one, other) for one, other in zip(a.pages, b.pages, strict=True)) if alike else (),
    )


def agreement(one: str, other: str) -> float:
    """Agreement of two texts, 0..1: the Dice coefficient of their pairs of neighbouring words.

    Pairs detect both missing words and a different reading order. Two texts without words agree.
    """
    mine, theirs = _word_pairs(one), _word_pairs(other)
    if not mine and not theirs:
        return 1.0
    shared = sum((mine & theirs).values())
    return round(2 * shared / (mine.total() + theirs.total()), 4)


def count_headings(markdown: str) -> int:
    """Count the headings of a markdown text, without lines in fences."""
    lines = [line if len(line) <= MAX_LINE_CHARS else "" for line in _unfenced(markdown)]
    marked = sum(_HEADING.match(line) is not None for line in lines)
    return marked + sum(
        _UNDERLINE.match(line) is not None and bool(above.strip()) and not _is_block(above)
        for above, line in pairwise(lines)
    )


def count_tables(markdown: str) -> int:
    """Count the tables of a markdown text, with pipes or in HTML, without lines in fences."""
    lines = list(_unfenced(markdown))
    piped = sum(
        "|" in above and "|" in line and _is_delimiter(line) and not _is_delimiter(above)
        for above, line in pairwise(lines)
    )
    return piped + sum(len(_HTML_TABLE.findall(line)) for line in lines)


def _is_delimiter(line: str) -> bool:
    return len(line) <= MAX_LINE_CHARS and _DELIMITER.fullmatch(line.strip(" \t")) is not None


def _is_block(line: str) -> bool:
    return (
        _HEADING.match(line) is not None or _BLOCK_START.match(line) is not None or _UNDERLINE.match(line) is not None
    )


def _values(reading: Reading) -> Sequence[float | None]:
    chars = sum(map(len, reading.pages)) + reading.furniture_chars
    anchors = reading.page_anchors if reading.paginated else None
    tables, headings = (sum(map(count, reading.markdown)) for count in (count_tables, count_headings))
    return chars, tables, headings, anchors


def _difference(a: float | None, b: float | None, threshold: float) -> Difference:
    if a is None and b is None:
        return Difference(a=None, b=None, difference=None, diverges=False)
    one, other = a or 0.0, b or 0.0
    most = max(one, other)
    share = round(abs(one - other) / most, 4) if most else 0.0
    return Difference(a=a, b=b, difference=share, diverges=share > threshold)


def _word_pairs(text: str) -> Counter[tuple[str, str]]:
    found = ["", *islice(words(text), MAX_WORDS)]
    return Counter(pairwise(found))


def _unfenced(markdown: str) -> Iterator[str]:
    """The lines outside fences. A fence may have any indent: engines put fences under list items."""
    fence = ""
    for line in markdown.splitlines():
        mark = _FENCE.match(line)
        if fence:
            if mark and mark[1].startswith(fence) and not line.strip().strip(fence[0]):
                fence = ""
        elif mark:
            fence = mark[1]
        else:
            yield line
