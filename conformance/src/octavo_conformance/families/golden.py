"""OC-GOLD: words, headings, cells and metadata are correct for documents with known content."""

from __future__ import annotations

from difflib import SequenceMatcher

from octavo_contracts import Capability

from ..checks import Broken, check, expect_equal, expect_none
from ..subject import Subject
from ..truth import compare_words, expect_headings, expect_tables
from ..vectors import GoldenVector, words_of

_READS = ("OC-SCHEMA-002",)


@check(
    "OC-GOLD-001",
    scope="golden",
    level=3,
    spec=("QLT-2",),
    requires=_READS,
    hook="convert",
    has=Capability.HIDDEN_TEXT,
    vectors="hidden",
)
def hidden_text_is_kept_apart(subject: Subject, vector: GoldenVector) -> None:
    """Text that is invisible to readers is in `hidden_text`, not in the text or the markdown.

    Fix:
    Check render mode, colour, size, style and position, and move invisible text to Page.hidden_text.
    """
    conversion, texts = subject.texts(vector)
    kept = " ".join(hidden.text for page in conversion.pages for hidden in page.hidden_text)
    for phrase in vector.expected.hidden:
        if phrase in texts.canonical.text or phrase in texts.markdown:
            raise Broken("hidden text is in the content", expected=f"{phrase!r} in hidden_text", actual="in the text")
        expect_equal(words_of(phrase)[0] in words_of(kept), True, f"{phrase!r} in hidden_text")


@check("OC-GOLD-002", scope="golden", level=3, spec=("CNV-11",), requires=_READS, hook="convert", vectors="absent")
def furniture_is_left_out(subject: Subject, vector: GoldenVector) -> None:
    """Scripts, styles and templates are not part of the content.

    Fix:
    Drop the elements whose text is not meant for readers.
    """
    _, texts = subject.texts(vector)
    found = [text for text in vector.expected.absent if text in texts.canonical.text]
    expect_none(found, "text that is not content is in the text")


@check(
    "OC-GOLD-003",
    scope="golden",
    level=3,
    spec=("QLT-2", "DIG-6"),
    requires=(*_READS, "OC-GOLD-001", "OC-GOLD-002", "OC-SPAN-001"),
    hook="convert",
    vectors="exact",
)
def words_are_right(subject: Subject, vector: GoldenVector) -> None:
    """Every word of the document appears once, in reading order, and no word is invented.

    Fix:
    Compare Page.text with the vector; order and words are most often lost in columns, cells and hyphens.
    """
    _, texts = subject.texts(vector)
    wanted = [word for page in vector.expected.pages for word in words_of(page)]
    unseen = (
        set()
        if Capability.HIDDEN_TEXT in subject.manifest.capabilities
        else set(words_of(" ".join(vector.expected.hidden)))
    )
    allowed = set(vector.expected.allowed) | unseen
    found = [word for span in texts.canonical.pages for word in words_of(span.of(texts.canonical.text))]
    lost, invented = compare_words(found, wanted, allowed)
    if lost or invented:
        raise Broken("words differ", expected=lost or "no other word", actual=invented or "omitted")


@check(
    "OC-GOLD-004",
    scope="golden",
    level=3,
    spec=("CNV-11", "CNV-6"),
    requires=_READS,
    hook="convert",
    has=Capability.HEADINGS,
    vectors="headings",
)
def headings_are_right(subject: Subject, vector: GoldenVector) -> None:
    """The document's headings are the markdown's headings, in order.

    Fix:
    Write headings as `# text` lines in Page.markdown.
    """
    expect_headings(subject.convert(vector).conversion(), vector)


@check(
    "OC-GOLD-005",
    scope="golden",
    level=3,
    spec=("CNV-7", "CNV-2"),
    requires=_READS,
    hook="convert",
    has=Capability.TABLES,
    vectors="tables",
)
def cells_are_right(subject: Subject, vector: GoldenVector) -> None:
    """Every table is returned as a grid, cell by cell; the text of a merged cell is in its top left cell.

    Fix:
    Fill Page.tables in addition to the markdown, with an empty text for a cell without content.
    """
    expect_tables(subject.convert(vector).conversion(), vector)


@check(
    "OC-GOLD-006",
    scope="golden",
    level=3,
    spec=("ENG-23",),
    requires=_READS,
    hook="convert",
    has=Capability.METADATA,
    vectors="title",
)
def metadata_is_right(subject: Subject, vector: GoldenVector) -> None:
    """Title and author are those stated in the document.

    Fix:
    Fill DocumentMetadata from the document's own properties, never from its file name.
    """
    metadata = subject.convert(vector).conversion().metadata
    expect_equal(metadata.title, vector.expected.title, "the title")
    if vector.expected.author is not None:
        expect_equal(metadata.author, vector.expected.author, "the author")


@check(
    "OC-GOLD-007",
    scope="golden",
    level=3,
    spec=("STO-1",),
    requires=_READS,
    hook="convert",
    has=Capability.ATTACHMENTS,
    vectors="attachments",
)
def attachments_are_right(subject: Subject, vector: GoldenVector) -> None:
    """Documents inside the document are returned with their names and the hash of their bytes.

    Fix:
    Return an Attachment with the decoded bytes for every part that is a file.
    """
    found = [(item.name, item.sha256) for item in subject.convert(vector).conversion().attachments]
    expect_equal(found, [(item.name, item.sha256) for item in vector.expected.attachments], "the attachments")


@check(
    "OC-GOLD-008",
    scope="golden",
    level=3,
    spec=("QLT-2", "QLT-3"),
    requires=(*_READS, "OC-GOLD-002"),
    hook="convert",
    vectors="phrases",
)
def natural_documents_are_told(subject: Subject, vector: GoldenVector) -> None:
    """The conversion of a natural document has the required phrases, and its words are similar to a person's reading.

    Fix:
    Convert the vector and compare it with the text file beside it: columns, cells and lists lose order first.
    """
    _, texts = subject.texts(vector)
    found = [word.lower() for span in texts.canonical.pages for word in words_of(span.of(texts.canonical.text))]
    flowing = f" {' '.join(found)} "
    lost = [phrase for phrase in vector.expected.phrases if f" {' '.join(words_of(phrase.lower()))} " not in flowing]
    expect_none(lost, "phrases are missing")
    wanted = [word.lower() for page in vector.expected.pages for word in words_of(page)]
    likeness = SequenceMatcher(None, wanted, found, autojunk=False).ratio()
    if likeness < (vector.expected.floor or 0.0):
        raise Broken(
            "the words differ too much", expected=f"at least {vector.expected.floor}", actual=f"{likeness:.3f}"
        )


@check(
    "OC-GOLD-016",
    scope="golden",
    level=3,
    spec=("CNV-12",),
    requires=(*_READS, "OC-PAGE-001"),
    hook="convert",
    has=Capability.PAGES,
    vectors="page_count",
)
def stated_pages_are_there(subject: Subject, vector: GoldenVector) -> None:
    """A document has as many pages as are stated for it.

    Fix:
    Return a Page for every page, slide or sheet, including empty ones.
    """
    expect_equal(len(subject.convert(vector).conversion().pages), vector.expected.page_count, "the number of pages")


@check(
    "OC-GOLD-017",
    scope="golden",
    level=3,
    spec=("CNV-7",),
    requires=_READS,
    hook="convert",
    has=Capability.TABLES,
    vectors="cells",
)
def stated_cells_are_there(subject: Subject, vector: GoldenVector) -> None:
    """Each cell that is stated for a document is a cell of one of its tables.

    Fix:
    Fill Page.tables in addition to the markdown, one text for each cell.
    """
    pages = subject.convert(vector).conversion().pages
    found = {cell for page in pages for table in page.tables for row in table.rows for cell in row}
    expect_none([cell for cell in vector.expected.cells if cell not in found], "cells are missing")
