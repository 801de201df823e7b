"""Extracts observations from a canonical text; spans count its code points."""

from __future__ import annotations

from typing import Any, Final

from octavo_contracts import EntityObservation, EntityRequest, ToolUnavailable

from .model import REMEDY, load_model
from .windows import Window, windows

BATCH: Final = 8
"""Windows that the model reads at once, unless the option `batch_size` says otherwise."""

OVERLAP_SHARE: Final = 4
"""One word in this many is shared with the next window, but at least twice the longest mention."""


def find_entities(text: str, request: EntityRequest) -> tuple[EntityObservation, ...]:
    """The mentions in a text, by their place.

    Args:
        text: the canonical text.
        request: labels in words of your own; the option `model` is the folder of the weights, `batch_size` and
            `window` (words) are for tuning.

    Raises:
        ToolUnavailable: there are no weights, or GLiNER is missing.
    """
    if not text.strip() or not request.labels:
        return ()
    folder = request.options.get("model")
    if not folder:
        raise ToolUnavailable("no folder of weights is set", plugin="gliner", remedy=REMEDY)
    model = load_model(str(folder))
    pieces = _pieces(text, model, request)
    found: dict[tuple[int, int, str], EntityObservation] = {}
    for window, mentions in zip(pieces, _predict(model, text, pieces, request), strict=True):
        for mention in mentions:
            seen = _observation(text, window, mention)
            if seen is not None and seen.confidence >= request.threshold:
                found.setdefault((seen.start, seen.end, seen.label), seen)
    return tuple(found[key] for key in sorted(found))


def _pieces(text: str, model: Any, request: EntityRequest) -> list[Window]:
    limit = int(model.config.max_len)
    asked = request.options.get("window")
    words = min(limit, max(2, int(asked))) if isinstance(asked, int) else limit
    overlap = min(words - 1, max(words // OVERLAP_SHARE, 2 * int(model.config.max_width)))
    return windows(text, words=words, overlap=overlap)


def _predict(model: Any, text: str, pieces: list[Window], request: EntityRequest) -> list[list[dict[str, Any]]]:
    if not pieces:
        return []
    size = request.options.get("batch_size")
    answer: list[list[dict[str, Any]]] = model.inference(
        [text[window.start : window.end] for window in pieces],
        list(request.labels),
        flat_ner=True,
        threshold=request.threshold,
        batch_size=size if isinstance(size, int) and size > 0 else BATCH,
    )
    return answer


def _observation(text: str, window: Window, mention: dict[str, Any]) -> EntityObservation | None:
    start, end = window.start + int(mention["start"]), window.start + int(mention["end"])
    if not window.owns(start) or end > window.end or start >= end:
        return None
    return EntityObservation(
        label=str(mention["label"]),
        text=text[start:end],
        start=start,
        end=end,
        confidence=round(min(1.0, max(0.0, float(mention["score"]))), 6),
    )
