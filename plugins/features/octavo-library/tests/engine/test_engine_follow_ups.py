"""Follow-ups: whatever is registered is done for every document, by itself, in a run and inside another one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from email.message import EmailMessage
from pathlib import Path

import pytest
from octavo.runtime import Runtime
from octavo.settings.settings import Settings
from octavo_contracts import Intent, OctavoError
from octavo_library import Library
from octavo_library.ingestion.claimed_job import Busy
from octavo_library.ingestion.follow_ups import Arrival
from octavo_library.ingestion.requests import IngestRequest, ProcessedDocument
from octavo_library.storage import Index, Job, NewJob

NAME = "noted"


class Notes:
    """A follow-up of a stranger: opens a job for each new version, and notes the documents that it is run for."""

    def __init__(self, index: Index) -> None:
        self.index = index
        self.noted: list[str] = []
        self.busy = 0
        self.error: OctavoError | None = None

    def jobs_for(self, index: Index, arrival: Arrival) -> Sequence[NewJob]:
        if arrival.version is None:
            return ()
        return [NewJob(raw_hash=arrival.version.raw_hash, intent=Intent.EXTRACT, source_instance_id=NAME)]

    def is_due(self, processed: ProcessedDocument, _request: IngestRequest) -> bool:
        return processed.document_id is not None

    def run(
        self, processed: ProcessedDocument, _request: IngestRequest, *, intent: Intent, patient: bool
    ) -> ProcessedDocument:
        assert processed.document_id is not None
        if self.error is not None:
            raise self.error
        if self.busy and not patient:
            self.busy -= 1
            raise Busy
        assert self.index.documents.get(processed.document_id).active_version is not None, "it is committed by now"
        self.noted.append(processed.document_id)
        return processed

    def owns(self, job: Job) -> bool:
        return job.source_instance_id == NAME

    def resume(self, _job: Job, _request: IngestRequest) -> None:
        raise AssertionError("nothing is resumed here")


@pytest.fixture(scope="module")
def runtime() -> Iterator[Runtime]:
    with Runtime(Settings(workers=1)) as made:
        yield made


@pytest.fixture
def library(runtime: Runtime, tmp_path: Path) -> Iterator[Library]:
    with Library.open(tmp_path / "library", runtime=runtime) as opened:
        yield opened


@pytest.fixture
def notes(library: Library) -> Notes:
    made = Notes(library.context.index)
    library.context.engine.follow_ups.register(made)
    return made


def texts(folder: Path, *names: str) -> list[Path]:
    paths = [folder / f"{name}.txt" for name in names]
    for path in paths:
        path.write_text(f"The tide of {path.stem}")
    return paths


def jobs_of(library: Library, document_id: str) -> list[Job]:
    index = library.context.index
    jobs = index.jobs.of_hash(index.documents.get(document_id).raw_hash)
    return [job for job in jobs if job.source_instance_id == NAME]


def test_a_document_by_itself_is_followed_up(library: Library, notes: Notes) -> None:
    document_id = library.ingest(b"The tide turned", name="tide.txt").document_id
    assert notes.noted == [document_id]
    (job,) = jobs_of(library, document_id or "")
    assert job.owner == library.context.artifacts.owner


def test_each_document_of_a_run_is_followed_up(library: Library, notes: Notes, tmp_path: Path) -> None:
    found = list(library.ingest_many(texts(tmp_path, "noon", "dusk", "dawn")))
    assert sorted(notes.noted) == sorted(one.document_id for one in found if one.document_id)
    assert all(len(jobs_of(library, document_id)) == 1 for document_id in notes.noted)


def test_what_comes_inside_a_document_is_followed_up(library: Library, notes: Notes, tmp_path: Path) -> None:
    message = EmailMessage()
    message["Subject"] = "Tides"
    message.set_content("See the plan.")
    message.add_attachment("The tide turned", filename="plan.txt")
    path = tmp_path / "tides.eml"
    path.write_bytes(message.as_bytes())
    outer = library.ingest(path)
    (inner,) = outer.attachments
    assert sorted(notes.noted) == sorted([outer.document_id or "", inner.document_id or ""])


def test_a_document_that_somebody_else_is_in_the_way_of_comes_last(
    library: Library, notes: Notes, tmp_path: Path
) -> None:
    notes.busy = 2
    found = list(library.ingest_many(texts(tmp_path, "noon", "dusk", "dawn")))
    assert sorted(notes.noted) == sorted(one.document_id or "" for one in found)
    assert len(found) == 3


def test_a_reconversion_is_followed_up_once_more(library: Library, notes: Notes) -> None:
    document = library.ingest(b"The tide turned", name="tide.txt").document
    document.reconvert()
    assert notes.noted == [document.id, document.id]


def test_an_error_of_a_follow_up_is_the_callers_and_the_document_is_there(library: Library, notes: Notes) -> None:
    notes.error = OctavoError("it cannot be noted")
    with pytest.raises(OctavoError, match="cannot be noted"):
        library.ingest(b"The tide turned", name="tide.txt")
    assert [document.active_version for document in library.documents()] == [1]
