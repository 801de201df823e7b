"""If the setting says so, running heads, feet and page numbers are kept apart from the two texts, and nothing else is (DIG-6)."""

from __future__ import annotations

from pathlib import Path

import octavo
import pytest
from octavo import Settings
from octavo.conversion.furniture import with_furniture_apart
from octavo.settings.furniture import FURNITURE_APART, FurnitureSettings
from octavo_contracts import Conversion, Page, Table

SAMPLE = Path(__file__).parents[3] / "docs/samples/annual-report.pdf"
HEAD = "Annual report 2025"
BODIES = ("The storm broke the float", "of the gauge in the harbour", "and nobody was hurt by it", "in the long night.")


def document(*pages, markdown=None, **fields):
    made = [
        Page(number=number, text="\n".join(lines), markdown="\n".join((markdown or pages)[number - 1]), **fields)
        for number, lines in enumerate(pages, start=1)
    ]
    return Conversion(pages=tuple(made), paginated=True)


def texts(conversion, **settings):
    made = with_furniture_apart(conversion, settings=FurnitureSettings(apart=True, **settings))
    assert with_furniture_apart(made, settings=FurnitureSettings(apart=True, **settings)) == made
    return [page.text for page in made.pages], [page.furniture for page in made.pages]


def unchanged(*pages, **fields):
    whole = document(*pages, **fields)
    return with_furniture_apart(whole) == whole


def test_a_running_head_and_a_page_number_stand_apart():
    pages = [(HEAD, body, str(number)) for number, body in enumerate(BODIES, start=1)]
    made, furniture = texts(document(*pages))
    assert made == list(BODIES)
    assert furniture == [(HEAD, str(number)) for number in range(1, 5)]


def test_a_foot_that_holds_its_page_number_stands_apart_whatever_the_first_number_is():
    pages = [(body, f"{HEAD} {number}") for number, body in enumerate(BODIES, start=17)]
    made, furniture = texts(document(*pages))
    assert made == list(BODIES)
    assert furniture[1] == (f"{HEAD} 18",)


def test_roman_numbers_and_left_and_right_pages_count():
    numbers = ("iii", "iv", "v", "vi", "vii", "viii")
    heads = ("The coast", "Chapter of gulls") * 3
    pages = [
        (head, f"Body {at * 7} goes on.", number) for at, (head, number) in enumerate(zip(heads, numbers, strict=True))
    ]
    made, furniture = texts(document(*pages))
    assert made == [f"Body {at * 7} goes on." for at in range(6)]
    assert furniture[3] == ("Chapter of gulls", "vi")


def test_two_pages_are_enough_for_a_foot_beside_its_page_number():
    pages = [(body, HEAD, str(number)) for number, body in enumerate(BODIES[:2], start=1)]
    made, furniture = texts(document(*pages, ("The end.",)))
    assert made == [*BODIES[:2], "The end."]
    assert furniture == [(HEAD, "1"), (HEAD, "2"), ()]


def test_the_markdown_loses_the_same_lines_whatever_their_marks():
    pages = [(HEAD, body, f"- {number} -") for number, body in enumerate(BODIES, start=1)]
    marked = [(f"**{HEAD}**", "", body, "", f"\\- {number} -") for number, body in enumerate(BODIES, start=1)]
    made = with_furniture_apart(document(*pages, markdown=marked))
    assert [page.markdown for page in made.pages] == list(BODIES)


@pytest.mark.parametrize(
    "pages",
    [
        [(HEAD, body) for body in BODIES[:2]],
        [(f"Chapter {number}", body) for number, body in zip((1, 4, 9, 12), BODIES, strict=True)],
        [(number, body) for number, body in zip(("12", "7", "40", "3"), BODIES, strict=True)],
        [(HEAD,)] * 4,
        [("Dear reader", "we send you", "the figures", "of the coast", body) for body in BODIES],
        [("x" * 200, body) for body in BODIES],
    ],
    ids=["two pages", "headings", "numbers of a table", "nothing else", "copies of a letter", "a notice"],
)
def test_what_is_no_furniture_stays(pages):
    assert unchanged(*pages)


def test_a_line_far_from_its_like_is_no_furniture_but_one_on_neighbouring_pages_is():
    lines = [("Notes" if number % 10 == 0 else f"Line {number * 7}", f"Body {number * 3}") for number in range(31)]
    assert unchanged(*lines)


def test_headings_and_rows_of_tables_stay():
    pages = [(HEAD, body) for body in BODIES]
    assert unchanged(*pages, markdown=[(f"# {HEAD}", body) for body in BODIES])
    rows = [("| Annual report | 2025 |", body) for body in BODIES]
    assert unchanged(*pages, markdown=rows, tables=(Table(rows=(("Annual report", "2025"),)),))


def test_recognised_pages_stay():
    whole = document(*[(HEAD, body) for body in BODIES])
    made = with_furniture_apart(whole, recognised={2})
    assert [page.text for page in made.pages][:2] == [BODIES[0], f"{HEAD}\n{BODIES[1]}"]


def test_a_setting_keeps_them_in_the_texts():
    whole = document(*[(HEAD, body) for body in BODIES])
    assert with_furniture_apart(whole, settings=FurnitureSettings()) == whole
    assert texts(whole, min_pages=5)[0] == [page.text for page in whole.pages]


def test_a_report_loses_no_line_by_default():
    made = octavo.convert(str(SAMPLE))
    assert made.markdown.count("Observatory – annual report 2025–2026") == 2


def test_a_report_has_its_foot_in_no_text_if_the_setting_says_so():
    """A real file of three pages, two of them with a head: only an engine that keeps its page number can vouch for it."""
    with octavo.Runtime(Settings(furniture=FURNITURE_APART)) as runtime:
        made = octavo.convert(str(SAMPLE), plugin="pdfium", runtime=runtime)
    chunks = made.render("chunks")
    assert "Observatory – annual report" not in made.markdown + made.render("text") + chunks
    assert "Seals" in made.markdown
    assert "Seals" in chunks
