"""OC-ENT on names that occur many times, that resemble other names of the text, and that are observed with any threshold."""

from __future__ import annotations

import random
from collections.abc import Sequence

from ..checks import GENERATED, Broken, Unproven, check, expect_none
from ..subject import Subject
from ..vectors.fresh_text import (
    DENSE,
    in_long_text,
    make_dense,
    make_namesakes,
    make_particles,
    make_single,
    make_surroundings,
    make_variety,
    single_sentence,
)
from .entities import observe
from .entity_forms import LABELS

PARTS = 10
"""Parts of a long text that are compared."""
FIFTHS, LEAST_KNOWN = 5, 3
"""Parts of a very long text, and people of one who are observed in a sentence alone, so that none is observed by no chance."""
RANGES = ((30, 50), (50, 70), (70, 80), (80, 90), (90, 98))
"""Hundredths between which the thresholds of a run lie."""


@check(
    "OC-ENT-019",
    scope="plugin",
    level=3,
    spec=("ENT-2",),
    requires=("OC-ENT-008", "OC-ENT-014"),
    hook="extract_entities",
    vectors=GENERATED,
)
def later_mentions_are_observed(subject: Subject) -> None:
    """Where two names stand in a text seven hundred times, they are observed in each tenth of it about as often as in any other.

    Fix:
    Return each mention; how often a name occurs is the host's to count.
    """
    sentence, names = make_dense(subject.seed)
    found = observe(subject, sentence * DENSE, labels=("person", "location"), threshold=0.3)
    counts = [0] * PARTS
    for item in found:
        counts[item.start * PARTS // (len(sentence) * DENSE)] += item.text in names
    if not any(counts):
        raise Unproven("it observed no person in a text that names two")
    if min(counts) * 2 < max(counts):
        raise Broken("later mentions of a name are not observed", expected=f"about {max(counts)} a part", actual=counts)


@check(
    "OC-ENT-020",
    scope="plugin",
    level=3,
    spec=("ENT-2",),
    requires=("OC-ENT-002",),
    hook="extract_entities",
    vectors=GENERATED,
)
def namesakes_keep_their_names(subject: Subject) -> None:
    """People are observed by their full names, also where others of the text have the same surname or the same first name.

    Fix:
    Return each name in full, as it stands in the text, also where another person of the text has a part of it.
    """
    groups = make_namesakes(subject.seed)
    together = _people(subject, " ".join(sentence for group in groups for sentence, _ in group))
    alone = [[name for sentence, name in group if name in _people(subject, sentence)] for group in groups]
    if not any(alone):
        seen = {text for group in groups for sentence, _ in group for text in _people(subject, sentence)}
        if not seen:
            raise Unproven("it observed no person in sentences that name one each")
        names = [name for group in groups for _, name in group]
        raise Broken("no person is observed by the full name", expected=names, actual=sorted(seen))
    cut = [names for names in alone if len(names) > 1 and not together & set(names)]
    expect_none(cut, "people are not observed by their full names", expected="names as they are observed alone")


@check(
    "OC-ENT-025",
    scope="plugin",
    level=3,
    spec=("ENT-2",),
    requires=("OC-ENT-008", "OC-ENT-019"),
    hook="extract_entities",
    vectors=GENERATED,
)
def single_mentions_of_a_long_text_are_observed(subject: Subject) -> None:
    """People who are named once in a text of more than fifty thousand letters are observed in each fifth of it, as in the sentence alone.

    Fix:
    Return each mention, however rare it is and wherever it stands; what is important in a text is the host's to decide.
    """
    text, people = make_single(subject.seed)
    known = {name for name in people if name in _people(subject, single_sentence(name))}
    if not known:
        raise Unproven("it observed no person in sentences that name one each")
    found = _people(subject, text)
    share = len(people) // FIFTHS
    lost = [
        f"none of {', '.join(wanted)}, named from place {text.index(wanted[0])} on"
        for at in range(0, len(people), share)
        if len(wanted := [name for name in people[at : at + share] if name in known]) >= LEAST_KNOWN
        and not found.intersection(wanted)
    ]
    expect_none(lost, "people whom a long text names once are not observed", expected="some in each part of the text")


def _people(subject: Subject, text: str) -> set[str]:
    return {item.text for item in observe(subject, text) if item.label == "person"}


@check(
    "OC-ENT-022",
    scope="plugin",
    level=3,
    spec=("ENT-2",),
    requires=("OC-ENT-002",),
    hook="extract_entities",
    vectors=GENERATED,
)
def signs_around_a_name_do_not_hide_it(subject: Subject) -> None:
    """A name is observed in brackets, in quotes, behind a dash, a colon or a title, and at the end of a sentence, if it is in plain sentences.

    It is in single sentences, and in a long text.

    Fix:
    Read the whole text; what stands in brackets or quotes is part of it.
    """
    plain, *others = make_surroundings(subject.seed)
    known = _observed(subject, plain)
    if len(known) * 2 <= len(plain):
        raise Unproven("it observed few people in plain sentences that name one each")
    hidden = [told[0][0] for told in others if not _observed(subject, told)]
    expect_none(hidden, "people are not observed in sentences such as these", expected="people as in plain sentences")
    hidden = [told[0][0] for told in others if not _observed_in_long(subject, told)]
    if len(hidden) < len(others):
        expect_none(hidden, "people are not observed in such sentences of a long text", expected="people as in others")


@check(
    "OC-ENT-023",
    scope="plugin",
    level=3,
    spec=("ENT-2",),
    requires=("OC-ENT-020",),
    hook="extract_entities",
    vectors=GENERATED,
)
def names_keep_their_particles(subject: Subject) -> None:
    """Of people with a particle in their names, such as "van" or "de la", not all are observed without their first names.

    Fix:
    Return each name in full, as it stands in the text, whatever words are in it.
    """
    ends, full = [], []
    for sentence, name in make_particles(subject.seed):
        for text in _people(subject, sentence):
            if text == name:
                full.append(name)
            elif name.endswith(text):
                ends.append(text)
    if ends and not full:
        raise Broken("names begin with their particles", expected="at least one in full", actual=ends)


def _observed_in_long(subject: Subject, told: Sequence[tuple[str, str]]) -> list[str]:
    """Return the names of some sentences that are observed where the sentences stand in one long text."""
    people = _people(subject, in_long_text(subject.seed, [sentence for sentence, _ in told]))
    words = {word for text in people for word in text.split()}
    return [name for _, name in told if words & set(name.split())]


def _observed(subject: Subject, told: Sequence[tuple[str, str]]) -> list[str]:
    """Return the names of some sentences that are observed in them, or a part of each."""
    return [
        name
        for sentence, name in told
        if any(set(text.split()) & set(name.split()) for text in _people(subject, sentence))
    ]


@check(
    "OC-ENT-021",
    scope="plugin",
    level=2,
    spec=("ENT-2",),
    requires=("OC-ENT-016",),
    hook="extract_entities",
    vectors=GENERATED,
)
def thresholds_only_leave_out(subject: Subject) -> None:
    """Of a fresh text, thresholds that are drawn for the run leave out what is below them: they add nothing, and change no confidence.

    Fix:
    Filter what you observe by `request.threshold`; let no other part of the hook read it.
    """
    text = make_variety(subject.seed).text
    before = {(item.label, item.start, item.end): item.confidence for item in observe(subject, text, labels=LABELS)}
    if not before:
        raise Unproven("it observed nothing in a text that names people, dates, addresses and amounts")
    dice = random.Random(subject.seed)
    for low, high in RANGES:
        threshold = dice.randint(low, high) / 100
        found = observe(subject, text, labels=LABELS, threshold=threshold)
        changed = [
            f"{item.text!r} with {item.confidence:.2f}, {'not observed' if told is None else f'{told:.2f}'} without a threshold"
            for item in found
            if (told := before.get((item.label, item.start, item.end))) is None or abs(told - item.confidence) > 0.01
        ]
        expect_none(changed[:8], f"observations are others with the threshold {threshold}")
        there = {(item.label, item.start, item.end) for item in found}
        lost = [text[key[1] : key[2]] for key, told in before.items() if told >= threshold + 0.01 and key not in there]
        expect_none(lost[:8], f"observations above the threshold {threshold} are left out")
