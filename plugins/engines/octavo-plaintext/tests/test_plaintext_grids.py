"""Tables of markdown files, as grids."""

from __future__ import annotations

import pytest
from octavo_plaintext.pipe_grids import read_grids
from octavo_plaintext.plain import read_markdown

HEAD = "| Ship | Tons |\n| --- | ---: |\n"


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        (HEAD + "| Aurora | 120 |\n", (("Ship", "Tons"), ("Aurora", "120"))),
        ("Ship | Tons\n:-- | --\nAurora | 120", (("Ship", "Tons"), ("Aurora", "120"))),
        ("| Ship |\n|---|\n| Aurora |", (("Ship",), ("Aurora",))),
        (HEAD + "| a \\| b | `x` |", (("Ship", "Tons"), ("a | b", "x"))),
        (HEAD + "| **Aurora** | [120](https://a.example/b_c) |", (("Ship", "Tons"), ("Aurora", "120"))),
        (HEAD + "| 2 \\* 3 | ![a bow](bow.png) |", (("Ship", "Tons"), ("2 * 3", "a bow"))),
        (HEAD + "| Aurora |\n| Borea | 1 | 2 |", (("Ship", "Tons"), ("Aurora",), ("Borea", "1", "2"))),
        (HEAD + "|  | 5 |", (("Ship", "Tons"), ("", "5"))),
        (HEAD + "| 漢字 | 🚀 |", (("Ship", "Tons"), ("漢字", "🚀"))),
        (HEAD.rstrip(), (("Ship", "Tons"),)),
    ],
)
def test_a_pipe_table_is_a_grid(text: str, rows: tuple[tuple[str, ...], ...]) -> None:
    (table,) = read_grids(text)
    assert table.rows == rows


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a | b\n",
        "a | b\n--\n",
        "a | b | c\n--- | ---\n",
        "Title\n---\n",
        "```\n" + HEAD + "```\n",
        "~~~md\n" + HEAD,
        "    | a | b |\n    | - | - |\n",
        "- a | b\n- - | -\n",
    ],
)
def test_what_is_no_table_gives_none(text: str) -> None:
    assert read_grids(text) == ()


@pytest.mark.parametrize("after", ["\nText | text\n", "# Heading\n", "> Quoted\n", "```\ncode\n```\n", "- item\n"])
def test_a_table_ends_with_an_empty_line_or_another_block(after: str) -> None:
    (table,) = read_grids(HEAD + "| Aurora | 120 |\n" + after)
    assert len(table.rows) == 2


def test_tables_stay_in_the_markdown_and_stand_in_order() -> None:
    text = f"# Ships\n\n{HEAD}| Aurora | 120 |\n\nThen\n\n| Port |\n|---|\n| Porto |\n"
    (page,) = read_markdown(text).pages
    assert page.markdown == text
    assert [table.rows[0] for table in page.tables] == [("Ship", "Tons"), ("Port",)]


def test_a_table_in_a_comment_is_hidden_and_no_table() -> None:
    (page,) = read_markdown(f"<!--\n{HEAD}| a | b |\n-->\nText").pages
    assert page.tables == ()
    assert page.hidden_text
