"""Builds the results of conversions without a library: nothing is stored, references are `memory:` (ENG-19)."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from octavo_contracts import (
    Attachment,
    ContentHashes,
    FailureReceipt,
    IngestionResult,
    IngestionState,
    OcrConfidenceSummary,
    OctavoError,
    QualityFinding,
    Retry,
    UsageError,
    memory_ref,
)
from octavo_sandbox.egress.targets import is_url
from octavo_text.document_pages import DocumentPage, pages_of
from octavo_text.version_texts import Refs

from ..builtins.quality.agreement_signals import READINGS_DIFFER
from ..documents.ids import document_id_for
from ..documents.location import place_ref, shown_url
from ..documents.openers import open_url
from ..documents.source import Source, SourceLike, as_given, as_source, printable
from ..formats import is_textual
from ..runtime import Runtime, default_runtime
from . import empty_text as emptiness
from .assembly import (
    ConversionTrace,
    DocumentIdentity,
    build_failure,
    build_report,
    build_result,
    classification_receipt,
)
from .attachments import NO_ATTACHMENTS, Listing, listed
from .converter_notes import converter_notes
from .inspection import inspection_findings
from .options import ConvertOptions
from .output_formats import Rendition, output_format
from .pipeline import run
from .profile_metadata import check_metadata_readers, markdown_pages_of, with_metadata
from .report_text import OF_READERS, described
from .states import ConversionFailed, ConversionOutcome, ConvertedVersion
from .text_chunks import TextChunk, text_chunks

if TYPE_CHECKING:
    from .images.document_images import DocumentImages


@dataclass(frozen=True, kw_only=True, repr=False)
class ConvertedDocument:
    """A converted document with its texts.

    Attributes:
        result: everything that is known about the document.
        markdown: its text with structure; empty if the conversion failed.
        text: the canonical text, in which offsets count; empty if the conversion failed.
        attachments: documents inside it with their bytes, such as those of a message or an archive.
        images: its images, if the options ask for them.
    """

    result: IngestionResult
    markdown: str = ""
    text: str = ""
    attachments: tuple[Attachment, ...] = ()
    images: DocumentImages | None = None

    @property
    def why_empty(self) -> QualityFinding | None:
        """Why there is no text; None if there is text, or if the document failed: then its receipt says why."""
        if self.result.ingestion_status == "hard_failed":
            return None
        return emptiness.why_empty(self.result.quality_report, self.text)

    @property
    def pages(self) -> list[DocumentPage]:
        """Its pages with their texts; a document without pages has one page with the whole text, a failed one none."""
        if self.result.ingestion_status == "hard_failed":
            return []
        return pages_of(self.result.page_anchor_map, canonical=self.text, markdown=self.markdown)

    @property
    def chunks(self) -> tuple[TextChunk, ...]:
        """Its chunks with text, page and offsets, for an index; empty where it failed."""
        return text_chunks(self.result, self.text)

    def render(self, form: str, *, source: str = "document") -> str:
        """The document in a form.

        Args:
            form: `md`, `text` (paragraphs without marks), `html`, `json`, `chunks` or `pages` (JSON Lines).
            source: what chunks and pages name as their document.

        Raises:
            UsageError: no such form.
        """
        rendition = Rendition(result=self.result, markdown=self.markdown, text=self.text, source=source)
        return rendition.render(output_format(form))

    def __repr__(self) -> str:
        return described(self.result, length=len(self.text))

    def _repr_html_(self) -> str:
        """For notebooks: what is known of the document, then the beginning of its text."""
        from .rich_display import html_display

        return html_display(self.result, self.markdown, title=self.result.metadata.title or "")

    def markdown_with_page_marks(self) -> str:
        """Return the markdown with `<!-- page N -->` before each page; without marks for a document without pages."""
        return with_page_marks(self.markdown, self.result)


def convert_source(
    source: SourceLike,
    options: ConvertOptions | None = None,
    *,
    name: str | None = None,
    runtime: Runtime | None = None,
) -> ConvertedDocument:
    """Implement `octavo.convert`, for callers that already imported this module.

    Raises:
        UsageError: the plugin or profile does not exist.
    """
    used = runtime or default_runtime()
    options = options or ConvertOptions()
    if options.plugin is not None:
        used.catalogue.get(options.plugin)
    profile = used.profile(options.profile)
    if profile.metadata:
        check_metadata_readers(profile)
    given, name = as_given(source, name)
    source = given if isinstance(given, bytes) else as_source(given)
    try:
        opened = open_url(source, options, used) if is_url(source) else open_source(source, name=name)
    except OctavoError as error:
        if error.reason is None:
            raise
        return ConvertedDocument(result=unreadable(error, source=source, name=name))
    with opened:
        try:
            outcome = run(used, opened, options)
        except ConversionFailed as failed:
            return ConvertedDocument(result=failure_result(failed, opened, sandbox_level=used.pool.level))
        except OctavoError as error:
            if error.reason is None:
                raise
            return ConvertedDocument(
                result=failure_result(ConversionFailed(error), opened, sandbox_level=used.pool.level)
            )
        version = outcome.versions[outcome.active]
        refs = Refs(
            original=opened.original_ref,
            conversion=memory_ref(version.texts.canonical.sha256),
            markdown=memory_ref(hashlib.sha256(version.texts.markdown.encode()).hexdigest()),
            canonical=memory_ref(version.texts.canonical.sha256),
        )
        result = success_result(outcome, version, opened, refs, sandbox_level=used.pool.level)
        if profile.metadata:
            text = version.texts.canonical
            result = with_metadata(
                result, profile.metadata, text, markdown_pages_of(result, text, version.texts.markdown)
            )
        images = _images(used, opened, options, outcome, version) if options.images else None
        return ConvertedDocument(
            result=result,
            markdown=version.texts.markdown,
            text=version.texts.canonical.text,
            attachments=version.conversion.attachments,
            images=images,
        )


def _images(
    runtime: Runtime, source: Source, options: ConvertOptions, outcome: ConversionOutcome, version: ConvertedVersion
) -> DocumentImages:
    from .images.document_images import images_of  # imported here: few conversions ask for images

    return images_of(
        runtime,
        source,
        media_type=outcome.inspection.detected.media_type,
        attachments=version.conversion.attachments,
        password=runtime.settings.password_for(options.password),
        cancel=options.cancel,
    )


def open_source(source: str | os.PathLike[str] | bytes, *, name: str | None) -> Source:
    """Open a path, or wrap bytes.

    Raises:
        SourceMissing: the path cannot be read.
        UsageError: bytes without a name.
    """
    if isinstance(source, bytes):
        if not name:
            raise UsageError(
                "bytes need a name: its extension helps to detect text formats", remedy="Give name='letter.txt'"
            )
        return Source.from_bytes(source, name=name)
    return Source.from_path(source)


def unreadable(error: OctavoError, *, source: str | os.PathLike[str] | bytes, name: str | None) -> IngestionResult:
    """Build the result of a source that could not be opened."""
    ref = memory_ref(hashlib.sha256(source).hexdigest()) if isinstance(source, bytes) else place_ref(source)
    error.located(source=name or _shown(source))
    document = DocumentIdentity(document_id=None, original_ref=ref)
    result = build_failure(error, stage=IngestionState.REGISTERED, document=document)
    # The job has no document to wait for a retry with, so this failure is never retried automatically.
    receipts = tuple(one.model_copy(update={"retry": Retry.MANUAL}) for one in result.failure_receipts)
    return result.model_copy(update={"failure_receipts": receipts})


def _shown(source: str | os.PathLike[str] | bytes) -> str | None:
    if isinstance(source, bytes):
        return None
    return shown_url(source) if is_url(source) else printable(os.fspath(source))


def source_hashes(source: Source, *, media_type: str | None) -> ContentHashes:
    """Compute the hashes that need no conversion."""
    textual = media_type is not None and is_textual(media_type)
    return ContentHashes(
        raw_file_hash=source.raw_file_hash, normalized_binary_hash=source.normalized_binary_hash(textual=textual)
    )


def failure_result(failed: ConversionFailed, source: Source, *, sandbox_level: str | None) -> IngestionResult:
    """Build the result of a document that no plugin could convert."""
    inspection = failed.inspection
    return build_failure(
        failed.error.located(source=source.display),
        stage=IngestionState.CONVERSION_FAILED,
        document=DocumentIdentity(
            document_id=document_id_for(source.raw_file_hash),
            original_ref=source.original_ref,
            hashes=source_hashes(source, media_type=inspection.detected.media_type if inspection else None),
        ),
        classification=inspection.classification if inspection else None,
        trace=ConversionTrace(attempts=failed.attempts, fallbacks=failed.fallbacks, sandbox_level=sandbox_level),
    )


def success_result(
    outcome: ConversionOutcome,
    version: ConvertedVersion,
    source: Source,
    refs: Refs,
    *,
    sandbox_level: str | None,
    source_instance_id: str | None = None,
    attachments: Listing | None = None,
    findings: Sequence[QualityFinding] = (),
) -> IngestionResult:
    """Build the result of one version of a converted document.

    Args:
        outcome: outcome of the conversion.
        version: the version.
        source: the document.
        refs: references to the version's artifacts.
        sandbox_level: confinement of the worker.
        source_instance_id: the document's provenance in a library.
        attachments: its attachments, with those selected for ingestion; None: there is no library.
        findings: further findings for the report.
    """
    # The host imports these while it waits for the first worker: see `pipeline`.
    from octavo_text.document_titles import titled

    from .scoring import SCORED_BY
    from .steps import steps_for

    inspection = outcome.inspection
    own = version.conversion.attachments
    inside = attachments or (listed(own) if own else NO_ATTACHMENTS)
    draft = version.draft
    steps = steps_for(draft)
    found: list[QualityFinding] = [
        *source.findings,
        *inspection_findings(inspection),
        *(finding for step in steps for finding in step.findings(draft)),
        *inside.findings,
        *findings,
    ]
    receipts: Sequence[FailureReceipt] = ()
    if inspection.classification is None:
        receipt, finding = classification_receipt(
            inspection.classification_error or "the classifier returned no verdict"
        )
        receipts = (receipt,)
        found.append(finding)
    reported = (*version.assessment.findings, *found)
    if version.conversion.warnings:
        reported += converter_notes(version.conversion, told={finding.flag for finding in reported})
    unread = draft.recognition.unread
    of_readers = OF_READERS | {READINGS_DIFFER}  # what they make of an unreadable text says nothing
    reported = tuple(one for one in reported if one.page not in unread or one.flag not in of_readers)
    if not any((page.text or "").strip() for page in version.conversion.pages):
        reported = emptiness.with_reason(reported, source=source, inspection=inspection, version=version)
    recognised, classification = OcrConfidenceSummary(), inspection.classification
    for step in steps:
        recognised = step.ocr_summary(draft, recognised)
        classification = step.classification(draft, classification) if classification is not None else None
    report = build_report(
        version.assessment.model_copy(update={"findings": reported}),
        source_ref=refs.original,
        conversion_ref=refs.conversion,
        tool=version.candidate.plugin.name,
        tool_reason=version.candidate.because,
        fallbacks=version.fallbacks,
        ocr=recognised,
        extensions={SCORED_BY: version.scored_by},
    )
    hashes = source_hashes(source, media_type=inspection.detected.media_type)
    return build_result(
        version.texts,
        document=DocumentIdentity(
            document_id=document_id_for(source.raw_file_hash),
            original_ref=refs.original,
            hashes=hashes.model_copy(update={"source_instance_id": source_instance_id}),
        ),
        refs=refs,
        report=report,
        classification=classification,
        metadata=titled(version.conversion),
        attachments=inside.refs,
        trace=ConversionTrace(attempts=version.attempts, receipts=receipts, sandbox_level=sandbox_level),
    )


def with_page_marks(markdown: str, result: IngestionResult, *, pages: Sequence[str] | None = None) -> str:
    """Insert `<!-- page N -->` on its own line before each page, with a note if the page's text is doubtful.

    Args:
        markdown: of the document.
        result: its result.
        pages: the markdown of each page, where it is not that of `markdown`.
    """
    from .ocr.merge import reader_note

    anchors = list(result.page_anchor_map.anchors())
    report = result.quality_report
    if not anchors:
        note = reader_note(report)
        return f"<!-- {note} -->\n\n{markdown}" if note else markdown
    parts = []
    bodies = pages or [markdown[anchor.markdown_start : anchor.markdown_end] for anchor in anchors]
    for anchor, body in zip(anchors, bodies, strict=True):
        note = reader_note(report, anchor.page)
        mark = f"<!-- page {anchor.page}{f'; {note}' if note else ''} -->"
        parts.append(f"{mark}\n\n{body}".rstrip())
    return "\n\n".join(parts)
