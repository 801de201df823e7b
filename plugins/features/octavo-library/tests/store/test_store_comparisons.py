"""Comparisons are counted once with the job that made them, whoever races or dies; decisions are a log (CNV-4)."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace

import pytest
from octavo_library.storage import Index, NewComparison, document_id_for
from octavo_library.storage.index import schema
from sqlalchemy import URL, func, select

METRICS = {"text_yield": {"a": 10, "b": 5, "difference": 0.5, "diverges": True}}


@pytest.fixture
def comparison(raw_hash: Callable[[str], str]) -> Callable[..., NewComparison]:
    """A comparison of the document that a text stands for."""

    def make(text: str, **fields: object) -> NewComparison:
        made = NewComparison(
            profile="measured",
            routing_type="html",
            occasion="first",
            places=3,
            document_id=document_id_for(raw_hash(text)),
            version=1,
            job_id="j",
            run_id=None,
            tool_a="one",
            engine_a="1.0",
            tool_b="two",
            engine_b=None,
            metrics=METRICS,
            agreement=0.5,
            threshold=0.25,
            diverges=True,
            failure=None,
            seconds=0.25,
        )
        return replace(made, **fields)  # type: ignore[arg-type]  # tests pass NewComparison's own fields

    return make


def test_what_is_stored_is_what_is_read(librarian, index, comparison):
    librarian.convert("a")
    index.comparisons.record(comparison("a", run_id="r"))
    (stored,) = index.comparisons.all(profile="measured", routing_type="html", run_id="r")
    assert (stored.slot, stored.metrics, stored.agreement, stored.diverges) == (1, METRICS, 0.5, True)
    assert index.comparisons.all(profile="other") == index.comparisons.all(run_id="other") == ()


def test_places_are_given_out_in_order_and_never_more_than_there_are(librarian, index, comparison):
    for text in "abcde":
        librarian.convert(text)
        index.comparisons.record(comparison(text))
    assert [one.slot for one in index.comparisons.all()] == [1, 2, 3, None, None]
    sampled = index.comparisons.sampled("measured")
    assert (sampled.counted, len(sampled.documents), sampled.engines) == (3, 3, {"one 1.0 two "})
    assert index.comparisons.sampled("seed").counted == 0, "each profile has places of its own"


def test_a_document_is_counted_once_for_an_occasion(librarian, index, comparison):
    librarian.convert("a")
    for occasion in ("first", "first", "drift:one 2", "drift:one 2"):
        index.comparisons.record(comparison("a", occasion=occasion))
    assert [(one.occasion, one.slot) for one in index.comparisons.all()] == [("first", 1), ("drift:one 2", None)]


def test_a_comparison_is_kept_with_the_end_of_its_job_or_not_at_all(librarian, index, comparison):
    """The two are one transaction: where the second part fails, the first did not happen."""
    job = librarian.start("a")

    def end_and_die() -> None:
        with index.whole():
            librarian.finish(job, "a")
            index.comparisons.record(comparison("a"))
            raise RuntimeError("killed")

    with pytest.raises(RuntimeError):
        end_and_die()
    assert index.comparisons.all() == ()
    assert index.jobs.get(job.job_id).state == job.state


def test_racing_writers_never_share_a_place(librarian, index: Index, index_url: str | URL, comparison):
    texts = [f"document {number}" for number in range(12)]
    for text in texts:
        librarian.convert(text)

    def write(part: list[str]) -> None:
        with Index(index_url) as own:
            for text in part:
                own.comparisons.record(comparison(text, places=7))

    threads = [threading.Thread(target=write, args=(texts[start::4],)) for start in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    slots = [one.slot for one in index.comparisons.all()]
    assert len(slots) == 12
    assert sorted(slot for slot in slots if slot is not None) == [1, 2, 3, 4, 5, 6, 7]


def test_a_purge_leaves_the_numbers_and_takes_the_name(librarian, index, comparison):
    document_id = librarian.convert("a")
    index.comparisons.record(comparison("a"))
    index.purges.begin_document(document_id, size=0, stored=0, ocr_pages={}, held_by=(), by="user")
    (left,) = index.comparisons.all()
    assert (left.document_id, left.version, left.job_id, left.slot) == (None, None, None, 1)
    assert index.comparisons.sampled("measured").counted == 1, "the place stays taken"
    with index.read() as connection:
        assert connection.scalar(select(func.count()).select_from(schema.documents)) == 0


def test_decisions_are_a_log_that_knows_what_each_had_seen(librarian, index, comparison):
    librarian.convert("a")
    index.comparisons.decide("measured", "html", action="keep", by="ann")
    index.comparisons.record(comparison("a"))
    index.comparisons.decide("measured", "html", action="prefer", tool="two", by="bo", note="tables")
    index.comparisons.decide("measured", "html", action="undo", by="cy", undoes=2)
    (stored,) = index.comparisons.all()
    assert [
        (one.action, one.tool, one.seen, one.made_by, one.note, one.undoes) for one in index.comparisons.verdicts()
    ] == [
        ("keep", None, 0, "ann", "", None),
        ("prefer", "two", stored.comparison_id, "bo", "tables", None),
        ("undo", None, stored.comparison_id, "cy", "", 2),
    ]
    assert index.comparisons.verdicts(profile="seed") == ()
