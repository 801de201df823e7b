"""OC-CLS: the classification of a document by a plugin."""

from __future__ import annotations

from octavo_contracts import Category, DocumentClassification

from ..checks import Broken, Unproven, check, expect_equal, expect_none
from ..evidence import Observed, describe
from ..subject import Subject
from ..vectors import GoldenVector

CATEGORIES: dict[str, tuple[Category, ...]] = {
    "csv": (Category.SPREADSHEET, Category.PLAINTEXT),
    "docx": (Category.WORD,),
    "odt": (Category.WORD,),
    "pdf": (Category.PDF_TEXT, Category.PDF_VISUAL, Category.PDF_SCANNED),
    "png": (Category.IMAGE,),
    "pptx": (Category.PRESENTATION,),
    "rtf": (Category.WORD,),
    "wav": (Category.AUDIO,),
    "xlsx": (Category.SPREADSHEET,),
}
"""Categories of each family of vectors; of any other, plain text."""
NAMES = ("invoice 2019 signed", "subpoena", "thesis-draft", "Contract_final", "annual report letter minutes CV")
"""Names that would tell what a document is, if names did."""
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


@check("OC-CLS-004", scope="golden", level=2, spec=("CLS-2", "CLS-8"), requires=("OC-CLS-001",), hook="classify")
def categories_fit_the_format(subject: Subject, vector: GoldenVector) -> None:
    """The category is one that documents of this format have.

    Fix:
    Return the category of what the file is; what the document is about belongs into `document_type`.
    """
    verdict = _verdict(subject.call("classify", {}, vector=vector))
    if verdict is None:
        raise Unproven(_SILENT)
    allowed = CATEGORIES.get(vector.family, (Category.PLAINTEXT,))
    if verdict.category not in allowed:
        raise Broken(
            "the category is of another format", expected=[one.value for one in allowed], actual=verdict.category
        )


@check(
    "OC-CLS-005",
    scope="golden",
    level=2,
    spec=("CLS-7", "CLS-8"),
    requires=("OC-CLS-003",),
    hook="classify",
    vectors="family",
)
def names_decide_nothing(subject: Subject, vector: GoldenVector) -> None:
    """A document gets the same classification under other names; only the extension may count.

    Fix:
    Read the content of the document: a name may be wrong, and it is the user's.
    """
    seen = subject.call("classify", {}, vector=vector)
    for name in NAMES:
        other = subject.call("classify", {}, vector=vector, name=name)
        expect_equal(other.answer, seen.answer, f"the classification of the same document, called {name}")
    if seen.answer == "null":
        raise Unproven(_SILENT)


@check("OC-CLS-006", scope="fresh", level=3, spec=("CLS-2",), requires=("OC-CLS-002", "OC-CLS-004"), hook="classify")
def unseen_documents_are_counted(subject: Subject, vector: GoldenVector) -> None:
    """A document generated for this run gets a category of its format, and its page count, if given, is correct.

    Fix:
    Count what the document says, also in a large one; leave `page_count` null if the plugin does not count pages.
    """
    seen = subject.call_once("classify", {}, vector=vector, key=vector.path)
    if seen.error is not None:
        raise Broken("the hook raised an error", expected="a classification or None", actual=describe(seen.error))
    verdict = _verdict(seen)
    if verdict is None:
        raise Unproven(_SILENT)
    allowed = set(CATEGORIES.get(vector.family, (Category.PLAINTEXT,))) - {Category.PDF_SCANNED}  # all have text
    expect_equal(verdict.category in allowed, True, "a category of its format")
    if verdict.page_count is not None and vector.expected.paginated:
        expect_equal(verdict.page_count, len(vector.expected.pages), "the page count")


@check(
    "OC-CLS-007",
    scope="fresh",
    level=3,
    spec=("CLS-2",),
    requires=("OC-CLS-006",),
    hook="classify",
)
def complete_structures_are_complete(subject: Subject, vector: GoldenVector) -> None:
    """A structure that says that it is complete has each heading, link, table, cell with text, note, comment and change of a document, small or large.

    Fix:
    Set `is_complete` to false where a limit ends the count, and where a kind of part is not counted.
    """
    verdict = _verdict(subject.call_once("classify", {}, vector=vector, key=vector.path))
    if verdict is None:
        raise Unproven(_SILENT)
    structure, expected = verdict.structure, vector.expected
    if structure is None or not structure.is_complete:
        return
    parts = {
        "heading": expected.headings,
        "link": [
            target for _, target in expected.links if not target.startswith("tel:")
        ],  # a number, as its label says
        "table": () if expected.page_kind == "sheet" else expected.tables,  # a sheet is no part of a sheet
        "note": expected.notes,
        "comment": expected.comments,
        "change": expected.deleted,
    }
    for kind, wanted in parts.items():
        found = structure.count(kind)
        if found < len(wanted):
            what = f"parts of the kind {kind} are missing in a structure that says that it is complete"
            raise Broken(what, expected=len(wanted), actual=found)
    cells = sum(bool(cell) for table in expected.tables for row in table for cell in row)
    if structure.count("cell") < cells:
        what = "cells with text are missing in a structure that says that it is complete"
        raise Broken(what, expected=cells, actual=structure.count("cell"))


TYPELESS = frozenset({"docx", "html", "md", "pdf", "sheaf", "txt"})
"""Families of which a document of made-up words is of no type: a mail is a letter, a workbook a table."""


@check(
    "OC-CLS-008",
    scope="fresh",
    level=3,
    spec=("CLS-2",),
    requires=("OC-CLS-006", "OC-CLS-005"),
    hook="classify",
)
def words_without_meaning_have_no_type(subject: Subject, vector: GoldenVector) -> None:
    """A fresh document of words that mean nothing gets no document type with a confidence of 0.5 or more, and no page that needs recognition.

    Fix:
    Give a type where its own signs are found; what a document is not does not make it another one.
    """
    verdict = _verdict(subject.call_once("classify", {}, vector=vector, key=vector.path))
    if verdict is None or vector.family not in TYPELESS or "/mixed." in vector.path:
        raise Unproven(_SILENT)
    if verdict.document_type != "unknown" and verdict.classification_confidence >= 0.5:
        raise Broken("words without meaning have a type", expected="unknown", actual=verdict.document_type)
    if all(vector.expected.pages):
        expect_equal(verdict.has_scanned_pages, False, "pages that need recognition")


@check(
    "OC-CLS-009",
    scope="fresh",
    level=3,
    spec=("CLS-2",),
    requires=("OC-CLS-006",),
    hook="classify",
    vectors="paginated",
)
def facts_are_those_of_their_pages(subject: Subject, vector: GoldenVector) -> None:
    """What is told of single pages of a fresh document is true of each: more text is denser, an empty page has none.

    Fix:
    Tell nothing of pages that you did not look at.
    """
    verdict = _verdict(subject.call_once("classify", {}, vector=vector, key=vector.path))
    if verdict is None:
        raise Unproven(_SILENT)
    sizes = dict(enumerate(map(len, vector.expected.pages), start=1))
    told = {one.page_number: one.text_density for one in verdict.page_metadata if one.page_number in sizes}
    full = [density / sizes[number] for number, density in told.items() if sizes[number]]
    if not full:
        return
    usual = sorted(full)[len(full) // 2]
    odd = [
        f"page {number}: {density:.5f} for {sizes[number]} letters"
        for number, density in told.items()
        if not usual * sizes[number] / 1.5 <= density <= usual * sizes[number] * 1.5
    ]
    expect_none(odd[:8], "densities are not those of their pages", expected=f"about {usual:.7f} for each letter")
