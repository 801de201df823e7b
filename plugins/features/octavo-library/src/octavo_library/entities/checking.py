"""Verifies an engine's observations against the text: an observation must match the text at its span (ENT-2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Final

from octavo_contracts import EntityObservation, EntityRequest
from octavo_text.deadline import checkpoint

from ..storage.index.entity_records import CheckedMentions, Mention
from .defined_terms import is_thing, things_defined
from .names import normal_form
from .plausibility import is_plausible

DROP_REASONS: Final = ("span_mismatch", "label_not_asked", "below_threshold", "blank", "implausible", "duplicate")
"""Reasons for dropping an observation, in the order in which they are checked."""


def check_observations(text: str, request: EntityRequest, observations: Iterable[EntityObservation]) -> CheckedMentions:
    """Keep the observations that match the text and the request; count the others by reason.

    Args:
        text: the canonical text that the engine was given.
        request: the request to the engine.
        observations: the engine's result; it comes from a worker process and is not trusted.
    """
    kept: dict[tuple[int, int, str], Mention] = {}
    dropped: Counter[str] = Counter()
    things = things_defined(text)
    for seen in observations:
        checkpoint()
        key = (seen.start, seen.end, seen.label)
        why = _fault(text, request, seen) or ("duplicate" if key in kept else None)
        if why is None and is_thing(seen.text, label=seen.label, things=things):
            why = "implausible"
        if why is not None:
            dropped[why] += 1
            continue
        form = normal_form(seen.text, label=seen.label)
        kept[key] = Mention(observation=seen, key=form.key, value=form.value)
    ordered = tuple(kept[key] for key in sorted(kept))
    return CheckedMentions(kept=ordered, dropped={why: dropped[why] for why in DROP_REASONS if dropped[why]})


def _fault(text: str, request: EntityRequest, seen: EntityObservation) -> str | None:
    if text[seen.start : seen.end] != seen.text:
        return "span_mismatch"
    if seen.label not in request.labels:
        return "label_not_asked"
    if seen.confidence < request.threshold:
        return "below_threshold"
    if not any(sign.isalnum() for sign in seen.text):
        return "blank"
    return None if is_plausible(seen.text, label=seen.label) else "implausible"
