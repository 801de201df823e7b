"""The commands of the queue against a library in an object store with its index on PostgreSQL, as an operator types them."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from octavo_conformance.loopback import HOST
from octavo_contracts import ExitCode
from sqlalchemy import Engine, create_engine, inspect, make_url

SAMPLES = Path(__file__).resolve().parents[5] / "docs" / "samples"
CALL = "import sys; from octavo_cli import main; sys.exit(main())"
KILLED = """
import os, signal, sys
from octavo_cli import main
from octavo_library.storage import ArtifactStore
ArtifactStore.put_version = lambda *args, **kwargs: os.kill(os.getpid(), signal.SIGKILL)
main(sys.argv[1:])
"""
STOPPED = """
import os, signal, sys
from octavo_cli import main
from octavo_library.storage import ArtifactStore
store = ArtifactStore.put_version
def put_version(*args, **kwargs):
    ArtifactStore.put_version = store
    os.kill(os.getpid(), signal.SIGTERM)
    return store(*args, **kwargs)
ArtifactStore.put_version = put_version
sys.exit(main(sys.argv[1:]))
"""


@dataclass(frozen=True)
class Ended:
    """A command that has ended."""

    code: int
    out: str
    err: str


Command = Callable[..., Ended]


@pytest.fixture
def octavo(url: str, index_url: str, tmp_path: Path) -> Command:
    """Runs a command in a process of its own, with the library in the environment."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("OCTAVO_")}
    library = {
        "OCTAVO_LIBRARY": url,
        "OCTAVO_INDEX": index_url,
        "OCTAVO_OBJECTS__WORKSPACE": str(tmp_path / "workspace"),
        "XDG_CONFIG_HOME": str(tmp_path / "nobody"),
    }

    def run(*arguments: str, script: str = CALL, **settings: str) -> Ended:
        command = [sys.executable, "-c", script, *arguments]
        done = subprocess.run(
            command, cwd=tmp_path, env=kept | library | settings, capture_output=True, text=True, check=False
        )
        return Ended(done.returncode, done.stdout, done.stderr)

    return run


@pytest.fixture
def index_engine(index_url: str) -> Iterator[Engine]:
    """Connections to the database of the index."""
    engine = create_engine(make_url(index_url).set(drivername="postgresql+psycopg"))
    yield engine
    engine.dispose()


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    folder = tmp_path / "papers"
    folder.mkdir()
    for number in range(2):
        (folder / f"paper-{number}.md").write_text(f"# Paper {number}\n\nWhat paper {number} says about seals.\n")
    return folder


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


def test_a_worker_without_the_folder_says_so_and_loses_nothing(octavo: Command, papers: Path, tmp_path: Path) -> None:
    submitted = octavo("submit", "papers")
    assert (submitted.code, submitted.out) == (ExitCode.OK, "2 queued, 0 known\n")
    assert "OCTAVO_OBJECTS__ORIGINALS=stored" in submitted.err
    papers.rename(tmp_path / "away")
    without = octavo("worker", "--until-empty")
    assert (without.code, without.out) == (
        ExitCode.HARD_FAILURES,
        "0 ended, 0 of them failed; 0 returned, 2 left, 0 taken over\n",
    )
    for number in range(2):
        assert f"papers/paper-{number}.md stays in the queue for another worker" in without.err
    (tmp_path / "away").rename(papers)
    assert octavo("worker", "--until-empty").code == ExitCode.OK
    assert octavo("submit", "papers").out == "0 queued, 2 known\n"


def test_the_queue_is_shown_and_cleared(octavo: Command, papers: Path, tmp_path: Path) -> None:
    octavo("submit", "papers")
    papers.rename(tmp_path / "away")
    octavo("worker", "--until-empty")
    shown = octavo("queue")
    assert (shown.code, shown.err) == (ExitCode.OK, "")
    assert shown.out.splitlines()[0] == "2 queued, 2 of them not begun by a worker; 0 in work"
    assert "the file cannot be opened" in shown.out
    for number in range(2):
        assert f"  {papers}/paper-{number}.md" in shown.out.splitlines()
    value = json.loads(octavo("queue", "--json").out)
    assert (value["queued"], value["not_begun"], value["taken"]) == (2, 2, 0)
    assert [one["condition"] for one in value["documents"]] == ["not_begun"] * 2
    (host,) = value["hosts"]
    assert (host["is_alive"], host["jobs"]) == (True, 0)
    gone = octavo("queue", "--withdraw", "papers/paper-0.md")
    assert (gone.code, gone.out) == (ExitCode.OK, f"withdrawn: {papers}/paper-0.md\n")
    assert octavo("queue", "--withdraw", "papers/paper-0.md").code == ExitCode.USAGE
    assert octavo("queue", "--withdraw", "papers").out == f"withdrawn: {papers}/paper-1.md\n"
    assert octavo("queue").out.startswith("0 queued; 0 in work\n")
    assert octavo("worker", "--until-empty").code == ExitCode.OK


def test_a_worker_that_is_terminated_returns_its_documents(octavo: Command, tmp_path: Path) -> None:
    """Service managers send SIGTERM."""
    notes = tmp_path / "notes"
    notes.mkdir()
    for number in range(100):
        (notes / f"{number}.txt").write_text(f"Gauge {number} is read at dawn.")
    octavo("submit", "notes")
    stopped = octavo("worker", "--workers", "1", script=STOPPED)
    assert stopped.code == ExitCode.INTERRUPTED
    value = json.loads(octavo("queue", "--json").out)
    assert (value["taken"], value["queued"]) == (0, 100 - int(stopped.out.split()[0]))
    assert value["queued"] > 0
    assert [one["kind"] for one in value["hosts"]] == ["library"]


def test_the_exit_code_tells_of_failed_documents(octavo: Command, papers: Path) -> None:
    (papers / "empty.txt").touch()
    submitted = octavo("submit", "papers", OCTAVO_OBJECTS__ORIGINALS="stored")
    assert (submitted.code, submitted.err) == (ExitCode.OK, "")
    done = octavo("worker", "--until-empty")
    assert (done.code, done.out) == (
        ExitCode.HARD_FAILURES,
        "3 ended, 1 of them failed; 0 returned, 0 left, 0 taken over\n",
    )
    (failed,) = [line for line in done.err.splitlines() if " failed: " in line]
    (listed,) = json.loads(octavo("list", "--status", "failed", "--json").out)["documents"]
    assert failed.startswith(f"octavo: {listed['id'][:8]} {papers / 'empty.txt'} failed: ")
    assert failed.endswith("[source_empty]")


def test_the_queue_tells_how_submitted_documents_ended(octavo: Command, papers: Path) -> None:
    """They belong to no run, and no command told whether a submission was finished, and what failed."""
    shutil.copy(SAMPLES / "harbour-seals.html", papers)
    shutil.copy(SAMPLES / "annual-report.pdf", papers)
    octavo("submit", "papers", OCTAVO_OBJECTS__ORIGINALS="stored")
    worker = octavo("worker", "--until-empty", "-v", OCTAVO_MAX_PAGES="1")
    assert re.search(rf"^octavo: [0-9a-f]{{8}} {papers}/harbour-seals.html: degraded$", worker.err, re.MULTILINE)

    shown = octavo("queue").out.splitlines()
    assert shown[:2] == [
        "0 queued; 0 in work",
        "Of submitted documents, ended in the last 24 hours: 2 complete, 1 degraded, 1 failed",
    ]
    assert shown[2].startswith("Next: octavo list --status failed")
    assert json.loads(octavo("queue", "--json").out)["ended"] == {"complete": 2, "degraded": 1, "failed": 1}

    again = octavo("submit", "papers", OCTAVO_OBJECTS__ORIGINALS="stored").out.splitlines()
    assert again == [
        "1 queued, 3 known",
        "1 of them queued again after a failure:",
        "  papers/annual-report.pdf: its document failed before [content_too_large]",
    ]
    assert octavo("worker", "--until-empty").code == ExitCode.OK
    assert (
        octavo("queue").out.splitlines()[1]
        == "Of submitted documents, ended in the last 24 hours: 3 complete, 1 degraded, 1 failed"
    )


def test_a_worker_says_for_which_library_it_works_and_what_it_did(octavo: Command, papers: Path, url: str) -> None:
    """Its output is all that the log of a container has."""
    first = octavo("worker", "--until-empty", "--workers", "1")
    assert f"octavo: there was no library at {url}; it was created now\n" in first.err
    assert f"octavo: worker of {url}, index postgresql://" in first.err
    assert "0 documents queued, 1 converted in parallel" in first.err
    octavo("submit", "papers", OCTAVO_OBJECTS__ORIGINALS="stored")
    second = octavo("worker", "--until-empty", "-v")
    assert "there was no library" not in second.err
    assert "2 documents queued" in second.err
    ids = {one["title"]: one["id"][:8] for one in json.loads(octavo("list", "--json").out)["documents"]}
    for number in range(2):
        assert f"octavo: {ids[f'Paper {number}']} {papers}/paper-{number}.md: complete\n" in second.err
    assert octavo("worker", "--until-empty", "-q").err == ""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="kills a process as POSIX systems do")
def test_a_worker_names_the_documents_of_a_dead_one(octavo: Command, papers: Path) -> None:
    stored = {"OCTAVO_OBJECTS__ORIGINALS": "stored", "OCTAVO_OBJECTS__LEASE_SECONDS": "20"}
    octavo("submit", "papers", **stored)
    assert octavo("worker", "--workers", "1", script=KILLED, **stored).code == -signal.SIGKILL
    heir = octavo("worker", "--until-empty", **stored)
    assert heir.code == ExitCode.OK
    named = re.findall(r"octavo: \S+/(paper-\d)\.md was taken over from a process that died", heir.err)
    taken = re.search(r"(\d) taken over", heir.out)
    assert taken is not None
    assert len(named) == int(taken[1]) > 0


def test_the_doctor_tries_the_store_and_the_database(
    octavo: Command, papers: Path, url: str, index_url: str, index_engine: Engine
) -> None:
    before = octavo("doctor")
    assert f"Library: {url}; " in before.out
    assert "object store: can be read and written, with conditional writes; it has no library yet" in before.out
    assert "index: can be reached; it has no index yet" in before.out
    assert before.code == ExitCode.OK
    with index_engine.connect() as connection:
        assert inspect(connection).get_table_names() == [], "the doctor creates nothing"
    octavo("ingest", "papers")
    after = octavo("doctor", "--json")
    store, index = json.loads(after.out)["servers"]
    assert (store["name"], store["place"], store["problem"]) == ("object store", url, None)
    assert (index["name"], index["problem"]) == ("index", None)
    assert index["finding"].endswith("; documents: 2")
    assert after.code == ExitCode.OK


@pytest.mark.parametrize(
    ("change", "says", "remedy"),
    [
        ("UPDATE alembic_version SET version_num = '9999'", "the index has schema 9999", "newer Octavo"),
        (
            "UPDATE meta SET value = 'another' WHERE key = 'library_id'",
            "the database is the index of a different library",
            "the library was made with",
        ),
        ("DROP SCHEMA {schema} CASCADE; CREATE SCHEMA {schema}", "the database is empty", "backup"),
    ],
)
def test_the_doctor_says_why_the_database_cannot_be_used(
    change: str, says: str, remedy: str, octavo: Command, papers: Path, index_engine: Engine
) -> None:
    octavo("ingest", "papers")
    with index_engine.begin() as connection:
        schema = connection.exec_driver_sql("SELECT current_schema()").scalar()
        connection.exec_driver_sql(change.format(schema=schema))
    ended = octavo("doctor")
    assert ended.code == ExitCode.TOOL_UNAVAILABLE
    assert f"index: {says}" in ended.out
    assert remedy in ended.out


def test_the_doctor_says_which_rights_the_user_lacks(
    octavo: Command, papers: Path, index_url: str, index_engine: Engine
) -> None:
    octavo("ingest", "papers")
    with index_engine.begin() as connection:
        schema = connection.exec_driver_sql("SELECT current_schema()").scalar()
        connection.exec_driver_sql(f"CREATE ROLE {schema} LOGIN PASSWORD 'reader'")
        connection.exec_driver_sql(f"GRANT USAGE ON SCHEMA {schema} TO {schema}")
        connection.exec_driver_sql(f"GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO {schema}")
    reader = make_url(index_url).set(username=str(schema), password="reader").render_as_string(hide_password=False)
    ended = octavo("doctor", OCTAVO_INDEX=reader)
    with index_engine.begin() as connection:
        connection.exec_driver_sql(f"DROP OWNED BY {schema}")
        connection.exec_driver_sql(f"DROP ROLE {schema}")
    assert ended.code == ExitCode.TOOL_UNAVAILABLE
    assert "index: the user lacks rights in the database: INSERT on documents" in ended.out


def test_the_doctor_says_which_server_does_not_answer(octavo: Command, index_url: str) -> None:
    nowhere = make_url(index_url).set(port=free_port(), password="tide").render_as_string(hide_password=False)
    ended = octavo("doctor", OCTAVO_INDEX=nowhere)
    assert ended.code == ExitCode.TOOL_UNAVAILABLE
    assert "index: the index postgresql://" in ended.out
    assert "cannot be reached" in ended.out
    assert "tide" not in ended.out
    ended = octavo("doctor", OCTAVO_LIBRARY="s3://no-such-bucket/library")
    assert ended.code == ExitCode.TOOL_UNAVAILABLE
    assert "object store: the bucket of s3://no-such-bucket/library does not exist" in ended.out
    assert "index: can be reached" in ended.out


def test_a_lost_index_on_a_server_is_not_rebuilt(octavo: Command, url: str) -> None:
    ended = octavo("repair", "--rebuild-index")
    assert ended.code == ExitCode.USAGE
    assert f"the index of the library at {url} is in a database on a server" in ended.err
    assert "from a backup of that database" in ended.err


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="kills a process as POSIX systems do")
def test_an_ingestion_that_waits_for_a_dead_process_says_so_and_nothing_else(
    octavo: Command, papers: Path, tmp_path: Path
) -> None:
    for number in range(2, 6):
        (papers / f"paper-{number}.md").write_text(f"# Paper {number}\n\nWhat paper {number} says about seals.\n")
    killed = octavo("ingest", "papers", script=KILLED, OCTAVO_OBJECTS__LEASE_SECONDS="30")
    assert killed.code == -signal.SIGKILL
    retried = octavo("retry", "last", "--reason", "interrupted", OCTAVO_OBJECTS__LEASE_SECONDS="30")
    assert retried.code == ExitCode.USAGE
    assert "no sources to retry yet: 6 documents are in work at process " in retried.err
    assert "are converted" not in retried.err
    ended = octavo("ingest", "papers", OCTAVO_OBJECTS__LEASE_SECONDS="30")
    assert ended.code == ExitCode.OK
    assert "6 documents in " in ended.out
    lines = [line for line in ended.err.splitlines() if line]
    assert [line for line in lines if "psycopg" in line or "Pipeline" in line] == []
    (waits,) = [line for line in lines if "in work at" in line]
    assert re.search(
        r"6 documents are in work at process \d+ on \S+, last seen \d+ s ago "
        r"\(if it died, they are free in \d+ s\); waiting for them",
        waits,
    )


def test_a_newer_schema_and_a_bad_workspace_are_named(octavo: Command, papers: Path, index_engine: Engine) -> None:
    nowhere = octavo("ingest", "papers", OCTAVO_OBJECTS__WORKSPACE="/proc/nope")
    assert nowhere.code == ExitCode.HARD_FAILURES
    assert "Set OCTAVO_OBJECTS__WORKSPACE to a folder of this machine" in nowhere.err
    octavo("submit", "papers")
    with index_engine.begin() as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
    newer = octavo("worker", "--until-empty")
    assert newer.code == ExitCode.HARD_FAILURES
    first, remedy = [line for line in newer.err.splitlines() if "9999" in line or "newer Octavo" in line]
    assert first.endswith("[index_newer]")
    assert remedy == "  Open it with the newer Octavo that made it"
