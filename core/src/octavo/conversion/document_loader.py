"""Converts the documents that paths lead to, one result after the other: what `octavo.chunks` and the loaders of frameworks are made of."""

from __future__ import annotations

import logging
import os
import threading
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Literal, TypedDict, Unpack

from octavo_contracts import UsageError
from octavo_sandbox.egress.targets import is_url
from octavo_sandbox.filesystem.file_walk import Walk

from ..documents.file_patterns import fitting_files, is_pattern
from ..documents.location import shown_url
from ..documents.source import printable
from .options import ConvertOptions
from .report_text import failure_error
from .results import ConvertedDocument, convert_source
from .text_records import TextRecord, TextUnit, text_records, text_unit

if TYPE_CHECKING:
    from ..runtime import Runtime

_log = logging.getLogger("octavo.conversion")

LoadSource = str | os.PathLike[str]
"""A file, a folder, the URL of a page, or a pattern such as `papers/**/*.pdf`."""


class LoadFields(TypedDict, total=False):
    """Options of loading; each may be left out.

    `include` and `exclude`: patterns of files in folders. `plugin`, `profile`, `password`, `timeout`: as for
    `octavo.convert`. `on_failure`: "raise" (the default) raises the error of a document that cannot be converted; "warn"
    logs it as a warning of the logger `octavo.conversion` and goes on. `jobs`: documents converted at once, by default
    one a core. `runtime`: plugins and workers; by default one shared by the process.
    """

    include: Sequence[str]
    exclude: Sequence[str]
    plugin: str | None
    profile: str | None
    password: str | None
    timeout: float | None
    on_failure: Literal["raise", "warn"]
    jobs: int | None
    runtime: Runtime | None


@dataclass(frozen=True, kw_only=True)
class LoadedDocument:
    """A document that was converted.

    Attributes:
        source: its path or URL.
        converted: its texts and its report.
    """

    source: str
    converted: ConvertedDocument


def load_records(
    sources: LoadSource | Iterable[LoadSource], *, unit: str, **fields: Unpack[LoadFields]
) -> Iterator[TextRecord]:
    """The texts of documents, in the order of their paths.

    Args:
        sources: see `load_documents`.
        unit: what one text is: `document`, `page` or `chunk`.
        fields: see `LoadFields`.

    Raises:
        UsageError: no such unit; else as `load_documents`.
        OctavoError: as `load_documents`.
    """
    chosen: TextUnit = text_unit(unit)
    documents = load_documents(sources, **fields)  # refuses wrong options here, not at the first record
    return (record for one in documents for record in text_records(one.converted, source=one.source, unit=chosen))


def load_documents(
    sources: LoadSource | Iterable[LoadSource], **fields: Unpack[LoadFields]
) -> Iterator[LoadedDocument]:
    """Convert the documents that sources lead to; yields each in the order of their paths as soon as it is done.

    Several documents are converted at once; at most `jobs` are begun and not yet taken, so a caller that stops early has
    converted few in vain.

    Args:
        sources: a file, a folder, a URL, a pattern, or several of them.
        fields: see `LoadFields`.

    Raises:
        UsageError: no such plugin or profile; `jobs` below 1; or `on_failure` is neither "raise" nor "warn".
        OctavoError: a document cannot be converted, and `on_failure` is not "warn". Documents before it were yielded.
    """
    from ..runtime import default_runtime

    on_failure = fields.get("on_failure", "raise")
    if on_failure not in ("raise", "warn"):
        raise UsageError(f"on_failure must be 'raise' or 'warn', got {on_failure!r}")
    jobs = fields.get("jobs")
    if jobs is not None and jobs < 1:
        raise UsageError(f"jobs must be at least 1, got {jobs}")
    runtime = fields.get("runtime") or default_runtime()
    options = ConvertOptions(
        plugin=fields.get("plugin"),
        profile=fields.get("profile"),
        password=fields.get("password"),
        timeout=fields.get("timeout"),
    )
    if options.plugin is not None:
        runtime.catalogue.get(options.plugin)
    runtime.profile(options.profile)
    given = [sources] if isinstance(sources, str | os.PathLike) else list(sources)
    paths = _paths(given, include=fields.get("include", ()), exclude=fields.get("exclude", ()))
    return _taken(_converted(paths, options, runtime, jobs=jobs), on_failure)


def _taken(documents: Iterator[LoadedDocument], on_failure: str) -> Iterator[LoadedDocument]:
    for one in documents:
        shown = shown_url(one.source) if is_url(one.source) else printable(one.source)
        error = failure_error(one.converted.result, shown)
        if error is None:
            yield one
        elif on_failure == "raise":
            raise error
        else:
            reason = error.reason.value if error.reason is not None else "error"
            _log.warning("a document was left out [%s]: %s", reason, error)


def _paths(sources: Sequence[LoadSource], *, include: Sequence[str], exclude: Sequence[str]) -> Iterator[str]:
    for source in sources:
        path = os.fspath(source)
        if is_pattern(path):
            yield from fitting_files(path)
        else:
            walk = Walk((path,), include=include, exclude=exclude)
            yield from walk
            for skipped in walk.skipped:
                _log.warning("%s was left out: %s", printable(skipped.path), skipped.why)


def _converted(
    paths: Iterator[str], options: ConvertOptions, runtime: Runtime, *, jobs: int | None
) -> Iterator[LoadedDocument]:
    cancel = threading.Event()
    options = replace(options, cancel=cancel)

    def convert(path: str) -> LoadedDocument:
        return LoadedDocument(source=path, converted=convert_source(path, options, runtime=runtime))

    workers = jobs or runtime.settings.workers or os.cpu_count() or 1
    with ThreadPoolExecutor(workers, thread_name_prefix="octavo-load") as pool:
        begun: deque[Future[LoadedDocument]] = deque()
        try:
            while True:
                begun.extend(pool.submit(convert, path) for path in islice(paths, workers - len(begun)))
                if not begun:
                    return
                yield begun.popleft().result()
        finally:  # the caller gave up, or a document raised: what runs is killed, what waits is not begun
            if begun:
                cancel.set()
                pool.shutdown(wait=True, cancel_futures=True)
