"""Migrations of the index's schema, run by alembic (STO-3).

A change of `octavo_library.storage.index.schema` needs a new file in `versions/`, numbered in four digits, and
`schema.REVISION` set to that number. A released file is never changed: existing libraries have already run it.

A new index is not migrated: `sqlite.sql` and `postgresql.sql` hold the schema that all migrations make together. They are
recorded, not written: run `OCTAVO_UPDATE=1 pytest plugins/features/octavo-library/tests/store/test_store_new_index.py` after
a new migration, with `OCTAVO_TEST_INDEX_URL` naming a PostgreSQL server.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from alembic.config import Config
    from sqlalchemy import Connection

SEPARATOR = ";\n\n"
"""Between two statements of a recorded schema."""


def create(connection: Connection) -> None:
    """Make the newest schema in an empty database, inside the connection's transaction; the caller commits.

    The migrations make the same schema in ten times the time, half of which is the import of alembic.
    """
    if connection.dialect.name == "sqlite":
        statements = _script("sqlite.sql").split(SEPARATOR)  # its driver takes one statement at a time
    else:
        statements = [_script("postgresql.sql"), _script("postgresql_trigrams.sql")]
    for statement in statements:
        connection.exec_driver_sql(statement, execution_options={"no_parameters": True})


def _script(name: str) -> str:
    return Path(__file__).with_name(name).read_text(encoding="utf-8")


def upgrade(connection: Connection) -> None:
    """Migrate an index to the newest schema inside the connection's transaction; the caller commits."""
    with _quiet():
        from alembic import command  # in here, because alembic logs its own import

        command.upgrade(_config(connection), "head")


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep alembic's progress out of the host's log: its steps are details of Octavo's. Warnings pass."""
    here = threading.get_ident()
    loggers = [logging.getLogger(f"alembic.runtime.{name}") for name in ("migration", "plugins")]

    def passes(record: logging.LogRecord) -> bool:
        return record.levelno >= logging.WARNING or record.thread != here

    for logger in loggers:
        logger.addFilter(passes)
    try:
        yield
    finally:
        for logger in loggers:
            logger.removeFilter(passes)


def _config(connection: Connection) -> Config:
    from alembic.config import Config

    config = Config()
    # Alembic interpolates the option: a '%' in the folder's name must be doubled.
    config.set_main_option("script_location", os.path.dirname(__file__).replace("%", "%%"))
    config.attributes["connection"] = connection
    return config
