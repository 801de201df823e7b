"""OC-GOLD on options that leave content out: what they leave out stands nowhere, and what a limit cuts off is told."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from octavo_contracts import Conversion, DegradedFlag
from octavo_contracts.plugin_options import OptionError, options_of
from pydantic import JsonValue

from ..checks import GENERATED, Inapplicable, check, expect_none
from ..evidence import page_texts
from ..subject import Subject
from ..vectors import GoldenVector, words_of
from ..vectors.fresh import make_fresh
from ..vectors.placed_tables import make_placed_tables

_WITHHOLDS = re.compile(
    r"mask|redact|hid(?:e|den)|omit|exclu|drop|remov|skip|le(?:ft|ave) out|without|replac|strip|anonym|pseudonym|withh|suppress|filter",
    re.IGNORECASE,
)
"""Names and descriptions of options that leave content out."""
_LIMITS = re.compile(
    r"(?:^|_)(?:max|most|limit|first|head|top|rows|lines|pages|sheets|chars|cells|depth)(?:_|$)|at most", re.IGNORECASE
)
"""Names and descriptions of options that limit the content."""
_FEW = (1, 2, 5)
"""Limits that are tried, if the option allows them."""
_DOCUMENTS = 2
"""Documents with tables of each format, and at most as many without."""


def _rules(subject: Subject, what: re.Pattern[str], kinds: tuple[str, ...]) -> dict[str, Mapping[str, Any]]:
    """Return the options of some types whose name or description says what they do."""
    found: dict[str, Mapping[str, Any]] = {}
    for name, rule in subject.manifest.options.items():
        if (
            isinstance(rule, dict)
            and rule.get("type") in kinds
            and what.search(f"{name} {rule.get('description', '')}")
        ):
            found[name] = rule
    return found


def _documents(subject: Subject) -> list[GoldenVector]:
    """Return small documents of each format, those with tables first."""
    fresh = [
        one
        for one in make_fresh(subject.seed, subject.media_types)
        if "/fresh." in one.path or "/sequence." in one.path
    ]
    placed = [vector for vector, _ in make_placed_tables(subject.seed, subject.media_types)]
    chosen: list[GoldenVector] = []
    for media_type in subject.media_types:
        own = [one for one in (*fresh, *placed) if one.media_type == media_type]
        chosen += sorted(own, key=lambda one: not one.expected.tables)[:_DOCUMENTS]
    return chosen


def _values(rule: Mapping[str, Any], vector: GoldenVector) -> Iterator[JsonValue]:
    """Yield values of an option that name something of a document, or that are not the default."""
    if rule["type"] == "boolean":
        yield not rule.get("default", False)
        return
    if isinstance(rule.get("enum"), list):
        yield from (one for one in rule["enum"] if one != rule.get("default"))
        return
    heads = [table[0] for table in vector.expected.tables if table][:2] or [
        tuple(words_of(vector.expected.pages[0])[:2])
    ]
    for head in heads:
        for name in (head[0], head[-1]):
            yield [name] if rule["type"] == "array" else name


def _given(subject: Subject, vector: GoldenVector, name: str, value: JsonValue) -> Conversion | None:
    """Return the conversion with an option, or None if the manifest or the plugin refuses its value."""
    try:
        options_of(subject.manifest.options, {name: value})
    except OptionError:
        return None
    seen = subject.convert_again(vector, given={name: value})
    return None if seen.error is not None else seen.conversion()


def _places(conversion: Conversion) -> dict[str, set[str]]:
    """Return the words of each part of a conversion that readers use."""
    return {
        "the text": set(words_of("\n".join(page_texts(conversion)))),
        "the markdown": {word for page in conversion.pages for word in words_of(page.markdown)},
        "the tables": {
            word for page in conversion.pages for table in page.tables for row in table.rows for cell in row for word in words_of(cell)
        },
        "the boxes": {word for page in conversion.pages for box in page.boxes for word in words_of(box.text)},
        "the metadata": set(words_of(json.dumps(conversion.metadata.fields, ensure_ascii=False))),
    }  # fmt: skip


@check(
    "OC-GOLD-053",
    scope="plugin",
    level=3,
    spec=("ENG-23", "QLT-2"),
    requires=("OC-GOLD-005", "OC-GOLD-009"),
    hook="convert",
    vectors=GENERATED,
)
def what_an_option_leaves_out_is_nowhere(subject: Subject) -> None:
    """What a declared option leaves out of the text or the markdown of a fresh document is in neither of them, nor in its tables or boxes.

    Options whose name or description says that they mask, hide, skip or remove are tried with their other values, and with the
    names of columns and words of the document. A plugin may refuse a value.

    Fix:
    Apply the option to the content as it is read, before text, markdown, tables and boxes are made of it.
    """
    rules = _rules(subject, _WITHHOLDS, ("boolean", "string", "array"))
    if not rules:
        raise Inapplicable("the plugin declares no option that leaves content out")
    wrong: list[str] = []
    for name, rule in rules.items():
        for vector in _documents(subject):
            usual = _places(subject.convert_as_host(vector).conversion())
            for value in _values(rule, vector):
                given = _given(subject, vector, name, value)
                if given is None:
                    continue
                now = _places(given)
                gone = {word for place in ("the text", "the markdown") for word in usual[place] - now[place]}
                if any(now["the tables"]):
                    gone |= usual["the tables"] - now["the tables"]
                kept = {place: sorted(gone & words)[:3] for place, words in now.items() if gone & words}
                wrong += [f"{vector.path}, {name} = {value!r}: {words} in {place}" for place, words in kept.items()]
    expect_none(wrong[:8], "an option leaves words out of one place and keeps them in another", expected="in no place")


@check(
    "OC-GOLD-054",
    scope="plugin",
    level=3,
    spec=("ENG-23", "QLT-2"),
    requires=("OC-GOLD-009",),
    hook="convert",
    vectors=GENERATED,
)
def what_a_limit_cuts_off_is_told(subject: Subject) -> None:
    """Where an option that limits the content cuts words off, the warning `partial_conversion` says so, or the document is refused.

    Options with whole numbers are tried with small ones if their name or description says that they are a limit.

    Fix:
    Add the warning `partial_conversion` where a limit was reached, also one that the user has set.
    """
    rules = _rules(subject, _LIMITS, ("integer",))
    if not rules:
        raise Inapplicable("the plugin declares no option that limits the content")
    wrong = []
    for name, rule in rules.items():
        least = rule.get("minimum", 1)
        for vector in _documents(subject):
            usual = _places(subject.convert_as_host(vector).conversion())
            for value in sorted({*_FEW, least} if isinstance(least, int) else set(_FEW)):
                given = _given(subject, vector, name, value)
                if given is None or any(one.code == DegradedFlag.PARTIAL_CONVERSION for one in given.warnings):
                    continue
                now = _places(given)
                lost = [word for place in ("the text", "the tables") for word in sorted(usual[place] - now[place])]
                if lost:
                    wrong.append(f"{vector.path}, {name} = {value}: {lost[:4]}")
    expect_none(wrong[:8], "an option cuts words off in silence", expected="the warning partial_conversion")
