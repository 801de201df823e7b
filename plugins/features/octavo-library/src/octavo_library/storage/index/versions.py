"""Conversion versions: immutable, numbered, one of them active; and the log of activations (STO-6, STO-19)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from octavo_contracts import UsageError
from sqlalchemy import (
    ColumnElement,
    Connection,
    Insert,
    Row,
    Select,
    Text,
    Update,
    bindparam,
    case,
    cast,
    func,
    insert,
    literal,
    or_,
    select,
    update,
)

from . import dialect, direct_read
from .disclosure import restricted
from .document_types import TypeByHand, types_by_hand
from .instance_ids import PolicyContext
from .ownership import CONVERSION, FILES, as_told, parts_as_told
from .records import ConversionRecord
from .repository import Repository
from .schema import activations, content_hashes, conversions, document_source_instances, documents, jobs, purges
from .touched import touch


def _as_told(record: ConversionRecord, *, created_at: str) -> ConversionRecord:
    """Filter a version for a policy context: of its configuration, only what follows from the bytes."""
    config = parts_as_told(json.loads(record.config_json or "{}"), FILES["tool.json"], {"created_at": created_at})
    return as_told(record, CONVERSION, {"created_at": created_at, "config_json": json.dumps(config)})


@cache
def _highest(database: str) -> Select[Any]:
    """Select the highest version number ever assigned to each document in the parameter `many`."""
    given = select(conversions.c.document_id, conversions.c.version.label("top")).where(
        conversions.c.document_id.in_(dialect.many(database))
    )
    purged = select(purges.c.document_id, purges.c.highest_version.label("top")).where(
        purges.c.document_id.in_(dialect.many(database))
    )
    both = given.union_all(purged).subquery()
    return select(both.c.document_id, func.max(both.c.top)).group_by(both.c.document_id)


@dataclass(frozen=True, kw_only=True, slots=True)
class ActiveVersion:
    """The active version of a document, and what may speak for another conversion (ENG-18).

    Attributes:
        document_id: the document.
        version: its number.
        tool: the plugin that made it.
        tool_version: the plugin's version, or None if unknown.
        created_at: when it was made, ISO 8601, UTC.
        classified_as: the classifier's type of the document, or None.
        by_hand: the type that a user set, or None.
    """

    document_id: str
    version: int
    tool: str
    tool_version: str | None
    created_at: str
    classified_as: str | None
    by_hand: TypeByHand | None


class VersionRepository(Repository):
    """Conversion versions of documents."""

    def of_document(self, document_id: str, *, policy: PolicyContext | None = None) -> tuple[ConversionRecord, ...]:
        """The versions of a document, oldest first, filtered for a policy context by `ownership`.

        Args:
            document_id: the document.
            policy: the policy context of the user; None: the library's owner. A policy context sees the version that
                was active when it ingested the document, as if made then, every later one, and the active one.
        """
        with self._read() as connection:
            records = tuple(
                _record(row) for row in direct_read.rows(connection, _OF_DOCUMENT, {"document": document_id})
            )
            if policy is None:
                return records
            instance = document_source_instances.c
            mine = (instance.document_id == document_id, instance.policy_context_json == policy.canonical())
            since = connection.scalar(select(func.min(instance.ingested_at)).where(*mine))
            if since is None:
                return ()
            then = connection.scalar(_active_at(document_id, since))
        shown = (one for one in records if one.is_active or one.version == then or one.created_at >= since)
        return tuple(_as_told(one, created_at=max(one.created_at, since)) for one in shown)

    def in_force(
        self,
        document_ids: Sequence[str] | None = None,
        *,
        corpus_id: str | None = None,
        policy: PolicyContext | None = None,
    ) -> tuple[ActiveVersion, ...]:
        """The active version of each document that has one, with its converter and the type that a user set.

        Args:
            document_ids: only these documents; None: all.
            corpus_id: only documents of this corpus.
            policy: only documents ingested under this policy context; types that others set are left out (STO-5).
        """
        query: Select[Any] = select(
            documents.c.document_id,
            documents.c.document_type,
            conversions.c.version,
            conversions.c.tool,
            conversions.c.tool_version,
            conversions.c.created_at,
        ).join_from(documents, conversions, conversions.c.document_id == documents.c.document_id)
        query = restricted(query.where(is_active(conversions.c.version)), corpus_id=corpus_id, policy=policy)
        with self._read() as connection:
            wanted: dict[str, Any] = {}
            if document_ids is not None:
                query = query.where(documents.c.document_id.in_(dialect.many(connection.dialect.name)))
                wanted = dialect.as_many(document_ids)
            rows = connection.execute(query.order_by(documents.c.document_id), wanted).all()
            types = types_by_hand(connection, [row.document_id for row in rows], policy)
        return tuple(
            ActiveVersion(
                document_id=row.document_id,
                version=row.version,
                tool=row.tool,
                tool_version=row.tool_version,
                created_at=row.created_at,
                classified_as=row.document_type,
                by_hand=types.get(row.document_id),
            )
            for row in rows
        )

    def highest(self, document_id: str) -> int:
        """The highest version number ever assigned to a document, or 0; for `put_version(above=…)`.

        Purged versions and documents count too: a reference to an old version never leads to another text.
        """
        return self.highest_of_many([document_id]).get(document_id, 0)

    def highest_of_many(self, document_ids: Sequence[str]) -> dict[str, int]:
        """As `highest`, for many documents by one query; documents that never had a version are left out."""
        with self._read() as connection:
            rows = connection.execute(_highest(connection.dialect.name), dialect.as_many(document_ids))
            return {row[0]: row[1] for row in rows}

    def activate(self, document_id: str, version: int, *, by: str = "system") -> None:
        """Activate a version, for example to roll back (STO-6). The other versions do not change.

        Raises:
            UsageError: the document has no such version, or its files were purged.
        """
        query = select(conversions.c.version).where(conversions.c.document_id == document_id)
        query = query.where(conversions.c.purged_at.is_(None))
        with self._write() as connection:
            known = sorted(connection.scalars(query))
            if version not in known:
                raise UsageError(
                    f"document {document_id} has no version {version}",
                    remedy=f"Its versions: {', '.join(map(str, known)) or 'none'}",
                )
            activate_in(connection, document_id, version, by=by, now=self._now())

    def activations(self, document_id: str) -> tuple[tuple[int, str], ...]:
        """Every activation of a document as (version, time), oldest first."""
        query = select(activations.c.version, activations.c.at).where(activations.c.document_id == document_id)
        with self._read() as connection:
            return tuple((row.version, row.at) for row in connection.execute(query.order_by(activations.c.seq)))

    def mark_damaged(self, document_id: str, version: int) -> bool:
        """Mark a version with missing or altered files as damaged; the first time stays.

        Returns:
            Whether it was not marked before.
        """
        here = (conversions.c.document_id == document_id) & (conversions.c.version == version)
        change = update(conversions).where(here, conversions.c.damaged_at.is_(None))
        with self._write() as connection:
            touch(connection, [document_id])
            return connection.execute(change.values(damaged_at=self._now())).rowcount == 1

    def hashes(self, document_id: str, version: int, kind: Literal["page", "chunk"]) -> tuple[str, ...]:
        """The hashes recorded when a version was committed, in order (STO-4)."""
        query = select(content_hashes.c.hash).where(
            content_hashes.c.document_id == document_id,
            content_hashes.c.version == version,
            content_hashes.c.kind == kind,
        )
        with self._read() as connection:
            return tuple(connection.scalars(query.order_by(content_hashes.c.position)))

    def active(self, document_id: str, *, as_of: str | None = None) -> int | None:
        """The version that is active, or was at a given time (STO-19).

        Args:
            document_id: the document.
            as_of: a time as the index stores it; None for now.

        Returns:
            Its number, or None if none was active.
        """
        with self._read() as connection:
            return connection.scalar(_active_at(document_id, as_of))

    def flagged_documents(self, flag: str) -> frozenset[str]:
        """Ids of the documents whose active version has a degraded flag."""
        # Flag names consist of letters and underscores, so the quotes delimit the whole name.
        query = (
            select(documents.c.document_id)
            .join(conversions, conversions.c.document_id == documents.c.document_id)
            .where(
                is_active(conversions.c.version),
                conversions.c.flags_json.contains(f'"{flag}"', autoescape=True),
            )
        )
        with self._read() as connection:
            return frozenset(connection.scalars(query))


def _active_at(document_id: str, as_of: str | None) -> Select[int]:
    query = select(activations.c.version).where(activations.c.document_id == document_id)
    if as_of is not None:
        # By the counter: a clock that went back does not move an activation before the ones that it followed.
        later = activations.alias("later")
        first_later = (
            select(func.min(later.c.seq))
            .where(later.c.document_id == document_id, later.c.at > as_of)
            .scalar_subquery()
        )
        query = query.where(or_(first_later.is_(None), activations.c.seq < first_later))
    return query.order_by(activations.c.seq.desc()).limit(1)


def _next_activation() -> Insert:
    last = (
        select(func.coalesce(func.max(activations.c.seq), 0) + 1)
        .where(activations.c.document_id == bindparam("of"))
        .scalar_subquery()
    )
    return insert(activations).values(
        document_id=bindparam("of"),
        seq=last,
        version=bindparam("to"),
        activated_by=bindparam("who"),
        at=bindparam("now"),
    )


def _point_at_version() -> Update:
    version = (conversions.c.document_id == bindparam("of")) & (conversions.c.version == bindparam("to"))
    ended = select(jobs.c.state).join_from(conversions, jobs, conversions.c.job_id == jobs.c.job_id).where(version)
    stated = select(conversions.c.title).where(version).scalar_subquery()
    return (
        update(documents)
        .where(documents.c.document_id == bindparam("of"))
        .values(
            active_conversion_version=bindparam("text"),
            ingestion_status=ended.scalar_subquery(),
            hard_fail_reason=None,
            normalized_text_hash=select(conversions.c.normalized_text_hash).where(version).scalar_subquery(),
            title=case((stated.is_(None), documents.c.title), else_=func.nullif(stated, "")),
        )
    )


# Built once: building such a statement takes longer than running it.
_NEXT_ACTIVATION = _next_activation()
_POINT_AT_VERSION = _point_at_version()


def activate_in(connection: Connection, document_id: str, version: int, *, by: str, now: str) -> None:
    """Set a document's active version and log it, inside the caller's transaction.

    The document takes the final state of the version's job, and the version's text hash and title.
    """
    touch(connection, [document_id])
    connection.execute(_NEXT_ACTIVATION, {"of": document_id, "to": version, "who": by, "now": now})
    connection.execute(_POINT_AT_VERSION, {"of": document_id, "to": version, "text": version_text(version)})


def activate_many_in(connection: Connection, active: Sequence[tuple[str, int, str]], *, now: str) -> None:
    """As `activate_in`, for many: (document id, version, actor)."""
    if active:
        touch(connection, [of for of, _, _ in active])
        rows = [{"of": of, "to": to, "who": who, "now": now} for of, to, who in active]
        dialect.execute_many(connection, _NEXT_ACTIVATION, rows)
        rows = [{"of": of, "to": to, "text": version_text(to)} for of, to, _ in active]
        dialect.execute_many(connection, _POINT_AT_VERSION, rows)


_OF_DOCUMENT = (
    select(
        # The title is asked for by activation alone.
        *(column for column in conversions.c if column is not conversions.c.title),
        documents.c.active_conversion_version,
    )
    .join_from(conversions, documents, conversions.c.document_id == documents.c.document_id)
    .where(conversions.c.document_id == bindparam("document"))
    .order_by(conversions.c.version)
)
"""The versions of a document, oldest first."""


def version_text(version: int) -> str:
    """A version in the seed's notation in `documents`: "v1" (003 §12.2)."""
    return f"v{version}"


def is_active(version: ColumnElement[int]) -> ColumnElement[bool]:
    """Whether a version in a row joined with its document is the active one."""
    return documents.c.active_conversion_version == literal("v").concat(cast(version, Text))


def version_of(text: str | None) -> int | None:
    """The number of a version in the seed's notation; None for None."""
    return int(text[1:]) if text else None


def _record(row: Row[*tuple[Any, ...]]) -> ConversionRecord:
    fields = dict(row._mapping)
    active = version_of(fields.pop("active_conversion_version"))
    flags = tuple(json.loads(fields.pop("flags_json")))
    return ConversionRecord(**fields, flags=flags, is_active=active == row.version)
