"""Extracts observations from a canonical text; spans count its code points."""

from __future__ import annotations

from octavo_contracts import EntityObservation, EntityRequest

from .labels import asked_types
from .model import DEFAULT_MODEL, load_model, precision_of
from .windows import windows

UNMEASURED = 0.5
"""The confidence of a type of which the model's makers say nothing."""


def find_entities(text: str, request: EntityRequest) -> tuple[EntityObservation, ...]:
    """The mentions in a text, by their place.

    Args:
        text: the canonical text.
        request: labels and threshold; the option `model` names an installed package or a folder.

    Raises:
        ToolUnavailable: spaCy or the model is missing.
    """
    labels = asked_types(request.labels)
    model = load_model(str(request.options.get("model") or DEFAULT_MODEL))
    precision = precision_of(model)
    found: dict[tuple[int, int, str], EntityObservation] = {}
    for offset, piece in windows(text):
        for entity in model(piece).ents:
            confidence = precision.get(entity.label_, UNMEASURED)
            if entity.label_ not in labels or confidence < request.threshold:
                continue
            start, end = _trimmed(piece, entity.start_char, entity.end_char)
            if start < end:
                seen = EntityObservation(
                    label=labels[entity.label_],
                    text=piece[start:end],
                    start=offset + start,
                    end=offset + end,
                    confidence=confidence,
                )
                found[seen.start, seen.end, seen.label] = seen
    return tuple(found[key] for key in sorted(found))


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """A span without white space at its ends, and not across an empty line: no name has one in it."""
    if (gap := text.find("\n\n", start, end)) >= 0:
        end = gap
    while start < end and text[start].isspace():
        start += 1
    while start < end and text[end - 1].isspace():
        end -= 1
    return start, end
