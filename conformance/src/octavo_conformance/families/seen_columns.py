"""OC-GOLD on the number of columns that layout analysis found in a table."""

from __future__ import annotations

from octavo_contracts import Capability

from ..checks import GENERATED, check, expect_none
from ..subject import Subject
from ..vectors.close_columns import COLUMNS, make_close_columns
from ..vectors.fresh import make_fresh

_LAID_OUT = frozenset({"application/pdf", "application/x-octavo-sheaf"})
"""Formats whose tables are found by their layout."""


@check(
    "OC-GOLD-049",
    scope="plugin",
    level=3,
    spec=("CNV-2", "CNV-7"),
    requires=("OC-GOLD-005", "OC-GOLD-009"),
    hook="convert",
    has=Capability.TABLES,
    vectors=GENERATED,
)
def columns_seen_are_those_of_the_layout(subject: Subject) -> None:
    """`Table.columns_seen`, if given, is the number of columns of the table in the document, also where the rows have fewer.

    The core compares it with the rows, and has a table read again from which columns are missing.

    Fix:
    Set it to what the layout analysis counted, on lines or on whitespace; leave it null where none ran.
    Never fill it with the width of the rows.
    """
    wrong = []
    for vector in make_close_columns(subject.seed, subject.media_types):
        for page in subject.convert_as_host(vector).conversion().pages:
            # Of a table in several pieces the columns cannot be compared.
            if len(page.tables) == 1 and page.tables[0].columns_seen not in (None, COLUMNS):
                wrong.append(f"{vector.path}, page {page.number}: {page.tables[0].columns_seen} of {COLUMNS}")
    for vector in make_fresh(subject.seed, subject.media_types):
        if vector.media_type in _LAID_OUT or not vector.expected.tables:
            continue
        tables = [table for page in subject.convert_as_host(vector).conversion().pages for table in page.tables]
        if len(tables) == len(vector.expected.tables):
            wrong += [
                f"{vector.path}: {table.columns_seen} of {max(map(len, grid), default=0)}"
                for table, grid in zip(tables, vector.expected.tables, strict=True)
                if table.columns_seen not in (None, max(map(len, grid), default=0))
            ]
    expect_none(
        wrong[:8], "columns are counted that the document has not", expected="the columns of the table, or null"
    )
