"""Several reads of one thread that share a connection, and so one state of the index."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest
from octavo_library.storage import Index
from octavo_library.storage.index.dialect import empty_log
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError


@pytest.fixture
def other(index: Index) -> Iterator[Index]:
    """The same index, opened again, as by another process."""
    with Index(index.url) as opened:
        yield opened


def names(index: Index) -> list[str]:
    return [corpus.name for corpus in index.corpora.all()]


def test_reads_in_a_view_see_one_state_of_the_index(index: Index, other: Index) -> None:
    index.corpora.create("first")
    with index.view():
        assert names(index) == ["first"]
        other.corpora.create("second")
        assert names(other) == ["first", "second"]
        assert names(index) == ["first"]
    assert names(index) == ["first", "second"]


def test_a_write_in_a_view_is_seen_by_the_reads_after_it(index: Index, other: Index) -> None:
    with index.view():
        assert names(index) == []
        other.corpora.create("theirs")
        index.corpora.create("own")
        assert names(index) == ["own", "theirs"]
        with index.batch():
            index.corpora.create("in a batch")
            assert "in a batch" in names(index)
        assert names(index) == ["in a batch", "own", "theirs"]


def test_a_view_is_that_of_its_thread_alone(index: Index) -> None:
    seen: list[list[str]] = []
    with index.view():
        assert names(index) == []
        writer = threading.Thread(target=lambda: (index.corpora.create("new"), seen.append(names(index))))
        writer.start()
        writer.join()
        assert names(index) == []
    assert seen == [["new"]]


def test_a_failed_read_does_not_spoil_the_reads_after_it(index: Index) -> None:
    index.corpora.create("first")
    with index.view(), index.view():
        assert names(index) == ["first"]
        with pytest.raises(DBAPIError), index.read() as connection:
            connection.execute(text("SELECT nothing FROM nowhere"))
        assert names(index) == ["first"]


def test_a_closed_view_leaves_no_transaction_open(index: Index, librarian: Any) -> None:
    """A reader that stays would keep the write-ahead log from being emptied."""
    with index.view():
        assert names(index) == []
    librarian.convert("one")
    assert empty_log(index.url)
