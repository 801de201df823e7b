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
    """How far a run is.

    Attributes:
        done: documents finished.
        total: documents in the run, or None while that is not known.
        current: the one just finished.
    """

    done: int
    total: int | None
    current: IngestOutcome


class IngestOutcome:
    """The outcome of ingesting one source. The result is read from the library when it is first asked for.

    Attributes:
        source: the source as the caller gave it.
        document_id: the document's id; None where no bytes could be read.
        reused: whether the library had it already, as far as the asker is told: bytes that came in under another policy
            only are new, and converted work is shared all the same (STO-5).
        attached_to: id of the document that it came inside of; None where it came by itself.
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
        """Why the version that was just made did not become the active one; None where it did, and where none was made."""
        return self._processed.held_back

    @cached_property
    def already_known(self) -> AlreadyKnown | None:
        """The answer "already in your system": where and since when, as far as the asker may see it (STO-13).

        None for a document that is new, and for one that came in under other policies only (STO-5).
        """
        request = self._processed.request
        if not self.reused or self.document_id is None or request is None:
            return None
        raw_hash = self._context.index.documents.get(self.document_id).raw_hash
        return self._context.index.documents.already_known(raw_hash, policy=request.told_as, before=self._asked_at)

    @cached_property
    def not_applied(self) -> str:
        """What was asked of the conversion of a known document that was not converted again; empty where nothing was.

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
        return f"not converted again: {wanted} was asked for, and the active version is by {was}"

    @property
    def was_attempted(self) -> bool:
        """Whether its turn came: False for what a run did not come to, because it was cut short."""
        result = self._processed.result
        receipts = result.failure_receipts if result is not None else ()
        return all(receipt.reason_code is not HardFailReason.NOT_ATTEMPTED for receipt in receipts)

    @cached_property
    def result(self) -> IngestionResult:
        """Everything known of the document; a failure where its stored version turns out to be damaged."""
        if self._processed.result is not None:
            return self._processed.result
        way_in = self._processed.request
        assert self.document_id is not None  # only unreadable sources have none, and they carry their result
        assert way_in is not None  # known documents have it
        instance = way_in.instance_id(self.document_id)
        record = self._context.index.documents.get(self.document_id, policy=way_in.policy)
        try:
            try:
                self._check_whole(record)
                return self._load(record, way_in)
            except LibraryDamaged:
                self._convert_again(way_in)
                record = self._context.index.documents.get(self.document_id, policy=way_in.policy)
                return self._load(record, way_in)
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

    def _load(self, record: DocumentRecord, way_in: IngestRequest) -> IngestionResult:
        return load_result(
            self._context,
            record,
            policy=way_in.policy,
            instance_id=way_in.instance_id(record.document_id),
            findings=way_in.findings,
        )

    def _check_whole(self, record: DocumentRecord) -> None:
        """Compare the files of a version that was reused with their hashes: a run of thousands has not read them.

        Raises:
            LibraryDamaged: one is missing or altered.
        """
        version = record.active_version
        if not self.reused or version is None:
            return
        if not is_whole(self._context.artifacts, record.raw_hash, version, read_contents=True):
            raise LibraryDamaged(f"version {version} is damaged: a file is missing or altered", source=self.source)

    def _convert_again(self, way_in: IngestRequest | None) -> None:
        """Have a document whose version turned out to be damaged converted again, where its original is to be had.

        Raises:
            LibraryDamaged: the library cannot be written, or the way in is not known.
            OctavoError: there is no original, or it could not be converted.
        """
        assert self.document_id is not None  # it was read from the library
        if way_in is None or self._context.read_only is not None:
            raise LibraryDamaged("a file of its version is missing or altered", source=self.source)
        with find_document(self._context, self.document_id).original.open() as source:
            processed = self._context.engine.ingestor.process(source, way_in)
        self.reused = processed.reused

    @cached_property
    def attachments(self) -> tuple[IngestOutcome, ...]:
        """What came inside it and was taken in, as documents of their own, each with what came inside that."""
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
        """Itself, then what came inside it, at any depth."""
        yield self
        for one in self.attachments:
            yield from one.walk()

    @property
    def document(self) -> Document:
        """The document in the library, as the corpus sees it that it was taken into; without one, as the owner does.

        Raises:
            UsageError: the source could not be read, so there is none.
        """
        if self.document_id is None:
            raise UsageError("its bytes could not be read, so the library has no such document", source=self.source)
        request = self._processed.request
        policy = request.corpus.policy if request is not None and request.corpus is not None else None
        return find_document(self._context, self.document_id, policy=policy)


Ingested = IngestOutcome
"""The former name of `IngestOutcome`, for one more release."""
