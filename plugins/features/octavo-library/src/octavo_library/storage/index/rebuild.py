"""Rebuilds the index of a library whose index is lost or damaged, from everything that is still there.

Sources, in this order: intact rows of the old index, the records beside the artifacts
(`octavo_library.storage.index.document_records`), and the files of the versions. A document that is known by its
versions alone gets the policy context `UNKNOWN_POLICY`: the library's owner sees it, but no corpus does, nor a search
without one. The old index is moved aside and never deleted.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import uuid
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from octavo_contracts import IngestionState, UsageError
from octavo_sandbox.filesystem import durable
from sqlalchemy import Table

from ...text.times import time_text, utc_now
from ..files import layout, owners
from ..files.artifacts import ArtifactStore
from ..objects.object_client import is_object_url
from .dialect import library_url
from .document_records import OF_DOCUMENT, OF_LIBRARY
from .index import Index
from .instance_ids import document_id_for, source_instance_id_for
from .location import recorded_id
from .purges import PurgeRecord
from .recovery import is_whole
from .row_completion import UNKNOWN_POLICY, completed, is_complete, with_policy_of_corpus
from .salvage import BadCell, Salvaged, salvage
from .schema import activations, content_hashes, conversions, documents, jobs, meta, metadata, transitions
from .unindexed import Purged, record_of, recorded_versions
from .version_rows import conversion_row, document_row, hash_rows, job_of, job_row, log_rows, read_record

REBUILD = "rebuild"
"""Actor name in the activation log for versions whose active pointer was lost."""

_DERIVED = frozenset({"sketch_keys", "document_sketches", "document_change_log", "document_changes", "document_names"})

Rows = Sequence[Mapping[str, Any]]


@dataclass(frozen=True, kw_only=True)
class RebuildReport:
    """The content and the sources of a rebuilt index.

    Attributes:
        documents: number of documents in it.
        versions: number of its versions whose files are intact.
        aside: the path to which the old index was moved, or None if there was none.
        lost: the damage of the old index, in words.
        from_records: ids of documents restored from their records.
        from_versions: ids of documents restored from their versions alone, visible to the library's owner only (STO-5):
            title and text are there; provenance, corpora, all paths but one, annotations and links are lost.
        chosen: (document id, version) of documents whose active version was unknown; the newest intact one was
            activated.
        damaged: (document id, version) of versions with missing or altered files.
    """

    documents: int = 0
    versions: int = 0
    aside: str | None = None
    lost: tuple[str, ...] = ()
    from_records: tuple[str, ...] = ()
    from_versions: tuple[str, ...] = ()
    chosen: tuple[tuple[str, int], ...] = ()
    damaged: tuple[tuple[str, int], ...] = ()


def rebuild_index(root: str | os.PathLike[str]) -> RebuildReport:
    """Rebuild a library's index, and move the old one aside.

    Args:
        root: the library's folder, or its URL; no process may have it open.

    Raises:
        UsageError: the folder is not a library, its index is on a server, or another process has the library open.
        StorageError: the library cannot be written.
    """
    if is_object_url(root):
        raise UsageError(
            f"the index of the library at {root!s} is in a database on a server",
            remedy="Restore it from a backup of that database",
        )
    folder = Path(os.path.abspath(root))
    if not (folder / layout.BY_HASH).is_dir():
        raise UsageError(f"there is no library at {folder}", remedy="Give --library")
    if (folder / layout.INDEX_ELSEWHERE).is_file():
        raise UsageError(
            "the index of this library is in a database on a server", remedy="Restore it from a backup of that database"
        )
    with ArtifactStore(folder) as store:
        _check_alone(store)
        work = folder / layout.TMP / store.owner / "rebuild"
        with durable.storage_errors(folder, doing="making a new index"):
            durable.make_folder(work)
            old = _copy_of(folder, work)
            found = _own_rows(store, salvage(old)) if old is not None else Salvaged()
            if old is not None:
                shutil.rmtree(old.parent)
            Index(library_url(work)).close()
            with closing(sqlite3.connect(work / layout.INDEX, isolation_level=None)) as connection:
                connection.execute("BEGIN")
                report = _Rebuild(store, connection, found).run()
                connection.execute("COMMIT")
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            aside = _exchange(folder, work / layout.INDEX)
    lost = tuple(map(str, found.bad)) if old is not None else ("there was no index",)
    return replace(report, aside=aside, lost=lost)


def _check_alone(store: ArtifactStore) -> None:
    for path in (Path(store.root) / layout.LOCKS).glob("*.lock"):
        name = path.stem
        if owners.is_owner_name(name) and name != store.owner and store.is_alive(name):
            raise UsageError(
                f"process {name} has the library open", remedy="Wait for it or end it, then run the command again"
            )


def _copy_of(folder: Path, work: Path) -> Path | None:
    """Copy the old index and its log for reading: opening an index may change it."""
    index = folder / layout.INDEX
    if not index.is_file() or not (index.stat().st_size or (folder / f"{layout.INDEX}-wal").is_file()):
        return None
    copy = work / "old"
    copy.mkdir(mode=durable.FOLDER_MODE)
    for suffix in ("", "-wal", "-journal"):
        with suppress(FileNotFoundError):
            shutil.copyfile(folder / f"{layout.INDEX}{suffix}", copy / f"{layout.INDEX}{suffix}")
    return copy / layout.INDEX


def _own_rows(store: ArtifactStore, found: Salvaged) -> Salvaged:
    """The salvaged rows; none if the old index belongs to a different library than the documents beside it."""
    recorded = recorded_id(store)
    ids = {row.get("value") for row in found.rows.get("meta", ()) if row.get("key") == "library_id"}
    if recorded is None or not ids or recorded in ids:
        return found
    return Salvaged(bad=[BadCell("meta", "value", None, "belongs to a different library")])


def _exchange(folder: Path, new: Path) -> str | None:
    """Move the old index aside under a unique name, and the new one into its place; returns the old one's new name."""
    aside = None
    if (folder / layout.INDEX).exists():
        stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S%f")
        aside = f"{layout.INDEX}.aside-{stamp}"
        # The log first: SQLite would take it for the log of a new index beside it.
        for suffix in ("-wal", "-shm", "-journal", ""):
            with suppress(FileNotFoundError):
                os.rename(folder / f"{layout.INDEX}{suffix}", folder / f"{aside}{suffix}")
    os.chmod(new, durable.FILE_MODE)
    os.rename(new, folder / layout.INDEX)
    durable.sync_folder(folder)
    return aside


@dataclass
class _Rebuild:
    """One rebuild, inside a transaction of the new index."""

    store: ArtifactStore
    connection: sqlite3.Connection
    found: Salvaged
    from_records: list[str] = field(default_factory=list)
    from_versions: list[str] = field(default_factory=list)
    chosen: list[tuple[str, int]] = field(default_factory=list)
    damaged: list[tuple[str, int]] = field(default_factory=list)
    poor: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    """Rows of the old index that lack a required value: used if no record contains the complete row."""
    purged: Purged = field(default_factory=Purged)

    def run(self) -> RebuildReport:
        """Fill the new index and report its content."""
        self.connection.execute("PRAGMA defer_foreign_keys = ON")
        library = read_record(self.store.find(layout.LIBRARY_RECORD))
        self._take_old_rows(library)
        for table in OF_LIBRARY:
            self._insert(table, library.get(table.name, ()))
        self._insert(meta, [{"key": "library_id", "value": uuid.uuid4().hex}])  # if neither source has an id
        gone = {row[0] for row in self.connection.execute("SELECT subject FROM purges WHERE done_at IS NULL")}
        self.purged = Purged.of(self.store, self._purges())
        versions = 0
        for raw_hash in sorted(set(self.store.documents()) - gone):
            versions += self._add_document(raw_hash)
        self._drop_loose_ends()
        count = self.connection.execute("SELECT count(*) FROM documents").fetchone()[0]
        return RebuildReport(
            documents=count,
            versions=versions,
            from_records=tuple(self.from_records),
            from_versions=tuple(self.from_versions),
            chosen=tuple(self.chosen),
            damaged=tuple(self.damaged),
        )

    def _purges(self) -> Iterator[PurgeRecord]:
        names = [each.name for each in fields(PurgeRecord)]
        for row in self.connection.execute(f"SELECT {', '.join(names)} FROM purges"):
            yield PurgeRecord(**dict(zip(names, row, strict=True)))

    # -- the old index ----------------------------------------------------------------------------------------

    def _take_old_rows(self, library: Mapping[str, Rows]) -> None:
        self.connection.execute("DELETE FROM meta")
        known = {row["corpus_id"]: row for row in library.get("corpora", ()) if "corpus_id" in row}
        for table in metadata.sorted_tables:
            if table.name in _DERIVED:
                continue
            rows = self.found.rows.get(table.name, [])
            if table.name == "corpora":
                rows = [{**known.get(row.get("corpus_id"), {}), **row} for row in rows]
            whole = [row for row in rows if is_complete(table, row)]
            self.poor[table.name] = [row for row in rows if not is_complete(table, row)]
            self._insert(table, whole, keep_numbers=True)

    # -- one document -----------------------------------------------------------------------------------------

    def _add_document(self, raw_hash: str) -> int:
        """Ensure that a document with a folder is in the index; returns its number of intact versions."""
        document_id = document_id_for(raw_hash)
        record = record_of(self.store, raw_hash)
        is_known = self._has("documents", document_id)
        if not is_known and self.purged.has_document(self.store, raw_hash):
            return 0  # purged; the folder remains because of a user's file
        numbers = [one for one in self.store.versions(raw_hash) if not self.purged.has_version(raw_hash, one)]
        stored = {number: is_whole(self.store, raw_hash, number, read_contents=True) for number in numbers}
        if not is_known and not record and not stored:
            return 0
        is_newer = is_known and self._lacks(document_id, recorded_versions(record))
        self._take_record(record, is_known=is_known and not is_newer)
        if is_newer:  # the old index is older than the record
            (row,) = record["documents"]
            query = "UPDATE documents SET active_conversion_version = ? WHERE document_id = ?"
            self.connection.execute(query, (row.get("active_conversion_version"), document_id))
        if not is_known and record:
            self.from_records.append(document_id)
        self._insert(documents, [one for one in self.poor["documents"] if one.get("document_id") == document_id])
        if not self._has("documents", document_id):
            self._insert(documents, [document_row(self.store, raw_hash, max(stored))])
            self._insert_way_in(document_id)
            self.from_versions.append(document_id)
        self._take_log(raw_hash, document_id)
        for number, intact in stored.items():
            self._add_version(raw_hash, document_id, number, intact=intact)
        self._settle(raw_hash, document_id, [number for number, intact in stored.items() if intact])
        return sum(stored.values())

    def _take_record(self, record: Mapping[str, Rows], *, is_known: bool) -> None:
        """Insert the rows of a record: all of an unknown document, else those of tables that lost rows."""
        policies = dict(self.connection.execute("SELECT corpus_id, visibility || '\n' || sensitivity FROM corpora"))
        for table in OF_DOCUMENT:
            if is_known and not self.found.is_incomplete(table.name):
                continue
            rows = record.get(table.name, ())
            if table.name == "document_source_instances":
                rows = [with_policy_of_corpus(row, policies) for row in rows]
            self._insert(table, rows)
            if is_known and table is documents:
                self._fill_in(rows)

    def _fill_in(self, rows: Rows) -> None:
        """Restore values of documents that the old index lost, from their records."""
        for row in rows:
            for name, value in row.items():
                if name in documents.c and documents.c[name].nullable and name != "active_conversion_version":
                    self.connection.execute(
                        f"UPDATE documents SET {name} = coalesce({name}, ?) WHERE document_id = ?",
                        (value, row.get("document_id")),
                    )

    def _insert_way_in(self, document_id: str) -> None:
        instance = source_instance_id_for(document_id, policy=UNKNOWN_POLICY, surface="direct_upload", corpus_id=None)
        self.connection.execute(
            "INSERT INTO document_source_instances VALUES (?, ?, NULL, ?, ?, 'direct_upload')",
            (instance, document_id, UNKNOWN_POLICY.canonical(), time_text(utc_now())),
        )

    def _take_log(self, raw_hash: str, document_id: str) -> None:
        """Insert the jobs and transitions of the processing log that the index lacks."""
        ended, steps = log_rows(self.store.find(layout.log_file(raw_hash)), raw_hash, document_id)
        self._insert(jobs, ended)
        self._insert(transitions, steps)

    def _add_version(self, raw_hash: str, document_id: str, number: int, *, intact: bool) -> None:
        here = (document_id, number)
        if not self.connection.execute(
            "SELECT 1 FROM conversions WHERE document_id = ? AND version = ?", here
        ).fetchone():
            job_id = job_of(self.store, raw_hash, number)
            if not self.connection.execute("SELECT 1 FROM jobs WHERE job_id = ?", (job_id,)).fetchone():
                self._insert(jobs, [job_row(job_id, raw_hash, document_id)])
            self._insert(conversions, [conversion_row(self.store, raw_hash, document_id, number, job_id)])
        query = "SELECT 1 FROM content_hashes WHERE document_id = ? AND version = ?"
        if intact and not self.connection.execute(query, here).fetchone():
            self._insert(content_hashes, list(hash_rows(self.store, raw_hash, document_id, number)))
        if not intact:
            now = time_text(utc_now())
            self.connection.execute(
                "UPDATE conversions SET damaged_at = coalesce(damaged_at, ?) WHERE document_id = ? AND version = ?",
                (now, *here),
            )
            self.damaged.append(here)

    def _settle(self, raw_hash: str, document_id: str, intact: list[int]) -> None:
        """Activate an intact version of the document; its title and type follow from that version."""
        text, status = self.connection.execute(
            "SELECT active_conversion_version, ingestion_status FROM documents WHERE document_id = ?",
            (document_id,),
        ).fetchone()
        usable = {
            row[0]
            for row in self.connection.execute(
                "SELECT version FROM conversions WHERE document_id = ? AND purged_at IS NULL AND damaged_at IS NULL",
                (document_id,),
            )
        } & set(intact)
        active = int(text[1:]) if text else self._last_activated(document_id)
        was_failure = text is None and status == IngestionState.HARD_FAILED and not usable
        if active not in usable and not was_failure and usable:
            active = max(usable)
            self.chosen.append((document_id, active))
            query = "SELECT coalesce(max(seq), 0) + 1 FROM activations WHERE document_id = ?"
            (seq,) = self.connection.execute(query, (document_id,)).fetchone()
            row = {"document_id": document_id, "seq": seq, "version": active, "activated_by": REBUILD}
            self._insert(activations, [row | {"at": time_text(utc_now())}])
        if active is not None and active in usable:
            facts = document_row(self.store, raw_hash, active)
            names = ("active_conversion_version", "normalized_text_hash")
            values: list[Any] = [facts[name] for name in names]
            ended = status if status in ("complete", "degraded_complete") else facts["ingestion_status"]
            self.connection.execute(
                "UPDATE documents SET active_conversion_version = ?, normalized_text_hash = ?, ingestion_status = ?, "
                "hard_fail_reason = NULL, title = ?, mime_type = coalesce(mime_type, ?), "
                "classification_json = coalesce(classification_json, ?), document_type = coalesce(document_type, ?), "
                "original_ref = coalesce(original_ref, ?) WHERE document_id = ?",
                (
                    *values,
                    ended,
                    *(facts[name] for name in ("title", "mime_type", "classification_json", "document_type")),
                    facts["original_ref"],
                    document_id,
                ),
            )

    def _last_activated(self, document_id: str) -> int | None:
        query = "SELECT version FROM activations WHERE document_id = ? ORDER BY seq DESC LIMIT 1"
        row = self.connection.execute(query, (document_id,)).fetchone()
        return row[0] if row else None

    def _lacks(self, document_id: str, versions: Collection[int]) -> bool:
        """Whether the index lacks one of these versions."""
        rows = self.connection.execute("SELECT version FROM conversions WHERE document_id = ?", (document_id,))
        return not set(versions) <= {row[0] for row in rows}

    # -- rows -------------------------------------------------------------------------------------------------

    def _has(self, table: str, document_id: str) -> bool:
        query = f"SELECT 1 FROM {table} WHERE document_id = ?"
        return self.connection.execute(query, (document_id,)).fetchone() is not None

    def _insert(self, table: Table, rows: Rows, *, keep_numbers: bool = False) -> None:
        """Insert missing rows; a missing value gets a harmless default, or else the row is skipped."""
        for given in rows:
            row = completed(table, given, keep_numbers=keep_numbers)
            if row is None:
                continue
            names, marks = ", ".join(row), ", ".join("?" * len(row))
            with suppress(sqlite3.IntegrityError):  # a value of the row violates a constraint of the table
                self.connection.execute(
                    f"INSERT OR IGNORE INTO {table.name} ({names}) VALUES ({marks})", tuple(row.values())
                )

    def _drop_loose_ends(self) -> None:
        """Insert what can be completed of rows that lost a value; delete rows with dangling references."""
        for table in metadata.sorted_tables:
            self._insert(table, self.poor.get(table.name, ()), keep_numbers=True)
        lonely = (
            "SELECT job_id, content_hash, document_id FROM conversions JOIN documents USING (document_id) "
            "WHERE job_id NOT IN (SELECT job_id FROM jobs)"
        )
        for job_id, raw_hash, document_id in self.connection.execute(lonely).fetchall():
            self._insert(jobs, [job_row(job_id, raw_hash, document_id)])
        while loose := self.connection.execute("PRAGMA foreign_key_check").fetchall():
            for table, number, *_ in loose:
                if number is not None:
                    self.connection.execute(f'DELETE FROM "{table}" WHERE rowid = ?', (number,))
