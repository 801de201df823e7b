"""Prepared queries of an SQLite index that its driver runs: the same rows and the same errors as from SQLAlchemy."""

from __future__ import annotations

from typing import Any

import pytest
from octavo_library.storage import Index
from octavo_library.storage.index import direct_read
from octavo_library.storage.index.dialect import as_many, many
from octavo_library.storage.index.schema import corpora, document_original_paths
from sqlalchemy import Boolean, Integer, Text, bindparam, event, literal_column, select, table
from sqlalchemy.engine import Engine
from sqlalchemy.exc import OperationalError

pytestmark = pytest.mark.sqlite_files


@pytest.fixture
def filled(index: Index) -> Index:
    for name in ("tides", "storms", "charts"):
        index.corpora.create(name)
    return index


QUERIES: tuple[tuple[Any, dict[str, Any]], ...] = (
    (select(corpora).order_by(corpora.c.name), {}),
    (select(corpora.c.name).where(corpora.c.name == bindparam("called")), {"called": "tides"}),
    (select(corpora.c.name).where(corpora.c.name.in_(("tides", "charts"))).order_by(corpora.c.name), {}),
    (select(corpora.c.name).where(corpora.c.name.in_(many("sqlite"))).order_by(corpora.c.name), as_many(["storms"])),
    (
        select(corpora.c.name)
        .where(corpora.c.name > bindparam("place", type_=Text), corpora.c.name != "tides")
        .order_by(corpora.c.name)
        .limit(bindparam("most", type_=Integer)),
        {"place": "charts", "most": 1},
    ),
    (select(literal_column("1", Boolean).label("yes"), literal_column("NULL", Boolean).label("unknown")), {}),
    (select(document_original_paths), {}),
)


@pytest.mark.parametrize(("query", "given"), QUERIES)
def test_the_rows_are_those_of_sqlalchemy(filled: Index, query: Any, given: dict[str, Any]) -> None:
    with filled.corpora._read() as connection:
        expected = connection.execute(query, given).all()
        found = direct_read.rows(connection, query, given)
        again = direct_read.rows(connection, query, given)
    assert [tuple(row) for row in found] == [tuple(row) for row in expected]
    assert [dict(row._mapping) for row in again] == [dict(row._mapping) for row in expected]
    assert [list(map(type, row)) for row in found] == [list(map(type, row)) for row in expected]


def test_a_failed_query_raises_the_error_of_sqlalchemy(index: Index) -> None:
    """So that the library reports a locked or a damaged index in the same words."""
    query = select(literal_column("1")).select_from(table("no_such_table"))
    errors = []
    for run in (lambda connection: connection.execute(query), lambda connection: direct_read.rows(connection, query)):
        with index.corpora._read() as connection, pytest.raises(OperationalError) as raised:
            run(connection)
        errors.append((type(raised.value), str(raised.value.orig), raised.value.statement))
    assert errors[0] == errors[1]


def test_a_listener_hears_of_each_statement(filled: Index) -> None:
    """A test that counts statements would otherwise count none of these."""
    heard: list[str] = []

    def note(_: object, __: object, statement: str, *___: object) -> None:
        heard.append(statement)

    with filled.view():
        filled.corpora.all()
        event.listen(Engine, "before_cursor_execute", note)
        try:
            assert len(filled.corpora.all()) == 3
        finally:
            event.remove(Engine, "before_cursor_execute", note)
        assert len([one for one in heard if "FROM corpora" in one]) == 1
        filled.corpora.all()
    assert len(heard) == 1
