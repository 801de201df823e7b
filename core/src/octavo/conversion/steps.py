"""The steps between a plugin's conversion and its score, in order.

Each step changes the draft of a conversion, and contributes to the evidence, the quality report and the
classification. A step that does not apply to a draft is skipped: a text file never enters OCR. To add a step, write a class
here and add it to `STEPS`. A step imports its tools in the methods that use them.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from functools import partial
from typing import Protocol

from octavo_contracts import (
    Capability,
    Category,
    DocumentClassification,
    OcrConfidenceSummary,
    QualityEvidence,
    QualityFinding,
)
from octavo_contracts.authoring import PAGE_CONFIDENCES

from ..builtins.pdf_forms.fields import NO_FORM
from . import audio, form_fields
from .classification import typed_by_text
from .conversion_services import ConversionServices, Places
from .ocr import NOTHING, Recognition, RecognitionTask
from .ocr.needs_ocr import IMAGES, PDF, RENDERED, is_paged_picture
from .states import Draft


class Step(Protocol):
    """One step. The default methods change nothing."""

    name: str
    """For messages and tests."""
    on_parts: bool = False
    """Whether the step also runs on pages that another plugin converts again, before they are merged."""

    def applies(self, draft: Draft) -> bool:
        """Return whether the step may have work or findings for a draft. Called before every other method: must be cheap."""
        return True

    def apply(self, draft: Draft, services: ConversionServices) -> Draft:
        """Return the draft after the step.

        Raises:
            OctavoError: the document cannot be converted this way.
        """
        return draft

    def evidence(self, draft: Draft, evidence: QualityEvidence) -> QualityEvidence:
        """Return the evidence for scoring, with the step's contribution."""
        return evidence

    def findings(self, draft: Draft) -> Sequence[QualityFinding]:
        """Return the step's findings for the quality report."""
        return ()

    def ocr_summary(self, draft: Draft, summary: OcrConfidenceSummary) -> OcrConfidenceSummary:
        """Return the OCR summary of the quality report, with the step's contribution."""
        return summary

    def classification(self, draft: Draft, classification: DocumentClassification) -> DocumentClassification:
        """Return the classification, updated with the step's results."""
        return classification


class FormFields(Step):
    """Adds filled form fields that the converter left out to the end of their pages."""

    name = "form_fields"
    on_parts = True

    def applies(self, draft: Draft) -> bool:
        """See `Step`."""
        return draft.document.inspection.form != NO_FORM

    def apply(self, draft: Draft, services: ConversionServices) -> Draft:
        """See `Step`."""
        form = draft.document.inspection.form
        if not form.fields:
            return draft
        conversion = form_fields.with_fields(draft.conversion, form)
        return replace(draft, conversion=conversion, converted=conversion)

    def findings(self, draft: Draft) -> Sequence[QualityFinding]:
        """See `Step`."""
        return form_fields.findings(draft.conversion, draft.document.inspection.form)


class PageRecords(Step):
    """Completes the classification's record of every page of a PDF, of which the inspection reads a few (CLS-2)."""

    name = "page_records"

    def applies(self, draft: Draft) -> bool:
        """See `Step`."""
        classification = draft.document.inspection.classification
        if draft.document.media_type != PDF or classification is None:
            return False
        from .ocr.page_records import without_record

        return bool(without_record(classification))

    def apply(self, draft: Draft, services: ConversionServices) -> Draft:
        """See `Step`. The pages that the converter's text does not describe are examined in a worker."""
        from .ocr.page_records import plain_pages, without_record

        classification = draft.document.inspection.classification
        missing = without_record(classification) if classification is not None else []
        density = draft.document.runtime.settings.classification.scanned_density
        reads_scans = Capability.SCANS in draft.candidate.plugin.manifest.capabilities
        draft = replace(draft, plain=plain_pages(draft.converted, missing, density=density, reads_scans=reads_scans))
        if unclear := [page for page in missing if page not in draft.plain]:
            from .ocr.page_examination import examined

            examined(draft.document.runtime, _ocr_task(draft, services), unclear)
        return draft

    def classification(self, draft: Draft, classification: DocumentClassification) -> DocumentClassification:
        """See `Step`."""
        from .ocr.page_records import with_all_pages

        return with_all_pages(classification, draft.plain, draft.document.looked)


class PageRecognition(Step):
    """Replaces pages without a trustworthy text layer by recognised text (OCR-1, OCR-2)."""

    name = "page_recognition"

    def applies(self, draft: Draft) -> bool:
        """See `Step`. Explicit OCR options are checked for every media type, so that unsupported ones are refused."""
        asked = draft.document.options.ocr
        return (
            draft.recognition is not NOTHING
            or asked.pages is not None
            or asked.engine is not None
            or (draft.document.media_type in RENDERED and is_paged_picture(draft.document.media_type, draft.conversion))
        )

    def apply(self, draft: Draft, services: ConversionServices) -> Draft:
        """See `Step`."""
        from .ocr import recognise

        document = draft.document
        recognition = recognise(
            document.runtime,
            _ocr_task(draft, services),
            draft.conversion,
            document.inspection.classification,
            reads_scans=Capability.SCANS in draft.candidate.plugin.manifest.capabilities,
        )
        return _recognised(draft, recognition)

    def evidence(self, draft: Draft, evidence: QualityEvidence) -> QualityEvidence:
        """See `Step`."""
        from .ocr import merge as merging

        return merging.with_recognition(evidence, draft.recognition)

    def findings(self, draft: Draft) -> Sequence[QualityFinding]:
        """See `Step`; findings about pages or pictures, since a document has only one of the two."""
        from .ocr import merge as merging

        doubtful_below = draft.document.runtime.settings.ocr.doubtful_below
        return merging.findings(draft.recognition, draft.converted, doubtful_below=doubtful_below)

    def ocr_summary(self, draft: Draft, summary: OcrConfidenceSummary) -> OcrConfidenceSummary:
        """See `Step`."""
        from .ocr import merge as merging

        return merging.summary(draft.recognition)

    def classification(self, draft: Draft, classification: DocumentClassification) -> DocumentClassification:
        """See `Step`. A scan has its type from the text that was recognised on it (CLS-3)."""
        from ..builtins.classification.document_types import UNKNOWN
        from .ocr import merge as merging

        recorded = merging.recorded(classification, draft.recognition)
        if not recorded.has_scanned_pages or recorded.document_type != UNKNOWN:
            return recorded
        document = draft.document
        described = draft.recognition.descriptions
        texts = ["" if page.number in described else page.text or "" for page in draft.conversion.pages]
        return typed_by_text(recorded, texts, types=document.types)


class PictureDescriptions(Step):
    """Adds descriptions by a vision model to pages of images that have no text, where a model is configured (CNV-10)."""

    name = "picture_descriptions"

    def applies(self, draft: Draft) -> bool:
        """See `Step`. `PageRecognition` reports on pages; this step reports on descriptions, of embedded pictures too."""
        document = draft.document
        if draft.recognition.descriptions or draft.recognition.undescribed or draft.recognition.pictures:
            return True
        if document.media_type not in IMAGES or not is_paged_picture(document.media_type, draft.conversion):
            return False
        from .ocr.engines import describer

        return describer(document.runtime, profile=document.options.profile) is not None

    def apply(self, draft: Draft, services: ConversionServices) -> Draft:
        """See `Step`."""
        if draft.document.media_type not in IMAGES:
            return draft
        from .ocr.descriptions import with_descriptions
        from .ocr.picture_describer import describe_pages

        task = _ocr_task(draft, services)
        found = describe_pages(draft.document.runtime, task, draft.conversion, draft.recognition)
        return replace(
            draft,
            conversion=with_descriptions(draft.conversion, found.descriptions),
            recognition=replace(found, attempts=draft.recognition.attempts),
            attempts=(*draft.attempts, *found.attempts),
        )

    def findings(self, draft: Draft) -> Sequence[QualityFinding]:
        """See `Step`."""
        from .ocr.descriptions import findings

        return findings(draft.recognition)


class EmbeddedPictures(Step):
    """Adds recognised text of the pictures inside office documents, if requested."""

    name = "embedded_pictures"

    def applies(self, draft: Draft) -> bool:
        """See `Step`."""
        document = draft.document
        asked = document.options.ocr.embedded or document.runtime.settings.ocr.embedded
        if not asked:
            return False
        from .ocr.pictures import TYPES

        return document.media_type in TYPES

    def apply(self, draft: Draft, services: ConversionServices) -> Draft:
        """See `Step`. `PageRecognition` reports the results."""
        from .ocr import derive_texts, recognise_pictures

        runtime, task = draft.document.runtime, _ocr_task(draft, services)
        recognition = recognise_pictures(runtime, task, draft.conversion)
        if recognition == NOTHING:
            return draft
        read = _recognised(draft, recognition)
        return replace(read, conversion=derive_texts(runtime, task, read.conversion, recognition))


class PageRepairs(Step):
    """Reports pages and tables from another plugin; the merge itself follows the first score, which triggers it."""

    name = "page_repairs"

    def applies(self, draft: Draft) -> bool:
        """See `Step`."""
        return bool(draft.repairs)

    def findings(self, draft: Draft) -> Sequence[QualityFinding]:
        """See `Step`."""
        from . import page_repair

        return page_repair.findings(draft.repairs)


class AudioEvidence(Step):
    """Derives confidence, type and language of a recording from its transcript (CNV-9)."""

    name = "audio_evidence"

    def applies(self, draft: Draft) -> bool:
        """See `Step`. OCR converters report page confidences as speech engines do."""
        classification = draft.document.inspection.classification
        is_heard = classification is not None and classification.category is Category.AUDIO
        return is_heard or PAGE_CONFIDENCES in draft.conversion.extensions

    def evidence(self, draft: Draft, evidence: QualityEvidence) -> QualityEvidence:
        """See `Step`."""
        return audio.evidence_of(evidence, draft.converted)

    def ocr_summary(self, draft: Draft, summary: OcrConfidenceSummary) -> OcrConfidenceSummary:
        """See `Step`."""
        return audio.with_confidences(summary, draft.conversion)

    def classification(self, draft: Draft, classification: DocumentClassification) -> DocumentClassification:
        """See `Step`."""
        document = draft.document
        return audio.heard(classification, draft.conversion, types=document.types)


STEPS: tuple[Step, ...] = (
    FormFields(),
    PageRecords(),
    PageRecognition(),
    EmbeddedPictures(),
    PictureDescriptions(),
    PageRepairs(),
    AudioEvidence(),
)
"""The steps, in the order in which they run and report."""


def steps_for(draft: Draft) -> list[Step]:
    """Return the steps that apply to a draft, in order."""
    return [step for step in STEPS if step.applies(draft)]


def through_steps(draft: Draft, services: ConversionServices, *, is_part: bool = False) -> Draft:
    """Apply all steps to a draft.

    Args:
        draft: a plugin's conversion.
        services: services that the steps may use.
        is_part: whether the draft will be merged into another conversion; then only the steps `on_parts` run.

    Raises:
        OctavoError: a step failed.
    """
    for step in STEPS:
        if (step.on_parts or not is_part) and step.applies(draft):
            draft = step.apply(draft, services)
    return draft


def _ocr_task(draft: Draft, services: ConversionServices) -> RecognitionTask:
    document = draft.document
    options = document.options

    def place_in(places: Places | None) -> AbstractContextManager[object]:
        return nullcontext() if places is None else places(cancel=options.cancel)

    return RecognitionTask(
        source=document.source,
        media_type=document.media_type,
        password=options.password,
        options=options.ocr,
        limits=document.limits,
        cancel=options.cancel,
        pages=services.recognised_pages,
        looked=document.looked,
        plain=draft.plain.keys(),
        profile=options.profile,
        owners=services.owners,
        earlier=services.earlier,
        marked=services.marked_pages(document.source.raw_file_hash),
        place=partial(place_in, services.recognition),
        model_place=partial(place_in, services.models),
    )


def _recognised(draft: Draft, recognition: Recognition) -> Draft:
    from .ocr import merge as merging

    return replace(
        draft,
        conversion=merging.merge(draft.conversion, recognition),
        recognition=recognition,
        attempts=(*draft.attempts, *recognition.attempts),
    )
