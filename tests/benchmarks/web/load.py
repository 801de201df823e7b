"""The dashboard under load: how long pages take in a large library, and whether the server's memory grows.

A library gets rows of many documents in its index, of which some have files. A server process is asked by several
clients at once, each for the pages that a reader opens in turn: the list, a page deep in the list, a filtered list, a
document, a page of it, and a search. With `--ingest` another process ingests documents meanwhile. With `--pause` each
client reads for so many seconds after each page; without, it asks for the next one at once, so that times are those of a
full queue. The memory of the server is read ten times on the way: it is flat if the last reading is not above the fifth
by more than `FLAT_MB`.

Usage:
    python tests/benchmarks/web/load.py [--documents N] [--clients N] [--requests N] [--pause S] [--corpus] [--ingest]
        [--json]
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import re
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote, urlsplit

from octavo import Settings
from octavo_library import Library
from octavo_library.storage import PolicyContext

SAMPLES = Path(__file__).resolve().parents[3] / "docs" / "samples"
CORPUS = "case"
TARGET_MS = 100.0
"""Target of the 95th percentile of each page."""
FLAT_MB = 20.0


def fill(folder: Path, count: int) -> None:
    """Ingest three samples into a corpus, and add rows of `count` documents to the index of the library."""
    with Library.open(folder, settings=Settings(sampling=False)) as library:
        library.corpora.create(CORPUS)
        names = ("annual-report.pdf", "field-notes.md", "storm-warning.eml")
        for _ in library.ingest_many([SAMPLES / name for name in names], corpus=CORPUS):
            pass
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


def pages(address: str) -> dict[str, str]:
    """The pages that a client opens."""
    connection = http.client.HTTPConnection(address)
    connection.request("GET", "/documents.json?q=annual")  # by its name: newer ones come in meanwhile
    report = json.loads(connection.getresponse().read())["documents"][0]
    connection.request("GET", "/documents.json?limit=100&order=newest")
    cursor = json.loads(connection.getresponse().read())["next_cursor"]
    for _ in range(20 if cursor else 0):
        connection.request("GET", f"/documents.json?limit=200&cursor={quote(cursor)}")
        cursor = json.loads(connection.getresponse().read())["next_cursor"] or cursor
    connection.close()
    return {
        "list": "/documents",
        "deep in the list": f"/documents?cursor={quote(cursor)}" if cursor else "/documents",
        "failed ones": "/documents?status=hard_failed",
        "by name": "/documents?q=letter-99",
        "document": f"/documents/{report['id']}",
        "page": f"/documents/{report['id']}/pages/2",
        "search": "/search?q=tide",
    }


def measure(
    address: str, *, clients: int, requests: int, pause: float = 0.0, watch: Callable[[], None] = lambda: None
) -> tuple[dict[str, list[float]], float]:
    """Milliseconds of each page by its name, and the requests a second.

    Args:
        address: host and port.
        clients: number of clients.
        requests: number of requests of all together.
        pause: seconds that a client waits after each answer.
        watch: called ten times, at equal distances.
    """
    wanted = pages(address)
    took: dict[str, list[float]] = {name: [] for name in wanted}
    lock = threading.Lock()
    left = iter(range(requests))
    errors: list[BaseException] = []

    def client(number: int) -> None:
        connection = http.client.HTTPConnection(address, timeout=120)
        names = list(wanted)
        try:
            while True:
                with lock:
                    turn = next(left, None)
                if turn is None:
                    return
                name = names[(turn + number) % len(names)]
                started = time.perf_counter()
                get(connection, wanted[name])
                with lock:
                    took[name].append((time.perf_counter() - started) * 1000)
                    if (turn + 1) % max(1, requests // 10) == 0:
                        watch()
                time.sleep(pause)
        except BaseException as error:  # noqa: BLE001 - a failed client fails the benchmark, below
            errors.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=client, args=(number,)) for number in range(clients)]
    started = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
    return took, requests / (time.perf_counter() - started)


def at(values: list[float], share: float) -> float:
    """A quantile."""
    ordered = sorted(values)
    return round(ordered[min(len(ordered) - 1, int(share * len(ordered)))], 1)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument("--clients", type=int, default=20)
    parser.add_argument("--requests", type=int, default=2_000)
    parser.add_argument("--pause", type=float, default=0.0, metavar="S", help="seconds between two pages of a client")
    parser.add_argument("--corpus", action="store_true", help="ask as a corpus instead of as the library's owner")
    parser.add_argument("--ingest", action="store_true", help="ingest documents meanwhile")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "library"
        fill(folder, given.documents)
        options = ("--corpus", CORPUS) if given.corpus else ()
        with serving(folder, *options) as (address, pid), ingesting(folder, is_wanted=given.ingest):
            alone, _ = measure(address, clients=1, requests=70)
            resident: list[float] = []
            took, rate = measure(
                address,
                clients=given.clients,
                requests=given.requests,
                pause=given.pause,
                watch=lambda: resident.append(round(memory(pid), 1)),
            )
    told = {
        "documents": given.documents,
        "clients": given.clients,
        "requests": given.requests,
        "ingesting": given.ingest,
        "as_corpus": given.corpus,
        "requests_per_second": round(rate, 1),
        "pause_seconds": given.pause,
        "memory_mb": resident,
        "memory_is_flat": resident[-1] - resident[len(resident) // 2] <= FLAT_MB,
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
