"""Real tables with many documents: the rows of one document, copied by the server with other ids, hashes and paths.

The copies are consistent, and have what a library would have: ids of jobs that begin with the time, times one second apart.
"""

from __future__ import annotations

import hashlib
import sys
import time
from concurrent.futures import ThreadPoolExecutor

from sqlalchemy import URL, Connection, Engine, create_engine, text

STEP = 100_000
"""Documents that are copied by one statement."""
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
NOT_GROWN = "document_change_log"
"""A table that does not grow with the documents: the triggers keep it short."""
SLIM = {"transitions": 1, "content_hashes": 2}
"""Table → rows of a document with `--slim`."""


def hash_of(name: str) -> str:
    """A hash to stand for the bytes of a document."""
    return hashlib.sha256(name.encode()).hexdigest()


def keep_template(connection: Connection, before: dict[str, int], *, document_id: str, raw_hash: str) -> dict[str, int]:
    """Keep the rows of the document that was recorded since the tables had `before`; returns table → rows."""
    rows = {}
    for table, count in counted(connection).items():
        if count > before[table] and table != NOT_GROWN:
            rows[table] = count - before[table]
            connection.exec_driver_sql(f"CREATE TABLE template_{table} AS SELECT * FROM {table}")
    connection.execute(
        text("CREATE TABLE template AS SELECT CAST(:id AS text) AS document_id, CAST(:hash AS text) AS raw_hash"),
        {"id": document_id, "hash": raw_hash},
    )
    return rows


def warm(url: URL) -> int:
    """Read all indexes, so that their pages are in memory as those of a server in use; returns their bytes."""
    engine = create_engine(url)
    with engine.connect() as connection:
        connection.exec_driver_sql("CREATE EXTENSION IF NOT EXISTS pg_prewarm")
        statement = """
        SELECT sum(pg_prewarm(index.oid, 'read')) * current_setting('block_size')::bigint FROM pg_class AS index
        WHERE index.relkind = 'i' AND index.relnamespace = 'public'::regnamespace
        """
        size = int(connection.exec_driver_sql(statement).scalar_one())
    engine.dispose()
    return size


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


def counted(connection: Connection) -> dict[str, int]:
    """Table → rows, of small tables."""
    names = connection.scalars(
        text(
            "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'"
        )
    ).all()
    return {name: int(connection.scalar(text(f"SELECT count(*) FROM {name}")) or 0) for name in names}
