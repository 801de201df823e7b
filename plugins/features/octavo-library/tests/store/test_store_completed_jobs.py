"""The ends of many jobs in one write, whatever their documents came to (ENG-14, STO-5, STO-8)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from octavo_contracts import HardFailReason, IllegalTransition, IngestionState, Intent
from octavo_library.storage import (
    AttachedDocument,
    CompletedJob,
    ConversionFacts,
    DocumentFacts,
    Index,
    JobFailure,
    NewComparison,
    NewJob,
    PolicyContext,
    Provenance,
    document_id_for,
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
        }


def comparison(document_id: str, job_id: str) -> NewComparison:
    return NewComparison(
        profile="default",
        routing_type="prose",
        occasion="first",
        places=5,
        document_id=document_id,
        version=1,
        job_id=job_id,
        run_id=None,
        tool_a="plaintext",
        engine_a=None,
        tool_b="markitdown",
        engine_b=None,
        metrics={},
        agreement=1.0,
        threshold=0.5,
        diverges=False,
        failure=None,
        seconds=0.1,
    )


def ends_of_every_kind(index: Index, librarian: Any, raw_hash: Hasher, end: tuple[S, ...]) -> list[CompletedJob]:
    """A version with all that one can have, a plain one, a document that failed, and a file that could not be read."""
    full, plain, bad = (librarian.start(text) for text in ("full", "plain", "bad"))
    gone = index.jobs.start(NewJob(raw_hash=None), owner="me").job
    conversion = ConversionFacts(version=1, tool="plaintext")
    inside = AttachedDocument(document_id=document_id_for(raw_hash("plain")), raw_hash=raw_hash("plain"), name="a.txt")
    return [
        CompletedJob(
            job=full,
            steps=end,
            document=DocumentFacts(raw_hash=raw_hash("full"), page_hashes=(raw_hash("p1"),)),
            conversion=conversion,
            sighting=Provenance(path="file:///full.eml"),
            ocr_pages=("page one", "page two"),
            comparison=comparison(document_id_for(raw_hash("full")), full.job_id),
            attachments=(inside,),
            plugin="markitdown",
        ),
        CompletedJob(job=plain, steps=end, document=DocumentFacts(raw_hash=raw_hash("plain")), conversion=conversion),
        CompletedJob(
            job=bad,
            steps=(S.CONVERSION_FAILED,),
            document=DocumentFacts(raw_hash=raw_hash("bad")),
            failure=JobFailure(reason=HardFailReason.SOURCE_CORRUPT),
            sighting=Provenance(path="file:///bad.pdf"),
        ),
        CompletedJob(
            job=gone,
            failure=JobFailure(reason=HardFailReason.SOURCE_MISSING),
            sighting=Provenance(path="file:///gone"),
        ),
    ]


def test_ends_of_every_kind_are_written_together(
    index: Index, librarian: Any, raw_hash: Hasher, end: tuple[S, ...]
) -> None:
    """ENG-14: a group holds whatever its documents came to."""
    done = index.jobs.complete(ends_of_every_kind(index, librarian, raw_hash, end))
    assert [job.state for job in done] == [S.COMPLETE, S.COMPLETE, S.HARD_FAILED, S.HARD_FAILED]
    assert [index.jobs.get(job.job_id) for job in done] == done
    full, plain = (document_id_for(raw_hash(text)) for text in ("full", "plain"))
    assert index.purges.claimed_ocr_pages() == {"page one", "page two"}
    assert index.comparisons.sampled("default").documents == {full}
    assert [one.document_id for one in index.attachments.of_document(full)] == [plain]
    assert index.corpora.get_override(document_id=full) == "markitdown"
    assert index.corpora.get_override(document_id=plain) is None
    assert index.documents.status_counts() == {S.COMPLETE: 2, S.HARD_FAILED: 1}
    # The attachment is in the library by the way that its message came by, though both are of one group.
    assert rows_of(index)["document_source_instances"] == 3


def test_where_one_job_cannot_end_none_does(index: Index, librarian: Any, raw_hash: Hasher, end: tuple[S, ...]) -> None:
    ends = ends_of_every_kind(index, librarian, raw_hash, end)
    index.jobs.claim(ends[2].job, owner="you")
    before = rows_of(index)
    with pytest.raises(IllegalTransition, match="taken over"):
        index.jobs.complete(ends)
    assert rows_of(index) == before


def test_what_a_password_opened_is_taken_from_who_did_not_open_it(
    index: Index, librarian: Any, raw_hash: Hasher, end: tuple[S, ...]
) -> None:
    """STO-5: with the first version alone; a later one takes nothing away."""
    walled = PolicyContext(visibility="firewalled")
    failure = HardFailReason.SOURCE_ENCRYPTED
    librarian.fail(librarian.start("one"), "one", failure, sighting=Provenance(path="file:///one", policy=walled))
    for version, left in ((1, 1), (2, 2)):
        opened = CompletedJob(
            job=librarian.start("one", intent=Intent.INGEST if version == 1 else Intent.RECONVERT),
            steps=end,
            document=DocumentFacts(raw_hash=raw_hash("one")),
            conversion=ConversionFacts(version=version, tool="plaintext"),
            sighting=Provenance(path=f"file:///again/{version}"),
            opened_by=PolicyContext(),
        )
        index.jobs.complete([opened])
        assert rows_of(index)["document_source_instances"] == left
        index.attachments.record_way(document_id_for(raw_hash("one")), Provenance(path=None, policy=walled))
