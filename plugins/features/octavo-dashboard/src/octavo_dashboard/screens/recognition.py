"""The state of text recognition of a document, as a badge (UI-7)."""

from __future__ import annotations

from typing import Literal

from octavo_contracts import DegradedFlag, OctavoError
from octavo_library import Document
from pydantic import Field

from ..screen import Reader, View

State = Literal["none", "available", "in_progress", "searchable", "doubtful"]


class RecognitionView(View):
    """Text recognition of a document."""

    state: State = Field(
        description="`none`: every page has text of its own; `available`: pages wait for recognition; `in_progress`; "
        "`searchable`: recognised; `doubtful`: recognised, with a low confidence on some pages."
    )
    message: str = Field(description="The badge; empty for `none`.")
    waiting: list[int] = Field(description="Pages that no engine has read, where they are known.")
    recognised: list[int] = Field(description="Pages that were recognised.")
    doubtful: list[int] = Field(description="Recognised pages with a low confidence.")
    can_recognise: bool = Field(description="Whether pages of this document can be recognised.")


def recognition_of(reader: Reader, document: Document) -> RecognitionView:
    """The state of recognition of a document's active version."""
    can_recognise = document.original.has_page_images and document.active_version is not None
    try:
        report = document.quality if document.active_version is not None else None
    except OctavoError:  # its page says why it cannot be read
        report = None
    if report is None:
        return RecognitionView(
            state="none", message="", waiting=[], recognised=[], doubtful=[], can_recognise=can_recognise
        )
    flagged = {
        flag: sorted({one.page for one in report.findings if one.flag == flag.value and one.page is not None})
        for flag in (DegradedFlag.OCR_NEEDED, DegradedFlag.OCR_LOW_CONFIDENCE)
    }
    waiting, doubtful = flagged[DegradedFlag.OCR_NEEDED], flagged[DegradedFlag.OCR_LOW_CONFIDENCE]
    confidences = report.ocr_confidence_summary.page_confidences
    below = reader.library.context.runtime.settings.ocr.doubtful_below
    doubtful = sorted({*doubtful, *(int(page) for page, value in confidences.items() if value < below)})
    state, message = _state(
        is_running=any(
            task.is_open and task.kind == "recognise" and task.document_id == document.id
            for task in reader.work.tasks(reader.grant)
        ),
        needs=DegradedFlag.OCR_NEEDED.value in report.degraded_flags,
        waiting=len(waiting),
        applied=report.ocr_confidence_summary.applied,
        doubtful=bool(doubtful) or DegradedFlag.OCR_LOW_CONFIDENCE.value in report.degraded_flags,
    )
    return RecognitionView(
        state=state,
        message=message,
        waiting=waiting,
        recognised=sorted(map(int, confidences)),
        doubtful=doubtful,
        can_recognise=can_recognise,
    )


def _state(*, is_running: bool, needs: bool, waiting: int, applied: bool, doubtful: bool) -> tuple[State, str]:
    if is_running:
        return "in_progress", "Recognition in progress…"
    if needs:
        pages = "Scanned pages" if not waiting else f"{waiting} scanned page{'' if waiting == 1 else 's'}"
        return "available", f"{pages} – recognition available"
    if applied and doubtful:
        return "doubtful", "Searchable (low confidence on some pages)"
    if applied:
        return "searchable", "Searchable"
    return "none", ""
