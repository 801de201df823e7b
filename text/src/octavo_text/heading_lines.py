"""The headings in the markdown of a page."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .words import has_figure, words

FENCE = re.compile(r"^[ \t]*(?:`{3}|~{3})")
"""A line that opens or closes fenced code."""
_MARKUP = re.compile(r"\$[^$]+\$|<su[bp]>[^<]*</su[bp]>")
"""Formulas, raised and lowered letters."""
_SIGN = re.compile("[=≈≠≤≥∈∑∏∫√∀∃⊂⊆∂∇]")
_TABLE_WORDS, _REPEATED, _FIGURES, _FIGURE_SHARE = 8, 0.4, 4, 0.3
"""Words of a line that may be of a table, the share of them that it says again, figures, and their share."""
_LONG_WORD = re.compile(r"[^\W\d_]{4,}")
SENTENCE_WORDS = 12
"""A line with so many words that ends with a full stop is a sentence."""
CLAUSE_WORDS = 4
"""Fewer words on one side of a full stop are an abbreviation or a number, not a sentence."""
_FULL_STOP = re.compile(r"[^\W\d_]{3}[.!?][\"'”’)]*\s+(?=\S)|[。！？]")
_HEADING = re.compile(r"^(#{1,6})[ \t]+(.*?)[ \t#]*$")


@dataclass(frozen=True, kw_only=True)
class Heading:
    """A heading of a page.

    Attributes:
        letters: its letters and digits, by which readings are compared.
        level: 1 to 6.
        line: index of its line in the markdown.
    """

    letters: str
    level: int
    line: int


def headings_in(markdown: str) -> tuple[Heading, ...]:
    """Return the headings of a page's markdown, outside fenced code."""
    found = []
    in_code = False
    for line, text in enumerate(markdown.split("\n")):
        if FENCE.match(text):
            in_code = not in_code
        elif not in_code and (match := _HEADING.match(text)) and (letters := letters_of(match[2])):
            found.append(Heading(letters=letters, level=len(match[1]), line=line))
    return tuple(found)


def without_empty_headings(markdown: str) -> str:
    """Return a page's markdown with headings that have no letter and no digit, such as a row of dots, as paragraphs."""
    lines = markdown.split("\n")
    in_code = False
    for at, text in enumerate(lines):
        if FENCE.match(text):
            in_code = not in_code
        elif not in_code and (match := _HEADING.match(text)) and match[2] and not letters_of(match[2]):
            lines[at] = match[2]
    return "\n".join(lines)


def is_no_title(text: str) -> bool:
    """Return whether a line is no title by what it says: a formula, a clause that goes on, the head of a table, or a row of figures."""
    return text.rstrip().endswith(",") or _is_formula(text) or _is_of_table(text)


def is_no_heading(text: str) -> bool:
    """Return whether a line is no title, or has a whole sentence before a further one, or is a long one itself."""
    return is_no_title(text) or _is_prose(text)


def _is_prose(text: str) -> bool:
    if len(text.split()) >= SENTENCE_WORDS and text.rstrip()[-1:] in ".。":
        return True
    stops = [stop for stop in _FULL_STOP.finditer(text) if not text[stop.end() : stop.end() + 1].islower()]
    return any(min(_length(text[: stop.end()]), _length(text[stop.end() :])) >= CLAUSE_WORDS for stop in stops)


def _length(text: str) -> int:
    return len(words(text))


def _is_of_table(text: str) -> bool:
    """Return whether a line says the same words again and again, as heads of columns do, or many figures."""
    parts = text.casefold().split()
    figures = sum(map(has_figure, parts))
    repeated = len(parts) - len(set(parts))
    return len(parts) >= _TABLE_WORDS and (
        repeated >= _REPEATED * len(parts) or (figures >= _FIGURES and figures >= _FIGURE_SHARE * len(parts))
    )


def _is_formula(text: str) -> bool:
    """Return whether a line is signs of mathematics with a word at most, as a displayed formula is, which is set large."""
    plain = _MARKUP.sub(" ", text)
    return (len(plain) < len(text) or bool(_SIGN.search(plain))) and len(_LONG_WORD.findall(plain)) <= 1


def letters_of(text: str) -> str:
    """Return the letters and digits of a text, in which marks, spaces and case are no difference."""
    return "".join(filter(str.isalnum, text.casefold()))
