"""Runs prepared queries of an SQLite index by its driver: SQLAlchemy's work for each execution takes longer than most of them."""

from __future__ import annotations

import sqlite3
from collections import namedtuple
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any, Final, NamedTuple

from sqlalchemy import Connection, Dialect, Row, Select
from sqlalchemy.exc import DBAPIError

_NONE: Final[Mapping[str, Any]] = {}


class _Compiled(NamedTuple):
    """A query as the driver takes it.

    Attributes:
        text: the statement.
        fixed: name → value of the parameters that the statement brings itself.
        order: names of its parameters, in order.
        make: makes a row of a tuple.
        readers: place → conversion of a column's value, for columns that have one.
    """

    text: str
    fixed: dict[str, Any]
    order: tuple[str, ...]
    make: Callable[[Iterable[Any]], Any]
    readers: tuple[tuple[int, Callable[[Any], Any]], ...]


def rows(connection: Connection, query: Select[Any], given: Mapping[str, Any] = _NONE) -> list[Row[*tuple[Any, ...]]]:
    """As `connection.execute(query, given).all()`; the rows are named tuples.

    Args:
        connection: in a transaction.
        query: made once and used again (`dialect.prepared`), because its compiled form is kept by it.
        given: its parameters: strings, numbers and None.

    Raises:
        DBAPIError: as SQLAlchemy raises it.
    """
    # Whoever listens to statements, such as a test that counts them, hears of these, too.
    if connection.dialect.name != "sqlite" or connection.dispatch.before_cursor_execute:
        return list(connection.execute(query, given))
    text, fixed, order, make, readers = _compiled(connection.dialect, query, tuple(given))
    values = {**fixed, **given} if fixed else given
    driver = connection.connection.driver_connection
    assert driver is not None  # the transaction has a connection
    parameters = tuple([values[name] for name in order])
    try:
        found = driver.execute(text, parameters).fetchall()
    except sqlite3.Error as error:
        raise DBAPIError.instance(text, parameters, error, sqlite3.Error, dialect=connection.dialect) from error
    if readers:
        found = [_read(row, readers) for row in found]
    return list(map(make, found))


def first_column(connection: Connection, query: Select[Any], given: Mapping[str, Any] = _NONE) -> list[Any]:
    """As `connection.scalars(query, given).all()`; see `rows`."""
    return [row[0] for row in rows(connection, query, given)]


@lru_cache(maxsize=512)
def _compiled(dialect: Dialect, query: Select[Any], names: tuple[str, ...]) -> _Compiled:
    # Lists of `IN`, which are part of a prepared query, are written out.
    expanded = query.compile(dialect=dialect).construct_expanded_state(dict.fromkeys(names))
    columns = query.selected_columns
    made: Callable[..., Any] = namedtuple  # its names are known at run time alone
    row = made("row", columns.keys(), rename=True)
    row._mapping = property(row._asdict)
    readers = (
        (place, column.type.dialect_impl(dialect).result_processor(dialect, None))
        for place, column in enumerate(columns)
    )
    return _Compiled(
        text=expanded.statement,
        fixed={name: value for name, value in expanded.parameters.items() if name not in names},
        order=tuple(expanded.positiontup or ()),
        make=row._make,
        readers=tuple((place, reader) for place, reader in readers if reader is not None),
    )


def _read(row: tuple[Any, ...], readers: tuple[tuple[int, Callable[[Any], Any]], ...]) -> list[Any]:
    values = list(row)
    for place, reader in readers:
        values[place] = reader(values[place])
    return values
