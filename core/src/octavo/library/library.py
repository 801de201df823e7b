"""The library a host application embeds: documents in, results out, everything kept and reused."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Self

from octavo_contracts import LibraryReadOnly, StorageError, StorageExhausted, UsageError
from pydantic import SecretStr

from ..entities.follow_up import EntityFollowUp
from ..ingestion.engine import Engine
from ..observability.audit import AuditLog
from ..observability.observers import Observers
from ..runtime import Runtime
from ..search import ChunkIndex, VectorTools, tables_of
from ..settings.settings import Settings
from ..settings.step_names import StepName
from ..storage import (
    ArtifactStore,
    DocumentRecord,
    Index,
    PolicyContext,
    ReadOnlyStore,
    Status,
    check_not_lost,
    has_index,
    open_index,
)
from ..storage.files import reserve
from ..storage.record_keeper import RecordKeeper
from .corpora import HasCorpora
from .digests import DigestsDocuments
from .document import Document
from .fields import ExtractsLiterals
from .ingest import IngestsDocuments
from .lifetime import HasLifetime
from .maintenance.on_library import KeepsDocuments
from .maintenance.purge import finish_interrupted
from .recognition.background_run import Behind
from .recognition.on_library import RecognisesDocuments
from .runs import DocumentJob, jobs_about
from .search import SearchesDocuments

SourceLike = str | os.PathLike[str] | bytes


class Library(
    IngestsDocuments,
    RecognisesDocuments,
    KeepsDocuments,
    SearchesDocuments,
    DigestsDocuments,
    ExtractsLiterals,
    HasCorpora,
    HasLifetime,
):
    """A folder of ingested documents. Use it as a context manager.

    Thread-safe: one library object may serve many threads, and several processes may open one folder. What is asked
    of it after `close` is a `UsageError`, and so is all that a forked child asks of its parent's: it opens its own.

    Args:
        path: the library's folder.
        settings: by default the specification's.
        runtime: plugins and workers shared with others; by default its own, which end with it.
        index: see `open`.
        read_only: why it is opened for reading alone, or None.

    Attributes:
        read_only: None; or, in a library that can only be read, what the attempt to write to it ended with. Every call
            that writes is then refused with an error of the same class.
    """

    def __init__(
        self,
        path: Path,
        *,
        settings: Settings | None = None,
        runtime: Runtime | None = None,
        index: str | None = None,
        read_only: StorageError | None = None,
    ) -> None:
        self.path = path
        self.read_only = read_only
        self._owns_runtime = runtime is None
        self.artifacts = ArtifactStore(path) if read_only is None else ReadOnlyStore(path, why=read_only)
        self.runtime = runtime or Runtime(settings)
        try:
            self.index = self._open_index(index or _shown(self.runtime.settings.index))
            self.engine = Engine(
                self.runtime,
                self.artifacts,
                self.index,
                safe_to_purge=self._safe_to_purge,
                afterwards=EntityFollowUp(
                    self.runtime,
                    self.artifacts,
                    self.index,
                    on_claim=lambda: self.engine.heartbeat.start(),
                    place=lambda *, cancel: self.engine.pools[StepName.ENTITIES].place(cancel=cancel),
                ),
            )
            self.chunk_index = ChunkIndex(
                path,
                library=tables_of(self.index),
                library_id=self.index.library_id,
                read=self.artifacts.read,
                vectors=VectorTools(lambda: self._services),
                read_only=read_only,
            )
            self.recognition = Behind()
            self.observers = Observers(self.engine.events, root=path, settings=self.runtime.settings.log)
            if read_only is None:
                self.index.on_commit = keeper = RecordKeeper(self.artifacts, self.index)
                finish_interrupted(self.artifacts, self.index)
                self.engine.recover()
                keeper.begin()
                reserve.keep(path)
        except BaseException as error:
            damage = self._damage_behind(error)
            self.close()
            if damage is not None:
                raise damage from error
            raise
        self._is_open()

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str],
        *,
        settings: Settings | None = None,
        create: bool = True,
        runtime: Runtime | None = None,
        index: str | None = None,
        make_room: bool = False,
    ) -> Self:
        """Open a library, and finish what a killed process left half done.

        A library that can not be written, because its disk is full or read-only or because the permissions are missing,
        is opened for reading alone: see `Library.read_only`.

        Args:
            path: its folder; made if it is not there.
            settings: by default the specification's.
            create: whether to make it.
            runtime: plugins and workers shared with others.
            index: URL of a PostgreSQL database of its own for the index, `postgresql://user@host/database`, so that
                several machines can work on one library; by default the settings', and without one the index is a
                file in the folder. Needs `octavo[postgres]`.
            make_room: on a full disk, give back what the library keeps for that case, so that something can be purged.

        Raises:
            UsageError: `create` is False and there is no library; its index is elsewhere than was said; or `index` is
                no URL of a PostgreSQL database.
            StorageError: there is no library yet and it can not be made; or the index was made by a newer Octavo; with
                the reason `tool_unavailable` where the database server can not be reached or does not let us in.
            LibraryDamaged: the index is damaged.
            ToolUnavailable: the driver of PostgreSQL is not installed.
        """
        folder = Path(os.path.abspath(path))
        if not create and not has_index(folder):
            check_not_lost(folder)
            raise UsageError(
                f"there is no library at {folder}", remedy="Make one with `octavo ingest`, or give --library"
            )
        gave_room = False
        while True:
            try:
                library = cls(folder, settings=settings, runtime=runtime, index=index)
                library._gave_room = gave_room
                return library
            except (LibraryReadOnly, StorageExhausted) as error:
                if not has_index(folder):
                    raise
                if make_room and isinstance(error, StorageExhausted) and reserve.give_back(folder):
                    gave_room = True
                    continue
                why = error.with_traceback(None)
            return cls(folder, settings=settings, runtime=runtime, index=index, read_only=why)

    def _open_index(self, url: str | None) -> Index:
        try:
            return open_index(self.artifacts, url=url, read_only=self.read_only)
        except BaseException:
            self.artifacts.discard()
            raise

    def documents(self, *, corpus: str | None = None, policy: PolicyContext | None = None) -> list[Document]:
        """The documents of the library, or of one corpus, by the time they first came in.

        Args:
            corpus: only its documents, as its policy sees them (STO-5).
            policy: only what came in under this policy context.

        Raises:
            UsageError: no such corpus, or both a corpus and a policy.
        """
        corpus_id, policy = self._asker(corpus, policy)
        found: list[Document] = []
        last: DocumentRecord | None = None
        while page := self.index.list_documents(corpus_id=corpus_id, policy=policy, limit=1000, after=last):
            found.extend(Document(self, record, policy=policy) for record in page)
            last = page[-1]
        return found

    def document(self, ref: str, *, corpus: str | None = None, policy: PolicyContext | None = None) -> Document:
        """A document by its id, by a unique prefix of at least 6 characters of id or raw hash, or by a known path.

        Args:
            ref: see above.
            corpus: the corpus that asks: what came in under another policy than its own is not there for it (STO-5).
            policy: the policy context that asks. With neither, the whole library is meant: its owner asks.

        Raises:
            UsageError: none, or more than one; or both a corpus and a policy.
        """
        _, asker = self._asker(corpus, policy)
        record = self.index.document(self.index.resolve(ref, policy=asker), policy=asker)
        return Document(self, record, policy=asker)

    def jobs(self, ref: str, *, corpus: str | None = None, policy: PolicyContext | None = None) -> list[DocumentJob]:
        """The work on a document: what is being done, what that waits for, what failed; the first begun first.

        Args:
            ref: as `document`; also a document that was never converted, whose first job waits or was cut short.
            corpus: the corpus that asks: only work that was asked for under its policy is there for it (STO-5).
            policy: the policy context that asks. With neither, the library's owner asks.

        Raises:
            UsageError: none, or more than one; or both a corpus and a policy.
        """
        _, asker = self._asker(corpus, policy)
        return jobs_about(self.index, ref, policy=asker)

    def status(self, *, corpus: str | None = None, policy: PolicyContext | None = None) -> Status:
        """How it stands with the documents of a corpus, or of a policy context; by default the default one (ENG-17).

        Raises:
            UsageError: no such corpus, or both a corpus and a policy.
        """
        corpus_id, asker = self._asker(corpus, policy)
        if corpus_id is not None:
            return self.index.corpus_status(corpus_id)
        return self.index.policy_status(asker or PolicyContext())

    @property
    def audit(self) -> AuditLog:
        """Where to write down what is done to the library."""
        return self.observers.audit

    # -- inside ---------------------------------------------------------------------------------------------

    def _asker(self, corpus: str | None, policy: PolicyContext | None) -> tuple[str | None, PolicyContext | None]:
        """Id of the corpus that asks, or None, and the policy context that asks, or None for the library's owner."""
        if corpus is None:
            return None, policy
        if policy is not None:
            raise UsageError("a corpus has its own policy: give one of corpus and policy")
        record = self.index.get_corpus(corpus)
        return record.corpus_id, record.policy


def _shown(secret: SecretStr | None) -> str | None:
    return secret.get_secret_value() if secret is not None else None
