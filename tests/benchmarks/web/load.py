"""The dashboard under load: how long pages take in a large library, and whether the server's memory grows.

A library gets rows of many documents in its index, of which some have files. A server process is asked by several
clients at once, each for the pages that a reader opens in turn: the list, a page deep in the list, a filtered list, a
document, a page of it, and a search; each time for another document, place, name or word. A time is that from the request
to the last byte of its page, over a connection that stays open, with the cookie of a session, as a browser sends it. With
`--ingest` another process ingests documents meanwhile. With `--pause` each client reads for so many seconds after each
page; without, it asks for the next one at once, so that times are those of a full queue: so many clients without a pause
are as many requests at once, all the time. The memory of the server is read ten times on the way: it is flat if the last
reading is not above the third by more than `FLAT_MB`. The processor time of the server for each request tells what a
change of the code brings, whatever else the machine does.

To make the library takes longer than to measure. With `--keep` it stays in a folder, whose copy is asked: each run begins
with the same library.

Usage:
    python tests/benchmarks/web/load.py [--documents N] [--keep DIR] [--clients N] [--requests N] [--pause S] [--corpus]
        [--ingest] [--json]
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from octavo import Settings
from octavo_library import Library
from octavo_library.storage import PolicyContext

if __package__:
    from .clients import measure
else:  # run by its path
    from clients import measure

SAMPLES = Path(__file__).resolve().parents[3] / "docs" / "samples"
CORPUS = "case"
TARGET_MS = 100.0
"""Target of the 95th percentile of each page."""
FLAT_MB = 10.0
REPORTS = 15
"""Copies of a report that differ in their bytes, each of which is a document with files."""
PLACES = 20
"""Places in the list, and names."""
WORDS = ("tide", "gauge", "storm", "seals", "harbour", "readings", "water", "surge")


def fill(folder: Path, count: int) -> None:
    """Ingest samples into a corpus, and add rows of `count` documents to the index of the library."""
    with Library.open(folder, settings=Settings(sampling=False)) as library:
        library.corpora.create(CORPUS)
        names = ("annual-report.pdf", "field-notes.md", "storm-warning.eml")
        for _ in library.ingest_many([SAMPLES / name for name in names], corpus=CORPUS):
            pass
        report = (SAMPLES / "annual-report.pdf").read_bytes()
        for number in range(1, REPORTS):
            # Readers of PDF ignore a comment after the end.
            library.ingest(report + b"%% copy %d\n" % number, name=f"annual-report-{number}.pdf", corpus=CORPUS)
        library.search("tide", seconds=None)
        corpus_id = library.corpora.get(CORPUS).id
    policy = PolicyContext(scope_basis="corpus").canonical()
    connection = sqlite3.connect(folder / "index.sqlite")
    (known,) = connection.execute("SELECT policy_context_json FROM document_source_instances LIMIT 1").fetchone()
    assert known == policy, known
    documents, ways, paths, members = [], [], [], []
    for number in range(count):
        key = str(uuid.UUID(int=number + 2**64))
        at = f"2026-01-{1 + number % 28:02d}T{number // 3600 % 24:02d}:{number // 60 % 60:02d}:{number % 60:02d}.{number % 10**6:06d}Z"
        kind = ("application/pdf", "text/plain", "message/rfc822")[number % 3]
        status = "complete" if number % 20 else "hard_failed"
        title = f"Letter {number} to the harbour master" if number % 4 else None
        documents.append((key, f"{number:064x}", title, kind, 1000 + number, None, status, at))
        ways.append((f"way-{key}", key, corpus_id, policy, at, "corpus"))
        paths.append((key, f"file:///letters/{number // 1000}/letter-{number}.txt", "local", at))
        members.append((key, corpus_id, at, "system"))
    with connection:
        connection.executemany(
            "INSERT INTO documents (document_id, content_hash, title, mime_type, file_size, active_conversion_version, "
            "ingestion_status, first_ingested_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            documents,
        )
        connection.executemany(
            "INSERT INTO document_source_instances (source_instance_id, document_id, corpus_id, policy_context_json, "
            "ingested_at, ingestion_surface) VALUES (?, ?, ?, ?, ?, ?)",
            ways,
        )
        connection.executemany(
            "INSERT INTO document_original_paths (document_id, path, location_type, added_at) VALUES (?, ?, ?, ?)",
            paths,
        )
        connection.executemany(
            "INSERT INTO document_corpus_memberships (document_id, corpus_id, added_at, added_by) VALUES (?, ?, ?, ?)",
            members,
        )
    connection.execute("ANALYZE")
    connection.close()


@contextmanager
def serving(folder: Path, *options: str) -> Iterator[tuple[str, int]]:
    """A server of the library; yields host and port, and the id of its process."""
    command = [sys.executable, "-m", "octavo", "web", "--library", str(folder), "--port", "0", *options]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        try:
            for line in process.stderr:
                if found := re.search(r"serving at (http://\S+)/", line):
                    yield urlsplit(found[1]).netloc, process.pid
                    break
            else:
                raise SystemExit("the server did not start")
        finally:
            process.terminate()
            process.stderr.read()


@contextmanager
def ingesting(folder: Path, *, is_wanted: bool) -> Iterator[None]:
    """Another process that ingests documents until the end."""
    if not is_wanted:
        yield
        return
    code = (
        "import sys\nfrom octavo import Settings\nfrom octavo_library import Library\n"
        "with Library.open(sys.argv[1], settings=Settings(sampling=False, workers=1)) as library:\n"
        "    for number in range(10**6):\n"
        "        library.ingest(f'Reading {number} of the gauge.'.encode(), name=f'reading-{number}.txt')\n"
    )
    process = subprocess.Popen([sys.executable, "-c", code, str(folder)], stderr=subprocess.DEVNULL)
    try:
        yield
    finally:
        process.terminate()
        process.wait()


def memory(pid: int) -> float:
    """Resident memory of a process, MB."""
    text = Path(f"/proc/{pid}/status").read_text()
    found = re.search(r"VmRSS:\s+(\d+) kB", text)
    return int(found[1]) / 1024 if found else 0.0


def processor_seconds(pid: int) -> float:
    """Processor time of a process, without its children."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def get(connection: http.client.HTTPConnection, path: str) -> bytes:
    """One page.

    Raises:
        AssertionError: the answer is an error.
    """
    connection.request("GET", path, headers={"accept": "text/html"})
    answer = connection.getresponse()
    body = answer.read()
    assert answer.status == 200, (answer.status, path, body[:300])
    return body


def pages(address: str) -> dict[str, list[str]]:
    """The pages that clients open: name → paths, which differ so that answers are not those of one cached page."""
    connection = http.client.HTTPConnection(address)

    def asked(path: str) -> dict[str, Any]:
        connection.request("GET", path)
        return dict(json.loads(connection.getresponse().read()))

    reports = [one["id"] for one in asked("/documents.json?q=annual&limit=50")["documents"]]
    cursors = [asked("/documents.json?limit=200")["next_cursor"]]
    while cursors[-1] and len(cursors) < PLACES:
        cursors.append(asked(f"/documents.json?limit=200&cursor={quote(cursors[-1])}")["next_cursor"])
    connection.close()
    return {
        "list": ["/documents", "/documents?order=oldest"],
        "deep in the list": [f"/documents?cursor={quote(cursor)}" for cursor in cursors if cursor] or ["/documents"],
        "failed ones": ["/documents?status=hard_failed", "/documents?status=hard_failed&type=text/plain"],
        "by name": [f"/documents?q=letter-{number}" for number in range(10, 10 + 4 * PLACES, 4)],
        "document": [f"/documents/{report}" for report in reports],
        "page": [f"/documents/{report}/pages/{1 + number % 2}" for number, report in enumerate(reports)],
        "search": [f"/search?q={word}" for word in WORDS],
    }


def at(values: list[float], share: float) -> float:
    """A quantile."""
    ordered = sorted(values)
    return round(ordered[min(len(ordered) - 1, int(share * len(ordered)))], 1)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument("--keep", type=Path, metavar="DIR", help="make the library here once, and use it again")
    parser.add_argument("--clients", type=int, default=20)
    parser.add_argument("--requests", type=int, default=2_000)
    parser.add_argument("--pause", type=float, default=0.0, metavar="S", help="seconds between two pages of a client")
    parser.add_argument("--corpus", action="store_true", help="ask as a corpus instead of as the library's owner")
    parser.add_argument("--ingest", action="store_true", help="ingest documents meanwhile")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "library"
        if given.keep is not None and given.keep.exists():
            shutil.copytree(given.keep, folder)
        else:
            fill(folder, given.documents)
            if given.keep is not None:
                shutil.copytree(folder, given.keep)
        options = ("--corpus", CORPUS) if given.corpus else ()
        with serving(folder, *options) as (address, pid), ingesting(folder, is_wanted=given.ingest):
            wanted = pages(address)
            alone, _ = measure(address, wanted, clients=1, requests=140)
            resident: list[float] = []
            before, own = processor_seconds(pid), time.process_time()
            took, rate = measure(
                address,
                wanted,
                clients=given.clients,
                requests=given.requests,
                pause=given.pause,
                watch=lambda: resident.append(round(memory(pid), 1)),
            )
            served, asked = processor_seconds(pid) - before, time.process_time() - own
    told = {
        "documents": given.documents,
        "clients": given.clients,
        "requests": given.requests,
        "ingesting": given.ingest,
        "as_corpus": given.corpus,
        "requests_per_second": round(rate, 1),
        "pause_seconds": given.pause,
        "server_cpu_ms_per_request": round(1000 * served / given.requests, 2),
        "client_cpu_ms_per_request": round(1000 * asked / given.requests, 2),
        "memory_mb": resident,
        "memory_is_flat": resident[-1] - resident[2] <= FLAT_MB,
        "is_within_target": all(at(values, 0.95) < TARGET_MS for values in took.values()),
        "load_of_the_machine": round(os.getloadavg()[0], 1),
        "ms": {
            name: {"alone_p50": at(alone[name], 0.5), "p50": at(took[name], 0.5), "p95": at(took[name], 0.95)}
            for name in took
        },
    }
    if given.json:
        print(json.dumps(told, indent=1))
        return
    for name, value in told.items():
        if name != "ms":
            print(f"{name:<22}{value}")
    for name, row in told["ms"].items():  # type: ignore[attr-defined]  # a mapping by construction
        print(f"{name:<22}" + "  ".join(f"{key} {value:8.1f} ms" for key, value in row.items()))


if __name__ == "__main__":
    main()
