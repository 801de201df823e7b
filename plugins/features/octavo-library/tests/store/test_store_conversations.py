"""The state of documents in conversations: one transaction each, apart by policy context, gone with the document (CTX-4)."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from octavo_contracts import StorageError, UsageError
from octavo_library import Library
from octavo_library.facade.corpora import CorpusSettings
from octavo_library.storage import DocumentSend, FileUpload, PolicyContext

FIREWALLED = PolicyContext(visibility="firewalled", scope_basis="corpus")


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with Library.open(tmp_path / "library") as opened:
        yield opened


@pytest.fixture
def document(library: Library) -> str:
    return str(library.ingest(b"# Tides\n\nHigh water at noon.\n", name="tides.md").document_id)


def sent(document: str, **fields: object) -> DocumentSend:
    given = {
        "conversation_id": "c1",
        "tier": 1,
        "tokens": 100,
        "saved": 0,
        "model": "one",
        "cache_content_hash": "a" * 64,
    }
    return DocumentSend(document_id=document, **(given | fields))  # type: ignore[arg-type]  # fields of a send


def test_sends_add_up_and_keep_the_first_time(library: Library, document: str) -> None:
    store = library.context.index.conversations
    store.record_send(sent(document))
    first = store.get(document, "c1")
    store.record_send(sent(document, tier=3, tokens=10, saved=90, cache_content_hash=None))
    now = store.get(document, "c1")

    assert first is not None
    assert now is not None
    assert (first.tier, first.prompt_cache_active, first.total_tokens_sent) == (1, True, 100)
    assert (now.tier, now.prompt_cache_active, now.total_tokens_sent, now.total_tokens_saved) == (3, False, 110, 90)
    assert (now.first_sent_at, now.last_cache_use) == (first.first_sent_at, first.last_cache_use)
    assert store.get(document, "c2") is None


def test_another_model_makes_every_cache_of_the_conversation_cold(library: Library, document: str) -> None:
    other = str(library.ingest(b"# Seals\n\nThey lie on rocks.\n", name="seals.md").document_id)
    store = library.context.index.conversations
    store.record_send(sent(document))
    store.record_send(sent(other, model="two"))

    states = {one.document_id: one for one in store.of_conversation("c1")}
    assert (states[document].prompt_cache_active, states[other].prompt_cache_active) == (False, True)
    assert next(iter(store.of_conversation("c1"))).document_id == other


def test_retrieved_pages_are_joined_and_escalate_for_good(library: Library, document: str) -> None:
    store = library.context.index.conversations
    store.note_retrieved(document, "c1", [3, 1], escalates_above=2.5)
    state = store.note_retrieved(document, "c1", [1], escalates_above=2.5)
    assert (state.retrieved_pages, state.is_escalated, state.first_sent_at) == ((1, 3), False, None)
    assert store.note_retrieved(document, "c1", [2], escalates_above=2.5).is_escalated
    assert store.note_retrieved(document, "c1", [2], escalates_above=99).is_escalated


def test_two_contexts_with_one_conversation_id_have_two_conversations(library: Library, document: str) -> None:
    store = library.context.index.conversations
    store.record_send(sent(document))
    store.record_send(sent(document, tier=2), policy=FIREWALLED)
    assert [one.tier for one in store.of_conversation("c1")] == [1]
    assert [one.tier for one in store.of_conversation("c1", policy=FIREWALLED)] == [2]
    assert store.of_conversation("c1", policy=PolicyContext()) == ()
    assert (store.count_of(document), store.count_of(document, policy=PolicyContext())) == (1, 0)
    assert store.forget("c1", policy=FIREWALLED) == 1
    assert store.get(document, "c1") is not None


def test_a_changed_policy_takes_its_conversations_along(library: Library) -> None:
    library.corpora.create("case", CorpusSettings())
    document = str(library.ingest(b"# Case\n\nA plea.\n", name="case.md", corpus="case").document_id)
    before = library.corpora.get("case").settings.policy
    library.context.index.conversations.record_send(sent(document), policy=before)
    library.corpora.update("case", CorpusSettings(visibility="firewalled"))
    after = library.corpora.get("case").settings.policy
    assert library.context.index.conversations.get(document, "c1", policy=before) is None
    assert library.context.index.conversations.get(document, "c1", policy=after) is not None


@pytest.mark.sqlite_files
def test_a_state_of_a_newer_octavo_is_refused(library: Library, document: str) -> None:
    store = library.context.index.conversations
    store.record_send(sent(document))
    with sqlite3.connect(library.path / "index.sqlite") as connection:
        connection.execute("UPDATE document_conversations SET state_version = 2")
    connection.close()
    for call in (lambda: store.get(document, "c1"), lambda: store.record_send(sent(document))):
        with pytest.raises(StorageError, match="state version 2, and this version of Octavo knows 1"):
            call()


@pytest.mark.sqlite_files
def test_what_belongs_to_the_owner_alone_is_no_damage(library: Library, document: str) -> None:
    """`owner` stands where other rows have JSON."""
    library.context.index.conversations.record_send(sent(document))
    library.context.index.check_undamaged()


def test_uploads_and_references_are_kept_by_context_and_go_with_the_document(library: Library, document: str) -> None:
    store = library.context.index.uploads
    upload = FileUpload(
        document_id=document, provider="anthropic", api_file_id="file_1", file_hash="b" * 64, uploaded_at="2026-11-24"
    )
    store.put(upload)
    store.put(upload)
    store.mark_reference(document)
    assert store.get(document, "anthropic") == upload
    assert store.get(document, "anthropic", policy=FIREWALLED) is None
    assert (store.is_reference(document), store.is_reference(document, policy=FIREWALLED)) == (True, False)
    library.context.index.conversations.record_send(sent(document))

    library.maintenance.purge(document, confirm=document)

    assert store.get(document, "anthropic") is None
    assert library.context.index.conversations.of_conversation("c1") == ()
    for call in (lambda: store.put(upload), lambda: store.mark_reference(document)):
        with pytest.raises(UsageError, match="there is no document"):
            call()
