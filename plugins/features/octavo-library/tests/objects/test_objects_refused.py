"""A document whose rows the database refuses fails after three attempts, and takes nothing else with it (ENG-7).

The database refuses by constraints that the tests add to the tables: what is behind a refusal is the same to a library.
"""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path

import pytest
from octavo.settings.engine import EngineSettings, RetrySettings
from octavo.settings.object_store import ObjectStoreSettings
from octavo.settings.settings import Settings
from octavo_contracts import HardFailReason
from octavo_library import Library
from octavo_library.storage import Index
from octavo_library.storage.index.refusals import IndexRefused, IndexTimeout
from octavo_library.storage.index.server import IndexBusy
from sqlalchemy import Engine, create_engine, text

Opener = Callable[..., Library]

NO_TITLE = "ALTER TABLE documents ADD CONSTRAINT refused CHECK (title IS DISTINCT FROM 'Bad')"
NO_PATH = "ALTER TABLE document_original_paths ADD CONSTRAINT refused CHECK (path NOT LIKE '%bad%')"
AT_COMMIT = """
CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no such title' USING ERRCODE = '23514'; END $$;
CREATE CONSTRAINT TRIGGER refused AFTER INSERT OR UPDATE ON documents DEFERRABLE INITIALLY DEFERRED
FOR EACH ROW WHEN (NEW.title = 'Bad') EXECUTE FUNCTION refuse()
"""
DIES_AFTER_STORING = """
import os, signal, sys
from octavo.settings.object_store import ObjectStoreSettings
from octavo.settings.settings import Settings
from octavo_library import Library
from octavo_library.ingestion.job_completion import JobCompleter
submit = JobCompleter.submit

def die_at_the_bad_paper(self, pending, **options):
    if pending.completed and pending.claimed.job.raw_hash == sys.argv[4]:
        os.kill(os.getpid(), signal.SIGKILL)
    return submit(self, pending, **options)

JobCompleter.submit = die_at_the_bad_paper
settings = Settings(workers=1, objects=ObjectStoreSettings(workspace=sys.argv[3], lease_seconds=2.0))
with Library.open(sys.argv[1], index=sys.argv[2], settings=settings) as library:
    library.queue.work(until_empty=True, slots=1)
"""


@pytest.fixture
def tables(index_url: str) -> Iterator[Engine]:
    engine = create_engine(index_url.replace("postgresql:", "postgresql+psycopg:"))
    yield engine
    engine.dispose()


@pytest.fixture
def library(url: str, index_url: str, tmp_path: Path) -> Iterator[Library]:
    """A library whose attempts follow each other at once."""
    settings = Settings(
        workers=2,
        objects=ObjectStoreSettings(workspace=str(tmp_path / "one"), lease_seconds=2.0),
        engine=EngineSettings(retries=RetrySettings(first_delay=0.0)),
    )
    with Library.open(url, index=index_url, settings=settings) as opened:
        yield opened


@pytest.fixture
def papers(tmp_path: Path) -> list[Path]:
    folder = tmp_path / "papers"
    folder.mkdir()
    made = [folder / f"{name}.md" for name in ("good", "bad", "late")]
    for path in made:
        path.write_text(f"# {path.stem.capitalize()}\n\nWhat the {path.stem} paper says about seals.\n")
    return made


def refuse(tables: Engine, statement: str) -> None:
    with tables.begin() as connection:
        connection.execute(text(statement))


def check_failed_alone(library: Library, papers: list[Path], objects: Callable[[], list[str]]) -> None:
    """The bad paper failed after three attempts without a stored version, and the others are complete."""
    index = library.context.index
    found = {document.status: document for document in library.documents() if document.status == "hard_failed"}
    failed = found["hard_failed"]
    assert len(failed.versions) == 0
    assert sorted(one.title or "" for one in library.documents() if one.status == "complete") == ["Good", "Late"]
    (job,) = index.jobs.of_hash(failed.raw_hash)
    assert (job.attempts, job.reason) == (3, HardFailReason.DOC25_CONTRACT_VIOLATION)
    refusals = [step.details["error"] for step in index.jobs.transitions(job.job_id) if step.details["step"] == "index"]
    assert len(refusals) == 3
    assert all("refused" in said for said in refusals)
    assert not [key for key in objects() if key.startswith(f"by_hash/{failed.raw_hash}/conversions")]
    assert (library.queue.counts().queued, library.queue.counts().taken) == (0, 0)
    assert library.maintenance.verify().is_clean


@pytest.mark.parametrize("statement", [NO_TITLE, NO_PATH, AT_COMMIT], ids=["title", "path", "at the commit"])
def test_a_worker_ends_a_document_that_the_database_refuses(
    library: Library, tables: Engine, papers: list[Path], objects: Callable[[], list[str]], statement: str
) -> None:
    refuse(tables, statement)
    library.queue.submit(papers)
    counts = library.queue.work(until_empty=True, slots=1)
    assert (counts.ended, counts.failed, counts.returned, counts.left) == (3, 1, 0, 0)
    check_failed_alone(library, papers, objects)


@pytest.mark.parametrize("statement", [NO_TITLE, NO_PATH, AT_COMMIT], ids=["title", "path", "at the commit"])
def test_a_run_goes_on_after_a_document_that_the_database_refuses(
    library: Library, tables: Engine, papers: list[Path], objects: Callable[[], list[str]], statement: str
) -> None:
    refuse(tables, statement)
    outcomes = {Path(str(one.source)).stem: one.result for one in library.ingest_many(papers)}
    assert {name: result and str(result.ingestion_status) for name, result in outcomes.items()} == {
        "good": "complete",
        "bad": "hard_failed",
        "late": "complete",
    }
    bad = outcomes["bad"]
    assert bad is not None
    (receipt,) = bad.failure_receipts
    assert receipt.reason_code is HardFailReason.DOC25_CONTRACT_VIOLATION
    assert "refused" in receipt.details
    assert receipt.remedy
    check_failed_alone(library, papers, objects)


def test_a_single_document_that_the_database_refuses_has_a_result(
    library: Library, tables: Engine, papers: list[Path], objects: Callable[[], list[str]]
) -> None:
    refuse(tables, NO_TITLE)
    results = [library.ingest(paper).result for paper in papers]
    assert [str(result.ingestion_status) for result in results if result] == ["complete", "hard_failed", "complete"]
    check_failed_alone(library, papers, objects)


def test_a_reconversion_that_the_database_refuses_leaves_the_versions(
    library: Library, tables: Engine, papers: list[Path], objects: Callable[[], list[str]]
) -> None:
    library.ingest(papers[1])
    (document,) = library.documents()
    refuse(tables, "ALTER TABLE conversions ADD CONSTRAINT refused CHECK (version < 2)")
    with pytest.raises(IndexRefused, match="refused"):
        document.reconvert()
    outcomes = list(library.ingest_many(papers, reingest=True))
    assert len(outcomes) == 3, "the run goes on"
    (document,) = [one for one in library.documents() if one.raw_hash == document.raw_hash]
    assert (document.status, [one.version for one in document.versions]) == ("complete", [1])
    assert [key for key in objects() if key.endswith("/v2.zip")] == []
    assert library.maintenance.verify().is_clean


def test_a_version_that_a_dead_worker_stored_and_the_database_refuses_is_removed(
    library: Library,
    tables: Engine,
    papers: list[Path],
    objects: Callable[[], list[str]],
    url: str,
    index_url: str,
    tmp_path: Path,
) -> None:
    refuse(tables, NO_TITLE)
    library.queue.submit(papers)
    arguments = [url, index_url, str(tmp_path / "other"), sha256(papers[1].read_bytes()).hexdigest()]
    command = [sys.executable, "-c", DIES_AFTER_STORING, *arguments]
    assert subprocess.run(command, check=False, timeout=120).returncode == -signal.SIGKILL
    library.queue.work(until_empty=True, slots=1)
    check_failed_alone(library, papers, objects)


def test_known_documents_at_paths_that_the_database_refuses_do_not_end_a_run(
    library: Library, tables: Engine, papers: list[Path], tmp_path: Path
) -> None:
    list(library.ingest_many(papers))
    refuse(tables, NO_PATH.replace("bad", "copy-of-bad"))
    copies = [path.rename(path.with_name(f"copy-of-{path.name}")) for path in papers]
    found = {Path(str(one.source)).stem: one.result for one in library.ingest_many(copies)}
    assert {name: bool(result and result.failure_receipts) for name, result in found.items()} == {
        "copy-of-good": False,
        "copy-of-bad": True,
        "copy-of-late": False,
    }
    assert {document.status for document in library.documents()} == {"complete"}


@pytest.mark.parametrize(
    ("setting", "kind", "reason"),
    [
        ("lock_timeout", IndexBusy, HardFailReason.TOOL_UNAVAILABLE),
        ("statement_timeout", IndexTimeout, HardFailReason.CONVERSION_TIMEOUT),
    ],
)
def test_timeouts_of_the_database_are_told_as_such(
    index_url: str, tables: Engine, setting: str, kind: type[Exception], reason: HardFailReason
) -> None:
    """Neither is a server that cannot be reached."""
    url = index_url.replace("postgresql:", "postgresql+psycopg:")
    Index(url).close()
    with Index(f"{url} -c{setting}=200ms") as index, tables.begin() as other:
        other.exec_driver_sql("LOCK TABLE corpora IN EXCLUSIVE MODE")
        with pytest.raises(kind, match="timeout") as told:
            index.corpora.create("reports")
    assert told.value.reason is reason  # type: ignore[attr-defined]  # both kinds are of Octavo
    assert "cannot be reached" not in str(told.value)
