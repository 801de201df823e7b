"""Short blocks side by side, each set on its own. On documents made byte for byte."""

from __future__ import annotations

from pathlib import Path

import pytest
from octavo_conformance.hook_calls import ConvertCall
from octavo_conformance.pdf_writer import PdfFile, PdfPage, show_lines, show_text
from octavo_liteparse import plugin

SENDER = ("John Q. Doe", "255 Customer Lane", "Suite B", "12345 User Town", "Everland")
OFFICE = ("17, Mole Street", "Skagen", "Phone 7079 4301", "Fax 7079 4302", "info@harbour.dk", "www.harbour.dk")
RETURN = "Harbour office, 17, Mole Street, Skagen, Denmark"
KEEPER = ("Keeper on duty:", "Anna Holm")
BODY = ("The gauge writes a record each minute, and the office reads those of a", "day in the morning of the next one.")


@pytest.fixture
def convert(tmp_path: Path) -> ConvertCall:
    """Converts bytes; keyword arguments go to the request."""
    return ConvertCall(plugin.convert, tmp_path, media_type="application/pdf", name="letter.pdf")


def letter(convert: ConvertCall) -> str:
    """A letter with an address on the left, and lines on the right that begin higher up and are level with none of it."""
    content = show_text("Harbour of the North", 208, 750, size=14) + show_text("Pilots and Lamps", 249, 733, size=14)
    content += show_lines(OFFICE, x=455, y=704, size=10, leading=12)
    content += show_lines(KEEPER, x=455, y=623, size=9, leading=9)
    content += show_text(RETURN, 55, 642, size=9) + show_lines(SENDER, x=55, y=620, size=10, leading=12)
    content += show_text("LETTER 2020-10", 55, 492, size=10) + show_text("January 8, 2020", 456, 492, size=10)
    content += show_lines(BODY, x=55, y=440, size=10, leading=12)
    [page] = convert(PdfFile([PdfPage(content)]).to_bytes()).pages
    return " ".join(page.markdown.split())


def test_the_lines_of_two_blocks_stay_in_their_blocks(convert: ConvertCall) -> None:
    text = letter(convert)
    assert " ".join(SENDER) in text
    assert " ".join(KEEPER) in text
    assert text.index(SENDER[0]) < text.index(KEEPER[0]) < text.index(BODY[0])
