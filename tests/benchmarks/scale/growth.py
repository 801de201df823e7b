"""What an index on PostgreSQL costs at many documents beside few: the same calls on the same tables before and after growing.

One document is recorded through the index as the engine does. Its rows, in every table, are then copied by the server with
other ids, hashes and paths until there are as many documents as wanted. So the tables have the columns and indexes of a
library, and no file is converted. Each operation is called through the index, on documents drawn at random.

With `--slim`, a copied document has one step in the log of its job and two hashes of its parts, where a real one has a dozen
steps and a hash of each page and chunk. No operation reads these rows, and what writes them inserts into the same indexes:
ten million documents then fit where a third of them would.

Usage: python tests/benchmarks/scale/growth.py [--few 100000] [--many 1000000] [--calls 200] [--slim] [--json]

JSON:
    - `few`, `many`: numbers of documents; `slim`: as given; `bytes`: size of the database with many; `rows`: table → rows for one document.
    - `operations`: operation → `few` and `many`, p95 in milliseconds, and their `ratio`. `claim` takes 8 queued documents,
      `commit` completes 8, `queue` counts the queue and looks for its owners, `hash` looks up a document by its hash, `list`
      reads the first page of a listing and `page` one in its middle, both for one policy context, `name` finds a document by
      a part of its title and file name with a word that all have, `rare` by its number alone, `common` reads a page of those
      with the word that all have and `counted` counts them, `open` finds the open and the last ended jobs, as the opening of
      a library does, and `search` copies what decides who sees what, after 8 documents changed, as a search by words does
      first. The words themselves are in a file on each machine, and are not measured here.
    - `copy`: seconds in which the first search of a process copies what decides who sees what, of all documents; it is not
      part of `operations`, because it grows with their number.
    - `plans`: operation → the scans in the plans of its statements, with many documents.
    - `worst`: the highest ratio of the operations.
    - `load`: load average of this machine over one minute, before and after.

The exit code is 1 if `worst` is above 1.5.
"""

from __future__ import annotations

import argparse
import hashlib
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
from concurrent.futures import ThreadPoolExecutor
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

POSTGRES = Path(__file__).resolve().parents[3] / ".ci" / "postgres"
LIMIT = 1.5
GROUP = 8
STEP = 100_000
"""Documents that are copied by one statement."""
OWNER = "growth"
CONVERTED = HAPPY_PATH.index(IngestionState.CONVERTED)
QUEUED = (IngestionState.HASH_CHECKED, IngestionState.SOURCE_STORED)
KEYS = {
    # As real ones begin: with the milliseconds at which the job was made, here one document a second.
    "job_id": "lpad(to_hex(1735689600000 + CAST(n AS bigint) * 1000), 12, '0') || '7' || substr(md5('job_id ' || n), 14)",
    "source_instance_id": "md5('source_instance_id ' || n)",
}
OF_EACH = (
    "encode(sha256(convert_to('document ' || n, 'UTF8')), 'hex') AS raw_hash, md5('document ' || n)::uuid::text AS document_id, "
    "to_char(timestamp '2025-01-01' + n * interval '1 second', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"+00:00\"') AS at, "
    + ", ".join(f"{key} AS {name}" for name, key in KEYS.items())
)
"""What is computed for document `n`."""
CONNECTIONS = 3
"""Tables that are filled at the same time."""
POLICY = PolicyContext()
NOT_GROWN = "document_change_log"
"""A table that does not grow with the documents: the triggers keep it short."""
SLIM = {"transitions": 1, "content_hashes": 2}
"""Table → rows of a document with `--slim`."""


def hash_of(name: str) -> str:
    """A hash to stand for the bytes of a document."""
    return hashlib.sha256(name.encode()).hexdigest()


def completion(job: Job, name: str) -> CompletedJob:
    """The end of a job, as the engine writes it."""
    facts = DocumentFacts(
        raw_hash=hash_of(name),
        normalized_text_hash=hash_of(f"text of {name}"),
        title=f"Gauge {name}",
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


def grow(engine: Engine, *, size: int, slim: bool = False) -> None:
    """Copy the rows of the one document that was recorded, so that there are `size` documents more.

    The indexes are built when all rows are there, which takes a fraction of the time and makes the same indexes.
    """
    with engine.connect() as connection:
        connection.exec_driver_sql("ALTER SYSTEM SET max_wal_size = '2GB'")
        connection.exec_driver_sql("SELECT pg_reload_conf()")
        tables = template_tables(connection)
        for table, rows in SLIM.items() if slim else ():
            kept = f"SELECT ctid FROM template_{table} ORDER BY ctid DESC LIMIT {rows}"
            connection.exec_driver_sql(f"DELETE FROM template_{table} WHERE ctid NOT IN ({kept})")
    with ThreadPoolExecutor(max_workers=CONNECTIONS) as pool:
        list(pool.map(lambda table: grow_table(engine, table, size=size), tables))


def grow_table(engine: Engine, table: str, *, size: int) -> None:
    """Copy the template's rows of one table."""
    with engine.connect() as connection:
        # The copies are consistent: no key is checked.
        connection.exec_driver_sql("SET session_replication_role = replica")
        connection.exec_driver_sql("SET maintenance_work_mem = '1GB'")
        columns = connection.execute(
            text(
                "SELECT column_name, data_type FROM information_schema.columns WHERE table_schema = 'public' AND "
                "table_name = :table AND column_default IS NULL AND is_identity = 'NO' ORDER BY ordinal_position"
            ),
            {"table": table},
        ).all()
        names = ", ".join(f'"{name}"' for name, _ in columns)
        values = ", ".join(renamed(connection, table, name, kind) for name, kind in columns)
        flags = "UPDATE pg_index SET indisready = false, indisvalid = false WHERE indrelid = '{table}'::regclass"
        connection.exec_driver_sql(flags.format(table=table))
        for start in range(0, size, STEP):
            end = min(size, start + STEP) - 1
            each = f"SELECT n, {OF_EACH} FROM generate_series({start}, {end}) n OFFSET 0"  # computed once a document
            connection.exec_driver_sql(
                f"INSERT INTO {table} ({names}) SELECT {values} FROM ({each}) n, template_{table} t"
            )
        connection.exec_driver_sql(f"REINDEX TABLE {table}")  # and the flags are set again
        print(f"{table}: {time.strftime('%H:%M:%S')}", file=sys.stderr, flush=True)


def renamed(connection: Connection, table: str, name: str, kind: str) -> str:
    """The value of a column for document `n`."""
    column = f't."{name}"'
    if kind not in ("text", "character varying"):
        return column
    if name == "hash":
        return f"encode(sha256(convert_to({column} || n.n, 'UTF8')), 'hex')"
    if name in KEYS:
        return f"CASE WHEN {column} IS NULL THEN NULL ELSE n.{name} END"
    if name in ("at", "created_at", "updated_at", "first_ingested_at", "ingested_at", "added_at"):
        return "n.at"
    if name.endswith("_id") and name not in ("document_id", "corpus_id", "run_id"):
        return f"CASE WHEN {column} IS NULL THEN NULL ELSE md5('{name} ' || n.n) END"
    is_named = (
        f"strpos({column}, template.document_id) + strpos({column}, template.raw_hash) + strpos({column}, 'first') > 0"
    )
    if not connection.scalar(text(f"SELECT bool_or({is_named}) FROM template_{table} t, template")):
        return column  # it is the same for all documents
    if connection.scalar(text(f"SELECT bool_and({column} = template.document_id) FROM template_{table} t, template")):
        return "n.document_id"
    changed = f"replace({column}, (SELECT document_id FROM template), n.document_id)"
    changed = f"replace({changed}, (SELECT raw_hash FROM template), n.raw_hash)"
    # A reference has no space: it is a URL. The driver reads `%%` as `%`.
    number = "number%%20" if name in ("path", "original_ref") else "number "
    return f"replace({changed}, 'first', '{number}' || n.n)"


def template_tables(connection: Connection) -> list[str]:
    """The tables that have rows for one document."""
    found = connection.scalars(
        text(
            "SELECT substr(table_name, 10) FROM information_schema.tables WHERE table_name LIKE 'template\\_%' ORDER BY 1"
        )
    )
    return list(found)


def record_template(index: Index, connection: Connection) -> dict[str, int]:
    """Record one document, and keep its rows aside; returns table → rows."""
    before = counted(connection)
    (job, _) = index.jobs.start(NewJob(raw_hash=hash_of("first"), steps=HAPPY_PATH[1:CONVERTED]), owner=OWNER)
    index.jobs.complete([completion(job, "first")])
    rows = {}
    for table, count in counted(connection).items():
        if count > before[table] and table != NOT_GROWN:
            rows[table] = count - before[table]
            connection.exec_driver_sql(f"CREATE TABLE template_{table} AS SELECT * FROM {table}")
    connection.execute(
        text("CREATE TABLE template AS SELECT CAST(:id AS text) AS document_id, CAST(:hash AS text) AS raw_hash"),
        {"id": document_id_for(hash_of("first")), "hash": hash_of("first")},
    )
    return rows


def counted(connection: Connection) -> dict[str, int]:
    """Table → rows, of small tables."""
    names = connection.scalars(
        text(
            "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'"
        )
    ).all()
    return {name: int(connection.scalar(text(f"SELECT count(*) FROM {name}")) or 0) for name in names}


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
        ids = [document_id_for(self._hash()) for _ in range(GROUP)]
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
        names = {hash_of(f"{self._mark} {number}"): f"{self._mark} {number}" for number in range(1, self._serial + 1)}
        self.index.jobs.complete([completion(job, names[str(job.raw_hash)]) for job in group])

    def _number(self) -> int:
        return self._chance.randrange(self._documents)

    def _hash(self) -> str:
        return hash_of(f"document {self._number()}")

    def _place(self, number: int) -> ListingPosition:
        found = self.index.documents.find_by_hash([hash_of(f"document {number}")])[hash_of(f"document {number}")]
        (record,) = self.index.documents.get_many([found.document_id])
        return ListingPosition(first_ingested_at=record.first_ingested_at, document_id=record.document_id)


def timed(operations: Sequence[Operations], *, calls: int) -> list[dict[str, float]]:
    """p95 of each operation in milliseconds, for each index. The calls alternate, so that a busy machine slows all alike."""
    for one in operations:
        one.fill(calls + 1)
    found: list[dict[str, float]] = [{} for _ in operations]
    for name in operations[0].all():
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
            found[number][name] = sorted(one)[int(0.95 * len(one))] * 1000
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


def measure(url: str, *, few: int, many: int, calls: int, slim: bool) -> dict[str, object]:
    """Make a database of each size on one server, and time the operations on both."""
    load = [os.getloadavg()[0]]
    with ExitStack() as closing:
        made = []
        for size, mark in ((few, "few"), (many, "many")):
            place = make_url(url).set(database=f"octavo_{mark}")
            server = create_engine(url, isolation_level="AUTOCOMMIT")
            with server.connect() as connection:
                connection.exec_driver_sql(f"CREATE DATABASE octavo_{mark}")
            server.dispose()
            index = closing.enter_context(Index(place))
            engine = create_engine(place, isolation_level="AUTOCOMMIT")
            with engine.connect() as connection:
                rows = record_template(index, connection)
            grow(engine, size=size, slim=slim)
            with engine.connect() as connection:
                connection.exec_driver_sql("VACUUM ANALYZE")
                size_bytes = connection.scalar(text("SELECT pg_database_size(current_database())"))
            engine.dispose()
            print(f"{size} documents are there", file=sys.stderr, flush=True)
            made.append(Operations(index, documents=size, mark=mark))
            closing.callback(made[-1].close)
        copies = [one.copy() for one in made]
        print(f"copied in {copies} seconds", file=sys.stderr, flush=True)
        figures = timed(made, calls=calls)
        made[1].fill(2)
        plans = plans_of(made[1], make_url(url).set(database="octavo_many"))
    load.append(os.getloadavg()[0])
    at_few, at_many = figures
    operations = {
        name: {
            "few": round(at_few[name], 2),
            "many": round(at_many[name], 2),
            "ratio": round(at_many[name] / at_few[name], 2),
        }
        for name in at_few
    }
    return {
        "few": few,
        "many": many,
        "calls": calls,
        "slim": slim,
        "bytes": size_bytes,
        "rows": rows,
        "operations": operations,
        "copy": {"few": copies[0], "many": copies[1]},
        "plans": plans,
        "worst": max(one["ratio"] for one in operations.values()),
        "load": [round(one, 1) for one in load],
    }


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="An index on PostgreSQL with many documents.")
    parser.add_argument("--few", type=int, default=100_000)
    parser.add_argument("--many", type=int, default=1_000_000)
    parser.add_argument("--calls", type=int, default=200)
    parser.add_argument("--slim", action="store_true")
    parser.add_argument("--json", action="store_true", dest="as_json")
    options = parser.parse_args()
    work = Path(tempfile.mkdtemp(prefix="octavo-growth-", dir="/tmp"))
    work.chmod(0o755)  # below /tmp, with a short path: see `run.py`
    folder = work / "postgres"
    try:
        started = subprocess.run([POSTGRES, "start", folder], stdout=subprocess.PIPE, text=True, check=True)
        url = started.stdout.strip().splitlines()[-1]
        figures = measure(url, few=options.few, many=options.many, calls=options.calls, slim=options.slim)
    finally:
        subprocess.run([POSTGRES, "stop", folder], check=False)
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
