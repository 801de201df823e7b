"""Finds the labels of a field in a text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

MAX_LABELLED = 100
"""Maximum number of places that are looked at of one field."""

_BETWEEN = r"\W{0,5}"


class Labelled(NamedTuple):
    """A label in a text.

    Attributes:
        label: as the schema has it.
        start: of the label in the text, code points.
        end: the end of the label, with the signs that close it.
    """

    label: str
    start: int
    end: int


def label_pattern(label: str) -> re.Pattern[str]:
    """Return a pattern for a label in any case, with any signs between its words and those that close it."""
    words = [re.escape(word) for word in re.findall(r"\w+", label)]
    if not words:
        return re.compile(re.escape(label.strip()) or r"(?!)")
    closing = r"\s?".join(map(re.escape, "".join(re.split(r"\w+", label)[-1].rstrip(": ").split())))
    own = rf"(?:\s?{closing})?" if closing else ""
    return re.compile(rf"(?<!\w){_BETWEEN.join(words)}(?!\w){own}(?:\s?[)\]%#.]){{0,3}}", re.IGNORECASE)


def labelled(text: str, labels: Sequence[str]) -> list[Labelled]:
    """Return where a text has one of the labels, in order; at most `MAX_LABELLED` places."""
    found: list[Labelled] = []
    for label in labels:
        for match in label_pattern(label).finditer(text):
            found.append(Labelled(label, match.start(), match.end()))
            if len(found) == MAX_LABELLED:
                return sorted(found, key=lambda one: one.start)
    return sorted(found, key=lambda one: one.start)
