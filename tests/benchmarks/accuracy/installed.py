"""Read documents with the plugins that are installed, each alone, and with the router's choice among them."""

from __future__ import annotations

import time
from dataclasses import replace

from octavo.builtins.classification.inspection import Inspection
from octavo.builtins.quality.assess import assess
from octavo.conversion.inspection import inspect, inspection_findings, source_evidence
from octavo.conversion.options import ConvertOptions
from octavo.conversion.pipeline import run
from octavo.conversion.states import ConversionFailed, ConversionOutcome
from octavo.conversion.steps import PageRecognition
from octavo.documents.source import Source
from octavo.runtime import Runtime
from octavo_contracts import OctavoError, UnsupportedFormat

from .manifest import Document
from .reading import Reading

ROUTER = "router"
_BESIDE = "router-"


def engine_names(runtime: Runtime) -> tuple[str, ...]:
    """The plugins that convert and have their engine."""
    return tuple(plugin.name for plugin in runtime.catalogue.having("convert") if plugin.missing() is None)


def beside(profile: str) -> str:
    """The name of the router by another profile than the one that is measured; it stands beside the engines."""
    return f"{_BESIDE}{profile}"


def is_router(engine: str) -> bool:
    """Whether a name is the router's, by any profile."""
    return engine == ROUTER or profile_beside(engine) is not None


def profile_beside(engine: str) -> str | None:
    """The profile that such a name is of; None for any other name."""
    return engine.removeprefix(_BESIDE) if engine.startswith(_BESIDE) else None


def inspected(runtime: Runtime, document: Document) -> Inspection | None:
    """What the classifier sees of a document now; None where preflight refuses it."""
    try:
        with Source.from_path(document.path) as source:
            return inspect(runtime, source, ConvertOptions(password=document.password))
    except OctavoError:
        return None


def judged(reading: Reading, inspection: Inspection | None) -> Reading:
    """A reading, new or kept, with the score and the flags that the core gives its conversion now."""
    conversion, evidence = reading.conversion, reading.evidence
    if conversion is None or evidence is None or inspection is None:
        return reading
    # What the look alone does not tell: the steps after it found it, and plugins that count a source's parts.
    kept = {name: getattr(evidence, name) for name in ("ocr_confidences", "agreements", "structure")}
    evidence = source_evidence(inspection, conversion).model_copy(update=kept)
    return assessed(replace(reading, evidence=evidence))


def assessed(reading: Reading) -> Reading:
    """A reading with the score and the flags that its conversion and its evidence give it."""
    conversion, evidence = reading.conversion, reading.evidence
    if conversion is None or evidence is None:
        return reading
    assessment = assess(conversion, evidence, recognised=reading.recognised)
    flags = {finding.flag for finding in assessment.findings} | set(reading.noted)
    return replace(reading, quality=assessment.quality_score, flags=tuple(sorted(flags)))


def read(runtime: Runtime, document: Document, *, engine: str, timeout: float) -> Reading:
    """One document by one plugin, or by the router's choice.

    Recognition of pages without text belongs to every conversion, as it does for a user.

    Args:
        runtime: with one worker, so that the times of documents can be told apart.
        document: what to read.
        engine: a plugin's name, `ROUTER`, or one that `beside` gave; the runtime has the profile.
        timeout: seconds a plugin may take.
    """
    plugin = None if is_router(engine) else engine
    options = ConvertOptions(plugin=plugin, asked_by="the benchmark", password=document.password, timeout=timeout)
    begun = time.perf_counter()
    try:
        with Source.from_path(document.path) as source:
            outcome = run(runtime, source, options)
    except ConversionFailed as failed:
        return _failed(engine, failed.error, failed.inspection is not None, seconds=time.perf_counter() - begun)
    except OctavoError as error:
        return _failed(engine, error, False, seconds=time.perf_counter() - begun)
    return _reading(outcome, seconds=time.perf_counter() - begun)


def _failed(engine: str, error: OctavoError, inspected: bool, *, seconds: float) -> Reading:
    # A type that nothing reads is an answer; a type that one engine does not read is that engine's limit.
    unsupported = isinstance(error, UnsupportedFormat) and not is_router(engine) and inspected
    return Reading(
        status="unsupported" if unsupported else "error",
        tool=engine,
        seconds=seconds,
        error=f"{type(error).__name__}: {error.message}",
    )


def _reading(outcome: ConversionOutcome, *, seconds: float) -> Reading:
    version = outcome.versions[outcome.active]
    noted = (*inspection_findings(outcome.inspection), *PageRecognition().findings(version.draft))
    findings = (*version.assessment.findings, *noted)
    degraded = any(finding.severity == "degraded" for finding in findings)
    peaks = [attempt.peak_rss_mb or 0.0 for made in outcome.versions for attempt in made.attempts]
    return Reading(
        status="partial" if degraded or outcome.inspection.classification is None else "ok",
        tool=version.candidate.plugin.name,
        conversion=version.conversion,
        evidence=version.evidence,
        recognised=tuple(sorted(version.recognition.readings)),
        classification=outcome.inspection.classification,
        quality=version.assessment.quality_score,
        flags=tuple(sorted({finding.flag for finding in findings})),
        noted=tuple(sorted({finding.flag for finding in noted})),
        seconds=seconds,
        peak_rss_mb=max(peaks, default=0.0),
    )
