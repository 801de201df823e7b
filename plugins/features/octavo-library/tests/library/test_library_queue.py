"""`library.queue` in a folder: what is queued, what is known already, and what is refused."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from octavo.runtime import Runtime
from octavo_contracts import UsageError
from octavo_library import IngestOptions, Library


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


@pytest.mark.parametrize("options", [IngestOptions(corpus="closed"), IngestOptions(password="tide")])
def test_a_corpus_and_a_password_are_refused(library: Library, note: Path, options: IngestOptions) -> None:
    """STO-5: whether another corpus has a document is not told."""
    with pytest.raises(UsageError) as refused:
        library.queue.submit(note, options=options)
    assert "octavo ingest" in (refused.value.remedy or "")
    assert library.queue.counts().queued == 0
