"""OC-CLS: a plugin's verdict on what a document is."""

from __future__ import annotations

from octavo_contracts import DocumentClassification

from ..checks import Broken, check, expect_equal
from ..evidence import Observed, describe
from ..subject import Subject
from ..vectors import GoldenVector


def _verdict(seen: Observed) -> DocumentClassification | None:
    """The verdict, or None where the plugin has no opinion.

    Raises:
        Broken: it raised, or answered something malformed.
    """
    if seen.answer == "null":
        return None
    verdict: DocumentClassification = seen.read(DocumentClassification)
    return verdict


@check("OC-CLS-001", scope="golden", level=1, spec=("CLS-2",), requires=("OC-LOAD-004",), hook="classify")
def verdict_or_nothing(subject: Subject, vector: GoldenVector) -> None:
    """`classify` returns a DocumentClassification, or None where it has no opinion; it raises nothing for a good document.

    Fix:
    Return None for documents that the plugin does not know.
    """
    seen = subject.call("classify", {}, vector=vector)
    if seen.error is not None:
        raise Broken("it raises", expected="a verdict or None", actual=describe(seen.error))
    _verdict(seen)


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
    """The page count, where one is given, is the document's.

    Fix:
    Leave `page_count` null where the plugin does not count.
    """
    verdict = _verdict(subject.call("classify", {}, vector=vector))
    if verdict is not None and verdict.page_count is not None:
        expect_equal(verdict.page_count, len(vector.expected.pages), "the page count")


@check("OC-CLS-003", scope="golden", level=2, spec=("CLS-7",), requires=("OC-CLS-001",), hook="classify")
def verdicts_are_deterministic(subject: Subject, vector: GoldenVector) -> None:
    """The verdict on the same bytes is the same.

    Fix:
    Classify from the bytes alone, without sampling by chance.
    """
    first, second = (subject.call("classify", {}, vector=vector).answer for _ in range(2))
    expect_equal(second, first, "two verdicts on one document")
