"""The way of one document: inspect → classify → route → convert → fall back or escalate → score.

Each step is a function of what the step before returned. Nothing here writes: storing is the library's.
"""

from __future__ import annotations

from collections.abc import Sequence

from octavo_contracts import Attempt, FallbackAttempt, OctavoError, SourceEncrypted, ToolError

from ..builtins.classification.inspection import Inspection
from ..documents.source import Source
from ..plugins.budget import TimeBudget
from ..runtime import Runtime
from .classification import classified
from .conversion_services import ConversionServices
from .converter import DocumentConverter
from .draft import DocumentContext
from .escalation import escalate, escalation_for, given_up, put_tables_back
from .inspection import inspect, routing_type
from .options import ConvertOptions, opening
from .outcome import ConversionFailed, ConversionOutcome, ConvertedVersion
from .page_repair import suspect_pages
from .routing import Candidate, Route, plan_route
from .scoring import assess_builtin


def run(
    runtime: Runtime, source: Source, options: ConvertOptions, services: ConversionServices | None = None
) -> ConversionOutcome:
    """Inspect and convert a document.

    Args:
        runtime: plugins, workers, settings.
        source: the document.
        options: what the caller asked for.
        services: what the caller offers; by default nothing that needs a library.

    Raises:
        ConversionFailed: it cannot be converted; holds the error and every attempt.
        UsageError: an override or profile does not exist.
    """
    options = opening(runtime, options)
    services = services or ConversionServices()
    attempts: list[Attempt] = []
    inspection: Inspection | None = None
    try:
        profile = runtime.profile(options.profile)
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
    converter = DocumentConverter(document=document, services=services, budget=runtime.settings.budget(options.timeout))
    first, second = _escalated(converter, route, _first_that_converts(converter, route, attempts))
    versions = [first] if second is None else [first, second]
    active = int(_is_better(second, first))
    mended = _with_tables_back(converter, route, versions[active])
    if mended.repairs == versions[active].repairs or versions[active].repairs:
        versions[active] = mended
    else:
        versions, active = [*versions, mended], len(versions)
    source.check_unchanged()
    return ConversionOutcome(
        inspection=inspection, versions=tuple(versions), active=active, route=route, budget=converter.budget
    )


def inspected(
    runtime: Runtime,
    source: Source,
    options: ConvertOptions,
    services: ConversionServices,
    attempts: list[Attempt],
) -> DocumentContext:
    """A document inspected and classified.

    Args:
        runtime: plugins, workers, settings.
        source: the document.
        options: what the caller asked for, with the password that the document is opened with.
        services: what the caller offers.
        attempts: calls of classifiers are added to it.

    Raises:
        OctavoError: preflight refused the document, or the profile does not exist.
    """
    types = runtime.profile(options.profile).types
    by_hand = services.type_by_hand(source.raw_file_hash)
    inspection = inspect(
        runtime,
        source,
        password=options.password,
        cancel=options.cancel,
        timeout=options.timeout,
        types=types,
        by_hand=by_hand,
    )
    document = DocumentContext(runtime=runtime, source=source, options=options, inspection=inspection, types=types)
    return classified(document, services, attempts, by_hand=by_hand)


def _is_better(second: ConvertedVersion | None, first: ConvertedVersion) -> bool:
    """Whether an escalation is worth taking: it scores higher. A repair is: each page it replaced was compared with its own."""
    if second is None or second.repairs:
        return second is not None
    if second.scored_by != first.scored_by:  # a scorer failed on one of them: scores of two scorers do not compare
        scores = [assess_builtin(one.draft).quality_score or 0 for one in (second, first)]
        return scores[0] > scores[1]
    return (second.assessment.quality_score or 0) > (first.assessment.quality_score or 0)


def convert_with(
    document: DocumentContext, candidate: Candidate, services: ConversionServices, *, budget: TimeBudget | None = None
) -> ConvertedVersion:
    """Convert an inspected document by one plugin, whatever its route says: for a comparison.

    Args:
        document: inspected and classified.
        candidate: the plugin.
        services: what the caller offers.
        budget: what earlier calls left of the document's time; None where it begins now.

    Raises:
        OctavoError: the plugin cannot convert it.
    """
    settings = document.runtime.settings
    converter = DocumentConverter(
        document=document, services=services, budget=budget or settings.budget(document.options.timeout)
    )
    return converter.convert(candidate, [], (), force=True)


def _first_that_converts(converter: DocumentConverter, route: Route, attempts: list[Attempt]) -> ConvertedVersion:
    fallbacks: list[FallbackAttempt] = []
    errors: list[OctavoError] = []
    not_asked: list[Candidate] = []
    for index, candidate in enumerate(route.candidates):
        following = route.candidates[index + 1 :]
        if following and converter.is_unable(candidate):
            not_asked.append(candidate)
        try:
            return converter.convert(candidate, attempts, fallbacks, force=not following)
        except OctavoError as error:
            if error.reason is None:
                raise
            errors.append(error)
            give_up = isinstance(error, SourceEncrypted) or converter.budget.is_used_up
            outcome = "abandoned" if give_up or not following else f"fallback_to_{following[0].plugin.name}"
            fallbacks.append(given_up(candidate, error, converter.budget, outcome=outcome))
            if give_up:
                break
    else:
        # Nobody could: the weights of those that were passed over may have been put in place since they were asked.
        for candidate in not_asked:
            try:
                return converter.convert(candidate, attempts, fallbacks, force=True)
            except OctavoError as error:
                if error.reason is None:
                    raise
                errors.append(error)
    raise ConversionFailed(_decisive(errors), tuple(attempts), tuple(fallbacks), converter.document.inspection)


def _decisive(errors: Sequence[OctavoError]) -> OctavoError:
    """The error that names the reason: what the document did, before what a missing tool or a second engine said."""
    blamed = [error for error in errors if not isinstance(error, ToolError)]
    return (blamed or list(errors))[0]


def _escalated(
    converter: DocumentConverter, route: Route, first: ConvertedVersion
) -> tuple[ConvertedVersion, ConvertedVersion | None]:
    """The first conversion, and a second one where its evidence asks for it and nobody's wish forbids it (CNV-2)."""
    if route.is_wish or not route.escalation:
        return first, None  # every page would be looked at for nobody
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


def _with_tables_back(converter: DocumentConverter, route: Route, version: ConvertedVersion) -> ConvertedVersion:
    """The version with the tables that it lost, where the rules name who keeps them and nobody's wish forbids it."""
    settings = converter.document.runtime.settings.repair
    if route.is_wish or not route.tables or not settings.enabled:
        return version
    return put_tables_back(version, route, converter, settings=settings)
