"""Watches a folder: waits until changed files are complete, ingests them, and prints one line per document."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from octavo_cli.toolkit.output import clean, note, write_bytes, write_line
from octavo_cli.toolkit.running import cancelled_by_interrupt, report
from octavo_contracts import ExitCode, OctavoError, UsageError
from octavo_sandbox.filesystem.file_walk import Walk, is_library, is_taken

from ..ingest.hold_notes import tell_holds
from ..ingest.outcome import Request
from ..ingest.run import envelope
from ..ingest.summary import IngestSummary, Row
from ..opening import open_library
from .file_stability import Settling
from .watched_folder import WatchedFolder

if TYPE_CHECKING:
    from ...facade.library import Library


def watch(request: Request, folder: str, *, as_jsonl: bool) -> ExitCode:
    """Watch until interrupted; return the exit code.

    Raises:
        UsageError: no such folder, or the folder is a library.
        OctavoError: the library cannot be opened, or no such plugin or profile.
    """
    if not os.path.isdir(folder):
        raise UsageError(f"there is no folder {clean(folder)}", remedy="Create it, or give another one")
    if is_library(folder):
        raise UsageError(f"the folder {clean(folder)} is an Octavo library", remedy="Give a folder of documents")
    tally = IngestSummary()
    with cancelled_by_interrupt() as cancel, open_library(request.library) as library:
        tell_holds(library)
        library.routing.sample_when_idle()
        settings = library.context.runtime.settings.watch
        settling = Settling(settings.settle_seconds)
        watched = WatchedFolder(
            folder,
            partial(_files, request=request),
            rescan_seconds=settings.rescan_seconds,
            debounce_seconds=settings.debounce_seconds,
            on_gone=lambda: note(f"octavo: {clean(folder)} is missing; waiting for it to return"),
            on_back=lambda: note(f"octavo: {clean(folder)} has returned"),
        )
        note(f"octavo: watching {clean(folder)}; press Ctrl-C to stop")
        try:
            for changed in watched.changes(cancel):
                for path in changed:
                    settling.changed(path)
                if whole := settling.take():
                    watched.taken(whole)
                    _ingest(library, whole, request, cancel, tally, as_jsonl=as_jsonl)
        except KeyboardInterrupt:
            cancel.set()
        except OctavoError as error:
            tally.error = error
        tally.interrupted = cancel.is_set()
    if tally.error is not None:
        report(tally.error)
    note(f"octavo: {_summary(tally)}")
    return tally.exit_code(fail_on_degraded=False)


def _files(paths: Iterable[str], root: str, *, request: Request) -> Iterator[str]:
    """Expand paths to files: for a folder that was moved in, only the folder itself is reported."""
    for path in paths:
        if not is_taken(path, root, include=request.include, exclude=request.exclude, library=request.library):
            continue
        if os.path.isdir(path):
            inside = Walk((path,), library=request.library)
            yield from (
                found
                for found in inside
                if is_taken(found, root, include=request.include, exclude=request.exclude, library=request.library)
            )
        else:
            yield path


def _ingest(
    library: Library,
    paths: list[str],
    request: Request,
    cancel: threading.Event,
    tally: IngestSummary,
    *,
    as_jsonl: bool,
) -> None:
    for ingested in library.ingest_many(
        paths,
        options=request.ingest_options,
        workers=request.workers,
        cancel=cancel,
        named=request.paths,
    ):
        for one in ingested.walk():
            if not tally.add(one):
                continue
            row = tally.rows.pop()  # already counted; a watch may run for months
            tally.failures.clear()
            if as_jsonl:
                write_bytes(envelope(one))
            else:
                write_line(_line(row))


def _line(row: Row) -> str:
    why = f"{row.reason.value}: {row.details}" if row.reason is not None else ", ".join(row.flags)
    parts = [row.status, clean(row.source), row.plugin, clean(why), row.known]
    return "  ".join(part for part in parts if part)


def _summary(tally: IngestSummary) -> str:
    counted = ", ".join(f"{tally.counts[name]} {name}" for name in ("complete", "degraded", "failed"))
    return f"{counted}; {tally.counts['reused']} of them already known"
