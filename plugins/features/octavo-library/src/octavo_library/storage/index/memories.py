"""Memories: statements that models and users extracted from documents, each with an anchor (ENG-5).

A memory belongs to the policy context in which it was written. Each query has a `MemoryScope`, which restricts it to the
contexts and the corpus of the asker: a memory is visible while its document is still in its context and in that corpus
(STO-5). Memories of other contexts are neither counted nor ranked.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from octavo_contracts import Span
from sqlalchemy import ColumnElement, Connection, Row, Select, and_, delete, exists, func, insert, or_, select, update

from . import dialect
from .instance_ids import PolicyContext
from .memory_records import (
    MemoryAnchor,
    MemoryEntity,
    MemoryScope,
    NewStoredMemory,
    StoredMemory,
    StoredMemoryLink,
    TermUse,
)
from .remark_policy import check_documents
from .repository import Repository
from .schema import (
    document_corpus_memberships,
    document_source_instances,
    memories,
    memory_entities,
    memory_links,
    memory_terms,
)
from .touched import touch

_M = memories.c
_TERMS = memory_terms.c
_ENTITIES = memory_entities.c
_LINKS = memory_links.c


class MemoryRepository(Repository):
    """Memories with their anchors, terms, entities and links."""

    def add(self, new: NewStoredMemory) -> None:
        """Store a memory with its terms and entities.

        Raises:
            UsageError: the document does not exist.
        """
        now = self._now()
        anchor = new.anchor
        row: dict[str, Any] = {
            "memory_id": new.memory_id,
            "document_id": anchor.document_id,
            "policy_context_json": new.policy.canonical(),
            "version": anchor.version,
            "type": new.type,
            "text": new.text,
            "language": new.language,
            "confidence": new.confidence,
            "page": anchor.page,
            "text_start": anchor.span.start,
            "text_end": anchor.span.end,
            "quote": anchor.quote,
            "quote_before": anchor.before,
            "quote_after": anchor.after,
            "source_ref": anchor.source_ref,
            "content_ref": anchor.content_ref,
            "conversion_artifact_ref": anchor.conversion_artifact_ref,
            "made_by": new.made_by,
            "created_at": now,
            "last_verified_at": now,
            "last_verification": None,
        }
        with self._write() as connection:
            check_documents(connection, anchor.document_id)
            touch(connection, [anchor.document_id])
            connection.execute(insert(memories), row)
            _insert_terms(connection, new.memory_id, anchor.document_id, new.terms)
            if new.entities:
                connection.execute(
                    insert(memory_entities),
                    [
                        {
                            "memory_id": new.memory_id,
                            "entity_id": one.entity_id,
                            "relationship": one.relationship,
                            "document_id": anchor.document_id,
                            "label": one.label,
                            "name": one.name,
                        }
                        for one in new.entities
                    ],
                )

    def remove(self, memory_id: str, *, scope: MemoryScope) -> bool:
        """Delete a memory with its links; returns whether the asker saw one."""
        with self._write() as connection:
            query = select(_M.document_id).where(_M.memory_id == memory_id, _visible(scope))
            document_id = connection.scalar(query)
            if document_id is None:
                return False
            touch(connection, [document_id])
            connection.execute(delete(memory_terms).where(_TERMS.memory_id == memory_id))
            connection.execute(delete(memory_entities).where(_ENTITIES.memory_id == memory_id))
            ends = or_(_LINKS.memory_id == memory_id, _LINKS.other_id == memory_id)
            # The record of the document at the other end has the link too, if the link was made from there.
            touch(connection, connection.scalars(select(_LINKS.document_id).where(ends)))
            connection.execute(delete(memory_links).where(ends))
            connection.execute(delete(memories).where(_M.memory_id == memory_id))
            return True

    def link(self, memory_id: str, other_id: str, *, kind: str, confidence: float, by: str, scope: MemoryScope) -> bool:
        """Link two memories; False where the asker does not see both, or they belong to different policy contexts.

        A link that exists keeps its confidence.
        """
        with self._write() as connection:
            query = select(_M.memory_id, _M.document_id, _M.policy_context_json)
            found = connection.execute(query.where(_M.memory_id.in_((memory_id, other_id)), _visible(scope)))
            ends = {row.memory_id: row for row in found}
            if len(ends) != 2 or len({row.policy_context_json for row in ends.values()}) != 1:
                return False
            touch(connection, [ends[memory_id].document_id])
            row = {
                "memory_id": memory_id,
                "other_id": other_id,
                "kind": kind,
                "document_id": ends[memory_id].document_id,
                "other_document_id": ends[other_id].document_id,
                "confidence": confidence,
                "made_by": by,
                "at": self._now(),
            }
            connection.execute(dialect.insert_if_absent(memory_links, database=connection.dialect.name), row)
            return True

    def record_verification(self, memory_id: str, result: str | None) -> None:
        """Store the result of a verification and its time."""
        change = update(memories).where(_M.memory_id == memory_id)
        with self._write() as connection:
            document_id = connection.scalar(select(_M.document_id).where(_M.memory_id == memory_id))
            if document_id is not None:
                touch(connection, [document_id])
                connection.execute(change.values(last_verification=result, last_verified_at=self._now()))

    def get_many(self, memory_ids: Iterable[str], *, scope: MemoryScope) -> dict[str, StoredMemory]:
        """The visible memories among these ids, by id."""
        with self._read() as connection:
            query = _select().where(_M.memory_id.in_(dialect.many(connection.dialect.name)), _visible(scope))
            rows = connection.execute(query, dialect.as_many(memory_ids))
            return {row.memory_id: _memory(row) for row in rows}

    def begin_with(self, prefix: str, *, scope: MemoryScope, limit: int = 2) -> tuple[str, ...]:
        """Ids of visible memories that begin with a prefix."""
        query = select(_M.memory_id).where(_M.memory_id.startswith(prefix, autoescape=True), _visible(scope))
        with self._read() as connection:
            return tuple(connection.scalars(query.order_by(_M.memory_id).limit(limit)))

    def of_document(self, document_id: str, *, scope: MemoryScope) -> tuple[StoredMemory, ...]:
        """The visible memories of a document, in the order of their anchors."""
        query = _select().where(_M.document_id == document_id, _visible(scope))
        query = query.order_by(_M.version, _M.text_start, _M.text_end, _M.created_at, _M.memory_id)
        with self._read() as connection:
            return tuple(_memory(row) for row in connection.execute(query))

    def of_context(self, document_id: str, *, policy: PolicyContext | None) -> tuple[StoredMemory, ...]:
        """The memories of a document in one policy context, oldest first; None: in all, for the library's owner."""
        query = _select().where(_M.document_id == document_id)
        if policy is not None:
            query = query.where(_M.policy_context_json == policy.canonical())
        with self._read() as connection:
            rows = connection.execute(query.order_by(_M.created_at, _M.memory_id))
            return tuple(_memory(row) for row in rows)

    def by_entity(
        self, entity_id: str, *, relationships: Collection[str] | None, scope: MemoryScope, limit: int
    ) -> tuple[tuple[StoredMemory, MemoryEntity], ...]:
        """Visible memories about an entity, the most confident first, each with its relationship."""
        here = [_ENTITIES.entity_id == entity_id, _visible(scope)]
        if relationships is not None:
            here.append(_ENTITIES.relationship.in_(relationships))
        query = _select(_ENTITIES.entity_id, _ENTITIES.label, _ENTITIES.name, _ENTITIES.relationship)
        query = query.join_from(memory_entities, memories, _ENTITIES.memory_id == _M.memory_id).where(*here)
        query = query.order_by(_M.confidence.desc(), _M.created_at, _M.memory_id, _ENTITIES.relationship)
        with self._read() as connection:
            rows = connection.execute(query.limit(limit)).all()
        return tuple((_memory(row), _entity(row)) for row in rows)

    def entities_of(self, memory_ids: Iterable[str]) -> dict[str, tuple[MemoryEntity, ...]]:
        """The entities of memories that the caller may see, by memory."""
        found: dict[str, list[MemoryEntity]] = {}
        with self._read() as connection:
            query = select(memory_entities).where(_ENTITIES.memory_id.in_(dialect.many(connection.dialect.name)))
            query = query.order_by(_ENTITIES.name, _ENTITIES.entity_id, _ENTITIES.relationship)
            for row in connection.execute(query, dialect.as_many(memory_ids)):
                found.setdefault(row.memory_id, []).append(_entity(row))
        return {memory_id: tuple(entities) for memory_id, entities in found.items()}

    def links_of(self, memory_ids: Iterable[str], *, scope: MemoryScope) -> tuple[StoredMemoryLink, ...]:
        """The links from and to memories whose both ends are visible, sorted."""
        seen = select(_M.memory_id).where(_visible(scope))
        with self._read() as connection:
            here = dialect.many(connection.dialect.name)
            query = select(*(_LINKS[name] for name in StoredMemoryLink.__dataclass_fields__)).where(
                or_(_LINKS.memory_id.in_(here), _LINKS.other_id.in_(here)),
                _LINKS.memory_id.in_(seen),
                _LINKS.other_id.in_(seen),
            )
            query = query.order_by(_LINKS.confidence.desc(), _LINKS.memory_id, _LINKS.other_id, _LINKS.kind)
            rows = connection.execute(query, dialect.as_many(memory_ids))
            return tuple(StoredMemoryLink(**row._mapping) for row in rows)

    def links_among(self, memory_ids: Iterable[str]) -> tuple[StoredMemoryLink, ...]:
        """The links between memories that the caller may see, sorted."""
        with self._read() as connection:
            here = dialect.many(connection.dialect.name)
            query = select(*(_LINKS[name] for name in StoredMemoryLink.__dataclass_fields__)).where(
                _LINKS.memory_id.in_(here), _LINKS.other_id.in_(here)
            )
            rows = connection.execute(
                query.order_by(_LINKS.memory_id, _LINKS.other_id, _LINKS.kind), dialect.as_many(memory_ids)
            )
            return tuple(StoredMemoryLink(**row._mapping) for row in rows)

    def uses_of(
        self,
        terms: Iterable[str],
        *,
        scope: MemoryScope,
        types: Collection[str] | None = None,
        least_confidence: float = 0.0,
    ) -> tuple[TermUse, ...]:
        """Which visible memories have these terms, sorted.

        Args:
            terms: stems.
            scope: whose question it is.
            types: only memories of these types; None: of all.
            least_confidence: only memories of at least this confidence.
        """
        with self._read() as connection:
            query = (
                select(_TERMS.memory_id, _TERMS.term, _TERMS.uses)
                .join_from(memory_terms, memories, _TERMS.memory_id == _M.memory_id)
                .where(_TERMS.term.in_(dialect.many(connection.dialect.name)), _visible(scope))
                .where(_M.confidence >= least_confidence)
                .order_by(_TERMS.memory_id, _TERMS.term)
            )
            if types is not None:
                query = query.where(_M.type.in_(types))
            rows = connection.execute(query, dialect.as_many(terms))
            return tuple(TermUse(memory_id=row.memory_id, term=row.term, uses=row.uses) for row in rows)

    def sharing(self, terms: Collection[str], *, least: int, scope: MemoryScope, limit: int = 50) -> tuple[str, ...]:
        """Ids of the visible memories that have at least `least` of these terms, those with most first."""
        shared = func.count()
        with self._read() as connection:
            query = (
                select(_TERMS.memory_id)
                .join_from(memory_terms, memories, _TERMS.memory_id == _M.memory_id)
                .where(_TERMS.term.in_(dialect.many(connection.dialect.name)), _visible(scope))
                .group_by(_TERMS.memory_id)
                .having(shared >= least)
                .order_by(shared.desc(), _TERMS.memory_id)
            )
            return tuple(connection.scalars(query.limit(limit), dialect.as_many(terms)))

    def terms_in(self, memory_ids: Iterable[str]) -> dict[str, frozenset[str]]:
        """The terms of memories that the caller may see, by memory."""
        found: dict[str, set[str]] = {}
        with self._read() as connection:
            query = select(_TERMS.memory_id, _TERMS.term).where(
                _TERMS.memory_id.in_(dialect.many(connection.dialect.name))
            )
            for row in connection.execute(query, dialect.as_many(memory_ids)):
                found.setdefault(row.memory_id, set()).add(row.term)
        return {memory_id: frozenset(terms) for memory_id, terms in found.items()}

    def count(self, *, scope: MemoryScope) -> int:
        """Number of visible memories."""
        with self._read() as connection:
            return connection.scalar(select(func.count()).select_from(memories).where(_visible(scope))) or 0

    def has_any(self, *, scope: MemoryScope) -> bool:
        """Whether any memory is visible."""
        with self._read() as connection:
            return bool(connection.scalar(select(exists().where(_visible(scope)))))

    def languages(self, *, scope: MemoryScope) -> tuple[str, ...]:
        """The languages of the terms of visible memories, sorted."""
        query = select(_M.language).where(_visible(scope)).distinct().order_by(_M.language)
        with self._read() as connection:
            return tuple(connection.scalars(query))

    def without_terms(self) -> tuple[tuple[str, str, str], ...]:
        """Id, text and language of the memories whose terms are not stored, as after a rebuild of the index."""
        lost = ~exists().where(_TERMS.memory_id == _M.memory_id)
        with self._read() as connection:
            rows = connection.execute(select(_M.memory_id, _M.text, _M.language).where(lost).order_by(_M.memory_id))
            return tuple((row.memory_id, row.text, row.language) for row in rows)

    def store_terms(self, terms: Mapping[str, Mapping[str, int]]) -> None:
        """Store the terms of memories that have none.

        Args:
            terms: memory → stem → uses.
        """
        with self._write() as connection:
            query = select(_M.memory_id, _M.document_id).where(
                _M.memory_id.in_(dialect.many(connection.dialect.name)),
                ~exists().where(_TERMS.memory_id == _M.memory_id),
            )
            for row in connection.execute(query, dialect.as_many(terms)).all():
                _insert_terms(connection, row.memory_id, row.document_id, terms[row.memory_id])


def _visible(scope: MemoryScope) -> ColumnElement[bool]:
    """The condition for the memories that an asker may see."""
    contexts = [policy.canonical() for policy in scope.policies]
    instance = document_source_instances.c
    still_there = exists().where(
        instance.document_id == _M.document_id, instance.policy_context_json == _M.policy_context_json
    )
    seen = and_(_M.policy_context_json.in_(contexts), still_there)
    if scope.corpus_id is None:
        return seen
    member = document_corpus_memberships.c
    return and_(seen, exists().where(member.document_id == _M.document_id, member.corpus_id == scope.corpus_id))


def _insert_terms(connection: Connection, memory_id: str, document_id: str, terms: Mapping[str, int]) -> None:
    rows = [
        {"term": term, "memory_id": memory_id, "document_id": document_id, "uses": uses}
        for term, uses in sorted(terms.items())
    ]
    if rows:
        connection.execute(insert(memory_terms), rows)


_SKIPPED = frozenset({"language"})
_COLUMNS: Sequence[ColumnElement[Any]] = tuple(column for column in memories.c if column.name not in _SKIPPED)
_OF_ANCHOR = ("document_id", "version", "page", "quote", "source_ref", "content_ref", "conversion_artifact_ref")


def _select(*more: ColumnElement[Any]) -> Select[Any]:
    return select(*_COLUMNS, *more)


def _memory(row: Row[*tuple[Any, ...]]) -> StoredMemory:
    fields = row._mapping
    anchor = MemoryAnchor(
        **{name: fields[name] for name in _OF_ANCHOR},
        span=Span(start=fields["text_start"], end=fields["text_end"]),
        before=fields["quote_before"],
        after=fields["quote_after"],
    )
    own = {name: fields[name] for name in StoredMemory.__dataclass_fields__ if name != "anchor"}
    return StoredMemory(**own, anchor=anchor)


def _entity(row: Row[*tuple[Any, ...]]) -> MemoryEntity:
    fields = row._mapping
    return MemoryEntity(**{name: fields[name] for name in MemoryEntity.__dataclass_fields__})
