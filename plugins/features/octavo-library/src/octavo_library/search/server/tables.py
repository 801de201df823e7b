"""The tables of the chunk index on a server: made at the first use, made again for another schema.

They are derived data, as the file is on a machine. Deleting the row of a document deletes its chunks in the same
transaction, so that a purge leaves none (STO-12).
"""

from __future__ import annotations

from sqlalchemy import Connection, text

SCHEMA = 1
"""Increase it with every change of the tables or of `searchable`: tables of another schema are made again."""

_NAMES = ("search_totals", "search_chunks", "search_sets", "search_facts")
_FUNCTION = "search_count_chunks"

_CREATE = f"""
CREATE TABLE search_facts(key text COLLATE "C" PRIMARY KEY, value text NOT NULL);
CREATE TABLE search_sets(
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    document_id text COLLATE "C" NOT NULL REFERENCES documents(document_id) ON DELETE CASCADE,
    version integer NOT NULL,
    text_hash text COLLATE "C",
    config text COLLATE "C" NOT NULL,
    UNIQUE (document_id, config)
);
CREATE TABLE search_chunks(
    number bigint NOT NULL REFERENCES search_sets(number) ON DELETE CASCADE,
    place integer NOT NULL,
    chunk_id text NOT NULL,
    page integer,
    page_start integer NOT NULL,
    span_start integer NOT NULL,
    span_end integer NOT NULL,
    markdown_start integer,
    markdown_end integer,
    content bytea NOT NULL,
    length integer NOT NULL,
    words tsvector NOT NULL,
    PRIMARY KEY (number, place)
);
CREATE INDEX search_chunks_words ON search_chunks USING gin (words);
CREATE TABLE search_totals(
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    chunks bigint NOT NULL,
    length bigint NOT NULL
);
CREATE FUNCTION {_FUNCTION}() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $function$
BEGIN
    IF TG_OP = 'INSERT' THEN
        INSERT INTO search_totals(chunks, length) SELECT count(*), sum(length) FROM changed HAVING count(*) > 0;
    ELSE
        INSERT INTO search_totals(chunks, length) SELECT -count(*), -sum(length) FROM changed HAVING count(*) > 0;
    END IF;
    RETURN NULL;
END
$function$;
CREATE TRIGGER search_chunks_added AFTER INSERT ON search_chunks REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION {_FUNCTION}();
CREATE TRIGGER search_chunks_removed AFTER DELETE ON search_chunks REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION {_FUNCTION}();
INSERT INTO search_facts VALUES ('schema', '{SCHEMA}');
"""
# `content` is bytes: PostgreSQL's texts cannot hold the character 0, which a chunk can.
# `search_totals` has a row for each change, because writers of one row would wait for each other; see `compact`.

_TOO_MANY = 200
_WRITING_LOCK = 0x6F637463  # "octc": an arbitrary number that other programs are unlikely to use


def is_made(connection: Connection) -> bool:
    """Whether the tables are there, in this schema."""
    return has_table(connection, "search_facts") and fact(connection, "schema") == str(SCHEMA)


def has_table(connection: Connection, name: str) -> bool:
    """Whether a table is there.

    `to_regclass` would not do: it can answer from a cache of before a lock that the transaction has waited for.
    """
    statement = """
    SELECT EXISTS (SELECT 1 FROM pg_class AS class JOIN pg_namespace AS space ON space.oid = class.relnamespace
                   WHERE class.relname = :name AND space.nspname = current_schema())
    """
    return bool(connection.scalar(text(statement), {"name": name}))


def make(connection: Connection) -> None:
    """Make the tables unless they are there. Call it in a transaction that may write."""
    lock(connection)
    if is_made(connection):
        return
    for name in _NAMES:
        connection.exec_driver_sql(f"DROP TABLE IF EXISTS {name} CASCADE")
    connection.exec_driver_sql(f"DROP FUNCTION IF EXISTS {_FUNCTION}()")
    connection.exec_driver_sql(_CREATE)


def lock(connection: Connection) -> None:
    """Let other writers of this chunk index wait until the transaction ends; readers do not wait."""
    connection.execute(text("SELECT pg_advisory_xact_lock(:lock, hashtext(current_schema()))"), {"lock": _WRITING_LOCK})


def fact(connection: Connection, key: str) -> str | None:
    """A stored fact; None without one."""
    value: str | None = connection.scalar(text("SELECT value FROM search_facts WHERE key = :key"), {"key": key})
    return value


def set_fact(connection: Connection, key: str, value: str) -> None:
    """Store a fact."""
    statement = "INSERT INTO search_facts VALUES (:key, :value) ON CONFLICT (key) DO UPDATE SET value = excluded.value"
    connection.execute(text(statement), {"key": key, "value": value})


def totals(connection: Connection) -> tuple[int, int]:
    """The number of chunks of all documents, and of their words."""
    row = connection.execute(text("SELECT coalesce(sum(chunks), 0), coalesce(sum(length), 0) FROM search_totals")).one()
    return int(row[0]), int(row[1])


def compact(connection: Connection) -> None:
    """Add up the rows of `search_totals` if they are many. The caller holds the lock of writers."""
    if connection.scalar(text("SELECT count(*) FROM search_totals")) > _TOO_MANY:
        connection.exec_driver_sql(
            "WITH gone AS (DELETE FROM search_totals RETURNING chunks, length) "
            "INSERT INTO search_totals(chunks, length) SELECT sum(chunks), sum(length) FROM gone"
        )
