"""Run by alembic for a migration: uses the caller's connection and transaction."""

from __future__ import annotations

from alembic import context

context.configure(
    connection=context.config.attributes["connection"],
    render_as_batch=True,  # SQLite cannot alter a column in place
)
context.run_migrations()
