"""What a library offers for keeping: paths, deletion, retention, checks. `Library` is built on it."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Literal

from octavo_contracts import LibraryReadOnly, OctavoError, StorageError, StorageExhausted

from ...documents.source import Source
from ...observability.audit import AuditAction, AuditLog
from ...storage import AlreadyKnown, ArtifactStore, Index, PurgeRecord
from ...storage.files import reserve
from .. import similarity as similar
from . import paths, retention
from . import purge as purging
from . import repair as repairing
from . import verify as checking
from .paths import PathCheck
from .purge import Purged, PurgePreview
from .repair import RepairReport
from .retention import SETTING, Purgeable, Retention
from .verify import StoreReport

if TYPE_CHECKING:
    from pathlib import Path

    from ...runtime import Runtime
    from ...search import ChunkIndex
    from ..document import Document


class KeepsDocuments:
    """The part of `Library` that keeps what ingestion made, and gives it up when it is told to."""

    artifacts: ArtifactStore
    index: Index
    runtime: Runtime
    chunk_index: ChunkIndex
    path: Path
    read_only: StorageError | None
    _gave_room: bool

    @property
    def audit(self) -> AuditLog:
        """Where changes are written down."""
        raise NotImplementedError  # `Library` has it

    def already_known(
        self, source: str | os.PathLike[str] | bytes, *, corpus: str | None = None
    ) -> AlreadyKnown | None:
        """Whether a document is "already in your system": where and since when, as far as the asker may see (STO-13).

        Args:
            source: a path or bytes; nothing is stored and nothing noted.
            corpus: the corpus that asks, under its policy: what came in under another one is not told (STO-5). None is
                told of everything that is not firewalled, as in a search.

        Raises:
            UsageError: no such corpus.
            SourceMissing: there is no readable file.
        """
        policy = self.index.get_corpus(corpus).policy if corpus is not None else None
        if isinstance(source, bytes):
            return self.index.already_known(hashlib.sha256(source).hexdigest(), policy=policy)
        with Source.from_path(source) as opened:
            return self.index.already_known(opened.raw_file_hash, policy=policy)

    def check_paths(self, *, read_contents: bool = False) -> PathCheck:
        """Note which originals vanished from their paths, and which are back (STO-11). Nothing is removed.

        In a library that can only be read, it is told and not noted.

        Args:
            read_contents: hash every file, to see also those that were replaced by another of the same size.
        """
        return paths.check_paths(self.index, read_contents=read_contents, note=self.read_only is None)

    def remove_from_corpus(self, document: str | Document, corpus: str) -> bool:
        """Take a document out of a corpus; it stays in the library with all that was made of it (STO-12).

        Returns:
            Whether it was in the corpus.

        Raises:
            UsageError: no such document or corpus.
        """
        record = self.index.get_corpus(corpus)
        # A document that the corpus may not see is as unknown to it as one that is not there.
        ref = document if isinstance(document, str) else document.id
        document_id, corpus_id = self.index.resolve(ref, policy=record.policy), record.corpus_id
        was_in = self.index.remove_membership(document_id, corpus_id)
        if was_in:
            self.audit.record(AuditAction.REMOVED, document_id=document_id, corpus_id=corpus_id)
        return was_in

    def dormant(self) -> tuple[str, ...]:
        """Ids of documents that no corpus has, and that came in by way of corpora alone (STO-12). None is removed."""
        return self.index.dormant()

    def purge_preview(self, document: str | Document) -> PurgePreview:
        """What `purge` would remove, with sizes.

        Raises:
            UsageError: no such document.
        """
        return purging.preview(self.artifacts, self.index, self._id(document))

    def purge(self, document: str | Document, *, confirm: str, by: str = "user") -> Purged:
        """Remove a document and all that was made of it, for good (STO-12). The user's own files are not touched.

        Args:
            document: the document, or what `Library.document` takes.
            confirm: `purge_preview(…).digest`, or the document's id typed back.
            by: who asked for it.

        Raises:
            UsageError: no such document, the confirmation does not fit, or it is being converted right now.
            StorageError: files could not be removed; the next opening goes on.
            StorageExhausted: the disk is full, and nothing that the library can give back is left to note the purge by.
        """
        document_id = self._id(document)
        purged = self._with_room(lambda: purging.purge(self.artifacts, self.index, document_id, confirm=confirm, by=by))
        self.audit.record(AuditAction.PURGED, document_id=document_id, bytes=purged.bytes)
        return purged

    def purge_log(self) -> tuple[PurgeRecord, ...]:
        """Every purge there was: what kind, which id, how many bytes, when; never what it said."""
        return self.index.purge_log()

    def set_retention(self, corpus: str, rule: Literal["everything", "active_only"] | int) -> None:
        """Say how long versions of a corpus's documents stay once another took their place (STO-6).

        Args:
            corpus: the corpus.
            rule: "everything" (the default), "active_only", or a number of days.

        Raises:
            UsageError: no such corpus, or no such rule.
        """
        Retention.parse(rule)
        self.index.set_corpus_setting(self.index.get_corpus(corpus).corpus_id, SETTING, rule)

    def purgeable(self, *, now: datetime | None = None) -> Purgeable:
        """What may be given up: versions past their time, and recognised pages of documents in no corpus (ENG-29).

        Args:
            now: the time to count ages to, aware; by default the present.
        """
        return retention.purgeable(self.artifacts, self.index, now=now)

    def _safe_to_purge(self) -> str:
        """What `octavo purge --expired` would free, as a sentence; empty where that is nothing, or can not be told."""
        try:
            size = self.purgeable().bytes
        except OctavoError:
            return ""
        return f"`octavo purge --expired` would free {size / 1e6:.1f} MB" if size else ""

    def purge_expired(self, shown: Purgeable, *, by: str = "user") -> Purged:
        """Remove what `purgeable` showed. Active versions stay, and numbers are never given out again.

        Raises:
            StorageError: files could not be removed; the next opening goes on.
        """
        purged = self._with_room(lambda: retention.purge_expired(self.artifacts, self.index, shown, by=by))
        self.audit.record(AuditAction.PURGED, versions=len(shown.versions), bytes=purged.bytes)
        return purged

    def verify_store(self) -> StoreReport:
        """Read every file of the library, and the originals, and compare. Changes nothing."""
        return checking.check_store(self.artifacts, self.index, chunking_version=self.runtime.settings.chunking.version)

    def repair(self, report: StoreReport | None = None) -> RepairReport:
        """Put right what a check found, as far as nothing is lost by it.

        Args:
            report: of `verify_store`; by default a new one.

        Raises:
            StorageError: the library can not be written.
        """
        done = repairing.repair(
            self.artifacts, self.index, report or self.verify_store(), chunking=self.runtime.settings.chunking
        )
        done = self._convert_unreadable(done)
        remade = len(done.chunk_sets) + len(done.logs)
        self.audit.record(AuditAction.REPAIRED, removed=len(done.removed), remade=remade, marked=len(done.damaged))
        return done

    def _convert_unreadable(self, done: RepairReport) -> RepairReport:
        """Convert again the documents without an intact version, as far as their originals are to be had."""
        from ..document import Document

        made: list[tuple[str, int]] = []
        for document_id in done.unreadable:
            try:
                document = Document(self, self.index.document(document_id))  # type: ignore[arg-type]  # self is the Library
                made.append((document_id, document.reconvert().version))
            except (StorageExhausted, LibraryReadOnly):
                raise
            except OctavoError:
                continue  # the report names it
        left = tuple(each for each in done.unreadable if each not in dict(made))
        return replace(done, unreadable=left, reconverted=tuple(made))

    def update_sketches(self) -> int:
        """Prepare `Document.similar` for documents that are new since; it does so by itself. Returns how many."""
        return similar.update_sketches(self.artifacts, self.index)

    def _with_room(self, purge: Callable[[], Purged]) -> Purged:
        """Purge; where the disk is too full to note it, give back what the library keeps for that case, and try again."""
        while True:
            try:
                return purge()
            except StorageExhausted as error:
                if self.read_only is not None:
                    error.remedy = (
                        "Free some megabytes of the disk by other means, then purge again; a program opens the library "
                        "with make_room=True"
                    )
                    raise
                self.chunk_index.close()
                if not reserve.give_back(self.path):
                    error.remedy = "Free some megabytes of the disk by other means, then purge again"
                    raise
                self._gave_room = True

    def _id(self, document: str | Document) -> str:
        return self.index.resolve(document) if isinstance(document, str) else document.id
