"""The reference entity extractor: finds the names that it knows, and what has the form of a name."""

from __future__ import annotations

import re

from octavo_contracts import EntityObservation, EntityRequest, HookContext, hookimpl

NAMES = {
    "Ada Quay": ("person", 0.95),
    "Ben Pier": ("person", 0.7),
    "Lisbon": ("location", 0.95),
    "Porto": ("location", 0.6),
}
FORMS = re.compile(
    rf"{'|'.join(NAMES)}|(?P<person>[A-Z][a-zà-ÿ]+ (?:(?:van|von|der|de|la|di) )*[A-Z][a-zà-ÿ]+)"
    r"|(?<= to )(?P<location>[A-Z][a-z]+)"
)


@hookimpl
def extract_entities(text: str, request: EntityRequest, context: HookContext) -> tuple[EntityObservation, ...]:
    """See `octavo.hookspecs.extract_entities`."""
    found = []
    for match in FORMS.finditer(text):
        label, confidence = NAMES.get(match.group()) or (str(match.lastgroup), 0.9)
        if label in request.labels and confidence >= request.threshold:
            start, end = match.span()
            found.append(
                EntityObservation(label=label, text=match.group(), start=start, end=end, confidence=confidence)
            )
    return tuple(found)
