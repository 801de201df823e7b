"""What an index on PostgreSQL costs at many documents beside few: the same calls on the same tables before and after growing.

One document is recorded through the index as the engine does. Its rows, in every table, are then copied by the server with
other ids, hashes and paths until there are as many documents as wanted. So the tables have the columns and indexes of a
library, and no file is converted. Each operation is called through the index, on documents drawn at random.

With `--slim`, a copied document has one step in the log of its job and two hashes of its parts, where a real one has a dozen
steps and a hash of each page and chunk. No operation reads these rows, and what writes them inserts into the same indexes:
ten million documents then fit where a third of them would.

With `--warm`, all indexes are read before the calls are timed, so that their pages are in memory as those of a server in use, if
it has the memory. Without it, nearly all are as the making of the tables left them, on the disk.

With `--tables FOLDER` the databases stay there, and are used again if they have as many documents: they take half an hour to make
at ten million, and the calls are to be timed when nothing else runs. Each time adds some documents to them.

Usage: python tests/benchmarks/scale/growth.py [--few 100000] [--many 1000000] [--calls 200] [--slim] [--warm] [--tables FOLDER]
    [--json]

JSON:
    - `few`, `many`: numbers of documents; `slim`: as given; `bytes`: size of the database with many; `index_bytes`: with
      `--warm`, of the indexes of both; `rows`: table → rows for one document.
    - `operations`: operation → `few` and `many`, p95 in milliseconds, and their `ratio`; `median`, the ratio of the medians. `claim` takes 8 queued documents,
      `commit` completes 8, `record` reads what is written beside the index of 8 that were completed, `queue` counts the queue and looks for its owners, `hash` looks up a document by its hash, `list`
      reads the first page of a listing and `page` one in its middle, both for one policy context, `name` finds a document by
      a part of its title and file name with a word that all have, `rare` by its number alone, `common` reads a page of those
      with the word that all have and `counted` counts them, `open` finds the open and the last ended jobs, as the opening of
      a library does, and `search` copies what decides who sees what, after 8 documents changed, as a search by words does
      first. The words themselves are in a file on each machine, and are not measured here.
    - `copy`: seconds in which the first search of a process copies what decides who sees what, of all documents; it is not
      part of `operations`, because it grows with their number. The other operations are timed before it: the copy takes
      memory of the process that searches, which is not on the machine of such a server.
    - `plans`: operation → the scans in the plans of its statements, with many documents.
    - `worst`: the highest ratio of `claim`, `commit`, `hash`, `list` and `search`, which have a limit. `name` and `rare` read
      the lists of a trigram index, which grow with the documents.
    - `load`: load average of this machine over one minute, before and after.

The exit code is 1 if `worst` is above 1.5.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from octavo_contracts import HAPPY_PATH, IngestionState
from octavo_library.search.library_tables import CopiedTables
from octavo_library.storage import (
    CompletedJob,
    ConversionFacts,
    DocumentFacts,
    Index,
    Job,
    NewJob,
    PolicyContext,
    Provenance,
    document_id_for,
)
from octavo_library.storage.index.document_listing import DocumentFilter, ListingPosition
from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url, text

sys.path.insert(0, str(Path(__file__).parent))  # run as a script: what the benchmarks share lies beside it
from grown_tables import counted, grow, hash_of, keep_template, warm

POSTGRES = Path(__file__).resolve().parents[3] / ".ci" / "postgres"
LIMIT = 1.5
LIMITED = ("claim", "commit", "hash", "list", "search")
GROUP = 8
OWNER = "growth"
CONVERTED = HAPPY_PATH.index(IngestionState.CONVERTED)
QUEUED = (IngestionState.HASH_CHECKED, IngestionState.SOURCE_STORED)
POLICY = PolicyContext()


def completion(job: Job, name: str) -> CompletedJob:
    """The end of a job, as the engine writes it."""
    facts = DocumentFacts(
        raw_hash=job.raw_hash,
        normalized_text_hash=hash_of(f"text of {name}"),
        title=f"Gauge number {name}",
        document_type="report",
        file_size=20_000,
        mime_type="text/html",
        original_ref=f"file:/papers/{name}.html",
        page_hashes=(hash_of(f"page of {name}"),),
        chunk_hashes=tuple(hash_of(f"chunk {number} of {name}") for number in range(5)),
    )
    return CompletedJob(
        job=job,
        steps=HAPPY_PATH[CONVERTED:],
        document=facts,
        conversion=ConversionFacts(version=1, tool="synthetic"),
        sighting=Provenance(path=f"file:/papers/{name}.html", corpus_id=None, policy=POLICY),
    )


def record_template(index: Index, connection: Connection) -> dict[str, int]:
    """Record one document, and keep its rows aside; returns table → rows."""
    before, raw_hash = counted(connection), hash_of("first")
    (job, _) = index.jobs.start(NewJob(raw_hash=raw_hash, steps=HAPPY_PATH[1:CONVERTED]), owner=OWNER)
    index.jobs.complete([completion(job, "first")])
    return keep_template(connection, before, document_id=document_id_for(raw_hash), raw_hash=raw_hash)


class Operations:
    """The calls that are timed.

    Args:
        index: the index.
        documents: how many it has.
        mark: distinguishes the documents that are added.
    """

    def __init__(self, index: Index, *, documents: int, mark: str) -> None:
        self.index = index
        self._documents = documents
        self._mark = mark
        self._chance = random.Random(7)
        self._taken: list[Job] = []
        self._completed: list[str] = []
        self._serial = 0
        self._middle = self._place(documents // 2)
        self._other = create_engine(index.url)
        self._copy = sqlite3.connect(":memory:", isolation_level=None)
        self._tables = CopiedTables(index)

    def all(self) -> dict[str, Callable[[], object]]:
        """Name → call."""
        return {
            "claim": self.claim,
            "commit": self.commit,
            "record": self.record,
            "queue": lambda: (self.index.queue.counts(), self.index.queue.owners()),
            "hash": lambda: self.index.documents.find_by_hash([self._hash()], policy=POLICY),
            "list": lambda: self.index.listing.page(DocumentFilter(), policy=POLICY),
            "page": lambda: self.index.listing.page(DocumentFilter(), policy=POLICY, after=self._middle),
            "name": lambda: self.index.listing.page(
                DocumentFilter(text=f"number {self._number()}"), policy=POLICY, limit=1
            ),
            "rare": lambda: self.index.listing.page(DocumentFilter(text=str(self._number())), policy=POLICY, limit=1),
            "common": lambda: self.index.listing.page(DocumentFilter(text="number"), policy=POLICY),
            "counted": lambda: self.index.listing.count(DocumentFilter(text="number"), policy=POLICY),
            "open": lambda: (self.index.jobs.open_jobs(queued=False), self.index.jobs.last_ended(limit=100)),
            "search": lambda: self._tables.refresh(self._copy),
        }

    def copy(self) -> float:
        """Seconds of the first copy of what decides who sees what."""
        begun = time.perf_counter()
        self._tables.attach(self._copy)
        return round(time.perf_counter() - begun, 2)

    def close(self) -> None:
        """Close what was opened beside the index."""
        self._copy.close()
        self._other.dispose()

    def change(self) -> None:
        """Let another program change some documents."""
        found = self.index.documents.find_by_hash([self._hash() for _ in range(GROUP)])
        ids = [one.document_id for one in found.values()]
        assert ids, "the documents are there"
        with self._other.begin() as connection:
            changed = "UPDATE documents SET title = title || '.' WHERE document_id = ANY(:ids)"
            connection.execute(text(changed), {"ids": ids})

    def fill(self, count: int) -> None:
        """Queue documents."""
        for _ in range(count):
            new = []
            for _ in range(GROUP):
                self._serial += 1
                raw_hash = hash_of(f"{self._mark} {self._serial}")
                new.append(
                    NewJob(raw_hash=raw_hash, steps=QUEUED, is_claimed=False, is_queued=True, unless_converted=True)
                )
            self.index.jobs.start_many(new, owner=OWNER)

    def claim(self) -> None:
        """Take a group from the queue."""
        taken = self.index.queue.take(owner=OWNER, limit=GROUP, seconds=600.0)
        assert len(taken) == GROUP, "the queue was filled"
        self._taken += taken

    def commit(self) -> None:
        """Complete a group."""
        group, self._taken = self._taken[:GROUP], self._taken[GROUP:]
        self.index.jobs.complete([completion(job, f"{self._mark} {job.raw_hash}") for job in group])
        self._completed = [document_id_for(str(job.raw_hash)) for job in group]

    def record(self) -> None:
        """Read the records of the group that was completed last."""
        assert len(self.index.records.of_documents(self._completed)) == GROUP

    def _number(self) -> int:
        return self._chance.randrange(self._documents)

    def _hash(self) -> str:
        return hash_of(f"document {self._number()}")

    def _place(self, number: int) -> ListingPosition:
        found = self.index.documents.find_by_hash([hash_of(f"document {number}")])[hash_of(f"document {number}")]
        (record,) = self.index.documents.get_many([found.document_id])
        return ListingPosition(first_ingested_at=record.first_ingested_at, document_id=record.document_id)


def timed(
    operations: Sequence[Operations], names: Sequence[str], *, calls: int
) -> list[dict[str, tuple[float, float]]]:
    """p95 and median of each operation in milliseconds, for each index. The calls alternate, so that a busy machine slows all alike."""
    found: list[dict[str, tuple[float, float]]] = [{} for _ in operations]
    for name in names:
        each = [one.all()[name] for one in operations]
        times: list[list[float]] = [[] for _ in operations]
        for at in range(calls + 1):
            for number, call in enumerate(each):
                if name == "search":
                    operations[number].change()
                begun = time.perf_counter()
                call()
                if at:  # the first call compiles the statement
                    times[number].append(time.perf_counter() - begun)
        for number, one in enumerate(times):
            ordered = sorted(one)
            found[number][name] = (ordered[int(0.95 * len(one))] * 1000, ordered[len(one) // 2] * 1000)
    return found


def plans_of(one: Operations, place: URL) -> dict[str, list[str]]:
    """The scans in PostgreSQL's plans of the statements of each operation, as it is called once."""
    asked: list[tuple[str, Any]] = []

    def note(_: object, __: object, statement: str, parameters: Any, *more: object) -> None:
        if statement.split(None, 1)[0] in ("SELECT", "UPDATE", "INSERT", "DELETE", "WITH"):
            asked.append((statement, parameters[0] if isinstance(parameters, list) else parameters))

    found: dict[str, list[str]] = {}
    engine = create_engine(place)
    for name, call in one.all().items():
        asked.clear()
        event.listen(Engine, "before_cursor_execute", note)
        call()
        event.remove(Engine, "before_cursor_execute", note)
        found[name] = []
        for statement, parameters in list(asked):
            with engine.connect() as connection:  # rolled back
                rows = connection.exec_driver_sql(f"EXPLAIN {statement}", parameters).scalars().all()
            found[name] += [row.strip(" ->").partition("  (")[0] for row in rows if "Scan" in row.partition("(")[0]]
    engine.dispose()
    return {name: sorted(set(scans)) for name, scans in found.items()}


def make(url: URL, *, size: int, slim: bool) -> None:
    """Make a database with documents, if it is not there."""
    server = create_engine(url.set(database="postgres"), isolation_level="AUTOCOMMIT")
    with server.connect() as connection:
        wanted = text("SELECT count(*) FROM pg_database WHERE datname = :name")
        is_there = connection.scalar(wanted, {"name": url.database})
        if not is_there:
            connection.exec_driver_sql(f"CREATE DATABASE {url.database}")
    server.dispose()
    engine = create_engine(url, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        if is_there:
            has = connection.scalar(text("SELECT size FROM made WHERE slim = :slim"), {"slim": slim})
            assert has == size, f"{url.database} was made for {has} documents, or with another --slim"
        else:
            with Index(url) as index:
                rows = record_template(index, connection)
            grow(engine, size=size, slim=slim)
            connection.execute(text("CREATE TABLE made (size bigint, slim boolean, rows text)"))
            values = {"size": size, "slim": slim, "rows": json.dumps(rows)}
            connection.execute(text("INSERT INTO made VALUES (:size, :slim, :rows)"), values)
            connection.exec_driver_sql("VACUUM ANALYZE")
    engine.dispose()
    print(f"{size} documents are there", file=sys.stderr, flush=True)


def size_of(url: URL) -> tuple[int, dict[str, int]]:
    """Bytes of a database that was made, and table → rows for one document."""
    engine = create_engine(url)
    with engine.connect() as connection:
        size = int(connection.scalar(text("SELECT pg_database_size(current_database())")) or 0)
        rows = json.loads(str(connection.scalar(text("SELECT rows FROM made"))))
    engine.dispose()
    return size, rows


def measure(url: str, *, few: int, many: int, calls: int, slim: bool, is_warm: bool) -> dict[str, object]:
    """Make a database of each size on one server, and time the operations on both."""
    places = {size: make_url(url).set(database=f"octavo_{mark}") for size, mark in ((few, "few"), (many, "many"))}
    for size, place in places.items():
        make(place, size=size, slim=slim)
    size_bytes, rows = size_of(places[many])
    load = [os.getloadavg()[0]]
    with ExitStack() as closing:
        made = []
        for size, place in places.items():
            index = closing.enter_context(Index(place))
            made.append(Operations(index, documents=size, mark=f"{size} {time.time_ns()}"))
            closing.callback(made[-1].close)
        index_bytes = [warm(place) for place in places.values()] if is_warm else None
        for one in made:
            one.fill(calls + 3)
        *first, last = made[0].all()
        figures = timed(made, first, calls=calls)
        copies = [one.copy() for one in made]
        print(f"copied in {copies} seconds", file=sys.stderr, flush=True)
        figures = [{**one, **other} for one, other in zip(figures, timed(made, [last], calls=calls), strict=True)]
        plans = plans_of(made[1], places[many])
    engine = create_engine(url, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.exec_driver_sql("CHECKPOINT")  # the server is stopped at once
    engine.dispose()
    load.append(os.getloadavg()[0])
    at_few, at_many = figures
    operations = {
        name: {
            "few": round(at_few[name][0], 2),
            "many": round(at_many[name][0], 2),
            "ratio": round(at_many[name][0] / at_few[name][0], 2),
            "median": round(at_many[name][1] / at_few[name][1], 2),
        }
        for name in at_few
    }
    return {
        "few": few,
        "many": many,
        "calls": calls,
        "slim": slim,
        "bytes": size_bytes,
        "index_bytes": index_bytes,
        "rows": rows,
        "operations": operations,
        "copy": {"few": copies[0], "many": copies[1]},
        "plans": plans,
        "worst": max(operations[name]["ratio"] for name in LIMITED),
        "load": [round(one, 1) for one in load],
    }


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="An index on PostgreSQL with many documents.")
    parser.add_argument("--few", type=int, default=100_000)
    parser.add_argument("--many", type=int, default=1_000_000)
    parser.add_argument("--calls", type=int, default=200)
    parser.add_argument("--slim", action="store_true")
    parser.add_argument("--warm", action="store_true")
    parser.add_argument("--tables", type=Path, metavar="FOLDER")
    parser.add_argument("--json", action="store_true", dest="as_json")
    options = parser.parse_args()
    work = options.tables or Path(tempfile.mkdtemp(prefix="octavo-growth-", dir="/tmp"))
    work.mkdir(exist_ok=True)
    work.chmod(0o755)  # below /tmp, with a short path: see `run.py`
    folder = work / "postgres"
    try:
        started = subprocess.run([POSTGRES, "start", folder], stdout=subprocess.PIPE, text=True, check=True)
        url = started.stdout.strip().splitlines()[-1]
        figures = measure(
            url, few=options.few, many=options.many, calls=options.calls, slim=options.slim, is_warm=options.warm
        )
    finally:
        subprocess.run([POSTGRES, "stop", folder], check=False)
        if options.tables is None:
            shutil.rmtree(work, ignore_errors=True)
    if options.as_json:
        print(json.dumps(figures))
    else:
        for name, value in figures.items():
            print(f"{name}: {value}")
    worst = figures["worst"]
    assert isinstance(worst, float)
    return int(worst > LIMIT)


if __name__ == "__main__":
    raise SystemExit(main())
