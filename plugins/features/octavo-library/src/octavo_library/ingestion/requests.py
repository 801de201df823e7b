"""What is asked of the engine for documents, and what it answers for one."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Self

from octavo.conversion.ocr.recognition import PageReading
from octavo.conversion.options import CALLER, ConvertOptions
from octavo.settings.ocr import AUTOMATIC, OcrOptions
from octavo_contracts import IngestionResult, QualityFinding, RefScheme

from ..storage import (
    CorpusRecord,
    Index,
    Job,
    KnownDocument,
    LocationType,
    PolicyContext,
    Provenance,
    source_instance_id_for,
)
from ..storage.result_view import with_findings, without_shipped_type
from .activation import HeldBack

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

BY_USER = "the user"
"""Who asks for the plugin of a reconversion; what they choose stays the document's plugin."""

Given = str | os.PathLike[str]
"""A source of a run, as the caller gave it."""

_DEFAULT_POLICY = PolicyContext()
"""Made once: it is asked for with every known file of thousands."""


@dataclass(frozen=True, kw_only=True)
class AttachmentParent:
    """What a document came inside of.

    Attributes:
        to: id of that document.
        name: the name it has there; never a path.
        depth: 1 where that document came by itself, 2 where it came inside another one, and so on.
    """

    to: str
    name: str
    depth: int


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
        attached: what it came inside of; None for a document that came by itself.
        profile_asked: the profile that the caller named for this ingestion; None: that of the corpus or of the settings.
        asker: who asks for a reconversion; None: whoever the corpus makes it.
        earlier: page → what the active version has of it by recognition, which a reconversion keeps; None: nothing is kept.
        findings: what the way to the document showed; told in its own policy context, and no part of what is shared.
    """

    corpus: CorpusRecord | None = None
    surface: str = "direct_upload"
    options: ConvertOptions = field(default_factory=ConvertOptions)
    retry: bool = False
    entities: bool | None = None
    may_tag: bool = False
    run_id: str | None = None
    attached: AttachmentParent | None = None
    profile_asked: str | None = None
    asker: PolicyContext | None = None
    earlier: Mapping[int, PageReading] | None = None
    findings: tuple[QualityFinding, ...] = ()

    @property
    def policy(self) -> PolicyContext:
        """The policy context in which the document comes in: the corpus's, or the default one."""
        return self.corpus.policy if self.corpus else self.asker or _DEFAULT_POLICY

    @property
    def told_as(self) -> PolicyContext | None:
        """The policy context that is told what was known; None: whoever names no corpus is told what is not firewalled."""
        return self.corpus.policy if self.corpus else self.asker

    @property
    def corpus_id(self) -> str | None:
        """The corpus's id, or None."""
        return self.corpus.corpus_id if self.corpus else None

    @property
    def patience(self) -> float | None:
        """Seconds that a document by itself waits to be begun; None: one of a run waits as long as the run does."""
        return self.options.timeout if self.run_id is None else None

    def sighting(self, path_ref: str | None) -> Provenance:
        """The encounter to record for a document at a path, or for bytes without one."""
        location = _LOCATIONS.get(self.surface, LocationType.DIRECT_UPLOAD)
        if path_ref:
            is_web = path_ref.startswith(f"{RefScheme.URL}:")
            location = LocationType.WEB_FETCH if is_web else LocationType.LOCAL
        return Provenance(
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
class PersistedRequest:
    """What the index keeps of how a job was asked for, so that it can go on in another process (ENG-6).

    Attributes:
        path: where the document stood, as a reference, or None for bytes.
        surface: the way in.
        corpus_id: the corpus it joins, or None.
        activate: whether the version that is made becomes the active one; None: unless it loses pages or text.
        has_password: whether there was a password. It is not kept.
        entities: whether to look for entities, as `IngestRequest` has it.
        may_tag: whether anybody might want entities.
        options: the rest of what was asked of the conversion, as `ConvertOptions` takes it.
        attached: what it came inside of, or None.
        asker: the policy context that asked for a reconversion of a document of its own, or None.
        limits: what the settings allowed a conversion, as far as it differs from the defaults.
        findings: what the way to the document showed.
    """

    path: str | None
    surface: str
    corpus_id: str | None
    activate: bool | None = None
    has_password: bool = False
    entities: bool | None = None
    may_tag: bool = False
    options: ConvertOptions = field(default_factory=ConvertOptions)
    attached: AttachmentParent | None = None
    asker: PolicyContext | None = None
    limits: Mapping[str, float] = field(default_factory=dict)
    findings: tuple[QualityFinding, ...] = ()

    @classmethod
    def read(cls, text: str | None) -> Self | None:
        """From a job's `request_json`; None for a job that nobody asked a conversion of."""
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
            entities=kept.get("entities"),
            may_tag=kept.get("may_tag", False),
            options=options,
            attached=AttachmentParent(**kept["attached"]) if "attached" in kept else None,
            asker=PolicyContext(**kept["asker"]) if "asker" in kept else None,
            limits=kept.get("limits", {}),
            findings=tuple(QualityFinding.model_validate_json(json.dumps(one)) for one in kept.get("findings", ())),
        )

    def request(self, corpus: CorpusRecord | None, *, run_id: str | None) -> IngestRequest:
        """The request again.

        Args:
            corpus: the corpus of `corpus_id`.
            run_id: the run that asked.
        """
        return IngestRequest(
            corpus=corpus,
            surface=self.surface,
            options=self.options,
            retry=True,
            entities=self.entities,
            may_tag=self.may_tag,
            run_id=run_id,
            attached=self.attached,
            asker=self.asker,
            findings=self.findings,
        )


def serialize_request(
    request: IngestRequest,
    path_ref: str | None,
    *,
    activate: bool | None = None,
    limits: Mapping[str, float] | None = None,
) -> str:
    """What `PersistedRequest.read` reads; what is as by default is left out."""
    options = request.options
    kept: dict[str, Any] = {"path": path_ref, "surface": request.surface, "corpus_id": request.corpus_id}
    if activate is not None:
        kept["activate"] = activate
    if options.password is not None:
        kept["has_password"] = True
    if request.may_tag:
        kept["may_tag"] = True
        kept["entities"] = request.entities
    kept |= {
        name: value
        for name, value in (
            ("overrides", options.overrides),
            ("standing", options.standing),
            ("profile", options.profile),
            ("timeout", options.timeout),
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
    if request.findings:
        kept["findings"] = [json.loads(one.to_json()) for one in request.findings]
    return json.dumps(kept)


def _wishes(kept: dict[str, Any], name: str) -> tuple[tuple[str, str], ...]:
    return tuple((plugin, by) for plugin, by in kept.get(name, ()))


def corpus_overrides(index: Index, corpus: CorpusRecord | None) -> tuple[tuple[str, str], ...]:
    """The plugin that a user set for a corpus, and who says so, as `ConvertOptions.standing` takes it; empty without one."""
    plugin = index.corpora.get_override(corpus_id=corpus.corpus_id) if corpus is not None else None
    return ((plugin, "its corpus"),) if plugin and corpus is not None else ()


def findings_of(job: Job) -> tuple[QualityFinding, ...]:
    """What the way in that began a job showed of the way to its document."""
    if '"findings"' not in (job.request_json or ""):
        return ()
    remembered = PersistedRequest.read(job.request_json)
    return remembered.findings if remembered is not None else ()


def is_attachment(job: Job) -> bool:
    """Whether a job takes in what came inside a document: nobody would bring those bytes again."""
    remembered = PersistedRequest.read(job.request_json)
    return remembered is not None and remembered.attached is not None


def _ocr_options(kept: dict[str, Any]) -> OcrOptions:
    pages = kept.pop("pages")
    return OcrOptions(pages=tuple(pages) if pages is not None else None, **kept)


@dataclass(frozen=True, kw_only=True)
class ProcessedDocument:
    """What came of one document.

    Attributes:
        document_id: its id, or None where its bytes could not be read.
        reused: whether the document was known, as far as the asker is told (STO-5).
        result: the result where it is at hand; None: read it from the store.
        request: how it came in, for a result that is read from the store.
        has_attachments: whether documents may have come inside it.
        attached: those that were taken in with it.
        held_back: why the version that was just made of it did not become the active one, or None.
        is_shared: whether its stored conversion is given, whoever it was made for; the asker is not told.
        was_told: whether the asker had it before, also where it was converted again by wish.
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
"""A source of a run, and what came of it."""


@dataclass(frozen=True, kw_only=True)
class IngestedAttachment:
    """A document that came inside another one.

    Attributes:
        attached: what it came inside of.
        processed: what came of it.
    """

    attached: AttachmentParent
    processed: ProcessedDocument


def reused(known: KnownDocument, request: IngestRequest) -> ProcessedDocument:
    """What is given for a known document: its result is read from the library when somebody asks for it."""
    return ProcessedDocument(
        document_id=known.document_id,
        reused=known.is_told,
        request=request,
        has_attachments=known.has_attachments,
        is_shared=True,
        was_told=known.is_told,
    )


def fresh(result: IngestionResult, request: IngestRequest) -> ProcessedDocument:
    """What is given for a document that was converted, or could not be."""
    inside = any(attached.document_id is not None for attached in result.attachments)
    result = without_shipped_type(with_findings(result, request.findings))
    return ProcessedDocument(
        document_id=result.document_id, reused=False, result=result, request=request, has_attachments=inside
    )
