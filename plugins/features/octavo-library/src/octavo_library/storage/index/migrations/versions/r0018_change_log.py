"""A log of changed documents on PostgreSQL, for the copies of searches, and finer statistics of names.

Revision ID: 0018
Revises: 0017

On SQLite, the table stays empty: `document_changes` of revision 0013 is the log there.

Numbers of a sequence do not follow the order of commits: a reader could pass a number that is committed later. So each
change has the id of its transaction, and a reader asks for the transactions that its last snapshot did not show.
"""

from __future__ import annotations

from collections.abc import Iterator

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"

KEY = sa.String().with_variant(sa.Text(collation="C"), "postgresql")

KEPT = 50_000
"""Changes that stay in the log, at least. A reader that missed more copies all rows."""

_PRUNING_LOCK = 0x6F637462  # "octb": an arbitrary number that other programs are unlikely to use

COLUMNS = {
    "documents": (
        "content_hash",
        "title",
        "active_conversion_version",
        "normalized_text_hash",
        "first_ingested_at",
    ),
    "document_corpus_memberships": ("corpus_id",),
    "document_source_instances": ("corpus_id", "policy_context_json"),
}
"""Table → columns whose changes matter to a search."""

# `SET search_path FROM CURRENT`: a program with another search path writes to the log of the same library.
# The key has the transaction: writers of the same document never wait for each other here.
# Rows of future transactions are those of another server whose dump was restored here.
_FUNCTION = f"""
CREATE FUNCTION log_document_change() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $function$
DECLARE
    changed text;
    oldest bigint;
    unfinished bigint;
BEGIN
    IF TG_OP = 'DELETE' THEN changed := OLD.document_id; ELSE changed := NEW.document_id; END IF;
    INSERT INTO document_change_log(transaction_id, document_id)
    VALUES (pg_current_xact_id()::text::bigint, changed) ON CONFLICT DO NOTHING;
    IF FOUND AND random() < 0.001 AND pg_try_advisory_xact_lock({_PRUNING_LOCK}) THEN
        SELECT transaction_id INTO oldest FROM document_change_log ORDER BY transaction_id DESC OFFSET {KEPT} LIMIT 1;
        IF oldest IS NOT NULL THEN
            unfinished := pg_snapshot_xmin(pg_current_snapshot())::text::bigint;
            oldest := least(oldest, unfinished);
            DELETE FROM document_change_log WHERE transaction_id < oldest
                OR transaction_id >= pg_snapshot_xmax(pg_current_snapshot())::text::bigint
                AND transaction_id <> pg_current_xact_id()::text::bigint;
            INSERT INTO meta(key, value) VALUES ('changes_since', oldest::text)
            ON CONFLICT (key) DO UPDATE SET value = excluded.value;
        END IF;
    END IF;
    RETURN NULL;
END
$function$
"""


def upgrade() -> None:
    """Add the table, and on PostgreSQL its triggers and the statistics."""
    op.create_table(
        "document_change_log",
        sa.Column("transaction_id", sa.BigInteger(), nullable=False, autoincrement=False),
        sa.Column("document_id", KEY, nullable=False),
        sa.PrimaryKeyConstraint("transaction_id", "document_id", name="pk_document_change_log"),
    )
    connection = op.get_bind()
    if connection.dialect.name == "sqlite":
        return
    connection.exec_driver_sql(_FUNCTION)
    for trigger in triggers():
        connection.exec_driver_sql(trigger)
    for index in ("ix_documents_title_trigrams", "ix_document_original_paths_path_trigrams"):
        # They are not there without the extension `pg_trgm`.
        if connection.scalar(sa.text("SELECT to_regclass(:index)"), {"index": index}) is not None:
            connection.exec_driver_sql(f"ALTER INDEX {index} ALTER COLUMN 1 SET STATISTICS 400")


def triggers() -> Iterator[str]:
    """The statements that create the triggers of PostgreSQL."""
    for table, columns in COLUMNS.items():
        run = "FOR EACH ROW {when}EXECUTE FUNCTION log_document_change()"
        changed = " OR ".join(f"OLD.{name} IS DISTINCT FROM NEW.{name}" for name in columns)
        yield f"CREATE TRIGGER {table}_inserted AFTER INSERT OR DELETE ON {table} {run.format(when='')}"
        yield (
            f"CREATE TRIGGER {table}_updated AFTER UPDATE OF {', '.join(columns)} ON {table} "
            f"{run.format(when=f'WHEN ({changed}) ')}"
        )
