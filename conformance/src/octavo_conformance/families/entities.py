"""OC-ENT: entity extraction from a canonical text."""

from __future__ import annotations

import json
from typing import Any

from octavo_contracts import EntityObservation, EntityRequest
from pydantic import ValidationError

from ..checks import Broken, Unproven, check, expect_equal, expect_none
from ..evidence import describe
from ..subject import Subject

TEXT = "🚀 漢字 first: Ada Quay met Ben Pier in Lisbon on 1 January 2026. 👩‍👩‍👧 Then Ada Quay sailed to Porto."
"""Astral characters precede the names, so offsets in UTF-16 units or bytes are wrong."""
LABELS = ("person", "location")


def observe(subject: Subject, text: str, **request: Any) -> tuple[EntityObservation, ...]:
    """Call the hook.

    Raises:
        Broken: the hook raised, or its answer is malformed.
    """
    fields: dict[str, Any] = {"labels": LABELS, "threshold": 0.0} | request
    asked = EntityRequest(**fields)
    seen = subject.call("extract_entities", {"text": text, "request": asked})
    if seen.answer is None:
        raise Broken("the hook raised an error", expected="observations", actual=describe(seen.error))
    try:
        return tuple(EntityObservation.read(item) for item in json.loads(seen.answer))
    except ValidationError as error:
        message = error.errors()[0]["msg"]
        raise Broken("an observation is malformed", expected="an EntityObservation", actual=message) from error


def _seen(found: tuple[EntityObservation, ...]) -> tuple[EntityObservation, ...]:
    """Return the observations.

    Raises:
        Unproven: there are none, so that nothing can be said of them.
    """
    if not found:
        raise Unproven("it observed no person and no location in a text that names both")
    return found


@check("OC-ENT-001", scope="plugin", level=1, spec=("ENT-2",), requires=("OC-LOAD-004",), hook="extract_entities")
def observations_are_returned(subject: Subject) -> None:
    """`extract_entities` returns a tuple of EntityObservation.

    Fix:
    Return observations, or an empty tuple; raise ToolUnavailable if the model is missing.
    """
    _seen(observe(subject, TEXT))


@check("OC-ENT-002", scope="plugin", level=2, spec=("ENT-2",), requires=("OC-ENT-001",), hook="extract_entities")
def spans_hold_their_text(subject: Subject) -> None:
    """`text[start:end]` is the observation's text: code points, not UTF-16 units and not bytes.

    Fix:
    Map the engine's offsets to code points of the text that the hook was given.
    """
    wrong = [
        (item.text, TEXT[item.start : item.end])
        for item in _seen(observe(subject, TEXT))
        if TEXT[item.start : item.end] != item.text
    ]
    expect_none(wrong, "spans do not match their text", expected="text[start:end] == observation.text")


@check("OC-ENT-003", scope="plugin", level=2, spec=("ENT-2",), requires=("OC-ENT-001",), hook="extract_entities")
def labels_are_those_asked_for(subject: Subject) -> None:
    """Labels are among those of the request.

    Fix:
    Map the engine's labels to the request's, and omit the rest.
    """
    expect_none({item.label for item in _seen(observe(subject, TEXT))} - set(LABELS), "other labels", expected=LABELS)  # type: ignore[arg-type]  # shown, not compared


@check("OC-ENT-004", scope="plugin", level=2, spec=("ENT-2",), requires=("OC-ENT-001",), hook="extract_entities")
def the_threshold_holds(subject: Subject) -> None:
    """No observation has a confidence below the request's threshold.

    Fix:
    Omit observations whose confidence is below `request.threshold`.
    """
    _seen(observe(subject, TEXT))
    low = [(item.text, item.confidence) for item in observe(subject, TEXT, threshold=0.9) if item.confidence < 0.9]
    expect_none(low, "observations below the threshold", expected="confidence of at least 0.9")


@check("OC-ENT-005", scope="plugin", level=2, spec=("ENT-2",), requires=("OC-ENT-001",), hook="extract_entities")
def nothing_comes_of_nothing(subject: Subject) -> None:
    """An empty text has no entities.

    Fix:
    Return an empty tuple for a text without words.
    """
    expect_equal(observe(subject, ""), (), "observations in an empty text")


@check(
    "OC-ENT-006",
    scope="plugin",
    level=2,
    spec=("ENT-2",),
    requires=("OC-ENT-001",),
    hook="extract_entities",
    deterministic=True,
)
def observations_are_deterministic(subject: Subject) -> None:
    """The same text gives the same observations in the same order.

    Fix:
    Sort by start and end; fix the model's seeds.
    """
    expect_equal(_seen(observe(subject, TEXT)), observe(subject, TEXT), "two runs over one text")
