"""OC-CLS: the classification of a document by a plugin."""

from __future__ import annotations

from octavo_contracts import DocumentClassification

from ..checks import Broken, Unproven, check, expect_equal
from ..evidence import Observed, describe
from ..subject import Subject
from ..vectors import GoldenVector

_SILENT = "it has no opinion of the document"


def _verdict(seen: Observed) -> DocumentClassification | None:
    """Return the classification, or None if the plugin has no opinion.

    Raises:
        Broken: the hook raised, or its answer is malformed.
    """
    if seen.answer == "null":
        return None
    verdict: DocumentClassification = seen.read(DocumentClassification)
    return verdict


@check("OC-CLS-001", scope="golden", level=1, spec=("CLS-2",), requires=("OC-LOAD-004",), hook="classify")
def verdict_or_nothing(subject: Subject, vector: GoldenVector) -> None:
    """`classify` returns a DocumentClassification, or None if it has no opinion; it does not raise for a valid document.

    Fix:
    Return None for documents that the plugin does not know.
    """
    seen = subject.call("classify", {}, vector=vector)
    if seen.error is not None:
        raise Broken("the hook raised an error", expected="a classification or None", actual=describe(seen.error))
    if _verdict(seen) is None:
        raise Unproven(_SILENT)


@check(
    "OC-CLS-002",
    scope="golden",
    level=2,
    spec=("CLS-2", "CLS-8"),
    requires=("OC-CLS-001",),
    hook="classify",
    vectors="paginated",
)
def pages_are_counted(subject: Subject, vector: GoldenVector) -> None:
    """The page count, if given, is correct.

    Fix:
    Leave `page_count` null if the plugin does not count pages.
    """
    verdict = _verdict(subject.call("classify", {}, vector=vector))
    if verdict is None:
        raise Unproven(_SILENT)
    if verdict.page_count is not None:
        expect_equal(verdict.page_count, len(vector.expected.pages), "the page count")


@check("OC-CLS-003", scope="golden", level=2, spec=("CLS-7",), requires=("OC-CLS-001",), hook="classify")
def verdicts_are_deterministic(subject: Subject, vector: GoldenVector) -> None:
    """The same bytes get the same classification.

    Fix:
    Classify from the bytes alone, without random sampling.
    """
    first, second = (subject.call("classify", {}, vector=vector).answer for _ in range(2))
    if first == second == "null":
        raise Unproven(_SILENT)
    expect_equal(second, first, "the second classification of one document")
