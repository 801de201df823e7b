"""The open-day talk: three slides, a table, speaker notes on each."""

from __future__ import annotations

import io
from datetime import datetime

from archive import repacked
from pptx import Presentation
from pptx.presentation import Presentation as Deck
from pptx.slide import Slide
from pptx.util import Inches

_SURGES = [
    ("Storm", "Surge (m)"),
    ("3 January 2012", "0.98"),
    ("5 December 2013", "1.07"),
    ("14 November 2025", "1.24"),
]


def _titled(deck: Deck, *, layout: int, title: str, notes: str) -> Slide:
    slide = deck.slides.add_slide(deck.slide_layouts[layout])
    slide.shapes.title.text = title
    slide.notes_slide.notes_text_frame.text = notes
    return slide


def open_day() -> bytes:
    """The deck, with the dates of its parts and properties fixed."""
    deck = Presentation()
    first = _titled(
        deck,
        layout=0,
        title="What the sea does at Brannoch Head",
        notes="Welcome everybody in the boat hall. Say where the exits are.",
    )
    first.placeholders[1].text = "Open day, 6 June 2026 🌊 開放日"

    second = _titled(
        deck,
        layout=1,
        title="Tide or surge?",
        notes="The moon makes the tide; wind and low pressure make the surge. Show the bottle experiment here.",
    )
    body = second.placeholders[1].text_frame
    body.text = "The tide is predicted years ahead"
    for level, line in ((0, "The surge is what the gauge shows beyond it"), (1, "1 hPa less air: 1 cm more water")):
        paragraph = body.add_paragraph()
        paragraph.text, paragraph.level = line, level

    third = _titled(
        deck,
        layout=5,
        title="The three highest surges",
        notes="The gauge has been read since 2009. Gauge 1 stood still for six hours in the last storm.",
    )
    grid = third.shapes.add_table(len(_SURGES), 2, Inches(1), Inches(2), Inches(8), Inches(2.5)).table
    for row, values in enumerate(_SURGES):
        for column, value in enumerate(values):
            grid.cell(row, column).text = value

    properties = deck.core_properties
    properties.title, properties.author = "What the sea does at Brannoch Head", "Yusuf Haddad"
    properties.last_modified_by, properties.revision = "Yusuf Haddad", 1
    properties.created = properties.modified = datetime(2026, 5, 28, 9, 0)
    target = io.BytesIO()
    deck.save(target)
    return repacked(target.getvalue())
