"""Corpora, and user overrides for a corpus or a document."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping
from typing import Any

from octavo_contracts import UsageError
from octavo_sandbox.egress.policy import CloudRequest
from sqlalchemy import ColumnElement, Connection, Row, bindparam, delete, insert, or_, select, update

from . import dialect, direct_read
from .corpus_policy import change_policy
from .disclosure import profiles_of
from .instance_ids import PolicyContext
from .records import CorpusRecord
from .repository import Repository
from .schema import corpora, document_corpus_memberships, documents
from .schema import overrides as overrides_table
from .touched import LIBRARY, touch


class CorpusRepository(Repository):
    """Corpora and overrides."""

    def create(
        self,
        name: str,
        *,
        profile: str | None = None,
        visibility: str = "ambient",
        sensitivity: str = "normal",
        overrides: Mapping[str, Any] | None = None,
        chunking_config_version: str | None = None,
    ) -> CorpusRecord:
        """Create a corpus.

        Args:
            name: the name that users give; unique in the library.
            profile: the routing profile of its documents.
            visibility: visibility in the policy context of its documents.
            sensitivity: sensitivity in that policy context.
            overrides: settings that differ for the corpus, as JSON values.
            chunking_config_version: the chunk sets that it uses (STO-7).

        Raises:
            UsageError: the name is empty or taken.
        """
        if not name.strip():
            raise UsageError("a corpus needs a name")
        row = {
            "corpus_id": uuid.uuid4().hex,
            "name": name,
            "profile": profile,
            "visibility": visibility,
            "sensitivity": sensitivity,
            "overrides_json": json.dumps(dict(overrides or {}), ensure_ascii=False),
            "chunking_config_version": chunking_config_version,
            "created_at": self._now(),
        }
        with self._write() as connection:
            touch(connection, [LIBRARY])
            made = connection.execute(dialect.insert_if_absent(corpora, database=connection.dialect.name), row)
            if made.rowcount != 1:
                raise UsageError(f"corpus {name!r} already exists", remedy="Use it, or choose another name")
            return corpus_of(connection.execute(_select(corpora.c.corpus_id == row["corpus_id"])).one())

    def get(self, name_or_id: str) -> CorpusRecord:
        """A corpus by its name or its id.

        Raises:
            UsageError: there is no such corpus.
        """
        with self._read() as connection:
            rows = direct_read.rows(connection, _CALLED, {"called": name_or_id})
        # If a name equals another corpus's id, the name wins: users give names.
        for row in sorted(rows, key=lambda row: row.name != name_or_id):
            return corpus_of(row)
        # The message does not list the names: a user of one corpus must not learn of the others (STO-5).
        raise UsageError(
            f"there is no corpus {name_or_id!r}", remedy="The library's owner lists them: octavo corpus list"
        )

    def all(self) -> tuple[CorpusRecord, ...]:
        """Every corpus, by name."""
        with self._read() as connection:
            return tuple(corpus_of(row) for row in direct_read.rows(connection, _ALL))

    def names(self) -> tuple[str, ...]:
        """The name of every corpus, sorted."""
        with self._read() as connection:
            return tuple(direct_read.first_column(connection, _NAMES))

    def update(
        self,
        corpus_id: str,
        *,
        policy: PolicyContext,
        profile: str | None,
        chunking_config_version: str | None,
        overrides: Mapping[str, Any],
        plugin: str | None,
    ) -> None:
        """Replace all settings of a corpus; the source instances of its documents take on its policy context.

        Args:
            corpus_id: the corpus.
            policy: its visibility and sensitivity.
            profile: as `create`.
            chunking_config_version: as `create`.
            overrides: as `create`; None removes a setting, settings that are not named stay.
            plugin: the plugin that converts its documents, or None.

        Raises:
            UsageError: there is no such corpus.
        """
        here = corpora.c.corpus_id == corpus_id
        with self._write() as connection:
            row = connection.execute(select(corpora).where(here)).one_or_none()
            if row is None:
                raise UsageError(f"there is no corpus with the id {corpus_id!r}")
            touch(connection, [LIBRARY])
            kept = {key: value for key, value in json.loads(row.overrides_json).items() if key not in overrides}
            kept |= {key: value for key, value in overrides.items() if value is not None}
            connection.execute(
                update(corpora)
                .where(here)
                .values(
                    profile=profile,
                    visibility=policy.visibility,
                    sensitivity=policy.sensitivity,
                    chunking_config_version=chunking_config_version,
                    overrides_json=json.dumps(kept, ensure_ascii=False),
                )
            )
            replace_override(connection, plugin, document_id=None, corpus_id=corpus_id, by="user", now=self._now())
            if (row.visibility, row.sensitivity) != (policy.visibility, policy.sensitivity):
                change_policy(connection, corpus_id, policy)

    def policies(self) -> dict[str, str]:
        """Corpus id → visibility and sensitivity, in two lines."""
        query = select(corpora.c.corpus_id, corpora.c.visibility, corpora.c.sensitivity)
        with self._read() as connection:
            return {row[0]: f"{row[1]}\n{row[2]}" for row in connection.execute(query)}

    def profiles_of(self, policy: PolicyContext) -> frozenset[str]:
        """The profiles of the corpora with a policy context: document types that they register are visible there."""
        with self._read() as connection:
            return profiles_of(connection, policy)

    def set_setting(self, corpus_id: str, name: str, value: Any) -> None:
        """Set one setting in the `overrides` of a corpus; None removes it.

        Raises:
            UsageError: there is no such corpus.
        """
        with self._write() as connection:
            text = connection.scalar(select(corpora.c.overrides_json).where(corpora.c.corpus_id == corpus_id))
            if text is None:
                raise UsageError(f"there is no corpus with the id {corpus_id!r}")
            touch(connection, [LIBRARY])
            settings = {key: kept for key, kept in json.loads(text).items() if key != name}
            if value is not None:
                settings[name] = value
            change = update(corpora).where(corpora.c.corpus_id == corpus_id)
            connection.execute(change.values(overrides_json=json.dumps(settings, ensure_ascii=False)))

    def of_document(self, document_id: str) -> tuple[CorpusRecord, ...]:
        """The corpora of a document."""
        member = document_corpus_memberships
        query = select(corpora).join(member, member.c.corpus_id == corpora.c.corpus_id)
        with self._read() as connection:
            rows = connection.execute(query.where(member.c.document_id == document_id)).all()
        return tuple(map(corpus_of, rows))

    def cloud_requests(self, document_id: str) -> tuple[CloudRequest, ...]:
        """The cloud service requests of a document, one for each of its corpora (CNV-15).

        Empty for a document without a corpus, so that it stays on this machine.
        """
        return tuple(corpus.cloud_request for corpus in self.of_document(document_id))

    def set_override(
        self, plugin: str | None, *, document_id: str | None = None, corpus_id: str | None = None, by: str
    ) -> None:
        """Set the plugin that converts a document or the documents of a corpus; None removes the override (CNV-1).

        Raises:
            UsageError: the document or corpus does not exist.
            ValueError: not exactly one of the two is given.
        """
        _scope(document_id=document_id, corpus_id=corpus_id)
        with self._write() as connection:
            target = corpora.c.corpus_id == corpus_id if document_id is None else documents.c.document_id == document_id
            if connection.execute(select(target).where(target)).first() is None:
                raise UsageError(f"there is no document or corpus {document_id or corpus_id!r} in this library")
            now = self._now()
            replace_override(connection, plugin, document_id=document_id, corpus_id=corpus_id, by=by, now=now)

    def get_override(self, *, document_id: str | None = None, corpus_id: str | None = None) -> str | None:
        """The plugin that a user set for a document or a corpus, or None.

        Raises:
            ValueError: not exactly one of the two is given.
        """
        query = select(overrides_table.c.plugin).where(_scope(document_id=document_id, corpus_id=corpus_id))
        with self._read() as connection:
            return connection.scalar(query)


def replace_override(
    connection: Connection, plugin: str | None, *, document_id: str | None, corpus_id: str | None, by: str, now: str
) -> None:
    """As `CorpusRepository.set_override`, inside the caller's transaction, for an existing document or corpus."""
    touch(connection, [document_id or LIBRARY])
    connection.execute(delete(overrides_table).where(_scope(document_id=document_id, corpus_id=corpus_id)))
    if plugin is not None:
        row = {"document_id": document_id, "corpus_id": corpus_id, "plugin": plugin, "set_by": by, "at": now}
        connection.execute(insert(overrides_table).values(**row))


def _scope(*, document_id: str | None, corpus_id: str | None) -> ColumnElement[bool]:
    if (document_id is None) == (corpus_id is None):
        raise ValueError("an override is for a document or for a corpus: give either document_id or corpus_id")
    return (
        overrides_table.c.corpus_id == corpus_id
        if document_id is None
        else overrides_table.c.document_id == document_id
    )


def _select(where: ColumnElement[bool]) -> Any:
    return select(corpora).where(where)


_CALLED = _select(or_(corpora.c.name == bindparam("called"), corpora.c.corpus_id == bindparam("called")))
"""The corpora of a name or an id."""
_NAMES = select(corpora.c.name).order_by(corpora.c.name)
_ALL = select(corpora).order_by(corpora.c.name)


def corpus_of(row: Row[*tuple[Any, ...]]) -> CorpusRecord:
    """A row of `corpora`."""
    return CorpusRecord(
        corpus_id=row.corpus_id,
        name=row.name,
        profile=row.profile,
        policy=PolicyContext(visibility=row.visibility, sensitivity=row.sensitivity, scope_basis="corpus"),
        overrides=json.loads(row.overrides_json),
        chunking_config_version=row.chunking_config_version,
        created_at=row.created_at,
    )
