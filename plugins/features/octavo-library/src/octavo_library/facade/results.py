"""The outcome of ingesting one source, and the progress of a run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from octavo.conversion.assembly import DocumentIdentity, build_failure
from octavo_contracts import (
    ContentHashes,
    DocumentError,
    HardFailReason,
    IngestionResult,
    IngestionState,
    LibraryDamaged,
    ToolError,
    UsageError,
    memory_ref,
)

from ..ingestion.activation import HeldBack
from ..ingestion.requests import IngestRequest, ProcessedDocument
from ..storage import AlreadyKnown, DocumentRecord, is_whole
from .context import LibraryContext
from .document import Document
from .document_result import load_result
from .lookup import find_document


@dataclass(frozen=True, kw_only=True)
class Progress:
    """Progress of a run.

    Attributes:
        done: documents finished.
        total: documents in the run, or None if unknown.
        current: the document just finished.
    """

    done: int
    total: int | None
    current: IngestOutcome


class IngestOutcome:
    """The outcome of ingesting one source. The result is read from the library at its first use.

    Attributes:
        source: the source as the caller gave it.
        document_id: the document's id; None if its bytes could not be read.
        reused: whether the library had it already, as far as the asker may know: bytes ingested only under other
            policies count as new, although their conversion is shared (STO-5).
        attached_to: id of its parent document; None if it is not an attachment.
    """

    def __init__(
        self,
        *,
        source: str,
        processed: ProcessedDocument,
        context: LibraryContext,
        asked_at: str,
        attached_to: str | None = None,
    ) -> None:
        self.source = source
        self.attached_to = attached_to
        self._asked_at = asked_at
        self.document_id = processed.document_id
        self.reused = processed.reused
        self._processed = processed
        self._context = context

    def __repr__(self) -> str:
        return f"IngestOutcome(source={self.source!r}, document_id={self.document_id!r}, reused={self.reused})"

    @property
    def held_back(self) -> HeldBack | None:
        """Why the new version did not become the active one; None if it did, and if no version was made."""
        return self._processed.held_back

    @cached_property
    def already_known(self) -> AlreadyKnown | None:
        """Where and since when the document was "already in your system", as far as the asker may see it (STO-13).

        None for a new document, and for one that was ingested only under other policies (STO-5).
        """
        request = self._processed.request
        if not self.reused or self.document_id is None or request is None:
            return None
        raw_hash = self._context.index.documents.get(self.document_id).raw_hash
        return self._context.index.documents.already_known(raw_hash, policy=request.told_as, before=self._asked_at)

    @cached_property
    def not_applied(self) -> str:
        """Which requested plugin or profile was not applied because the document was reused; or empty.

        `Library.ingest` with `reingest=True` converts it again.
        """
        request = self._processed.request
        if not self.reused or self.document_id is None or request is None:
            return ""
        versions = self._context.index.versions.of_document(self.document_id)
        active = next((version for version in versions if version.is_active), None)
        if active is None:
            return ""
        asked = [(plugin, active.tool) for plugin, _ in request.options.overrides]
        if request.profile_asked is not None:
            asked.append((f"profile {request.profile_asked}", f"profile {active.profile}"))
        left = [(wanted, was) for wanted, was in asked if wanted != was]
        if not left:
            return ""
        wanted, was = left[0]
        return f"not converted again: {wanted} was requested, but the active version was made by {was}"

    @property
    def was_attempted(self) -> bool:
        """Whether the document was started: False if the run was stopped before it."""
        result = self._processed.result
        receipts = result.failure_receipts if result is not None else ()
        return all(receipt.reason_code is not HardFailReason.NOT_ATTEMPTED for receipt in receipts)

    @cached_property
    def result(self) -> IngestionResult:
        """The complete ingestion result; a failure if the stored version is damaged and cannot be restored."""
        if self._processed.result is not None:
            return self._processed.result
        request = self._processed.request
        assert self.document_id is not None  # only unreadable sources have none, and their result is in memory
        assert request is not None  # known documents have it
        instance = request.instance_id(self.document_id)
        record = self._context.index.documents.get(self.document_id, policy=request.policy)
        try:
            try:
                self._check_whole(record)
                return self._load(record, request)
            except LibraryDamaged:
                self._convert_again(request)
                record = self._context.index.documents.get(self.document_id, policy=request.policy)
                return self._load(record, request)
        except (LibraryDamaged, DocumentError, ToolError) as error:
            return build_failure(
                error,
                stage=IngestionState.CONVERTED,
                document=DocumentIdentity(
                    document_id=self.document_id,
                    original_ref=record.original_ref or memory_ref(record.raw_hash),
                    hashes=ContentHashes(raw_file_hash=record.raw_hash, source_instance_id=instance),
                ),
            )

    def _load(self, record: DocumentRecord, request: IngestRequest) -> IngestionResult:
        return load_result(
            self._context,
            record,
            policy=request.policy,
            instance_id=request.instance_id(record.document_id),
            findings=request.findings,
        )

    def _check_whole(self, record: DocumentRecord) -> None:
        """Compare the files of a reused version with their hashes, which a run does not do.

        Raises:
            LibraryDamaged: a file is missing or altered.
        """
        version = record.active_version
        if not self.reused or version is None:
            return
        if not is_whole(self._context.artifacts, record.raw_hash, version, read_contents=True):
            raise LibraryDamaged(f"version {version} is damaged: a file is missing or altered", source=self.source)

    def _convert_again(self, request: IngestRequest | None) -> None:
        """Convert a document with a damaged version again, if its original is available.

        Raises:
            LibraryDamaged: the library cannot be written, or the request is unknown.
            OctavoError: the original is unavailable, or the conversion failed.
        """
        assert self.document_id is not None  # set, as it was read from the library
        if request is None or self._context.read_only is not None:
            raise LibraryDamaged("a file of the document's version is missing or altered", source=self.source)
        with find_document(self._context, self.document_id).original.open() as source:
            processed = self._context.engine.ingestor.process(source, request)
        self.reused = processed.reused

    @cached_property
    def attachments(self) -> tuple[IngestOutcome, ...]:
        """The outcomes of its ingested attachments, each with its own attachments."""
        return tuple(
            IngestOutcome(
                source=f"{self.source} › {one.attached.name}",
                processed=one.processed,
                context=self._context,
                asked_at=self._asked_at,
                attached_to=one.attached.to,
            )
            for one in self._processed.attached
        )

    def walk(self) -> Iterator[IngestOutcome]:
        """This outcome, then those of its attachments, at any depth."""
        yield self
        for one in self.attachments:
            yield from one.walk()

    @property
    def document(self) -> Document:
        """The document in the library, as visible for the corpus it was ingested into; without one, for the owner.

        Raises:
            UsageError: the source could not be read, so there is no document.
        """
        if self.document_id is None:
            raise UsageError("the source could not be read, so the library has no document of it", source=self.source)
        request = self._processed.request
        policy = request.corpus.policy if request is not None and request.corpus is not None else None
        return find_document(self._context, self.document_id, policy=policy)


Ingested = IngestOutcome
"""The former name of `IngestOutcome`, for one more release."""
