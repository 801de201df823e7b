"""The steps between a plugin's conversion and its score, in order.

Each step changes the draft of a conversion, and contributes to the evidence, the quality report and the
classification. To add a step, write a class here and add it to `STEPS`.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import Protocol

from octavo_contracts import (
    Capability,
    DocumentClassification,
    OcrConfidenceSummary,
    QualityEvidence,
    QualityFinding,
)

from . import form_fields, page_repair
from .audio import evidence_of, heard, with_confidences
from .conversion_services import ConversionServices
from .draft import Draft
from .ocr import NOTHING, Recognition, RecognitionTask, derive_texts, recognise, recognise_pictures
from .ocr import merge as merging


class Step(Protocol):
    """One step. The default methods change nothing."""

    name: str
    """For messages and tests."""
    on_parts: bool = False
    """Whether the step also runs on pages that another plugin converts again, before they are merged."""

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


class PageRecognition(Step):
    """Replaces pages without a trustworthy text layer by recognised text (OCR-1, OCR-2)."""

    name = "page_recognition"

    def apply(self, draft: Draft, services: ConversionServices) -> Draft:
        """See `Step`."""
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
        return merging.with_recognition(evidence, draft.recognition)

    def findings(self, draft: Draft) -> Sequence[QualityFinding]:
        """See `Step`; findings about pages or pictures, since a document has only one of the two."""
        doubtful_below = draft.document.runtime.settings.ocr.doubtful_below
        return merging.findings(draft.recognition, draft.converted, doubtful_below=doubtful_below)

    def ocr_summary(self, draft: Draft, summary: OcrConfidenceSummary) -> OcrConfidenceSummary:
        """See `Step`."""
        return merging.summary(draft.recognition)

    def classification(self, draft: Draft, classification: DocumentClassification) -> DocumentClassification:
        """See `Step`."""
        return merging.recorded(classification, draft.recognition)


class EmbeddedPictures(Step):
    """Adds recognised text of the pictures inside office documents, if requested."""

    name = "embedded_pictures"

    def apply(self, draft: Draft, services: ConversionServices) -> Draft:
        """See `Step`. `PageRecognition` reports the results."""
        runtime, task = draft.document.runtime, _ocr_task(draft, services)
        recognition = recognise_pictures(runtime, task, draft.conversion)
        if recognition == NOTHING:
            return draft
        read = _recognised(draft, recognition)
        return replace(read, conversion=derive_texts(runtime, task, read.conversion, recognition))


class PageRepairs(Step):
    """Reports pages and tables from another plugin; the merge itself follows the first score, which triggers it."""

    name = "page_repairs"

    def findings(self, draft: Draft) -> Sequence[QualityFinding]:
        """See `Step`."""
        return page_repair.findings(draft.repairs)


class AudioEvidence(Step):
    """Derives confidence, type and language of a recording from its transcript (CNV-9)."""

    name = "audio_evidence"

    def evidence(self, draft: Draft, evidence: QualityEvidence) -> QualityEvidence:
        """See `Step`."""
        return evidence_of(evidence, draft.converted)

    def ocr_summary(self, draft: Draft, summary: OcrConfidenceSummary) -> OcrConfidenceSummary:
        """See `Step`."""
        return with_confidences(summary, draft.conversion)

    def classification(self, draft: Draft, classification: DocumentClassification) -> DocumentClassification:
        """See `Step`."""
        document = draft.document
        return heard(classification, draft.conversion, name=document.source.name, types=document.types)


STEPS: tuple[Step, ...] = (FormFields(), PageRecognition(), EmbeddedPictures(), PageRepairs(), AudioEvidence())
"""The steps, in the order in which they run and report."""


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
        if step.on_parts or not is_part:
            draft = step.apply(draft, services)
    return draft


def _ocr_task(draft: Draft, services: ConversionServices) -> RecognitionTask:
    document = draft.document
    options, places = document.options, services.recognition

    def place() -> AbstractContextManager[object]:
        return nullcontext() if places is None else places(cancel=options.cancel)

    return RecognitionTask(
        source=document.source,
        media_type=document.media_type,
        password=options.password,
        options=options.ocr,
        limits=document.limits,
        cancel=options.cancel,
        pages=services.pages,
        looked=document.looked,
        owners=services.owners,
        earlier=services.earlier,
        place=place,
    )


def _recognised(draft: Draft, recognition: Recognition) -> Draft:
    return replace(
        draft,
        conversion=merging.merge(draft.conversion, recognition),
        recognition=recognition,
        attempts=(*draft.attempts, *recognition.attempts),
    )
