"""What is asked of the engine for documents, and what it answers for one."""

from __future__ import annotations

from dataclasses import dataclass, field

from octavo_contracts import ContentHashes, IngestionResult, IngestionState, NotAttempted

from ..assemble import build_failure
from ..pipeline import ConvertOptions
from ..sources import Source
from ..store import (
    CorpusRecord,
    KnownDocument,
    LocationType,
    PolicyContext,
    Sighting,
    document_id_for,
    source_instance_id_for,
)

SURFACES = (
    "corpus",
    "email_attachment",
    "browser_capture",
    "chat_attachment",
    "demonstration_capture",
    "task_output",
    "direct_upload",
    "watched_folder",
    "autonomous_gathering",
)
"""The ways in (ENG-1)."""

_LOCATIONS = {
    "email_attachment": LocationType.EMAIL_ATTACHMENT,
    "browser_capture": LocationType.BROWSER,
    "chat_attachment": LocationType.CHAT_ATTACHMENT,
    "demonstration_capture": LocationType.DEMONSTRATION_CAPTURE,
    "task_output": LocationType.TASK_OUTPUT,
}


@dataclass(frozen=True, kw_only=True)
class IngestRequest:
    """How documents come in and how they are to be converted.

    Attributes:
        corpus: the corpus they join, or None.
        surface: the way in (ENG-1).
        options: what the caller asked of the conversion.
        retry: convert again what failed before.
        entities: whether to look for entities; None: as corpus and settings say (ENT-1).
        may_tag: whether anybody might want entities, so that each document has to be asked about.
        run_id: the run that asks, for its events; None for a document by itself.
    """

    corpus: CorpusRecord | None = None
    surface: str = "direct_upload"
    options: ConvertOptions = field(default_factory=ConvertOptions)
    retry: bool = False
    entities: bool | None = None
    may_tag: bool = False
    run_id: str | None = None

    @property
    def policy(self) -> PolicyContext:
        """The corpus's policy, or the default one."""
        return self.corpus.policy if self.corpus else PolicyContext()

    @property
    def corpus_id(self) -> str | None:
        """The corpus's id, or None."""
        return self.corpus.corpus_id if self.corpus else None

    def sighting(self, path_ref: str | None) -> Sighting:
        """The encounter to record for a document at a path, or for bytes without one."""
        location = LocationType.LOCAL if path_ref else _LOCATIONS.get(self.surface, LocationType.DIRECT_UPLOAD)
        return Sighting(
            path=path_ref,
            location_type=location,
            surface=self.surface,
            corpus_id=self.corpus_id,
            policy=self.policy,
            run_id=self.run_id,
        )

    def instance_id(self, document_id: str) -> str:
        """The id of this way in for a document (STO-5)."""
        return source_instance_id_for(document_id, policy=self.policy, surface=self.surface, corpus_id=self.corpus_id)


@dataclass(frozen=True, kw_only=True)
class Processed:
    """What came of one document.

    Attributes:
        document_id: its id, or None where its bytes could not be read.
        reused: whether nothing had to be converted.
        result: the result where it is at hand; None: read it from the store.
        request: how it came in, for a result that is read from the store.
    """

    document_id: str | None
    reused: bool
    result: IngestionResult | None = None
    request: IngestRequest | None = None


def reused(known: KnownDocument, request: IngestRequest) -> Processed:
    """What is given for a known document: its result is read from the library when somebody asks for it."""
    return Processed(document_id=known.document_id, reused=True, request=request)


def cancelled(source: Source) -> IngestionResult:
    """The result of a document whose turn was cancelled; it is not stored."""
    return build_failure(
        NotAttempted("the run was cancelled", source=source.display),
        stage=IngestionState.CONVERSION_PENDING,
        document_id=document_id_for(source.raw_file_hash),
        original_ref=source.original_ref,
        hashes=ContentHashes(raw_file_hash=source.raw_file_hash),
    )
