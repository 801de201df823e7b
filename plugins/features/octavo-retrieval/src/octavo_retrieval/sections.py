"""Resolves a `section_query` to pages, without a model (RET-2, RET-15, seed 003 §8.2.4).

Steps, in order: explicit page numbers and labels; headings; words in the text; page summaries. A step
answers if its best score reaches the threshold. Results are deterministic.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Final, Literal, NamedTuple

from octavo_digest.stems import language_of, stem_all
from octavo_text.words import query_words, words

THRESHOLD: Final = 0.3
"""Least normalised score of a match."""

HEADING_COVERAGE: Final = 0.75
"""Least share of the query's weight that a heading must contain, so that one shared word does not match by chance."""

TEXT_PAGES: Final = 5
"""Most pages returned by the text step."""

ABSENT: Final = 0.25
"""Weight factor for query words missing from the document, which do not discriminate between pages."""

NEAR_BEST: Final = 0.7
"""Pages need at least this share of the best page's density."""

_SATURATION: Final = 1.4
_LENGTH: Final = 0.75

_NAMED_PAGE: Final = re.compile(r"(?:pages?|pp?\.?|sheet|slide)\s*[:#]?\s*(.{1,80})", re.IGNORECASE)
_HEADING: Final = re.compile(r"^ {0,3}(#{1,6})[ \t]+(.+?)[ \t]*#*[ \t]*$", re.MULTILINE)
_STRUCTURAL: Final = frozenset(
    [
        "section",
        "sections",
        "chapter",
        "part",
        "paragraph",
        "article",
        "clause",
        "page",
        "pages",
        "heading",
        "title",
        "says",
        "say",
        "said",
        "tell",
        "show",
        "read",
        "find",
        "about",
        "discuss",
        "discusses",
        "describe",
        "describes",
        "regarding",
        "concerning",
        "mean",
        "means",
    ]
)
"""Stop words: words that name or ask for a part of a document without describing its subject."""


class PageText(NamedTuple):
    """Page content for section search.

    Attributes:
        number: from 1.
        label: label in the document.
        markdown: markdown of the page, for headings.
        text: canonical text of the page, for words.
    """

    number: int
    label: str | None
    markdown: str
    text: str


class Match(NamedTuple):
    """A matching page.

    Attributes:
        page: page number, from 1.
        score: 0..1.
        by: the step that found the page.
        heading: the matching heading, or None.
    """

    page: int
    score: float
    by: Literal["page", "label", "heading", "text", "summary"]
    heading: str | None = None


class Resolved(NamedTuple):
    """Result of a query.

    Attributes:
        pages: pages to read, in reading order; empty if nothing matches.
        matches: matches, best first, including weaker ones that are not in `pages`.
    """

    pages: tuple[int, ...]
    matches: tuple[Match, ...]


class _Heading(NamedTuple):
    page: int
    text: str
    terms: frozenset[str]


class SectionIndex:
    """The headings and words of one document.

    Args:
        pages: pages of the document.
        summaries: summaries of pages, by page.
    """

    def __init__(self, pages: Sequence[PageText], *, summaries: Mapping[int, str] | None = None) -> None:
        self._pages = pages
        self._language = language_of(word for page in pages[:20] for word in words(page.text[:4_000]))
        self._headings = [
            _Heading(page.number, text.strip("*_ "), frozenset(self._stems(text)))
            for page in pages
            for _, text in _HEADING.findall(page.markdown)
        ]
        self._labels = {label: page.number for page in reversed(pages) if (label := _folded(page.label or ""))}
        self._summaries = summaries or {}

    def resolve(self, query: str) -> Resolved:
        """Resolve a query to pages."""
        named = self._by_name(query)
        if named is not None:
            return Resolved((named.page,), (named,))
        terms = self._terms(query)
        if not terms:
            return Resolved((), ())
        for step in (self._by_heading, self._by_text, self._by_summary):
            found = step(terms)
            if found.pages:
                return found
        return Resolved((), ())

    # -- the steps ----------------------------------------------------------------------------------------------

    def _by_name(self, query: str) -> Match | None:
        """Match `page 47`, `sheet Costs` or an exact label. A printed page label takes precedence over the page number."""
        asked = _folded(query)
        by_label = self._labels.get(asked)
        if by_label is not None and not asked.isdecimal():
            return Match(by_label, 1.0, "label")
        named = _NAMED_PAGE.fullmatch(query.strip().removeprefix("the "))
        if named is None:
            return None
        name = _folded(named[1])
        if (labelled := self._labels.get(name)) is not None:
            return Match(labelled, 1.0, "label")
        if name.isascii() and name.isdecimal() and len(name) < 10 and 1 <= int(name) <= len(self._pages):
            return Match(int(name), 1.0, "page")
        return None

    def _by_heading(self, terms: Sequence[str]) -> Resolved:
        """Pages with matching headings, and the following pages without headings."""
        counts = Counter(term for heading in self._headings for term in heading.terms)
        weights = {term: _weight(counts[term], len(self._headings)) for term in terms}
        asked = sum(weights.values())
        best: dict[int, Match] = {}
        for heading in self._headings:
            shared = [term for term in terms if term in heading.terms]
            if not shared:
                continue
            coverage = sum(weights[term] for term in shared) / asked
            score = coverage * (0.5 + 0.5 * len(shared) / len(heading.terms))
            if coverage >= HEADING_COVERAGE and score > getattr(best.get(heading.page), "score", 0.0):
                best[heading.page] = Match(heading.page, score, "heading", heading.text)
        if not best:
            return Resolved((), ())
        top = max(match.score for match in best.values())
        if top < THRESHOLD:
            return Resolved((), ())
        kept = {page: match for page, match in best.items() if match.score >= NEAR_BEST * top}
        return Resolved(self._with_continuations(kept), _ranked(kept.values()))

    def _with_continuations(self, matched: Iterable[int]) -> tuple[int, ...]:
        with_heading = {heading.page for heading in self._headings}
        pages: list[int] = []
        for page in sorted(matched):
            pages.append(page)
            following = page + 1
            while following <= len(self._pages) and following not in with_heading:
                pages.append(following)
                following += 1
        return tuple(pages)

    def _by_text(self, terms: Sequence[str]) -> Resolved:
        """Pages ranked by density of query words; the share of the query found is the confidence."""
        return self._densest(terms, self._text_postings, "text")

    def _by_summary(self, terms: Sequence[str]) -> Resolved:
        return self._densest(terms, self._summary_postings, "summary")

    def _densest(self, terms: Sequence[str], postings: _Postings, by: Literal["text", "summary"]) -> Resolved:
        weights = {term: _weight(len(postings.pages.get(term, ())), len(postings.lengths)) for term in terms}
        asked = sum(weight if term in postings.pages else ABSENT * weight for term, weight in weights.items())
        density: dict[int, float] = defaultdict(float)
        covered: dict[int, float] = defaultdict(float)
        for term in terms:
            for page, count in postings.pages.get(term, ()):
                longer = 1 - _LENGTH + _LENGTH * postings.lengths[page] / postings.mean
                density[page] += weights[term] * count * (_SATURATION + 1) / (count + _SATURATION * longer)
                covered[page] += weights[term]
        ranked = sorted(density, key=lambda page: (-density[page], page))
        if not ranked:
            return Resolved((), ())
        floor = NEAR_BEST * density[ranked[0]]
        kept = [
            Match(page, min(1.0, covered[page] / asked), by)
            for page in ranked[:TEXT_PAGES]
            if covered[page] / asked >= THRESHOLD
        ]
        return Resolved(tuple(match.page for match in kept if density[match.page] >= floor), tuple(kept))

    # -- words --------------------------------------------------------------------------------------------------

    @cached_property
    def _text_postings(self) -> _Postings:
        return _Postings({page.number: self._stems(page.text) for page in self._pages})

    @cached_property
    def _summary_postings(self) -> _Postings:
        return _Postings({page: self._stems(text) for page, text in sorted(self._summaries.items())})

    def _stems(self, text: str) -> list[str]:
        return stem_all(words(text), language=self._language)

    def _terms(self, query: str) -> tuple[str, ...]:
        asked = query_words(query)
        telling = [word for word in asked if word not in _STRUCTURAL] or list(asked)
        return tuple(dict.fromkeys(stem_all(telling, language=self._language)))


class _Postings:
    """Word counts by page.

    Args:
        pages: page → the stems of its words.
    """

    def __init__(self, pages: Mapping[int, Sequence[str]]) -> None:
        self.lengths = {page: len(stems) for page, stems in pages.items()}
        self.mean = max(1.0, sum(self.lengths.values()) / max(1, len(self.lengths)))
        self.pages: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for page, stems in pages.items():
            for stem, count in Counter(stems).items():
                self.pages[stem].append((page, count))


def _weight(holding: int, total: int) -> float:
    """Inverse document frequency of a word, as in BM25."""
    return math.log(1 + (total - holding + 0.5) / (holding + 0.5))


def _ranked(matches: Iterable[Match]) -> tuple[Match, ...]:
    return tuple(sorted(matches, key=lambda match: (-match.score, match.page)))


def _folded(text: str) -> str:
    return " ".join(text.casefold().split()).strip(" .\"'")
