"""What an engine says of a text is held to the text: an observation without its span is no observation (ENT-2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Final

from octavo.text.deadline import checkpoint
from octavo_contracts import EntityObservation, EntityRequest

from ..storage.index.entity_records import CheckedMentions, Mention
from .names import normal_form

DROP_REASONS: Final = ("span_mismatch", "label_not_asked", "below_threshold", "blank", "duplicate")
"""Why an observation is dropped, in the order in which the reasons are looked for."""


def check_observations(text: str, request: EntityRequest, observations: Iterable[EntityObservation]) -> CheckedMentions:
    """Keep what is true of the text and was asked for; count the rest.

    Args:
        text: the canonical text that the engine was given.
        request: what was asked.
        observations: the engine's answer; it comes from a worker and is not trusted.
    """
    kept: dict[tuple[int, int, str], Mention] = {}
    dropped: Counter[str] = Counter()
    for seen in observations:
        checkpoint()
        key = (seen.start, seen.end, seen.label)
        why = _fault(text, request, seen) or ("duplicate" if key in kept else None)
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
    return None if any(sign.isalnum() for sign in seen.text) else "blank"
