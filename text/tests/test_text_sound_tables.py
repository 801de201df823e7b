"""Which tables of a reading are none."""

from __future__ import annotations

import pytest
from octavo_contracts import Table
from octavo_text.tables.sound_tables import sound_tables

SCATTERED = (
    ("Station:", "", "Ny-Ålesund", "", "", "", "", ""),
    ("Keeper:", "", "Ada", "", "Quay", "<ada@example.org>", "", ""),
    ("This", "", "station", "is", "", "kept", "by", "one"),
    ("person,", "", "who", "reads", "", "the", "gauge", "twice"),
    ("a day", "and", "", "writes", "it", "into", "", "the"),
    ("book", "", "of", "the", "", "harbour", "", "office."),
)
"""What a reader makes of a listing whose words happen to stand below each other."""
NUMBERS = (
    ("", "Gross", "Carrying", "Cumulative", "", "Gross", "Carrying", ""),
    ("", "Book", "Amount", "Impairment", "", "Book", "Amount", ""),
    ("", "at", "end", "of", "", "the", "year", ""),
    ("Quays", "12", "10", "2", "", "11", "9", ""),
    ("Boats", "7", "6", "1", "", "7", "7", ""),
    ("Gauges", "3", "3", "0", "", "2", "2", ""),
)
GRID = (("dog", "chien", "Hund", "perro", "cane"), ("cat", "chat", "Katze", "gato", "gatto")) * 3
"""A full table of single words."""


def test_words_of_running_lines_are_no_cells():
    assert sound_tables([Table(rows=SCATTERED)]) == []


@pytest.mark.parametrize("rows", [NUMBERS, GRID], ids=["heads of several lines", "words without gaps"])
def test_a_table_of_single_words_is_one(rows):
    assert len(sound_tables([Table(rows=rows)])) == 1
