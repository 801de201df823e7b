"""Has a vision model describe pictures without text: pages of images, and pictures inside office documents (CNV-10)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from octavo_contracts import Attempt, Conversion, OCRResult

from ...plugins import PluginInfo
from ...plugins.budget import TimeBudget
from .engines import describer
from .page_recogniser import PageRecogniser, summed_up
from .recognition import Recognition, RecognitionTask
from .worker import RenderRequest

if TYPE_CHECKING:
    from ...runtime import Runtime


class PictureDescriber:
    """Describes pictures of one document with a configured model.

    Args:
        runtime: plugins, workers, settings.
        task: the document.
        plugin: the plugin that describes.
        budget: time budget of all calls.
    """

    def __init__(self, runtime: Runtime, task: RecognitionTask, plugin: PluginInfo, *, budget: TimeBudget) -> None:
        # The owner of a file who names another engine has not consented to this one.
        asks = task.options.engine in (None, plugin.name)
        self._run = PageRecogniser(runtime, task, [plugin], budget=budget, describes=True, asks=asks)
        self._asks = asks
        self.attempts: tuple[Attempt, ...] = tuple(self._run.refused)

    def describe(self, parts: Mapping[int, str | None]) -> tuple[dict[int, OCRResult], dict[int, str]]:
        """Describe pages, or the pictures in parts of the container.

        Args:
            parts: number → the part of the container that holds the picture; None: the page itself.

        Returns:
            Descriptions by number, and by number the reasons why others have none. A blank picture has neither a description nor a
            reason.

        Raises:
            Cancelled: the caller cancelled.
        """
        requests: dict[int, RenderRequest] = {n: self._run.request(n, part=part) for n, part in parts.items()}
        outcomes = self._run.recognise(requests)
        self.attempts = (*self.attempts, *summed_up(outcomes.values()))
        found, missing = {}, {}
        for number, outcome in outcomes.items():
            if outcome.reading is not None and outcome.reading.holds_text:
                found[number] = outcome.reading.result
            elif outcome.problem and self._asks:
                missing[number] = outcome.problem
        return found, missing


def describe_pages(runtime: Runtime, task: RecognitionTask, conversion: Conversion, known: Recognition) -> Recognition:
    """Describe the pages of an image on which no text was recognised.

    Args:
        runtime: plugins, workers, settings.
        task: the document.
        conversion: its pages.
        known: the OCR results.

    Returns:
        The OCR results with the descriptions. `attempts` are those of the descriptions alone.

    Raises:
        Cancelled: the caller cancelled.
    """
    plugin = describer(runtime, profile=task.profile)
    bare = [page.number for page in conversion.pages if page.number not in known.with_text]
    if plugin is None or not bare:
        return replace(known, attempts=())
    budget = TimeBudget(runtime.settings.ocr.pictures_seconds, of="the descriptions of one document")
    run = PictureDescriber(runtime, task, plugin, budget=budget)
    found, missing = run.describe(dict.fromkeys(bare))
    return replace(known, descriptions=found, undescribed=missing, attempts=run.attempts)
