"""Converts one document: inspect → classify → route → convert → fall back or escalate → score.

Each step is a function of the previous step's result. This module writes nothing: storing is the library's job.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from octavo_contracts import (
    Attempt,
    Conversion,
    FallbackAttempt,
    IngestionQualityReport,
    IngestionResult,
    OctavoError,
    QualityEvidence,
    SourceEncrypted,
    ToolError,
)

from ..builtins.classification.inspection import Inspection
from ..documents.ids import document_id_for
from ..documents.source import Source
from ..plugins.budget import TimeBudget
from ..runtime import Runtime
from .classification import classified
from .conversion_services import ConversionServices
from .inspection import inspect, routing_type
from .options import ConvertOptions, opening
from .routing import Candidate, Route, plan_route
from .states import ConversionFailed, ConversionOutcome, ConvertedVersion, DocumentContext

if TYPE_CHECKING:
    from .converter import DocumentConverter

_log = logging.getLogger("octavo.conversion")


def run(
    runtime: Runtime, source: Source, options: ConvertOptions, services: ConversionServices | None = None
) -> ConversionOutcome:
    """Inspect and convert a document.

    Args:
        runtime: plugins, workers, settings.
        source: the document.
        options: the caller's options.
        services: services of the caller; by default those that need no library.

    Raises:
        ConversionFailed: the document cannot be converted; contains the error and every attempt.
        UsageError: an override or profile does not exist.
    """
    started = time.monotonic()
    try:
        outcome = _run(runtime, source, options, services)
    except ConversionFailed as failed:
        _log_end(source, started, f"not converted [{failed.error.reason.value if failed.error.reason else 'error'}]")
        raise
    version = outcome.versions[outcome.active]
    score = version.assessment.quality_score
    quality = "not assessed" if score is None else f"{score:.2f}"
    _log_end(source, started, f"converted by {version.draft.candidate.plugin.name}, quality {quality}")
    return outcome


def _log_end(source: Source, started: float, message: str) -> None:
    """Log how a conversion ended, for a host that asks for it. The document is named by its id, never by its file."""
    if _log.isEnabledFor(logging.INFO):
        seconds = time.monotonic() - started
        _log.info("%s: %s, after %.2f s", document_id_for(source.raw_file_hash)[:8], message, seconds)


def _run(
    runtime: Runtime, source: Source, options: ConvertOptions, services: ConversionServices | None
) -> ConversionOutcome:
    options = opening(runtime, options)
    services = services or ConversionServices()
    attempts: list[Attempt] = []
    inspection: Inspection | None = None
    try:
        profile = runtime.profile(options.profile)
        runtime.pool.when_waiting(_import_converter)
        document = inspected(runtime, source, options, services, attempts)
        inspection = document.inspection
        route = plan_route(
            runtime.catalogue,
            profile,
            media_type=document.media_type,
            routing_type=routing_type(inspection),
            overrides=options.overrides,
            standing=options.standing,
            preferred=dict(options.preferences).get(routing_type(inspection).value),
            name=source.name,
        )
    except OctavoError as error:
        if error.reason is None:
            raise
        raise ConversionFailed(
            error.located(source=source.display), attempts=tuple(attempts), inspection=inspection
        ) from error
    from .converter import DocumentConverter

    if route.readers and not route.is_wish:
        runtime.pool.when_waiting(_import_page_steps)
    converter = DocumentConverter(document=document, services=services, budget=runtime.settings.budget(options.timeout))
    first, second = _escalated(converter, route, _first_that_converts(converter, route, attempts))
    versions = [first] if second is None else [first, second]
    active = int(_is_better(second, first))
    restored = _with_other_readings(converter, route, versions[active])
    if restored.repairs == versions[active].repairs or versions[active].repairs:
        versions[active] = restored
    else:
        versions, active = [*versions, restored], len(versions)
    source.check_unchanged()
    return ConversionOutcome(
        inspection=inspection, versions=tuple(versions), active=active, route=route, budget=converter.budget
    )


def _import_converter() -> None:
    """Import what every document needs after its inspection, and build the validators of its models."""
    from . import converter  # noqa: F401 - the import is the effect

    for model in (Inspection, Conversion, QualityEvidence, IngestionQualityReport, IngestionResult):
        model.model_rebuild()


def _import_page_steps() -> None:
    """Import what a document with readers for a consensus needs after its conversion."""
    from . import escalation, page_repair, repaired_draft  # noqa: F401 - the import is the effect
    from .consensus import consensus_readers  # noqa: F401
    from .ocr import cascade, merge, page_records  # noqa: F401


def inspected(
    runtime: Runtime,
    source: Source,
    options: ConvertOptions,
    services: ConversionServices,
    attempts: list[Attempt],
) -> DocumentContext:
    """Inspect and classify a document.

    Args:
        runtime: plugins, workers, settings.
        source: the document.
        options: the caller's options, with the password that opens the document.
        services: services of the caller.
        attempts: list to which calls of classifiers are appended.

    Raises:
        OctavoError: preflight refused the document, or the profile does not exist.
    """
    types = runtime.profile(options.profile).types
    by_hand = services.type_by_hand(source.raw_file_hash)
    inspection = inspect(runtime, source, options, types=types, by_hand=by_hand, stored=services.inspections)
    document = DocumentContext(runtime=runtime, source=source, options=options, inspection=inspection, types=types)
    return classified(document, services, attempts, by_hand=by_hand)


def _is_better(second: ConvertedVersion | None, first: ConvertedVersion) -> bool:
    """Return whether the second conversion is better: a repair always is, an escalation if it scores higher.

    A repair needs no comparison of scores, since each replaced page was compared with the original one.
    """
    if second is None or second.repairs:
        return second is not None
    if (
        second.scored_by != first.scored_by
    ):  # a scorer failed on one of them, and scores of different scorers are not comparable
        from .scoring import assess_builtin

        scores = [assess_builtin(one.draft).quality_score or 0 for one in (second, first)]
        return scores[0] > scores[1]
    return (second.assessment.quality_score or 0) > (first.assessment.quality_score or 0)


def convert_with(
    document: DocumentContext, candidate: Candidate, services: ConversionServices, *, budget: TimeBudget | None = None
) -> ConvertedVersion:
    """Convert an inspected document with one plugin, regardless of its route; used for comparisons.

    Args:
        document: inspected and classified.
        candidate: the plugin.
        services: services of the caller.
        budget: the rest of the document's time budget; None: a new budget.

    Raises:
        OctavoError: the plugin cannot convert the document.
    """
    from .converter import DocumentConverter

    settings = document.runtime.settings
    converter = DocumentConverter(
        document=document, services=services, budget=budget or settings.budget(document.options.timeout)
    )
    return converter.convert(candidate, [], (), force=True)


def _first_that_converts(converter: DocumentConverter, route: Route, attempts: list[Attempt]) -> ConvertedVersion:
    fallbacks: list[FallbackAttempt] = []
    errors: list[OctavoError] = []
    skipped: list[Candidate] = []
    for index, candidate in enumerate(route.candidates):
        following = route.candidates[index + 1 :]
        if following and converter.is_unable(candidate):
            skipped.append(candidate)
        try:
            return converter.convert(candidate, attempts, fallbacks, force=not following)
        except OctavoError as error:
            if error.reason is None:
                raise
            from .escalation import given_up

            errors.append(error)
            give_up = isinstance(error, SourceEncrypted) or converter.budget.is_used_up
            outcome = "abandoned" if give_up or not following else f"fallback_to_{following[0].plugin.name}"
            fallbacks.append(given_up(candidate, error, converter.budget, outcome=outcome))
            if give_up:
                break
    else:
        # Every candidate failed: the weights of the skipped plugins may have been installed since they were last
        # called.
        for candidate in skipped:
            try:
                return converter.convert(candidate, attempts, fallbacks, force=True)
            except OctavoError as error:
                if error.reason is None:
                    raise
                errors.append(error)
    raise ConversionFailed(_decisive(errors), tuple(attempts), tuple(fallbacks), converter.document.inspection)


def _decisive(errors: Sequence[OctavoError]) -> OctavoError:
    """Return the error that decides the reason code: the first error of the document, else the first error."""
    blamed = [error for error in errors if not isinstance(error, ToolError)]
    return (blamed or list(errors))[0]


def _escalated(
    converter: DocumentConverter, route: Route, first: ConvertedVersion
) -> tuple[ConvertedVersion, ConvertedVersion | None]:
    """Return the first conversion, and a second one if the evidence requires it and no user chose a plugin (CNV-2)."""
    if route.is_wish or not route.escalation:
        return first, None  # avoid examining every page in vain
    from .escalation import escalate, escalation_for
    from .page_repair import suspect_pages

    settings = converter.document.runtime.settings
    doubts = suspect_pages(
        first.conversion,
        first.evidence,
        first.assessment,
        thresholds=settings.thresholds,
        settings=settings.repair,
        recognised=first.recognition.readings,
    )
    return escalate(first, route, escalation_for(first, converter.document.inspection, doubts), converter)


def _with_other_readings(converter: DocumentConverter, route: Route, version: ConvertedVersion) -> ConvertedVersion:
    """Merge other readers' pages and tables as the profile says; not if a user chose the plugin."""
    settings = converter.document.runtime.settings.repair
    if route.is_wish or not settings.enabled or not route.readers:
        return version
    from .consensus.consensus_readers import reach_consensus

    return reach_consensus(version, route, converter, settings=settings)
