"""The way of one document: inspect → route → convert → fall back or escalate → score.

Each step is a function of what the step before returned. Nothing here writes: storing is the library's.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath

from octavo_contracts import (
    Attempt,
    Capability,
    ContentTooLarge,
    ContractViolation,
    Conversion,
    ConverterCrashed,
    ConvertRequest,
    DegradedFlag,
    DocumentClassification,
    FallbackAttempt,
    OctavoError,
    QualityAssessment,
    QualityEvidence,
    QualityFinding,
    RoutingType,
    SourceEmpty,
    SourceEncrypted,
    ToolError,
)
from pydantic import ValidationError

from .assemble import Texts, join_pages
from .classify.inspection import Inspection
from .detect import format_for_extension, sniff
from .ocr import AUTOMATIC, NOTHING, MemoryPages, OcrOptions, PagesStore, Recognition, Task, merging, recognise
from .plugins import Catalogue, HookCall
from .quality import assess
from .routing import Candidate, Route, plan_route
from .runtime import Runtime
from .sandbox import Lane
from .sources import Source

INSPECT = "octavo.classify.worker:inspect"
INSPECT_SECONDS = 60.0
GENERIC_TYPES = frozenset({"text/plain", "application/octet-stream"})
"""What detection says of a file whose format it does not know."""
NOTES = frozenset({"encrypted", "active_content", "oversized_image"})
"""What preflight saw that is worth knowing and takes nothing from the content."""
ESCALATE_ON = frozenset({DegradedFlag.LOW_TEXT_YIELD.value, DegradedFlag.TABLES_GARBLED.value})


@dataclass(frozen=True, kw_only=True)
class ConvertOptions:
    """What a caller may ask for one document.

    Attributes:
        overrides: (plugin, who asked), strongest first; empty lets routing choose.
        profile: routing rules, or None for the settings'.
        password: of an encrypted document.
        timeout: seconds a plugin may take, or None for the settings'.
        cancel: set it to stop.
        ocr: what is asked of recognition.
    """

    overrides: tuple[tuple[str, str], ...] = ()
    profile: str | None = None
    password: str | None = None
    timeout: float | None = None
    cancel: threading.Event | None = None
    ocr: OcrOptions = AUTOMATIC


@dataclass(frozen=True, kw_only=True)
class ConvertedVersion:
    """One conversion of a document, scored and joined.

    Attributes:
        candidate: the plugin and why it was tried.
        conversion: what it returned, completed.
        texts: the two texts made from it.
        assessment: the verdict on it.
        attempts: every call made up to and for it.
        fallbacks: tools tried before and not taken.
        recognition: what was recognised, and stands in the conversion.
        ocr_findings: what the quality report says of that.
    """

    candidate: Candidate
    conversion: Conversion
    texts: Texts
    assessment: QualityAssessment
    attempts: tuple[Attempt, ...]
    fallbacks: tuple[FallbackAttempt, ...]
    recognition: Recognition = NOTHING
    ocr_findings: tuple[QualityFinding, ...] = ()

    @property
    def flags(self) -> frozenset[str]:
        """The flags the verdict raised."""
        return frozenset(finding.flag for finding in self.assessment.findings if finding.severity == "degraded")


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What came of a document.

    Attributes:
        inspection: type, findings and classification.
        versions: one, or two after an escalation; in the order in which they were made.
        active: index of the version to take.
        route: the plugins that were planned.
    """

    inspection: Inspection
    versions: tuple[ConvertedVersion, ...]
    active: int
    route: Route


@dataclass
class ConversionFailed(Exception):
    """No plugin could convert the document.

    Attributes:
        error: the error that decides the reason code.
        attempts: every call made.
        fallbacks: every tool tried.
        inspection: type and classification, where the inspection got that far.
    """

    error: OctavoError
    attempts: tuple[Attempt, ...] = ()
    fallbacks: tuple[FallbackAttempt, ...] = ()
    inspection: Inspection | None = None

    def __str__(self) -> str:
        return str(self.error)


def run(runtime: Runtime, source: Source, options: ConvertOptions, *, pages: PagesStore | None = None) -> Outcome:
    """Inspect and convert a document.

    Args:
        runtime: plugins, workers, settings.
        source: the document.
        options: what the caller asked for.
        pages: where recognised pages are kept; by default nowhere.

    Raises:
        ConversionFailed: it can not be converted; holds the error and every attempt.
        UsageError: an override or profile does not exist.
    """
    inspection = _claimed(runtime.catalogue, source.name, inspect(runtime, source, options))
    media_type = inspection.detected.media_type
    try:
        route = plan_route(
            runtime.catalogue,
            runtime.profile(options.profile),
            media_type=media_type,
            routing_type=_routing_type(inspection),
            overrides=options.overrides,
            name=source.name,
        )
    except (ToolError, OctavoError) as error:
        if error.reason is None:
            raise
        raise ConversionFailed(error, inspection=inspection) from error
    kept = MemoryPages() if pages is None else pages
    first = _first_that_converts(runtime, source, inspection, route, options, kept)
    versions: tuple[ConvertedVersion, ...] = (first,)
    active = 0
    heavier = _escalate(runtime, source, inspection, route, first, options, kept)
    if heavier is not None:
        versions = (first, heavier)
        active = int((heavier.assessment.quality_score or 0) >= (first.assessment.quality_score or 0))
    source.check_unchanged()
    return Outcome(inspection=inspection, versions=versions, active=active, route=route)


def inspect(runtime: Runtime, source: Source, options: ConvertOptions) -> Inspection:
    """Detect the type, check the container and classify, in a worker.

    A failure of the classifier is not the document's: the way goes on with what the first bytes say (ENG-3).

    Raises:
        ConversionFailed: preflight refused the document.
    """
    if source.size == 0:
        raise ConversionFailed(SourceEmpty("the file has no bytes", source=source.display))
    detected = sniff(source.head, name=source.name)
    payload = json.dumps({"name": source.name, "max_pages": runtime.settings.max_pages, "password": options.password})
    limits = replace(runtime.settings.limits, wall_seconds=min(INSPECT_SECONDS, runtime.settings.limits.wall_seconds))
    handle = source.handle(media_type=detected.media_type)
    for last in (False, True):
        try:
            reply = runtime.pool.run(
                INSPECT, payload.encode(), source=handle, limits=limits, lane=Lane(), cancel=options.cancel
            )
        except (ToolError, ConverterCrashed) as error:
            # The inspector died or ran too long on it. Twice, and the converters get their chance without it.
            if last:
                return Inspection.uninspected(detected, error=str(error))
            continue
        except OctavoError as error:
            if error.reason is None:
                raise
            raise ConversionFailed(error.located(source=source.display)) from error
        try:
            return Inspection.read(reply.payload)
        except ValidationError:
            return Inspection.uninspected(detected, error="the inspection came back malformed")
    raise AssertionError("unreachable: the loop returns or raises")


def _claimed(catalogue: Catalogue, name: str, inspection: Inspection) -> Inspection:
    """Let a plugin's manifest name the type of a file whose content is of no known format and whose extension is new."""
    extension = PurePath(name).suffix.lower()
    unknown = inspection.detected.media_type in GENERIC_TYPES and format_for_extension(extension) is None
    claimed = catalogue.media_type_for(extension) if unknown and extension else None
    if claimed is None:
        return inspection
    classification = inspection.classification
    if classification is not None:
        classification = classification.model_copy(update={"media_type": claimed})
    detected = inspection.detected.model_copy(update={"media_type": claimed})
    return inspection.model_copy(update={"detected": detected, "classification": classification})


def _routing_type(inspection: Inspection) -> RoutingType:
    if inspection.classification is not None:
        return inspection.classification.routing_type
    return inspection.detected.format.routing_type


def _first_that_converts(
    runtime: Runtime,
    source: Source,
    inspection: Inspection,
    route: Route,
    options: ConvertOptions,
    pages: PagesStore,
) -> ConvertedVersion:
    attempts: list[Attempt] = []
    fallbacks: list[FallbackAttempt] = []
    errors: list[OctavoError] = []
    for index, candidate in enumerate(route.candidates):
        try:
            return _convert(runtime, source, inspection, candidate, options, attempts, fallbacks, pages)
        except OctavoError as error:
            if error.reason is None:
                raise
            errors.append(error)
            following = route.candidates[index + 1 :]
            give_up = isinstance(error, SourceEncrypted) or not following
            fallbacks.append(
                FallbackAttempt(
                    tool=candidate.plugin.name,
                    reason=f"{error.reason.value}: {error.message}",
                    outcome="abandoned" if give_up else f"fallback_to_{following[0].plugin.name}",
                )
            )
            if give_up:
                break
    raise ConversionFailed(_decisive(errors), tuple(attempts), tuple(fallbacks), inspection)


def _decisive(errors: Sequence[OctavoError]) -> OctavoError:
    """The error that names the reason: what the document did, before what a missing tool or a second engine said."""
    blamed = [error for error in errors if not isinstance(error, ToolError)]
    return (blamed or list(errors))[0]


def _convert(
    runtime: Runtime,
    source: Source,
    inspection: Inspection,
    candidate: Candidate,
    options: ConvertOptions,
    attempts: list[Attempt],
    fallbacks: Sequence[FallbackAttempt],
    pages: PagesStore,
) -> ConvertedVersion:
    settings = runtime.settings
    media_type = inspection.detected.media_type
    request = ConvertRequest(
        media_type=media_type,
        routing_type=_routing_type(inspection).value,
        password=options.password,
        max_pages=settings.max_pages,
    )
    limits = settings.limits if options.timeout is None else replace(settings.limits, wall_seconds=options.timeout)
    call = HookCall(
        plugin=candidate.plugin,
        hook="convert",
        arguments={"request": request},
        because=candidate.because,
        limits=limits,
    )
    conversion = runtime.dispatcher.call(
        call, Conversion, source=source.handle(media_type=media_type), cancel=options.cancel, attempts=attempts
    )
    assert conversion is not None  # `convert` never returns None: the runner refuses it
    _check(conversion, candidate, max_pages=settings.max_pages)
    task = Task(
        source=source,
        media_type=media_type,
        password=options.password,
        options=options.ocr,
        limits=limits,
        cancel=options.cancel,
        pages=pages,
    )
    reads_scans = Capability.SCANS in candidate.plugin.manifest.capabilities
    recognition = recognise(runtime, task, conversion, inspection.classification, reads_scans=reads_scans)
    attempts.extend(recognition.attempts)
    merged = merging.merge(conversion, recognition)
    evidence = merging.with_recognition(_evidence(inspection, merged), recognition)
    return ConvertedVersion(
        candidate=candidate,
        conversion=merged,
        texts=join_pages(merged, chunking=settings.chunking),
        assessment=assess(merged, evidence, settings.thresholds, recognised=recognition.readings),
        attempts=tuple(attempts),
        fallbacks=tuple(fallbacks),
        recognition=recognition,
        ocr_findings=merging.findings(recognition, conversion, doubtful_below=settings.ocr.doubtful_below),
    )


def _check(conversion: Conversion, candidate: Candidate, *, max_pages: int) -> None:
    """Hold a conversion to what its model can not say. It comes from a worker, and is not trusted.

    Raises:
        ContentTooLarge: more pages than are allowed.
        ContractViolation: a page without a text, or an attachment that is not what it says.
    """
    plugin = candidate.plugin.name
    if len(conversion.pages) > max_pages:
        raise ContentTooLarge(f"it has {len(conversion.pages)} pages; at most {max_pages} are allowed", plugin=plugin)
    if any(page.text is None for page in conversion.pages):
        raise ContractViolation("a page came back without a text", plugin=plugin)
    for item in conversion.attachments:
        if item.data is not None and (len(item.data), hashlib.sha256(item.data).hexdigest()) != (
            item.size,
            item.sha256,
        ):
            raise ContractViolation(f"attachment {item.name!r} is not of the size and hash it names", plugin=plugin)


def _escalate(
    runtime: Runtime,
    source: Source,
    inspection: Inspection,
    route: Route,
    first: ConvertedVersion,
    options: ConvertOptions,
    pages: PagesStore,
) -> ConvertedVersion | None:
    """A second conversion by a heavier plugin, where the first one's flags call for it (CNV-2)."""
    causes = sorted(first.flags & ESCALATE_ON)
    if not causes or options.overrides:
        return None
    tried = {attempt.plugin for attempt in first.attempts}
    needed = set()
    if _has_no_text_layer(inspection.classification):
        needed.add(Capability.SCANS)
    if any(page.hidden_text for page in first.conversion.pages):
        # Another plugin must not bring back into the text what this one kept apart.
        needed.add(Capability.HIDDEN_TEXT)
    attempts = list(first.attempts)
    for candidate in route.escalation:
        manifest = candidate.plugin.manifest
        if manifest.name in tried or not needed <= set(manifest.capabilities):
            continue
        reason = f"{', '.join(causes)} in the conversion by {first.candidate.plugin.name}"
        better = Candidate(plugin=candidate.plugin, because=f"{candidate.because}: {reason}")
        fallback = FallbackAttempt(
            tool=first.candidate.plugin.name, reason=reason, outcome=f"escalated_to_{manifest.name}"
        )
        try:
            return _convert(runtime, source, inspection, better, options, attempts, (*first.fallbacks, fallback), pages)
        except OctavoError as error:
            if error.reason is None:
                raise
    return None


def _has_no_text_layer(classification: DocumentClassification | None) -> bool:
    pages = classification.page_metadata if classification else ()
    return bool(pages) and not any(page.has_text_layer for page in pages)


def _evidence(inspection: Inspection, conversion: Conversion) -> QualityEvidence:
    classification = inspection.classification
    pages = classification.page_metadata if classification else ()
    expected = None
    if conversion.paginated and len(pages) == len(conversion.pages):
        sizes = [(page.width or 0) * (page.height or 0) for page in conversion.pages]
        if all(sizes):
            expected = tuple(round(page.text_density * area) for page, area in zip(pages, sizes, strict=True))
    return QualityEvidence(
        media_type=inspection.detected.media_type,
        source_page_count=classification.page_count if classification and conversion.paginated else None,
        expected_chars=expected,
    )


def inspection_findings(inspection: Inspection) -> tuple[QualityFinding, ...]:
    """What detection, preflight and classification add to the quality report."""
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
