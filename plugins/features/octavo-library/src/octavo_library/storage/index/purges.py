"""Purges: one transaction logs what is removed and deletes the rows, then the files are removed (STO-12, ENG-29).

Once a purge is logged, no row references what it removes, so that a reader never finds a row without its files. A crash
leaves files that only the log references: the next opening of the library removes them and completes the purge.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from octavo_contracts import UsageError
from sqlalchemy import Connection, Row, delete, exists, func, insert, select, update

from . import dialect
from .comparisons import forget_compared
from .document_tables import TABLES, rows_of
from .entities import forget_entities
from .instance_ids import document_id_for
from .links import linked_with
from .name_search import erase_deleted_names
from .records import Job
from .repository import Repository
from .research import forget_research
from .schema import (
    content_hashes,
    conversions,
    document_corpus_memberships,
    document_ocr_pages,
    documents,
    jobs,
    purges,
    transitions,
)
from .touched import LIBRARY, touch

PurgeKind = Literal["document", "version", "ocr"]


@dataclass(frozen=True, kw_only=True, slots=True)
class PurgeRecord:
    """An entry of the purge log: that something was removed, never its content.

    Attributes:
        purge_id: its id.
        kind: `document`, `version`, or `ocr` for the shared OCR results of a page.
        document_id: the document, or None for a page.
        version: the version, or None.
        subject: the hash whose files are removed; None once they are removed.
        highest_version: the highest version number that the document ever had.
        bytes: size of the files.
        purged_by: the user who asked for it.
        at: when it was decided.
        done_at: when the files had been removed, or None.
    """

    purge_id: str
    kind: PurgeKind
    document_id: str | None
    version: int | None
    subject: str | None
    highest_version: int
    bytes: int
    purged_by: str
    at: str
    done_at: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class OldVersion:
    """A version that may be purged.

    Attributes:
        document_id: the document.
        raw_hash: SHA-256 of its bytes.
        version: the number.
        bytes: size of its files.
    """

    document_id: str
    raw_hash: str
    version: int
    bytes: int


class PurgeRepository(Repository):
    """The purge log, and the deletion of purged rows."""

    def rows_of(self, document_id: str) -> dict[str, int]:
        """Number of rows that a purge of the document would delete, by table; tables without any are left out."""
        with self._read() as connection:
            counts = {
                table.name: connection.scalar(
                    select(func.count()).select_from(table).where(rows_of(table, document_id))
                )
                for table in TABLES
            }
        return {name: count for name, count in counts.items() if count}

    def own_ocr_pages(self, document_id: str) -> tuple[str, ...]:
        """Sorted fingerprints of the recognised pages that only this document has."""
        table = document_ocr_pages
        query = (
            select(table.c.page_fingerprint)
            .group_by(table.c.page_fingerprint)
            .having(func.min(table.c.document_id) == document_id, func.max(table.c.document_id) == document_id)
        )
        with self._read() as connection:
            return tuple(connection.scalars(query.order_by(table.c.page_fingerprint)))

    def documents_since(self, at: str | None) -> dict[str, str]:
        """Purges of documents and of their versions since a time, or ever: id of the purge → id of the document."""
        query = select(purges.c.purge_id, purges.c.document_id).where(purges.c.document_id.is_not(None))
        if at is not None:
            query = query.where(purges.c.at >= at)
        with self._read() as connection:
            return {row[0]: row[1] for row in connection.execute(query)}

    def record_ocr_pages(self, document_id: str, fingerprints: Iterable[str]) -> None:
        """Record that pages of a document were recognised: only recorded pages can be purged later.

        Raises:
            UsageError: the document does not exist or was purged.
        """
        with self._write() as connection:
            if not connection.scalar(select(exists().where(documents.c.document_id == document_id))):
                raise UsageError(f"there is no document {document_id}")
            if pages := [(document_id, page) for page in fingerprints]:
                note_ocr_pages(connection, pages)

    def claimed_ocr_pages(self) -> frozenset[str]:
        """Fingerprints of all recognised pages that belong to a document."""
        with self._read() as connection:
            return frozenset(connection.scalars(select(document_ocr_pages.c.page_fingerprint).distinct()))

    def ocr_pages_in_no_corpus(self) -> tuple[str, ...]:
        """Sorted fingerprints of the recognised pages whose documents are all in no corpus (ENG-29)."""
        table, member = document_ocr_pages, document_corpus_memberships
        used = select(table.c.page_fingerprint).join_from(table, member, table.c.document_id == member.c.document_id)
        query = select(table.c.page_fingerprint).distinct().where(table.c.page_fingerprint.not_in(used))
        with self._read() as connection:
            return tuple(connection.scalars(query.order_by(table.c.page_fingerprint)))

    def begin_document(
        self,
        document_id: str,
        *,
        size: int,
        stored: int,
        ocr_pages: Mapping[str, int],
        held_by: Sequence[Job],
        by: str,
    ) -> tuple[PurgeRecord, ...]:
        """Delete every row of a document and log that its files are to be removed, in one transaction.

        Args:
            document_id: the document.
            size: bytes of its files.
            stored: the highest version number whose files are stored, with a row or without.
            ocr_pages: fingerprint → bytes of the recognised pages to remove with it.
            held_by: the jobs with which the caller holds the document; `finish` deletes them.
            by: the user who asked for it.

        Returns:
            The purges to carry out, the document first.

        Raises:
            UsageError: the document does not exist, or another process has taken the jobs over.
        """
        keep_jobs = [job.job_id for job in held_by]
        with self._write() as connection:
            _check_held(connection, held_by)
            raw_hash = connection.scalar(select(documents.c.content_hash).where(documents.c.document_id == document_id))
            if raw_hash is None:
                raise UsageError(f"there is no document {document_id!r} in this library")
            touch(connection, [LIBRARY, document_id, *linked_with(connection, document_id)])
            _overwrite_what_is_deleted(connection)
            highest = connection.scalar(
                select(func.max(conversions.c.version)).where(conversions.c.document_id == document_id)
            )
            highest = max(highest or 0, stored)
            whole = _Note(
                kind="document", document_id=document_id, subject=raw_hash, highest_version=highest, size=size
            )
            pages = [_Note(kind="ocr", subject=page, size=count) for page, count in ocr_pages.items()]
            forget_entities(connection, document_id)
            forget_compared(connection, document_id)
            for table in TABLES:
                connection.execute(delete(table).where(rows_of(table, document_id)))
            gone = select(jobs.c.job_id).where(jobs.c.raw_hash == raw_hash, jobs.c.job_id.not_in(keep_jobs))
            connection.execute(delete(transitions).where(transitions.c.job_id.in_(gone)))
            connection.execute(delete(jobs).where(jobs.c.raw_hash == raw_hash, jobs.c.job_id.not_in(keep_jobs)))
            connection.execute(update(jobs).where(jobs.c.raw_hash == raw_hash).values(document_id=None))
            connection.execute(delete(documents).where(documents.c.document_id == document_id))
            forget_research(connection, document_id)
            now = self._now()  # after all waiting for locks: other machines ask what was purged since a time
            return tuple(_note(connection, note, by=by, now=now) for note in (whole, *pages))

    def begin_unnamed(self, raw_hash: str, version: int, *, held_by: Sequence[Job]) -> PurgeRecord | None:
        """Log that a stored version without a row is to be removed: its number is not used again.

        Args:
            raw_hash: SHA-256 of the document's bytes.
            version: the number.
            held_by: the jobs with which the caller holds the document; `finish` deletes them.

        Returns:
            The purge to carry out; None if the version has a row.

        Raises:
            UsageError: another process has taken the jobs over.
        """
        document_id = document_id_for(raw_hash)
        here = (conversions.c.document_id == document_id) & (conversions.c.version == version)
        with self._write() as connection:
            _check_held(connection, held_by)
            if connection.scalar(select(exists().where(here))):
                return None
            touch(connection, [LIBRARY])
            old = OldVersion(document_id=document_id, raw_hash=raw_hash, version=version, bytes=0)
            return _note(connection, _Note.of_version(old), by="system", now=self._now())

    def generation(self, document_id: str) -> int:
        """How often a document was purged; see `layout.original_file`."""
        query = select(func.count()).where(purges.c.document_id == document_id, purges.c.kind == "document")
        with self._read() as connection:
            return connection.scalar(query) or 0

    def begin_version(
        self, versions: Sequence[OldVersion], *, ocr_pages: Mapping[str, int], by: str
    ) -> tuple[PurgeRecord, ...]:
        """Purge versions and recognised pages: log them and mark the versions as purged, in one transaction.

        Returns:
            The purges to carry out. A version is skipped if it is active by now, already purged, or its document is
            gone; a page is skipped if one of its documents has joined a corpus since.
        """
        noted = []
        still_free = set(self.ocr_pages_in_no_corpus()) if ocr_pages else set()
        with self._write() as connection:
            now = self._now()
            touch(connection, [LIBRARY, *(old.document_id for old in versions)])
            for old in versions:
                if _give_up(connection, old, now=now):
                    noted.append(_note(connection, _Note.of_version(old), by=by, now=now))
            for page, size in ocr_pages.items():
                if page in still_free:
                    connection.execute(delete(document_ocr_pages).where(document_ocr_pages.c.page_fingerprint == page))
                    noted.append(_note(connection, _Note(kind="ocr", subject=page, size=size), by=by, now=now))
        return tuple(noted)

    def finish(self, purge_ids: Sequence[str], *, drop_jobs: Sequence[str] = ()) -> None:
        """Mark purges as done: clear the hashes in the log, and delete the jobs that locked the document."""
        with self._write() as connection:
            touch(connection, [LIBRARY])
            here = purges.c.purge_id.in_(purge_ids)
            if connection.scalar(select(exists().where(here, purges.c.kind == "document"))):
                _overwrite_what_is_deleted(connection)
                erase_deleted_names(connection)
            connection.execute(update(purges).where(here).values(done_at=self._now(), subject=None))
            self._drop(connection, drop_jobs)
        # The deleted rows still stand in the write-ahead log of SQLite, which a process that stays open may never shorten.
        dialect.empty_log(self.url)

    def drop_jobs(self, job_ids: Sequence[str]) -> None:
        """Delete jobs that only locked a document and did nothing."""
        with self._write() as connection:
            self._drop(connection, job_ids)

    @staticmethod
    def _drop(connection: Connection, job_ids: Sequence[str]) -> None:
        connection.execute(delete(transitions).where(transitions.c.job_id.in_(job_ids)))
        connection.execute(delete(jobs).where(jobs.c.job_id.in_(job_ids)))

    def pending(self) -> tuple[PurgeRecord, ...]:
        """The purges whose files are not yet removed, oldest first."""
        return self._purge_log(pending=True)

    def log(self) -> tuple[PurgeRecord, ...]:
        """Every purge, oldest first."""
        return self._purge_log(pending=False)

    def _purge_log(self, *, pending: bool) -> tuple[PurgeRecord, ...]:
        query = select(purges).order_by(purges.c.at, purges.c.purge_id)
        if pending:
            query = query.where(purges.c.done_at.is_(None))
        with self._read() as connection:
            return tuple(_record(row) for row in connection.execute(query))


def _check_held(connection: Connection, held_by: Sequence[Job]) -> None:
    """Check that the caller still has the jobs with which it holds a document: a suspended process may have lost them.

    Raises:
        UsageError: another process has taken them over.
    """
    query = select(jobs.c.job_id, jobs.c.owner).where(jobs.c.job_id.in_([job.job_id for job in held_by]))
    owners = {row[0]: row[1] for row in connection.execute(query.with_for_update())}
    if any(owners.get(job.job_id) != job.owner for job in held_by):
        raise UsageError(
            "another process took the document over before anything was removed",
            remedy="Run the command again",
        )


def _overwrite_what_is_deleted(connection: Connection) -> None:
    # SQLite otherwise keeps deleted rows in free pages of its file, where titles and paths could still be read.
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql("PRAGMA secure_delete = ON").close()


def note_ocr_pages(connection: Connection, pages: Iterable[tuple[str, str]]) -> None:
    """Record recognised pages of existing documents inside the caller's transaction.

    Args:
        connection: in a transaction that writes.
        pages: document id and fingerprint pairs; at least one.
    """
    rows = [{"document_id": document_id, "page_fingerprint": page} for document_id, page in dict.fromkeys(pages)]
    touch(connection, [row["document_id"] for row in rows])
    statement = dialect.insert_if_absent(document_ocr_pages, database=connection.dialect.name)
    dialect.execute_many(connection, statement, rows)


def _give_up(connection: Connection, old: OldVersion, *, now: str) -> bool:
    active = (
        select(documents.c.active_conversion_version)
        .where(documents.c.document_id == old.document_id)
        .scalar_subquery()
    )
    here = (conversions.c.document_id == old.document_id) & (conversions.c.version == old.version)
    change = update(conversions).where(here, conversions.c.purged_at.is_(None))
    change = change.where(active.is_distinct_from(f"v{old.version}")).values(purged_at=now, title=None)
    if connection.execute(change).rowcount != 1:
        return False
    hashes = (content_hashes.c.document_id == old.document_id) & (content_hashes.c.version == old.version)
    connection.execute(delete(content_hashes).where(hashes))
    forget_entities(connection, old.document_id, version=old.version)
    return True


@dataclass(frozen=True, kw_only=True, slots=True)
class _Note:
    """The subject of a log entry; see `PurgeRecord`."""

    kind: PurgeKind
    subject: str
    size: int
    document_id: str | None = None
    version: int | None = None
    highest_version: int = 0

    @classmethod
    def of_version(cls, old: OldVersion) -> _Note:
        return cls(
            kind="version",
            subject=old.raw_hash,
            size=old.bytes,
            document_id=old.document_id,
            version=old.version,
            highest_version=old.version,
        )


def _note(connection: Connection, note: _Note, *, by: str, now: str) -> PurgeRecord:
    record = PurgeRecord(
        purge_id=uuid.uuid4().hex,
        kind=note.kind,
        document_id=note.document_id,
        version=note.version,
        subject=note.subject,
        highest_version=note.highest_version,
        bytes=note.size,
        purged_by=by,
        at=now,
        done_at=None,
    )
    connection.execute(insert(purges), {name: getattr(record, name) for name in PurgeRecord.__dataclass_fields__})
    return record


def _record(row: Row[*tuple[Any, ...]]) -> PurgeRecord:
    return PurgeRecord(**row._mapping)
