"""OC-GOLD on the places of tables on upright and landscape pages."""

from __future__ import annotations

from octavo_contracts import Capability

from ..checks import GENERATED, check, expect_none
from ..subject import Subject
from ..vectors.placed_tables import make_placed_tables

_NEAR = 30.0
"""Points by which an edge of a table's box may differ from the rule of the table: a reader may leave out its head."""


@check(
    "OC-GOLD-037",
    scope="plugin",
    level=3,
    spec=("CNV-12", "CNV-7"),
    requires=("OC-PAGE-008", "OC-GOLD-009", "OC-GOLD-015"),
    hook="convert",
    has=Capability.BOXES,
    vectors=GENERATED,
)
def boxes_of_tables_lie_where_they_are(subject: Subject) -> None:
    """The box of a table on an upright or a landscape page of a fresh document, if given, lies where the table is.

    Fix:
    Count from the upper edge of the page as it is displayed, with its own height, not with that of another page.
    """
    wrong = []
    for vector, places in make_placed_tables(subject.seed, subject.media_types):
        for page, (top, bottom) in zip(subject.convert_as_host(vector).conversion().pages, places, strict=False):
            boxes = [table.box for table in page.tables] + [one.box for one in page.boxes if one.kind == "table"]
            wrong += [
                f"{vector.path}, page {page.number}: {box.top:.0f} to {box.bottom:.0f}, the table {top:.0f} to {bottom:.0f}"
                for box in boxes
                if box is not None and (abs(box.top - top) > _NEAR or abs(box.bottom - bottom) > _NEAR)
            ]
    expect_none(wrong, "tables are in another place", expected="the places of the tables")
