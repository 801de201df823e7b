"""OCR of the pictures inside office documents: finds and recognises them, and derives the page texts again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from octavo_contracts import Conversion, OctavoError
from octavo_sandbox import WorkerGroup
from octavo_sandbox.task import task_name

from ...plugins.budget import TimeBudget
from .embedded import find_pictures
from .engines import engines_for
from .page_recogniser import PageOutcome, PageRecogniser, summed_up
from .picture_records import EmbeddedPicture, FoundPictures
from .pictures import MAX_PICTURES
from .recognition import PictureReading, Recognition, RecognitionTask
from .worker import Markdowns, PlainTexts, plain_texts

if TYPE_CHECKING:
    from ...runtime import Runtime

PLAIN_TEXTS = task_name(plain_texts)
FIND_PICTURES = task_name(find_pictures)


def recognise_pictures(runtime: Runtime, task: RecognitionTask, conversion: Conversion) -> Recognition:
    """Recognise the pictures inside an office document; the step calls it where the caller or the settings ask for that.

    Args:
        runtime: plugins, workers, settings.
        task: the document.
        conversion: the converter's pages.

    Raises:
        PolicyRefused, ToolUnavailable, UsageError, Cancelled: see `PageRecogniser`.
    """
    settings = runtime.settings.ocr
    engines, last = engines_for(runtime.catalogue, settings, task.options), len(conversion.pages)
    handle = task.source.handle(media_type=task.media_type)
    try:
        reply = runtime.pool.run(
            FIND_PICTURES, b"", source=handle, limits=task.limits, lane=WorkerGroup(), cancel=task.cancel
        )
        found = reply.read(FoundPictures)
    except OctavoError as error:
        if error.reason is None:
            raise
        return Recognition(unread={1: error.message})
    # A converter may return fewer pages than there are slides: assign pictures of later slides to the last page.
    pictures = [
        picture if picture.page <= last else picture.model_copy(update={"page": last}) for picture in found.pictures
    ]
    budget = TimeBudget(settings.pictures_seconds, of="the pictures of one document")
    run = PageRecogniser(runtime, task, engines, budget=budget)
    # One request per part: a logo may occur on every slide.
    parts = {part: number for number, part in enumerate(dict.fromkeys(one.part for one in pictures), start=1)}
    read = {number: run.request(number, part=part) for part, number in parts.items() if number <= MAX_PICTURES}
    outcomes = run.recognise(read)
    beyond = PageOutcome(problem=f"only the first {MAX_PICTURES} pictures are read")
    return Recognition(
        pictures=tuple(_reading(picture, outcomes.get(parts[picture.part], beyond)) for picture in pictures),
        pictures_beyond=found.beyond,
        without_places=frozenset(min(page, last) for page in found.looks_like),
        attempts=(*run.refused, *summed_up(outcomes.values())),
    )


def derive_texts(runtime: Runtime, task: RecognitionTask, merged: Conversion, recognition: Recognition) -> Conversion:
    """Derive the plain text of pages again after pictures changed their markdown.

    The markdown comes from an untrusted document, so a worker parses it. If that fails, the pictures' text stays at the
    end of the page's text.
    """
    changed = {one.picture.page for one in recognition.pictures if one.result is not None}
    if not changed:
        return merged
    payload = Markdowns(pages={page.number: page.markdown for page in merged.pages if page.number in changed})
    try:
        reply = runtime.pool.run(
            PLAIN_TEXTS,
            payload.to_json().encode(),
            source=task.source.handle(media_type=task.media_type),
            limits=task.limits,
            lane=WorkerGroup(),
            cancel=task.cancel,
        )
        texts = reply.read(PlainTexts).pages
    except OctavoError as error:
        if error.reason is None:
            raise
        return merged
    pages = tuple(
        page.model_copy(update={"text": texts[page.number]}) if page.number in texts else page for page in merged.pages
    )
    return merged.model_copy(update={"pages": pages})


def _reading(picture: EmbeddedPicture, outcome: PageOutcome) -> PictureReading:
    return PictureReading(picture=picture, reading=outcome.reading, problem=outcome.problem)
