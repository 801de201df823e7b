"""The OCR step between conversion and scoring: recognises the pages of a document that need it (OCR-1, OCR-2).

Engines, and what examines and recognises pages, are imported for documents with such pages only.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from octavo_contracts import Conversion, DocumentClassification, UsageError

from . import needs_ocr as need
from .recognition import NO_ENGINE, NOT_ASKED, NOTHING, SWITCHED_OFF, PageReading, Recognition, RecognitionTask

if TYPE_CHECKING:
    from ...plugins import PluginInfo
    from ...runtime import Runtime


def recognise(
    runtime: Runtime,
    task: RecognitionTask,
    conversion: Conversion,
    classification: DocumentClassification | None,
    *,
    reads_scans: bool = False,
) -> Recognition:
    """Find the pages without trustworthy text, and recognise them.

        A page that cannot be recognised does not fail the document: it is listed in `unread`.

    Args:
        runtime: plugins, workers, settings.
        task: the document.
        conversion: the converter's pages.
        classification: result of the classifier.
        reads_scans: whether the converter does its own OCR; its text of a page is then accepted.

    Returns:
        The OCR results. If the text becomes a new version of a stored document, pages that were not read now keep the
        active version's results (OCR-6).

    Raises:
        UsageError: a requested page or engine does not exist.
        ToolUnavailable: the requested engine lacks its program.
        PolicyRefused: the requested engine is across the network, and policy forbids sending the document.
        Cancelled: the caller cancelled.
    """
    settings = runtime.settings.ocr
    asked = task.options.asked or task.options.pages is not None or task.options.engine is not None
    if task.options.engine is not None:
        _engines(runtime, task)  # refuses an engine that cannot be used, whether or not a page needs it
    if not need.is_paged_picture(task.media_type, conversion):
        if task.options.pages is not None:
            raise UsageError(f"pages of {task.media_type} cannot be recognised: the format has no page images")
        return NOTHING
    if task.options.pages is None:
        wanted = _needed(runtime, task, conversion, classification, reads_scans=reads_scans)
    else:
        wanted = _asked_for(task, task.options.pages, count=len(conversion.pages))
    if not wanted:
        found = NOTHING
    elif not settings.automatic and not asked:
        found = Recognition(unread=dict.fromkeys(wanted, SWITCHED_OFF))
    elif not (engines := _engines(runtime, task)):
        found = Recognition(unread=dict.fromkeys(wanted, NO_ENGINE))
    else:
        from .page_recogniser import PageRecogniser, summed_up

        run = PageRecogniser(runtime, task, engines)
        outcomes = run.recognise({page: run.request(page) for page in wanted})
        found = Recognition(
            readings={page: outcome.reading for page, outcome in outcomes.items() if outcome.reading is not None},
            unread={page: outcome.problem for page, outcome in outcomes.items() if outcome.reading is None},
            remedies={page: outcome.remedy for page, outcome in outcomes.items() if outcome.remedy},
            attempts=(*run.refused, *summed_up(outcomes.values())),
        )
    if task.earlier is None:
        return found
    others: set[int] = set()
    if task.options.pages is not None:
        others = {*_needed(runtime, task, conversion, classification, reads_scans=reads_scans)} - {*wanted}
    return _with_earlier(found, task.earlier, others=others, count=len(conversion.pages))


def _engines(runtime: Runtime, task: RecognitionTask) -> list[PluginInfo]:
    from .engines import engines_for, preferred

    first = preferred(runtime, profile=task.profile)
    return engines_for(runtime.catalogue, runtime.settings.ocr, task.options, first=first)


def _with_earlier(
    found: Recognition, earlier: Mapping[int, PageReading], *, others: Collection[int], count: int
) -> Recognition:
    """Add pages that an earlier version recognised and this run did not read.

    Args:
        found: results of this run.
        earlier: page → result of the active version.
        others: pages that need OCR and were not requested.
        count: number of pages of the document.
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
        raise UsageError(f"page {beyond[0]} does not exist; the document has {count} pages", source=task.source.display)
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
    density = runtime.settings.classification.scanned_density
    known = need.known_to_need(conversion, classification, density=density, reads_scans=reads_scans, marked=task.marked)
    doubtful = need.worth_a_look(conversion, classification, density=density, plain=task.plain)
    if not doubtful:
        return sorted(known)
    from .page_examination import examined

    looked = examined(runtime, task, doubtful)
    return sorted(known | {page for page in doubtful if looked[page].needs_ocr})
