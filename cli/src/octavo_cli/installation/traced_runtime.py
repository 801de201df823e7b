"""A runtime that records each call of a plugin: which hook, why this plugin, and what it answered."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from octavo.plugins import Dispatcher, HookCall, PluginInfo
from octavo.runtime import Runtime
from octavo.settings.settings import Settings
from octavo_contracts import (
    Attempt,
    Conversion,
    DocumentClassification,
    Model,
    OCRResult,
    OctavoError,
    QualityAssessment,
)
from octavo_sandbox import SourceHandle

M = TypeVar("M", bound=Model)

_MOST_FLAGS = 5


@dataclass(frozen=True, kw_only=True)
class TracedCall:
    """One call of a plugin.

    Attributes:
        hook: the hook.
        plugin: the plugin.
        because: why it was called.
        outcome: `ok`, `failed`, `refused` …, as `Attempt.outcome`.
        answer: what it answered, in words; the error's message if it failed.
        reason: reason code of the error, or None.
        milliseconds: duration, with the host's part.
    """

    hook: str
    plugin: str
    because: str
    outcome: str
    answer: str
    reason: str | None
    milliseconds: float


class TracedRuntime(Runtime):
    """A runtime whose calls of plugins are recorded. Thread-safe.

    Attributes:
        calls: the calls, in the order in which they ended.
    """

    def __init__(self, settings: Settings | None = None) -> None:
        super().__init__(settings)
        self.calls: list[TracedCall] = []

    @property
    def dispatcher(self) -> Dispatcher:
        """Calls hooks in the workers, and records it."""
        return _TracedDispatcher(super().dispatcher, self.calls)


class _TracedDispatcher(Dispatcher):
    """Records the calls that another dispatcher makes."""

    def __init__(self, inner: Dispatcher, calls: list[TracedCall]) -> None:
        self._inner = inner
        self._calls = calls

    def call(
        self,
        call: HookCall,
        model: type[M],
        *,
        source: SourceHandle | None = None,
        cancel: threading.Event | None = None,
        attempts: list[Attempt],
    ) -> M | None:
        """See `Dispatcher.call`."""
        before = len(attempts)
        try:
            answer = self._inner.call(call, model, source=source, cancel=cancel, attempts=attempts)
        except OctavoError:
            self._record(attempts[before:], "")
            raise
        self._record(attempts[before:], answer_text(answer))
        return answer

    def call_list(
        self, call: HookCall, model: type[M], *, cancel: threading.Event | None = None, attempts: list[Attempt]
    ) -> tuple[M, ...]:
        """See `Dispatcher.call_list`."""
        before = len(attempts)
        try:
            answer = self._inner.call_list(call, model, cancel=cancel, attempts=attempts)
        except OctavoError:
            self._record(attempts[before:], "")
            raise
        self._record(attempts[before:], f"{len(answer)} found")
        return answer

    def check(self, plugin: PluginInfo) -> OctavoError | None:
        """See `Dispatcher.check`."""
        return self._inner.check(plugin)

    def _record(self, attempts: Sequence[Attempt], answer: str) -> None:
        for attempt in attempts:
            self._calls.append(
                TracedCall(
                    hook=attempt.hook,
                    plugin=attempt.plugin,
                    because=attempt.chosen_because,
                    outcome=attempt.outcome,
                    answer=answer if attempt.outcome == "ok" else attempt.details,
                    reason=attempt.reason_code.value if attempt.reason_code is not None else None,
                    milliseconds=attempt.duration_ms,
                )
            )


def answer_text(answer: Any) -> str:
    """Return an answer in a few words, without a word of the document."""
    if answer is None:
        return "no opinion"
    if isinstance(answer, Conversion):
        characters = sum(len(page.text or page.markdown) for page in answer.pages)
        warned = sorted({warning.code for warning in answer.warnings})
        return f"{_count(len(answer.pages), 'page')}, {characters:,} characters" + _named(warned)
    if isinstance(answer, DocumentClassification):
        parts = len(answer.structure.parts) if answer.structure is not None else 0
        if parts and not answer.classification_confidence:
            return f"no verdict; {_count(parts, 'part')} of the source"
        return f"{answer.document_type}, {answer.routing_type}, confidence {answer.classification_confidence:.2f}"
    if isinstance(answer, QualityAssessment):
        score = "no score" if answer.quality_score is None else f"score {answer.quality_score:.2f}"
        return score + _named(sorted({finding.flag for finding in answer.findings}))
    if isinstance(answer, OCRResult):
        return f"page {answer.page_number}: {_count(len(answer.words), 'word')}, confidence {answer.confidence:.2f}"
    return type(answer).__name__


def _count(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def _named(codes: Sequence[str]) -> str:
    return f" [{', '.join(codes[:_MOST_FLAGS])}{', …' if len(codes) > _MOST_FLAGS else ''}]" if codes else ""
