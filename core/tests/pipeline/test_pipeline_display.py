"""Converted documents in notebooks: what is shown, and that nothing of a document runs or loads there."""

from __future__ import annotations

import octavo
from octavo.conversion.rich_display import MAX_SHOWN

HOSTILE = """# Tides <script>alert(1)</script>

![remote](https://example.org/seen.png) <img src="https://example.org/seen.png" onerror="alert(2)">

<a href="javascript:alert(3)" onclick="alert(4)">high</a> water, [low](javascript:alert(5))

| day | height |
| --- | --- |
| Monday | 3.2 |
"""


def test_a_notebook_shows_the_facts_and_the_text() -> None:
    html = octavo.convert(HOSTILE.encode(), name="tides.md")._repr_html_()

    assert "complete" in html
    assert "<td>Monday</td>" in html


def test_nothing_of_a_document_runs_or_loads_in_a_notebook() -> None:
    html = octavo.convert(HOSTILE.encode(), name="tides.md")._repr_html_()

    for active in ("<script", "onerror", "onclick", "<img", 'href="javascript', "<a href"):
        assert active not in html
    assert "[remote]" in html


def test_a_failed_document_shows_its_reason_and_its_remedy() -> None:
    html = octavo.convert(b"", name="<b>.txt")._repr_html_()

    assert "failed [source_empty]" in html
    assert "again" in html
    assert "<b>.txt" not in html


def test_a_long_document_says_how_much_is_shown() -> None:
    converted = octavo.convert("\n\n".join(f"Line {n}." for n in range(4000)).encode(), name="long.txt")
    html = converted._repr_html_()

    assert "Line 3999." not in html
    assert len(html) < 3 * MAX_SHOWN
    assert f"of {len(converted.markdown):,} characters" in html
