"""How pages are named in messages."""

from __future__ import annotations

import pytest
from octavo_text.page_spans import NAMED, page_spans, pages_text


@pytest.mark.parametrize(
    ("pages", "text"),
    [
        ([3], "page 3"),
        ([9, 7, 8], "pages 7–9"),
        ([1, 6, 7, 9], "pages 1, 6–7 and 9"),
    ],
)
def test_pages_are_named_by_spans(pages, text):
    assert pages_text(pages) == text


def test_of_many_pages_the_last_are_counted():
    pages = range(1, 400, 2)
    text = page_spans(pages, "others")
    assert len(text) < NAMED + 30
    *told, left = text.split(", ")
    assert left == f"{len(pages) - len(told)} more and others"
