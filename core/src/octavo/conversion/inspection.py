"""Inspects a document before its conversion: type detection, preflight, classification; and reads their results."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import TYPE_CHECKING

from octavo_contracts import (
    ContentTooLarge,
    Conversion,
    ConversionTimeout,
    ConverterCrashed,
    DegradedFlag,
    QualityEvidence,
    QualityFinding,
    RoutingType,
    SourceEmpty,
    SourceEncrypted,
    ToolError,
)
from octavo_sandbox import WorkerGroup
from octavo_sandbox.preflight import encrypted_remedy, how_to_raise
from octavo_sandbox.task import task_name
from pydantic import ValidationError

from .._version import __version__
from ..builtins.classification import tasks
from ..builtins.classification.inspection import Inspection, InspectRequest
from ..builtins.classification.registered_types import RegisteredType
from ..builtins.classification.thresholds import TABLE_FORMATS
from ..builtins.pdf_forms.fields import FilledForm
from ..documents.source import Source
from ..formats import UNKNOWN, format_for_extension, format_of, sniff
from ..plugins import Catalogue
from ..runtime import Runtime
from .options import ConvertOptions

if TYPE_CHECKING:
    from .conversion_services import InspectionStore

INSPECT = task_name(tasks.inspect)
INSPECTION_VERSION = 2
"""Raised when inspections find other facts, so that stored ones are made again."""
INSPECT_SECONDS = 60.0
FORM_SECONDS = 20.0
"""Hard time limit for reading a form; the reader stops itself at less than half of it where it can."""
GENERIC_TYPES = frozenset({"text/plain", "application/octet-stream"})
"""Media types that detection gives for an unknown format."""
CLAIMED_BY = "octavo.claimed_by"
"""Extension of a classification: the plugin whose manifest decided the media type."""
NOTES = frozenset({"encrypted", "active_content", "oversized_image"})
"""Preflight flags that are reported as notes because no content is lost."""

PDF_KINDS = frozenset(
    {
        RoutingType.TEXT_NATIVE_PDF,
        RoutingType.SCANNED_PDF,
        RoutingType.IMAGE_HEAVY_PDF,
        RoutingType.TABLE_HEAVY_FILING,
    }
)
"""Routing types that the classifier gives to PDFs, from their pages."""


def inspect(
    runtime: Runtime,
    source: Source,
    options: ConvertOptions,
    *,
    types: Sequence[RegisteredType] = (),
    by_hand: str | None = None,
    stored: InspectionStore | None = None,
) -> Inspection:
    """Detect the type, check the container and classify, in a worker, unless that is stored for the same bytes.

    A failure of the classifier does not fail the document: processing continues with the type of the first bytes
    (ENG-3).

    Args:
        runtime: plugins, workers, settings.
        source: the document.
        options: the caller's options; its plugin reads formats of its own.
        types: types that the profile registers in addition to the shipped ones.
        by_hand: the type that a user set; a PDF is routed by it.
        stored: store of inspections; None: nothing is stored.

    Raises:
        OctavoError: preflight refused the document.
    """
    if source.size == 0:
        raise SourceEmpty("the file is empty (0 bytes)", source=source.display)
    _check_size(source, options)
    cancel = options.cancel
    seconds = min(INSPECT_SECONDS, runtime.settings.limits.wall_seconds, options.timeout or INSPECT_SECONDS)
    request = InspectRequest(
        password=options.password,
        max_pages=options.max_pages(runtime.settings.max_pages),
        limits={name: value for name, value in options.limits.items() if name not in ("max_bytes", "max_pages")},
        thresholds=runtime.settings.classification,
        types=tuple(types),
        by_hand=by_hand,
        claims=runtime.catalogue.claims(reader=options.plugin),
    )
    key = inspection_key(request, source) if stored is not None else None
    inspection = stored.get(source.raw_file_hash, key) if stored is not None and key is not None else None
    if inspection is None:
        inspection = _inspect(runtime, source, request, cancel=cancel, seconds=seconds)
        if inspection.may_be_filled:
            form = _form(runtime, source, inspection, options, seconds=min(seconds, FORM_SECONDS))
            inspection = inspection.model_copy(update={"form": form})
        is_whole = inspection.classification is not None and not inspection.form.is_lost
        if stored is not None and key is not None and is_whole:
            stored.put(source.raw_file_hash, key, inspection)
    return _claimed(runtime.catalogue, source.name, inspection)


def inspection_key(request: InspectRequest, source: Source) -> str | None:
    """Return the key of an inspection: a hash of all that it depends on beside the bytes.

    None for a document with a password, whose inspection is not stored: its content is protected.
    """
    if request.password is not None:
        return None
    extension = PurePath(source.name).suffix.lower()
    depends_on = f"{INSPECTION_VERSION}\n{__version__}\n{extension}\n{request.to_json()}"
    return hashlib.sha256(depends_on.encode()).hexdigest()


def _check_size(source: Source, options: ConvertOptions) -> None:
    most = options.limits.get("max_bytes")
    if most is not None and source.size > most:
        raise ContentTooLarge(
            f"the document has {source.size:,} bytes; at most {most:,} are allowed",
            source=source.display,
            remedy=how_to_raise("max_bytes"),
        )


def _inspect(
    runtime: Runtime, source: Source, request: InspectRequest, *, cancel: threading.Event | None, seconds: float
) -> Inspection:
    detected = sniff(source.head, name=source.name)
    payload = request.to_json().encode()
    limits = replace(runtime.settings.limits, wall_seconds=seconds)
    handle = source.handle(media_type=detected.media_type)
    for last in (False, True):
        try:
            reply = runtime.pool.run(INSPECT, payload, source=handle, limits=limits, lane=WorkerGroup(), cancel=cancel)
        except SourceEncrypted as error:
            readers = runtime.catalogue.having("convert", media_type=detected.media_type)
            error.remedy = encrypted_remedy(plugin.manifest for plugin in readers)
            raise
        except (ToolError, ConverterCrashed) as error:
            # The inspector crashed twice or timed out: the converters may still succeed without its result.
            if last or isinstance(error, ConversionTimeout):
                return Inspection.uninspected(detected, error=str(error))
            continue
        try:
            return _without_words(Inspection.read(reply.payload))
        except ValidationError:
            return Inspection.uninspected(detected, error="the inspection returned a malformed result")
    raise AssertionError("unreachable: the loop returns or raises")


def _without_words(inspection: Inspection) -> Inspection:
    """Redact quotations of the document from detection and preflight messages: they appear in reports and receipts."""
    if not inspection.findings and inspection.classification_error is None:
        return inspection
    from octavo_sandbox.redaction import redacted

    findings = tuple(
        finding.model_copy(update={"message": redacted(finding.message)}) for finding in inspection.findings
    )
    error = inspection.classification_error
    return inspection.model_copy(update={"findings": findings, "classification_error": error and redacted(error)})


def _form(
    runtime: Runtime, source: Source, inspection: Inspection, options: ConvertOptions, *, seconds: float
) -> FilledForm:
    """Read the filled-in values in a worker; mark the form as lost if the worker crashed or timed out."""
    from ..builtins.pdf_forms import worker
    from ..builtins.pdf_forms.reader import MAX_SECONDS

    limits = replace(runtime.settings.limits, wall_seconds=seconds)
    payload = worker.FormRequest(password=options.password, seconds=min(MAX_SECONDS, 0.4 * seconds)).to_json().encode()
    handle = source.handle(media_type=inspection.detected.media_type)
    try:
        reply = runtime.pool.run(
            task_name(worker.read), payload, source=handle, limits=limits, lane=WorkerGroup(), cancel=options.cancel
        )
        return FilledForm.read(reply.payload)
    except (ToolError, ConverterCrashed, ContentTooLarge, ValidationError):
        return inspection.form.model_copy(update={"is_lost": True})


def _claimed(catalogue: Catalogue, name: str, inspection: Inspection) -> Inspection:
    """Take the media type from a plugin's manifest if neither content nor extension is of a known format."""
    if inspection.claim is not None:
        return _as_claimed(inspection, inspection.claim.format.media_type, by=inspection.claim.plugin)
    extension = PurePath(name).suffix.lower()
    unknown = inspection.detected.media_type in GENERIC_TYPES and format_for_extension(extension) is None
    claimed = catalogue.type_for_extension(extension) if unknown and extension else None
    return inspection if claimed is None else _as_claimed(inspection, claimed[0], by=claimed[1])


def _as_claimed(inspection: Inspection, media_type: str, *, by: str) -> Inspection:
    classification = inspection.classification
    if classification is not None:
        changes: dict[str, object] = {"media_type": media_type}
        changes["extensions"] = {**classification.extensions, CLAIMED_BY: by}
        if classification.routing_type == RoutingType.ARCHIVE:
            # What is known of archives does not hold for a document that is a container underneath.
            changes |= {"routing_type": RoutingType.UNKNOWN, "sub_kind": None}
        classification = classification.model_copy(update=changes)
    detected = inspection.detected.model_copy(update={"media_type": media_type})
    return inspection.model_copy(update={"detected": detected, "classification": classification})


def routing_type(inspection: Inspection) -> RoutingType:
    """Return the routing type for a profile's rules: the classifier's, else the format's."""
    if inspection.classification is not None:
        return inspection.classification.routing_type
    return inspection.detected.format.routing_type


def routing_types_of(media_type: str) -> frozenset[RoutingType]:
    """Return the routing types that documents of a media type can have.

    A type that the table of formats lacks is a plugin's own: its documents are detected as plain text or as unknown.
    """
    row = format_of(media_type)
    if row is UNKNOWN:
        return frozenset({RoutingType.PLAIN_TEXT, RoutingType.UNKNOWN})
    if row.family == "pdf":
        return PDF_KINDS
    heavy = {RoutingType.TABLE_HEAVY_FILING} if row.routing_type in TABLE_FORMATS else set()
    return frozenset({row.routing_type, *heavy})


def has_no_text_layer(inspection: Inspection) -> bool:
    """Return whether pages were inspected and none of them has text."""
    pages = inspection.classification.page_metadata if inspection.classification else ()
    return bool(pages) and not any(page.has_text_layer for page in pages)


def inspection_findings(inspection: Inspection) -> tuple[QualityFinding, ...]:
    """Build the findings that detection, preflight and classification add to the quality report."""
    findings = [
        finding.model_copy(update={"severity": "note"}) if finding.flag in NOTES else finding
        for finding in inspection.findings
    ]
    if inspection.detected.mismatch:
        findings.append(
            QualityFinding(
                flag=DegradedFlag.TYPE_MISMATCH.value,
                message=inspection.detected.mismatch,
                remedy="Rename the file if its extension is wrong",
            )
        )
    return tuple(findings)


def source_evidence(inspection: Inspection, conversion: Conversion) -> QualityEvidence:
    """Collect the inspection's facts about the source, for scoring a conversion; OCR is not included."""
    classification = inspection.classification
    pages = classification.page_metadata if classification else ()
    expected = None
    if conversion.paginated and len(pages) == len(conversion.pages):
        sizes = [(page.width or 0) * (page.height or 0) for page in conversion.pages]
        if usual := max(sizes, key=lambda size: (size > 0, sizes.count(size)), default=0):
            # A page that the engine could not load has no size: assume the most common size.
            areas = [size or usual for size in sizes]
            expected = tuple(round(page.text_density * area) for page, area in zip(pages, areas, strict=True))
    return QualityEvidence(
        media_type=inspection.detected.media_type,
        source_page_count=classification.page_count if classification and conversion.paginated else None,
        expected_chars=expected,
        sights=inspection.sights,
        structure=inspection.structure,
    )
