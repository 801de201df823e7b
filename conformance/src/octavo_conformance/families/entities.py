"""OC-ENT: entity extraction from a canonical text."""

from __future__ import annotations

import json
import unicodedata
from collections import Counter
from typing import Any

from octavo_contracts import EntityObservation, EntityRequest
from pydantic import ValidationError

from ..checks import GENERATED, Broken, Unproven, check, expect_equal, expect_none
from ..evidence import describe
from ..hook_inputs import LABELS, TEXT, Arguments
from ..subject import Subject
from ..vectors import words_of
from ..vectors.fresh_text import FreshText, Mention, make_text


def observe(subject: Subject, text: str, *, again: bool = False, **request: Any) -> tuple[EntityObservation, ...]:
    """Call the hook; the answer is cached by arguments, unless it is asked for again.

    Raises:
        Broken: the hook raised, or its answer is malformed.
    """
    fields: dict[str, Any] = {"labels": LABELS, "threshold": 0.0} | request
    asked = EntityRequest(**fields)
    arguments: Arguments = {"text": text, "request": asked}
    if again:
        seen = subject.call("extract_entities", arguments)
    else:
        seen = subject.call_once("extract_entities", arguments, vector=None, key=f"{asked.to_json()} {text}")
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
    _seen(observe(subject, TEXT, again=True))  # this call loads the model


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


@check("OC-ENT-016", scope="plugin", level=2, spec=("ENT-2",), requires=("OC-ENT-004",), hook="extract_entities")
def the_threshold_changes_no_confidence(subject: Subject) -> None:
    """A mention has the same confidence with a high threshold as with none, and is there if its confidence reaches the threshold.

    Fix:
    Leave out what is below `request.threshold`, and nothing else; raise no confidence, neither to it nor behind the engine's own filter.
    """
    before = {(item.label, item.start, item.end): item.confidence for item in _seen(observe(subject, TEXT))}
    changed = [
        (item.text, before[place], item.confidence)
        for threshold in (0.5, 0.8, 0.99)
        for item in observe(subject, TEXT, threshold=threshold)
        if abs(before.get(place := (item.label, item.start, item.end), item.confidence) - item.confidence) > 0.01
    ]
    expect_none(changed, "confidences change with the threshold", expected="the same confidence with any threshold")
    lost = [
        (label, start, confidence)
        for threshold in (0.5, 0.8)
        for (label, start, end), confidence in before.items()
        if confidence >= threshold + 0.01
        and (label, start, end)
        not in {(one.label, one.start, one.end) for one in observe(subject, TEXT, threshold=threshold)}
    ]
    expect_none(lost, "mentions are left out that reach the threshold", expected="each of the stated confidence")


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
    expect_equal(_seen(observe(subject, TEXT)), observe(subject, TEXT, again=True), "two runs over one text")


_MANY = (*LABELS, "organization", "date", "money", "email", "phone_number", "url", "number", "event", "product")
"""Labels beyond those of the other checks: an extractor has its own."""


@check(
    "OC-ENT-007",
    scope="plugin",
    level=2,
    spec=("ENT-2",),
    requires=("OC-ENT-002",),
    hook="extract_entities",
    vectors=GENERATED,
)
def spans_are_whole_words(subject: Subject) -> None:
    """In a long text and for all kinds of labels, a span has its text, begins and ends with a word, and is observed once.

    Fix:
    Map the engine's offsets, those of each window or paragraph too, to code points of the whole text.
    """
    text = make_text(subject.seed).text
    found = observe(subject, text, labels=_MANY)
    wrong = [(item.text, text[item.start : item.end]) for item in found if text[item.start : item.end] != item.text]
    expect_none(wrong[:8], "spans do not match their text", expected="text[start:end] == observation.text")
    cut = [
        item.text
        for item in found
        if _is_cut(text, item.start) or _is_cut(text, item.end) or item.text != item.text.strip()
    ]
    expect_none(cut[:8], "spans begin or end within a word", expected="whole words")
    counts = Counter((item.label, item.start, item.end) for item in found)
    expect_none([key for key, count in counts.items() if count > 1][:8], "spans are observed twice")


def _is_cut(text: str, place: int) -> bool:
    return 0 < place < len(text) and text[place - 1].isalnum() and text[place].isalnum()


@check(
    "OC-ENT-008",
    scope="plugin",
    level=2,
    spec=("ENT-2",),
    requires=("OC-ENT-001",),
    hook="extract_entities",
    vectors=GENERATED,
)
def long_texts_are_read_to_the_end(subject: Subject) -> None:
    """In a text of more than ten thousand letters the names at its end are found like those at its beginning.

    A name that occurs twice is observed twice.

    Fix:
    Return an observation for each place of a name.
    Split a long text into windows that the model takes, and put their observations together.
    """
    text = make_text(subject.seed)
    part = text.text[: text.middle // 4]
    short = observe(subject, part)
    if not short:
        raise Unproven("it observed no person and no location in a text that names both")
    found = observe(subject, text.text)
    start, end = (
        {item.text for item in found if (item.start > text.middle) == is_late and item.text in _names(text)}
        for is_late in (False, True)
    )
    known = {item.text for item in short if item.text in _names(text)}
    again = {item.text for item in observe(subject, f"{part}\n\n{part}") if item.start > len(part)} & known
    if len(again) * 2 < len(known):
        raise Broken(
            "names that occur again are not observed again",
            expected=f"about {len(known)} names in a text that stands there twice",
            actual=f"{len(again)} in its second half",
        )
    if len(start) * 2 < len(known) or len(end) * 2 < len(known):
        raise Broken(
            "names of a long text are not found",
            expected=f"names at both ends, about {len(known)} as in a short text",
            actual=f"{len(start)} at the beginning, {len(end)} at the end",
        )


def _names(text: FreshText) -> set[str]:
    return {mention.text for mention in text.mentions}


@check(
    "OC-ENT-009",
    scope="plugin",
    level=2,
    spec=("ENT-2",),
    requires=("OC-ENT-001",),
    hook="extract_entities",
    vectors=GENERATED,
)
def normalised_forms_are_of_their_text(subject: Subject) -> None:
    """The normalised form of a person or a place has a word of its text.

    Fix:
    Normalise what is observed; leave `normalized` null where nothing is to be changed.
    """
    found = [*observe(subject, make_text(subject.seed).text), *_seen(observe(subject, TEXT))]
    odd = [
        f"{item.text!r} as {item.normalized!r}"
        for item in found
        if item.normalized is not None and not _folded(item.normalized) & _folded(item.text)
    ]
    expect_none(odd[:8], "normalised forms are of something else", expected="a word of the text")


def _folded(text: str) -> set[str]:
    plain = "".join(c for c in unicodedata.normalize("NFD", text) if not unicodedata.combining(c))
    return set(words_of(plain.casefold()))


@check(
    "OC-ENT-010",
    scope="plugin",
    level=3,
    spec=("ENT-2",),
    requires=("OC-ENT-003", "OC-ENT-007", "OC-ENT-008"),
    hook="extract_entities",
    vectors=GENERATED,
)
def what_is_observed_is_named_there(subject: Subject) -> None:
    """Of the people and places observed in a fresh text most are those that it names, and most of these are observed.

    Fix:
    Look at the observations that are no names: drop those of low confidence, and words that only begin a sentence.
    """
    _seen(observe(subject, TEXT))  # an extractor of other kinds of entities has no names to find
    text = make_text(subject.seed)
    found = observe(subject, text.text, threshold=0.5)
    right = [
        item
        for item in found
        if any(
            m.label == item.label and m.start < item.end and item.start < m.start + len(m.text) for m in text.mentions
        )
    ]
    met = {
        m.start for m in text.mentions for item in right if m.start < item.end and item.start < m.start + len(m.text)
    }
    if (found and len(right) * 2 <= len(found)) or len(met) * 2 < len(text.mentions):
        wrong = [item.text for item in found if item not in right]
        raise Broken(
            "people and places are not those of the text",
            expected=f"more than half of the observations right, and more than half of {len(text.mentions)} names found",
            actual=f"{len(right)} of {len(found)} right, {len(met)} found; wrong are {wrong[:8]}",
        )


@check(
    "OC-ENT-011",
    scope="plugin",
    level=2,
    spec=("ENT-2",),
    requires=("OC-ENT-008",),
    hook="extract_entities",
    vectors=GENERATED,
)
def accents_lose_no_name(subject: Subject) -> None:
    """People whose names have letters outside ASCII are observed too, if other people are: one of four at least.

    Fix:
    Match letters of any script; give no name a lower confidence for its letters.
    """
    text = make_text(subject.seed)
    found = [item for item in observe(subject, text.text, threshold=0.5) if item.label == "person"]
    plain, accented = (
        [m for m in text.mentions if m.label == "person" and m.text.isascii() == kind and _is_met(m, found)]
        for kind in (True, False)
    )
    if not plain:
        raise Unproven("it observed no person in a text that names eight")
    if not accented:
        raise Broken(
            "people with other letters are not observed",
            expected=f"one of {', '.join(m.text for m in text.accented)}",
            actual=f"{len(plain)} people, all with ASCII letters",
        )


def _is_met(mention: Mention, found: list[EntityObservation]) -> bool:
    end = mention.start + len(mention.text)
    return any(item.start < end and mention.start < item.end for item in found)
