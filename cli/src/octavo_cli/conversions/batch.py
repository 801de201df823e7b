"""Converts many documents at once, and writes each to its file in the output folder, or as JSON Lines to stdout."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import closing
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from octavo.conversion.empty_text import is_lacking
from octavo.conversion.output_formats import OutputFormat, Rendition
from octavo.conversion.report_text import failure_error
from octavo.conversion.results import ConvertedDocument, convert_source
from octavo_contracts import ExitCode, OctavoError, strongest

from ..toolkit.output import encode_text, write_bytes
from ..toolkit.result_exit import result_exit_code
from .batch_item import BatchItem
from .batch_report import BatchReport
from .image_files import ImageFolder
from .inner_documents import inner_documents, inner_places, within_limits
from .inputs import STDIN, Input

if TYPE_CHECKING:
    from octavo.conversion.options import ConvertOptions
    from octavo.runtime import Runtime
    from octavo_sandbox.filesystem.output_folder import OutputFolder

    from ..toolkit.running import Interrupt
    from .inputs import FoundInputs

_POLL = 0.2
"""Seconds between two looks at whether the user interrupted."""


@dataclass(frozen=True, kw_only=True)
class BatchJob:
    """How many documents are converted.

    Attributes:
        found: the documents.
        places: source → its file below the output folder.
        form: the form of the output.
        folder: where the files go; None for stdout.
        options: of every conversion.
        stdin: what standard input brought, where it is one of the documents.
        stdin_name: its name.
        jobs: documents converted at once; None for the settings'.
        with_page_marks: whether markdown has a mark before each page.
        images: where the images of the documents go; None: they are not written.
    """

    found: FoundInputs
    places: dict[str, PurePosixPath]
    form: OutputFormat
    folder: OutputFolder | None
    options: ConvertOptions
    stdin: bytes = b""
    stdin_name: str = ""
    jobs: int | None = None
    with_page_marks: bool = False
    images: ImageFolder | None = None


@dataclass
class _Counts:
    codes: list[ExitCode] = field(default_factory=list)
    attempted: int = 0


def convert_batch(job: BatchJob, runtime: Runtime, cancel: Interrupt) -> ExitCode:
    """Convert the documents and report; returns the strongest exit code of all.

    Args:
        job: what is asked for.
        runtime: plugins, workers and settings.
        cancel: set by Ctrl-C.

    Raises:
        UsageError: no such plugin or profile.
        BrokenPipeError: the reader of stdout has closed it.
    """
    if job.options.plugin is not None:
        runtime.catalogue.get(job.options.plugin)
    runtime.profile(job.options.profile)
    workers = job.jobs or runtime.settings.workers or os.cpu_count() or 1
    inputs = job.found.inputs
    counts = _Counts()
    with closing(BatchReport(total=len(inputs))) as report:
        try:
            for items in _finished(job, runtime, inputs, workers=workers, cancel=cancel):
                counts.attempted += 1
                report.found_more(len(items) - 1)
                for item in items:
                    counts.codes.append(_exit_code(item))
                    if item.data:
                        write_bytes(item.data)
                    report.finished(item)
        except KeyboardInterrupt:
            cancel.by_user = True
            cancel.set()
        report.ended(skipped=job.found.skipped, left=len(inputs) - counts.attempted, interrupted=cancel.by_user)
    if cancel.by_user:
        counts.codes.append(ExitCode.INTERRUPTED)
    return strongest(counts.codes)


def _finished(
    job: BatchJob, runtime: Runtime, inputs: Sequence[Input], *, workers: int, cancel: threading.Event
) -> Iterator[list[BatchItem]]:
    """Each document as it is done, with the documents inside it; at most twice as many as there are workers are begun and not yet reported."""
    waiting = iter(inputs)
    with ThreadPoolExecutor(workers, thread_name_prefix="octavo-convert") as pool:
        running: set[Future[list[BatchItem]]] = set()
        try:
            while True:
                if not cancel.is_set():
                    running |= {
                        pool.submit(_convert, job, runtime, one, cancel)
                        for one in islice(waiting, 2 * workers - len(running))
                    }
                if not running:
                    return
                done, running = wait(running, timeout=_POLL, return_when=FIRST_COMPLETED)
                for future in done:
                    items = future.result()
                    if items:
                        yield items
        finally:
            if running:  # the caller gave up: what runs is killed, what waits is not begun
                cancel.set()


def _convert(job: BatchJob, runtime: Runtime, one: Input, cancel: threading.Event) -> list[BatchItem]:
    """Convert and write one document, and the documents inside an archive or a mail; nothing for one that was cut short."""
    is_stdin = one.source == STDIN
    document = _Document(
        shown=job.stdin_name if is_stdin else one.source,
        place=job.places[one.source],
        source=job.stdin if is_stdin else one.source,
        name=job.stdin_name if is_stdin else None,
        path=one.path,
    )
    return list(_with_members(job, runtime, document, cancel))


@dataclass(frozen=True, kw_only=True)
class _Document:
    """A document of the batch: one that was named, or one inside another.

    Attributes:
        shown: its name in messages.
        place: its file below the output folder.
        source: its path, its URL, or its bytes.
        name: the name of bytes.
        path: its path, which is never written to.
        depth: documents around it.
    """

    shown: str
    place: PurePosixPath
    source: str | bytes
    name: str | None
    path: str | None = None
    depth: int = 0


def _with_members(job: BatchJob, runtime: Runtime, document: _Document, cancel: threading.Event) -> Iterator[BatchItem]:
    if cancel.is_set():
        return
    started = time.perf_counter()
    try:
        if job.folder is not None:
            job.folder.check(document.place, never=document.path)
        # A plugin that the user named was chosen for the document around this one, and may not read this format.
        options = replace(job.options, plugin=None) if document.depth else job.options
        converted = convert_source(document.source, options, name=document.name, runtime=runtime)
        if cancel.is_set() and converted.result.ingestion_status == "hard_failed":
            return
        yield _written(job, document, converted, started=started)
    except OctavoError as error:
        seconds = time.perf_counter() - started
        yield BatchItem(shown=document.shown, error=error.located(source=document.shown), seconds=seconds)
        return
    depth = document.depth + 1
    settings = runtime.settings.attachments
    members, left_out = within_limits(inner_documents(converted, settings), settings, depth=depth)
    if left_out is not None:
        yield BatchItem(shown=document.shown, error=left_out.located(source=document.shown))
    folder = document.place.with_name(document.place.name.removesuffix(job.form.extension))
    for member, place in zip(members, inner_places(members, folder, job.form.extension), strict=True):
        inner = _Document(
            shown=f"{document.shown} › {member.name}",
            place=place,
            source=member.data or b"",
            name=member.name,
            depth=depth,
        )
        yield from _with_members(job, runtime, inner, cancel)


def _written(job: BatchJob, document: _Document, converted: ConvertedDocument, *, started: float) -> BatchItem:
    """Write the result of a document; return what was written."""
    failed = failure_error(converted.result, document.shown)
    seconds = time.perf_counter() - started
    if failed is not None:
        return BatchItem(shown=document.shown, result=converted.result, error=failed, seconds=seconds)
    marked = job.with_page_marks and job.form is OutputFormat.MARKDOWN
    if job.images is not None:
        markdown = _with_images(job, job.images, document, converted)
    else:
        markdown = converted.markdown_with_page_marks() if marked else converted.markdown
    rendition = Rendition(
        result=converted.result, markdown=converted.markdown, text=converted.text, source=document.shown
    )
    data = encode_text(markdown if job.form is OutputFormat.MARKDOWN else rendition.render(job.form))
    why = converted.why_empty
    if job.folder is None:
        return BatchItem(shown=document.shown, result=converted.result, data=data, why_empty=why, seconds=seconds)
    images = converted.images.note if converted.images is not None else ""
    has_images = job.images is not None and bool(markdown.strip())
    if is_lacking(why) and job.form is not OutputFormat.JSON and not has_images:
        # An empty file would keep a later conversion, with the tool that the document needs, from being written.
        return BatchItem(
            shown=document.shown, result=converted.result, has_no_file=True, why_empty=why, seconds=seconds
        )
    raw_hash = converted.result.content_hashes.raw_file_hash
    is_new = job.folder.write(document.place, data, sha256=raw_hash)
    return BatchItem(
        shown=document.shown,
        result=converted.result,
        target=str(job.folder.path / document.place),
        is_unchanged=not is_new,
        images=images,
        why_empty=why,
        seconds=seconds,
    )


def _with_images(job: BatchJob, images: ImageFolder, document: _Document, converted: ConvertedDocument) -> str:
    assert job.folder is not None  # markdown of many documents has a folder
    place = document.place.with_name(document.place.name.removesuffix(job.form.extension))
    beside = os.path.dirname(job.folder.path / document.place)
    return images.write(converted, place, beside=beside, page_marks=job.with_page_marks)


def _exit_code(item: BatchItem) -> ExitCode:
    if item.error is not None:
        return result_exit_code(item.result) if item.result is not None else item.error.exit_code
    return ExitCode.DEGRADED if item.is_empty else ExitCode.OK
