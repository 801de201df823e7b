"""OCR of the pictures inside office documents: finds and recognises them, and derives the page texts again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from octavo_contracts import Attempt, Conversion, OCRResult, OctavoError
from octavo_sandbox import WorkerGroup
from octavo_sandbox.task import task_name

from ...plugins.budget import TimeBudget
from .embedded import find_pictures
from .engines import describer, engines_for, preferred
from .page_recogniser import PageOutcome, PageRecogniser, summed_up
from .picture_describer import PictureDescriber
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
    last, first = len(conversion.pages), preferred(runtime, profile=task.profile)
    engines = engines_for(runtime.catalogue, settings, task.options, first=first)
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
    parts_of = {number: part for part, number in parts.items()}
    read = {number: run.request(number, part=part) for part, number in parts.items() if number <= MAX_PICTURES}
    outcomes = run.recognise(read)
    described, attempts = _descriptions(runtime, task, {parts_of[n]: one for n, one in outcomes.items()}, budget=budget)
    beyond = PageOutcome(problem=f"only the first {MAX_PICTURES} pictures are read")
    return Recognition(
        pictures=tuple(_reading(picture, outcomes.get(parts[picture.part], beyond), described) for picture in pictures),
        pictures_beyond=found.beyond,
        without_places=frozenset(min(page, last) for page in found.looks_like),
        attempts=(*run.refused, *summed_up(outcomes.values()), *attempts),
    )


def _descriptions(
    runtime: Runtime, task: RecognitionTask, outcomes: Mapping[str, PageOutcome], *, budget: TimeBudget
) -> tuple[dict[str, OCRResult], tuple[Attempt, ...]]:
    """Describe the pictures without text, where a model is configured; a picture that is not described has its reading alone."""
    plugin = describer(runtime, profile=task.profile)
    bare = [part for part, one in outcomes.items() if one.reading is not None and not one.reading.holds_text]
    if plugin is None or not bare:
        return {}, ()
    run = PictureDescriber(runtime, task, plugin, budget=budget)
    found, _ = run.describe(dict(enumerate(bare, start=1)))
    return {bare[number - 1]: result for number, result in found.items()}, run.attempts


def derive_texts(runtime: Runtime, task: RecognitionTask, merged: Conversion, recognition: Recognition) -> Conversion:
    """Derive the plain text of pages again after pictures changed their markdown.

    The markdown comes from an untrusted document, so a worker parses it. If that fails, the pictures' text stays at the
    end of the page's text.
    """
    changed = {one.picture.page for one in recognition.pictures if one.result or one.description}
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


def _reading(picture: EmbeddedPicture, outcome: PageOutcome, described: Mapping[str, OCRResult]) -> PictureReading:
    return PictureReading(
        picture=picture,
        reading=outcome.reading,
        problem=outcome.problem,
        description=described.get(picture.part),
    )
