"""An index of listings that are filtered by status and by media type together (UI-1).

Revision ID: 0019
Revises: 0018

The indexes of revision 0013 have one of both: the rows with a frequent type and a rare status, or the reverse, were found by
reading all rows of the one.
"""

from __future__ import annotations

from alembic import op

revision = "0019"
down_revision = "0018"


def upgrade() -> None:
    """Add the index."""
    columns = ["ingestion_status", "mime_type", "first_ingested_at", "document_id"]
    op.create_index("ix_documents_status_type_listing", "documents", columns)
