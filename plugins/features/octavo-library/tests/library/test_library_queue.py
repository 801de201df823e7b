"""`library.queue` in a folder: what is queued, what is known already, and what is refused."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from octavo.runtime import Runtime
from octavo_contracts import UsageError
from octavo_library import IngestOptions, Library
from octavo_library.ingestion.events import JobEnded


@pytest.fixture
def library(tmp_path: Path, runtime: Runtime) -> Iterator[Library]:
    with Library.open(tmp_path / "library", runtime=runtime) as opened:
        yield opened


@pytest.fixture
def note(tmp_path: Path) -> Path:
    path = tmp_path / "note.txt"
    path.write_text("The gauge is read at dawn.")
    return path


def test_what_waits_is_converted_by_a_worker(library: Library, note: Path) -> None:
    queue = library.queue
    assert (queue.submit(note).queued, queue.submit(note).known) == (1, 1)
    assert library.documents() == []
    assert queue.work(until_empty=True).ended == 1
    (document,) = library.documents()
    assert document.canonical_text == "The gauge is read at dawn."


def test_a_known_document_has_its_new_path_at_once(library: Library, note: Path, tmp_path: Path) -> None:
    document = library.ingest(note).document
    copy = tmp_path / "copy.txt"
    copy.write_bytes(note.read_bytes())
    done = library.queue.submit(copy)
    assert (done.queued, done.known) == (0, 1)
    assert any(path.endswith("copy.txt") for path in library.document(document.id).paths)


def test_what_is_no_readable_path_is_told_and_stops_no_other(library: Library, note: Path, tmp_path: Path) -> None:
    def sources() -> Iterator[object]:
        yield from (tmp_path / "missing.txt", 7, b"bytes", note)
        raise OSError("the listing ended early")

    with pytest.raises(OSError, match="ended early"):
        library.queue.submit(sources())  # type: ignore[arg-type]  # what a caller without a type checker gives
    assert library.queue.counts().queued == 1
    done = library.queue.submit([tmp_path / "missing.txt", 7, b"bytes", note])  # type: ignore[list-item]
    assert done.known == 1
    assert set(done.unreadable) == {str(tmp_path / "missing.txt"), "<int>", "<bytes>"}
    assert all("source_missing" in why for why in done.unreadable.values())


@pytest.mark.parametrize("options", [IngestOptions(corpus="closed"), IngestOptions(password="tide")])
def test_a_corpus_and_a_password_are_refused(library: Library, note: Path, options: IngestOptions) -> None:
    """STO-5: whether another corpus has a document is not told."""
    with pytest.raises(UsageError) as refused:
        library.queue.submit(note, options=options)
    assert "octavo ingest" in (refused.value.remedy or "")
    assert library.queue.counts().queued == 0


@pytest.mark.sqlite_files
def test_a_document_of_a_killed_worker_returns_to_the_queue_when_the_library_is_opened(
    tmp_path: Path, runtime: Runtime, note: Path
) -> None:
    """A process that only opens a library in a folder, and then one that works on its queue (ENG-6)."""
    script = (
        "import os, signal, sys\n"
        "from octavo_library import Library\n"
        "library = Library.open(sys.argv[1])\n"
        "library.queue.submit(sys.argv[2])\n"
        "index, owner = library.context.index, library.context.artifacts.owner\n"
        "assert len(index.queue.take(owner=owner, limit=1, seconds=600.0)) == 1\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    killed = subprocess.run([sys.executable, "-c", script, tmp_path / "library", note], check=False)
    assert killed.returncode == -signal.SIGKILL
    with Library.open(tmp_path / "library", runtime=runtime) as reader:
        assert (reader.queue.counts().queued, reader.queue.counts().taken) == (1, 0)
    with Library.open(tmp_path / "library", runtime=runtime) as library:
        assert library.queue.work(until_empty=True).ended == 1
        assert [one.canonical_text for one in library.documents()] == ["The gauge is read at dawn."]


@pytest.mark.sqlite_files
def test_a_document_of_a_killed_run_is_not_queued(tmp_path: Path, runtime: Runtime, note: Path) -> None:
    """Nobody asked workers for it: it waits until its bytes are given again (ENG-6)."""
    script = (
        "import os, signal, sys\n"
        "from octavo_library import Library\n"
        "from octavo_library.storage import ArtifactStore\n"
        "ArtifactStore.put_version = lambda *args, **kwargs: os.kill(os.getpid(), signal.SIGKILL)\n"
        "Library.open(sys.argv[1]).ingest(sys.argv[2])\n"
    )
    killed = subprocess.run([sys.executable, "-c", script, tmp_path / "library", note], check=False)
    assert killed.returncode == -signal.SIGKILL
    with Library.open(tmp_path / "library", runtime=runtime) as library:
        assert (library.queue.counts().queued, library.queue.counts().taken) == (0, 0)
        assert library.ingest(note).result.ingestion_status == "complete"


def test_a_stopped_worker_returns_what_it_took_ahead(library: Library, tmp_path: Path) -> None:
    """Short documents are taken many at a time: those that were not begun are in the queue again (ENG-6)."""
    folder = tmp_path / "notes"
    folder.mkdir()
    for number in range(200):
        (folder / f"{number}.txt").write_text(f"Gauge {number} is read at dawn.")
    library.queue.submit(folder)
    stop = threading.Event()
    leave = library.engine.events.subscribe(lambda event: stop.set() if isinstance(event, JobEnded) else None)
    counts = library.queue.work(stop=stop, slots=1)
    leave()
    assert (counts.left, counts.ended) == (0, len(library.documents()))
    assert 0 < counts.ended < 200
    assert library.queue.counts().queued == 200 - counts.ended
    assert library.queue.work(until_empty=True).ended == 200 - counts.ended
