"""OC-ERR on fresh documents of more pages than a request allows: mailboxes, workbooks, captions, and whatever else has pages."""

from __future__ import annotations

from octavo_contracts import Capability, ContentTooLarge

from ..checks import GENERATED, Broken, Inapplicable, check
from ..evidence import describe
from ..subject import Subject
from ..targets import is_large
from ..vectors import GoldenVector
from ..vectors.fresh import make_fresh


@check(
    "OC-ERR-015",
    scope="plugin",
    level=3,
    spec=("ENG-7", "QLT-2"),
    requires=("OC-ERR-010", "OC-GOLD-009"),
    hook="convert",
    has=Capability.PAGES,
    vectors=GENERATED,
)
def no_document_is_cut_at_the_limit(subject: Subject) -> None:
    """Of each format a fresh document of more pages than `request.max_pages` is ContentTooLarge; one of as many pages converts.

    Messages of a mailbox, sheets of a workbook and blocks of captions are pages.

    Fix:
    Compare the number of pages with the limit and raise ContentTooLarge; cut nothing off.
    """
    found = _of_several_pages(subject)
    if not found:
        raise Inapplicable("the plugin gives no document of the suite more than one page")
    for vector, count in found:
        seen = subject.convert_again(vector, max_pages=count - 1)
        if not isinstance(seen.error, ContentTooLarge):
            pages = f"{len(seen.conversion().pages)} pages" if seen.answer is not None else describe(seen.error)
            raise Broken(
                f"{vector.path} has {count} pages, one more than the limit", expected="ContentTooLarge", actual=pages
            )
        seen = subject.convert_again(vector, max_pages=count)
        if seen.answer is None:
            raise Broken(
                f"{vector.path} has {count} pages, as many as the limit",
                expected="a Conversion",
                actual=describe(seen.error),
            )


def _of_several_pages(subject: Subject) -> list[tuple[GoldenVector, int]]:
    """Return the smallest document of each media type that has more than one page, and the number of its pages."""
    found: dict[str, tuple[GoldenVector, int]] = {}
    for vector in sorted(make_fresh(subject.seed, subject.media_types), key=lambda one: len(one.data)):
        if vector.media_type in found or is_large(vector):
            continue
        seen = subject.convert_as_host(vector)
        if seen.answer is not None and (count := len(seen.conversion().pages)) > 1:
            found[vector.media_type] = vector, count
    return list(found.values())
