"""Makes a brief from a document's text (INT-1).

Everything in it is quoted. Summary and key points are sentences of the document, selected without a model. A host's
`Summariser` may write them instead; then they are its own words and have no positions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from octavo.builtins.classification.tokens import CHARS_A_TOKEN
from octavo_contracts import DocumentMetadata, Span, Summariser, Summary
from octavo_digest.sentences import sentence_spans
from octavo_digest.summarising import LONGEST, METHOD, SHORTEST, extract_sentences, rank_sentences, without_bullet
from octavo_text.canonical import CanonicalText
from octavo_text.stopwords import STOPWORDS
from octavo_text.words import words

from .contracts import Party, contract_parties
from .courts import CourtCaption, court_caption
from .depositions import Testimony, testimony
from .facts import Facts, facts_of
from .filings import FilingHeader, filing_header, filing_items
from .legal_standards import legal_standards, provisions
from .matter import after, matter
from .mentions import amounts, case_numbers, dates
from .prose import is_worded, prose
from .quoting import Line, Quoted, lines_of, page_of, quote

SUMMARY_CHARS = 800
MOST_SECTIONS = 500
MOST_SENTENCES = 120
"""Sentences of a page that are compared: a printed page has fewer, and a document without pages is one page."""
MOST_PAGES = 1000
"""Maximum number of pages with a summary sentence."""


@dataclass(frozen=True, kw_only=True)
class Section:
    """A part of the document under a heading.

    Attributes:
        title: the heading.
        level: level of the heading, from 1.
        page: page on which it begins, from 1.
        span: from the heading to the next one of its level or a higher one.
    """

    title: Quoted
    level: int
    page: int
    span: Span


@dataclass(frozen=True, kw_only=True)
class Brief:
    """What to know about a document before reading it.

    Attributes:
        document_type: the effective type, or None.
        tokens: estimated tokens of the text.
        pages: number of pages; 1 for a document without pages.
        facts: title, date, author, source.
        summary: a paragraph of quoted sentences, unless a summariser wrote it.
        key_points: further important sentences.
        page_summaries: the most important sentence of each page, in page order; its heading if it has no sentence; none for
            a page without words.
        dates: mentioned days, ISO 8601.
        amounts: amounts of money.
        case_numbers: numbers of court cases.
        legal_standards: legal standards that a legal document names, such as a burden of proof.
        provisions: provisions of law that are named.
        sections: the sections with their headings; a filing's items.
        caption: caption of a court document, or None.
        filing: the cover of a filing, or None.
        testimony: testimony of a deposition, or None.
        contract: parties of a contract, with what it calls them; empty for other documents.
    """

    document_type: str | None
    tokens: int
    pages: int
    facts: Facts
    summary: Summary
    key_points: tuple[Quoted, ...]
    page_summaries: tuple[Quoted, ...]
    dates: tuple[Quoted, ...]
    amounts: tuple[Quoted, ...]
    case_numbers: tuple[Quoted, ...]
    sections: tuple[Section, ...]
    caption: CourtCaption | None
    filing: FilingHeader | None
    testimony: Testimony | None
    legal_standards: tuple[Quoted, ...] = ()
    provisions: tuple[Quoted, ...] = ()
    contract: tuple[Party, ...] = ()

    @property
    def parties(self) -> tuple[Quoted, ...]:
        """Both sides of a case, the registrant of a filing, or the parties of a contract."""
        if self.caption is not None:
            return (*self.caption.first_parties, *self.caption.second_parties)
        if self.contract:
            return tuple(party.name for party in self.contract)
        return (self.filing.company,) if self.filing is not None and self.filing.company is not None else ()


def make_brief(
    text: CanonicalText,
    markdown_pages: Sequence[str],
    *,
    metadata: DocumentMetadata | None = None,
    document_type: str | None = None,
    summariser: Summariser | None = None,
) -> Brief:
    """Make a brief.

    Args:
        text: the canonical text, with its pages.
        markdown_pages: the markdown of each page, or of the whole document if it has no pages.
        metadata: metadata of the file.
        document_type: the effective type.
        summariser: writes summary and key points; None: they are quoted.
    """
    lines = lines_of(text, markdown_pages)
    filing = filing_header(text, lines)
    caption = court_caption(text, lines) if filing is None else None
    sections = _sections(text, lines, is_filing=filing is not None)
    body = matter(text, lines)
    # All filings have similar covers, so the summary begins with the first item.
    told = after(body, sections[0].span.start) if filing is not None and sections else body
    whole = prose(told)
    chosen = extract_sentences(whole if whole.pages else told, "", max_chars=SUMMARY_CHARS)
    if summariser is not None:
        summary = summariser.summarise(text.text, max_chars=SUMMARY_CHARS)
    else:
        said = " ".join(span.of(text.text) for span in chosen.summary)
        summary = Summary(text=said, method=METHOD, spans=chosen.summary)
    return Brief(
        document_type=document_type,
        tokens=-(-len(text.text) // CHARS_A_TOKEN),
        pages=len(text.pages),
        facts=facts_of(text, lines, metadata or DocumentMetadata(), caption=caption, filing=filing),
        summary=summary,
        key_points=tuple(quote(text, span.start, span.end) for span in chosen.key_points),
        page_summaries=_page_summaries(text, lines, body),
        dates=dates(text),
        amounts=amounts(text, lines),
        case_numbers=case_numbers(text),
        sections=sections,
        caption=caption,
        filing=filing,
        testimony=testimony(text, lines),
        legal_standards=legal_standards(text, has_caption=caption is not None),
        provisions=provisions(text),
        contract=contract_parties(text, lines) if caption is None and filing is None else (),
    )


def _sections(text: CanonicalText, lines: Sequence[Line], *, is_filing: bool) -> tuple[Section, ...]:
    """Return the sections under the headings; for a filing, the items, whose numbers are more reliable than font sizes."""
    heads = [(1, line) for line in filing_items(lines)] if is_filing else []
    if not heads:
        heads = [(line.heading, line) for line in lines if line.heading]
    heads = heads[:MOST_SECTIONS]
    found = []
    for place, (level, line) in enumerate(heads):
        following = next((other for depth, other in heads[place + 1 :] if depth <= level), None)
        end = following.span.start if following is not None else len(text.text)
        found.append(
            Section(
                title=quote(text, line.span.start, line.span.end),
                level=level,
                page=line.page,
                span=Span(start=line.span.start, end=end),
            )
        )
    return tuple(found)


def _page_summaries(text: CanonicalText, lines: Sequence[Line], matter: CanonicalText) -> tuple[Quoted, ...]:
    """Return one sentence per page: the one most similar to the others.

    A page without a whole sentence has its first heading instead, or its longest stretch of words; one of figures has none.
    """
    whole, any_words = _by_page(text, prose(matter)), _by_page(text, matter)
    heads: dict[int, Span] = {}
    for line in lines:
        if line.heading:
            heads.setdefault(line.page, line.span)
    found: list[Quoted] = []
    for page in sorted(whole.keys() | any_words.keys() | heads.keys())[:MOST_PAGES]:
        own = whole.get(page, [])
        standing = [span for span in own if SHORTEST <= span.end - span.start <= LONGEST][:MOST_SENTENCES]
        if standing:
            best = without_bullet(text.text, _most_telling(text, standing))
        elif own:
            best = max(own, key=lambda span: span.end - span.start)
        elif page in heads:
            best = heads[page]
        else:
            worded = [span for span in any_words[page] if is_worded(span.of(text.text))]
            if not worded:
                continue
            best = max(worded, key=lambda span: span.end - span.start)
        found.append(quote(text, best.start, min(best.end, best.start + LONGEST)))
    return tuple(found)


def _by_page(text: CanonicalText, matter: CanonicalText) -> dict[int, list[Span]]:
    found: dict[int, list[Span]] = {}
    for span in sentence_spans(matter):
        found.setdefault(page_of(text, span.start), []).append(span)
    return found


def _most_telling(text: CanonicalText, spans: Sequence[Span]) -> Span:
    bags = [[word for word in words(span.of(text.text)) if word not in STOPWORDS] for span in spans]
    scores = rank_sentences(bags, [0.0] * len(spans))
    return max(zip(scores, spans, strict=True), key=lambda pair: (pair[0], -pair[1].start))[1]
