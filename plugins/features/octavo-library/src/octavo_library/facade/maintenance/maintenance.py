"""`library.maintenance`: checks, repair, deletion and retention in an open library."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import datetime

from octavo_contracts import LibraryReadOnly, OctavoError, StorageExhausted

from ...observability.audit import AuditAction
from ...storage import PurgeRecord
from .. import similarity
from ..context import LibraryContext
from ..document import Document
from ..lookup import document_id
from . import paths, retention
from . import purge as purging
from . import repair as repairing
from . import verify as checking
from .paths import PathCheck
from .purge import Purged, PurgePreview
from .remedies import remedies as commands_for
from .repair import RepairReport
from .retention import Purgeable
from .verify import StoreReport


class Maintenance:
    """Checks, repairs and purges the data of an open library.

    Args:
        context: the library's parts.
    """

    def __init__(self, context: LibraryContext) -> None:
        self._context = context

    def check_paths(self, *, read_contents: bool = False) -> PathCheck:
        """Record which originals vanished from their paths, and which returned (STO-11). Nothing is removed.

        In a read-only library, changes are reported without being recorded. A path of a library in an object store that has
        the original is not marked as vanished: it may be that of another machine.

        Args:
            read_contents: hash every file, to detect also replacements of the same size.
        """
        context = self._context
        return paths.check_paths(
            context.artifacts, context.index, read_contents=read_contents, note=context.read_only is None
        )

    def orphans(self) -> tuple[str, ...]:
        """Ids of documents that are in no corpus and were ingested into corpora only (STO-12). None is removed."""
        return self._context.index.paths.dormant()

    def purge_preview(self, document: str | Document) -> PurgePreview:
        """List what `purge` would remove, with sizes.

        Raises:
            UsageError: no such document.
        """
        return purging.preview(self._context.artifacts, self._context.index, document_id(self._context, document))

    def purge(self, document: str | Document, *, confirm: str, by: str = "user") -> Purged:
        """Permanently remove a document and all its versions (STO-12). The user's own files are not touched.

        Args:
            document: the document, or what `Library.document` takes.
            confirm: `purge_preview(…).digest`, or the document's id.
            by: who requested the purge.

        Raises:
            UsageError: no such document, wrong confirmation, or the document is being converted now.
            StorageError: files could not be removed; the purge continues when the library is next opened.
            StorageExhausted: the disk is full, and no reserve is left for recording the purge.
        """
        chosen = document_id(self._context, document)
        purged = self._with_room(
            lambda: purging.purge(self._context.artifacts, self._context.index, chosen, confirm=confirm, by=by)
        )
        self._context.audit.record(AuditAction.PURGED, document_id=chosen, bytes=purged.bytes)
        return purged

    def purge_log(self) -> tuple[PurgeRecord, ...]:
        """All purges: kind, id, bytes and time; never the content."""
        return self._context.index.purges.log()

    def expired(self, *, now: datetime | None = None) -> Purgeable:
        """What may be purged: expired versions, and recognised pages of documents in no corpus (ENG-29).

        Args:
            now: the reference time for ages, with time zone; by default the current time.
        """
        return retention.purgeable(self._context.artifacts, self._context.index, now=now)

    def purge_expired(self, shown: Purgeable, *, by: str = "user") -> Purged:
        """Remove what `expired` listed. Active versions stay, and version numbers are never reused.

        Raises:
            StorageError: files could not be removed; the purge continues when the library is next opened.
        """
        purged = self._with_room(
            lambda: retention.purge_expired(self._context.artifacts, self._context.index, shown, by=by)
        )
        self._context.audit.record(AuditAction.PURGED, versions=len(shown.versions), bytes=purged.bytes)
        return purged

    def verify(self) -> StoreReport:
        """Read and verify every file of the library, and the originals. Changes nothing."""
        return checking.check_store(
            self._context.artifacts,
            self._context.index,
            chunking_version=self._context.runtime.settings.chunking.version,
        )

    def remedies(self, refs: Iterable[str], *, is_repaired: bool = False) -> list[str]:
        """The commands that clear missing and altered files, each with what it clears, in words.

        Args:
            refs: references that a check or a repair listed.
            is_repaired: whether they are what a repair left.
        """
        purgeable = {(old.document_id, old.version) for old in self.expired().versions}
        return commands_for(refs, purgeable=purgeable, is_repaired=is_repaired)

    def repair(self, report: StoreReport | None = None) -> RepairReport:
        """Repair what a check found, without losing data.

        Args:
            report: report of `verify`; by default a new one.

        Raises:
            StorageError: the library cannot be written.
        """
        report = report or self.verify()
        # First: they record the hashes with which chunk sets are compared.
        finished = self._context.engine.recovery.finish_recorded() if report.unfinished else ()
        done = repairing.repair(
            self._context.artifacts, self._context.index, report, chunking=self._context.runtime.settings.chunking
        )
        done = self._convert_unreadable(replace(done, finished=finished))
        remade = len(done.chunk_sets) + len(done.logs)
        self._context.audit.record(
            AuditAction.REPAIRED, removed=len(done.removed), remade=remade, marked=len(done.damaged)
        )
        return done

    def _convert_unreadable(self, done: RepairReport) -> RepairReport:
        """Convert documents without an intact version again, if their originals are available."""
        made: list[tuple[str, int]] = []
        for unreadable in done.unreadable:
            try:
                document = Document(self._context, self._context.index.documents.get(unreadable))
                made.append((unreadable, document.reconvert().version))
            except (StorageExhausted, LibraryReadOnly):
                raise
            except OctavoError:
                continue  # it stays in the report
        left = tuple(each for each in done.unreadable if each not in dict(made))
        return replace(done, unreadable=left, reconverted=tuple(made))

    def update_similarity(self) -> int:
        """Prepare `Document.similar` for new documents, which it otherwise does itself; return their number."""
        return similarity.update_sketches(self._context.artifacts, self._context.index)

    def _with_room(self, purge: Callable[[], Purged]) -> Purged:
        """Purge; if the disk is too full to record the purge, free the library's reserve and try again."""
        while True:
            try:
                return purge()
            except StorageExhausted as error:
                if self._context.read_only is not None:
                    error.remedy = (
                        "Free some megabytes of the disk by other means, then purge again; programs open the library "
                        "with make_room=True"
                    )
                    raise
                self._context.chunk_index.close()
                if not self._context.reserve.give_back():
                    error.remedy = "Free some megabytes of the disk by other means, then purge again"
                    raise
