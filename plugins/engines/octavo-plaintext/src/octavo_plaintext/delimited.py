"""CSV and its kin: one sheet, one table, every row."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from pathlib import PurePath
from typing import NamedTuple

from octavo_contracts import Conversion, ConversionWarning, Page, Table
from octavo_contracts.authoring import escape, pipe_table

DELIMITERS = (",", ";", "\t", "|")
"""Delimiters tried, the likelier first where two explain the rows equally well."""

SAMPLE_ROWS = 200
"""Rows that the dialect is judged by."""

MAX_PADDING = 10
"""Most cells of the filled-up grid for each cell of the file."""

_MAX_FIELD = 1 << 30
_UNFINISHED = "a quoted cell never ends"
_SEP_LINE = re.compile(r"\Asep=(.)\n")
_BACKSLASH_QUOTE = re.compile(r'\\"(?![,;|\t\n])')


class Dialect(NamedTuple):
    """How a file is written.

    Attributes:
        delimiter: between cells.
        escape: the sign that takes the next one literally, or None: quotes are doubled.
    """

    delimiter: str
    escape: str | None


class _Rows(NamedTuple):
    rows: list[list[str]]
    unbalanced: bool


def read_delimited(text: str, *, name: str, tabs: bool = False) -> Conversion:
    """A delimited file as one sheet (CNV-7: spreadsheets count sheets as pages).

    Args:
        text: the decoded file.
        name: the file's name; its stem is the sheet's label.
        tabs: whether the type says that tabs separate the cells.
    """
    dialect, body = _dialect(text, tabs=tabs)
    parsed = _parse(body, dialect)
    rows = [row for row in parsed.rows if row]
    width = max((len(row) for row in rows), default=0)
    ragged = sum(len(row) != width for row in rows)
    # One long row among many short ones must not make a grid of mostly nothing: then rows stay as they are.
    cheap = width * len(rows) <= MAX_PADDING * sum(len(row) for row in rows)
    padded = tuple(tuple(row) + ("",) * (width - len(row) if cheap else 0) for row in rows)
    warnings = []
    if ragged:
        done = "were filled up with empty ones" if cheap else "were left as they are"
        message = f"{ragged} of {len(rows)} rows are shorter than {width} cells and {done}."
        warnings.append(ConversionWarning(code="ragged_rows", message=message, page=1))
    if parsed.unbalanced:
        message = "A quoted cell never ends; quotes were read as text, so line breaks in cells may part rows."
        warnings.append(ConversionWarning(code="unbalanced_quotes", message=message, page=1))
    page = Page(
        number=1,
        label=PurePath(name).stem or None,
        kind="sheet",
        markdown=pipe_table([[escape(cell) for cell in row] for row in padded]) if padded else "",
        tables=(Table(rows=padded, header_rows=1),) if padded else (),
    )
    return Conversion(pages=(page,), paginated=True, warnings=tuple(warnings))


def _dialect(text: str, *, tabs: bool) -> tuple[Dialect, str]:
    """The dialect, and the text without the `sep=;` line that spreadsheets put first."""
    if match := _SEP_LINE.match(text):
        return Dialect(match[1], None), text[match.end() :]
    sample = text[: 1 << 18]
    escaped = len(_BACKSLASH_QUOTE.findall(sample)) > sample.count('""')
    candidates = [Dialect(delimiter, "\\" if escaped else None) for delimiter in (("\t",) if tabs else DELIMITERS)]
    return max(candidates, key=lambda dialect: _fitness(sample, dialect)), text


def _fitness(sample: str, dialect: Dialect) -> tuple[float, int]:
    """How well a dialect explains the rows: the share of rows of the commonest width, then that width.

    A dialect under which something follows a closing quote counts half: the quotes were written for another one.
    """
    # The sample's last row may be cut off; it is left out of the count.
    rows = [row for row in _parse(sample, dialect, most=SAMPLE_ROWS + 1).rows if row]
    widths = Counter(len(row) for row in (rows[:-1] or rows)[:SAMPLE_ROWS])
    if not widths:
        return 0.0, 0
    width, count = max(widths.items(), key=lambda item: (item[1], item[0]))
    share = count / widths.total() if width > 1 else 0.0
    return (share if _fault(sample, dialect) in (None, _UNFINISHED) else share / 2), width


def _parse(text: str, dialect: Dialect, *, most: int | None = None) -> _Rows:
    """Read rows; a quote that is never closed would swallow the rest of the file, so then quotes are text."""
    try:
        return _Rows(_read(text, dialect, most=most, quoting=csv.QUOTE_MINIMAL), unbalanced=False)
    except csv.Error:
        return _Rows(_read(text, dialect, most=most, quoting=csv.QUOTE_NONE), unbalanced=True)


def _read(text: str, dialect: Dialect, *, most: int | None, quoting: int) -> list[list[str]]:
    previous = csv.field_size_limit(_MAX_FIELD)
    try:
        reader = csv.reader(
            io.StringIO(text, newline=""),
            delimiter=dialect.delimiter,
            doublequote=dialect.escape is None,
            escapechar=dialect.escape if quoting == csv.QUOTE_MINIMAL else None,
            quoting=quoting,  # type: ignore[arg-type]  # typeshed wants a literal; both callers pass one
            skipinitialspace=False,
            strict=False,
        )
        rows: list[list[str]] = []
        for row in reader:
            rows.append(row)
            if most and len(rows) >= most:
                return rows
        if quoting == csv.QUOTE_MINIMAL and _ends_in_quotes(text, dialect):
            raise csv.Error(_UNFINISHED)
        return rows
    finally:
        csv.field_size_limit(previous)


def _ends_in_quotes(text: str, dialect: Dialect) -> bool:
    """Whether a strict reader finds the end of the file inside a quoted cell."""
    return _fault(text, dialect) == _UNFINISHED


def _fault(text: str, dialect: Dialect) -> str | None:
    """What a strict reader finds wrong first, or None."""
    previous = csv.field_size_limit(_MAX_FIELD)
    reader = csv.reader(
        io.StringIO(text, newline=""),
        delimiter=dialect.delimiter,
        doublequote=dialect.escape is None,
        escapechar=dialect.escape,
        strict=True,
    )
    try:
        for _ in reader:
            pass
    except csv.Error as error:
        return _UNFINISHED if "end of data" in str(error) else str(error)
    finally:
        csv.field_size_limit(previous)
    return None
