"""Chooses the value of a field among several: the one next to its label. If labels point at two values, none is chosen.

A wrong value costs more than a missing one (CNV-13), so every doubt is a refusal.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import Final, NamedTuple

from octavo_contracts.authoring.label_qualifiers import QUALIFIERS, qualifier_before

from .kinds import read
from .label_pattern import label_pattern
from .place import Place
from .wanted import Wanted

REACH: Final = 60
"""Maximum code points between a label and its value."""

SHORTLY: Final = 30
"""Maximum code points between a word such as `INVOICE` and the only date of a document."""

REACH_BELOW: Final = 250
"""Maximum code points between a value and its label on a form that prints labels below values."""

MAX_READ: Final = 50
"""Maximum number of different texts that are parsed to find out whether a document has only one value."""

_MARKS: Final = r"[\s:.#=|*_\-–—(\[\"“]*"
_FILLER: Final = re.compile(
    rf"(?: ?\([\d.,]{{1,6}} ?%\))?(?:\)\s*:)?{_MARKS}(?:(?:no|nos|number|num|nr|is|of|on|for|was|the|dated|total|to|be|by|via)\b{_MARKS}){{0,3}}"
    r"(?:[^\W\d_][\w.,' \-]{0,40}<|[$€£¥₹] ?)?",
    re.IGNORECASE,
)
"""Text allowed between a label and its value: punctuation, a few small words, a currency sign,
and the name before an address in angle brackets."""

_SENTENCE: Final = re.compile(r"[.!?;]\s|\n\n")
_ABOVE: Final = re.compile(r"[\s_*|\-–—\"”]*\(?\s*")
"""Text allowed between a value and a label printed below it, as on forms."""

_DEFINED: Final = re.compile(r"\((?:the\s+|this\s+|collectively,?\s+|each,?\s+(?:a|an)\s+)?[\"“'‘]?$", re.IGNORECASE)
"""Start of the parentheses that name the value before them: `1 May 2024 (the "Effective Date")`, or a form's label below a value."""

_ONE_OF_SEVERAL: Final = re.compile(r"[>\s\"]*[,;&][^@<]{0,60}<?|[ \t]{1,20}")
"""Separator of two values in a list, or in the row of a table."""


class Chosen(NamedTuple):
    """A value and its place."""

    value: str | int | float
    place: Place


def choose(text: str, wanted: Wanted, found: Sequence[Place]) -> Chosen | None:
    """Return the value of a field, or None if there is none or more than one.

    Args:
        text: the text.
        wanted: the field.
        found: the positions of values of its kind, in order.
    """
    beside = [place for label in wanted.labels for place in _beside(text, label, found)]
    if beside:
        return _the_only(text, wanted, beside)
    if wanted.dates and wanted.dates not in QUALIFIERS and any(_named_before(text, wanted.dates, one) for one in found):
        # `INVOICE 2020-10 January 8, 2020`: the only date of a document, shortly after what it is the date of.
        return _the_only(text, wanted, found)
    if wanted.generic or (wanted.pattern is not None and _labelled_below(text, wanted, found)):
        return _the_only(text, wanted, found)
    return None


def _the_only(text: str, wanted: Wanted, found: Sequence[Place]) -> Chosen | None:
    """Return the value of several positions; None if two differ, or if one can be read in two ways."""
    texts = {text[place.start : place.end] for place in found}
    if not texts or len(texts) > MAX_READ:
        return None
    values = {read(verbatim, wanted) for verbatim in texts}
    value = values.pop()
    return Chosen(value, min(found)) if not values and value is not None else None


def _beside(text: str, label: str, found: Sequence[Place]) -> list[Place]:
    """Return the positions right after each occurrence of a label, or right above a label in parentheses.

    Of a list of values after a label, all are returned, so that they contradict each other and none is chosen.
    """
    taken = []
    starts = [place.start for place in found]
    for match in _labels(text, label):
        before = text[max(0, match.start() - REACH) : match.start()].rstrip(" -")
        qualifier = qualifier_before(text, match.start())
        number = bisect_left(starts, match.end())
        if qualifier and not (
            # A pattern may choose the longer label: `Due date: (.*)`.
            number < len(found) and found[number].match_start <= text.rindex(qualifier, 0, match.start())
        ):
            continue
        if number < len(found) and _follows(text, match.end(), found[number]):
            taken.append(found[number])
            while (
                len(taken) <= MAX_READ
                and number + 1 < len(found)
                and _ONE_OF_SEVERAL.fullmatch(text, found[number].end, found[number + 1].start)
            ):
                number += 1
                taken.append(found[number])
        elif (opened := _DEFINED.search(before)) and (at := bisect_left(starts, match.start())):
            above, bracket = found[at - 1], max(0, match.start() - REACH) + opened.start()
            if match.start() - above.end <= REACH and _ABOVE.fullmatch(text, above.end, bracket + 1):
                taken.append(above)
    return taken


def _labels(text: str, label: str) -> list[re.Match[str]]:
    """Return where a text has a label; of a label with a colon, only the places with the colon, if there are any."""
    found = list(label_pattern(label).finditer(text))
    closed = [one for one in found if one.group().endswith(":")] if label.rstrip().endswith(":") else []
    return closed or found


def _follows(text: str, end: int, place: Place) -> bool:
    """Return whether a value stands behind the end of a label; the match of a pattern may have the label, or what stands between."""
    if place.match_start <= end:
        return True
    return any(
        start - end <= REACH and _FILLER.fullmatch(text, end, start) is not None
        for start in {place.match_start, place.start}
    )


def _named_before(text: str, name: str, place: Place) -> bool:
    """Return whether a word stands shortly before a value, in the same sentence."""
    before = text[max(0, place.start - SHORTLY) : place.start]
    named = list(label_pattern(name).finditer(before))
    return bool(named) and _SENTENCE.search(before, named[-1].end() - 1) is None


def _labelled_below(text: str, wanted: Wanted, found: Sequence[Place]) -> bool:
    """Return whether a label soon follows a value, as on a form with several values above several labels."""
    ends = [place.end for place in found]
    for label in wanted.labels:
        for match in label_pattern(label).finditer(text):
            at = bisect_right(ends, match.start())
            if at and match.start() - ends[at - 1] <= REACH_BELOW:
                return True
    return False
