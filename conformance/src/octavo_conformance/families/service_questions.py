"""OC-SVC on questions and places: what is asked is passed on as it is, and what answers it is found wherever it stands."""

from __future__ import annotations

import json
import math
from contextlib import suppress
from typing import Any
from urllib.parse import unquote_plus

from octavo.plugins import service_answers as answers

from ..checks import GENERATED, Broken, check, expect_none
from ..service_calls import answers_of, call_service, refuse
from ..subject import Subject
from ..vectors.prose import prose
from ..vectors.words import Words
from .services import BASE, KEY

SIZES = (1, 2, 9, 17, 33, 3)
"""Sizes of the batches in which one text is embedded."""


@check(
    "OC-SVC-018",
    scope="plugin",
    level=1,
    spec=("DIG-27",),
    requires=("OC-SVC-015",),
    service="search_provider",
    vectors=GENERATED,
)
def queries_are_asked_as_they_are(subject: Subject) -> None:
    """A search provider sends each query as it was given: long, in other scripts, with quotes, operators, figures, names.

    Fix:
    Encode the query; drop, translate and correct nothing in it.
    """
    words = Words(subject.seed)
    one, two = words.word(), words.word()
    queries = [
        f'"{one} {two}" -{words.word()} OR {words.word()} 20{words.dice.randint(10, 29)}',
        f"{one} NOT {two} +{words.word()} site:example.org (not the {words.word()})",
        f"Zoë Müller € {words.dice.randint(1000, 9999)}.50 {words.foreign()}",
        f"what did the doctor say about the lawsuit of {one.title()} {two.title()} and her HIV test?",
        " ".join(words.word() for _ in range(40)),
        one,
    ]
    steps = [
        {
            "call": "search",
            "args": [query],
            "kwargs": {"base_url": BASE, "key": KEY},
            "reply": {"status": 200, "body": "{}"},
        }
        for query in queries
    ]
    said = call_service(subject, "search_provider", *steps).steps[1:]
    changed = [
        query
        for query, step in zip(queries, said, strict=True)
        if step.asked and not any(query in told for asked in step.asked for told in _told(asked))
    ]
    expect_none(changed[:2], "queries are changed on their way", expected="the query, word for word")


def _told(asked: Any) -> list[str]:
    """Return what a request says, decoded in the ways that an address and a body may be encoded."""
    told = [unquote_plus(asked["url"]), unquote_plus(asked["body"]), asked["body"]]
    with suppress(ValueError):
        told.append(json.dumps(json.loads(asked["body"]), ensure_ascii=False).replace('\\"', '"'))
    return told


@check(
    "OC-SVC-019",
    scope="plugin",
    level=2,
    spec=("ENG-26",),
    requires=("OC-SVC-014",),
    service="embedder",
    vectors=GENERATED,
)
def one_text_has_one_vector(subject: Subject) -> None:
    """A text has one vector in batches of any size, in every place, later as at first; what differs in a figure, a name or a negation differs.

    A text is nearer to its own beginning than to another text.

    Fix:
    Embed each text by itself, whole and as it is: do not cut, fold or cache it by its beginning or its length.
    """
    words = Words(subject.seed)
    text = f"{words.paragraph(1)} {words.line()}."
    others = [f"{line} {words.line(4)}." for line in prose(words.dice)]
    batches = []
    for size in SIZES:
        batch = [words.dice.choice(others) for _ in range(size)]
        batch[words.dice.randrange(size)] = text
        batches.append(batch)
    steps = [{"call": "embed", "args": [batch]} for batch in batches]
    found = answers_of(subject, "embedder", *steps, {"call": "embed", "args": [[text[: len(text) // 2], others[0]]]})
    vectors = [
        vector
        for batch, told in zip(batches, found, strict=False)
        for one, vector in zip(batch, told, strict=True)
        if one == text
    ]
    odd = [round(_nearness(vectors[0], vector), 4) for vector in vectors if _nearness(vectors[0], vector) < 0.99]
    expect_none(odd, "one text has several vectors", expected="the same vector in every batch")
    half, other = found[-1]
    if _nearness(vectors[0], half) <= _nearness(vectors[0], other):
        raise Broken(
            "a text is as near to another as to its own beginning",
            expected="nearer to its beginning",
            actual=f"{_nearness(vectors[0], half):.3f} and {_nearness(vectors[0], other):.3f}",
        )


def _nearness(one: list[float], other: list[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=False)) if len(one) == len(other) else -math.inf


@check(
    "OC-SVC-020",
    scope="plugin",
    level=2,
    spec=("DIG-2", "DIG-10"),
    requires=("OC-SVC-009",),
    service="digestor",
    vectors=GENERATED,
)
def answers_are_found_in_every_place(subject: Subject) -> None:
    """The one sentence of a long text that has the words of the query is quoted, wherever it stands, to its end and with its figures.

    Fix:
    Look at the whole text, not at its beginning; quote sentences whole, with what limits or denies them.
    """
    words = Words(subject.seed)
    steps, wanted = [], []
    for place in (0.02, 0.5, 0.98):
        subject_words, figure = f"{words.word()} {words.word()}", words.dice.randint(1000, 9999)
        sentence = f"The {subject_words} costs {figure} crowns a year, unless the {words.word()} is late or the {words.word()} does not come."
        lines = [f"The {words.word()} of the {words.word()} was {words.word()} again." for _ in range(120)]
        lines.insert(int(place * len(lines)), sentence)
        steps.append(
            {
                "call": "digest_text",
                "args": [" ".join(lines), f"{subject_words} costs"],
                "kwargs": {"source_id": f"{place}"},
            }
        )
        wanted.append(sentence)
    for sentence, step, told in zip(wanted, steps, answers_of(subject, "digestor", *steps), strict=True):
        text, query = step["args"]
        try:
            outcome = answers.checked_digest(told, text=text, query=query)
        except answers.WrongAnswer as error:
            refuse(error)
        quoted = [one.text for one in outcome.payload.evidence_snippets] if outcome.payload else []
        if not any(sentence in one for one in quoted):
            near = [one for one in quoted if set(query.split()[:2]) & set(one.split())]
            raise Broken(
                "the sentence that answers the query is not quoted whole", expected=sentence, actual=near or quoted[:2]
            )


@check(
    "OC-SVC-021",
    scope="plugin",
    level=2,
    spec=("DIG-13",),
    requires=("OC-SVC-004",),
    service="scorer",
    vectors=GENERATED,
)
def scores_do_not_depend_on_places(subject: Subject) -> None:
    """A chunk with the words of the query scores above the others in a list of any length and place, and where they stand at its end.

    Equal chunks score equally.

    Fix:
    Score each chunk whole, by its own text and the query.
    """
    words = Words(subject.seed)
    query = f"{words.word()} {words.word()}"
    other = [words.line(12) for _ in range(60)]
    match = f"{words.line(60)} {query}."
    lists = [[*other[:at], match, *other[at:], match] for at in (0, 31, 60)]
    for chunks, scores in zip(
        lists,
        answers_of(subject, "scorer", *({"call": "score", "args": [query, chunks]} for chunks in lists)),
        strict=True,
    ):
        at = chunks.index(match)
        if abs(scores[at] - scores[-1]) > 1e-6:
            raise Broken("equal chunks have several scores", expected=scores[at], actual=scores[-1])
        if scores[at] <= max(score for chunk, score in zip(chunks, scores, strict=True) if chunk != match):
            raise Broken(
                "a chunk with the words of the query is not the best",
                expected=f"place {at + 1} of {len(chunks)}",
                actual=scores,
            )


@check(
    "OC-SVC-022",
    scope="plugin",
    level=2,
    spec=("DIG-18",),
    requires=("OC-SVC-010",),
    service="summariser",
    vectors=GENERATED,
)
def extracts_are_whole_sentences(subject: Subject) -> None:
    """Key points and sentences of an extractive summary are sentences of the text, whole: with what limits or denies them.

    Fix:
    Quote a sentence from its first word to its last; leave a sentence out that is too long.
    """
    words = Words(subject.seed)
    turns = (
        "is not yet {}",
        "may be {}, unless it is {}",
        "was {} by {}, it seems",
        "is no longer {}",
        "is {}, except in {}",
    )
    lines = [
        f"The {words.line(4).lower()} of the {words.line(4).lower()} {turn.format(words.word(), words.word())}."
        for _ in range(6)
        for turn in turns
    ]
    text = " ".join(lines)
    (made,) = answers_of(
        subject, "summariser", {"call": "summarise", "args": [text], "kwargs": {"query": "", "max_chars": 900}}
    )
    try:
        summary = answers.checked_summary(made, text=text, max_chars=900)
    except answers.WrongAnswer as error:
        refuse(error)
    if summary.method != "extractive":
        return
    cut = [
        point
        for point in summary.key_points
        if " ".join(point.split()) not in text or not _is_whole(" ".join(point.split()), text)
    ]
    expect_none(cut[:3], "key points are parts of sentences", expected="whole sentences of the text")


def _is_whole(quoted: str, text: str) -> bool:
    at = text.index(quoted)
    before, after = text[:at].rstrip(), text[at + len(quoted) :].lstrip()
    return (not before or before[-1] in ".!?") and (quoted[-1:] in ".!?" or not after or after[0] in ".!?")
