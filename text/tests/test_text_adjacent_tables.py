"""Grids that hold two tables which stand side by side."""

from __future__ import annotations

import pytest
from octavo_text.tables.adjacent_tables import divided

SHIPS = (("Ship", "Cargo"), ("Skade", "120"), ("Ymer", "140"), ("Gefion", "160"))
PORTS = (("Port", "Depth"), ("Skagen", "8.5"), ("Ran", "7.1"), ("Freja", "9.3"))
BESIDE = tuple((*ship, *port) for ship, port in zip(SHIPS, PORTS, strict=True))
NONE = ("", "")


@pytest.mark.parametrize(
    "captions", [("Table 1. Ships", "Table 2: Ports"), ("Tabelle 1", "Tabelle 2"), ("Panel A", "Panel B")]
)
def test_a_row_with_a_caption_over_each_table_divides_the_grid(captions):
    """CNV-2: the captions are no rows of the tables."""
    row = (captions[0], "", captions[1], "")
    assert divided((row, *BESIDE)) == [SHIPS, PORTS]


def test_rows_of_one_table_between_rows_of_the_other_divide_the_grid():
    """CNV-2: rows of different heights seldom meet."""
    rows = (BESIDE[0], (*SHIPS[1], *NONE), (*NONE, *PORTS[1]), (*SHIPS[2], *NONE), (*NONE, *PORTS[2]), BESIDE[3])
    assert divided(rows) == [SHIPS, PORTS]


@pytest.mark.parametrize(
    "rows",
    [
        BESIDE,
        (("Table 1. Ships", "", "", ""), *BESIDE),
        (*((*ship, *NONE) for ship in SHIPS), *((*NONE, *port) for port in PORTS)),
        (BESIDE[0], ("Skade", "120", "", ""), ("", "", "8.5", "9"), ("Ymer", "140", "", ""), ("", "", "7.1", "8")),
    ],
    ids=["rows that meet", "one caption", "one block below the other", "no labels of its own"],
)
def test_other_grids_are_one_table(rows):
    """CNV-2: nothing is divided without a sign of two tables."""
    assert divided(tuple(rows)) == [tuple(rows)]
