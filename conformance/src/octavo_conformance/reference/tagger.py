"""The reference entity extractor: finds the names that it knows."""

from __future__ import annotations

import re

from octavo_contracts import EntityObservation, EntityRequest, HookContext, hookimpl

NAMES = {
    "Ada Quay": ("person", 0.95),
    "Ben Pier": ("person", 0.7),
    "Lisbon": ("location", 0.95),
    "Porto": ("location", 0.6),
}


@hookimpl
def extract_entities(text: str, request: EntityRequest, context: HookContext) -> tuple[EntityObservation, ...]:
    """See `octavo.hookspecs.extract_entities`."""
    found = []
    for match in re.finditer("|".join(NAMES), text):
        label, confidence = NAMES[match.group()]
        if label in request.labels and confidence >= request.threshold:
            start, end = match.span()
            found.append(
                EntityObservation(label=label, text=match.group(), start=start, end=end, confidence=confidence)
            )
    return tuple(found)
