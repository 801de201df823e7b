"""What alembic runs to reach the database: the caller's connection, in the caller's transaction."""

from __future__ import annotations

from alembic import context

context.configure(
    connection=context.config.attributes["connection"],
    render_as_batch=True,  # SQLite cannot alter a column in place
)
context.run_migrations()
