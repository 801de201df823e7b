"""Determines the document type from the first pages (CLS-3, CLS-10). English forms only; others stay unknown."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean, pstdev
from typing import NamedTuple

from .registered_types import RegisteredType, folded
from .titled_types import HINT, titled_types

UNKNOWN = "unknown"
SURE = 0.5
"""Below this confidence the type is `unknown` (CLS-6)."""
DENSE = 500
"""Characters of a page of running text."""
_UNIFORM = 0.35
"""Maximum variation of the characters of pages of running prose, as a share of their average."""

TABLE_HEAVY_TYPES = frozenset({"sec_filing"})
"""Types that count as table-heavy whatever the sampled pages show (CLS-9)."""

# Patterns for lines begin with `^[^\S\n]*`: `^\s*` would try each of a thousand blank lines as the start of the match.
_I = re.IGNORECASE
_M = re.MULTILINE
_QUESTION = re.compile(r"^[^\S\n]*(?:\d{1,2}\s+)?Q[.:]?\s+\S", _M)
_ANSWER = re.compile(r"^[^\S\n]*(?:\d{1,2}\s+)?A[.:]?\s+\S", _M)
_NUMBERED_LINE = re.compile(r"^[^\S\n]*(?:[1-9]|1\d|2[0-8])\s+\S", _M)
_EXHIBIT = re.compile(r"^[^\S\n]*EXHIBIT\s+(?:[A-Z]{1,2}|\d{1,3})(?:[.-]\d+)?\s*$", _M)
_LEADERS = re.compile(r"(?<!\.)(?<!\. )(?:\. ?){4,}+\s*+\d++$", _M)
"""Dot leaders to a page number; matched only at the start of a row of dots, not within it."""


class TypeVerdict(NamedTuple):
    """A document's type.

    Attributes:
        document_type: a type of CLS-2, one that a profile registers, or 'unknown'.
        confidence: of the best candidate, 0..1, even if it was too low.
        shipped: the type according to the shipped rules only.
        shipped_confidence: of the best candidate of the shipped rules.
    """

    document_type: str
    confidence: float
    shipped: str
    shipped_confidence: float


@dataclass(frozen=True, kw_only=True)
class TypeEvidence:
    """Input of the rules.

    Attributes:
        pages: texts of the inspected pages, the first page first; one text for a document without pages.
        media_type: its type by content.
        page_count: total number of pages, or None.
        is_spoken: whether the text is a transcript of speech, in which questions are not marked "Q." and "A.".
        titles: title and subject of its metadata.
    """

    pages: Sequence[str]
    media_type: str
    page_count: int | None = None
    is_spoken: bool = False
    titles: tuple[str, ...] = ()

    @cached_property
    def is_uniform(self) -> bool:
        """Whether the pages hold much text, and about as much each: running prose, as in a brief."""
        return len(self.pages) >= 3 and is_dense([len(page) for page in self.pages], variation=_UNIFORM)

    @cached_property
    def opening(self) -> str:
        """The beginning, with title, caption and contents; white space as in `whole`."""
        return _tidy(self.pages[:2])[:8000]

    @cached_property
    def whole(self) -> str:
        """The whole inspected text, without blank lines or runs of spaces, which would make patterns slow."""
        return _tidy(self.pages)[:60_000]

    @cached_property
    def folded(self) -> str:
        """`whole`, case-folded: searching it for a word before trying a pattern is a hundred times cheaper."""
        return self.whole.casefold()

    @cached_property
    def opening_phrases(self) -> str:
        """`opening`, normalised for the phrases of registered types."""
        return folded(self.opening)

    @cached_property
    def phrases(self) -> str:
        """`whole`, normalised for the phrases of registered types."""
        return folded(self.whole)

    def mentions(self, *words: str) -> bool:
        """Return whether one of the lower-case words occurs anywhere, including inside other words."""
        return any(word in self.folded for word in words)


def is_dense(chars: Sequence[int], *, variation: float) -> bool:
    """Return whether pages have more than 500 characters on average, and vary by less than a share of that (CLS-3).

    Args:
        chars: characters of each page.
        variation: maximum standard deviation, as a share of the average.
    """
    average = fmean(chars) if chars else 0.0
    return average > DENSE and pstdev(chars, average) <= variation * average


def _tidy(pages: Sequence[str]) -> str:
    lines = (" ".join(line.split()) for page in pages for line in page[:30_000].splitlines())
    return "\n".join(line for line in lines if line)


def is_transcript(media_type: str) -> bool:
    """Return whether a text format has what was spoken, with its times."""
    return media_type in _CAPTIONS


def document_type(evidence: TypeEvidence, types: Sequence[RegisteredType] = ()) -> TypeVerdict:
    """Return the type with the most evidence; in a tie the first rule wins.

    A type that the profile registers wins a tie with a shipped one, and the profile's first one a tie with another. A
    confident type that refines the best shipped type precedes it whatever its score: it was registered to distinguish
    what the shipped rules do not.

    Args:
        evidence: the inspected text and metadata.
        types: types that the profile registers, in its order.
    """
    best, confidence = UNKNOWN, 0.0
    titled = titled_types(evidence.titles)
    for name, rule in _RULES:
        score = rule(evidence)
        if score > 0 and name in titled:
            score += HINT
        if score > confidence:
            best, confidence = name, score
    confidence = min(1.0, round(confidence, 2))
    shipped = best if confidence >= SURE else UNKNOWN
    found = [(shipped, confidence, confidence)]
    for one in types:
        score = round(one.score(evidence.opening_phrases, evidence.phrases, media_type=evidence.media_type), 2)
        rank = max(score, confidence) if one.refines == shipped and score >= SURE else score
        found.append((one.name, score, rank))
    # `max` keeps the first of equal candidates; the shipped verdict comes last, so the profile wins a tie.
    name, score, _ = max([*found[1:], found[0]], key=lambda candidate: candidate[2])
    return TypeVerdict(name if score >= SURE else UNKNOWN, score, shipped, confidence)


def has_exhibits(pages: Sequence[str]) -> bool:
    """Return whether a page has an exhibit mark on its own line."""
    return any(_EXHIBIT.search(page) for page in pages)


def _share(text: str, *patterns: str, flags: int = _I) -> float:
    """Return the share of the patterns that match."""
    return sum(1 for pattern in patterns if re.search(pattern, text, flags)) / len(patterns)


def _share_of_mentioned(evidence: TypeEvidence, *patterns: tuple[tuple[str, ...], str], flags: int = _I) -> float:
    """Return the share of the patterns that match `whole`; a pattern is tried only if one of its words occurs."""
    found = sum(
        1 for words, pattern in patterns if evidence.mentions(*words) and re.search(pattern, evidence.whole, flags)
    )
    return found / len(patterns)


_CAPTIONS = frozenset({"text/vtt", "application/x-subrip"})

_SPOKEN = (
    (("deposition",), r"\b(?:deposition|video deposition|recorded deposition) of\b|\bthis deposition\b"),
    (("sworn", "swear", "oath", "affirm"), r"\bsworn\b|\bswear\b|\bunder oath\b|\baffirm\b"),
    (("record",), r"\b(?:for|on|off) the record\b"),
    (("reporter", "videographer"), r"\bcourt reporter\b|\bvideographer\b"),
    (("counsel", "objection", "attorney"), r"\bcounsel\b|\bobjection\b|\battorneys?\b"),
    (("your name", "full name"), r"\bstate your (?:full )?name\b|\byour full name\b"),
    (("plaintiff", "defendant", "exhibit"), r"\bplaintiffs?\b|\bdefendants?\b|\bexhibit\b"),
)
"""Phrases of a deposition in their usual order: words to search first, and the pattern."""
_SPOKEN_AT_LEAST = 3
_SPOKEN_QUESTIONS = 3


def _spoken_deposition(evidence: TypeEvidence) -> float:
    """Score questions and typical phrases of a deposition; three different phrases are no coincidence."""
    found = sum(1 for words, pattern in _SPOKEN if evidence.mentions(*words) and re.search(pattern, evidence.whole, _I))
    if found < _SPOKEN_AT_LEAST or evidence.whole.count("?") < _SPOKEN_QUESTIONS:
        return 0.1 * min(found, 4)
    return 0.5 + 0.1 * (found - _SPOKEN_AT_LEAST)


def _deposition(evidence: TypeEvidence) -> float:
    if evidence.is_spoken and (spoken := _spoken_deposition(evidence)) >= SURE:
        return spoken
    text = evidence.whole
    questions, answers = len(_QUESTION.findall(text)), len(_ANSWER.findall(text))
    if questions < 4 or answers < 4:
        return 0.45 if re.search(r"\bdeposition of\b", evidence.opening, _I) else 0.0
    lines = max(1, text.count("\n"))
    numbered = len(_NUMBERED_LINE.findall(text)) / lines > 0.5
    words = _share(text, r"\bdeposition\b", r"\b(?:sworn|court reporter|examination)\b")
    return 0.5 + (0.2 if numbered else 0.0) + 0.3 * words


def _sec_filing(evidence: TypeEvidence) -> float:
    text = evidence.opening
    form = re.search(r"\bform\s+(?:10-?K|10-?Q|8-?K|20-?F|6-?K|S-[1348]|DEF\s*14A|13[DFG])\b", text, _I)
    commission = re.search(r"securities\s+and\s+exchange\s+commission", text, _I)
    number = re.search(r"commission\s+file\s+(?:no|number)", text, _I)
    return 0.4 * bool(form) + 0.35 * bool(commission) + 0.2 * bool(number)


def _earnings_call(evidence: TypeEvidence) -> float:
    called = re.search(r"\b(?:earnings|results)\s+(?:conference\s+)?call\b", evidence.opening, _I)
    operator = len(re.findall(r"^[^\S\n]*operator\b", evidence.whole, _I | _M)) >= 2
    session = re.search(r"question[- ]and[- ]answer", evidence.whole, _I)
    return 0.4 * bool(called) + 0.35 * operator + 0.2 * bool(session)


def _caption(evidence: TypeEvidence) -> float:
    """Return the share of a court caption's elements found in the opening."""
    return _share(
        evidence.opening,
        r"\b(?:district|superior|supreme|circuit|bankruptcy|high|appeals?|chancery)\s+court\b|\bcourt\s+of\b|\bin the .{0,40}\bcourt\b",
        r"\bplaintiffs?\b|\bpetitioners?\b|\bappellants?\b",
        r"\bdefendants?\b|\brespondents?\b|\bappellees?\b",
        r"\bcase\s+no|\bcivil\s+action|\bdocket\b|\bno\.\s*\d",
    )


def _complaint(evidence: TypeEvidence) -> float:
    title = re.search(r"^\W{0,9}(?:\w+ ){0,4}COMPLAINT\b", evidence.opening, _M)
    return 0.75 * _caption(evidence) + 0.2 * bool(title) if title else 0.0


def _motion(evidence: TypeEvidence) -> float:
    title = re.search(
        r"^.{0,80}\b(?:MOTION|MEMORANDUM\s+(?:OF|IN)|BRIEF|OPPOSITION|STIPULATION)\b", evidence.opening, _M
    )
    return 0.75 * _caption(evidence) + 0.2 + 0.05 * evidence.is_uniform if title else 0.0


def _expert_report(evidence: TypeEvidence) -> float:
    title = re.search(r"\bexpert\s+(?:witness\s+)?(?:report|declaration)\b", evidence.opening, _I)
    return (0.55 + 0.4 * _share(evidence.whole, r"\bopinions?\b", r"\bqualifications?\b")) if title else 0.0


def _contract(evidence: TypeEvidence) -> float:
    title = re.search(r"^\W{0,9}(?:[\w’'-]+ ){0,6}(?:AGREEMENT|CONTRACT|LEASE)\b", evidence.opening, _M)
    words = _share_of_mentioned(
        evidence,
        (("between",), r"\bby and between\b|\bbetween\b.{0,200}\b(?:and)\b.{0,200}\bpart(?:y|ies)\b"),
        (("hereinafter", "whereas", "hereby"), r"\bhereinafter\b|\bwhereas\b|\bhereby\b"),
        (
            ("in witness", "governing law", "terminat"),
            r"\bin witness whereof\b|\bgoverning law\b|\bterminat(?:e|ion)\b",
        ),
    )
    return (0.3 + 0.65 * words) if title else 0.3 * words


def _correspondence(evidence: TypeEvidence) -> float:
    if evidence.media_type in {"message/rfc822", "application/vnd.ms-outlook", "application/mbox"}:
        return 0.95
    dear = re.search(r"^[^\S\n]*Dear\s+\S.{0,80}[,:]\s*$", evidence.opening, _M)
    close = re.search(
        r"^[^\S\n]*(?:Yours\s+\w+|Sincerely|(?:Kind|Best)\s+regards|Respectfully)\b", evidence.whole, _I | _M
    )
    return 0.4 * bool(dear) + 0.35 * bool(close)


def _paper(evidence: TypeEvidence) -> float:
    if evidence.media_type == "application/jats+xml":
        return 0.95
    abstract = re.search(r"^[^\S\n]*(?:\d\.?\s*)?abstract\b", evidence.opening, _I | _M)
    words = _share_of_mentioned(
        evidence,
        (("introduction",), r"^[^\S\n]*(?:\d\.?\s*|I\.\s*)?introduction\s*$"),
        (("references", "bibliography"), r"^[^\S\n]*(?:\d+\.?\s*)?(?:references|bibliography)\s*$"),
        (("et al", "[", "arxiv", "doi"), r"\bet al\b|\[\d+\]|\barXiv\b|\bdoi\b"),
        flags=_I | _M,
    )
    return (0.4 + 0.5 * words) if abstract else 0.4 * words


def _manual(evidence: TypeEvidence) -> float:
    title = "\n".join(evidence.opening.splitlines()[:12])
    titled = re.search(r"\b(?:manual|handbook|guide|faq|how-?to|tutorial|reference|introduction to)\b", title, _I)
    contents = re.search(r"^[^\S\n]*(?:table of\s+)?contents\s*$", evidence.whole, _I | _M)
    dotted = evidence.mentions("..", ". .")
    leaders = dotted and len(_LEADERS.findall(evidence.whole)) >= 5
    long = (evidence.page_count or 0) >= 10
    return 0.35 * bool(titled) + 0.2 * bool(contents) + 0.15 * leaders + 0.15 * long


_RULES: tuple[tuple[str, Callable[[TypeEvidence], float]], ...] = (
    ("deposition", _deposition),
    ("sec_filing", _sec_filing),
    ("earnings_call_transcript", _earnings_call),
    ("complaint", _complaint),
    ("motion", _motion),
    ("expert_report", _expert_report),
    ("contract", _contract),
    ("correspondence", _correspondence),
    ("paper", _paper),
    ("manual", _manual),
)

SHIPPED_TYPES = tuple(name for name, _ in _RULES)
"""The types of CLS-2 that have a rule; a profile may register more."""
