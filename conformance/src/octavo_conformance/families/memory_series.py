"""OC-MEM on many different documents: a cache of what was read is limited, however many documents come."""

from __future__ import annotations

import hashlib
import time

from ..checks import GENERATED, Broken, check
from ..evidence import Facts, growth_mb
from ..subject import Subject
from ..targets import QUICK
from ..vectors import GoldenVector
from ..vectors.fresh import make_fresh
from .isolation import accumulating

COPIES = 16
"""Different documents that a worker reads one behind the other."""
LONGEST = 8.0
"""Seconds after which no other format is tried."""
LEAST_MB, SHARE = 2.5, 0.8
"""MiB that a worker may keep in any case, and the share of the documents' size above that."""


@check(
    "OC-MEM-005",
    scope="plugin",
    level=3,
    spec=("ENG-11", "ENG-13"),
    requires=("OC-MEM-002", "OC-FS-002", "OC-LOAD-004"),
    hook="convert",
    vectors=GENERATED,
)
def different_documents_are_not_kept(subject: Subject) -> None:
    """Sixteen large documents of different bytes, converted in one worker, increase neither its memory by their size nor its threads and files.

    Formats of which a large document takes longer than 0.7 seconds are left out.

    Fix:
    Limit the size of every cache, also of one that has the bytes or the text of a document as its key.
    Join threads and close files in a `finally`, whatever the size of a document.
    """
    until = time.monotonic() + LONGEST
    for vector in make_fresh(subject.seed, subject.media_types):
        if "/large." not in vector.path or time.monotonic() > until:
            continue
        # The first call may load the engine.
        if min(subject.convert_again(vector, pool=subject.second_pool).seconds for _ in range(2)) > QUICK:
            continue
        limit = max(LEAST_MB, SHARE * len(vector.data) * COPIES / 2 / 2**20)
        facts = _converted(subject, vector, first=1)
        for what, counts in (accumulating(facts) if facts else {}).items():
            raise Broken(f"{what} accumulate with {vector.family}", expected=f"about {counts[0]}", actual=counts[-1])
        growth = growth_mb(facts)
        if growth > limit:
            # An allocator may grow once; a leak keeps growing.
            growth = min(growth, growth_mb(_converted(subject, vector, first=COPIES + 1)))
        if growth > limit:
            raise Broken(
                f"the worker's memory grows with each {vector.family} document",
                expected=f"under {limit:.0f} MiB in half of {COPIES} calls",
                actual=f"{growth:.0f} MiB",
            )


def _converted(subject: Subject, vector: GoldenVector, *, first: int) -> list[Facts]:
    """Convert copies of a document, and return the side effects; none if a call has none. `first`: number of the first copy."""
    facts: list[Facts] = []
    for number in range(first, first + COPIES):
        seen = subject.convert_again(_copy(vector, number), pool=subject.second_pool)
        if seen.facts is None:
            return []
        facts.append(seen.facts)
    return facts


def _copy(vector: GoldenVector, number: int) -> GoldenVector:
    """Return a document with the same content and other bytes: with the comment of an archive, or with blanks at its end."""
    data = vector.data
    if data.startswith(b"PK"):
        data = data[:-2] + number.to_bytes(2, "little") + b"c" * number
    else:
        data += b"\n" * number
    folder, _, name = vector.path.partition("/")
    changed = {"path": f"{folder}/copy-{number}-{name}", "data": data, "sha256": hashlib.sha256(data).hexdigest()}
    return vector.model_copy(update=changed)
