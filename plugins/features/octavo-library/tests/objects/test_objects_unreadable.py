"""A worker meets documents that it cannot begin: they stay in the queue for one that can (ENG-6)."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from octavo.profiles.profile import load_profile
from octavo_library import IngestOptions, Library

Opener = Callable[..., Library]
COUNT = 3
PROFILE = """
name = "near"
description = "For the tests."
[routes]
markdown = ["plaintext"]
"""


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    folder = tmp_path / "papers"
    folder.mkdir()
    for number in range(COUNT):
        (folder / f"paper-{number}.md").write_text(f"# Paper {number}\n\nWhat paper {number} says about seals.\n")
    return folder


def check_each_once(library: Library, count: int = COUNT) -> None:
    """Each paper is complete and was converted once."""
    documents = library.documents()
    assert sorted(document.title or "" for document in documents) == [f"Paper {number}" for number in range(count)]
    assert {(document.status, len(document.versions)) for document in documents} == {("complete", 1)}
    assert (library.queue.counts().queued, library.queue.counts().taken) == (0, 0)
    assert library.maintenance.verify().is_clean


def test_documents_that_a_worker_cannot_open_wait_for_one_that_can(
    machine: Opener, papers: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Each is named by its file; the worker that has the folder converts each once."""
    away = tmp_path / "away"
    with machine("one") as one, machine("two") as two:
        assert one.queue.submit(papers).queued == COUNT
        papers.rename(away)
        with caplog.at_level(logging.WARNING, logger="octavo.ingestion"):
            without = two.queue.work(until_empty=True, slots=1)
        assert (without.ended, without.left, two.queue.counts().queued) == (0, COUNT, COUNT)
        for number in range(COUNT):
            assert any(str(papers / f"paper-{number}.md") in message for message in caplog.messages)
        away.rename(papers)
        done = one.queue.work(until_empty=True, slots=1)
        assert (done.ended, done.failed, done.left) == (COUNT, 0, 0)
        check_each_once(one)
        hashes = [document.raw_hash for document in one.documents()]
        attempts = [job.attempts for raw_hash in hashes for job in one.context.index.jobs.of_hash(raw_hash)]
        assert attempts == [1] * COUNT, "what was not begun is no attempt"


def test_a_worker_that_cannot_open_a_document_converts_the_next_ones(
    machine: Opener, papers: Path, tmp_path: Path
) -> None:
    """The oldest documents of the queue are unreadable for it, and it takes one at a time."""
    with machine("one") as library:
        library.queue.submit(papers)
        papers.rename(tmp_path / "away")
        late = tmp_path / "late.md"
        late.write_text("# Paper 0\n\nThe late one.\n")
        library.queue.submit(late)
        done = library.queue.work(until_empty=True, slots=1)
        assert (done.ended, done.left, library.queue.counts().queued) == (1, COUNT, COUNT)


def test_originals_that_are_stored_later_are_read(machine: Opener, papers: Path, tmp_path: Path) -> None:
    """Submitted again, the bytes are in the store, and a worker without the folder converts them."""
    with machine("one") as one, machine("two") as two:
        one.queue.submit(papers)
        papers.rename(tmp_path / "away")
        assert two.queue.work(until_empty=True, slots=1).left == COUNT
        (tmp_path / "away").rename(papers)
    with machine("one", originals="stored") as one:
        done = one.queue.submit(papers)
        assert (done.queued, done.known) == (0, COUNT), "they are in the queue already"
    papers.rename(tmp_path / "away")
    with machine("two") as two:
        assert two.queue.work(until_empty=True, slots=1).ended == COUNT
        check_each_once(two)


def test_a_running_worker_tries_again_when_its_folder_is_back(
    machine: Opener, papers: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("octavo_library.ingestion.deferred_jobs.FIRST_PAUSE", 0.5)
    away = tmp_path / "away"
    with machine("one") as library:
        library.queue.submit(papers)
        papers.rename(away)
        stop = threading.Event()
        worker = threading.Thread(target=library.queue.work, kwargs={"stop": stop, "slots": 1})
        worker.start()
        try:
            assert not stop.wait(2)
            away.rename(papers)
            for _ in range(240):
                if len(library.documents()) == COUNT or stop.wait(0.5):
                    break
        finally:
            stop.set()
            worker.join()
        check_each_once(library)


def test_a_profile_that_a_worker_lacks_is_left_to_one_that_has_it(
    machine: Opener, papers: Path, tmp_path: Path
) -> None:
    profile = tmp_path / "near.toml"
    profile.write_text(PROFILE)
    with machine("one", originals="stored") as library:
        library.queue.submit(papers, options=IngestOptions(profile=str(profile)))
    profile.unlink()
    load_profile.cache_clear()  # a worker on another machine has not read it
    for _ in range(4):  # more often than a document that fails is begun
        with machine("two") as library:
            assert library.queue.work(until_empty=True, slots=1).left == COUNT
            assert library.queue.counts().queued == COUNT
    profile.write_text(PROFILE)
    with machine("two") as library:
        assert library.queue.work(until_empty=True, slots=1).ended == COUNT
        check_each_once(library)


def test_documents_that_an_earlier_version_took_out_of_the_queue_are_queued_again(
    machine: Opener, papers: Path
) -> None:
    """They have no owner and are not in the queue; `submit` says that it queued them, and so it did."""
    with machine("one") as library:
        library.queue.submit(papers)
        index = library.context.index
        owner = library.context.artifacts.owner
        for job in index.queue.take(owner=owner, limit=COUNT, seconds=600.0):
            index.jobs.give_back(job)
        assert library.queue.work(until_empty=True, slots=1).ended == 0
        done = library.queue.submit(papers)
        assert (done.queued, done.known) == (COUNT, 0)
        assert library.queue.work(until_empty=True, slots=1).ended == COUNT
        check_each_once(library)


def test_a_failed_document_is_counted(machine: Opener, papers: Path) -> None:
    (papers / "empty.txt").touch()
    with machine("one", originals="stored") as library:
        library.queue.submit(papers)
        done = library.queue.work(until_empty=True, slots=1)
        assert (done.ended, done.failed, done.left) == (COUNT + 1, 1, 0)
