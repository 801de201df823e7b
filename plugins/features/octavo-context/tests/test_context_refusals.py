"""What `ContextManager` refuses, each in one sentence, and what a corpus is not told (STO-5)."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest
from octavo_conformance.pdf_writer import PdfFile, PdfPage, show_lines
from octavo_context import ContextManager, DocumentContextBlock, NoContext, NotConverted, note_retrieved_pages
from octavo_contracts import Intent, StorageError, UsageError
from octavo_library import Library
from octavo_library.facade.corpora import CorpusSettings
from octavo_library.storage import NewJob, document_id_for

SONNET, TEXT_ONLY = "claude-sonnet-4-5", "deepseek-chat"


def send(manager: ContextManager, document: str) -> DocumentContextBlock:
    """One turn: prepared, sent, recorded."""
    block = manager.prepare_document_context(document, "c", SONNET, "Read this.")
    manager.record_document_send(document, "c", block.tier, block.token_estimate, block.prompt_cached)
    return block


def test_bad_requests_are_refused_in_one_sentence(manager: ContextManager, ids: dict[str, str]) -> None:
    report = ids["report"]

    def prepare(document: str = report, **options: Any) -> object:
        return manager.prepare_document_context(document, "c", SONNET, "", **options)

    for call, message in (
        (lambda: prepare("00000000-0000-0000-0000-000000000000"), "no document"),
        (lambda: prepare(specific_pages=[0]), "there is no page 0"),
        (lambda: prepare(specific_pages=[13]), "there is no page 13; it has 12"),
        (lambda: prepare(specific_pages=range(1, 501)), "there is no page 500; it has 12"),
        (lambda: prepare(specific_pages=[]), "no page is given"),
        (lambda: prepare(force_tier=4), "there is no tier 4"),
        (lambda: prepare(max_token_budget=-1), "budget cannot be negative, got -1"),
        (lambda: manager.record_document_send(report, "c", 7, 1, False), "tier 7"),  # type: ignore[arg-type]  # on purpose
        (lambda: manager.record_document_send(report, "c", 1, -1, False), "-1 tokens"),
        (lambda: manager.prepare_document_context(report, "c\n", SONNET, ""), "a conversation id"),
    ):
        with pytest.raises(UsageError, match=message):
            call()


def test_a_document_without_text(library: Library, manager: ContextManager) -> None:
    empty = str(library.ingest(b"\n \n", name="empty.txt").document_id)
    with pytest.raises(UsageError):
        manager.prepare_document_context(empty, "c", TEXT_ONLY, "")


def test_a_picture_is_an_image_where_it_is_seen_and_nothing_where_it_is_not(
    library: Library, manager: ContextManager, tmp_path: Path
) -> None:
    from PIL import Image

    Image.new("RGB", (64, 48), "teal").save(tmp_path / "teal.png")
    picture = library.ingest(tmp_path / "teal.png")
    if picture.result.ingestion_status == "hard_failed":
        pytest.skip("no plugin that reads images is installed")
    block = manager.prepare_document_context(str(picture.document_id), "c", SONNET, "")
    assert block.content_blocks[0]["type"] == "image"
    with pytest.raises(NoContext, match="can be given nothing of it"):
        manager.prepare_document_context(str(picture.document_id), "c", TEXT_ONLY, "")


def test_a_corpus_that_may_not_see_a_document_is_told_there_is_none(library: Library, ids: dict[str, str]) -> None:
    """STO-5: of the document, of its conversation, and of its uploads."""
    library.corpora.create("sealed", CorpusSettings(visibility="firewalled"))
    secret = str(library.ingest(b"# Canary\n\nThe canary sings.\n", name="canary.md", corpus="sealed").document_id)
    sealed, owner = ContextManager(library, corpus="sealed"), ContextManager(library)
    library.corpora.create("open", CorpusSettings())
    outsider = ContextManager(library, corpus="open")
    send(sealed, secret)
    for call in (
        lambda: outsider.prepare_document_context(secret, "c", SONNET, ""),
        lambda: outsider.prepare_document_context(library.document(secret), "c", SONNET, ""),
        lambda: outsider.get_document_state(secret, "c"),
        lambda: outsider.record_document_send(secret, "c", 1, 1, False),
        lambda: outsider.estimate_cost(secret, SONNET),
        lambda: note_retrieved_pages(library, secret, "c", [1], corpus="open"),
    ):
        with pytest.raises(UsageError, match="no document") as caught:
            call()
        assert "anary" not in str(caught.value)
    assert owner.get_document_state(secret, "c") is None
    assert sealed.get_document_state(secret, "c") is not None
    with pytest.raises(UsageError, match="no document"):
        sealed.prepare_document_context(ids["report"], "c", SONNET, "")


@pytest.mark.sqlite_files
def test_a_conversation_of_a_newer_octavo(library: Library, ids: dict[str, str]) -> None:
    manager = ContextManager(library)
    send(manager, ids["report"])
    with sqlite3.connect(library.path / "index.sqlite") as connection:
        connection.execute("UPDATE document_conversations SET state_version = 2")
    connection.close()
    with pytest.raises(StorageError, match="state version 2"):
        manager.prepare_document_context(ids["report"], "c", SONNET, "Go on.")


def test_an_original_that_is_gone_is_replaced_by_its_text(library: Library, tmp_path: Path) -> None:
    path = tmp_path / "gone.pdf"
    page = PdfPage(
        content=show_lines(["A page about herring gulls on the mole.", "They nest on the roof of the hall."])
    )
    path.write_bytes(PdfFile(pages=[page], info={"Title": "Gulls"}).to_bytes())
    document = str(library.ingest(path).document_id)
    path.unlink()
    block = ContextManager(library).prepare_document_context(document, "c", SONNET, "")
    assert block.tier == 2
    assert "herring gulls" in str(block.rendered("block")[0]["text"])
    assert "original_missing" in {notice.kind for notice in block.notices}


def test_a_document_that_is_being_converted(library: Library, manager: ContextManager, ids: dict[str, str]) -> None:
    """For the first time: it is said to come; again: the version before is sent, with a notice."""
    index, owner = library.context.index, library.context.artifacts.owner
    index.jobs.start(NewJob(raw_hash="ab" * 32), owner=owner)
    with pytest.raises(NotConverted, match=r"it is being converted since .*\. Ask again once it is done"):
        manager.prepare_document_context(document_id_for("ab" * 32), "c", SONNET, "")
    raw_hash = library.document(ids["note"]).raw_hash
    index.jobs.start(NewJob(raw_hash=raw_hash, intent=Intent.RECONVERT), owner=owner)
    block = manager.prepare_document_context(ids["note"], "c", SONNET, "")
    assert "being_converted" in {notice.kind for notice in block.notices}
