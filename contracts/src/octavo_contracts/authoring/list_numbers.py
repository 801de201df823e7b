"""The numbers of ordered lists in letters and Roman numerals, as documents show them (CNV-8)."""

from __future__ import annotations

import re

from .markdown import escape, escape_line_starts

_ROMAN = (
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"),
    (50, "l"), (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip
_MAX_LETTERS = 20
"""Longest label in letters: after "z" the letter is repeated, and a counter may begin at any number."""
_MAX_ROMAN = 4_999
_DECIMAL = re.compile(r"(\d{1,9})([.)]?)")


def number_in_form(number: int, form: str) -> str:
    """Write the number of a list item in its form.

    Args:
        number: the number.
        form: `lowerLetter`, `upperLetter`, `lowerRoman`, `upperRoman` or `decimalZero`, as in Office Open XML; numbers of other
            forms are written in decimals.
    """
    if form in {"lowerLetter", "upperLetter"} and 0 < number <= 26 * _MAX_LETTERS:
        letters = chr(ord("a") + (number - 1) % 26) * (1 + (number - 1) // 26)
        return letters.upper() if form == "upperLetter" else letters
    if form in {"lowerRoman", "upperRoman"} and 0 < number <= _MAX_ROMAN:
        digits = ""
        for value, sign in _ROMAN:
            digits += sign * (number // value)
            number %= value
        return digits.upper() if form == "upperRoman" else digits
    return f"{number:02d}" if form == "decimalZero" else str(number)


def list_marker(label: str) -> str:
    """Return the marker of a list item in markdown: `3.` for the labels `3` and `3.`, `3)`, or `- (b)`.

    Markdown numbers in decimals alone, so that any other label is part of the text.

    Args:
        label: the label as the document shows it.
    """
    if decimal := _DECIMAL.fullmatch(label):
        return f"{decimal[1]}{decimal[2] or '.'}"
    return f"- {escape_line_starts(escape(label))}"
