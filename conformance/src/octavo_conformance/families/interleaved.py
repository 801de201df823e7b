"""OC-IDEM on a series of documents in one worker: many that look alike, and early ones again between later ones."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

from ..checks import GENERATED, check
from ..evidence import Observed
from ..subject import Subject
from ..vectors import GoldenVector
from ..vectors.fresh import make_alike, make_fresh
from .determinism import expect_same
from .unseen import expect_words

LEAST, MOST = 8, 28
"""Different documents of a series: at least, and of a plugin that is quick enough."""
SECONDS = 4.0
"""Time for a series, after which no further documents are converted."""
AGAIN = ((0, 5), (1, 10), (2, 25), (6, 10), (9, 5), (11, 15))
"""Places of documents in the series, and how many others are converted before they are converted again."""


@check(
    "OC-IDEM-007",
    scope="plugin",
    level=3,
    spec=("ENG-6", "ENG-18"),
    requires=("OC-GOLD-009", "OC-IDEM-003"),
    hook="convert",
    deterministic=True,
    vectors=GENERATED,
)
def a_series_of_documents_leaves_no_traces(subject: Subject) -> None:
    """Of up to 28 documents of equal size and beginning, converted in one worker, each has its own words and no others.

    Early ones that are converted again after 5, 10 and 25 others give the same Conversion, as do the worker's first documents.

    Fix:
    Let the hash of all bytes be the key of a cache; keep no texts, tables or counts of earlier documents.
    """
    first: dict[str, Observed] = {}
    for vector in _series(make_alike(subject.seed, subject.media_types, count=MOST)):
        seen = subject.convert_as_host(vector, again=True)
        if vector.path in first:
            expect_same(seen, first[vector.path], f"{vector.path} is converted in another way behind other documents")
        else:
            first[vector.path] = seen
            expect_words(subject, vector, seen.conversion())
    for vector in make_fresh(subject.seed, subject.media_types):
        if "/fresh." in vector.path and subject.convert_as_host(vector).seconds < SECONDS / MOST:
            seen = subject.convert_as_host(vector, again=True)
            expect_same(seen, subject.convert_as_host(vector), f"{vector.path} is converted in another way at last")


def _series(vectors: Sequence[GoldenVector]) -> Iterator[GoldenVector]:
    """Yield the documents, and some again."""
    until = time.monotonic() + SECONDS
    for number, vector in enumerate(vectors):
        if number >= LEAST and time.monotonic() > until:
            return
        yield vector
        yield from (vectors[place] for place, later in AGAIN if place + later == number)
