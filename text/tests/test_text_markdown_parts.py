"""Parts counted in markdown."""

from __future__ import annotations

from octavo_text.markdown_parts import markdown_parts


def test_a_table_in_html_inside_a_cell_is_counted_with_its_cells() -> None:
    inner = "<table><tr><td>d</td> <td>e</td> <td> </td></tr></table>"
    parts = markdown_parts([f"| A | B |\n| --- | --- |\n| c | {inner} |\n"])
    assert (parts.tables, parts.cells) == (2, 6)


def test_empty_lines_have_no_parts() -> None:
    assert markdown_parts(["", "\n"]).tables == 0
