"""An index of the names of documents, so that a part of a name is found without reading all names (UI-1).

On SQLite, triggers keep `document_names` and its trigram index right, whichever program changes a row. On PostgreSQL,
indexes of trigrams on the titles and paths themselves do, where the extension `pg_trgm` can be had; without it, a search
reads all names.

Revision ID: 0016
Revises: 0015

A later migration that recreates `documents` or `document_original_paths`, as alembic does in a batch on SQLite, drops their
triggers: it has to create them again.
"""

from __future__ import annotations

from collections.abc import Iterator

import sqlalchemy as sa
from alembic import op
from sqlalchemy.exc import DBAPIError

revision = "0016"
down_revision = "0015"

KEY = sa.String().with_variant(sa.Text(collation="C"), "postgresql")

_DIGITS = "0123456789ABCDEF"

_TITLE = "INSERT INTO document_names(document_id, name) SELECT {row}.document_id, {row}.title WHERE {row}.title <> ''"
_FILE = (
    "INSERT INTO document_names(document_id, path_id, name) "
    "SELECT {row}.document_id, {row}.path_id, decoded.name FROM ({decoded}) AS decoded WHERE decoded.name <> ''"
)
_ERASE = "INSERT INTO document_names_text(document_names_text, rowid, name) VALUES ('delete', OLD.name_id, OLD.name)"
_ADD = "INSERT INTO document_names_text(rowid, name) VALUES (NEW.name_id, NEW.name)"


def upgrade() -> None:
    """Add the table, the index and the triggers, and fill them from the documents that are there."""
    op.create_table(
        "document_names",
        sa.Column("name_id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("document_id", KEY, nullable=False),
        sa.Column("path_id", sa.Integer(), nullable=True),
        sa.Column("name", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("name_id", name="pk_document_names"),
    )
    op.create_index("ix_document_names_document_id", "document_names", ["document_id"])
    op.create_index("ix_document_names_path_id", "document_names", ["path_id"])
    connection = op.get_bind()
    if connection.dialect.name == "sqlite":
        for statement in statements():
            connection.exec_driver_sql(statement)
    else:
        _add_trigram_indexes(connection)


def _add_trigram_indexes(connection: sa.Connection) -> None:
    try:
        with connection.begin_nested():
            # Not in the library's own schema: libraries of one database share the extension, and one may be dropped.
            connection.exec_driver_sql("CREATE EXTENSION IF NOT EXISTS pg_trgm WITH SCHEMA public")
    except DBAPIError:  # not installed, or not allowed to this user: names are read one by one
        return
    found = "SELECT nspname FROM pg_extension JOIN pg_namespace ON pg_namespace.oid = extnamespace WHERE extname = 'pg_trgm'"
    schema = connection.dialect.identifier_preparer.quote(connection.exec_driver_sql(found).scalar_one())
    for name, table, column in (
        ("ix_documents_title_trigrams", "documents", "title"),
        ("ix_document_original_paths_path_trigrams", "document_original_paths", "path"),
    ):
        connection.exec_driver_sql(f"CREATE INDEX {name} ON {table} USING gin (lower({column}) {schema}.gin_trgm_ops)")


def statements() -> Iterator[str]:
    """The statements that create the trigram index and the triggers of SQLite, and fill the index."""
    yield (
        "CREATE VIRTUAL TABLE document_names_text USING fts5"
        "(name, content='document_names', content_rowid='name_id', tokenize='trigram')"
    )
    yield "INSERT INTO document_names(document_id, name) SELECT document_id, title FROM documents WHERE title <> ''"
    yield (
        "INSERT INTO document_names(document_id, path_id, name) SELECT document_id, path_id, name FROM "
        f"(SELECT document_id, path_id, ({decoded_name('place')}) AS name FROM document_original_paths AS place) "
        "WHERE name <> ''"
    )
    yield "INSERT INTO document_names_text(document_names_text) VALUES ('rebuild')"
    yield f"CREATE TRIGGER document_names_inserted AFTER INSERT ON document_names BEGIN {_ADD}; END"
    yield f"CREATE TRIGGER document_names_deleted AFTER DELETE ON document_names BEGIN {_ERASE}; END"
    yield f"CREATE TRIGGER document_names_updated AFTER UPDATE ON document_names BEGIN {_ERASE}; {_ADD}; END"
    titled = _TITLE.format(row="NEW")
    untitled = "DELETE FROM document_names WHERE document_id = OLD.document_id AND path_id IS NULL"
    yield f"CREATE TRIGGER documents_named AFTER INSERT ON documents BEGIN {titled}; END"
    yield (
        "CREATE TRIGGER documents_renamed AFTER UPDATE OF title ON documents WHEN OLD.title IS NOT NEW.title "
        f"BEGIN {untitled}; {titled}; END"
    )
    yield f"CREATE TRIGGER documents_unnamed AFTER DELETE ON documents BEGIN {untitled}; END"
    placed = _FILE.format(row="NEW", decoded=f"SELECT ({decoded_name('NEW')}) AS name")
    left = "DELETE FROM document_names WHERE path_id = OLD.path_id"
    on = "ON document_original_paths"
    yield f"CREATE TRIGGER document_original_paths_named AFTER INSERT {on} BEGIN {placed}; END"
    yield (
        f"CREATE TRIGGER document_original_paths_renamed AFTER UPDATE OF path {on} WHEN OLD.path IS NOT NEW.path "
        f"BEGIN {left}; {placed}; END"
    )
    yield f"CREATE TRIGGER document_original_paths_unnamed AFTER DELETE {on} BEGIN {left}; END"


def decoded_name(row: str) -> str:
    """A query for the last part of `path` in a row, with its percent escapes decoded as UTF-8.

    References are percent-encoded, and SQLite has no function that decodes them. Each escape takes two steps: stage 0
    takes over the text before it and reads its first byte, stage 1 decodes a character of one to four bytes. A percent sign
    that begins no escape stays.
    """
    path = f"rtrim({row}.path, '/')"
    last = f"substr({path}, length(rtrim({path}, replace({path}, '/', ''))) + 1)"
    (second, third, fourth) = (f"(({_byte('rest', 3 * number)}) - 128)" for number in (1, 2, 3))
    code = (
        "CASE WHEN lead < 128 THEN lead "
        f"WHEN lead BETWEEN 194 AND 223 THEN (lead - 192) * 64 + {second} "
        f"WHEN lead = 237 AND {second} >= 32 THEN 0 "  # half of a surrogate pair, which UTF-8 cannot hold
        f"WHEN lead BETWEEN 224 AND 239 THEN (lead - 224) * 4096 + {second} * 64 + {third} "
        f"WHEN lead BETWEEN 240 AND 244 THEN (lead - 240) * 262144 + {second} * 4096 + {third} * 64 + {fourth} END"
    )
    # Bytes that are no character become U+FFFD: a name is always text that can be read back.
    character = f"CASE WHEN lead > 0 THEN char(coalesce(nullif(max({code}, 0), 0), 65533)) ELSE '%' END"
    length = (
        "CASE WHEN coalesce(lead, 0) = 0 THEN 1 WHEN lead BETWEEN 194 AND 223 THEN 6 "
        "WHEN lead BETWEEN 224 AND 239 THEN 9 WHEN lead BETWEEN 240 AND 244 THEN 12 ELSE 3 END"
    )
    escape = "instr(rest, '%')"
    return (
        f"WITH RECURSIVE steps(stage, done, rest, lead) AS (SELECT 0, '', {last}, NULL UNION ALL SELECT 1 - stage, "
        f"done || CASE stage WHEN 0 THEN substr(rest, 1, {escape} - 1) ELSE {character} END, "
        f"CASE stage WHEN 0 THEN substr(rest, {escape}) ELSE substr(rest, 1 + {length}) END, "
        f"CASE stage WHEN 0 THEN {_byte(f'substr(rest, {escape}, 3)', 0)} END "
        f"FROM steps WHERE stage = 1 OR {escape} > 0) "
        f"SELECT done || rest FROM steps WHERE stage = 0 AND {escape} = 0"
    )


def _byte(text: str, offset: int) -> str:
    """The value of the escape at an offset of `text`; NULL if none is there."""
    high, low = (f"nullif(instr('{_DIGITS}', upper(substr({text}, {offset + at}, 1))), 0) - 1" for at in (2, 3))
    is_escape = f"substr({text}, {offset + 1}, 1) = '%' AND length(substr({text}, {offset + 2}, 2)) = 2"
    return f"CASE WHEN {is_escape} THEN ({high}) * 16 + {low} END"
