"""OC-CLS on several documents: a verdict depends on its own document, not on earlier ones and not on the process."""

from __future__ import annotations

from ..checks import GENERATED, check, expect_equal
from ..outside_calls import classify_each
from ..subject import Subject
from ..vectors import GoldenVector
from ..vectors.undecided import CONTINUED, MIXED, TEXT_TYPES, TYPED, make_undecided

HASH_SEEDS = (11, 22)


@check(
    "OC-CLS-010",
    scope="plugin",
    level=2,
    spec=("CLS-7",),
    requires=("OC-LOAD-004",),
    hook="classify",
    vectors=GENERATED,
)
def earlier_documents_decide_nothing(subject: Subject) -> None:
    """A text that seems to continue another one is classified alike behind an invoice, a contract or a letter, and in a process that has seen none.

    Fix:
    Keep nothing of a document after the call; return None for a text that has no signs of its own.
    """
    typed = _texts(subject, TYPED, name="typed")
    for vector in _texts(subject, CONTINUED, name="continued"):
        alone = subject.call("classify", {}, vector=vector, pool=subject.second_pool)
        for before in typed:
            subject.call("classify", {}, vector=before)
            behind = subject.call("classify", {}, vector=vector)
            expect_equal(behind.answer, alone.answer, f"the classification of {vector.path} behind {before.path}")


@check(
    "OC-CLS-011",
    scope="plugin",
    level=2,
    spec=("CLS-7",),
    requires=("OC-LOAD-004",),
    hook="classify",
    vectors=GENERATED,
)
def undecided_texts_are_classified_alike(subject: Subject) -> None:
    """A text with signs of several types gets the same classification in processes with other hash seeds.

    Fix:
    Decide between equal types by a fixed order, not by the order of a set or a dictionary that was made from one.
    """
    vectors = _texts(subject, MIXED, name="undecided")
    first = [subject.call("classify", {}, vector=vector).answer for vector in vectors]
    for hash_seed in HASH_SEEDS:
        others = classify_each(subject, vectors, hash_seed=hash_seed)
        for vector, answer, other in zip(vectors, first, others, strict=True):
            expect_equal(other.answer, answer, f"the classification of {vector.path} in another process")


def _texts(subject: Subject, forms: tuple[str, ...], *, name: str) -> list[GoldenVector]:
    """Generate texts of a type that the plugin classifies; none if it classifies no texts: these checks do not concern it."""
    media_type = next((one for one in TEXT_TYPES if one in subject.manifest.media_types), None)
    return [] if media_type is None else make_undecided(subject.seed, forms, media_type=media_type, name=name)
