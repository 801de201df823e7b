"""Recognise the pages of a document that need it (OCR-1, OCR-2): the step between conversion and scoring."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from octavo_contracts import (
    Attempt,
    Conversion,
    DocumentClassification,
    OCRRequest,
    OCRResult,
    OctavoError,
    PageImage,
    UsageError,
)

from ..plugins import HookCall, PluginInfo
from ..sandbox import Cancelled, Lane, SandboxLimits
from . import need
from .engines import engines_for
from .options import OcrOptions, OcrSettings
from .pages_store import MemoryPages, PagesStore, result_name
from .pictures import MAX_PICTURES, TYPES, EmbeddedPicture, FoundPictures, PictureReading
from .reading import MIN_LETTERS, MIN_SHARED, better, is_text, share_of_letters, shared_words
from .worker import LookAnswer, LookRequest, Markdowns, PlainTexts, RenderAnswer, RenderRequest

if TYPE_CHECKING:
    from ..runtime import Runtime
    from ..sources import Source

LOOK = "octavo.ocr.worker:look"
RENDER = "octavo.ocr.worker:render"
PLAIN_TEXTS = "octavo.ocr.worker:plain_texts"
FIND_PICTURES = "octavo.ocr.embedded:find_pictures"
LOOK_BATCH = 200
"""Pages looked at in one call: a call has a deadline, and opening the document again costs little beside them."""


@dataclass(frozen=True, kw_only=True)
class PageReading:
    """What was recognised on one page.

    Attributes:
        result: the surest answer.
        holds_text: whether it is text at all; a blank page and a photograph hold none.
        stored: whether it was kept from an earlier recognition.
        undecodable: pictures that could not be decoded, on a page that came out blank.
        contradiction: how another engine's answer differs beyond what misread letters explain; empty where none does.
    """

    result: OCRResult
    holds_text: bool
    stored: bool = False
    undecodable: int = 0
    contradiction: str = ""


@dataclass(frozen=True, kw_only=True)
class Recognition:
    """What recognition did for a document.

    Attributes:
        readings: page → what was recognised on it.
        unread: pages that need recognition and got none → why not.
        pictures: inside an office document, all of them, where they were asked for.
        attempts: calls of engines: failed ones each, the others summed up for each engine.
    """

    readings: dict[int, PageReading] = field(default_factory=dict)
    unread: dict[int, str] = field(default_factory=dict)
    pictures: tuple[PictureReading, ...] = ()
    attempts: tuple[Attempt, ...] = ()

    @property
    def fingerprints(self) -> tuple[str, ...]:
        """The pages and pictures as the store knows them."""
        readings = [*self.readings.values(), *(one.reading for one in self.pictures if one.reading is not None)]
        return tuple(sorted({reading.result.page_fingerprint for reading in readings}))

    @property
    def confidences(self) -> dict[int, float]:
        """Page → how sure its recognised text is: its own, or the mean of that of its pictures."""
        of_pictures: dict[int, list[float]] = {}
        for one in self.pictures:
            if one.result is not None:
                of_pictures.setdefault(one.picture.page, []).append(one.result.confidence)
        means = {page: sum(values) / len(values) for page, values in of_pictures.items()}
        return means | {page: result.confidence for page, result in self.with_text.items()}

    @property
    def with_text(self) -> dict[int, OCRResult]:
        """Page → answer, where it holds text."""
        return {page: reading.result for page, reading in sorted(self.readings.items()) if reading.holds_text}


NOTHING = Recognition()
NO_ENGINE = "no engine for recognition is installed"
SWITCHED_OFF = "recognition is switched off"


@dataclass(frozen=True, kw_only=True)
class Task:
    """One document to recognise pages of.

    Attributes:
        source: the document.
        media_type: its type.
        password: of an encrypted one.
        options: what the caller asked for.
        limits: of each call.
        cancel: set it to stop.
        pages: where recognised pages are kept.
        looked: page → whether it needs recognition, by a look at it: kept for the conversions that follow.
    """

    source: Source
    media_type: str
    password: str | None = None
    options: OcrOptions = field(default_factory=OcrOptions)
    limits: SandboxLimits = field(default_factory=SandboxLimits)
    cancel: threading.Event | None = None
    pages: PagesStore = field(default_factory=MemoryPages)
    looked: dict[int, bool] = field(default_factory=dict)


def recognise(
    runtime: Runtime,
    task: Task,
    conversion: Conversion,
    classification: DocumentClassification | None,
    *,
    reads_scans: bool = False,
) -> Recognition:
    """Find the pages without trustworthy text, and recognise them.

    A page that can not be recognised is no failure of the document: it stands in `unread`.

    Args:
        runtime: plugins, workers, settings.
        task: the document.
        conversion: its pages as the converter gave them.
        classification: what was seen before.
        reads_scans: whether the converter recognises pages by itself: what it gave for one is then its text.

    Raises:
        UsageError: a page or an engine was asked for that does not exist.
        ToolUnavailable: the engine that was asked for lacks its program.
        Cancelled: the caller cancelled.
    """
    settings = runtime.settings.ocr
    asked = task.options.asked or task.options.pages is not None or task.options.engine is not None
    engines = engines_for(runtime.catalogue, settings, task.options)
    if not need.is_paged_picture(task.media_type, conversion):
        if task.media_type in TYPES and (task.options.embedded or settings.embedded):
            return _embedded(runtime, task, engines, settings, last=len(conversion.pages))
        if task.options.pages is not None:
            raise UsageError(f"pages of {task.media_type} can not be recognised: they are no pictures of pages")
        return NOTHING
    wanted = _wanted(runtime, task, conversion, classification, reads_scans=reads_scans)
    if not wanted:
        return NOTHING
    if not settings.automatic and not asked:
        return Recognition(unread=dict.fromkeys(wanted, SWITCHED_OFF))
    if not engines:
        return Recognition(unread=dict.fromkeys(wanted, NO_ENGINE))
    run = _Run(runtime, task, engines, settings)
    outcomes = run.recognise({page: run.request(page) for page in wanted})
    return Recognition(
        readings={page: outcome.reading for page, outcome in outcomes.items() if outcome.reading is not None},
        unread={page: outcome.problem for page, outcome in outcomes.items() if outcome.reading is None},
        attempts=_summed_up(outcomes.values()),
    )


def _embedded(
    runtime: Runtime, task: Task, engines: Sequence[PluginInfo], settings: OcrSettings, *, last: int
) -> Recognition:
    """Recognise the pictures inside an office document, whose conversion has `last` pages."""
    handle = task.source.handle(media_type=task.media_type)
    try:
        reply = runtime.pool.run(FIND_PICTURES, b"", source=handle, limits=task.limits, lane=Lane(), cancel=task.cancel)
    except OctavoError as error:
        if error.reason is None:
            raise
        return Recognition(unread={1: error.message})
    # A converter may give fewer pages than there are slides: what has no page of its own belongs to the last.
    pictures = [
        picture if picture.page <= last else picture.model_copy(update={"page": last})
        for picture in FoundPictures.read(reply.payload).pictures
    ]
    run = _Run(runtime, task, engines, settings)
    # One request a part: a logo may stand on every slide.
    parts = {part: number for number, part in enumerate(dict.fromkeys(one.part for one in pictures), start=1)}
    read = {number: run.request(number, part=part) for part, number in parts.items() if number <= MAX_PICTURES}
    outcomes = run.recognise(read)
    beyond = _Outcome(problem=f"only the first {MAX_PICTURES} pictures are read")
    return Recognition(
        pictures=tuple(_reading(picture, outcomes.get(parts[picture.part], beyond)) for picture in pictures),
        attempts=_summed_up(outcomes.values()),
    )


def derive_texts(runtime: Runtime, task: Task, merged: Conversion, recognition: Recognition) -> Conversion:
    """A conversion whose pages have new markdown where pictures say something, with their texts derived from it anew.

    Reading markdown is the worker's: whoever wrote the document has a hand in it. Where that fails, what the pictures
    say stays at the end of the page's text.
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
            lane=Lane(),
            cancel=task.cancel,
        )
    except OctavoError as error:
        if error.reason is None:
            raise
        return merged
    texts = PlainTexts.read(reply.payload).pages
    pages = tuple(
        page.model_copy(update={"text": texts[page.number]}) if page.number in texts else page for page in merged.pages
    )
    return merged.model_copy(update={"pages": pages})


def _reading(picture: EmbeddedPicture, outcome: _Outcome) -> PictureReading:
    return PictureReading(picture=picture, reading=outcome.reading, problem=outcome.problem)


def _wanted(
    runtime: Runtime,
    task: Task,
    conversion: Conversion,
    classification: DocumentClassification | None,
    *,
    reads_scans: bool,
) -> list[int]:
    count = len(conversion.pages)
    if task.options.pages is not None:
        if beyond := [page for page in task.options.pages if not 1 <= page <= count]:
            raise UsageError(f"there is no page {beyond[0]}; it has {count}", source=task.source.display)
        return sorted(set(task.options.pages))
    if task.media_type in need.IMAGES:
        return list(range(1, count + 1))
    known = need.known_to_need(conversion, classification, reads_scans=reads_scans)
    doubtful = need.worth_a_look(conversion, classification)
    if unseen := [page for page in doubtful if page not in task.looked]:
        found = set(_look(runtime, task, unseen))
        task.looked.update((page, page in found) for page in unseen)
    return sorted(known | {page for page in doubtful if task.looked[page]})


def _look(runtime: Runtime, task: Task, pages: Sequence[int]) -> Iterable[int]:
    """Those of the pages that have no trustworthy text, by the pages themselves."""
    handle = task.source.handle(media_type=task.media_type)
    for start in range(0, len(pages), LOOK_BATCH):
        request = LookRequest(pages=tuple(pages[start : start + LOOK_BATCH]), password=task.password)
        payload = request.to_json().encode()
        try:
            reply = runtime.pool.run(LOOK, payload, source=handle, limits=task.limits, lane=Lane(), cancel=task.cancel)
        except OctavoError as error:
            if error.reason is None:
                raise
            # Nobody could look: better a page recognised without need than one left unread.
            yield from request.pages
            continue
        yield from LookAnswer.read(reply.payload).need_ocr


class _Run:
    """The pages, or the pictures, of one document, some at a time."""

    def __init__(self, runtime: Runtime, task: Task, engines: Sequence[PluginInfo], settings: OcrSettings) -> None:
        self._runtime = runtime
        self._task = task
        self._engines = engines
        self._settings = settings
        self._handle = task.source.handle(media_type=task.media_type)

    def request(self, page: int, *, part: str | None = None) -> RenderRequest:
        return RenderRequest(
            page=page,
            dpi=self._settings.dpi,
            max_pixels=self._settings.max_pixels,
            password=self._task.password,
            part=part,
        )

    def recognise(self, requests: Mapping[int, RenderRequest]) -> dict[int, _Outcome]:
        with ThreadPoolExecutor(max_workers=max(1, self._settings.at_once), thread_name_prefix="octavo-ocr") as threads:
            futures = {page: threads.submit(self._page, request) for page, request in requests.items()}
            try:
                return {page: future.result() for page, future in futures.items()}
            except BaseException:
                threads.shutdown(wait=True, cancel_futures=True)
                raise

    def _page(self, request: RenderRequest) -> _Outcome:
        if self._task.cancel is not None and self._task.cancel.is_set():
            raise Cancelled("the caller cancelled during recognition")
        try:
            drawn = self._render(request)
        except OctavoError as error:
            if error.reason is None:
                raise
            return _Outcome(problem=error.message)
        attempts: list[Attempt] = []
        problem = NO_ENGINE
        best: OCRResult | None = None
        kept, contradiction = False, ""
        for plugin in self._engines[:1] if drawn.blank else self._engines:
            try:
                result, stored = self._read(plugin, drawn, attempts)
            except OctavoError as error:
                if error.reason is None:
                    raise
                problem = f"{plugin.name}: {error.message}"
                continue
            chosen = better(best, result)
            if best is not None:
                contradiction = contradiction or self._contradiction(best, result)
            best, kept = chosen, stored if chosen is result else kept
            if is_text(best) and best.confidence >= self._settings.next_engine_below:
                break
        if best is None:
            return _Outcome(problem=problem, attempts=attempts)
        reading = PageReading(
            result=best,
            holds_text=is_text(best),
            stored=kept,
            undecodable=drawn.undecodable,
            contradiction=contradiction,
        )
        return _Outcome(reading=reading, attempts=attempts)

    def _contradiction(self, first: OCRResult, second: OCRResult) -> str:
        """A sentence where the first answer was doubtful and the second one does not bear it out."""
        if not is_text(second) or first.confidence >= self._settings.doubtful_below:
            return ""
        both = f"{first.method} ({first.confidence:.2f}) and {second.method} ({second.confidence:.2f})"
        shared, letters = shared_words(first, second), share_of_letters(second, first)
        if letters < MIN_LETTERS:
            return f"{both} differ: the second gave {letters:.0%} of the letters; the text may be of another language"
        if shared < MIN_SHARED:
            return f"{both} have {shared:.0%} of their words in common; the text may be of another language"
        return ""

    def _render(self, request: RenderRequest) -> RenderAnswer:
        reply = self._runtime.pool.run(
            RENDER,
            request.to_json().encode(),
            source=self._handle,
            limits=self._task.limits,
            lane=Lane(),
            cancel=self._task.cancel,
        )
        return RenderAnswer.read(reply.payload)

    def _read(self, plugin: PluginInfo, drawn: RenderAnswer, attempts: list[Attempt]) -> tuple[OCRResult, bool]:
        """One engine's answer for one page, and whether it was kept from before."""
        image = drawn.image
        request = OCRRequest(languages=self._settings.languages)
        name = result_name(plugin, request, dpi=image.dpi)
        if not self._task.options.again:
            kept = self._task.pages.get(image, name)
            if kept is not None:
                return kept, True
        call = HookCall(
            plugin=plugin,
            hook="ocr",
            arguments={"image": image, "request": request},
            because="pages without trustworthy text" if self._task.options.pages is None else "pages asked for",
            limits=self._task.limits,
        )
        result = self._runtime.dispatcher.call(call, OCRResult, cancel=self._task.cancel, attempts=attempts)
        assert result is not None  # `ocr` never returns None: the runner refuses it
        result = _checked(result, image)
        self._task.pages.put(image, name, result)
        return result, False


@dataclass(kw_only=True)
class _Outcome:
    """What came of one page."""

    reading: PageReading | None = None
    problem: str = ""
    attempts: list[Attempt] = field(default_factory=list)


def _checked(result: OCRResult, image: PageImage) -> OCRResult:
    """Hold an answer to the page it was asked for: it comes from a worker, and the cache goes by these two."""
    return result.model_copy(
        update={"page_number": image.page_number, "page_fingerprint": image.page_fingerprint, "document_id": None}
    )


def _summed_up(outcomes: Iterable[_Outcome]) -> tuple[Attempt, ...]:
    """Failed calls as they were; the others as one for each engine, for a book has hundreds of pages."""
    attempts = [attempt for outcome in outcomes for attempt in outcome.attempts]
    failed = [attempt for attempt in attempts if attempt.outcome != "ok"]
    by_engine: dict[str, list[Attempt]] = {}
    for attempt in attempts:
        if attempt.outcome == "ok":
            by_engine.setdefault(attempt.plugin, []).append(attempt)
    sums = [
        same[0].model_copy(
            update={
                "details": f"{len(same)} pages" if len(same) > 1 else "1 page",
                "duration_ms": round(sum(attempt.duration_ms for attempt in same), 3),
                "peak_rss_mb": max((attempt.peak_rss_mb or 0.0 for attempt in same), default=None) or None,
            }
        )
        for same in by_engine.values()
    ]
    return (*failed, *sums)
