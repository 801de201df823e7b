"""The way of one document: inspect → route → convert → fall back or escalate → score.

Each step is a function of what the step before returned. Nothing here writes: storing is the library's.
"""

from __future__ import annotations

import hashlib
import math
import threading
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from typing import Protocol

from octavo_contracts import (
    Attempt,
    Capability,
    Category,
    ContentTooLarge,
    ContractViolation,
    Conversion,
    ConvertRequest,
    FallbackAttempt,
    OctavoError,
    QualityAssessment,
    QualityEvidence,
    QualityFinding,
    SourceEncrypted,
    ToolError,
    UsageError,
)

from .assemble import Texts, join_pages
from .budget import TimeBudget
from .classify.inspection import Inspection
from .escalation import escalate, given_up, need_of, put_tables_back
from .inspecting import inspect, routing_type, source_evidence
from .mending import mended
from .ocr import (
    AUTOMATIC,
    NOTHING,
    MemoryPages,
    OcrOptions,
    PagesStore,
    Recognition,
    Task,
    derive_texts,
    merging,
    recognise,
)
from .plugins import HookCall, PluginInfo
from .quality import assess
from .repair import Doubt, PageRepair, check_part, doubted_pages, merge, put_back
from .routing import Candidate, Preference, Route, plan_route
from .runtime import Runtime
from .sandbox import SandboxLimits
from .sources import Source
from .speech import NO_SPEECH, evidence_of


class Admission(Protocol):
    """Asked before each call to a converter; see `octavo.engine.tools`."""

    def __call__(self, plugin: PluginInfo, cancel: threading.Event | None, /) -> AbstractContextManager[None]:
        """Around the call: waits for the plugin's turn, or raises `ToolUnavailable`."""


@dataclass(frozen=True, kw_only=True)
class ConvertOptions:
    """What a caller may ask for one document.

    Attributes:
        overrides: (plugin, who asked), strongest first; empty lets routing choose.
        profile: routing rules, or None for the settings'.
        password: of an encrypted document.
        timeout: seconds a plugin may take, or None for the settings'.
        cancel: set it to stop.
        admit: asked before each call to a converter, or None where there is nothing to wait for.
        ocr: what is asked of recognition.
        preferences: (routing type, the plugin that a verdict of the user puts first for it).
    """

    overrides: tuple[tuple[str, str], ...] = ()
    profile: str | None = None
    password: str | None = None
    timeout: float | None = None
    cancel: threading.Event | None = None
    admit: Admission | None = None
    ocr: OcrOptions = AUTOMATIC
    preferences: tuple[tuple[str, Preference], ...] = ()

    def __post_init__(self) -> None:
        """Refuse what no conversion could use.

        Raises:
            UsageError: a timeout that is not positive and finite, or a password that is no text.
        """
        if self.timeout is not None and not 0 < self.timeout < math.inf:
            raise UsageError(f"a timeout of {self.timeout} seconds is none: it is positive and finite")
        try:
            (self.password or "").encode()
        except UnicodeEncodeError as error:
            raise UsageError(
                "the password is no text in UTF-8", remedy="Save a copy of the document under another password"
            ) from error


@dataclass(frozen=True, kw_only=True)
class ConvertedVersion:
    """One conversion of a document, scored and joined.

    Attributes:
        candidate: the plugin and why it was tried.
        conversion: what it returned, completed.
        texts: the two texts made from it.
        evidence: what is known of the source, by which it was judged.
        assessment: the verdict on it.
        attempts: every call made up to and for it.
        fallbacks: tools tried before and not taken.
        recognition: what was recognised, and stands in the conversion.
        ocr_findings: what the quality report says of that.
        repairs: pages, and tables of pages, that came from another plugin than the candidate.
    """

    candidate: Candidate
    conversion: Conversion
    texts: Texts
    evidence: QualityEvidence
    assessment: QualityAssessment
    attempts: tuple[Attempt, ...]
    fallbacks: tuple[FallbackAttempt, ...]
    recognition: Recognition = NOTHING
    ocr_findings: tuple[QualityFinding, ...] = ()
    repairs: tuple[PageRepair, ...] = ()

    @property
    def flags(self) -> frozenset[str]:
        """The flags the verdict raised."""
        return frozenset(finding.flag for finding in self.assessment.findings if finding.severity == "degraded")


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What came of a document.

    Attributes:
        inspection: type, findings and classification.
        versions: one; one more after an escalation, and one more with tables put back; in the order in which they were made.
        active: index of the version to take.
        route: the plugins that were planned.
        budget: the time for all plugins, and what is left of it.
    """

    inspection: Inspection
    versions: tuple[ConvertedVersion, ...]
    active: int
    route: Route
    budget: TimeBudget


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
    options = opening(runtime, options)
    inspection: Inspection | None = None
    try:
        inspection = inspect(runtime, source, password=options.password, cancel=options.cancel, timeout=options.timeout)
        route = plan_route(
            runtime.catalogue,
            runtime.profile(options.profile),
            media_type=inspection.detected.media_type,
            routing_type=routing_type(inspection),
            overrides=options.overrides,
            preferred=dict(options.preferences).get(routing_type(inspection).value),
            name=source.name,
        )
    except OctavoError as error:
        if error.reason is None:
            raise
        raise ConversionFailed(error.located(source=source.display), inspection=inspection) from error
    work = _Work(
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
    return Outcome(inspection=inspection, versions=tuple(versions), active=active, route=route, budget=work.budget)


def opening(runtime: Runtime, options: ConvertOptions) -> ConvertOptions:
    """The options with the password that a document is opened with: the caller's, else that of the settings."""
    return replace(options, password=runtime.settings.password_for(options.password))


def _is_better(second: ConvertedVersion | None, first: ConvertedVersion) -> bool:
    """Whether an escalation is worth taking. A repair is: each page it replaced was compared with its own."""
    if second is None or second.repairs:
        return second is not None
    return (second.assessment.quality_score or 0) >= (first.assessment.quality_score or 0)


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
    work = _Work(
        runtime=runtime,
        source=source,
        options=opening(runtime, options),
        inspection=inspection,
        budget=budget or runtime.settings.budget(options.timeout),
        pages=MemoryPages() if pages is None else pages,
    )
    return work.whole(candidate, [], ())


@dataclass(frozen=True, kw_only=True)
class _Work:
    """A document on its way, and what every step of it needs: the converter of `octavo.escalation`."""

    runtime: Runtime
    source: Source
    options: ConvertOptions
    inspection: Inspection
    budget: TimeBudget
    pages: PagesStore
    looked: dict[int, bool] = field(default_factory=dict)

    def whole(
        self, candidate: Candidate, attempts: list[Attempt], fallbacks: Sequence[FallbackAttempt]
    ) -> ConvertedVersion:
        return _convert(self, candidate, attempts, fallbacks)

    def repaired(
        self,
        candidate: Candidate,
        first: ConvertedVersion,
        doubts: Mapping[int, Doubt],
        attempts: list[Attempt],
        fallbacks: Sequence[FallbackAttempt],
    ) -> ConvertedVersion | str:
        return _repaired(self, candidate, first, doubts, attempts, fallbacks)

    def with_tables(
        self,
        candidate: Candidate,
        first: ConvertedVersion,
        wanted: Mapping[int, Doubt],
        attempts: list[Attempt],
        fallbacks: Sequence[FallbackAttempt],
    ) -> ConvertedVersion | str:
        return _with_tables(self, candidate, first, wanted, attempts, fallbacks)


def _first_that_converts(work: _Work, route: Route) -> ConvertedVersion:
    attempts: list[Attempt] = []
    fallbacks: list[FallbackAttempt] = []
    errors: list[OctavoError] = []
    for index, candidate in enumerate(route.candidates):
        try:
            return _convert(work, candidate, attempts, fallbacks)
        except OctavoError as error:
            if error.reason is None:
                raise
            errors.append(error)
            following = route.candidates[index + 1 :]
            give_up = isinstance(error, SourceEncrypted) or not following or work.budget.is_used_up
            outcome = "abandoned" if give_up else f"fallback_to_{following[0].plugin.name}"
            fallbacks.append(given_up(candidate, error, work.budget, outcome=outcome))
            if give_up:
                break
    raise ConversionFailed(_decisive(errors), tuple(attempts), tuple(fallbacks), work.inspection)


def _decisive(errors: Sequence[OctavoError]) -> OctavoError:
    """The error that names the reason: what the document did, before what a missing tool or a second engine said."""
    blamed = [error for error in errors if not isinstance(error, ToolError)]
    return (blamed or list(errors))[0]


def _convert(
    work: _Work, candidate: Candidate, attempts: list[Attempt], fallbacks: Sequence[FallbackAttempt]
) -> ConvertedVersion:
    runtime, inspection = work.runtime, work.inspection
    settings = runtime.settings
    conversion = _call(work, candidate, attempts)
    reads_scans = Capability.SCANS in candidate.plugin.manifest.capabilities
    task = _ocr_task(work)
    recognition = recognise(runtime, task, conversion, inspection.classification, reads_scans=reads_scans)
    attempts.extend(recognition.attempts)
    merged = derive_texts(runtime, task, merging.merge(conversion, recognition), recognition)
    evidence = evidence_of(merging.with_recognition(source_evidence(inspection, merged), recognition), conversion)
    return ConvertedVersion(
        candidate=candidate,
        conversion=merged,
        texts=join_pages(merged, chunking=settings.chunking),
        evidence=evidence,
        assessment=assess(
            merged,
            evidence,
            settings.thresholds,
            recognised=recognition.readings,
        ),
        attempts=tuple(attempts),
        fallbacks=tuple(fallbacks),
        recognition=recognition,
        ocr_findings=merging.findings(recognition, conversion, doubtful_below=settings.ocr.doubtful_below),
    )


def _call(
    work: _Work, candidate: Candidate, attempts: list[Attempt], *, pages: tuple[int, ...] | None = None
) -> Conversion:
    """What a plugin gives for the document, or for some of its pages; checked."""
    runtime, options, inspection = work.runtime, work.options, work.inspection
    media_type = inspection.detected.media_type
    speech = runtime.settings.speech if inspection.detected.format.category is Category.AUDIO else NO_SPEECH
    request = ConvertRequest(
        media_type=media_type,
        routing_type=routing_type(inspection).value,
        pages=pages,
        password=options.password,
        max_pages=runtime.settings.max_pages,
        options=speech.options,
    )
    call = HookCall(
        plugin=candidate.plugin,
        hook="convert",
        arguments={"request": request},
        because=candidate.because,
        limits=_limits(work),
        budget=work.budget,
        readable=speech.readable,
    )
    admitted = options.admit(candidate.plugin, options.cancel) if options.admit is not None else nullcontext()
    with admitted:
        conversion = runtime.dispatcher.call(
            call, Conversion, source=work.source.handle(media_type=media_type), cancel=options.cancel, attempts=attempts
        )
    assert conversion is not None  # `convert` never returns None: the runner refuses it
    _check(conversion, candidate, max_pages=runtime.settings.max_pages)
    return conversion


def _repaired(
    work: _Work,
    candidate: Candidate,
    first: ConvertedVersion,
    doubts: Mapping[int, Doubt],
    attempts: list[Attempt],
    fallbacks: Sequence[FallbackAttempt],
) -> ConvertedVersion | str:
    """The first conversion with the doubted pages that another plugin does better; why it does none of them better."""
    engine = candidate.plugin.name
    part = _call(work, candidate, attempts, pages=tuple(doubts))
    check_part(part, tuple(doubts), plugin=engine)
    merged = merge(
        first.conversion,
        part,
        doubts,
        first.evidence,
        engine=engine,
        instead_of=first.candidate.plugin.name,
        tells_hidden=Capability.HIDDEN_TEXT in candidate.plugin.manifest.capabilities,
        thresholds=work.runtime.settings.thresholds,
    )
    return mended(first, merged, engine=engine, settings=work.runtime.settings, attempts=attempts, fallbacks=fallbacks)


def _with_tables(
    work: _Work,
    candidate: Candidate,
    first: ConvertedVersion,
    wanted: Mapping[int, Doubt],
    attempts: list[Attempt],
    fallbacks: Sequence[FallbackAttempt],
) -> ConvertedVersion | str:
    """The first conversion with the tables that another plugin has for its text; why none of them fits."""
    engine = candidate.plugin.name
    merged = put_back(
        first.conversion,
        _call(work, candidate, attempts),
        wanted,
        engine=engine,
        instead_of=first.candidate.plugin.name,
        tells_hidden=Capability.HIDDEN_TEXT in candidate.plugin.manifest.capabilities,
    )
    return mended(first, merged, engine=engine, settings=work.runtime.settings, attempts=attempts, fallbacks=fallbacks)


def _limits(work: _Work) -> SandboxLimits:
    limits, timeout = work.runtime.settings.limits, work.options.timeout
    return limits if timeout is None else replace(limits, wall_seconds=timeout)


def _ocr_task(work: _Work) -> Task:
    return Task(
        source=work.source,
        media_type=work.inspection.detected.media_type,
        password=work.options.password,
        options=work.options.ocr,
        limits=_limits(work),
        cancel=work.options.cancel,
        pages=work.pages,
        looked=work.looked,
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


def _escalated(work: _Work, route: Route, first: ConvertedVersion) -> tuple[ConvertedVersion, ConvertedVersion | None]:
    """The first conversion, and a second one where its evidence asks for it and nobody's wish forbids it (CNV-2)."""
    if work.options.overrides or not route.escalation:
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


def _with_tables_back(work: _Work, route: Route, version: ConvertedVersion) -> ConvertedVersion:
    """The version with the tables that it lost, where the rules name who keeps them and nobody's wish forbids it."""
    settings = work.runtime.settings.repair
    if work.options.overrides or not route.tables or not settings.enabled:
        return version
    return put_tables_back(version, route, work, settings=settings)
