"""Cells as text: the values of a sheet, and their form in a markdown table."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date, datetime, time, timedelta
from urllib.parse import quote

Value = int | float | str | bool | date | datetime | time | timedelta
"""A cell's value from the engine; '' for an empty cell."""

Rows = list[list[str]]
"""A sheet as texts, rows from the top, all of one length."""

_LARGEST_PLAIN_INTEGER = 2.0**53
"""Up to here a float holds every whole number."""

_SAFE_IN_ADDRESS = "%/:?#@!$&'*+,;=~[]"
"""Characters of an address that neither end a markdown link nor a table cell."""

_SPECIAL = re.compile(r"[\\`*<\[\]|~]|(?<![^\W_])_|_(?![^\W_])|&(?=#?\w+;)")
"""Marks within a line. What begins a list, a quotation or a heading does so only at the start of a line, where no cell stands."""

_WORTH_A_LOOK = re.compile(r"[\\`*<\[\]|~_&\n\r\t\v\f\x1c-\x1f\x85\u2028\u2029]|  |^ | $")
"""Finds every text that `escape` changes, and few others: most cells are plain and pass with this one search."""


def cell_text(value: Value) -> str:
    """A value as text.

    Whole numbers are written without a decimal point, other numbers in their shortest exact form, dates and durations
    in ISO 8601 (2020-01-02, 2020-01-02T03:04:05, PT36H30M), booleans as TRUE and FALSE, nothing but white space as
    an empty cell.
    """
    if isinstance(value, str):
        return "" if value.isspace() else value
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, float):
        plain = value.is_integer() and -_LARGEST_PLAIN_INTEGER < value < _LARGEST_PLAIN_INTEGER
        return str(int(value)) if plain else repr(value)
    if isinstance(value, timedelta):
        return duration_text(value)
    if isinstance(value, int):
        return str(value)
    text = value.isoformat()
    return text.rstrip("0") if "." in text else text


def duration_text(value: timedelta) -> str:
    """A duration in ISO 8601, hours not folded into days, as `[h]:mm:ss` shows them: PT36H30M."""
    microseconds = value // timedelta(microseconds=1)
    sign = "-" if microseconds < 0 else ""
    seconds, fraction = divmod(abs(microseconds), 1_000_000)
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    text = f"{hours}H" if hours else ""
    text += f"{minutes}M" if minutes else ""
    if fraction:
        text += f"{seconds}.{fraction:06d}".rstrip("0") + "S"
    elif seconds or not text:
        text += f"{seconds}S"
    return f"{sign}PT{text}"


def trim(rows: Rows) -> tuple[Rows, int, int]:
    """Drop the empty rows and columns around a grid.

    Returns:
        The grid, and how many rows and columns were dropped before it.
    """
    filled = [index for index, row in enumerate(rows) if any(row)]
    if not filled:
        return [], 0, 0
    top, bottom = filled[0], filled[-1]
    left = min(next(index for index, cell in enumerate(rows[number]) if cell) for number in filled)
    right = max(
        len(rows[number]) - next(index for index, cell in enumerate(reversed(rows[number])) if cell)
        for number in filled
    )
    return [row[left:right] for row in rows[top : bottom + 1]], top, left


def markdown_table(rows: Rows, links: Mapping[tuple[int, int], str] | None = None) -> str:
    """A grid as a pipe table, the first row its header.

    Args:
        rows: the texts.
        links: (row, column) in the grid → the address that the cell leads to.
    """
    lines = [_line(row) for row in rows]
    by_row: dict[int, dict[int, str]] = {}
    for (row, column), address in (links or {}).items():
        by_row.setdefault(row, {})[column] = address
    for row, addresses in by_row.items():
        lines[row] = _linked_line(rows[row], addresses)
    lines.insert(1, "|" + " --- |" * len(rows[0]))
    return "\n".join(lines)


def _line(row: list[str]) -> str:
    return "| " + " | ".join([escape(cell) if cell else "" for cell in row]) + " |"


def _linked_line(row: list[str], links: Mapping[int, str]) -> str:
    cells = [cell_markdown(cell, links.get(place)) for place, cell in enumerate(row)]
    return "| " + " | ".join(cells) + " |"


def cell_markdown(text: str, address: str | None = None) -> str:
    """The text of a cell as markdown, as a link where the cell leads to an address."""
    shown = escape(text) if text else ""
    # A cell that shows its own address needs no second one.
    if not address or text.strip().removeprefix("mailto:") == address.removeprefix("mailto:"):
        return shown
    return f"[{shown or escape(address)}]({quote(address, safe=_SAFE_IN_ADDRESS)})"


def escape(text: str) -> str:
    """A text as a cell or a heading that reads the same: on one line, white space folded, marks escaped."""
    if _WORTH_A_LOOK.search(text) is None:
        return text
    return _SPECIAL.sub(r"\\\g<0>", " ".join(text.split()))
