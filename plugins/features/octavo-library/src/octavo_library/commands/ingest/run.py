"""Runs an ingest: feeds documents to a library, prints each as it finishes, and stops cleanly when interrupted."""

from __future__ import annotations

import contextlib
import json
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

from octavo.settings.web import network_off
from octavo_cli.toolkit.configured import settings
from octavo_cli.toolkit.output import clean, note, to_json, write_bytes
from octavo_cli.toolkit.running import cancelled_by_interrupt, report
from octavo_contracts import ExitCode, OctavoError, SourceMissing
from octavo_sandbox.egress.targets import is_url
from octavo_sandbox.filesystem.file_walk import Walk

from ..document_text import held_back_keys
from ..executors import Executor, ExecutorRequest
from ..opening import open_library
from .dry_run import Files
from .hold_notes import tell_holds
from .outcome import FileOutcome, Request
from .replaced_content import note_replacements
from .summary import IngestSummary

if TYPE_CHECKING:
    from ...facade.library import Library
    from ...facade.results import IngestOutcome
    from .report import TextReporter

Style = Literal["text", "json", "jsonl"]

_TICK = 0.2
"""Seconds after which a wait looks whether the user interrupted."""


class Reporter(Protocol):
    """Shows a run to the user."""

    def finished(self, ingested: IngestOutcome, *, found: int) -> None:
        """Show a finished document; `found` is the number of documents found so far."""

    def ended(self, outcome: FileOutcome) -> None:
        """Show the outcome of the run."""


def ingest(request: Request, executor: Executor, values: Mapping[str, Any], *, style: Style) -> ExitCode:
    """Ingest and report; return the exit code.

    Args:
        request: the arguments of the command.
        executor: converts the documents.
        values: the values of its own options.
        style: how to report.

    Raises:
        SourceMissing: none of the paths exists, and there is no library.
        OctavoError: the library cannot be opened, or no such plugin, profile or corpus; or the executor is not available.
    """
    _check_any_source(request)

    with executor.open(request.library, values) as session:

        def work(library: Library, cancel: threading.Event, feed: CancellableFeed) -> Iterator[IngestOutcome]:
            library.runs.check_cost(Files(request), request.ingest_options)
            wanted = ExecutorRequest(
                paths=request.paths,
                options=request.ingest_options,
                workers=request.workers,
                cancel=cancel,
                total=library.runs.check_disk(Files(request), corpus=request.corpus, reingest=request.reingest),
            )
            return session.ingest(library, feed, wanted)

        return _run(request, work, style=style, create=True)


def _check_any_source(request: Request) -> None:
    """Refuse to create a library for mistyped paths. In an existing one, missing paths are failures of the run."""
    from ...storage import has_index

    if has_index(Path(request.library)) or any(map(_may_exist, request.paths)):
        return
    web = settings().web  # an error in the settings is reported first, as by every command
    urls = [path for path in request.paths if is_url(path)]
    if urls and not web.enabled:
        raise network_off(clean(urls[0]))
    if urls:
        return
    more = len(request.paths) - 1
    raise SourceMissing(
        "there is no such file or folder" + (f", and none of {more} more exists" if more else ""),
        source=clean(request.paths[0]),
        remedy=f"Check the name. There is no library at {clean(request.library)} yet, and none was created",
    )


def retry(request: Request, run: str | None, *, reason: str | None, style: Style) -> ExitCode:
    """Retry the documents that a run did not convert, and report; return the exit code.

    Without a run, the newest one with such documents is retried.

    Raises:
        OctavoError: no such library or run, or no documents to retry.
    """

    def work(library: Library, cancel: threading.Event, feed: CancellableFeed) -> Iterator[IngestOutcome]:
        ref = run or library.runs.newest_failed(reason=reason)
        feed.expect(len(library.runs.failed(ref, reason=reason)[1]))
        return library.runs.retry(
            ref,
            reason=reason,
            password=request.password,
            timeout=request.timeout,
            workers=request.workers,
            cancel=cancel,
        )

    return _run(request, work, style=style, create=False)


Work = Callable[["Library", threading.Event, "CancellableFeed"], Iterator["IngestOutcome"]]


def _run(request: Request, work: Work, *, style: Style, create: bool) -> ExitCode:
    started = time.perf_counter()
    tally = IngestSummary()
    with (
        cancelled_by_interrupt() as cancel,
        open_library(request.library, create=create) as library,
        contextlib.closing(make_reporter(style)) as reporter,
    ):
        # Created after the library, because the walk recognises the library's folder by its identity.
        walk = Walk(request.paths, include=request.include, exclude=request.exclude, library=request.library)
        feed = CancellableFeed(walk, cancel)
        tell_holds(library)
        try:
            for ingested in work(library, cancel, feed):
                for one in ingested.walk():
                    if tally.add(one):
                        reporter.finished(one, found=walk.found)
        except KeyboardInterrupt:
            cancel.by_user = True
            cancel.set()
        except OctavoError as error:
            if not tally.rows and not cancel.by_user:
                raise
            tally.error = error
        tally.interrupted = cancel.by_user
        tally.counts["not_attempted"] = feed.rest() - tally.given + tally.left
        exit_code = tally.exit_code(fail_on_degraded=request.fail_on_degraded)
        seconds = time.perf_counter() - started
        outcome = FileOutcome(request=request, tally=tally, walk=walk, seconds=seconds, exit_code=exit_code)
        reporter.ended(outcome)
        note_replacements(library, [row.document_id for row in tally.rows if row.document_id], request)
        _finish_follow_ups(library, cancel)
    if tally.error is not None:
        report(tally.error)
    return exit_code


def _finish_follow_ups(library: Library, cancel: threading.Event) -> None:
    """Wait for what follows the run in the background, such as briefs, unless the user interrupts."""
    try:
        while not cancel.is_set() and not library.engine.wait_for_follow_ups(seconds=_TICK):
            continue
    except KeyboardInterrupt:
        cancel.set()
    if not library.engine.wait_for_follow_ups(seconds=0):
        note("octavo: briefs that are not made yet are made when the library is next opened")


class CancellableFeed:
    """Yields a walk's documents until the run is cancelled.

    Args:
        walk: the documents.
        cancel: set to stop.
    """

    def __init__(self, walk: Walk, cancel: threading.Event) -> None:
        self._walk = walk
        self._documents = iter(walk)
        self._cancel = cancel

    def __iter__(self) -> Iterator[str]:
        for document in self._documents:
            if self._cancel.is_set():
                return
            yield document

    def expect(self, count: int) -> None:
        """Count documents that do not come from the walk."""
        self._walk.found += count

    def rest(self) -> int:
        """Finish the walk without yielding; return the total number of documents."""
        for _ in self._documents:
            pass
        return self._walk.found


def make_reporter(style: Style) -> JsonLines | JsonObject | TextReporter:
    """Create the reporter for a style."""
    if style == "jsonl":
        return JsonLines()
    if style == "json":
        return JsonObject()
    from .report import TextReporter

    return TextReporter()


def envelope(ingested: IngestOutcome) -> bytes:
    """A document as one line of JSON."""
    known = ingested.already_known
    head = {
        "source": clean(ingested.source),
        "document_id": ingested.document_id,
        "attached_to": ingested.attached_to,
        "reused": ingested.reused,
        "already_known": {"corpora": known.corpora, "first_seen_at": known.first_seen_at} if known else None,
        "not_applied": ingested.not_applied or None,
        "held_back": held_back_keys(ingested.held_back),
    }
    return to_json({**head, "result": ingested.result}, indent=None)


def summary(outcome: FileOutcome) -> dict[str, object]:
    """A run as JSON values; the docstring of the module `ingest` describes the keys."""
    skipped = [{"source": clean(item.path), "why": item.why} for item in outcome.walk.skipped]
    return {
        **outcome.tally.summary(),
        "skipped": skipped,
        "library": clean(outcome.request.library),
        "exit_code": int(outcome.exit_code),
    }


class JsonLines:
    """Prints one object per document, immediately."""

    def finished(self, ingested: IngestOutcome, *, found: int) -> None:
        """See `Reporter`."""
        write_bytes(envelope(ingested))

    def ended(self, outcome: FileOutcome) -> None:
        """See `Reporter`."""

    def close(self) -> None:
        """Nothing to close."""


class JsonObject:
    """Prints one object, with one line per document, without keeping the documents in memory."""

    def __init__(self) -> None:
        self._opened = False

    def finished(self, ingested: IngestOutcome, *, found: int) -> None:
        """See `Reporter`."""
        self._separate()
        write_bytes(envelope(ingested).rstrip(b"\n"))

    def ended(self, outcome: FileOutcome) -> None:
        """See `Reporter`."""
        if not self._opened:
            write_bytes(b'{"documents": [')
        write_bytes(b'\n], "summary": ' + json.dumps(summary(outcome), ensure_ascii=False).encode() + b"}\n")

    def close(self) -> None:
        """Nothing to close."""

    def _separate(self) -> None:
        write_bytes(b",\n" if self._opened else b'{"documents": [\n')
        self._opened = True


def _may_exist(path: str) -> bool:
    """Whether a path exists, or lies in a folder that may not be entered: its failure then says so."""
    try:
        os.lstat(path)
    except PermissionError:
        return True
    except (OSError, ValueError):
        return False
    return True
