"""An index that was cut short, or a clock that jumped: said plainly, and nothing that was stored is made worse."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from octavo_contracts import IngestionState, StorageError
from octavo_library.storage import ArtifactStore, Index, NewJob, library_url, recover


@pytest.mark.usefixtures("sqlite_only")
@pytest.mark.parametrize("keep", [0.5, 0.9])
def test_an_index_that_was_cut_short_is_reported_and_the_artifacts_stay(
    store: ArtifactStore, index: Index, librarian: Any, raw_hash: Any, keep: float
) -> None:
    for number in range(200):
        librarian.convert(f"text {number}")
    index.close()
    path = Path(store.root) / "index.sqlite"
    os.truncate(path, int(path.stat().st_size * keep))

    def use() -> None:
        with Index(library_url(store.root)) as cut:
            cut.documents.page(limit=1000)
            for number in range(200):
                cut.jobs.processing_log(raw_hash(f"text {number}"))
                cut.jobs.start(NewJob(raw_hash=raw_hash(f"new {number}")), owner=store.owner)

    with pytest.raises(StorageError, match="is damaged") as caught:
        use()
    assert "the artifacts beside it, which are intact" in caught.value.remedy
    assert store.versions(raw_hash("text 7")) == (1,)


def test_a_lease_of_a_clock_that_was_ahead_is_taken_from_a_dead_owner_all_the_same(
    store: ArtifactStore, index: Index, raw_hash: Any
) -> None:
    """What counts is whether the owner lives; its lease alone would hold for another year."""
    index._clock = lambda: datetime.now(UTC) + timedelta(days=365)
    job = index.jobs.start(NewJob(raw_hash=raw_hash("one")), owner="gone-1-00000000").job
    index._clock = lambda: datetime.now(UTC)
    [taken] = recover(store, index).jobs
    assert (taken.job_id, taken.owner, taken.claims) == (job.job_id, store.owner, 2)


def test_transitions_keep_their_order_when_the_clock_jumps_back(index: Index, raw_hash: Any) -> None:
    job = index.jobs.start(NewJob(raw_hash=raw_hash("one")), owner="me").job
    index._clock = lambda: datetime.now(UTC) - timedelta(days=3)
    index.jobs.advance(job, IngestionState.HASH_CHECKED)
    first, second = index.jobs.transitions(job.job_id)
    assert (first.seq, first.after) == (0, IngestionState.REGISTERED)
    assert (second.seq, second.after) == (1, IngestionState.HASH_CHECKED)
    assert second.at < first.at
