"""Migrations of the index's schema, run by alembic (STO-3).

A change of `octavo_library.storage.index.schema` needs a new file in `versions/`, numbered in four digits, and
`schema.REVISION` set to that number. A released file is never changed: existing libraries have already run it.
"""

from __future__ import annotations

import os

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection


def upgrade(connection: Connection) -> None:
    """Migrate an index to the newest schema inside the connection's transaction; the caller commits."""
    command.upgrade(_config(connection), "head")


def _config(connection: Connection) -> Config:
    config = Config()
    # Alembic interpolates the option: a '%' in the folder's name must be doubled.
    config.set_main_option("script_location", os.path.dirname(__file__).replace("%", "%%"))
    config.attributes["connection"] = connection
    return config
