"""What was given to language models: documents in conversations, uploads to providers, reference documents (CTX-4, CTX-12)."""

from __future__ import annotations

from sqlalchemy import BigInteger, CheckConstraint, Column, ForeignKey, Index, Integer, Table, Text

from .base import Key, context_column, metadata

document_conversations = Table(
    "document_conversations",
    metadata,
    Column("conversation_id", Key, primary_key=True),
    Column("document_id", Key, ForeignKey("documents.document_id"), primary_key=True),
    context_column(primary_key=True),
    Column("state_version", Integer, nullable=False),
    Column("model", Text),
    Column("tier", Integer),
    Column("first_sent_at", Text),
    Column("last_sent_at", Text),
    Column("prompt_cache_active", Integer, nullable=False, server_default="0"),
    Column("last_cache_use", Text),
    Column("cache_content_hash", Key),
    Column("total_tokens_sent", BigInteger, nullable=False, server_default="0"),
    Column("total_tokens_saved", BigInteger, nullable=False, server_default="0"),
    Column("retrieved_pages_json", Text, nullable=False),
    Column("is_escalated", Integer, nullable=False, server_default="0"),
    CheckConstraint("tier IN (1, 2, 3)", name="tier"),
    Index(None, "document_id"),
)
"""The state of a document in a conversation (003 §4.3). A row without `first_sent_at` has retrieved pages alone."""

document_uploads = Table(
    "document_uploads",
    metadata,
    Column("document_id", Key, ForeignKey("documents.document_id"), primary_key=True),
    Column("provider", Key, primary_key=True),
    context_column(primary_key=True),
    Column("api_file_id", Text, nullable=False),
    Column("file_hash", Key, nullable=False),
    Column("uploaded_at", Text, nullable=False),
    Column("expires_at", Text),
)
"""Files that a provider of models holds, by the provider's id (003 §23.2)."""

document_references = Table(
    "document_references",
    metadata,
    Column("document_id", Key, ForeignKey("documents.document_id"), primary_key=True),
    context_column(primary_key=True),
    Column("marked_by", Text, nullable=False),
    Column("at", Text, nullable=False),
)
"""Documents that a user marked as reference material, which many conversations use (003 §23.1)."""
