"""Presentations (CNV-8, CNV-12)."""

from __future__ import annotations

from pathlib import Path

import pptx
import pytest
from octavo_conformance.office_writer import docx_parts, zipped
from octavo_contracts import ContentTooLarge, SourceCorrupt
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Emu, Inches, Pt


@pytest.fixture
def deck() -> pptx.presentation.Presentation:
    """An empty deck."""
    return pptx.Presentation()


@pytest.fixture
def convert_deck(tmp_path: Path, convert_file):  # type: ignore[no-untyped-def]  # a converter of decks
    """Save a deck and convert it."""

    def run(deck, **request):  # type: ignore[no-untyped-def]  # as convert_file
        path = tmp_path / "deck.pptx"
        deck.save(path)
        return convert_file(path, **request)

    return run


def titled(deck, title: str):  # type: ignore[no-untyped-def]  # python-pptx ships no types
    """A new slide with a title."""
    slide = deck.slides.add_slide(deck.slide_layouts[5])
    slide.shapes.title.text = title
    return slide


def test_every_slide_is_a_page(deck, convert_deck) -> None:  # type: ignore[no-untyped-def]  # fixtures
    """Titles are headings, notes stay, an empty slide is an empty page, a hidden one is converted with a warning."""
    titled(deck, "船 🚢").notes_slide.notes_text_frame.text = "Say hello"
    deck.slides.add_slide(deck.slide_layouts[6])
    titled(deck, "Last")._element.set("show", "0")
    conversion = convert_deck(deck)
    assert conversion.paginated
    assert [(page.kind, page.label, page.markdown) for page in conversion.pages] == [
        ("slide", "船 🚢", "# 船 🚢\n\n**Notes:**\n\nSay hello\n"),
        ("slide", None, ""),
        ("slide", "Last", "# Last\n"),
    ]
    assert [(warning.code, warning.page) for warning in conversion.warnings] == [("hidden_slide", 3)]


def test_tables_and_charts_are_tables(deck, convert_deck) -> None:  # type: ignore[no-untyped-def]  # fixtures
    """A table keeps its pipes; a chart gives its data."""
    table = titled(deck, "Table").shapes.add_table(2, 2, Inches(1), Inches(2), Inches(4), Inches(1)).table
    for cell, text in zip(table.iter_cells(), ("Name", "a|b", "x", "y"), strict=True):
        cell.text = text
    data = CategoryChartData()
    data.categories = ["2000", "2001"]
    data.add_series("Calls", (1, 2))
    titled(deck, "Chart").shapes.add_chart(XL_CHART_TYPE.LINE, Inches(1), Inches(2), Inches(4), Inches(3), data)
    first, second = convert_deck(deck).pages
    assert first.tables[0].rows == (("Name", "a|b"), ("x", "y"))
    assert "| Name | a\\|b |" in first.markdown
    assert second.tables[0].rows == (("Category", "Calls"), ("2000", "1"), ("2001", "2"))


def test_what_the_audience_can_not_see_is_hidden_text(deck, convert_deck) -> None:  # type: ignore[no-untyped-def]  # fixtures
    """Hidden shapes, shapes off the slide and tiny runs."""
    slide = titled(deck, "Seen")
    off = slide.shapes.add_textbox(Emu(-9_000_000), 0, Emu(100), Emu(100))
    off.text_frame.text = "off"
    ghost = slide.shapes.add_textbox(Inches(1), Inches(2), Inches(1), Inches(1))
    ghost.text_frame.text = "ghost"
    ghost._element.nvSpPr.cNvPr.set("hidden", "1")
    tiny = slide.shapes.add_textbox(Inches(1), Inches(3), Inches(1), Inches(1)).text_frame
    tiny.text = "tiny"
    tiny.paragraphs[0].runs[0].font.size = Pt(1)
    page = convert_deck(deck).pages[0]
    assert page.markdown == "# Seen\n"
    assert [(hidden.text, hidden.why) for hidden in page.hidden_text] == [
        ("off", "off_page"),
        ("ghost", "hidden_style"),
        ("tiny", "tiny"),
    ]


def test_an_image_is_a_placeholder(deck, convert_deck, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]  # fixtures
    """The slide says that there is an image."""
    from PIL import Image

    picture = tmp_path / "p.png"
    Image.new("RGB", (4, 4)).save(picture)
    titled(deck, "Picture").shapes.add_picture(str(picture), Inches(1), Inches(2))
    page = convert_deck(deck).pages[0]
    assert page.has_images
    assert "![" in page.markdown


def test_more_slides_than_asked_for_are_refused(deck, convert_deck) -> None:  # type: ignore[no-untyped-def]  # fixtures
    """`max_pages` limits the slides."""
    titled(deck, "A")
    titled(deck, "B")
    with pytest.raises(ContentTooLarge, match="2 slides, more than 1"):
        convert_deck(deck, max_pages=1)


def test_a_deck_without_slides_has_no_content(deck, convert_deck) -> None:  # type: ignore[no-untyped-def]  # fixtures
    """A template is a whole document: it has layouts, and nothing to convert."""
    conversion = convert_deck(deck)

    assert [page.markdown for page in conversion.pages] == [""]
    assert [warning.code for warning in conversion.warnings] == ["no_content"]


def test_another_container_is_no_deck(convert_bytes) -> None:  # type: ignore[no-untyped-def]  # fixtures
    """A docx under the name of a deck is refused with a typed error."""
    with pytest.raises(SourceCorrupt, match="deck cannot be read"):
        convert_bytes("deck.pptx", zipped(docx_parts("")))


def test_a_size_that_is_no_number_is_corrupt(deck, convert_deck) -> None:  # type: ignore[no-untyped-def]  # fixtures
    """What python-pptx chokes on becomes a typed error."""
    slide = titled(deck, "x")
    run = slide.shapes.title.text_frame.paragraphs[0].runs[0]
    run.font.size = Pt(12)
    run.font._element.set("sz", "big")
    with pytest.raises(SourceCorrupt, match="ValueError"):
        convert_deck(deck)
