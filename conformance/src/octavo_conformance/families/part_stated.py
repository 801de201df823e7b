"""OC-GOLD on series of documents of which some state a title or an author, and others do not."""

from __future__ import annotations

from octavo_contracts import Capability

from ..checks import GENERATED, check, expect_none
from ..subject import Subject
from ..vectors.part_stated import make_part_stated


@check(
    "OC-GOLD-036",
    scope="plugin",
    level=3,
    spec=("ENG-23", "CNV-13"),
    requires=("OC-GOLD-006", "OC-GOLD-009", "OC-IDEM-007"),
    hook="convert",
    has=Capability.METADATA,
    vectors=GENERATED,
)
def properties_are_those_of_their_document(subject: Subject) -> None:
    """Read one after the other, documents that state a title, an author, or nothing have no title and no author of one before.

    Fix:
    Keep no properties between calls; leave out what a document does not state.
    """
    for series in make_part_stated(subject.seed, subject.media_types):
        before: dict[str, str] = {}
        for vector in series:
            metadata = subject.convert_as_host(vector).conversion().metadata
            told = {"title": metadata.title, "author": metadata.author}
            own = {vector.expected.title, vector.expected.author}
            taken = [f"{what} {text!r} of {before[text]}" for what, text in told.items() if text in before]
            expect_none(taken, f"{vector.path} has properties of another document", expected="its own, or none")
            before |= {text: vector.path for text in own if text is not None}
