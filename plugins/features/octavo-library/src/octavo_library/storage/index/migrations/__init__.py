"""The history of the index's schema, run by alembic (STO-3).

A change of `octavo_library.storage.index.schema` comes with a new file in `versions/`, numbered in four digits, and with
`schema.REVISION` set to that number. A file that was released is never edited: libraries out there have run it.
"""

from __future__ import annotations

import os

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection


def upgrade(connection: Connection) -> None:
    """Bring an index up to date inside the connection's transaction; the caller commits."""
    command.upgrade(_config(connection), "head")


def _config(connection: Connection) -> Config:
    config = Config()
    # Interpolation is alembic's own: a '%' in the folder's name has to be doubled.
    config.set_main_option("script_location", os.path.dirname(__file__).replace("%", "%%"))
    config.attributes["connection"] = connection
    return config
