"""Makes the comparisons that wait: the first documents of a profile, converted by a second plugin as well (CNV-4)."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator
from dataclasses import replace

from octavo.conversion.options import ConvertOptions, opening
from octavo.conversion.pipeline import convert_with, inspected
from octavo.conversion.routing import Candidate
from octavo.documents.source import Source
from octavo_contracts import OctavoError, RetryableToolFailure, SourceEncrypted, ToolUnavailable

from ...ingestion.events import Sampled
from ...ingestion.sampling.measures import compare_readings
from ...ingestion.sampling.readings import reading_of
from ...ingestion.sampling.sampler import metrics_json
from ...storage import StoredComparison
from ...storage.index.comparisons import ComparisonResult
from ..context import LibraryContext
from ..lookup import find_document
from .stored_reading import reading_services, stored_reading

_log = logging.getLogger("octavo.library")


def make_waiting(
    context: LibraryContext, *, profile: str | None = None, cancel: threading.Event
) -> Iterator[StoredComparison]:
    """Make the comparisons that wait, oldest first, and yield each when it is made.

    Args:
        context: the library's parts.
        profile: only of this profile, by its key.
        cancel: set to stop; the comparison in work keeps waiting.
    """
    for waiting in context.index.comparisons.waiting(profile=profile):
        if cancel.is_set():
            return
        result = _result(context, waiting, cancel)
        if result is None or not context.index.comparisons.finish(waiting, result):
            continue
        context.events.emit(
            Sampled(
                run_id=waiting.run_id,
                job_id=waiting.job_id or "",
                routing_type=waiting.routing_type,
                tool=waiting.tool_a,
                second=waiting.tool_b,
                seconds=result.seconds,
                diverges=result.diverges,
                compared=result.failure is None,
            )
        )
        yield replace(
            waiting,
            metrics=result.metrics,
            agreement=result.agreement,
            diverges=result.diverges,
            failure=result.failure,
            seconds=result.seconds,
        )


def make_all_waiting(context: LibraryContext, stop: threading.Event) -> None:
    """Make the comparisons that wait, as far as the settings and the library allow, until `stop` is set."""
    if context.runtime.settings.sampling and context.read_only is None:
        for _ in make_waiting(context, cancel=stop):
            pass


def _result(context: LibraryContext, waiting: StoredComparison, cancel: threading.Event) -> ComparisonResult | None:
    """The result of a comparison; None if it keeps waiting."""
    assert waiting.document_id is not None  # as the query says
    try:
        with find_document(context, waiting.document_id).original.open() as source:
            return _compare(context, waiting, source, cancel)
    except OctavoError as error:
        _log.info("document %s waits to be compared: %s", waiting.document_id, error)
        return None


def _compare(
    context: LibraryContext, waiting: StoredComparison, source: Source, cancel: threading.Event
) -> ComparisonResult:
    runtime, document_id = context.runtime, waiting.document_id
    assert document_id is not None  # checked by the caller
    started = time.monotonic()
    options = opening(runtime, ConvertOptions(profile=waiting.profile, cancel=cancel))
    services = reading_services(context, document_id)
    document = inspected(runtime, source, options, services, [])
    first, second = (
        Candidate(plugin=runtime.catalogue.get(tool), because="to be compared")
        for tool in (waiting.tool_a, waiting.tool_b)
    )
    stored = stored_reading(context, document_id, waiting.tool_a)
    a = stored[0] if stored is not None else reading_of(convert_with(document, first, services))
    try:
        b = reading_of(convert_with(document, second, services))
    except OctavoError as error:
        if error.reason is None or _is_transient(context, error):
            raise
        failure = f"{error.reason}: {error.message}"
        spent = time.monotonic() - started
        return ComparisonResult(metrics={}, agreement=None, diverges=False, failure=failure, seconds=spent)
    measured = compare_readings(a, b, threshold=waiting.threshold)
    return ComparisonResult(
        metrics=metrics_json(measured),
        agreement=measured.agreement,
        diverges=bool(measured.diverging),
        failure=None,
        seconds=time.monotonic() - started,
    )


def _is_transient(context: LibraryContext, error: OctavoError) -> bool:
    """Whether a failure is no evidence against the plugin: tool unavailable, password not at hand, or memory low."""
    if isinstance(error, ToolUnavailable | SourceEncrypted):
        return True
    return isinstance(error, RetryableToolFailure) and context.engine.throttle.is_memory_low()
