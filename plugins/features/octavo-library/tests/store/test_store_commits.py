"""How jobs end, and documents that come again (STO-4, STO-5, STO-6, STO-8, STO-10, STO-11, ENG-6, ENG-18)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from octavo_contracts import HardFailReason, IllegalTransition, IngestionState, Intent, UsageError
from octavo_library.storage import (
    CompletedJob,
    ConversionFacts,
    DocumentFacts,
    Index,
    JobFailure,
    LocationType,
    NewJob,
    PolicyContext,
    Provenance,
    ReuseEvent,
    document_id_for,
    source_instance_id_for,
)
from octavo_library.storage.index import schema
from sqlalchemy import func, select

S = IngestionState
Hasher = Callable[[str], str]


def rows_of(index: Index) -> dict[str, int]:
    """How many rows each table has, but for the schema's own."""
    with index.read() as connection:
        return {
            name: connection.scalar(select(func.count()).select_from(table)) or 0
            for name, table in schema.metadata.tables.items()
            if name != "document_change_log"  # a server's log of changes, for searches
        }


def test_a_finished_conversion_is_filed_with_everything_about_it(
    index: Index, librarian: Any, raw_hash: Hasher
) -> None:
    """ENG-4: the transition carries the index writes with it."""
    corpus = index.corpora.create("reports")
    document_id = librarian.convert(
        "one",
        sighting=Provenance(path="file:///a/one.txt", corpus_id=corpus.corpus_id),
        title="One",
        mime_type="text/plain",
        file_size=3,
        normalized_text_hash=raw_hash("text"),
        page_hashes=(raw_hash("p1"), raw_hash("p2")),
        chunk_hashes=(raw_hash("c1"),),
    )
    document = index.documents.get(document_id)
    assert (document.title, document.status, document.active_version) == ("One", S.COMPLETE, 1)
    assert document.processing_log_ref == f"store:by_hash/{raw_hash('one')}/processing_log.json"
    (version,) = index.versions.of_document(document_id)
    assert (version.tool, version.is_active) == ("plaintext", True)
    assert version.artifact_ref == f"store:by_hash/{raw_hash('one')}/conversions/v1"
    (path,) = index.documents.paths(document_id)
    assert (path.path, path.location_type, path.is_stale) == ("file:///a/one.txt", "local", False)
    (job,) = index.jobs.of_hash(raw_hash("one"))
    assert (job.document_id, job.state) == (document_id, S.COMPLETE)
    counts = rows_of(index)
    assert (counts["document_corpus_memberships"], counts["document_source_instances"]) == (1, 1)
    assert (counts["ingest_events"], counts["content_hashes"]) == (1, 3)


def test_a_finish_that_fails_leaves_nothing(index: Index, librarian: Any) -> None:
    """STO-8: the old state or the new one, here by the last of the writes being refused."""
    job = librarian.start("one")
    before = rows_of(index)
    with pytest.raises(UsageError, match="there is no corpus with the id nowhere"):
        librarian.finish(job, "one", sighting=Provenance(path=None, corpus_id="nowhere"))
    assert rows_of(index) == before
    assert index.jobs.get(job.job_id) == job


def test_who_was_taken_over_files_nothing(index: Index, librarian: Any) -> None:
    job = librarian.start("one")
    index.jobs.claim(job, owner="you")
    before = rows_of(index)
    with pytest.raises(IllegalTransition, match="taken over"):
        librarian.finish(job, "one")
    assert rows_of(index) == before


def test_a_finish_must_be_an_end(index: Index, librarian: Any, raw_hash: Hasher) -> None:
    job = librarian.start("one")
    for steps in ((), (S.CONVERTED,)):
        with pytest.raises(ValueError, match="ends in complete or degraded_complete"):
            librarian.finish(job, "one", end=steps)
    with pytest.raises(ValueError, match="is about"):
        librarian.finish(job, "another")


def test_a_version_is_recorded_once(index: Index, librarian: Any, raw_hash: Hasher, end: tuple[S, ...]) -> None:
    librarian.convert("one")
    job = librarian.start("one", intent=Intent.RECONVERT)
    with pytest.raises(UsageError, match=r"version 1 of document .* is recorded already"):
        index.jobs.complete(
            [
                CompletedJob(
                    job=job,
                    steps=end,
                    document=DocumentFacts(raw_hash=raw_hash("one")),
                    conversion=ConversionFacts(version=1, tool="plaintext"),
                )
            ]
        )


def test_a_failure_is_kept_with_its_result(index: Index, librarian: Any, raw_hash: Hasher) -> None:
    """ENG-6: hard_failed is not tried again by itself, so the verdict can be given again."""
    (done,) = index.jobs.complete(
        [
            CompletedJob(
                job=librarian.start("bad", engine_set="e1", source_instance_id="here"),
                steps=(S.CONVERSION_FAILED,),
                failure=JobFailure(reason=HardFailReason.SOURCE_CORRUPT, result_json='{"a": 1}'),
                document=DocumentFacts(raw_hash=raw_hash("bad"), mime_type="application/pdf"),
                sighting=Provenance(path="file:///bad.pdf"),
            )
        ]
    )
    assert (done.state, done.reason) == (S.HARD_FAILED, HardFailReason.SOURCE_CORRUPT)
    stored = index.jobs.stored_failure(raw_hash("bad"))
    assert stored is not None
    assert (stored.job_id, stored.reason, stored.engine_set) == (done.job_id, HardFailReason.SOURCE_CORRUPT, "e1")
    assert stored.result_json == '{"a": 1}'
    assert index.jobs.stored_failure(raw_hash("bad"), source_instance_id="here") == stored
    assert index.jobs.stored_failure(raw_hash("bad"), source_instance_id="elsewhere") is None
    known = index.documents.find_by_hash([raw_hash("bad")])[raw_hash("bad")]
    assert (known.status, known.reason, known.active_version) == (
        S.HARD_FAILED,
        HardFailReason.SOURCE_CORRUPT,
        None,
    )
    assert index.jobs.transitions(done.job_id)[-1].details["error"] == "source_corrupt"


def test_a_success_takes_the_failure_back(index: Index, librarian: Any, raw_hash: Hasher) -> None:
    librarian.fail(librarian.start("one"), "one", HardFailReason.CONVERSION_TIMEOUT)
    document_id = librarian.convert("one")
    assert index.jobs.stored_failure(raw_hash("one")) is None
    document = index.documents.get(document_id)
    assert (document.status, document.reason, document.active_version) == (S.COMPLETE, None, 1)
    assert document.last_reingested_at is not None


def test_a_failed_reconversion_takes_nothing_away(index: Index, librarian: Any, raw_hash: Hasher) -> None:
    """A document's status is that of its active version (ENG-3)."""
    document_id = librarian.convert("one", title="One", normalized_text_hash=raw_hash("text"))
    job = librarian.start("one", intent=Intent.RECONVERT)
    librarian.fail(job, "one", HardFailReason.OCR_FAILED)
    document = index.documents.get(document_id)
    assert (document.status, document.reason, document.title) == (S.COMPLETE, None, "One")
    assert document.normalized_text_hash == raw_hash("text")


def test_a_file_that_could_not_be_read_is_an_event_without_a_document(index: Index) -> None:
    job = index.jobs.start(NewJob(raw_hash=None), owner="me").job
    failure = JobFailure(reason=HardFailReason.SOURCE_MISSING)
    sighting = Provenance(path="file:///gone", surface="watched_folder")
    (done,) = index.jobs.complete([CompletedJob(job=job, failure=failure, sighting=sighting)])
    assert done.document_id is None
    counts = rows_of(index)
    assert (counts["ingest_events"], counts["documents"], counts["document_original_paths"]) == (1, 0, 0)


def test_a_failure_about_other_bytes_is_refused(index: Index, librarian: Any, raw_hash: Hasher) -> None:
    with pytest.raises(ValueError, match="is about"):
        librarian.fail(librarian.start("one"), "two", HardFailReason.SOURCE_EMPTY)


def test_scenario_a_the_same_file_in_a_chat_is_no_new_work(index: Index, librarian: Any, raw_hash: Hasher) -> None:
    """STO-10 A: one document, one conversion; the event is logged."""
    corpus = index.corpora.create("reports")
    document_id = librarian.convert("one", sighting=Provenance(path="file:///one", corpus_id=corpus.corpus_id))
    before = rows_of(index)
    chat = Provenance(path=None, surface="chat_attachment", location_type=LocationType.CHAT_ATTACHMENT)
    assert index.jobs.record_reuse([ReuseEvent(document_id=document_id, sighting=chat)]) == (0, 0, 1)
    after = rows_of(index)
    changed = {name: after[name] - before[name] for name in after if after[name] != before[name]}
    assert changed == {"ingest_events": 1, "document_source_instances": 1}


def test_scenario_b_two_corpora_share_one_conversion(index: Index, librarian: Any, raw_hash: Hasher) -> None:
    """STO-10 B: one conversion, two memberships."""
    one, two = index.corpora.create("one"), index.corpora.create("two")
    document_id = librarian.convert("x", sighting=Provenance(path="file:///x", corpus_id=one.corpus_id))
    again = ReuseEvent(document_id=document_id, sighting=Provenance(path="file:///x", corpus_id=two.corpus_id))
    assert index.jobs.record_reuse([again]) == (0, 1, 1)
    for corpus in (one, two):
        assert index.documents.find_by_hash([raw_hash("x")], corpus_id=corpus.corpus_id)[raw_hash("x")].in_corpus
    assert not index.documents.find_by_hash([raw_hash("x")])[raw_hash("x")].in_corpus
    assert len(index.versions.of_document(document_id)) == 1


def test_scenario_c_three_surfaces_are_one_document_with_three_paths(index: Index, librarian: Any) -> None:
    """STO-10 C, STO-18."""
    document_id = librarian.convert("x", sighting=Provenance(path="file:///x"))
    index.jobs.record_reuse(
        [
            ReuseEvent(document_id=document_id, sighting=Provenance(path=path, surface=surface, location_type=kind))
            for path, surface, kind in (
                ("url:https://example.org/x", "web", LocationType.WEB_FETCH),
                ("url:mid:1@example.org", "email_attachment", LocationType.EMAIL_ATTACHMENT),
            )
        ]
    )
    assert [path.location_type for path in index.documents.paths(document_id)] == [
        "local",
        "web_fetch",
        "email_attachment",
    ]


def test_scenario_d_a_revision_is_a_document_of_its_own(index: Index, librarian: Any) -> None:
    """STO-10 D, and STO-11: the path now leads to the revision."""
    first = librarian.convert("draft", sighting=Provenance(path="file:///x"))
    second = librarian.convert("revised", sighting=Provenance(path="file:///x"))
    assert first != second
    assert [path.is_stale for path in index.documents.paths(first)] == [True]
    assert [path.is_stale for path in index.documents.paths(second)] == [False]
    assert index.documents.resolve("file:///x") == second


def test_a_path_that_comes_back_is_no_longer_stale(index: Index, librarian: Any) -> None:
    """STO-11: a vanished path is marked, never removed; here the draft is restored over the revision."""
    first = librarian.convert("draft", sighting=Provenance(path="file:///x"))
    second = librarian.convert("revised", sighting=Provenance(path="file:///x"))
    index.jobs.record_reuse([ReuseEvent(document_id=first, sighting=Provenance(path="file:///x"))])
    assert [path.is_stale for path in index.documents.paths(first)] == [False]
    assert [path.is_stale for path in index.documents.paths(second)] == [True]
    assert index.documents.mark_stale(["file:///x", "file:///unknown"]) == 1
    assert [path.is_stale for path in index.documents.paths(first)] == [True]


def test_the_same_files_again_add_events_and_nothing_else(index: Index, librarian: Any) -> None:
    """STO-5: repeating the same ingest returns the same id, each event is still logged."""
    corpus = index.corpora.create("reports")
    seen = {
        librarian.convert(f"d{n}", sighting=Provenance(path=f"file:///d{n}", corpus_id=corpus.corpus_id)): n
        for n in range(3)
    }
    before = rows_of(index)
    events = [
        ReuseEvent(document_id=one, sighting=Provenance(path=f"file:///d{n}", corpus_id=corpus.corpus_id))
        for one, n in seen.items()
    ]
    assert index.jobs.record_reuse(events * 2) == (0, 0, 0)
    after = rows_of(index)
    assert after.pop("ingest_events") == before.pop("ingest_events") + 6
    assert after == before


def test_no_events_are_nothing_to_do(index: Index) -> None:
    assert index.jobs.record_reuse([]) == (0, 0, 0)


def test_reuse_in_a_corpus_that_does_not_exist_is_refused(index: Index, librarian: Any) -> None:
    document_id = librarian.convert("one")
    with pytest.raises(UsageError, match="no corpus with the id nowhere"):
        index.jobs.record_reuse(
            [ReuseEvent(document_id=document_id, sighting=Provenance(path=None, corpus_id="nowhere"))]
        )
    assert rows_of(index)["ingest_events"] == 0


def test_an_instance_is_keyed_by_document_policy_surface_and_corpus() -> None:
    """STO-5: the same four give the same id, another one of them another id."""
    document_id = document_id_for("a" * 64)
    open_to_all, firewalled = PolicyContext(), PolicyContext(visibility="firewalled")
    key: dict[str, Any] = {"policy": open_to_all, "surface": "corpus", "corpus_id": "c1"}
    one = source_instance_id_for(document_id, **key)
    assert one == source_instance_id_for(document_id, **key)
    others = {
        source_instance_id_for(document_id_for("b" * 64), **key),
        *(
            source_instance_id_for(document_id, **{**key, **change})
            for change in ({"policy": firewalled}, {"surface": "chat"}, {"corpus_id": None}, {"corpus_id": "c2"})
        ),
    }
    assert len(others | {one}) == 6


def test_ids_are_the_same_in_every_library() -> None:
    """Written down once: a change here would orphan every library out there."""
    assert document_id_for("0" * 64) == "e1c4311b-8eaa-5350-b5b4-8ada95469c6f"
    assert PolicyContext().canonical() == (
        '{"scope_inference_basis":"default","sensitivity":"normal","visibility":"ambient"}'
    )


def test_versions_stay_and_each_can_be_made_active_again(index: Index, librarian: Any, raw_hash: Hasher) -> None:
    """STO-6: rollback is one call; STO-19: what was active can be asked for as of a date."""
    document_id = librarian.convert("one", normalized_text_hash=raw_hash("light"))
    between = index.now()
    heavy = librarian.start("one", intent=Intent.RECONVERT)
    degraded = (S.CONVERTED, S.CLASSIFICATION_FAILED, S.SUMMARY_FAILED, S.INDEXED, S.EXTRACTION_PENDING)
    librarian.finish(
        heavy,
        "one",
        end=(*degraded, S.EXTRACTED, S.VERIFIED, S.WRITTEN, S.DEGRADED_COMPLETE),
        normalized_text_hash=raw_hash("heavy"),
    )
    assert [record.is_active for record in index.versions.of_document(document_id)] == [False, True]
    assert index.documents.get(document_id).status is S.DEGRADED_COMPLETE
    assert index.documents.get(document_id).normalized_text_hash == raw_hash("heavy")

    index.versions.activate(document_id, 1, by="user")
    assert index.documents.get(document_id).active_version == 1
    assert index.documents.get(document_id).status is S.COMPLETE
    assert index.documents.get(document_id).normalized_text_hash == raw_hash("light")
    assert [record.is_active for record in index.versions.of_document(document_id)] == [True, False]
    assert index.versions.active(document_id) == 1
    assert index.versions.active(document_id, as_of=between) == 1
    assert index.versions.active(document_id, as_of="2001-01-01") is None
    assert index.versions.highest(document_id) == 2


def test_a_clock_that_went_back_moves_no_activation(index: Index, librarian: Any, index_url: Any) -> None:
    """STO-19: activations follow each other by their counter."""
    days = iter((10, 20, 5))
    today = [datetime(2026, 11, 1, tzinfo=UTC)]
    with Index(index_url, clock=lambda: today[0]) as set_back:
        librarian.index = set_back
        for intent in (None, Intent.RECONVERT, Intent.RECONVERT):
            today[0] = datetime(2026, 11, next(days), tzinfo=UTC)
            job = librarian.start("one", intent=intent) if intent else librarian.start("one")
            librarian.finish(job, "one")
        document_id = document_id_for(job.raw_hash)
        asked = {
            day: set_back.versions.active(document_id, as_of=f"2026-11-{day:02}T12:00:00.000000Z")
            for day in (4, 12, 21)
        }
    assert asked == {4: None, 12: 1, 21: 3}


def test_a_version_can_be_kept_aside(index: Index, librarian: Any, raw_hash: Hasher) -> None:
    """CNV-2: both versions stay; which one is active is a choice."""
    document_id = librarian.convert("one", normalized_text_hash=raw_hash("light"))
    job = librarian.start("one", intent=Intent.RECONVERT)
    librarian.finish(job, "one", activate=False, normalized_text_hash=raw_hash("heavy"))
    assert index.documents.get(document_id).active_version == 1
    assert index.documents.get(document_id).normalized_text_hash == raw_hash("light")
    assert index.versions.of_document(document_id)[1].normalized_text_hash == raw_hash("heavy")


def test_a_version_that_does_not_exist_can_not_be_activated(index: Index, librarian: Any) -> None:
    document_id = librarian.convert("one")
    with pytest.raises(UsageError, match=r"has no version 7\. Its versions: 1"):
        index.versions.activate(document_id, 7)
    assert index.versions.highest("nowhere") == 0


def test_a_type_set_by_hand_is_never_overwritten(index: Index, librarian: Any) -> None:
    """CLS-6."""
    document_id = librarian.convert("one", document_type="motion")
    index.document_types.set(document_id, "contract", by="user")
    job = librarian.start("one", intent=Intent.RECONVERT)
    librarian.finish(job, "one", document_type="motion", title="One")
    document = index.documents.get(document_id)
    assert (document.document_type, document.title) == ("contract", "One")
    with pytest.raises(UsageError, match="there is no document"):
        index.document_types.set("nowhere", "contract", by="user")


def test_what_a_later_job_does_not_know_is_kept(index: Index, librarian: Any) -> None:
    document_id = librarian.convert("one", title="One", mime_type="text/plain")
    librarian.finish(librarian.start("one", intent=Intent.RECONVERT), "one", title="Two")
    document = index.documents.get(document_id)
    assert (document.title, document.mime_type) == ("Two", "text/plain")
