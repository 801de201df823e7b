"""What alembic runs to reach the database: the caller's connection, in the caller's transaction."""

from __future__ import annotations

from alembic import context

from octavo.storage.index.schema import metadata  # absolute: alembic runs this file outside of its package

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    render_as_batch=True,  # SQLite can not alter a column in place
)
context.run_migrations()
