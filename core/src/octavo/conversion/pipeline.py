"""The way of one document: inspect → route → convert → fall back or escalate → score.

Each step is a function of what the step before returned. Nothing here writes: storing is the library's.
"""

from __future__ import annotations

from collections.abc import Sequence

from octavo_contracts import Attempt, FallbackAttempt, OctavoError, SourceEncrypted, ToolError

from ..builtins.classification.inspection import Inspection
from ..documents.source import Source
from ..runtime import Runtime
from ..sandbox.budget import TimeBudget
from .converter import Work
from .escalation import escalate, given_up, need_of, put_tables_back
from .inspection import inspect, routing_type
from .ocr import MemoryPages, PagesStore
from .options import ConvertOptions, opening
from .outcome import ConversionFailed, ConvertedVersion, Outcome
from .page_repair import doubted_pages
from .routing import Candidate, Route, plan_route


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
    options = opening(runtime, options)
    inspection: Inspection | None = None
    try:
        profile = runtime.profile(options.profile)
        inspection = inspect(
            runtime,
            source,
            password=options.password,
            cancel=options.cancel,
            timeout=options.timeout,
            types=profile.types,
            by_hand=options.type_by_hand(source.raw_file_hash),
        )
        route = plan_route(
            runtime.catalogue,
            profile,
            media_type=inspection.detected.media_type,
            routing_type=routing_type(inspection),
            overrides=options.overrides,
            standing=options.standing,
            preferred=dict(options.preferences).get(routing_type(inspection).value),
            name=source.name,
        )
    except OctavoError as error:
        if error.reason is None:
            raise
        raise ConversionFailed(error.located(source=source.display), inspection=inspection) from error
    work = Work(
        runtime=runtime,
        source=source,
        options=options,
        inspection=inspection,
        budget=runtime.settings.budget(options.timeout),
        pages=MemoryPages() if pages is None else pages,
    )
    first, second = _escalated(work, route, _first_that_converts(work, route))
    versions = [first] if second is None else [first, second]
    active = int(_is_better(second, first))
    mended = _with_tables_back(work, route, versions[active])
    if mended.repairs == versions[active].repairs or versions[active].repairs:
        versions[active] = mended
    else:
        versions, active = [*versions, mended], len(versions)
    source.check_unchanged()
    return Outcome(
        inspection=inspection,
        versions=tuple(versions),
        active=active,
        route=route,
        budget=work.budget,
        types=profile.types,
    )


def _is_better(second: ConvertedVersion | None, first: ConvertedVersion) -> bool:
    """Whether an escalation is worth taking: it scores higher. A repair is: each page it replaced was compared with its own."""
    if second is None or second.repairs:
        return second is not None
    return (second.assessment.quality_score or 0) > (first.assessment.quality_score or 0)


def convert_with(
    runtime: Runtime,
    source: Source,
    options: ConvertOptions,
    inspection: Inspection,
    candidate: Candidate,
    *,
    pages: PagesStore | None = None,
    budget: TimeBudget | None = None,
) -> ConvertedVersion:
    """Convert an inspected document by one plugin, whatever its route says: for a comparison.

    Args:
        runtime: plugins, workers, settings.
        source: the document.
        options: what the caller asked for.
        inspection: of the document.
        candidate: the plugin.
        pages: where recognised pages are kept; by default nowhere.
        budget: what earlier calls left of the document's time; None where it begins now.

    Raises:
        OctavoError: the plugin can not convert it.
    """
    work = Work(
        runtime=runtime,
        source=source,
        options=opening(runtime, options),
        inspection=inspection,
        budget=budget or runtime.settings.budget(options.timeout),
        pages=MemoryPages() if pages is None else pages,
    )
    return work.whole(candidate, [], (), in_any_case=True)


def _first_that_converts(work: Work, route: Route) -> ConvertedVersion:
    attempts: list[Attempt] = []
    fallbacks: list[FallbackAttempt] = []
    errors: list[OctavoError] = []
    not_asked: list[Candidate] = []
    for index, candidate in enumerate(route.candidates):
        following = route.candidates[index + 1 :]
        if following and work.is_unable(candidate):
            not_asked.append(candidate)
        try:
            return work.whole(candidate, attempts, fallbacks, in_any_case=not following)
        except OctavoError as error:
            if error.reason is None:
                raise
            errors.append(error)
            give_up = isinstance(error, SourceEncrypted) or work.budget.is_used_up
            outcome = "abandoned" if give_up or not following else f"fallback_to_{following[0].plugin.name}"
            fallbacks.append(given_up(candidate, error, work.budget, outcome=outcome))
            if give_up:
                break
    else:
        # Nobody could: the weights of those that were passed over may have been put in place since they were asked.
        for candidate in not_asked:
            try:
                return work.whole(candidate, attempts, fallbacks, in_any_case=True)
            except OctavoError as error:
                if error.reason is None:
                    raise
                errors.append(error)
    raise ConversionFailed(_decisive(errors), tuple(attempts), tuple(fallbacks), work.inspection)


def _decisive(errors: Sequence[OctavoError]) -> OctavoError:
    """The error that names the reason: what the document did, before what a missing tool or a second engine said."""
    blamed = [error for error in errors if not isinstance(error, ToolError)]
    return (blamed or list(errors))[0]


def _escalated(work: Work, route: Route, first: ConvertedVersion) -> tuple[ConvertedVersion, ConvertedVersion | None]:
    """The first conversion, and a second one where its evidence asks for it and nobody's wish forbids it (CNV-2)."""
    if route.is_wish or not route.escalation:
        return first, None  # every page would be looked at for nobody
    settings = work.runtime.settings
    doubts = doubted_pages(
        first.conversion,
        first.evidence,
        first.assessment,
        thresholds=settings.thresholds,
        settings=settings.repair,
        recognised=first.recognition.readings,
    )
    return escalate(first, route, need_of(first, work.inspection, doubts), work)


def _with_tables_back(work: Work, route: Route, version: ConvertedVersion) -> ConvertedVersion:
    """The version with the tables that it lost, where the rules name who keeps them and nobody's wish forbids it."""
    settings = work.runtime.settings.repair
    if route.is_wish or not route.tables or not settings.enabled:
        return version
    return put_tables_back(version, route, work, settings=settings)
