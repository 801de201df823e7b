"""OC-CLS on several documents: a verdict depends on its own document, not on earlier ones and not on the process."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

from octavo_contracts import Category, DocumentClassification

from ..checks import GENERATED, check, expect_equal
from ..originals import AnyVector
from ..outside_calls import classify_each
from ..subject import Subject
from ..vectors import GoldenVector, load_golden
from ..vectors.hostile import load_hostile
from ..vectors.undecided import CONTINUED, MIXED, TEXT_TYPES, TYPED, make_alike_typed, make_typed, make_undecided

HASH_SEEDS = (11, 22)
V = TypeVar("V", bound=AnyVector)


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
    "OC-CLS-014",
    scope="plugin",
    level=2,
    spec=("CLS-7", "ENG-6"),
    requires=("OC-CLS-010",),
    hook="classify",
    vectors=GENERATED,
)
def documents_of_one_size_are_classified_each_for_itself(subject: Subject) -> None:
    """A long invoice, contract and letter of the same size get the same classifications in this order and in the opposite one.

    Fix:
    Let all bytes of a document decide what a cache holds: its hash, not its size or its name.
    """
    media_type = _text_type(subject)
    vectors = [] if media_type is None else make_alike_typed(subject.seed, media_type)
    answers = [subject.call("classify", {}, vector=vector).answer for vector in vectors]
    for vector, answer in zip(reversed(vectors), reversed(answers), strict=True):
        other = subject.call("classify", {}, vector=vector, pool=subject.second_pool)
        expect_equal(other.answer, answer, f"the classification of {vector.path} behind the ones that followed it")


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


@check(
    "OC-CLS-012",
    scope="plugin",
    level=2,
    spec=("CLS-2", "CLS-8"),
    requires=("OC-LOAD-004",),
    hook="classify",
    vectors=GENERATED,
)
def pages_of_typed_documents_are_counted(subject: Subject) -> None:
    """The page count of an invoice, a contract and a letter, if given, is correct, also if an editor saved a page again; none is a scan or signed.

    Fix:
    `has_signatures` is for signature fields; a line for a signature is text.
    Count the pages of the page tree, not the objects in the file: a file that was saved again has some of them twice.
    """
    for vector, verdict in _opinions(subject, make_typed(subject.seed, subject.media_types)):
        if verdict.page_count is not None:
            expect_equal(verdict.page_count, len(vector.expected.pages), f"the page count of {vector.path}")
        expect_equal(_is_scan(verdict), False, f"{vector.path} is a scan")
        expect_equal(bool(verdict.has_signatures), False, f"{vector.path} has signature fields")


@check(
    "OC-CLS-013",
    scope="plugin",
    level=2,
    spec=("CLS-2", "CLS-8"),
    requires=("OC-LOAD-004",),
    hook="classify",
    vectors=GENERATED,
)
def what_cannot_be_opened_is_no_scan(subject: Subject) -> None:
    """An encrypted, an empty and a foreign file get no opinion that they are scanned or of a document type: nothing of them was seen.

    Fix:
    Return None where the engine cannot open the document; leave its error to the converters.
    """
    for family in sorted({one.family for one in load_golden() if one.media_type in subject.media_types}):
        unopened = (vector for vector in load_hostile(family) if vector.kind in ("encrypted", "empty", "wrong_type"))
        for vector, verdict in _opinions(subject, unopened):
            expect_equal(_is_scan(verdict), False, f"{vector.path} is a scan")
            expect_equal(verdict.document_type, "unknown", f"the document type of {vector.path}")


def _opinions(subject: Subject, vectors: Iterable[V]) -> Iterator[tuple[V, DocumentClassification]]:
    """Yield the documents of which the plugin has an opinion, each with it."""
    for vector in vectors:
        answer = subject.call("classify", {}, vector=vector).answer
        if answer not in (None, "null"):
            yield vector, DocumentClassification.read(answer)


def _is_scan(verdict: DocumentClassification) -> bool:
    pages = any(page.needs_ocr or page.is_scanned for page in verdict.page_metadata)
    return pages or verdict.has_scanned_pages or verdict.category is Category.PDF_SCANNED


def _text_type(subject: Subject) -> str | None:
    """Return a media type of documents that are nothing but a text, if the plugin classifies one."""
    return next((one for one in TEXT_TYPES if one in subject.media_types), None)


def _texts(subject: Subject, forms: tuple[str, ...], *, name: str) -> list[GoldenVector]:
    """Generate texts of a type that the plugin classifies; none if it classifies no texts: these checks do not concern it."""
    media_type = _text_type(subject)
    return [] if media_type is None else make_undecided(subject.seed, forms, media_type=media_type, name=name)
