"""Metadata that callers declare for documents, and the disputes about it (ENG-21)."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Final, Literal, get_args

from octavo_contracts import UsageError
from sqlalchemy import Connection, Select, bindparam, delete, insert, select

from . import dialect, direct_read, provenance
from .declared_titles import declared_titles
from .instance_ids import PolicyContext
from .records import LocationType, Provenance
from .remark_policy import check_documents, context_of, visible_to
from .repository import Repository
from .schema import document_metadata, metadata_disputes
from .touched import touch

ComparedField = Literal["title", "date", "source"]
"""A field of declared metadata that the rule on duplicates may compare."""

MetadataDecision = Literal["ask", "keep", "replace"]
"""What to do if known bytes are declared with other metadata: pause, keep the known metadata, or replace it."""

COMPARED: Final[tuple[ComparedField, ...]] = get_args(ComparedField)


@dataclass(frozen=True, kw_only=True, slots=True)
class DeclaredMetadata:
    """What a caller declares of a document at its ingestion; None: nothing is declared.

    Attributes:
        title: its title.
        date: its date, ISO 8601.
        source: where it is from, for example a docket, a sender or a publisher.
        further: further metadata, name → value.
    """

    title: str | None = None
    date: str | None = None
    source: str | None = None
    further: Mapping[str, str] = field(default_factory=dict)

    def __bool__(self) -> bool:
        """Whether anything is declared."""
        return any(getattr(self, one) is not None for one in COMPARED) or bool(self.further)

    @classmethod
    def read(cls, stored: object) -> DeclaredMetadata | None:
        """Metadata of the JSON that `to_json` writes; None without any."""
        return cls(**json.loads(stored)) if isinstance(stored, str) else None

    def to_json(self) -> str:
        """The metadata as a JSON object."""
        return json.dumps(asdict(self), ensure_ascii=False)

    def differs_in(self, other: DeclaredMetadata, compared: Sequence[ComparedField]) -> tuple[ComparedField, ...]:
        """The fields that both declare with different values; case and white space do not count."""
        return tuple(
            name
            for name in compared
            if (mine := getattr(self, name)) is not None
            and (theirs := getattr(other, name)) is not None
            and _normal(mine) != _normal(theirs)
        )

    def over(self, other: DeclaredMetadata) -> DeclaredMetadata:
        """This metadata, completed by what only the other one declares."""
        absent = {name: getattr(other, name) for name in COMPARED if getattr(self, name) is None}
        return replace(self, **absent, further={**other.further, **self.further})


@dataclass(frozen=True, kw_only=True, slots=True)
class Declaration:
    """The declared metadata of a document, by whom it was declared, and when, ISO 8601, UTC."""

    metadata: DeclaredMetadata
    declared_by: str
    at: str


@dataclass(frozen=True, kw_only=True, slots=True)
class MetadataDispute:
    """A paused ingestion: the bytes are known, and were declared with other metadata.

    Attributes:
        id: its id.
        metadata: what the ingestion declared.
        path: where the bytes were, as a reference; None: they were passed in.
        surface: how they would have entered.
        declared_by: the user.
        at: when, ISO 8601, UTC.
    """

    id: str
    metadata: DeclaredMetadata
    path: str | None
    surface: str
    declared_by: str
    at: str


class DeclarationRepository(Repository):
    """Declared metadata of documents, and disputes about it.

    `policy` is always the policy context of the user; None: the library's owner.
    """

    def get(self, document_id: str, *, policy: PolicyContext | None = None) -> Declaration | None:
        """What is declared of a document; for the owner, the newest declaration of any context."""
        with self._read() as connection:
            row = next(iter(direct_read.rows(connection, _declared(policy), {"document": document_id})), None)
        if row is None:
            return None
        return Declaration(metadata=_metadata_of(row), declared_by=row.declared_by, at=row.at)

    def titles(
        self, document_ids: Sequence[str], *, policy: PolicyContext | None = None, is_open: bool = False
    ) -> dict[str, str]:
        """Document id → the title that is declared of it; see `declared_titles`."""
        with self._read() as connection:
            return declared_titles(connection, document_ids, policy, is_open=is_open)

    def set(
        self, document_id: str, metadata: DeclaredMetadata, *, by: str, policy: PolicyContext | None = None
    ) -> None:
        """Declare metadata of a document; what was declared in the same context is replaced. Empty: it is removed.

        Raises:
            UsageError: the document does not exist.
        """
        with self._write() as connection:
            check_documents(connection, document_id)
            context = context_of(connection, document_id, policy)
            _replace(connection, document_id, context, metadata, by=by, now=self._now())

    def complete(self, document_id: str, metadata: DeclaredMetadata, *, by: str, policy: PolicyContext) -> None:
        """Declare what is not declared yet in a policy context; existing values stay."""
        with self._write() as connection:
            complete_in(connection, {document_id: (metadata, policy)}, by=by, now=self._now())

    def dispute(self, document_id: str, metadata: DeclaredMetadata, sighting: Provenance, *, by: str) -> str:
        """Record a paused ingestion of a known document; returns the id of the dispute.

        An equal dispute from the same place is replaced, so that a repeated ingestion does not add another one.
        """
        table = metadata_disputes
        row: dict[str, Any] = {
            "dispute_id": uuid.uuid4().hex,
            "document_id": document_id,
            "policy_context_json": sighting.policy.canonical(),
            **_columns(metadata),
            "path": sighting.path,
            "location_type": sighting.location_type,
            "surface": sighting.surface,
            "corpus_id": sighting.corpus_id,
            "declared_by": by,
        }
        own = [table.c[name] == value for name, value in row.items() if name not in ("dispute_id", "declared_by")]
        with self._write() as connection:
            touch(connection, [document_id])
            connection.execute(delete(table).where(*own))
            connection.execute(insert(table), row | {"at": self._now()})
        return str(row["dispute_id"])

    def drop_disputes(self, document_id: str, sighting: Provenance) -> None:
        """Remove the disputes of paused ingestions from the same place, whose user has decided since."""
        table = metadata_disputes
        same: dict[str, str | None] = {"policy_context_json": sighting.policy.canonical(), "surface": sighting.surface}
        same |= {"path": sighting.path, "corpus_id": sighting.corpus_id}
        with self._write() as connection:
            own = [table.c[name] == value for name, value in same.items()]
            gone = delete(table).where(table.c.document_id == document_id, *own)
            if connection.execute(gone).rowcount:
                touch(connection, [document_id])

    def disputes(self, document_id: str, *, policy: PolicyContext | None = None) -> tuple[MetadataDispute, ...]:
        """The open disputes of a document, oldest first."""
        with self._read() as connection:
            rows = direct_read.rows(connection, _disputes(policy), {"document": document_id})
        return tuple(
            MetadataDispute(
                id=row.dispute_id,
                metadata=_metadata_of(row),
                path=row.path,
                surface=row.surface,
                declared_by=row.declared_by,
                at=row.at,
            )
            for row in rows
        )

    def resolve(
        self, document_id: str, dispute_id: str, *, take_new: bool, by: str, policy: PolicyContext | None = None
    ) -> None:
        """End a dispute: record the paused ingestion, with the declared metadata kept or replaced.

        Args:
            document_id: the document.
            dispute_id: the dispute.
            take_new: whether the metadata of the paused ingestion replaces the declared one.
            by: the user.
            policy: the policy context of the user.

        Raises:
            UsageError: there is no such dispute.
        """
        table = metadata_disputes
        here = (table.c.dispute_id == dispute_id) & (table.c.document_id == document_id)
        with self._write() as connection:
            row = connection.execute(select(table).where(here, visible_to(policy, table))).first()
            if row is None:
                raise UsageError(
                    f"document {document_id} has no paused ingestion {dispute_id!r}",
                    remedy="See them with `octavo metadata DOC`",
                )
            now = self._now()
            context = _context(row.policy_context_json)
            sighting = Provenance(
                path=row.path,
                location_type=LocationType(row.location_type),
                surface=row.surface,
                corpus_id=row.corpus_id,
                policy=context,
                added_by=by,
            )
            touch(connection, [document_id])
            provenance.record(
                connection, [provenance.Seen(document_id=document_id, sighting=sighting, outcome="reused")], now=now
            )
            if take_new:
                _replace(connection, document_id, row.policy_context_json, _metadata_of(row), by=by, now=now)
            connection.execute(delete(table).where(here))


def complete_in(
    connection: Connection,
    declared: Mapping[str, tuple[DeclaredMetadata, PolicyContext]],
    *,
    by: str,
    now: str,
) -> None:
    """Declare what is not declared yet, inside the caller's transaction.

    Args:
        connection: in a transaction that writes.
        declared: document id → its metadata and the policy context of the declaration.
        by: who declares it.
        now: the time.
    """
    table = document_metadata
    for document_id, (metadata, policy) in declared.items():
        context = policy.canonical()
        here = (table.c.document_id == document_id) & (table.c.policy_context_json == context)
        row = connection.execute(select(table).where(here)).first()
        stored = _metadata_of(row) if row is not None else DeclaredMetadata()
        if (completed := stored.over(metadata)) != stored:
            _replace(connection, document_id, context, completed, by=by, now=now)


def _replace(
    connection: Connection, document_id: str, context: str, metadata: DeclaredMetadata, *, by: str, now: str
) -> None:
    table = document_metadata
    touch(connection, [document_id])
    here = (table.c.document_id == document_id) & (table.c.policy_context_json == context)
    connection.execute(delete(table).where(here))
    if metadata:
        row = {"document_id": document_id, "policy_context_json": context, "declared_by": by, "at": now}
        connection.execute(insert(table), row | _columns(metadata))


def _columns(metadata: DeclaredMetadata) -> dict[str, Any]:
    declared = {name: getattr(metadata, name) for name in COMPARED}
    return declared | {"further_json": json.dumps(dict(metadata.further), ensure_ascii=False, sort_keys=True)}


def _metadata_of(row: Any) -> DeclaredMetadata:
    return DeclaredMetadata(title=row.title, date=row.date, source=row.source, further=json.loads(row.further_json))


def _context(canonical: str) -> PolicyContext:
    stored = json.loads(canonical)
    return PolicyContext(
        visibility=stored["visibility"],
        sensitivity=stored["sensitivity"],
        scope_basis=stored["scope_inference_basis"],
    )


def _normal(text: str) -> str:
    return " ".join(text.casefold().split())


@dialect.prepared
def _declared(policy: PolicyContext | None) -> Select[Any]:
    table = document_metadata
    query = select(table).where(table.c.document_id == bindparam("document"), visible_to(policy, table))
    return query.order_by(table.c.at.desc())


@dialect.prepared
def _disputes(policy: PolicyContext | None) -> Select[Any]:
    table = metadata_disputes
    query = select(table).where(table.c.document_id == bindparam("document"), visible_to(policy, table))
    return query.order_by(table.c.at, table.c.dispute_id)
