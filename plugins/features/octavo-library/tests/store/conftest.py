"""A library in a temporary folder, and short ways to fill it.

The suite runs on SQLite. With `OCTAVO_TEST_INDEX_URL` set to a PostgreSQL database that may be emptied, the index
is there instead.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from octavo_contracts import HardFailReason, IngestionState
from octavo_library.storage import (
    ArtifactStore,
    CompletedJob,
    ConversionFacts,
    DocumentFacts,
    Index,
    Job,
    JobFailure,
    NewJob,
    Provenance,
    Step,
    document_id_for,
    library_url,
)
from sqlalchemy import URL

S = IngestionState
BEGIN = (S.HASH_CHECKED, S.SOURCE_STORED, S.CONVERSION_PENDING)
END = (
    S.CONVERTED,
    S.CLASSIFIED,
    Step(state=S.SUMMARIZED, skipped=True),
    S.INDEXED,
    S.EXTRACTION_PENDING,
    S.EXTRACTED,
    S.VERIFIED,
    S.WRITTEN,
    S.COMPLETE,
)

FILES = {"converted.md": b"# One\n", "canonical.txt": b"One\n", "tool.json": b"{}", "quality_report.json": b"{}"}


def hash_of(text: str) -> str:
    """A SHA-256 to stand for the bytes of `text`."""
    return hashlib.sha256(text.encode()).hexdigest()


@pytest.fixture(scope="session")
def raw_hash() -> Callable[[str], str]:
    return hash_of


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "library"


@pytest.fixture
def store(root: Path) -> Iterator[ArtifactStore]:
    with ArtifactStore(root) as opened:
        yield opened


@pytest.fixture
def index_url(store: ArtifactStore, request: pytest.FixtureRequest) -> str | URL:
    if os.environ.get("OCTAVO_TEST_INDEX_URL") is None:
        return library_url(store.root)
    url: str = request.getfixturevalue("empty_server")
    return url


@pytest.fixture
def index(index_url: str | URL) -> Iterator[Index]:
    with Index(index_url) as opened:
        yield opened


@pytest.fixture
def sqlite_only(index_url: str | URL) -> None:
    if not str(index_url).startswith("sqlite"):
        pytest.skip("is about SQLite's own files")


class Librarian:
    """Takes documents through their jobs as the engine does, with contents that do not matter."""

    def __init__(self, store: ArtifactStore, index: Index) -> None:
        self.store = store
        self.index = index

    def start(self, text: str, **fields: object) -> Job:
        """A new job that is about to convert."""
        new = NewJob(raw_hash=hash_of(text), steps=BEGIN, **fields)  # type: ignore[arg-type]  # tests pass NewJob's own fields
        job, is_new = self.index.jobs.start(new, owner=self.store.owner)
        assert is_new
        return job

    def convert(self, text: str, *, sighting: Provenance | None = None, **facts: object) -> str:
        """Convert a document and file it; returns its id."""
        self.finish(self.start(text), text, sighting=sighting, **facts)
        return document_id_for(hash_of(text))

    def finish(
        self,
        job: Job,
        text: str,
        *,
        sighting: Provenance | None = None,
        activate: bool = True,
        end: tuple[IngestionState | Step, ...] = END,
        **facts: object,
    ) -> Job:
        """Store a version and end the job with it."""
        version = self.store.put_version(hash_of(text), FILES, job_id=job.job_id)
        completed = CompletedJob(
            job=job,
            steps=end,
            document=DocumentFacts(raw_hash=hash_of(text), **facts),  # type: ignore[arg-type]  # DocumentFacts' own fields
            conversion=ConversionFacts(version=version, tool="plaintext", activate=activate),
            sighting=sighting,
        )
        return self.index.jobs.complete([completed])[0]

    def fail(
        self,
        job: Job,
        text: str,
        reason: HardFailReason,
        *,
        steps: tuple[IngestionState, ...] = (),
        sighting: Provenance | None = None,
    ) -> Job:
        """End the job of a document that could not be converted."""
        completed = CompletedJob(
            job=job,
            steps=steps,
            document=DocumentFacts(raw_hash=hash_of(text)),
            failure=JobFailure(reason=reason),
            sighting=sighting,
        )
        return self.index.jobs.complete([completed])[0]


@pytest.fixture
def librarian(store: ArtifactStore, index: Index) -> Librarian:
    return Librarian(store, index)


@pytest.fixture
def begin() -> tuple[IngestionState | Step, ...]:
    return BEGIN


@pytest.fixture
def end() -> tuple[IngestionState | Step, ...]:
    return END


@pytest.fixture
def files() -> dict[str, bytes]:
    return dict(FILES)
