"""Recognise the pages of a document that need it (OCR-1, OCR-2): the step between conversion and scoring."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from octavo_contracts import Conversion, DocumentClassification, OctavoError, UsageError
from octavo_sandbox import WorkerGroup
from octavo_sandbox.task import task_name

from . import needs_ocr as need
from .engines import engines_for
from .page_recogniser import PageRecogniser, summed_up
from .recognition import NO_ENGINE, NOT_ASKED, NOTHING, SWITCHED_OFF, PageReading, Recognition, RecognitionTask
from .worker import LookAnswer, LookRequest, look

if TYPE_CHECKING:
    from ...runtime import Runtime

LOOK = task_name(look)
LOOK_BATCH = 200
"""Pages looked at in one call: a call has a deadline, and opening the document again costs little beside them."""


def recognise(
    runtime: Runtime,
    task: RecognitionTask,
    conversion: Conversion,
    classification: DocumentClassification | None,
    *,
    reads_scans: bool = False,
) -> Recognition:
    """Find the pages without trustworthy text, and recognise them.

    A page that cannot be recognised is no failure of the document: it stands in `unread`.

    Args:
        runtime: plugins, workers, settings.
        task: the document.
        conversion: its pages as the converter gave them.
        classification: what was seen before.
        reads_scans: whether the converter recognises pages by itself: what it gave for one is then its text.

    Returns:
        What was recognised; with what the active version has of the pages that were not read now, where the text
        becomes a new version of it (OCR-6).

    Raises:
        UsageError: a page or an engine was asked for that does not exist.
        ToolUnavailable: the engine that was asked for lacks its program.
        PolicyRefused: it is across the network, and the document may not be shown to it.
        Cancelled: the caller cancelled.
    """
    settings = runtime.settings.ocr
    asked = task.options.asked or task.options.pages is not None or task.options.engine is not None
    engines = engines_for(runtime.catalogue, settings, task.options)
    if not need.is_paged_picture(task.media_type, conversion):
        if task.options.pages is not None:
            raise UsageError(f"pages of {task.media_type} cannot be recognised: they are no pictures of pages")
        return NOTHING
    if task.options.pages is None:
        wanted = _needed(runtime, task, conversion, classification, reads_scans=reads_scans)
    else:
        wanted = _asked_for(task, task.options.pages, count=len(conversion.pages))
    if not wanted:
        found = NOTHING
    elif not settings.automatic and not asked:
        found = Recognition(unread=dict.fromkeys(wanted, SWITCHED_OFF))
    elif not engines:
        found = Recognition(unread=dict.fromkeys(wanted, NO_ENGINE))
    else:
        run = PageRecogniser(runtime, task, engines)
        outcomes = run.recognise({page: run.request(page) for page in wanted})
        found = Recognition(
            readings={page: outcome.reading for page, outcome in outcomes.items() if outcome.reading is not None},
            unread={page: outcome.problem for page, outcome in outcomes.items() if outcome.reading is None},
            attempts=(*run.refused, *summed_up(outcomes.values())),
        )
    if task.earlier is None:
        return found
    others: set[int] = set()
    if task.options.pages is not None:
        others = {*_needed(runtime, task, conversion, classification, reads_scans=reads_scans)} - {*wanted}
    return _with_earlier(found, task.earlier, others=others, count=len(conversion.pages))


def _with_earlier(
    found: Recognition, earlier: Mapping[int, PageReading], *, others: Collection[int], count: int
) -> Recognition:
    """What was recognised, with the pages that an earlier version has and this one did not read.

    Args:
        found: what was recognised now.
        earlier: page → what the active version has.
        others: pages that need recognition and were not asked for.
        count: pages of the document.
    """
    readings = {page: reading for page, reading in earlier.items() if page <= count} | found.readings
    unread = dict.fromkeys(others, NOT_ASKED) | found.unread
    return replace(
        found,
        readings=dict(sorted(readings.items())),
        unread={page: why for page, why in sorted(unread.items()) if page not in readings},
    )


def _asked_for(task: RecognitionTask, pages: Collection[int], *, count: int) -> list[int]:
    if beyond := [page for page in pages if not 1 <= page <= count]:
        raise UsageError(f"there is no page {beyond[0]}; it has {count}", source=task.source.display)
    return sorted(set(pages))


def _needed(
    runtime: Runtime,
    task: RecognitionTask,
    conversion: Conversion,
    classification: DocumentClassification | None,
    *,
    reads_scans: bool,
) -> list[int]:
    """The pages without trustworthy text."""
    if task.media_type in need.IMAGES:
        return list(range(1, len(conversion.pages) + 1))
    known = need.known_to_need(conversion, classification, reads_scans=reads_scans)
    doubtful = need.worth_a_look(conversion, classification)
    if unseen := [page for page in doubtful if page not in task.looked]:
        found = set(_look(runtime, task, unseen))
        task.looked.update((page, page in found) for page in unseen)
    return sorted(known | {page for page in doubtful if task.looked[page]})


def _look(runtime: Runtime, task: RecognitionTask, pages: Sequence[int]) -> Iterable[int]:
    """Those of the pages that have no trustworthy text, by the pages themselves."""
    handle = task.source.handle(media_type=task.media_type)
    for start in range(0, len(pages), LOOK_BATCH):
        request = LookRequest(pages=tuple(pages[start : start + LOOK_BATCH]), password=task.password)
        payload = request.to_json().encode()
        try:
            reply = runtime.pool.run(
                LOOK, payload, source=handle, limits=task.limits, lane=WorkerGroup(), cancel=task.cancel
            )
            found = reply.read(LookAnswer).need_ocr
        except OctavoError as error:
            if error.reason is None:
                raise
            # Nobody could look: better a page recognised without need than one left unread.
            yield from request.pages
            continue
        yield from found
