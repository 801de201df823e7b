"""Reads the parties of a contract from the words that introduce them (INT-1).

A contract names its parties between `between` and the end of the sentence, or in a numbered list under the heading `Parties`.
Names are taken only if at least two of them are found, and each is a name: what may be read in two ways is left out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from octavo_contracts import Span
from octavo_text.canonical import CanonicalText
from octavo_text.deadline import checkpoint

from .quoting import Line, Quoted, quote

TITLE_LINES = 20
"""Number of lines searched for the title of a contract."""
OPENING = 120
"""Number of lines searched for the parties."""
MOST = 12
_REACH = 1_200
"""Code points after `between` that are searched."""
_KIND = r"(?:agreement|contract|lease|deed|amendment|licen[cs]e|indenture|memorandum of understanding|undertaking|settlement|guarantee|guaranty)"
_BETWEEN = re.compile(
    rf"\b{_KIND}\b[^.;]{{0,240}}?\b(?P<word>(?:by and )?(?:between|among)(?: and among)?(?: the (?:following )?parties)?)\b\s*:?\s*",
    re.IGNORECASE,
)
_TITLE = re.compile(
    r"(?:[A-Z0-9][\w’'.&-]*[ ,]+|(?:of|for|and|the|to|in|on) ){0,10}"
    r"(?:AGREEMENT|CONTRACT|LEASE|DEED|LICEN[CS]E|INDENTURE|GUARANT(?:Y|EE)|UNDERTAKING|Agreement|Contract|Lease|Deed|Licen[cs]e|Indenture)"
    r"\b(?! (?:is|was|has|will|shall|between|reached|with)\b).{0,80}"
)
_INTRODUCED = re.compile(rf"(?:This|THIS) [A-Z][A-Z0-9’'&,. -]{{2,80}}\b(?:{_KIND.upper()[3:-1]})\b")
"""The beginning of a contract without a title of its own: `This LOAN AGREEMENT dated …`."""
_LONGEST_TITLE = 120
_OTHER_MATTER = re.compile(
    r"\b(?:relationship|dispute|communications?|difference|conflict|negotiations?)s?\W+$", re.IGNORECASE
)
_PARTIES = re.compile(r"(?:the |names of (?:the )?)?parties(?: to (?:this|the) \w+)?\W*", re.IGNORECASE)
_NUMBERED = re.compile(r"\(?(?:[1-9]|[a-h]|i{1,3}|iv|v)[.)]\s*", re.IGNORECASE)
_ROLE = re.compile(
    r"\(\s*(?:(?:hereinafter|hereafter|together|collectively|each|individually|referred to as|called|the|a|an|as)[\s,]+)*"
    r"[\"“”‘']\s?(?:the )?(?P<role>[A-Z][\w &/-]{0,39}\w)\s?[\"“”’'][^)]{0,80}\)"
)
_END = re.compile(
    r"\b(?:WHEREAS|WITNESSETH|RECITALS?|BACKGROUND|NOW,? THEREFORE|for the|concerning|regarding|relating to|whereby|in respect of|to govern|governing)\b"
    r"|(?<!\bInc)(?<!\bINC)(?<!\bLtd)(?<!\bLTD)(?<!\bCo)(?<!\bCO)(?<!\bCorp)(?<!\bCORP)(?<!\bNo)(?<!\bMr)(?<!\bMs)(?<!\bMrs)(?<!\bDr)(?<!\b[A-Z])(?<!\bSt)(?<!\bSte)\.(?=\s+[A-Z\"“(\d]|\s*$)"
)
_SHORTENED = ("Inc", "Ltd", "Co", "Corp", r"L\.L\.C", r"L\.P", r"S\.A", r"B\.V", r"N\.V", r"N\.A", r"S\.p\.A", "Pty")
_IN_FULL = (
    *(
        "Limited",
        "LLC",
        "LLP",
        "LP",
        "PLC",
        "plc",
        "Corporation",
        "Company",
        "GmbH",
        "AG",
        "SA",
        "BV",
        "NV",
        "Trust",
        "Bank",
    ),
    *("Foundation", "Association", "Authority", "University", "Council", "Partnership"),
)
_SUFFIX = "(?:" + "|".join(dict.fromkeys(form for one in (*_SHORTENED, *_IN_FULL) for form in (one, one.upper()))) + ")"
"""Words that say of a name that it is a company's or another body's."""
_STOPPED = re.compile("|".join(form for one in _SHORTENED for form in (rf"\b{one}\.$", rf"\b{one.upper()}\.$")))
"""A name that ends in an abbreviation, whose full stop belongs to it."""
_WORD = r"(?:[A-Z0-9][\w’'.&-]*|&)"
_LINK = "of|the|de|van|der|von|la|for"
_NAME, _JOINED_NAME = (
    re.compile(rf"(?:The )?{_WORD}(?:,? {_SUFFIX}\b\.?| {_WORD}| (?:{links})(?= [A-Z])){{0,9}}")
    for links in (_LINK, f"{_LINK}|and|AND|And")
)
_HAS_SUFFIX = re.compile(rf"\b{_SUFFIX}\b")
_AND = re.compile(r"(?:\s*[,;])?\s+(?:and|AND|And)\s+(?:between\s+)?|\s*;\s*|\s*,\s+")
_MARK = re.compile(r"\((\d)\)\s+")
_COMPANY = re.compile(rf"(?:{_WORD} ){{1,6}}{_SUFFIX}\b")
_NO_NAME = re.compile(
    r"^(?:the )?(?:part(?:y|ies)|following|undersigned|date|effective date|agreement|company|employer|landlord|tenant|buyer|seller|customer|supplier"
    r"|section|clause|article|schedule|exhibit|january|february|march|april|may|june|july|august|september|october|november|december)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, kw_only=True)
class Party:
    """A party of a contract.

    Attributes:
        name: its name, as written.
        role: what the contract calls it, as in (the "Supplier"); None if it does not say.
    """

    name: Quoted
    role: Quoted | None


def contract_parties(text: CanonicalText, lines: Sequence[Line]) -> tuple[Party, ...]:
    """Return the parties of a contract; none unless two or more are named.

    Args:
        text: the canonical text.
        lines: lines of the document.
    """
    opening = [line for line in lines[:OPENING] if line.page <= 3]
    if not any(_is_title(line.text) or _INTRODUCED.match(line.text) for line in opening[:TITLE_LINES]):
        return ()
    start, end = opening[0].span.start, opening[-1].span.end
    for match in _BETWEEN.finditer(text.text, start, end):
        checkpoint()
        if _OTHER_MATTER.search(text.text, max(start, match.start("word") - 40), match.start("word")):
            continue
        stretch = _until_end(text.text, match.end(), min(end, match.end() + _REACH))
        if len(found := _parties(text, stretch)) >= 2:
            return found[:MOST]
    return _listed(text, opening)


def _is_title(said: str) -> bool:
    return len(said) <= _LONGEST_TITLE and not said.endswith((".", ";", ",")) and _TITLE.fullmatch(said) is not None


def _until_end(text: str, start: int, end: int) -> Span:
    found = _END.search(text, start, end)
    return Span(start=start, end=max(start, found.start() if found is not None else end))


def _listed(text: CanonicalText, opening: Sequence[Line]) -> tuple[Party, ...]:
    """Return the numbered names below the heading `Parties`."""
    head = next((place for place, line in enumerate(opening) if _PARTIES.fullmatch(line.text)), None)
    if head is None:
        return ()
    found: list[Party] = []
    for line in opening[head + 1 : head + 1 + 4 * MOST]:
        mark = _NUMBERED.match(line.text)
        if mark is None and found and line.heading:
            break
        if mark is None and not line.text[:1].isupper():
            continue
        begin = line.span.start + (mark.end() if mark is not None else 0)
        if (party := _party(text, Span(start=begin, end=line.span.end), is_joined=True)) is None:
            break
        found.append(party)
    return tuple(found[:MOST]) if len(found) >= 2 else ()


def _parties(text: CanonicalText, stretch: Span) -> tuple[Party, ...]:
    """Split a stretch into pieces, and read each, up to the first that is no party."""
    found: list[Party] = []
    for piece, is_joined in _numbered(text.text, stretch) or _joined(text.text, _pieces(text.text, stretch)):
        if not piece.of(text.text).strip(" ,;:"):
            continue
        party = _party(text, piece, is_joined=is_joined)
        if party is None:
            break  # the parties are named first; what follows is about something else
        found.append(party)
    return tuple(found)


def _numbered(text: str, stretch: Span) -> list[tuple[Span, bool]]:
    """The stretches after (1), (2) and so on; none if there are no such numbers. A number ends the name before it."""
    marks = list(_MARK.finditer(text, stretch.start, stretch.end))
    if [one[1] for one in marks[:2]] != ["1", "2"]:
        return []
    ends = [one.start() for one in marks[1:]] + [stretch.end]
    return [(Span(start=one.start(), end=end), True) for one, end in zip(marks, ends, strict=True)]


def _pieces(text: str, stretch: Span) -> list[Span]:
    """The stretches between conjunctions, and between companies with a comma; outside brackets."""
    found: list[Span] = []
    start = stretch.start
    for match in _AND.finditer(text, stretch.start, stretch.end):
        before, said = text[stretch.start : match.start()], text[start : match.start()]
        if before.count("(") > before.count(")"):
            continue
        if match.group().strip() == "," and not (
            _HAS_SUFFIX.search(said.split("(")[0]) and _COMPANY.match(text, match.end())
        ):
            continue
        found.append(Span(start=start, end=match.start()))
        start = match.end()
    return [*found, Span(start=start, end=stretch.end)]


def _joined(text: str, pieces: Sequence[Span]) -> list[tuple[Span, bool]]:
    """Join `Marks` and `Spencer plc`: one word before `and`, and a kind of company only after it."""
    found: list[tuple[Span, bool]] = []
    for piece in pieces:
        before = found[-1][0].of(text).strip() if found else ""
        is_bare = bool(before) and " " not in before and not _HAS_SUFFIX.search(before) and len(pieces) > 2
        if is_bare and _HAS_SUFFIX.search(piece.of(text).split("(")[0].split(",")[0]):
            found[-1] = (Span(start=found[-1][0].start, end=piece.end), True)
        else:
            found.append((piece, False))
    return found


def _party(text: CanonicalText, piece: Span, *, is_joined: bool) -> Party | None:
    said = piece.of(text.text)
    skipped = len(said) - len(said.lstrip(" ,;:"))
    if number := _NUMBERED.match(said, skipped):
        skipped = number.end()
    name = (_JOINED_NAME if is_joined else _NAME).match(said, skipped)
    if name is None:
        return None
    shown = name.group().rstrip(" ,;:")
    if shown.endswith(".") and not _STOPPED.search(shown):
        shown = shown[:-1]
    is_long = len(shown.split()) >= 2 or _HAS_SUFFIX.search(shown) or (shown.isupper() and len(shown) >= 3)
    if not is_long or _NO_NAME.match(shown) or not any(sign.isalpha() for sign in shown):
        return None
    start = piece.start + name.start()
    role = _ROLE.search(said, name.end())
    return Party(
        name=quote(text, start, start + len(shown)),
        role=quote(text, piece.start + role.start("role"), piece.start + role.end("role"))
        if role is not None
        else None,
    )
