"""The processes that have a library open: their leases, and why they pause new work."""

from __future__ import annotations

from sqlalchemy import Column, Float, Index, Integer, Table, Text

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

pauses = Table(
    "pauses",
    metadata,
    Column("owner", Key, primary_key=True),
    Column("cause", Key, primary_key=True),
    Column("value", Float, nullable=False),
    Column("resumes_at", Float, nullable=False),
    Column("advice", Text, nullable=False),
    Column("since", Text, nullable=False),
)
"""Why processes pause new work now (ENG-30). The row of a process that died says nothing: see its runs."""
