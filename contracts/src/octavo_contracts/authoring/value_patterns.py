"""Finds what the pattern of a field matches: its first group, or the whole match of a pattern without groups.

A value is never a part of a longer word or number. Only a letter and a digit may be divided, and only by a pattern whose match
goes on to the border of the word: `RM([0-9.]+)` takes `8.35` of `RM8.35`. A date may run into a time of day.
"""

from __future__ import annotations

import re

from .dates_and_times import runs_into_time


def value_group(pattern: re.Pattern[str]) -> int:
    """Return the number of the group that is the value; 0 is the whole match."""
    return 1 if pattern.groups else 0


def is_whole_value(text: str, match: re.Match[str]) -> bool:
    """Return whether the value of a match is no part of a longer word or number.

    Args:
        text: the text.
        match: a match of a pattern in it, whose value is not empty.
    """
    group = value_group(match.re)
    return _starts_whole(text, match, group) and _ends_whole(text, match, group)


def _starts_whole(text: str, match: re.Match[str], group: int) -> bool:
    start = match.start(group)
    if match.start() == start:
        return not _cuts_before(text, start) and not re.search(r"\d[.,]\d$", text[max(0, start - 2) : start + 1])
    return not _cuts_before(text, start) or (_divides(text, start) and not _cuts_before(text, match.start()))


def _ends_whole(text: str, match: re.Match[str], group: int) -> bool:
    end = match.end(group)
    if runs_into_time(text, match.start(group), end):
        return True
    if match.end() == end:
        return not _cuts_after(text, end) and not re.match(r"\d[.,]\d", text[end - 1 : end + 2])
    return not _cuts_after(text, end) or (_divides(text, end) and not _cuts_after(text, match.end()))


def _cuts_before(text: str, start: int) -> bool:
    """Return whether a word or number begins before an offset and goes on behind it."""
    return 0 < start < len(text) and bool(re.match(r"[\w\-]", text[start - 1])) and text[start].isalnum()


def _cuts_after(text: str, end: int) -> bool:
    """Return whether a word or number that ends at an offset goes on behind it."""
    return 0 < end < len(text) and bool(re.match(r"\w|-\w", text[end : end + 2])) and text[end - 1].isalnum()


def _divides(text: str, at: int) -> bool:
    """Return whether an offset is between a letter and a digit."""
    before, after = text[at - 1], text[at]
    return (before.isalpha() and after.isdecimal()) or (before.isdecimal() and after.isalpha())
