"""OC-ENT on texts of many forms: names of all origins, dates, amounts and addresses, each once and again."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict

from octavo_contracts import EntityObservation

from ..checks import GENERATED, Broken, Unproven, check, expect_none
from ..subject import Subject
from ..vectors.fresh_text import (
    DENSE,
    DOTTED,
    DOTTED_DAYS,
    FIGURES,
    GROUPS,
    NAMESAKES,
    ROWS,
    YEARLESS,
    FreshText,
    Mention,
    make_dense,
    make_variety,
)
from .entities import _folded, observe

LABELS = ("person", "location", "organization", *FIGURES)
REPEATS = 5
"""How often a text stands behind itself, for an extractor that stops after some mentions."""

SOME = 1_500
"""Letters of the part of a text that is read twice."""
COMPATIBLE = ("ﬁrst oﬃce of Waﬄe ﬂats", "rest… ½ ㎏ ™ ℡", "ﾊﾊﾊ Ａｂｃ １２", "Zoë cafés naïve", "ẞßİŉ STRAẞE")
"""Signs whose other forms are shorter or longer: in NFKC, in NFD, in capitals or in small letters."""
LEAST = 0.15
"""Share of the people of a form that are observed: one of them, as models differ much in what they have read."""


def _found(subject: Subject) -> tuple[FreshText, tuple[EntityObservation, ...]]:
    text = make_variety(subject.seed)
    return text, observe(subject, text.text, labels=LABELS, threshold=0.5)


@check(
    "OC-ENT-015",
    scope="plugin",
    level=2,
    spec=("ENT-2",),
    requires=("OC-ENT-007", "OC-ENT-008"),
    hook="extract_entities",
    vectors=GENERATED,
)
def texts_are_read_as_they_are(subject: Subject) -> None:
    """In a text with decomposed letters, several blanks, tabs, line ends of two signs and signs without width, a span has its text.

    Fix:
    Count in the text that the hook was given; where the engine needs another form, map its offsets back.
    """
    plain = make_variety(subject.seed).text
    part = plain[: plain.index(".", SOME) + 1]
    prefix = (
        unicodedata.normalize("NFD", "Zoë naïve Ångström é ü ñ. ")
        + "ﬁne \u200bfl\u00adow\u00a0\u2003x  y\t\tz İstanbul ß.\r\n\r\n"
    )
    text = prefix + part.replace(". ", ".\r\n  ") + f"\n\n\n{part}"
    found = observe(subject, text, labels=LABELS, threshold=0.3)
    if not found:
        raise Unproven("it observed nothing in a text that names people, dates, addresses and amounts")
    wrong = [(one.text, text[one.start : one.end]) for one in found if text[one.start : one.end] != one.text]
    expect_none(wrong[:8], "spans do not match their text", expected="text[start:end] == observation.text")


@check(
    "OC-ENT-018",
    scope="plugin",
    level=2,
    spec=("ENT-2",),
    requires=("OC-ENT-015",),
    hook="extract_entities",
    vectors=GENERATED,
)
def other_forms_move_no_name(subject: Subject) -> None:
    """Behind ligatures, fractions, ellipses and letters of other widths the names of a text are observed where they are, most of them.

    Fix:
    Read the text that the hook was given, or map the places of a normalised text back, sign by sign.
    """
    plain = make_variety(subject.seed).text
    part = plain[: plain.index(".", SOME) + 1]
    known = {(one.label, one.text, one.start) for one in observe(subject, part, labels=LABELS, threshold=0.5)}
    if not known:
        raise Unproven("it observed nothing in a text that names people, dates, addresses and amounts")
    moved = []
    for signs in COMPATIBLE:
        prefix = f"The {signs} was there. "
        found = observe(subject, prefix + part, labels=LABELS, threshold=0.5)
        there = known & {(one.label, one.text, one.start - len(prefix)) for one in found}
        if len(there) * 2 < len(known):
            moved.append(f"{len(there)} of {len(known)} behind {signs!r}: {[one.text for one in found][:5]}")
    expect_none(moved, "names are not observed where they are", expected="most of those of the text alone")


def _of(mention: Mention, found: tuple[EntityObservation, ...]) -> list[EntityObservation]:
    end = mention.start + len(mention.text)
    return [one for one in found if one.label == mention.label and one.start < end and mention.start < one.end]


@check(
    "OC-ENT-012",
    scope="plugin",
    level=2,
    spec=("ENT-2",),
    requires=("OC-ENT-002", "OC-ENT-007", "OC-ENT-011"),
    hook="extract_entities",
    vectors=GENERATED,
)
def kinds_are_found_in_all_forms(subject: Subject) -> None:
    """Of a label that is observed at all, plain mentions of every form are: dates, addresses, amounts, people of any origin.

    Of a row of things with a blank between two, not just every second one is observed.

    Fix:
    Look at the mentions that are missing: what do they have in common?
    Let a pattern look at what stands around a mention, not take it: the next mention needs the blank too.
    """
    text, found = _found(subject)
    if not found:
        raise Unproven("it observed nothing in a text that names people, dates, addresses and amounts")
    missed: list[str] = []
    for label in FIGURES:
        mentions = [one for one in text.mentions if one.label == label]
        met = [one for one in mentions if _of(one, found)]
        if met and len(met) * 2 < len(mentions):
            missed += [one.text for one in mentions if one not in met]
    people = [one for one in text.mentions if one.label == "person"]
    groups = {name: [one for one in people if one.text in names] for name, names in GROUPS.items()}
    groups["of plain form"] = [one for one in people if not any(one in group for group in groups.values())]
    shares = {name: sum(bool(_of(one, found)) for one in group) / len(group) for name, group in groups.items()}
    if shares["of plain form"] > 0:
        missed += [
            f"people {name} ({share:.0%})"
            for name, share in shares.items()
            if share < min(LEAST, shares["of plain form"] / 2)
        ]
    expect_none(missed, "mentions of some forms are not observed", expected="about as many of each form")
    for label, row in ROWS.items():
        line = f"The table of the year: {' '.join(row)} and no more."
        ends = {one.end for one in observe(subject, line, labels=LABELS, threshold=0.5) if one.label == label}
        there = [line.index(one) + len(one) in ends for one in row]
        if there in ([True, False] * (len(row) // 2), [False, True] * (len(row) // 2)):
            raise Broken(f"every second {label} of a row is lost", expected=row, actual=row[there[0] :: 2])


@check(
    "OC-ENT-013",
    scope="plugin",
    level=2,
    spec=("ENT-2",),
    requires=("OC-ENT-012",),
    hook="extract_entities",
    vectors=GENERATED,
)
def normalised_forms_mean_the_same(subject: Subject) -> None:
    """The normalised form of a date, an amount or an address in a plain form means the same, and equal texts have equal forms.

    Fix:
    Normalise from the mention alone; leave `normalized` null where it has several meanings.
    In dates with dots the day stands before the month.
    """
    text, found = _found(subject)
    meanings = {one: meaning for forms in FIGURES.values() for one, meaning in forms}
    wrong = [
        f"{one.text!r} as {one.normalized!r}"
        for mention in text.mentions
        if mention.text in meanings
        for one in _of(mention, found)
        if one.text == mention.text and one.normalized and not _means(mention.label, one.normalized, meanings[one.text])
    ]
    wrong += [
        f"{one.text!r} as {one.normalized!r}"
        for one in observe(subject, DOTTED, labels=LABELS, threshold=0.5)
        if one.label == "date" and one.normalized and one.text in DOTTED_DAYS
        if not _means("date", one.normalized, DOTTED_DAYS[one.text])
    ]
    expect_none(wrong, "normalised forms mean something else", expected="the meaning of the text")
    dated = "It was on 4 May 2021 and on 02/03/2021. Later, on 9 December 2021, 02/03/2021 was named again. On 02/03/2021 it ended."
    some = text.text[: text.text.index(".", SOME) + 1]
    forms: dict[tuple[str, str], set[str | None]] = defaultdict(set)
    for one in observe(subject, f"{some}\n\n{dated}\n\n{some}", labels=LABELS, threshold=0.5):
        forms[one.label, one.text].add(one.normalized)
    several = [f"{text!r} as {sorted(map(str, told))}" for (_, text), told in forms.items() if len(told) > 1]
    expect_none(several, "one text has several normalised forms", expected="one form for one text")
    added = [
        f"{one.text!r} as {one.normalized!r}"
        for text in (YEARLESS, NAMESAKES)
        for one in observe(subject, text, labels=LABELS, threshold=0.5)
        if one.normalized and _adds(one.label, one.text, one.normalized)
    ]
    expect_none(
        added, "normalised forms say more than the text", expected="no year and no first name that is not there"
    )


def _adds(label: str, text: str, told: str) -> bool:
    if label == "date":
        return bool(re.search(r"(19|20)\d\d", told)) and not re.search(r"(19|20)\d\d", text)
    # A surname alone, normalised to a person with a first name.
    return (
        label == "person" and "carter" in text.casefold() and bool({"anna", "robert"} & (_folded(told) - _folded(text)))
    )


def _means(label: str, told: str, meaning: str) -> bool:
    if label == "money":
        numbers = [float(one.replace(",", "")) for one in re.findall(r"\d[\d,]*(?:\.\d+)?", told)]
        return not numbers or numbers[0] in (float(meaning), float(meaning) / 1e6, float(meaning) * 100)
    if label == "date":
        iso = re.match(r"\d{4}-\d{2}-\d{2}", told)
        return iso is None or iso.group() == meaning
    return told.lower().removeprefix("mailto:").rstrip("/") == meaning.lower()


@check(
    "OC-ENT-014",
    scope="plugin",
    level=2,
    spec=("ENT-2",),
    requires=("OC-ENT-008", "OC-ENT-007"),
    hook="extract_entities",
    vectors=GENERATED,
)
def every_mention_counts(subject: Subject) -> None:
    """Where a text stands five times behind itself, each time about as much of it is observed, with about the same confidence.

    Fix:
    Set no limit to the number of observations, of mentions of one name, or of characters.
    """
    text = make_variety(subject.seed).text
    long = "\n\n".join([text] * REPEATS)
    found = observe(subject, long, labels=LABELS, threshold=0.5)
    places = Counter(one.start // (len(text) + 2) for one in found)
    counts = [places[number] for number in range(REPEATS)]
    if max(counts) == 0:
        raise Unproven("it observed nothing in a text that names people, dates, addresses and amounts")
    if min(counts) * 5 < max(counts) * 4:
        raise Broken("mentions that occur again are lost", expected=f"about {max(counts)} in each part", actual=counts)


@check(
    "OC-ENT-017",
    scope="plugin",
    level=3,
    spec=("ENT-2",),
    requires=("OC-ENT-002",),
    hook="extract_entities",
    vectors=GENERATED,
)
def no_border_cuts_a_name(subject: Subject) -> None:
    """In a long text in which one sentence stands again and again, a name is found each time, if it is found nearly each time.

    Fix:
    Let the windows in which a text is read overlap, and take from each what lies within it.
    """
    sentence, names = make_dense(subject.seed)
    text = sentence * DENSE
    wanted = {(name, place + sentence.index(name)) for place in range(0, len(text), len(sentence)) for name in names}
    found = {(item.text, item.start) for item in observe(subject, text, labels=LABELS, threshold=0.3)}
    lost = sorted(wanted - found, key=lambda mention: mention[1])
    if len(lost) < len(wanted) / 50:
        expect_none([f"{name} at {place}" for name, place in lost[:8]], "single mentions are lost")
