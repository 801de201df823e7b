"""The queue of a library on servers, as an operator sees and clears it (ENG-6)."""

from __future__ import annotations

import json
import logging
import platform
import threading
import uuid
from collections.abc import Callable
from pathlib import Path

import pytest
from octavo.settings.object_store import ObjectStoreSettings
from octavo.settings.settings import Settings
from octavo_contracts import UsageError
from octavo_library import Library
from octavo_library.telemetry import LibraryGauges
from sqlalchemy import create_engine, make_url

Opener = Callable[..., Library]


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    folder = tmp_path / "papers"
    folder.mkdir()
    for number in range(3):
        (folder / f"paper-{number}.md").write_text(f"# Paper {number}\n\nWhat paper {number} says about seals.\n")
    return folder


def take(library: Library) -> None:
    """Hold the oldest document, as a worker does that converts it."""
    owner = library.context.artifacts.owner
    assert len(library.context.index.queue.take(owner=owner, limit=1, seconds=600.0)) == 1


def gauges(library: Library) -> dict[tuple[str, ...], float]:
    samples = LibraryGauges(library, interval=0).read()
    return {(one.metric.name, *one.attributes.values()): one.value for one in samples if "queue" in one.metric.name}


def test_each_document_of_the_queue_is_listed_with_what_it_waits_for(
    machine: Opener, papers: Path, tmp_path: Path
) -> None:
    late = tmp_path / "late.md"
    with machine("one") as one, machine("two") as two:
        one.queue.submit(papers)
        papers.rename(tmp_path / "away")
        assert two.queue.work(until_empty=True, slots=1).left == 3
        late.write_text("# Late\n\nThe late one.\n")
        one.queue.submit(late)
        take(two)
        listed = one.queue.documents()
        assert [entry.condition for entry in listed] == ["held", "not_begun", "not_begun", "waiting"]
        held, *unable, waiting = listed
        assert (held.host, held.is_alive, held.since >= held.submitted_at) == (platform.node(), True, True)
        assert {entry.path for entry in (held, *unable)} == {str(papers / f"paper-{number}.md") for number in range(3)}
        for entry in unable:
            assert entry.reason is not None
            assert entry.reason.startswith(f"{platform.node()}: the file cannot be opened")
        assert (waiting.path, waiting.reason, waiting.host) == (str(late), None, None)
        assert [entry.path for entry in one.queue.documents(limit=1)] == [held.path]
        hosts = {entry.owner: (entry.kind, entry.is_alive, entry.jobs) for entry in one.queue.hosts()}
        assert hosts == {
            one.context.artifacts.owner: ("library", True, 0),
            two.context.artifacts.owner: ("worker", True, 1),
        }
        assert gauges(one) == {
            ("octavo.queue.documents", "waiting"): 1,
            ("octavo.queue.documents", "not_begun"): 2,
            ("octavo.queue.documents", "in_work"): 1,
            ("octavo.queue.hosts", "worker", "alive"): 1,
            ("octavo.queue.hosts", "library", "alive"): 1,
        }


def test_documents_whose_files_are_gone_are_withdrawn(machine: Opener, papers: Path, tmp_path: Path) -> None:
    with machine("one") as library:
        library.queue.submit(papers)
        papers.rename(tmp_path / "away")
        assert library.queue.work(until_empty=True, slots=1).left == 3
        (first,) = library.queue.withdraw(papers / "paper-0.md")
        assert first.path == str(papers / "paper-0.md")
        (second,) = library.queue.withdraw("paper-1.md")
        (third,) = library.queue.withdraw([papers])
        assert {second.path, third.path} == {str(papers / "paper-1.md"), str(papers / "paper-2.md")}
        assert (library.queue.documents(), library.queue.counts().queued) == ([], 0)
        (tmp_path / "away").rename(papers)
        assert library.queue.submit(papers).queued == 3, "a withdrawn document can be submitted again"
        assert library.queue.work(until_empty=True, slots=1).ended == 3


def test_what_is_held_or_unknown_is_not_withdrawn(machine: Opener, papers: Path) -> None:
    with machine("one") as library:
        library.queue.submit(papers)
        take(library)
        (held, *_) = library.queue.documents()
        with pytest.raises(UsageError, match="is being converted"):
            library.queue.withdraw([papers / "paper-1.md", papers / "paper-2.md", held.document_id[:8]])
        with pytest.raises(UsageError, match=r"no document in the queue matches 'other\.md'"):
            library.queue.withdraw("other.md")
        assert len(library.queue.documents()) == 3


def test_documents_that_workers_gave_up_are_listed_as_stopped(machine: Opener, papers: Path) -> None:
    with machine("one") as library:
        library.queue.submit(papers / "paper-0.md")
        index, owner = library.context.index, library.context.artifacts.owner
        (job,) = index.queue.take(owner=owner, limit=1, seconds=600.0)
        index.queue.let_go(job.job_id, owner=owner)
        (stopped,) = library.queue.documents()
        assert (stopped.condition, library.queue.counts().queued) == ("stopped", 0)
        assert "ended too often" in (stopped.reason or "")
        assert library.queue.withdraw(stopped.job_id[:8]) == [stopped]
        assert library.queue.documents() == []


def audited(library: Library) -> list[dict[str, object]]:
    lines = (library.path / "logs" / "audit.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


def test_what_is_submitted_and_what_a_worker_ingests_is_audited(machine: Opener, papers: Path) -> None:
    (papers / "empty.txt").touch()
    with machine("one", originals="stored") as one, machine("two") as two:
        one.queue.submit(papers)
        queued = {document.document_id for document in one.queue.documents()}
        one.queue.withdraw("paper-2.md")
        two.queue.work(until_empty=True, slots=1)
        documents = {document.id: document.status for document in two.documents()}
        submitted, withdrawn = audited(one)
        assert (submitted["action"], set(submitted["document_ids"])) == ("submitted", queued)  # type: ignore[call-overload]  # a row of JSON
        assert (withdrawn["action"], withdrawn["document_id"]) == ("withdrawn", *(queued - documents.keys()))
        rows = audited(two)
        assert {row["action"] for row in rows} == {"ingested"}
        assert {row["document_id"]: row["state"] for row in rows} == documents
        assert sorted(str(row["reason"]) for row in rows) == ["None", "None", "source_empty"]
        assert all(row["user"] for row in rows)


def test_a_worker_tells_of_an_outage_of_the_database_once(
    url: str, s3: object, postgres_url: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    role = f"o{uuid.uuid4().hex[:20]}"
    engine = create_engine(postgres_url, isolation_level="AUTOCOMMIT")
    place = make_url(postgres_url).set(username=role, drivername="postgresql")
    index = place.update_query_dict({"options": f"-csearch_path={role}"}).render_as_string(hide_password=False)
    settings = Settings(workers=1, objects=ObjectStoreSettings(workspace=str(tmp_path / "one"), originals="stored"))
    note = tmp_path / "note.md"
    note.write_text("# Note\n\nSome words.\n")
    with engine.connect() as connection:
        connection.exec_driver_sql(f"CREATE ROLE {role} LOGIN SUPERUSER")
        connection.exec_driver_sql(f"CREATE SCHEMA {role} AUTHORIZATION {role}")
        with Library.open(url, index=index, settings=settings) as library:
            stop = threading.Event()
            worker = threading.Thread(target=library.queue.work, kwargs={"stop": stop, "slots": 1})
            with caplog.at_level(logging.WARNING, logger="octavo.ingestion"):
                worker.start()
                connection.exec_driver_sql(f"ALTER ROLE {role} NOLOGIN")
                ended = f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '{role}'"
                connection.exec_driver_sql(ended)
                assert not stop.wait(4)
                connection.exec_driver_sql(f"ALTER ROLE {role} LOGIN")
                library.queue.submit(note)
                for _ in range(120):
                    if len(library.documents()) == 1 or stop.wait(0.5):
                        break
                stop.set()
                worker.join()
            assert [document.status for document in library.documents()] == ["complete"]
        connection.exec_driver_sql(f"DROP SCHEMA {role} CASCADE")
        connection.exec_driver_sql(f"DROP ROLE {role}")
    engine.dispose()
    told = [message for message in caplog.messages if "take documents from the queue" in message]
    assert len(told) == 2
    assert told[0].startswith("cannot take documents from the queue, trying again: ")
    assert "+psycopg" not in told[0]
    assert told[1].startswith("can take documents from the queue again, after ")
