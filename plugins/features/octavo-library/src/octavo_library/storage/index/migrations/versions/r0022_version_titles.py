"""The title that each version states, so that activation gives a document the title of its active version (STO-6).

Revision ID: 0022
Revises: 0021
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"


def upgrade() -> None:
    """Add the column. Of the versions that there are it stays null, which means unknown: only their files say it."""
    op.add_column("conversions", sa.Column("title", sa.Text(), nullable=True))
