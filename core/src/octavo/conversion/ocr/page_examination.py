"""Examines pages of a PDF in a worker: their text layer, and whether they need OCR. Each page once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from octavo_contracts import OctavoError, PageMetadata
from octavo_sandbox import WorkerGroup
from octavo_sandbox.task import task_name

from .recognition import RecognitionTask
from .worker import LookAnswer, LookRequest, look

if TYPE_CHECKING:
    from ...runtime import Runtime

LOOK = task_name(look)
LOOK_BATCH = 200
"""Pages examined in one call: each call has a deadline, and opening the document again is cheap by comparison."""


def examined(runtime: Runtime, task: RecognitionTask, pages: Sequence[int]) -> Mapping[int, PageMetadata]:
    """Return the records of pages, of those that were examined before too.

    Args:
        runtime: workers and settings.
        task: the document.
        pages: from 1.

    Raises:
        Cancelled: the caller cancelled.
    """
    unseen = [page for page in pages if page not in task.looked]
    for start in range(0, len(unseen), LOOK_BATCH):
        batch = unseen[start : start + LOOK_BATCH]
        # A page that does not load is reported by the converter: there is nothing to recognise.
        task.looked.update((page, _record(page, is_scanned=False)) for page in batch)
        task.looked.update((record.page_number, record) for record in _examine(runtime, task, batch))
    return task.looked


def _examine(runtime: Runtime, task: RecognitionTask, pages: Sequence[int]) -> Iterable[PageMetadata]:
    request = LookRequest(
        pages=tuple(pages),
        password=task.password,
        scanned_density=runtime.settings.classification.scanned_density,
    )
    handle = task.source.handle(media_type=task.media_type)
    try:
        reply = runtime.pool.run(
            LOOK, request.to_json().encode(), source=handle, limits=task.limits, lane=WorkerGroup(), cancel=task.cancel
        )
        return reply.read(LookAnswer).pages
    except OctavoError as error:
        if error.reason is None:
            raise
        # The pages could not be examined: recognising a page needlessly is better than leaving one unread.
        return [_record(page, is_scanned=True) for page in pages]


def _record(page: int, *, is_scanned: bool) -> PageMetadata:
    """Build the record of a page whose text layer could not be read."""
    return PageMetadata(
        page_number=page, is_scanned=is_scanned, text_density=0.0, has_text_layer=False, needs_ocr=is_scanned
    )
