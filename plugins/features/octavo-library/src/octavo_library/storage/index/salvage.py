"""Reads a damaged SQLite index: returns every intact row, and the places of the others.

Rows are read as bytes and checked cell by cell: text that is not UTF-8, truncated JSON and unknown states are damage. A
page that SQLite cannot read costs only the rows on it.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from octavo_contracts import HardFailReason, IngestionState, Intent
from sqlalchemy import Float, Integer, Table

from .remark_policy import OWNER_ALONE
from .schema import REVISION, metadata
from .sqlite_reader import SqliteReader

SHOWN = 3
"""Number of findings that a message lists; the others are counted."""

_PAGE = 500
_LONGEST_SKIP = 1 << 20
_STATES = frozenset(IngestionState)
_WORDS: dict[tuple[str, str], frozenset[str]] = {
    ("documents", "ingestion_status"): _STATES,
    ("documents", "hard_fail_reason"): frozenset(HardFailReason),
    ("jobs", "state"): _STATES,
    ("jobs", "intent"): frozenset(Intent),
    ("transitions", "to_state"): _STATES,
    ("transitions", "from_state"): _STATES,
}
_SHAPES: dict[str, type] = {
    "overrides_json": dict,
    "policy_context_json": dict,
    "config_json": dict,
    "details_json": dict,
    "request_json": dict,
    "result_json": dict,
    "classification_json": dict,
    "flags_json": list,
    "retrieved_pages_json": list,
}
_OF_ANY_SHAPE = frozenset({("research_steps", "result_json")})
"""The step decides what its result is: a list of documents, for example."""
_VERSION = re.compile(r"v[1-9][0-9]{0,8}")


@dataclass(frozen=True, slots=True)
class BadCell:
    """An invalid value.

    Attributes:
        table: the table.
        column: the column, or None if the whole table or a part of it cannot be read.
        row: the row's number in SQLite, or None.
        what: the problem; never the value, which may be text of a document.
    """

    table: str
    column: str | None
    row: int | None
    what: str

    def __str__(self) -> str:
        place = f"table {self.table}"
        if self.row is not None:
            place += f", row {self.row}"
        if self.column is not None:
            place += f", column {self.column}"
        return f"{place}: {self.what}"


@dataclass(slots=True)
class Salvaged:
    """The result of reading a damaged index.

    Attributes:
        rows: table → rows, in table order; the value of a bad cell is missing from its row.
        bad: all findings.
    """

    rows: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    bad: list[BadCell] = field(default_factory=list)

    def is_incomplete(self, table: str) -> bool:
        """Whether rows or values of a table were lost."""
        return any(cell.table == table for cell in self.bad)


def salvage(path: Path, *, keep: bool = True) -> Salvaged:
    """Read every row of an index that may be damaged.

    Args:
        path: the index file; it is not changed.
        keep: whether to keep the rows, or only to look for damage.
    """
    found = Salvaged()
    try:
        with closing(SqliteReader(path).connect()) as connection:
            connection.text_factory = bytes
            for table in metadata.sorted_tables:
                rows = list(_rows(connection, table, found.bad)) if keep else _count(connection, table, found.bad)
                found.rows[table.name] = rows
            _check_revision(connection, found.bad)
    except sqlite3.Error as error:
        found.bad.append(BadCell("sqlite_master", None, None, f"the file cannot be read: {error}"))
    return found


def described(bad: Sequence[BadCell]) -> str:
    """Findings as text for a message."""
    more = f"; {len(bad) - SHOWN} more" if len(bad) > SHOWN else ""
    return "; ".join(map(str, bad[:SHOWN])) + more


def _count(connection: sqlite3.Connection, table: Table, bad: list[BadCell]) -> list[dict[str, Any]]:
    for _ in _rows(connection, table, bad):
        pass
    return []


def _check_revision(connection: sqlite3.Connection, bad: list[BadCell]) -> None:
    try:
        row = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    except sqlite3.Error as error:
        bad.append(BadCell("alembic_version", None, None, f"cannot be read: {error}"))
        return
    if row is None or row[0] > REVISION.encode():
        bad.append(BadCell("alembic_version", "version_num", None, "unknown schema revision"))


def _rows(connection: sqlite3.Connection, table: Table, bad: list[BadCell]) -> Iterator[dict[str, Any]]:
    try:
        there = {row[1].decode() for row in connection.execute(f'PRAGMA table_info("{table.name}")')}
    except (sqlite3.Error, UnicodeDecodeError) as error:
        bad.append(BadCell(table.name, None, None, f"cannot be read: {error}"))
        return
    if not there:
        bad.append(BadCell(table.name, None, None, "missing"))
        return
    names = [column.name for column in table.columns if column.name in there]
    for number, values in _raw_rows(connection, table.name, names, bad):
        yield _checked(table, number, dict(zip(names, values, strict=True)), bad)


def _raw_rows(
    connection: sqlite3.Connection, table: str, names: Sequence[str], bad: list[BadCell]
) -> Iterator[tuple[int, tuple[Any, ...]]]:
    """Rows in order, skipping those that cannot be read."""
    columns = ", ".join(f'"{name}"' for name in names)
    query = f'SELECT rowid, {columns} FROM "{table}" WHERE rowid > ? ORDER BY rowid LIMIT ?'
    last, skip, limit, failed = 0, 1, _PAGE, False
    while True:
        try:
            page = connection.execute(query, (last, limit)).fetchall()
        except sqlite3.Error as error:
            if not failed:
                bad.append(BadCell(table, None, last + 1, f"rows from here on cannot be read: {error}"))
            if limit > 1:
                limit = 1
                continue
            failed, last, skip = True, last + skip, skip * 2
            if skip > _LONGEST_SKIP:
                return
            continue
        if not page:
            return
        failed, skip, last = False, 1, page[-1][0]
        limit = min(_PAGE, limit * 2)
        yield from ((row[0], row[1:]) for row in page)


def _checked(table: Table, number: int, row: dict[str, Any], bad: list[BadCell]) -> dict[str, Any]:
    kept: dict[str, Any] = {}
    for name, value in row.items():
        try:
            kept[name] = _value(table, name, value)
        except ValueError as error:
            bad.append(BadCell(table.name, name, number, str(error)))
    return kept


def _shape(table: str, name: str) -> type:
    return object if (table, name) in _OF_ANY_SHAPE else _SHAPES.get(name, object)


def _value(table: Table, name: str, value: Any) -> Any:
    column = table.c[name]
    if value is None:
        if not column.nullable and not column.primary_key:
            raise ValueError("missing value")
        return None
    if isinstance(column.type, Integer | Float):
        if not isinstance(value, int | float):
            raise ValueError("not a number")
        return value
    if not isinstance(value, bytes):
        raise ValueError("not text")
    try:
        text = value.decode()
    except UnicodeDecodeError as error:
        raise ValueError("not valid UTF-8") from error
    if name.endswith("_json") and not (name == "policy_context_json" and text == OWNER_ALONE):
        try:
            found = json.loads(text)
        except ValueError as error:
            raise ValueError("not valid JSON") from error
        if not isinstance(found, _shape(table.name, name)):
            raise ValueError("JSON of the wrong type")
    words = _WORDS.get((table.name, name))
    if words is not None and text not in words:
        raise ValueError("unknown value")
    if name == "active_conversion_version" and not _VERSION.fullmatch(text):
        raise ValueError("not a version")
    return text
