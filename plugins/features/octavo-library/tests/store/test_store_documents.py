"""Finding documents, under one's own policy only (STO-5, STO-11, STO-13, STO-16); corpora and overrides."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from octavo_contracts import HardFailReason, IngestionState, UsageError
from octavo_contracts.refs import file_ref, ref_path
from octavo_library.storage import Index, PolicyContext, Provenance, ReuseEvent, document_id_for, source_instance_id_for

S = IngestionState
Hasher = Callable[[str], str]
WALLED = PolicyContext(visibility="firewalled")


def test_known_hashes_are_told_from_unknown_ones(index: Index, librarian: Any, raw_hash: Hasher) -> None:
    librarian.convert("one", mime_type="text/plain")
    hashes = [raw_hash("one"), raw_hash("two"), raw_hash("one")]
    found = index.documents.find_by_hash(hashes)
    assert set(found) == {raw_hash("one")}
    known = found[raw_hash("one")]
    assert (known.document_id, known.status) == (document_id_for(raw_hash("one")), S.COMPLETE)
    assert (known.active_version, known.mime_type, known.in_corpus) == (1, "text/plain", False)
    assert index.documents.find_by_hash([]) == {}


def test_thousands_of_hashes_are_one_question(index: Index, librarian: Any, raw_hash: Hasher) -> None:
    librarian.convert("one")
    assert len(index.documents.find_by_hash([raw_hash("one"), *(raw_hash(str(n)) for n in range(40_000))])) == 1


def test_already_in_your_system_tells_of_corpora_and_date(index: Index, librarian: Any, raw_hash: Hasher) -> None:
    """STO-13."""
    corpus = index.corpora.create("reports")
    document_id = librarian.convert("one", sighting=Provenance(path="file:///one", corpus_id=corpus.corpus_id))
    index.jobs.record_reuse([ReuseEvent(document_id=document_id, sighting=Provenance(path=None, surface="chat"))])
    answer = index.documents.already_known(raw_hash("one"), policy=PolicyContext())
    assert answer is not None
    assert (answer.document_id, answer.corpora) == (document_id, ("reports",))
    assert answer.first_seen_at <= index.now()


def test_what_came_in_under_another_policy_is_not_told(index: Index, librarian: Any, raw_hash: Hasher) -> None:
    """STO-5: the same bytes under another policy are another instance, and its corpora stay unseen."""
    secret = index.corpora.create("secret", visibility="firewalled")
    document_id = librarian.convert(
        "one", sighting=Provenance(path="file:///s/one", corpus_id=secret.corpus_id, policy=WALLED), title="One"
    )
    everyone = PolicyContext()
    assert index.documents.already_known(raw_hash("one"), policy=everyone) is None
    assert index.documents.page(policy=everyone) == ()
    assert index.documents.status_counts(policy=everyone) == {}
    assert index.documents.with_hash("page", raw_hash("p"), policy=everyone) == ()
    for ref in (document_id, raw_hash("one")[:8], "file:///s/one"):
        assert index.documents.resolve(ref, policy=WALLED) == document_id
        with pytest.raises(UsageError, match="no document matches"):
            index.documents.resolve(ref, policy=everyone)

    index.jobs.record_reuse([ReuseEvent(document_id=document_id, sighting=Provenance(path="file:///one"))])
    answer = index.documents.already_known(raw_hash("one"), policy=everyone)
    assert answer is not None
    assert answer.corpora == ()


def test_documents_are_listed_page_by_page(index: Index, librarian: Any) -> None:
    ids = [librarian.convert(f"d{n}") for n in range(5)]
    listed: list[str] = []
    last = None
    while page := index.documents.page(limit=2, after=last):
        listed += [document.document_id for document in page]
        last = page[-1]
    assert listed == ids


def test_documents_are_listed_by_corpus_and_state(index: Index, librarian: Any, raw_hash: Hasher) -> None:
    corpus = index.corpora.create("reports")
    inside = librarian.convert("in", sighting=Provenance(path=None, corpus_id=corpus.corpus_id))
    librarian.convert("out")
    sighting = Provenance(path=None, corpus_id=corpus.corpus_id)
    librarian.fail(librarian.start("bad"), "bad", HardFailReason.SOURCE_EMPTY, sighting=sighting)
    complete = index.documents.page(corpus_id=corpus.corpus_id, status=S.COMPLETE)
    assert [document.document_id for document in complete] == [inside]
    assert index.documents.status_counts(corpus_id=corpus.corpus_id) == {S.COMPLETE: 1, S.HARD_FAILED: 1}
    assert index.documents.status_counts() == {S.COMPLETE: 2, S.HARD_FAILED: 1}


def test_a_document_is_named_by_id_hash_prefix_or_path(
    index: Index, librarian: Any, raw_hash: Hasher, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "one.txt"
    document_id = librarian.convert("one", sighting=Provenance(path=file_ref(path)))
    librarian.convert("two")
    monkeypatch.chdir(tmp_path)
    for ref in (
        document_id,
        document_id[:6],
        document_id.upper(),
        raw_hash("one"),
        raw_hash("one")[:6],
        str(path),
        "one.txt",
        file_ref(path),
    ):
        assert index.documents.resolve(ref) == document_id, ref


@pytest.mark.skipif(os.name != "posix", reason="only POSIX has file names that are not text")
def test_a_name_that_is_not_utf8_is_found_again(index: Index, librarian: Any, tmp_path: Path) -> None:
    path = os.fsdecode(os.fsencode(tmp_path) + b"/\xff\xfe.txt")
    document_id = librarian.convert("one", sighting=Provenance(path=file_ref(path)))
    assert index.documents.resolve(path) == document_id
    (record,) = index.documents.paths(document_id)
    assert os.fspath(ref_path(record.path)) == path


def test_the_ways_in_of_a_document_are_told(index: Index, librarian: Any) -> None:
    """STO-5: one instance a policy context, surface and corpus, however often it comes."""
    chat = Provenance(path=None, surface="chat_attachment")
    document_id = librarian.convert("one", sighting=chat)
    index.jobs.record_reuse(
        [ReuseEvent(document_id=document_id, sighting=sighting) for sighting in (chat, Provenance(path=None))]
    )
    expected = [
        source_instance_id_for(document_id, policy=PolicyContext(), surface=surface, corpus_id=None)
        for surface in ("chat_attachment", "corpus")
    ]
    assert list(index.documents.instances(document_id)) == expected


def test_an_unknown_document_is_a_usage_error(index: Index, librarian: Any) -> None:
    document_id = librarian.convert("one")
    for ref in (document_id[:5], "abcdef0123", "nowhere.txt", ""):
        with pytest.raises(UsageError, match="no document matches"):
            index.documents.resolve(ref)
    with pytest.raises(UsageError, match="there is no document 'x'"):
        index.documents.get("x")


def test_an_ambiguous_name_lists_the_candidates(index: Index, librarian: Any, raw_hash: Hasher) -> None:
    first = librarian.convert("one", sighting=Provenance(path="file:///x"), title="The first")
    second = librarian.convert("two", sighting=Provenance(path="file:///x"))
    index.documents.mark_stale(["file:///x"])
    with pytest.raises(UsageError, match="matches several documents") as caught:
        index.documents.resolve("file:///x")
    assert f"{first} (The first)" in str(caught.value)
    assert f"{second} ({raw_hash('two')[:12]})" in str(caught.value)


def test_documents_are_found_by_every_kind_of_hash(index: Index, librarian: Any, raw_hash: Hasher) -> None:
    """STO-9 and STO-16: other copies, shared pages and chunks; never merged, only found."""
    shared = {
        "normalized_binary_hash": raw_hash("binary"),
        "normalized_text_hash": raw_hash("text"),
        "page_hashes": (raw_hash("p1"), raw_hash("p2")),
        "chunk_hashes": (raw_hash("c1"),),
    }
    ids = sorted(librarian.convert(name, **shared) for name in ("one", "two"))
    librarian.convert("three", page_hashes=(raw_hash("c1"),))
    for kind, name in (("binary", "binary"), ("text", "text"), ("page", "p2"), ("chunk", "c1")):
        assert list(index.documents.with_hash(kind, raw_hash(name))) == ids, kind  # type: ignore[arg-type]  # literals in a loop


def test_corpora_keep_their_settings(index: Index) -> None:
    made = index.corpora.create(
        "reports",
        profile="thorough",
        visibility="firewalled",
        sensitivity="privileged",
        overrides={"ocr": {"languages": ["deu"]}},
        chunking_config_version="c1",
    )
    assert index.corpora.get("reports") == index.corpora.get(made.corpus_id) == made
    assert made.policy == PolicyContext(visibility="firewalled", sensitivity="privileged", scope_basis="corpus")
    assert made.overrides == {"ocr": {"languages": ["deu"]}}


def test_a_name_wins_over_another_corpus_id(index: Index) -> None:
    first = index.corpora.create("first")
    named = index.corpora.create(first.corpus_id)
    assert index.corpora.get(first.corpus_id) == named


def test_a_corpus_that_exists_or_does_not_is_a_usage_error(index: Index) -> None:
    with pytest.raises(UsageError, match="there is no corpus 'reports'"):
        index.corpora.get("reports")
    index.corpora.create("reports")
    with pytest.raises(UsageError, match="corpus 'reports' already exists"):
        index.corpora.create("reports")
    with pytest.raises(UsageError, match="there is no corpus 'other'") as raised:
        index.corpora.get("other")
    assert "reports" not in f"{raised.value} {raised.value.remedy}"  # the names of others are not told (STO-5)
    with pytest.raises(UsageError, match="needs a name"):
        index.corpora.create(" ")


def test_an_override_is_set_changed_and_taken_back(index: Index, librarian: Any) -> None:
    """CNV-1: a user's override at document or corpus level."""
    document_id = librarian.convert("one")
    corpus = index.corpora.create("reports")
    for plugin in ("pdfium", "docling", None):
        index.corpora.set_override(plugin, document_id=document_id, by="user")
        assert index.corpora.get_override(document_id=document_id) == plugin
    index.corpora.set_override("markitdown", corpus_id=corpus.corpus_id, by="user")
    assert index.corpora.get_override(corpus_id=corpus.corpus_id) == "markitdown"
    assert index.corpora.get_override(document_id=document_id) is None


def test_an_override_has_one_scope_that_exists(index: Index) -> None:
    with pytest.raises(ValueError, match="give either"):
        index.corpora.set_override("pdfium", by="user")
    with pytest.raises(ValueError, match="give either"):
        index.corpora.get_override(document_id="a", corpus_id="b")
    for scope in ({"document_id": "x"}, {"corpus_id": "x"}):
        with pytest.raises(UsageError, match="there is no document or corpus 'x'"):
            index.corpora.set_override("pdfium", by="user", **scope)  # type: ignore[arg-type]  # the two scopes in a loop
