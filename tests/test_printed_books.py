"""What printed books have, read from PDFs by the default profile: an outline, an index in columns, marks of notes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import octavo
import pytest
from octavo_conformance.pdf_writer import PdfFile, PdfPage, show_lines, show_text

PROSE = (
    "The keepers of the coast sent these figures to the harbour board in the spring.",
    "Each gauge was read at dawn and at dusk, and the lower of the two was written down.",
    "No reading was taken while the ice stood against the piles of the outer mole.",
)
TERMS = (
    "abacus anchor aperture barometer beacon bearing bellows binnacle bollard boom bowsprit bulkhead buoy cabotage "
    "calibration capstan chart compass crest current datum davit depth dinghy dock draught drift ebb estuary fathom "
    "fender flood gauge gale halyard harbour helm hull isobar jetty keel knot latitude lead"
)


def prose(top: float) -> bytes:
    return show_lines(PROSE, y=top, size=10, leading=13)


def converted(folder: Path, data: bytes) -> octavo.ConvertedDocument:
    path = folder / "book.pdf"
    path.write_bytes(data)
    return octavo.convert(path)


def paged(*pages: PdfPage) -> bytes:
    return PdfFile(pages).to_bytes()


def outlined(pages: Sequence[PdfPage], entries: Sequence[tuple[str, int, int]]) -> bytes:
    """Return a file with an outline.

    Args:
        pages: of the file.
        entries: title, level from 1 and page from 1, in order.
    """
    first = 5  # object 4 is the root
    reserved = [b""]
    for at, (title, level, page) in enumerate(entries):
        below = [other for other in range(at + 1, len(entries)) if entries[other][1] <= level][:1]
        end = below[0] if below else len(entries)
        children = [other for other in range(at + 1, end) if entries[other][1] == level + 1]
        parents = [other for other in range(at) if entries[other][1] == level - 1]
        follower = f"/Next {first + end} 0 R" if below and entries[end][1] == level else ""
        kids = f"/First {first + children[0]} 0 R /Last {first + children[-1]} 0 R" if children else ""
        target = 3 + 1 + len(entries) + 2 * page
        parent = first + parents[-1] if parents else 4
        text = f"<FEFF{title.encode('utf-16-be').hex()}>"
        reserved.append(
            f"<< /Title {text} /Parent {parent} 0 R {follower} {kids} /Dest [{target} 0 R /Fit] >>".encode()
        )
    tops = [at for at, entry in enumerate(entries) if entry[1] == 1]
    reserved[0] = f"<< /Type /Outlines /First {first + tops[0]} 0 R /Last {first + tops[-1]} 0 R >>".encode()
    return PdfFile(pages, catalog="/Outlines 4 0 R").to_bytes(reserved=reserved)


def headings(markdown: str) -> list[str]:
    return [line for line in markdown.split("\n") if line.startswith("#")]


CHAPTERS = (
    PdfPage(
        show_text("Chapter 1", 72, 740, size=20)
        + show_text("The Painted Staff", 72, 712, size=14)
        + prose(685)
        + show_text("Where it stood", 72, 630, size=14)
        + prose(605)
        + show_text("The old pier", 72, 550, size=12)
        + prose(530)
    ),
    PdfPage(
        show_text("Chapter 2", 72, 740, size=20)
        + show_text("The Gauge that Wrote its", 72, 712, size=18)
        + show_text("Own Readings", 72, 690, size=18)
        + prose(660)
        + show_text("Its clock", 72, 600, size=18)
        + prose(575)
    ),
)
OUTLINE = (
    ("The Painted Staff", 1, 1),
    ("Where it stood", 2, 1),
    ("2 The Gauge that Wrote its Own Readings", 1, 2),
    ("Its clock", 2, 2),
)


def test_headings_have_the_levels_of_the_outline(tmp_path: Path) -> None:
    """The title of chapter 1 is as large as that of its section, and the section of chapter 2 larger than chapter 1."""
    made = converted(tmp_path, outlined(CHAPTERS, OUTLINE))
    assert headings(made.markdown) == [
        "# Chapter 1 The Painted Staff",
        "## Where it stood",
        "### The old pier",
        "# Chapter 2 The Gauge that Wrote its Own Readings",
        "## Its clock",
    ]


@pytest.mark.parametrize(
    "entries",
    [
        (("The Tide Tables", 1, 1), ("Their Makers", 2, 2)),
        (("Page 1", 1, 1), ("Page 2", 1, 2)),
        (("book-final.indd", 1, 1), ("book-final-2.indd", 1, 2)),
    ],
    ids=["titles that are not on their pages", "numbers of pages", "names of files"],
)
def test_an_outline_that_says_nothing_of_the_pages_changes_nothing(
    tmp_path: Path, entries: Sequence[tuple[str, int, int]]
) -> None:
    without = converted(tmp_path, paged(*CHAPTERS)).markdown
    assert converted(tmp_path, outlined(CHAPTERS, entries)).markdown == without


def test_an_index_in_two_columns_is_text_column_by_column(tmp_path: Path) -> None:
    entries = [
        f"{term}, {3 + 7 * at}" + f", {9 + 7 * at}\u2013{12 + 7 * at}" * (at % 3 == 1)
        for at, term in enumerate(TERMS.split())
    ]
    half = len(entries) // 2
    content = show_text("Index", 72, 740, size=18)
    content += show_lines(entries[:half], x=72, y=700, size=9, leading=12)
    content += show_lines(entries[half:], x=320, y=700, size=9, leading=12)
    made = converted(tmp_path, paged(PdfPage(content)))
    assert "|" not in made.markdown
    assert not made.result.quality_report.degraded_flags
    places = [made.markdown.index(entry) for entry in entries]
    assert places == sorted(places)


def test_a_table_with_labels_and_figures_stays_a_table(tmp_path: Path) -> None:
    """Its first column is in the order of the alphabet, as an index is."""
    rows = [(term, str(13 + 17 * at % 90), str(5 + 11 * at % 70)) for at, term in enumerate(TERMS.split()[:14])]
    content = show_text("Readings", 72, 740, size=18)
    for column, x in enumerate((72, 250, 400)):
        content += show_lines([row[column] for row in rows], x=x, y=700, size=10, leading=16)
    made = converted(tmp_path, paged(PdfPage(content)))
    assert made.markdown.count("\n|") >= len(rows)
