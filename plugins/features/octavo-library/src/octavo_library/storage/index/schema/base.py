"""The table metadata, and columns shared by several tables."""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import Column, ForeignKey, MetaData, String, Table, Text

REVISION: Final = "0022"
"""The newest migration; an index at an older revision is migrated when it is opened."""

Key = String().with_variant(Text(collation="C"), "postgresql")
"""Ids, hashes, states: compared byte by byte, so that a prefix is an index range in every database."""

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def document_column(*, nullable: bool = False) -> Column[Any]:
    """The document that a row is about."""
    return Column("document_id", Key, ForeignKey("documents.document_id"), nullable=nullable)


def corpus_column(*, nullable: bool = False) -> Column[Any]:
    """The corpus that a row is about."""
    return Column("corpus_id", Key, ForeignKey("corpora.corpus_id"), nullable=nullable)


def context_column(**more: Any) -> Column[Any]:
    """The policy context of a row, as `PolicyContext.canonical()`; `owner` if only the library's owner sees it."""
    return Column("policy_context_json", Key, nullable=False, **more)


meta = Table("meta", metadata, Column("key", Key, primary_key=True), Column("value", Text, nullable=False))
