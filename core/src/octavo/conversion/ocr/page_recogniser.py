"""Runs OCR page by page: render, look up in the cache, else recognise; a second engine checks doubtful results."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from octavo_contracts import Attempt, OCRRequest, OCRResult, OctavoError, PageImage, ToolUnavailable
from octavo_sandbox import SandboxLimits, WorkerGroup
from octavo_sandbox.errors import raise_if
from octavo_sandbox.task import task_name
from octavo_text.recognised_bullets import with_lists
from octavo_text.recognised_doubts import has_doubtful_lines, settled
from octavo_text.recognised_quality import MIN_LETTERS, MIN_SHARED, better, is_text, share_of_letters, shared_words

from ...plugins import HookCall, PluginInfo
from ...plugins.budget import TimeBudget
from .engines import options_given
from .page_cache import result_name
from .page_script import is_in_script, reads_script, script_name
from .recognition import NO_ENGINE, PageReading, RecognitionTask
from .rectification import Rectification
from .remote import PageCall, needs_network, remote_engines
from .worker import RenderAnswer, RenderRequest, render

if TYPE_CHECKING:
    from ...runtime import Runtime

RENDER = task_name(render)


@dataclass(kw_only=True)
class PageOutcome:
    """Outcome of OCR for one page or picture.

    Attributes:
        reading: the result; None if the page could not be read.
        problem: why it could not be read.
        remedy: what to do about it; empty if no engine said.
        attempts: the calls made for it.
    """

    reading: PageReading | None = None
    problem: str = ""
    remedy: str = ""
    attempts: list[Attempt] = field(default_factory=list)


@dataclass(kw_only=True)
class _PageAnswers:
    """The engines' results for one page so far.

    Attributes:
        problem: why there is no text.
        remedy: what to do about it.
        best: the best result in the page's script.
        is_stored: whether it came from the cache.
        rectification: how the page was rectified for it.
        contradiction: how a second result differs from a doubtful first one.
        script: script that an engine detected, ISO 15924.
        results: all results.
        attempts: the calls.
    """

    problem: str
    remedy: str = ""
    best: OCRResult | None = None
    is_stored: bool = False
    rectification: Rectification | None = None
    contradiction: str = ""
    script: str | None = None
    results: list[OCRResult] = field(default_factory=list)
    attempts: list[Attempt] = field(default_factory=list)

    def failed(self, engine: str, error: OctavoError) -> None:
        """Note that an engine failed; what an earlier one said about the page's script, or to run, is kept."""
        if self.script is None and not self.remedy.startswith("Run: "):
            self.problem, self.remedy = f"{engine}: {error.message}", error.remedy or ""

    def take(self, result: OCRResult, *, stored: bool, rectification: Rectification | None) -> None:
        """Add a result; one in other letters than those of the page's script is dropped."""
        self.script = result.script or self.script
        for one in (self.best, result):
            if one is not None and not is_in_script(one.extracted_text, self.script):
                self.contradiction = ""
                self.problem = (
                    f"the page is in the script {script_name(self.script or '')}, for which {one.method} has no model"
                )
                self.remedy = result.remedy or self.remedy
                if one is self.best:
                    self.best = None
        if not is_in_script(result.extracted_text, self.script):
            return
        if self._is_better(result):
            self.best, self.is_stored, self.rectification = result, stored, rectification

    def _is_better(self, result: OCRResult) -> bool:
        """Return whether a result is better than the best one: of an engine with a model for the script, or surer."""
        best = self.best
        if best is not None and is_text(best) and is_text(result):
            knew, knows = (reads_script(one, self.script) for one in (best, result))
            if knew != knows:
                return knows
        return better(best, result) is result

    def _marked(self, best: OCRResult) -> OCRResult:
        """Mark the best result with the script of the page and the remedy, if its engine has no model for the script."""
        if reads_script(best, self.script):
            return best
        remedy = next((one.remedy for one in self.results if one.script == self.script and one.remedy), None)
        return best.model_copy(update={"script": self.script, "remedy": remedy})

    def outcome(self, drawn: RenderAnswer) -> PageOutcome:
        """Return the outcome of the page; doubtful words of the best result are compared with the other engines'."""
        best = self.best
        if best is None:
            return PageOutcome(problem=self.problem, remedy=self.remedy, attempts=self.attempts)
        others = [
            one
            for one in self.results
            if one.method != best.method
            and is_text(one)
            and is_in_script(one.extracted_text, self.script)
            and (reads_script(one, self.script) or not reads_script(best, self.script))
        ]
        result, doubts = settled(self._marked(best), others) if is_text(best) else (best, ())
        reading = PageReading(
            result=with_lists(result, self.rectification.rectified if self.rectification else None),
            holds_text=is_text(best),
            stored=self.is_stored,
            undecodable=drawn.undecodable,
            is_blank=drawn.blank,
            contradiction=self.contradiction,
            doubts=doubts,
            rectification=self.rectification,
        )
        return PageOutcome(reading=reading, attempts=self.attempts)


class PageRecogniser:
    """Recognises the pages or pictures of one document, several in parallel.

    Args:
        runtime: plugins, workers, settings.
        task: the document.
        engines: the engines in order of preference.
        budget: time budget shared by all calls; None: each call has its own limit only.
        describes: whether pictures are described, instead of their text recognised.
        asks: whether engines are called; else results come from the cache alone.

    Attributes:
        refused: a failed attempt for each engine that may not or cannot be used.

    Raises:
        PolicyRefused, ToolUnavailable, UsageError: see `remote_engines`; for a requested engine only.
    """

    def __init__(
        self,
        runtime: Runtime,
        task: RecognitionTask,
        engines: Sequence[PluginInfo],
        *,
        budget: TimeBudget | None = None,
        describes: bool = False,
        asks: bool = True,
    ) -> None:
        settings = self._settings = runtime.settings.ocr
        named = task.options.engine is not None and not describes
        self._describes = describes
        self._asks = asks
        self._remote, self.refused = remote_engines(engines, settings, task.owners, asked=named)
        passed_over = {attempt.plugin for attempt in self.refused}
        self._no_engine_reason = (
            "; ".join(f"{attempt.plugin}: {attempt.details}" for attempt in self.refused) or NO_ENGINE
        )
        self._runtime = runtime
        self._task = task
        self._budget = budget
        self._closing = runtime.closing
        self._engines = [plugin for plugin in engines if plugin.name not in passed_over]
        self._handle = task.source.handle(media_type=task.media_type)

    def request(self, page: int, *, part: str | None = None) -> RenderRequest:
        """Build the request to render a page, or the picture in a part of the container."""
        return RenderRequest(
            page=page,
            dpi=self._settings.dpi,
            max_pixels=self._settings.max_pixels,
            password=self._task.password,
            part=part,
            rectify=self._settings.rectify and not self._describes,
        )

    def recognise(self, requests: Mapping[int, RenderRequest]) -> dict[int, PageOutcome]:
        """Recognise pages and return their outcomes by number.

        Raises:
            Cancelled: the caller cancelled.
        """
        if not requests:
            return {}
        at_once = max(1, self._settings.at_once)
        with self._task.place(), ThreadPoolExecutor(at_once, thread_name_prefix="octavo-ocr") as threads:
            futures = {page: threads.submit(self._page, request) for page, request in requests.items()}
            try:
                return {page: future.result() for page, future in futures.items()}
            except BaseException:
                threads.shutdown(wait=True, cancel_futures=True)
                raise

    def _page(self, request: RenderRequest) -> PageOutcome:
        raise_if(self._task.cancel)
        if not self._engines:
            return PageOutcome(problem=self._no_engine_reason)  # without an engine, rendering is wasted
        try:
            drawn = self._render(request)
        except OctavoError as error:
            if error.reason is None:
                raise
            return PageOutcome(problem=error.message, remedy=error.remedy or "")
        if self._describes and drawn.blank:
            return PageOutcome()  # nothing to describe, and a model would make something up
        found = _PageAnswers(problem=self._no_engine_reason)
        self._ask_engines(self._engines[:1] if drawn.blank else self._engines, drawn, found)
        if drawn.rectification is not None and not self._is_sure(found):
            # The straight lines of a photograph or a drawing are not always those of its text.
            self._read_as_displayed(request, found)
        return found.outcome(drawn)

    def _ask_engines(self, engines: Sequence[PluginInfo], drawn: RenderAnswer, found: _PageAnswers) -> None:
        """Ask one engine after the other, until a result is sure; a sure one with doubtful lines is compared with one other."""
        for plugin in engines:
            if self._is_sure(found) and needs_network(plugin):
                continue  # no page is sent for a few lines
            try:
                result, stored = self._read(plugin, drawn, found)
            except OctavoError as error:
                if error.reason is None:
                    raise
                found.failed(plugin.name, error)
                continue
            found.results.append(result)
            if self._is_sure(found):
                break
            if found.best is not None:
                found.contradiction = found.contradiction or self._contradiction(found.best, result)
            found.take(result, stored=stored, rectification=drawn.rectification)
            compares = self._settings.next_engine_below > 0 and len(found.results) == 1
            if self._is_sure(found) and not (compares and has_doubtful_lines(result)):
                break

    def _read_as_displayed(self, request: RenderRequest, found: _PageAnswers) -> None:
        """Read a page with the first engine once more, not rectified; a failure changes nothing."""
        try:
            drawn = self._render(request.model_copy(update={"rectify": False}))
            result, stored = self._read(self._engines[0], drawn, found)
        except OctavoError as error:
            if error.reason is None:
                raise
            return
        found.take(result, stored=stored, rectification=None)

    def _is_sure(self, found: _PageAnswers) -> bool:
        """Return whether the best result so far needs no second opinion."""
        best = found.best
        return best is not None and is_text(best) and best.confidence >= self._settings.next_engine_below

    def _contradiction(self, first: OCRResult, second: OCRResult) -> str:
        """Return a sentence if the second result does not confirm a doubtful first one; else an empty text."""
        if not is_text(second) or first.confidence >= self._settings.doubtful_below:
            return ""
        both = f"{first.method} ({first.confidence:.2f}) and {second.method} ({second.confidence:.2f})"
        shared, letters = shared_words(first, second), share_of_letters(second, first)
        if letters < MIN_LETTERS:
            return f"{both} differ: the second has {letters:.0%} of the letters; the text may be in another language"
        if shared < MIN_SHARED:
            return f"{both} have {shared:.0%} of their words in common; the text may be in another language"
        return ""

    def _render(self, request: RenderRequest) -> RenderAnswer:
        with self._limits() as limits:
            reply = self._runtime.pool.run(
                RENDER,
                request.to_json().encode(),
                source=self._handle,
                limits=limits,
                lane=WorkerGroup(),
                cancel=self._task.cancel,
            )
        return reply.read(RenderAnswer)

    def _read(self, plugin: PluginInfo, drawn: RenderAnswer, found: _PageAnswers) -> tuple[OCRResult, bool]:
        """Return one engine's result for one page, and whether it came from the cache."""
        image = drawn.image
        request = OCRRequest(
            languages=self._settings.languages,
            script=found.script,
            purpose="description" if self._describes else "text",
        )
        given = options_given(self._runtime, plugin, profile=self._task.profile)
        rectified = drawn.rectification is not None
        name = result_name(plugin, request, dpi=image.dpi, rectified=rectified, options=given)
        if not self._task.options.again:
            kept = self._task.pages.get(image, name)
            if kept is not None and not self._settings.is_outdated(plugin.name, kept.tool_version):
                return kept, True
        if not self._asks:
            raise ToolUnavailable("was not asked", plugin=plugin.name)
        with self._task.model_place() if needs_network(plugin) else nullcontext():
            result = self._ask(plugin, image, request, found.attempts)
        result = _checked(result, drawn)
        if result.remedy is None:  # else the page is read again once the model is installed
            self._task.pages.put(image, name, result)
        return result, False

    def _ask(self, plugin: PluginInfo, image: PageImage, request: OCRRequest, attempts: list[Attempt]) -> OCRResult:
        task = self._task
        because = "pages without trustworthy text" if task.options.pages is None else "pages asked for"
        if self._describes:
            because = "pictures without text"
        if (remote := self._remote.get(plugin.name)) is not None:
            with self._limits() as limits:
                seconds = limits.wall_seconds
                page = PageCall(
                    image=image,
                    request=request,
                    seconds=seconds,
                    because=because,
                    cancel=task.cancel,
                    closing=self._closing,
                )
                return remote.read(page, attempts)
        call = HookCall(
            plugin=plugin,
            hook="ocr",
            arguments={"image": image, "request": request},
            because=because,
            limits=task.limits,
            budget=self._budget,
            owners=task.owners,
            options=self._runtime.profile(task.profile).options.get(plugin.name, {}),
        )
        result = self._runtime.dispatcher.call(call, OCRResult, cancel=task.cancel, attempts=attempts)
        assert result is not None  # `ocr` never returns None: the runner refuses it
        return result

    def _limits(self) -> AbstractContextManager[SandboxLimits]:
        """Return a context manager for a call: it yields the limits, reduced to what the shared budget has left."""
        limits = self._task.limits
        return self._budget.call(limits) if self._budget is not None else nullcontext(limits)


def _checked(result: OCRResult, drawn: RenderAnswer) -> OCRResult:
    """Overwrite page number and fingerprint of a result: plugins are not trusted, and the cache depends on both.

    The boxes of the words are mapped from a rectified picture to the page as it is displayed.
    """
    image, done = drawn.image, drawn.rectification
    update: dict[str, object] = {
        "page_number": image.page_number,
        "page_fingerprint": image.page_fingerprint,
        "document_id": None,
    }
    if done is not None:
        update["words"] = tuple(word.model_copy(update={"box": done.displayed(word.box)}) for word in result.words)
    return result.model_copy(update=update)


def summed_up(outcomes: Iterable[PageOutcome]) -> tuple[Attempt, ...]:
    """Keep failed calls as they are; merge successful calls per engine, since a book has hundreds of pages."""
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
                "calls": len(same),
                "duration_ms": round(sum(attempt.duration_ms for attempt in same), 3),
                "peak_rss_mb": max((attempt.peak_rss_mb or 0.0 for attempt in same), default=None) or None,
            }
        )
        for same in by_engine.values()
    ]
    return (*failed, *sums)
