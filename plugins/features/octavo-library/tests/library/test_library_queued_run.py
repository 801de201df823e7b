"""`library.queue.ingest`: one run whose conversions are done by workers (ENG-6, ENG-15)."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from octavo.runtime import Runtime
from octavo_contracts import HardFailReason, ToolUnavailable, UsageError
from octavo_library import IngestOptions, Library
from octavo_library.ingestion import deferred_jobs, queued_run
from octavo_library.ingestion.events import JobEnded

SAMPLES = Path(__file__).resolve().parents[5] / "docs" / "samples"
COUNT = 6
MANY = 120


@dataclass
class ThreadWorkers:
    """A worker in a thread of this process.

    Attributes:
        library: the library whose queue it works on.
        before: called before it starts.
        fails: the error that `check` raises.
        stops: how often it was asked to stop.
    """

    library: Library
    before: Callable[[], None] = lambda: None
    fails: Exception | None = None
    stops: int = 0
    stopped: threading.Event = field(default_factory=threading.Event)
    thread: threading.Thread | None = None

    def start(self, run_id: str) -> None:
        assert [record.run_id for record, _, _ in self.library.runs.list(limit=1)] == [run_id]
        self.thread = threading.Thread(target=self._work)
        self.thread.start()

    def check(self) -> None:
        if self.fails is not None:
            raise self.fails

    def stop(self) -> None:
        self.stops += 1
        self.stopped.set()
        if self.thread is not None:
            self.thread.join()

    def _work(self) -> None:
        self.before()
        self.library.queue.work(stop=self.stopped, slots=1)


@pytest.fixture
def library(tmp_path: Path, runtime: Runtime) -> Iterator[Library]:
    with Library.open(tmp_path / "library", runtime=runtime) as opened:
        yield opened


@pytest.fixture
def papers(tmp_path: Path) -> list[Path]:
    return write_papers(tmp_path / "papers", COUNT)


def write_papers(folder: Path, count: int) -> list[Path]:
    folder.mkdir()
    made = [folder / f"paper-{number}.md" for number in range(count)]
    for number, path in enumerate(made):
        path.write_text(f"# Paper {number}\n\nWhat paper {number} says about seals.\n")
    return made


def texts(library: Library) -> dict[str, tuple[str, str]]:
    converted = [one for one in library.documents() if one.active_version is not None]
    return {one.id: (one.canonical_text, one.markdown) for one in converted}


def test_the_results_are_those_of_a_run_without_workers(
    library: Library, papers: list[Path], tmp_path: Path, runtime: Runtime
) -> None:
    """Documents, attachments, copies, failures and what is known: as `ingest_many` has them (ENG-15, ENG-17)."""
    copy = tmp_path / "copy.md"
    copy.write_bytes(papers[0].read_bytes())
    empty = tmp_path / "empty.txt"
    empty.touch()
    given = [*papers, copy, empty, tmp_path / "missing.md", SAMPLES / "storm-warning.eml"]
    library.ingest(papers[1])
    workers = ThreadWorkers(library)
    found = list(library.queue.ingest(given, workers=workers, named=["papers"]))
    with Library.open(tmp_path / "alone", runtime=runtime) as alone:
        alone.ingest(papers[1])
        expected = list(alone.ingest_many(given))
        assert texts(library) == texts(alone)
        told = [
            sorted((one.source, one.reused) for each in these for one in each.walk()) for these in (found, expected)
        ]
        assert told[0] == told[1]
        states = [sorted((one.source, one.result.ingestion_status) for one in these) for these in (found, expected)]
        assert states[0] == states[1]
    (record, condition, counts), *_ = library.runs.list()
    assert (condition, record.sources, record.total) == ("finished", ("papers",), len(given))
    assert (counts.done, counts.failed, counts.reused) == (len(given), 2, 2)
    assert workers.stops > 0


def test_a_document_of_a_corpus_goes_through_the_queue(library: Library, papers: list[Path]) -> None:
    """The run follows the job, so that it can wait for one corpus, and a copy for another is recorded afterwards (STO-5)."""
    list(library.queue.ingest(papers[:1], workers=ThreadWorkers(library), options=IngestOptions(corpus="closed")))
    assert [one.title for one in library.documents(corpus="closed")] == ["Paper 0"]


def test_a_stopped_run_leaves_nothing_in_the_queue_and_the_next_one_completes_it(
    library: Library, tmp_path: Path
) -> None:
    """Cancelled with the first document: the others are not attempted, and are converted by the next run (ENG-15)."""
    papers = write_papers(tmp_path / "many", MANY)  # more than are committed together
    cancel = threading.Event()
    leave = library.engine.events.subscribe(lambda event: cancel.set() if isinstance(event, JobEnded) else None)
    found = list(library.queue.ingest(papers, workers=ThreadWorkers(library), cancel=cancel))
    leave()
    attempted = [one for one in found if one.was_attempted]
    assert (len(found), len(attempted)) == (MANY, len(library.documents()))
    assert 0 < len(attempted) < MANY
    assert library.queue.counts().queued == library.queue.counts().taken == 0
    assert library.runs.list()[0][1] == "stopped"
    again = list(library.queue.ingest(papers, workers=ThreadWorkers(library)))
    assert sum(one.reused for one in again) == len(attempted)
    assert {len(one.versions) for one in library.documents()} == {1}
    assert library.runs.get("last").counts.done == MANY


def test_an_error_of_the_workers_ends_the_run(library: Library, papers: list[Path]) -> None:
    """The error is raised, the workers are stopped, and nothing stays in the queue."""
    workers = ThreadWorkers(library, fails=ToolUnavailable("no node is left"))
    with pytest.raises(ToolUnavailable, match="no node is left"):
        list(library.queue.ingest(papers, workers=workers))
    assert workers.stopped.is_set()
    assert library.queue.counts().queued == 0
    assert library.runs.list()[0][1] == "failed"


def test_what_no_worker_can_begin_is_told_with_a_remedy(
    library: Library, papers: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file is gone when the worker comes to it: the others are converted, and the job stays to be retried."""
    monkeypatch.setattr(queued_run, "IDLE_SECONDS", 0.5)

    def lose_the_first() -> None:
        while library.queue.counts().queued < COUNT:
            time.sleep(0.01)
        papers[0].unlink()

    workers = ThreadWorkers(library, before=lose_the_first)
    found = {one.source: one for one in library.queue.ingest(papers, workers=workers)}
    receipt = found[str(papers[0])].result.failure_receipts[-1]
    assert receipt.reason_code is HardFailReason.SOURCE_MISSING
    assert "OCTAVO_OBJECTS__ORIGINALS=stored" in receipt.remedy
    assert len(library.documents()) == COUNT - 1
    assert [case.reason for case in library.runs.get("last").open_cases] == ["interrupted"]


def test_a_run_does_not_wait_for_a_submitted_document_that_no_worker_can_open(
    library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The document stays in the queue, at the path at which it was submitted; the run reports it as unreachable."""
    monkeypatch.setattr(deferred_jobs, "FIRST_PAUSE", 0.2)
    (submitted,) = write_papers(tmp_path / "submitted", 1)
    library.queue.submit(submitted)
    copies = write_papers(tmp_path / "copies", 2)  # the first one has the same bytes
    submitted.unlink()
    found = {one.source: one for one in library.queue.ingest(copies, workers=ThreadWorkers(library))}
    receipt = found[str(copies[0])].result.failure_receipts[-1]
    assert receipt.reason_code is HardFailReason.SOURCE_MISSING
    assert [one.title for one in library.documents()] == ["Paper 1"]
    assert library.queue.counts().queued == 1
    copies[0].rename(submitted)
    assert library.queue.work(until_empty=True).ended == 1


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (IngestOptions(password="tide"), "a password is not stored in the queue"),
        (IngestOptions(reingest=True), "known documents are not converted again through the queue"),
    ],
)
def test_what_workers_cannot_have_is_refused(library: Library, options: IngestOptions, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        library.queue.ingest([], workers=ThreadWorkers(library), options=options)
