"""Explains why the pattern of a field gave no value: what it matches, and what it may match.

A pattern is a caller's: it runs in the sandbox, with a time limit.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import Final

from octavo_contracts.authoring.label_qualifiers import qualifier_before
from octavo_contracts.authoring.value_patterns import is_whole_value, value_group

from .absence import BEHIND, MAX_SHOWN, first_pages, no_label, two_orders
from .labels import Labelled, labelled
from .schema import FieldSpec

MAX_MATCHES: Final = 1000
"""Maximum number of matches that are looked at."""
MAX_QUOTED: Final = 80
"""Maximum code points of a match that are shown."""

_NO_MATCH: Final = "nothing in the text matches its pattern"
_ONE_LINE: Final = "; the text has a blank where the document has a line break"
_BESIDE: Final = "a label must stand in the match, before its group, or directly before the match, and all values beside labels must be alike"


def why_no_match(text: str, spec: FieldSpec) -> str:
    """Say why the pattern of a field gave no value.

    Args:
        text: the canonical text.
        spec: the field; it has a pattern.
    """
    assert spec.pattern is not None
    scope = first_pages(text, spec.pages)
    pattern = re.compile(spec.pattern.removeprefix("^").removesuffix("$"))
    group = value_group(pattern)
    matches = list(islice(pattern.finditer(scope), MAX_MATCHES))
    if not matches:
        return _NO_MATCH + (_ONE_LINE if re.search(r"\\[nr]|[\n\r]", spec.pattern) else "")
    values = [match for match in matches if match.group(group)]
    if not values:
        return f"{_matching(matches, 0)}, where its group has no text"
    if not any(is_whole_value(scope, match) for match in values):
        return f"its pattern takes {_part(scope, values[0], group)}: a value is never a part of a longer word or number"
    if spec.kind == "date" and (told := two_orders([match.group(group) for match in values])):
        return told
    found = labelled(scope, spec.labels)
    if not found:
        return f"{_matching(values, 0)}, but {no_label(spec)}"
    if not group and any(match.start() <= one.start < match.end() for match in values for one in found):
        return f"{_matching(values, 0)}, with a label: put the value in parentheses"
    words = [_qualifier(scope, match, one) for match in values for one in found if _is_label_of(one, match)]
    if words and all(words):
        return f'{_matching(values, 0)} behind "{words[0]}", which makes another label of it: begin the pattern with that word'
    return f"{_matching(values, 0)}: {_BESIDE}"


def _is_label_of(label: Labelled, match: re.Match[str]) -> bool:
    """Return whether a label is in a match, or shortly before it."""
    return label.start < match.end() and match.start() - label.end <= BEHIND


def _qualifier(text: str, match: re.Match[str], label: Labelled) -> str:
    """Return the word before the label of a match that changes its meaning, if the match does not have it; else an empty text."""
    word = qualifier_before(text, label.start)
    return word if word and text.rindex(word, 0, label.start) < match.start() else ""


def _part(text: str, match: re.Match[str], group: int) -> str:
    """Quote a value and the word that it is a part of."""
    before = re.search(r"\S*$", text[max(0, match.start(group) - MAX_QUOTED) : match.start(group)])
    behind = re.match(r"\S*", text[match.end(group) : match.end(group) + MAX_QUOTED])
    assert before is not None
    assert behind is not None
    return f'"{match.group(group)}" of "{before.group()}{match.group(group)}{behind.group()}"'


def _matching(matches: list[re.Match[str]], group: int) -> str:
    """Quote what a pattern matches."""
    shown = list(dict.fromkeys(_cut(match.group(group)) for match in matches))
    told = " and ".join(f'"{one}"' for one in shown[:MAX_SHOWN])
    return f"its pattern matches {told}{' and more' if len(shown) > MAX_SHOWN else ''}"


def _cut(text: str) -> str:
    return text if len(text) <= MAX_QUOTED else f"{text[:MAX_QUOTED]}…"
