"""Requests to ingest documents, how the index stores them, and the result of one document."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Self

from octavo.conversion.options import CALLER, ConvertOptions
from octavo.settings.ocr import AUTOMATIC, OcrOptions
from octavo_contracts import IngestionResult, QualityFinding

from ..storage import (
    CorpusRecord,
    DeclaredMetadata,
    Job,
    KnownDocument,
    MetadataDecision,
    PolicyContext,
    Provenance,
    entry_ref,
    source_instance_id_for,
)
from ..storage.result_view import with_findings, without_shipped_type
from .activation import HeldBack
from .corpus_limits import limits_of
from .location_types import location_type

if TYPE_CHECKING:
    from octavo.conversion.ocr.recognition import PageReading

BY_USER = "the user"
"""Who chose the plugin of a reconversion; a plugin that the user chose stays the plugin of the document."""

Given = str | os.PathLike[str]
"""A source of a run, as the caller gave it."""

_DEFAULT_POLICY = PolicyContext()  # created once, for thousands of known files


@dataclass(frozen=True, kw_only=True)
class AttachmentParent:
    """The document to which an attachment belongs.

    Attributes:
        to: id of the parent document.
        name: name of the attachment in its parent; never a path.
        depth: 1 if the parent is not an attachment itself, 2 if it is one, and so on.
    """

    to: str
    name: str
    depth: int


@dataclass(frozen=True, kw_only=True)
class IngestRequest:
    """How documents enter the library and how to convert them.

    Attributes:
        corpus: the corpus they join, or None.
        surface: how they enter (ENG-1).
        options: the caller's conversion options.
        retry: convert documents again that failed before.
        entities: whether to extract entities; None: as corpus and settings say (ENT-1).
        entity_types: the entity types of this run; None: as document type, corpus and settings say.
        may_tag: whether entities may be wanted at all, so that each document has to be checked.
        briefs: whether summaries are made in the background (INT-1).
        run_id: id of the run, for its events; None for a single document.
        attached: the parent of an attachment; None for any other document.
        profile_asked: the profile that the caller named for this ingestion; None: that of the corpus or the settings.
        is_by_rules: whether the rules of the profile choose, although a plugin is set for the document.
        asker: the policy context that requests a reconversion; None: that of the corpus.
        earlier: page → its recognised text in the active version, which a reconversion keeps; None: nothing is kept.
        findings: findings made while opening the source; shown in their own policy context only, never shared.
        metadata: what the caller declares of the documents; None: nothing (ENG-21).
        known_metadata: what to do if known bytes were declared with other metadata.
        location: the kind of place that the caller stated (STO-18); None: it follows from path and surface.
        name: name of bytes without a path.
    """

    corpus: CorpusRecord | None = None
    surface: str = "direct_upload"
    options: ConvertOptions = field(default_factory=ConvertOptions)
    retry: bool = False
    entities: bool | None = None
    entity_types: tuple[str, ...] | None = None
    may_tag: bool = False
    briefs: bool = False
    run_id: str | None = None
    attached: AttachmentParent | None = None
    profile_asked: str | None = None
    is_by_rules: bool = False
    asker: PolicyContext | None = None
    earlier: Mapping[int, PageReading] | None = None
    findings: tuple[QualityFinding, ...] = ()
    metadata: DeclaredMetadata | None = None
    known_metadata: MetadataDecision = "ask"
    location: str | None = None
    name: str | None = None

    @property
    def policy(self) -> PolicyContext:
        """The policy context of the ingestion: the corpus's, or the asker's, or the default one."""
        return self.corpus.policy if self.corpus else self.asker or _DEFAULT_POLICY

    @property
    def told_as(self) -> PolicyContext | None:
        """The policy context that learns what is known; None without a corpus: all contexts that are not firewalled."""
        return self.corpus.policy if self.corpus else self.asker

    @property
    def size_limits(self) -> dict[str, int]:
        """The limits on the size of documents that the corpus sets (ENG-20)."""
        return limits_of([self.corpus]) if self.corpus is not None else {}

    @property
    def corpus_id(self) -> str | None:
        """The corpus's id, or None."""
        return self.corpus.corpus_id if self.corpus else None

    @property
    def patience(self) -> float | None:
        """Seconds that a single document waits to start; None in a run: its documents wait as long as the run does."""
        return self.options.timeout if self.run_id is None else None

    def sighting(self, path_ref: str | None) -> Provenance:
        """The provenance to record for a document at a path, or for bytes without one."""
        location = location_type(path_ref, surface=self.surface, given=self.location)
        name = self.attached.name if self.attached else self.name
        if path_ref is None and name is not None:
            path_ref = entry_ref(self.surface, name)
        return Provenance(
            path=path_ref,
            location_type=location,
            surface=self.surface,
            corpus_id=self.corpus_id,
            policy=self.policy,
            run_id=self.run_id,
        )

    def instance_id(self, document_id: str) -> str:
        """The source instance id of a document that enters by this request (STO-5)."""
        return source_instance_id_for(document_id, policy=self.policy, surface=self.surface, corpus_id=self.corpus_id)


@dataclass(frozen=True, kw_only=True)
class PersistedRequest:
    """The request of a job as the index stores it, so that another process can resume the job (ENG-6).

    Attributes:
        path: path of the document as a reference, or None for bytes.
        surface: how the document entered.
        corpus_id: the corpus it joins, or None.
        activate: whether the new version becomes the active one; None: unless it loses pages or text.
        has_password: whether a password was given. The password itself is not stored.
        entities: as in `IngestRequest`.
        entity_types: as in `IngestRequest`.
        may_tag: as in `IngestRequest`.
        briefs: as in `IngestRequest`.
        options: the other conversion options.
        attached: the parent of an attachment, or None.
        is_by_rules: as in `IngestRequest`.
        asker: the policy context that requested a reconversion of one of its own documents, or None.
        limits: the conversion limits of the settings that differ from the defaults.
        size_limits: as in `IngestRequest`.
        findings: findings made while opening the source.
        metadata: as in `IngestRequest`; so are `location` and `name`.
    """

    path: str | None
    surface: str
    corpus_id: str | None
    activate: bool | None = None
    has_password: bool = False
    entities: bool | None = None
    entity_types: tuple[str, ...] | None = None
    may_tag: bool = False
    briefs: bool = False
    options: ConvertOptions = field(default_factory=ConvertOptions)
    attached: AttachmentParent | None = None
    is_by_rules: bool = False
    asker: PolicyContext | None = None
    limits: Mapping[str, float] = field(default_factory=dict)
    size_limits: Mapping[str, int] = field(default_factory=dict)
    findings: tuple[QualityFinding, ...] = ()
    metadata: DeclaredMetadata | None = None
    location: str | None = None
    name: str | None = None

    @classmethod
    def read(cls, text: str | None) -> Self | None:
        """Parse a job's `request_json`; None for a job that does not convert."""
        kept: dict[str, Any] = json.loads(text or "{}")
        if "surface" not in kept:
            return None
        plugin, asked_by = next(iter(_wishes(kept, "overrides")), (None, CALLER))
        options = ConvertOptions(
            plugin=plugin,
            asked_by=asked_by,
            standing=_wishes(kept, "standing"),
            profile=kept.get("profile"),
            timeout=kept.get("timeout"),
            ocr=_ocr_options(kept["ocr"]) if "ocr" in kept else AUTOMATIC,
        )
        return cls(
            path=kept.get("path"),
            surface=kept["surface"],
            corpus_id=kept.get("corpus_id"),
            activate=kept.get("activate"),
            has_password=kept.get("has_password", False),
            is_by_rules=kept.get("is_by_rules", False),
            entities=kept.get("entities"),
            entity_types=tuple(kept["entity_types"]) if "entity_types" in kept else None,
            may_tag=kept.get("may_tag", False),
            briefs=kept.get("briefs", False),
            options=options,
            attached=AttachmentParent(**kept["attached"]) if "attached" in kept else None,
            asker=PolicyContext(**kept["asker"]) if "asker" in kept else None,
            limits=kept.get("limits", {}),
            size_limits=kept.get("size_limits", {}),
            findings=tuple(QualityFinding.model_validate_json(json.dumps(one)) for one in kept.get("findings", ())),
            metadata=DeclaredMetadata.read(kept.get("metadata")),
            location=kept.get("location"),
            name=kept.get("name"),
        )

    def request(self, corpus: CorpusRecord | None, *, run_id: str | None) -> IngestRequest:
        """Restore the request.

        Args:
            corpus: the corpus of `corpus_id`.
            run_id: the run that made the request.
        """
        return IngestRequest(
            corpus=corpus,
            surface=self.surface,
            options=self.options,
            retry=True,
            entities=self.entities,
            entity_types=self.entity_types,
            may_tag=self.may_tag,
            briefs=self.briefs,
            run_id=run_id,
            attached=self.attached,
            is_by_rules=self.is_by_rules,
            asker=self.asker,
            findings=self.findings,
            metadata=self.metadata,
            location=self.location,
            name=self.name,
        )


def serialize_request(
    request: IngestRequest,
    path_ref: str | None,
    *,
    activate: bool | None = None,
    limits: Mapping[str, float] | None = None,
) -> str:
    """Serialize a request for `PersistedRequest.read`; defaults are left out."""
    options = request.options
    kept: dict[str, Any] = {"path": path_ref, "surface": request.surface, "corpus_id": request.corpus_id}
    if activate is not None:
        kept["activate"] = activate
    if options.password is not None:
        kept["has_password"] = True
    if request.is_by_rules:
        kept["is_by_rules"] = True
    if request.may_tag:
        kept["may_tag"] = True
        kept["entities"] = request.entities
        if request.entity_types is not None:
            kept["entity_types"] = list(request.entity_types)
    if request.briefs:
        kept["briefs"] = True
    kept |= {
        name: value
        for name, value in (
            ("overrides", options.overrides),
            ("standing", options.standing),
            ("profile", options.profile),
            ("timeout", options.timeout),
            ("location", request.location),
            ("name", request.name),
        )
        if value
    }
    if options.ocr != AUTOMATIC:
        kept["ocr"] = asdict(options.ocr)
    if request.attached is not None:
        kept["attached"] = asdict(request.attached)
    if request.asker is not None:
        kept["asker"] = asdict(request.asker)
    if limits:
        kept["limits"] = dict(limits)
    if size_limits := request.size_limits:
        kept["size_limits"] = size_limits
    if request.metadata is not None:
        kept["metadata"] = request.metadata.to_json()
    if request.findings:
        kept["findings"] = [json.loads(one.to_json()) for one in request.findings]
    return json.dumps(kept)


def _wishes(kept: dict[str, Any], name: str) -> tuple[tuple[str, str], ...]:
    return tuple((plugin, by) for plugin, by in kept.get(name, ()))


def findings_of(job: Job) -> tuple[QualityFinding, ...]:
    """The findings that were made while opening the source of a job."""
    if '"findings"' not in (job.request_json or ""):
        return ()
    persisted = PersistedRequest.read(job.request_json)
    return persisted.findings if persisted is not None else ()


def is_attachment(job: Job) -> bool:
    """Whether a job ingests an attachment. Such a job must be resumed: no caller supplies those bytes again."""
    persisted = PersistedRequest.read(job.request_json)
    return persisted is not None and persisted.attached is not None


def _ocr_options(kept: dict[str, Any]) -> OcrOptions:
    pages = kept.pop("pages")
    return OcrOptions(pages=tuple(pages) if pages is not None else None, **kept)


@dataclass(frozen=True, kw_only=True)
class ProcessedDocument:
    """The result of one document.

    Attributes:
        document_id: its id, or None if its bytes could not be read.
        reused: whether the document was known, as far as the asker may learn that (STO-5).
        result: the result if it is in memory; None: read it from the store.
        request: the request, for a result that is read from the store.
        has_attachments: whether it may have attachments.
        attached: the attachments that were ingested with it.
        held_back: why its new version did not become the active one, or None.
        is_shared: whether this is a stored conversion, for whichever policy context it was made; the asker must not
            learn this.
        was_told: whether the asker had the document before, even if it was converted again on request.
    """

    document_id: str | None
    reused: bool
    result: IngestionResult | None = None
    request: IngestRequest | None = None
    has_attachments: bool = False
    attached: tuple[IngestedAttachment, ...] = ()
    held_back: HeldBack | None = None
    is_shared: bool = False
    was_told: bool = False


SourceResult = tuple[Given, ProcessedDocument]
"""A source of a run, and its result."""


@dataclass(frozen=True, kw_only=True)
class IngestedAttachment:
    """An attachment that was ingested.

    Attributes:
        attached: its parent.
        processed: its result.
    """

    attached: AttachmentParent
    processed: ProcessedDocument


def reused(known: KnownDocument, request: IngestRequest) -> ProcessedDocument:
    """The result of a known document; read from the library when it is first used."""
    return ProcessedDocument(
        document_id=known.document_id,
        reused=known.is_told,
        request=request,
        has_attachments=known.has_attachments,
        is_shared=True,
        was_told=known.is_told,
    )


def fresh(result: IngestionResult, request: IngestRequest) -> ProcessedDocument:
    """The result of a document that was converted just now, or whose conversion failed."""
    inside = any(attached.document_id is not None for attached in result.attachments)
    if request.findings:
        result = with_findings(result, request.findings)
    if request.options.profile is not None:  # only then there is another verdict
        result = without_shipped_type(result)
    return ProcessedDocument(
        document_id=result.document_id, reused=False, result=result, request=request, has_attachments=inside
    )
