"""Finds the witnesses of a testimony: in its title, where they are sworn, or where they state their names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from octavo_text.canonical import CanonicalText

from .quoting import Line, Quoted, quote

MOST = 100
"""Maximum number of witnesses."""
OPENING = 60
"""Number of lines searched for a title."""
_OF = re.compile(r"\bdeposition of:?", re.IGNORECASE)
_PART = r"(?:[^\W\da-z_]\.|[^\W\da-z_][\w’'-]*)"
"""A part of a name: an initial, or a word that begins with a capital."""
_PERSON = rf"{_PART}(?:\s+{_PART}){{1,4}}"
_NAME = re.compile(rf"\s*(?:\d{{1,2}}\s+)?(?P<name>{_PERSON})")
_SWORN = re.compile(
    r"^(?:\d{1,2}\s+)?(?P<name>[A-Z][A-Z.'’-]*(?:\s+[A-Z][A-Z.'’-]*){1,4})(?:,\s*(?:M\.?D|PH\.?D|JR|SR|ESQ)\.?)?\s*,?\s*"
    r"(?P<rest>(?:(?:was )?(?:called|produced|sworn)|having been|a witness|the witness).*)?$"
)
_CALLED = re.compile(
    r"\b(?:called|produced) as a witness\b|\b(?:duly|first) (?:\w+ )?sworn\b|\bafter being .{0,20}sworn\b",
    re.IGNORECASE,
)
_STATE_NAME = re.compile(
    r"\b(?:state|give|tell us|say) your (?:full )?name\b|\bwhat(?: is|'s) your (?:full )?name\b|\byour full name\b",
    re.IGNORECASE,
)
_OWN_NAME = re.compile(
    rf"(?:(?:[Yy]es|[Ss]ure)[,.] )?(?:(?:[Mm]y name is|[Mm]y name's|[Ii]t is|[Ii]t's|I am|I'm) )?(?P<name>{_PERSON})"
)
_NO_PERSON = re.compile(r"\b(?:COURT|EXAMINATION|COUNTY|STATE|UNITED|PROCEEDINGS|EXHIBIT|VOLUME)\b")


@dataclass(frozen=True, kw_only=True)
class Witness:
    """A witness.

    Attributes:
        name: the name, as written.
        start: code point from which on the testimony is this witness's.
    """

    name: Quoted
    start: int


def witnesses_of(
    text: CanonicalText, lines: Sequence[Line], answered: Sequence[tuple[str, Quoted]]
) -> tuple[Witness, ...]:
    """Return the witnesses in the order of their testimony, each with the place from which on it is theirs.

    Args:
        text: the canonical text.
        lines: lines of the document.
        answered: question, and its answer, of the exchanges that have one.
    """
    sworn = _sworn(text, lines)
    titled = _titled(text, lines)
    if sworn:
        is_another = titled is not None and _key(titled.value) != _key(sworn[0].name.value)
        if titled is not None and (is_another or len(sworn) == 1):
            # A deposition has one witness: the title's words are as good as the reporter's.
            return (Witness(name=titled, start=0), *(sworn if is_another else ()))
        return sworn
    if titled is None:
        titled = next((name for question, answer in answered if (name := _stated(text, question, answer))), None)
    return (Witness(name=titled, start=0),) if titled is not None else ()


def introduction(lines: Sequence[Line], place: int) -> re.Match[str] | None:
    """The name in capitals with which a line introduces a witness, as the group `name`; None for any other line.

    Args:
        lines: lines of the document.
        place: place of the line.
    """
    named = _SWORN.match(lines[place].text)
    if named is None or _NO_PERSON.search(named["name"]):
        return None
    following = " ".join(one.text for one in lines[place + 1 : place + 4])
    return named if _CALLED.search(f"{named['rest'] or ''} {following}") else None


def _titled(text: CanonicalText, lines: Sequence[Line]) -> Quoted | None:
    """Return the name after 'deposition of', in the same line or the next one."""
    for place, line in enumerate(lines[:OPENING]):
        begun = _OF.search(line.text)
        if begun is None:
            continue
        named, after = line, begun.end()
        if not line.text[after:].strip() and place + 1 < len(lines):
            named, after = lines[place + 1], 0
        if name := _NAME.match(named.text, after):
            start = named.span.start
            return quote(text, start + name.start("name"), start + name.end("name"))
    return None


def _sworn(text: CanonicalText, lines: Sequence[Line]) -> tuple[Witness, ...]:
    """Return the names in capitals that stand where a witness is called or sworn, each at its first place in a row."""
    found: list[Witness] = []
    for place, line in enumerate(lines):
        named = introduction(lines, place)
        if named is None or (found and _key(found[-1].name.value) == _key(named["name"])):
            continue
        start = line.span.start
        name = quote(text, start + named.start("name"), start + named.end("name"))
        found.append(Witness(name=name, start=line.span.start))
        if len(found) == MOST:
            break
    return tuple(found)


def _stated(text: CanonicalText, question: str, answer: Quoted) -> Quoted | None:
    """Return the name in the answer to the question for it."""
    if not _STATE_NAME.search(question) or answer.span is None:
        return None
    name = _OWN_NAME.match(answer.value)
    if name is None:
        return None
    shown = name["name"].rstrip(".,")
    start = answer.span.start + name.start("name")
    return quote(text, start, start + len(shown))


def _key(name: str) -> str:
    return " ".join(name.casefold().replace(".", "").split())
