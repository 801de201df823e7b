"""Worker entry point: detects, checks and classifies a document in one call."""

from __future__ import annotations

from octavo_contracts import HookContext, OctavoError, QualityFinding, SourceView
from octavo_contracts.authoring.containers import DAMAGED
from octavo_sandbox.preflight import PdfFile, PreflightReport, preflight

from ...formats import Detected, refine
from ...formats.claimed import claimed_format
from ..pdf_forms.fields import FilledForm
from ..pdf_forms.reader import is_xfa, may_be_filled
from .classifier import look
from .inspection import Inspection, InspectRequest

_DAMAGE = (
    OctavoError,
    ArithmeticError,
    LookupError,
    *DAMAGED,
)
"""Exceptions that damaged bytes can cause in the classifier. A bug's TypeError is excluded: it fails the worker."""


def inspect(payload: bytes, source: SourceView, context: HookContext) -> bytes:
    """Inspect a document; called by name in the sandboxed worker.

    A failure to classify does not fail the document (ENG-3): the result then says why there is no classification.

    Args:
        payload: an `InspectRequest` as JSON.
        source: the document.
        context: the call's work folder and deadline; both unused.

    Returns:
        An `Inspection` as JSON.

    Raises:
        SourceEmpty, SourceCorrupt, SourceEncrypted, ContentTooLarge: preflight refuses the document.
        UsageError: the request has an unknown limit.
    """
    request = InspectRequest.read(payload)
    detected = refine(source, declared=request.declared_media_type)
    if detected.format.family == "pdf" and source.size > 0:
        with PdfFile(source.read_bytes(), password=request.password) as pdf:
            inspection = _inspect(source, detected, request, pdf)
    else:
        inspection = _inspect(source, detected, request, None)
    if (claim := claimed_format(source, detected.media_type, request.claims)) is not None:
        inspection = inspection.model_copy(update={"claim": claim})
    return inspection.to_json().encode()


def _inspect(source: SourceView, detected: Detected, request: InspectRequest, pdf: PdfFile | None) -> Inspection:
    report = preflight(source, detected, limits=request.preflight_limits(), pdf=pdf, password=request.password)
    if pdf is not None and any(finding.flag == "encrypted" for finding in report.findings):
        detected = detected.model_copy(update={"encrypted": True})
    return _classified(source, detected, request, report, pdf)


def _classified(
    source: SourceView, detected: Detected, request: InspectRequest, report: PreflightReport, pdf: PdfFile | None
) -> Inspection:
    findings: tuple[QualityFinding, ...] = report.findings
    try:
        seen = look(
            source,
            detected,
            pdf=pdf,
            page_count=report.page_count,
            thresholds=request.thresholds,
            types=request.types,
            by_hand=request.by_hand,
        )
    except _DAMAGE as error:
        message = error.message if isinstance(error, OctavoError) else f"{type(error).__name__}: {error}"
        return Inspection(
            detected=detected, findings=findings, classification_error=f"The classifier failed: {message}."
        )
    return Inspection(
        detected=detected,
        findings=findings,
        classification=seen.classification,
        shipped_type=seen.kind.shipped if seen.kind else None,
        shipped_confidence=seen.kind.shipped_confidence if seen.kind else 0.0,
        sights=seen.sights,
        form=FilledForm(is_xfa=pdf is not None and is_xfa(pdf)),
        may_be_filled=pdf is not None and may_be_filled(pdf),
    )
