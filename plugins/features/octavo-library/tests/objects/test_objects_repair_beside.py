"""A check and a repair beside a running ingestion leave its version to it; what an earlier repair took is mended (STO-8)."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from octavo_conformance.loopback import Asked, Reply
from octavo_library import Library
from octavo_library.facade.maintenance.verify import StoreReport
from octavo_library.storage.files.layout import chunks_folder
from sqlalchemy import make_url

Opener = Callable[..., Library]


@pytest.fixture
def note(tmp_path: Path) -> Path:
    path = tmp_path / "note.md"
    path.write_text("# Gauge\n\nWhat the gauge of the harbour says.\n")
    return path


class HeldIngestion:
    """An ingestion of another machine that stops after its version is stored, before it is recorded."""

    def __init__(self, library: Library, file: Path, s3: Any) -> None:
        self._stored, self._goes_on = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._run, args=(library, file))
        self.status: str | None = None
        s3.after = self._after

    def _after(self, asked: Asked, reply: Reply) -> Reply:
        if asked.method == "PUT" and asked.path.partition("?")[0].endswith("/v1.zip") and not self._stored.is_set():
            self._stored.set()
            assert self._goes_on.wait(60)
        return reply

    def _run(self, library: Library, file: Path) -> None:
        result = library.ingest(file).result
        self.status = None if result is None else str(result.ingestion_status)

    def start(self) -> None:
        """Start, and wait until the version is stored."""
        self._thread.start()
        assert self._stored.wait(60)

    def finish(self) -> None:
        """Let it go on to its end."""
        self._goes_on.set()
        self._thread.join(60)


def test_a_version_that_is_stored_while_the_store_is_checked_is_no_finding(
    machine: Opener, note: Path, s3: Any
) -> None:
    """The check read the open jobs before it listed the store, so that a job of the meantime seemed to be lost."""
    with machine("one", originals="stored") as library, machine("two") as checking:
        ingestion = HeldIngestion(library, note, s3)

        def before(asked: Asked) -> None:
            if asked.method == "GET" and unquote(asked.path).endswith("by_hash/"):
                s3.before = lambda _: None
                ingestion.start()

        s3.before = before
        assert checking.maintenance.verify() == StoreReport()
        ingestion.finish()
        assert ingestion.status == "complete"
        assert checking.maintenance.verify() == StoreReport(documents=1, versions=1)


def test_a_repair_leaves_the_version_of_a_running_ingestion_to_it(machine: Opener, note: Path, s3: Any) -> None:
    """It adopted the version, the ingestion failed, and its job stayed in the queue."""
    with machine("one", originals="stored") as library, machine("two") as repairing:
        ingestion = HeldIngestion(library, note, s3)
        ingestion.start()
        (raw_hash,) = repairing.context.artifacts.documents()
        version = f"store:by_hash/{raw_hash}/conversions/v1"
        done = repairing.maintenance.repair(StoreReport(unindexed=(version, f"store:originals/{raw_hash}.md")))
        assert (done.adopted, done.unreadable) == ((), ())
        assert done.being_written == (version, f"store:originals/{raw_hash}.md")
        assert repairing.documents() == []

        ingestion.finish()
        assert ingestion.status == "complete"
        (document,) = repairing.documents()
        assert [one.version for one in document.versions] == [1]
        assert repairing.maintenance.verify().is_clean


def test_a_document_whose_version_an_earlier_repair_took_is_mended(machine: Opener, note: Path, index_url: str) -> None:
    """Its job is queued, its version is active without the hashes of its chunks, and its chunk set counted as altered."""
    import psycopg

    with machine("one", originals="stored") as library:
        document_id = library.ingest(note).document_id
        assert document_id is not None
        raw_hash = library.document(document_id).raw_hash
        with psycopg.connect(make_url(index_url).render_as_string(hide_password=False)) as server:
            server.execute(
                "UPDATE jobs SET state = 'conversion_failed', seq = 4, waiting_reason = 'queued', document_id = NULL, "
                "open_key = 'ingest:' || raw_hash || ':'"
            )
            server.execute("DELETE FROM transitions WHERE seq > 4")
            server.execute("UPDATE transitions SET to_state = 'conversion_failed' WHERE seq = 4")
            server.execute("DELETE FROM content_hashes WHERE kind = 'chunk'")
        found = library.maintenance.verify()
        chunks = f"store:{chunks_folder(raw_hash, 1, library.context.runtime.settings.chunking.version)}/manifest.json"
        assert (found.unfinished, found.altered) == ((document_id,), (chunks,))

        done = library.maintenance.repair(found)
        assert (done.finished, done.remaining, done.damaged) == ((document_id,), (), ())
        assert library.maintenance.verify() == StoreReport(documents=1, versions=1)
        (document,) = library.documents()
        assert (document.status, [one.version for one in document.versions]) == ("complete", [1])
        assert library.queue.counts().queued == 0
        assert len(library.search("gauge")) == 1
