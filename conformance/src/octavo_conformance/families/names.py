"""OC-DET on names and neighbours: a document is converted as what it is, whatever it is called and whatever came before it."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from ..checks import GENERATED, check
from ..evidence import Observed
from ..subject import Subject
from ..targets import QUICK
from ..vectors import GoldenVector
from ..vectors.fresh import make_fresh
from ..vectors.words import Words
from .determinism import expect_same

NAMES = ("invoice 2019 test", "README", "scan-0001 DRAFT final (1)")
"""Names that would tell what a document is, if names did."""
DATED = (
    "{0}-{1}-{2} {3}", "scan_{0}{1}{2}_093000", "statement_{0}.{1}.{2}", "{3} {2}.{1}.{0}", "{2} {4} {0} - {3} {5} - annual report",
    "{5}, {3} - letter of {4} {2}, {0}", "IMG-{0}{1}{2}-0001", "{0}_{1}_{2}", "{3} ({0})", "{4}-{0}",
)  # fmt: skip
"""Names by which scans, downloads and filing systems tell a date, an author and a title: year, month, day, a name, the name of the month, a name."""
MONTHS = ("January", "March", "May", "August", "October", "December")
LEAST_DATED = 2
"""Names with dates for each format of a plugin that reads many."""
ATTEMPTS = 5
"""Most pairs of calls until one process answers both."""
AGES = (86_400, 2_000_000_000)
"""Times of the last change of a file: the beginning of 1970, and the year 2033."""


@check(
    "OC-DET-007",
    scope="plugin",
    level=3,
    spec=("ENG-18", "QLT-2"),
    requires=("OC-DET-004", "OC-IDEM-002", "OC-GOLD-009"),
    hook="convert",
    vectors=GENERATED,
    deterministic=True,
)
def names_and_neighbours_decide_nothing(subject: Subject) -> None:
    """A fresh document is converted in the same way under other names, with another date of its file, and after another document of the same name and size.

    So is one with a title and an author under names with dates and words. The name may be in the Conversion: a converter may use it as the name of a sheet.

    Fix:
    Let the bytes of a document decide what a cache holds, not its name, size or date.
    Derive nothing from a name: it may be wrong, and it is the user's.
    """
    vectors = make_fresh(subject.seed, subject.media_types)
    pool = subject.second_pool  # of one process, in which a cache would be found again
    twins = {one.family: one for one in vectors if "/twin." in one.path}
    dated = _dated(subject.seed)
    share = max(LEAST_DATED, len(dated) // len(twins)) if twins else 0
    for place, vector in enumerate(one for one in vectors if "/fresh." in one.path):
        wanted = _nameless(subject, vector, subject.convert_as_host(vector))
        twin = _nameless(subject, twins[vector.family], subject.convert_as_host(twins[vector.family]))
        # Of several formats each has other ones of the names with dates.
        count = share if subject.convert_as_host(vector).seconds < QUICK else 1
        turned = [dated[(place * share + at) % len(dated)] for at in range(count)]
        for number, name in enumerate((*NAMES, *turned)):
            _age(subject, vector, AGES[number % 2])
            found = _nameless(subject, vector, subject.convert_again(vector, pool=pool, name=name), name)
            expect_same(found, wanted, f"{vector.path} is converted in another way as {name!r}")
        _age(subject, twins[vector.family], AGES[number % 2])
        other = _behind(subject, vector, twins[vector.family], name)
        expect_same(
            other, twin, f"the twin of {vector.path}, of the same name, size and date, is converted as the other"
        )

    for vector in (one for one in vectors if "/rare." in one.path):
        if subject.convert_as_host(vector).seconds > QUICK:
            continue
        wanted = _nameless(subject, vector, subject.convert_as_host(vector))
        for name in dated[:2]:
            found = _nameless(subject, vector, subject.convert_again(vector, pool=pool, name=name), name)
            expect_same(found, wanted, f"{vector.path} is converted in another way as {name!r}")


def _dated(seed: int) -> list[str]:
    """Return names with dates and words, in the order of the seed."""
    words = Words(seed)
    n = words.dice.randint
    names = [
        form.format(
            n(1990, 2029),
            f"{n(1, 12):02}",
            f"{n(1, 28):02}",
            words.word().title(),
            words.dice.choice(MONTHS),
            words.word().title(),
        )
        for form in DATED
    ]
    words.dice.shuffle(names)
    return names


def _behind(subject: Subject, vector: GoldenVector, twin: GoldenVector, name: str) -> Observed:
    """Convert the twin of a vector, under the name of the vector, in the process that has just converted the vector."""
    pool = subject.second_pool
    for attempt in range(ATTEMPTS):
        # Another name each time: a new process may have met the twin first.
        called = f"{name} {attempt}"
        before = subject.convert_again(vector, pool=pool, name=called)
        seen = subject.convert_again(twin, pool=pool, name=called)
        # A host replaces a worker after some hundred calls, and a cache does not survive that.
        if before.facts is None or seen.facts is None or before.facts.process == seen.facts.process:
            break
    return _nameless(subject, twin, seen, called)


def _nameless(subject: Subject, vector: GoldenVector, seen: Observed, name: str | None = None) -> Observed:
    stem = name or subject.original(vector).path.stem
    return replace(seen, answer=seen.answer and seen.answer.replace(stem, "NAME"))


def _age(subject: Subject, vector: GoldenVector, seconds: int) -> None:
    path: Path = subject.original(vector).path
    os.utime(path, (seconds, seconds))
