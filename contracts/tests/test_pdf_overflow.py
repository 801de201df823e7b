"""Which text beyond the edge of a PDF page belongs to a line of the page."""

from __future__ import annotations

import pytest
from octavo_contracts.authoring.pdf_overflow import continued

PAGE = (0.0, 0.0, 600.0, 800.0)
LINE = (100.0, 500.0, 620.0, 510.0)


@pytest.mark.parametrize(
    ("text", "is_kept"),
    [
        ((622.0, 498.0, 640.0, 508.0), True),
        ((650.0, 500.0, 660.0, 510.0), False),
        ((622.0, 480.0, 640.0, 490.0), False),
        ((622.0, 500.0, 760.0, 510.0), False),
    ],
    ids=["next to the line", "behind a gap", "below the line", "too long"],
)
def test_text_beyond_the_edge_is_kept_where_it_continues_a_line(text, is_kept):
    assert continued({1: text}, [LINE], PAGE) == [1] * is_kept


def test_parts_of_a_line_follow_each_other_in_any_order_of_the_file():
    parts = {"end": (640.0, 500.0, 650.0, 510.0), "middle": (622.0, 500.0, 638.0, 510.0)}
    assert continued(parts, [LINE], PAGE) == ["middle", "end"]


def test_a_line_that_is_written_to_the_left_runs_beyond_the_left_edge():
    parts = {"end": (-40.0, 500.0, -12.0, 510.0), "other": (-40.0, 300.0, -12.0, 310.0)}
    assert continued(parts, [(-10.0, 500.0, 400.0, 510.0)], PAGE) == ["end"]


def test_text_above_the_page_continues_nothing():
    assert continued({1: (100.0, 810.0, 200.0, 820.0)}, [(100.0, 795.0, 200.0, 805.0)], PAGE) == []
