"""Accepted versions: a mark of a user that quiets the flags of one version (ENG-25)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from octavo_cli import main
from octavo_contracts import UsageError
from octavo_library import Document, Library
from octavo_library.facade.corpora import CorpusSettings
from octavo_library.ingestion.events import EngineEvent
from octavo_library.ingestion.use_events import AcceptanceChanged
from octavo_library.storage import DocumentFilter
from octavo_library.storage.files import layout
from octavo_library.storage.index.rebuild import rebuild_index


@pytest.fixture
def document(library: Library, file: Path) -> Document:
    return library.ingest(file, plugin="pages").document


@pytest.fixture
def events(library: Library) -> Iterator[list[EngineEvent]]:
    heard: list[EngineEvent] = []
    leave = library.engine.events.subscribe(heard.append)
    yield heard
    leave()


def test_a_mark_says_who_when_why_and_which_version(library: Library, document: Document) -> None:
    """ENG-25: the mark is stored; the flags and the status of the version stay as they are."""
    before = document.result
    marked = document.versions.acceptance.set(note="compared with the paper", by="anna")
    assert (marked.version, marked.note, marked.accepted_by) == (1, "compared with the paper", "anna")
    fresh = library.document(document.id)
    assert fresh.versions.acceptance.current == marked
    assert fresh.result == before
    again = document.versions.acceptance.set(note="twice", by="boris")
    assert library.document(document.id).versions.acceptance.history == (again,)


def test_a_reconversion_ends_the_mark_and_a_rollback_brings_it_back(library: Library, document: Document) -> None:
    """ENG-25."""
    document.versions.acceptance.set(by="anna")
    document.reconvert(plugin="pages", activate=False)
    assert library.document(document.id).versions.acceptance.current is not None
    document.reconvert(plugin="flat", activate=True)
    now = library.document(document.id)
    assert (now.active_version, now.versions.acceptance.current) == (3, None)
    assert [one.version for one in now.versions.acceptance.history] == [1]
    assert library.catalogue.accepted() == frozenset()
    now.versions.activate(1)
    assert library.catalogue.accepted() == {document.id}


def test_a_version_that_is_not_active_any_more_cannot_be_accepted(library: Library, document: Document) -> None:
    document.reconvert(plugin="flat", activate=True)
    with pytest.raises(UsageError, match="version 1 is not the active version"):
        document.versions.acceptance.set()
    assert document.versions.acceptance.history == ()


def test_a_mark_is_removed(library: Library, document: Document, events: list[EngineEvent]) -> None:
    document.versions.acceptance.set(note="good")
    document.versions.acceptance.clear()
    document.versions.acceptance.clear()
    assert document.versions.acceptance.current is None
    changes = [(one.document_id, one.version, one.is_accepted) for one in events if isinstance(one, AcceptanceChanged)]
    assert changes == [(document.id, 1, True), (document.id, 1, False)]


def test_a_failed_document_and_a_long_note_are_refused(library: Library, document: Document) -> None:
    failed = library.ingest(b"", name="empty.txt").document
    with pytest.raises(UsageError, match="without converted content"):
        failed.versions.acceptance.set()
    with pytest.raises(UsageError, match="2,000"):
        document.versions.acceptance.set(note="x" * 2_001)


def test_a_listing_tells_and_filters_accepted_documents(library: Library, document: Document) -> None:
    other = library.ingest(b"gamma|delta", name="b.txt", plugin="pages").document
    document.versions.acceptance.set()
    page = library.catalogue.page()
    assert {one.id: one.is_accepted for one in page.entries} == {document.id: True, other.id: False}
    for accepted, expected in ((True, document.id), (False, other.id)):
        found = library.catalogue.page(DocumentFilter(accepted=accepted))
        assert [one.id for one in found.entries] == [expected]
    assert library.catalogue.counts().accepted == 1


def test_a_mark_belongs_to_its_policy_context(library: Library, document: Document, file: Path) -> None:
    """STO-5: each context has its own mark, and the library's owner sees and removes all."""
    library.corpora.create("sealed", CorpusSettings(visibility="firewalled"))
    library.ingest(file, corpus="sealed")
    sealed = library.document(document.id, corpus="sealed")
    sealed.versions.acceptance.set(note="sealed reason", by="anna")
    library.corpora.create("open")
    library.ingest(file, corpus="open")
    assert library.document(document.id, corpus="open").versions.acceptance.current is None
    assert library.catalogue.accepted(corpus="open") == frozenset()
    assert [one.id for one in library.catalogue.page(DocumentFilter(accepted=True), corpus="sealed").entries] == [
        document.id
    ]
    owner = library.document(document.id)
    assert owner.versions.acceptance.current is not None
    owner.versions.acceptance.clear()
    assert sealed.versions.acceptance.current is None


@pytest.mark.sqlite_files
def test_a_rebuilt_index_has_the_marks_again(tmp_path: Path) -> None:
    with Library.open(tmp_path / "library") as library:
        made = library.ingest(b"# Tides\n\nAll of them.\n", name="a.md").document
        marked = made.versions.acceptance.set(note="good", by="anna")
    for name in (tmp_path / "library").glob(f"{layout.INDEX}*"):
        name.unlink()
    rebuild_index(tmp_path / "library")
    with Library.open(tmp_path / "library", create=False) as library:
        assert library.document(made.id).versions.acceptance.current == marked


def test_the_command_marks_shows_and_removes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    where = ["--library", str(tmp_path / "library")]
    (tmp_path / "a.md").write_text("# Tides\n\nAll of them.\n")
    assert main(["ingest", str(tmp_path / "a.md"), *where]) == 0
    assert main(["accept", "a.md", "--note", "read it", "--by", "anna", *where]) == 0
    assert "accepted in version 1 by anna" in capsys.readouterr().out
    assert main(["show", "a.md", "--json", *where]) == 0
    accepted = json.loads(capsys.readouterr().out)["document"]["accepted"]
    assert (accepted["version"], accepted["note"], accepted["accepted_by"]) == (1, "read it", "anna")
    assert main(["list", *where]) == 0
    assert "accepted" in capsys.readouterr().out
    assert main(["accept", "a.md", "--clear", "--json", *where]) == 0
    assert json.loads(capsys.readouterr().out)["accepted"] is None
    assert main(["accept", "a.md", "--clear", "--by", "anna", *where]) == 2
