"""Documents ingested on the nodes of a real Ray cluster, with an index on a real PostgreSQL server (ENG-6, ENG-15)."""

from __future__ import annotations

import json
import signal
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import psutil
import pytest
from octavo.settings.object_store import ObjectStoreSettings
from octavo.settings.settings import Settings
from octavo_contracts import ExitCode
from octavo_library import Library

pytestmark = pytest.mark.slow

SAMPLES = Path(__file__).resolve().parents[4] / "docs" / "samples"
PAPERS = 45
Texts = dict[str, tuple[str, str, str]]
"""Document id → hashes of its canonical text and its bytes, and its markdown."""


def texts_of(library: Library) -> Texts:
    found = {}
    for document in library.documents():
        hashes = document.result.content_hashes
        found[document.id] = (str(hashes.normalized_text_hash), str(hashes.raw_file_hash), document.markdown)
    return found


def versions_of(library: Library) -> dict[str, list[tuple[str, str]]]:
    """The versions of each document: the tool, and the condition."""
    return {one.id: [(version.tool, version.condition) for version in one.versions] for one in library.documents()}


def node_processes() -> list[psutil.Process]:
    """The processes that convert on the nodes."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.cmdline()[1:3] == ["-m", "octavo_ray.node"]:
                found.append(process)
        except psutil.Error:
            continue
    return found


def wait_until(holds: Callable[[], bool], *, seconds: float = 180) -> None:
    give_up = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < give_up, "it did not happen in time"
        time.sleep(0.1)


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    """Pages that take long enough for something to happen in between."""
    folder = tmp_path / "papers"
    folder.mkdir()
    for number in range(PAPERS):
        rows = "".join(f"<tr><td>{hour}:00</td><td>{(number * 7 + hour) % 90} cm</td></tr>" for hour in range(24))
        body = "".join(f"<p>In week {week} gauge {number} was read at dawn and at dusk.</p>" for week in range(40))
        text = f"<html><head><title>Gauge {number}</title></head><body><h1>Gauge {number}</h1>{body}<table>{rows}</table></body></html>"
        (folder / f"gauge-{number:02}.html").write_text(text)
    return folder


def check_whole(folder: Path, index: str) -> None:
    """Each paper was converted exactly once; nothing waits, and the store has nothing else."""
    with Library.open(folder, index=index) as library:
        documents = library.documents()
        assert sorted(str(one.title) for one in documents) == sorted(f"Gauge {number}" for number in range(PAPERS))
        assert {one.status for one in documents} <= {"complete", "degraded_complete"}
        assert {len(one.versions) for one in documents} == {1}
        assert library.queue.counts().queued == library.queue.counts().taken == 0
        assert library.maintenance.verify().is_clean


def test_a_run_on_two_nodes_gives_what_one_machine_gives(
    octavo: Any, cluster: Any, s3: Mapping[str, str], index_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The files are in an object store and the originals too; ids, hashes and markdown are equal (ENG-6, ENG-15, ENG-16)."""
    for name, value in s3.items():
        monkeypatch.setenv(name, value)
    octavo.variables |= {
        **s3,
        "OCTAVO_OBJECTS__ORIGINALS": "stored",
        "OCTAVO_OBJECTS__WORKSPACE": str(tmp_path / "workspace"),
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
    }
    url = f"s3://library/{tmp_path.name}"
    command = (
        "ingest", SAMPLES, "--library", url, "--index", index_url, "--executor", "ray", "--ray-address", cluster.address,
        "--json",
    )  # fmt: skip
    ended = octavo(*command)
    assert ended.returncode == ExitCode.OK, ended.stderr
    answer = json.loads(ended.stdout)
    assert answer["summary"]["total"] == 15
    assert answer["summary"]["attachments"] == 1
    assert answer["summary"]["failed"] == answer["summary"]["not_attempted"] == 0
    assert ended.stderr.count("works, 1 documents in parallel") == 2
    assert not node_processes()
    assert octavo("ingest", SAMPLES, "--library", "alone").returncode == ExitCode.OK
    settings = Settings(objects=ObjectStoreSettings(workspace=str(tmp_path / "workspace")))
    with (
        Library.open(url, index=index_url, settings=settings) as library,
        Library.open(tmp_path / "alone") as alone,
    ):
        assert texts_of(library) == texts_of(alone)
        # A reading that others complete is a second version: the same documents have one on both.
        assert versions_of(library) == versions_of(alone)
        ((run, condition, counts),) = library.runs.list()
        assert (condition, counts.done, run.sources) == ("finished", 14, (str(SAMPLES),))
        assert library.runs.get("last").status.documents == 14
    events = [json.loads(line) for line in (tmp_path / "workspace" / "logs" / "events.jsonl").read_text().splitlines()]
    ended_jobs = {row["raw_hash"] for row in events if row["event"] == "job_ended"}
    assert len(ended_jobs) >= 14, "the events of all nodes are in the log of the run"
    again = octavo(*command)
    assert json.loads(again.stdout)["summary"]["reused"] == 15


@pytest.mark.parametrize("victim", ["actor", "child"])
def test_a_supervisor_that_is_killed_is_started_again_and_nothing_is_lost_or_done_twice(
    victim: str, octavo: Any, cluster: Any, index_url: str, papers: Path, tmp_path: Path
) -> None:
    """Killed in the middle: the actor, whose child then returns its documents, or the child itself (ENG-6)."""
    running = octavo.start(
        "ingest", papers, "--library", "lib", "--index", index_url, "--executor", "ray", "--ray-address", cluster.address,
        "--jsonl",
    )  # fmt: skip
    first = [running.stdout.readline() for _ in range(3)]
    child = node_processes()[0]
    killed = child if victim == "child" else child.parent()
    killed.kill()
    out, err = running.communicate(timeout=400)
    assert running.returncode == ExitCode.OK, err
    lines = [json.loads(line) for line in [*first, *out.splitlines()]]
    assert len(lines) == len({line["document_id"] for line in lines}) == PAPERS
    assert "Ray starts it again" in err
    assert not node_processes()
    check_whole(tmp_path / "lib", index_url)
    with Library.open(tmp_path / "lib", index=index_url) as library:
        ids = [job.job_id for one in library.documents() for job in library.context.index.jobs.of_hash(one.raw_hash)]
        assert len(ids) == PAPERS, "one job a document"
        attempts = [library.context.index.jobs.get(job).attempts for job in ids]
        # An actor's child returns its documents, and what was cut short does not count; a killed child cannot.
        assert max(attempts) <= (1 if victim == "actor" else 2)


def test_a_node_that_is_lost_leaves_its_documents_to_the_others(
    octavo: Any, new_cluster: Callable[[], Any], index_url: str, papers: Path, tmp_path: Path
) -> None:
    """The run goes on with the nodes that are left (ENG-6)."""
    damaged = new_cluster()
    running = octavo.start(
        "ingest", papers, "--library", "lib", "--index", index_url, "--executor", "ray", "--ray-address", damaged.address,
        "--jsonl",
    )  # fmt: skip
    for _ in range(2):
        running.stdout.readline()
    damaged.remove(4)
    out, err = running.communicate(timeout=400)
    assert running.returncode == ExitCode.OK, err
    assert len(out.splitlines()) == PAPERS - 2
    check_whole(tmp_path / "lib", index_url)


def test_a_run_whose_head_is_lost_ends_with_an_error_and_is_continued_on_another_cluster(
    octavo: Any, new_cluster: Callable[[], Any], index_url: str, papers: Path, tmp_path: Path
) -> None:
    """Nothing is lost or done twice (ENG-6).

    The nodes work on without a head for a while, and might finish the run; here they are suspended meanwhile. The command
    says what is wrong and ends, the nodes return their documents, and the next run completes the rest.
    """
    damaged = new_cluster()
    command = (
        "ingest",
        papers,
        "--library",
        "lib",
        "--index",
        index_url,
        "--executor",
        "ray",
        "--jsonl",
        "--ray-address",
    )
    running = octavo.start(*command, damaged.address)
    for _ in range(2):
        running.stdout.readline()
    children = node_processes()
    for child in children:
        child.suspend()
    damaged.kill_head()
    try:
        _, err = running.communicate(timeout=200)
    finally:
        for child in children:
            child.resume()
    assert running.returncode == ExitCode.HARD_FAILURES, err  # documents were not attempted, which is the stronger code
    assert f"the head of the Ray cluster at {damaged.address} has not answered for" in err
    assert "[tool_unavailable]" in err
    wait_until(lambda: not node_processes())
    ended = octavo(*command, new_cluster().address)
    assert ended.returncode == ExitCode.OK, ended.stderr
    assert len(ended.stdout.splitlines()) == PAPERS
    check_whole(tmp_path / "lib", index_url)


def test_an_interrupted_run_ends_all_supervisors_and_is_resumed_by_the_next(
    octavo: Any, cluster: Any, index_url: str, papers: Path, tmp_path: Path
) -> None:
    """Ctrl-C: exit code 130, no process is left, the queue is empty, and the same command completes the rest (ENG-15)."""
    command = (
        "ingest", papers, "--library", "lib", "--index", index_url, "--executor", "ray", "--ray-address", cluster.address,
        "--ray-resource", "ocr=1", "--json",
    )  # fmt: skip
    running = octavo.start(*command)
    assert running.stdout is not None
    running.stdout.readline()
    running.stdout.readline()
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=200)
    assert running.returncode == ExitCode.INTERRUPTED, err
    summary = json.loads('{"documents": [' + out[out.index('], "summary"') :])["summary"]
    assert summary["interrupted"] is True
    assert summary["not_attempted"] > 0
    assert summary["complete"] + summary["degraded"] + summary["not_attempted"] == PAPERS
    assert not node_processes()
    with Library.open(tmp_path / "lib", index=index_url) as library:
        assert library.queue.counts().queued == library.queue.counts().taken == 0
    ended = octavo(*command)
    assert ended.returncode == ExitCode.OK, ended.stderr
    assert json.loads(ended.stdout)["summary"]["reused"] == PAPERS - summary["not_attempted"]
    check_whole(tmp_path / "lib", index_url)


def test_supervisors_are_placed_by_resource_and_number(octavo: Any, cluster: Any, papers: Path) -> None:
    """Only nodes that have the resource work, and no more of them than are wanted."""
    few = sorted(papers.iterdir())[:2]
    common = ("--executor", "ray", "--ray-address", cluster.address, "--library", "lib")
    ended = octavo("ingest", few[0], *common, "--ray-resource", "ocr=2", "--workers", "1")
    assert ended.returncode == ExitCode.OK, ended.stderr
    assert ended.stderr.count("works, 1 documents in parallel") == 1
    ended = octavo("ingest", few[1], *common, "--ray-nodes", "1")
    assert ended.returncode == ExitCode.OK, ended.stderr
    assert ended.stderr.count("works, 1 documents in parallel") == 1
    ended = octavo("ingest", few[1], *common, "--ray-resource", "tape=1")
    assert ended.returncode == ExitCode.USAGE
    assert "no node of the Ray cluster has CPU=1, tape=1; the nodes have CPU, " in ended.stderr


def test_documents_that_fail_fail_as_on_one_machine(octavo: Any, cluster: Any, tmp_path: Path) -> None:
    """Broken, empty, missing and doubled sources have the results and the exit code of a run on one machine (ENG-15)."""
    folder = tmp_path / "mixed"
    folder.mkdir()
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7\nnot a document\n")
    (folder / "empty.txt").write_bytes(b"")
    (folder / "note.md").write_text("# Tides\n\nHigh water at noon.\n")
    (folder / "same.md").write_text("# Tides\n\nHigh water at noon.\n")
    outcomes = []
    for more in (("--executor", "ray", "--ray-address", cluster.address), ()):
        library = f"lib-{len(outcomes)}"
        ended = octavo("ingest", "mixed", "missing.pdf", "--library", library, "--jsonl", *more)
        lines = [json.loads(line) for line in ended.stdout.splitlines()]
        outcomes.append(
            (ended.returncode, sorted((one["source"], one["reused"], _verdict(one["result"])) for one in lines))
        )
    (code, rows), expected = outcomes
    # Which of two equal files is converted and which is the copy is not fixed on one machine either.
    assert (code, [row for row in rows if row[0][-2:] != "md"]) == (
        expected[0],
        [row for row in expected[1] if row[0][-2:] != "md"],
    )
    assert sorted(row[1:] for row in rows if row[0][-2:] == "md") == [(False, "complete"), (True, "complete")]


def _verdict(result: Mapping[str, Any]) -> str:
    receipts = result["failure_receipts"]
    return str(receipts[-1]["reason_code"] if receipts else result["ingestion_status"])


@pytest.mark.skipif(sys.platform != "linux", reason="gives the command another host name, as Linux can")
def test_an_index_in_sqlite_is_not_shared_between_machines(octavo: Any, cluster: Any, papers: Path) -> None:
    """The command runs on a machine of another name than the nodes: the error names the remedy."""
    renamed = (
        "import socket, sys; import ctypes; libc = ctypes.CDLL(None, use_errno=True)\n"
        "if libc.unshare(0x04000000): sys.exit(77)\n"
        "socket.sethostname('elsewhere')\n"
        "from octavo_cli import main\n"
        "sys.exit(main())"
    )
    ended = octavo(
        "ingest", papers, "--library", "lib", "--executor", "ray", "--ray-address", cluster.address, script=renamed
    )
    if ended.returncode == 77:
        pytest.skip("this user may not give a process another host name")
    assert ended.returncode == ExitCode.USAGE, ended.stderr
    assert "is a SQLite file, which other machines cannot share" in ended.stderr
    assert "Give --index with the URL of a PostgreSQL database" in ended.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="gives the command a folder of its own, as Linux can")
def test_a_folder_that_the_nodes_do_not_see_ends_the_run_with_their_error(
    octavo: Any, cluster: Any, papers: Path, tmp_path: Path
) -> None:
    """Each node is given up with its reason, nothing stays in the queue, and the error is that of the last node."""
    apart = (
        "import ctypes, subprocess, sys\n"
        "if ctypes.CDLL(None, use_errno=True).unshare(0x00020000): sys.exit(77)\n"
        "for command in (['mount', '--make-rprivate', '/'], ['mount', '-t', 'tmpfs', 'none', 'apart']):\n"
        "    if subprocess.run(command).returncode: sys.exit(77)\n"
        "from octavo_cli import main\n"
        "sys.exit(main())"
    )
    (tmp_path / "apart").mkdir()
    ended = octavo(
        "ingest", papers, "--library", "apart/lib", "--executor", "ray", "--ray-address", cluster.address, script=apart
    )
    if ended.returncode == 77:
        pytest.skip("this user may not give a process another view of the files")
    assert ended.returncode == ExitCode.USAGE, ended.stderr
    assert ended.stderr.count("is not used: node ") == 2
    assert "there is no library at" in ended.stderr.splitlines()[-2]
    assert not node_processes()
