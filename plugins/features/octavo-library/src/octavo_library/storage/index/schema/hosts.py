"""The machines and processes that have a library of several machines open."""

from __future__ import annotations

from sqlalchemy import Column, Index, Integer, Table, Text

from .base import Key, metadata

hosts = Table(
    "hosts",
    metadata,
    Column("owner", Key, primary_key=True),
    Column("host", Text, nullable=False),
    Column("pid", Integer, nullable=False),
    Column("kind", Key, nullable=False),
    Column("labels_json", Text, nullable=False),
    Column("started_at", Text, nullable=False),
    Column("seen_at", Text, nullable=False),
    Column("alive_until", Key, nullable=False),
    Index(None, "alive_until"),
)
"""Owners of jobs with their leases. An owner without a row, or with an expired one, is dead: others take its jobs over."""
