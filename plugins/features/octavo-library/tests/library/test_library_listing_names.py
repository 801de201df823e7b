"""Names in a listing: documents without a name of their own cost one look-up together, not one each."""

from __future__ import annotations

from pathlib import Path

from octavo import Settings
from octavo_library import Library
from sqlalchemy import event
from sqlalchemy.engine import Engine


def test_nameless_documents_do_not_cost_a_query_each(tmp_path: Path) -> None:
    counts = []
    with Library.open(tmp_path / "library", settings=Settings(sampling=False, workers=1)) as library:
        for number in range(4):
            library.ingest(f"Reading {number} of the gauge.".encode(), name="a.txt", plugin="plaintext")
            statements: list[str] = []

            def count(
                _connection: object, _cursor: object, statement: str, *rest: object, into: list[str] = statements
            ):
                into.append(statement)

            event.listen(Engine, "before_cursor_execute", count)
            page = library.catalogue.page()
            event.remove(Engine, "before_cursor_execute", count)
            assert [one.name for one in page.entries] == ["a.txt"] * (number + 1)
            assert len(page.entries) == number + 1
            counts.append(len(statements))
    assert len(set(counts)) == 1
