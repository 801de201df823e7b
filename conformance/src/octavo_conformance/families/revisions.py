"""OC-IDEM on states of one document: a later one is converted as itself behind an earlier one, and an earlier one behind a later one."""

from __future__ import annotations

import time

from ..checks import GENERATED, check, expect_none
from ..evidence import page_texts
from ..subject import Subject
from ..targets import QUICK
from ..vectors import words_of
from ..vectors.document_revisions import make_revisions
from .determinism import expect_same

SECONDS = 10.0
"""Time for the formats of a plugin, after which no further one is begun."""


@check(
    "OC-IDEM-008",
    scope="plugin",
    level=3,
    spec=("ENG-6", "ENG-18"),
    requires=("OC-GOLD-009", "OC-IDEM-002", "OC-IDEM-007", "OC-DET-004"),
    hook="convert",
    deterministic=True,
    vectors=GENERATED,
)
def revisions_are_converted_as_themselves(subject: Subject) -> None:
    """A document that was saved again with changes has its own words behind its earlier state, and the Conversion that it has in front of it.

    Later states begin with the bytes of the earlier one, as a PDF with an incremental update or a text with more lines
    does, or share its title, author and parts.

    Fix:
    Let the hash of all bytes be the key of a cache, not the beginning of a file, its properties or an identifier that it states.
    """
    until = time.monotonic() + SECONDS
    for states in make_revisions(subject.seed, subject.media_types):
        if time.monotonic() > until:
            return
        series = states
        if subject.convert_as_host(series[-1]).seconds > QUICK:
            series = states[1:]
        ahead = [subject.convert_as_host(vector) for vector in reversed(series)][::-1]
        words = [set(words_of(" ".join(vector.expected.pages))) for vector in series]
        for place in (*range(len(series)), 0):
            vector = series[place]
            seen = subject.convert_again(vector, pool=subject.second_pool)
            found = set(words_of(" ".join(page_texts(seen.conversion()))))
            lost = sorted(words[place] - found)
            expect_none(lost[:12], f"{vector.path} lost its own words behind another state", expected="its words")
            others = set().union(*words) - words[place]
            expect_none(sorted(others & found)[:12], f"{vector.path} has words of another state")
            expect_same(seen, ahead[place], f"{vector.path} is converted in another way behind another state")
