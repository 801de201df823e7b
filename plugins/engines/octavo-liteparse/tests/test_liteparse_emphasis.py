"""Emphasis and links of single words of a line. On documents made byte for byte."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from octavo_conformance.hook_calls import ConvertCall
from octavo_conformance.pdf_writer import PdfFile, PdfPage
from octavo_liteparse import plugin

FONTS = tuple(
    b"<< /Type /Font /Subtype /Type1 /BaseFont /%s /Encoding /WinAnsiEncoding >>" % name
    for name in (b"Helvetica-Bold", b"Helvetica-Oblique")
)
PLAIN, BOLD, ITALIC = "F1", "F2", "F3"
RESOURCES = "/Font << /F1 3 0 R /F2 4 0 R /F3 5 0 R >>"
NARROW = (
    dict.fromkeys("ijl", 222)
    | dict.fromkeys("ft .,:", 278)
    | {"r": 333, "m": 833, "w": 722}
    | dict.fromkeys("ckvxyzs", 500)
)
"""Widths of letters of Helvetica, in thousandths of its size; those of the others are about 556."""
REST = [
    "She keeps the gauge at the harbour, and reads the records of a day",
    "before the ferry leaves. Her reports are printed each month.",
]


@pytest.fixture
def convert(tmp_path: Path) -> ConvertCall:
    """Converts bytes; keyword arguments go to the request."""
    return ConvertCall(plugin.convert, tmp_path, media_type="application/pdf", name="sample.pdf")


def line(y: float, *pieces: tuple[str, str], x: float = 72) -> bytes:
    """A line of pieces, each a font and a text, one right behind the other."""
    shown = "".join(
        f"/{font} 12 Tf ({text.replace('(', chr(92) + '(').replace(')', chr(92) + ')')}) Tj " for font, text in pieces
    )
    return f"BT 1 0 0 1 {x} {y} Tm {shown}ET\n".encode("cp1252")


def lines(y: float, texts: Sequence[str], *, x: float = 72) -> bytes:
    """Plain lines, 14 points apart."""
    return b"".join(line(y - 14 * place, (PLAIN, text), x=x) for place, text in enumerate(texts))


def markdown_of(convert: ConvertCall, content: bytes, *, extra: str = "", rotate: int = 0) -> str:
    """Of a document with one page."""
    page = PdfPage(content, resources=RESOURCES, extra=extra, rotate=rotate)
    (read,) = convert(PdfFile([page]).to_bytes(reserved=FONTS)).pages
    return read.markdown


def test_only_the_bold_words_of_a_list_item_are_bold(convert: ConvertCall) -> None:
    """The rest of their line is in the font of the text."""
    content = line(700, (PLAIN, "•")) + line(
        700, (BOLD, "Tide gauge (north): "), (PLAIN, "built in the spring, it has"), x=90
    )
    content += lines(686, ["a float in a tube and a pen that writes each minute."], x=90)
    content += line(672, (PLAIN, "•")) + line(672, (BOLD, "Seal count: "), (PLAIN, "made at low water from the"), x=90)
    content += lines(658, ["pier, in each month of the year, by the same keeper."], x=90)

    assert markdown_of(convert, content) == (
        "- **Tide gauge (north):** built in the spring, it has a float in a tube and a pen that writes each minute.\n"
        "- **Seal count:** made at low water from the pier, in each month of the year, by the same keeper."
    )


def test_a_bold_bullet_makes_no_list_item_bold(convert: ConvertCall) -> None:
    texts = ["Seals are counted at low water.", "The light is lit at dusk."]
    content = b"".join(
        line(700 - 16 * place, (BOLD, "\u2022")) + line(700 - 16 * place, (PLAIN, text), x=90)
        for place, text in enumerate(texts)
    )
    assert markdown_of(convert, content) == "\n".join(f"- {text}" for text in texts)


def test_a_paragraph_with_a_bold_beginning_stays_whole(convert: ConvertCall) -> None:
    """A line whose first words are bold is no paragraph of its own."""
    content = line(700, (BOLD, "Cornelia Sand "), (PLAIN, "was made keeper of the light in 2019 by the council of"))
    content += lines(686, ["the harbour, which had no keeper for two years before that day.", *REST])

    assert markdown_of(convert, content) == (
        "**Cornelia Sand** was made keeper of the light in 2019 by the council of the harbour, which had no keeper for two "
        f"years before that day. {' '.join(REST)}"
    )


def test_words_in_italics_stand_between_plain_ones(convert: ConvertCall) -> None:
    content = line(
        700,
        (ITALIC, "The Harbour Gauge"),
        (PLAIN, ", a paper of the town, and "),
        (ITALIC, "The Light"),
        (PLAIN, " print"),
    )
    content += lines(686, ["the records of each month on their last page."])

    assert markdown_of(convert, content) == (
        "*The Harbour Gauge*, a paper of the town, and *The Light* print the records of each month on their last page."
    )


def test_a_paragraph_that_is_bold_throughout_keeps_its_marks_around_it(convert: ConvertCall) -> None:
    """A bold line above a paragraph is not joined with it."""
    content = lines(720, REST) + line(680, (BOLD, "Item 3. Legal proceedings of the harbour.")) + lines(650, REST)

    found = markdown_of(convert, content).split("\n\n")
    assert found[0] == found[2] == " ".join(REST)
    assert found[1].lstrip("# ").strip("*") == "Item 3. Legal proceedings of the harbour."


def width_of(text: str) -> float:
    """Width of a text in Helvetica, in points; about."""
    return sum(NARROW.get(letter, 556) for letter in text) * 12 / 1000


def link_over(before: str, text: str, target: str, *, is_turned: bool = False) -> str:
    """A link annotation on a text that stands behind another one on the line at 700 points."""
    left = 72 + width_of(before)
    right = left + width_of(text)
    # On the page that is written sideways the line is at 500 points.
    rect = (612 - 509, left, 612 - 497, right) if is_turned else (left, 697, right, 709)
    return f"<< /Type /Annot /Subtype /Link /Rect [{' '.join(map(str, rect))}] /A << /S /URI /URI ({target}) >> >>"


LINKED = [
    "the gauge was made by debian for unix, and has many users",
    "at once. They read its records in the evening, on the pier.",
]
WITH_LINKS = (
    "the gauge was made by [debian](https://debian.example/) for [unix](https://unix.example/a_b), and has many users "
    "at once. They read its records in the evening, on the pier."
)


def two_links(*, is_turned: bool = False) -> str:
    """Links on two words of the first line of `LINKED`."""
    debian, unix = (LINKED[0].split(word)[0] for word in ("debian", "unix"))
    first = link_over(debian, "debian", "https://debian.example/", is_turned=is_turned)
    return first + link_over(unix, "unix", "https://unix.example/a_b", is_turned=is_turned)


def test_a_link_is_on_its_words_alone(convert: ConvertCall) -> None:
    """Each of two links on one line has its own words and its own target; the comma behind is no part of it."""
    assert markdown_of(convert, lines(700, LINKED), extra=f"/Annots [{two_links()}]") == WITH_LINKS


def test_a_sign_in_a_linked_word_is_that_of_the_page(convert: ConvertCall) -> None:
    """The word is found in the text of the page without the marks of its link."""
    first = LINKED[0].replace("unix,", "unix\u2019s,")
    found = markdown_of(convert, lines(700, [first, LINKED[1]]), extra=f"/Annots [{two_links()}]")

    assert found == WITH_LINKS.replace("[unix]", "[unix\u2019s]")


def test_a_link_is_on_its_words_alone_on_a_page_that_is_shown_turned(convert: ConvertCall) -> None:
    """The page is written sideways and shown turned by a quarter."""
    content = b"q 0 1 -1 0 612 0 cm " + lines(500, LINKED) + b"Q"
    annotations = f"/Annots [{two_links(is_turned=True)}]"

    assert markdown_of(convert, content, extra=annotations, rotate=90) == WITH_LINKS


def test_a_link_over_two_lines_has_the_words_of_its_parts(convert: ConvertCall) -> None:
    """The rectangle around both parts covers other words: the quadrilaterals of the link tell which are its own."""
    start = 72 + width_of(LINKED[0].split("has many")[0])
    quads = f"{start} 709 400 709 {start} 697 400 697 72 695 115 695 72 683 115 683"
    users = f"<< /Type /Annot /Subtype /Link /Rect [72 683 400 709] /QuadPoints [{quads}] /A << /S /URI /URI (https://users.example/) >> >>"

    assert markdown_of(convert, lines(700, LINKED), extra=f"/Annots [{two_links()} {users}]") == WITH_LINKS.replace(
        "has many users at once.", "[has many users at once](https://users.example/)."
    )


def test_links_within_the_document_stay_text(convert: ConvertCall) -> None:
    """They have a place in the document and no address."""
    within = "<< /Type /Annot /Subtype /Link /Rect [72 697 120 709] /Dest [0 /Fit] >>"
    assert markdown_of(convert, lines(700, LINKED), extra=f"/Annots [{within} {two_links()}]") == WITH_LINKS
