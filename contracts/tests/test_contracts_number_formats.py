"""Numbers and dates as number formats of workbooks show them, and charts as tables (CNV-7, CNV-8)."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from xml.etree import ElementTree

import pytest
from octavo_contracts.authoring.charts import read_chart
from octavo_contracts.authoring.list_numbers import number_in_form
from octavo_contracts.authoring.number_formats import is_notable, shown, shown_serial

CHART = 'xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'


@pytest.mark.parametrize(
    ("value", "code", "expected"),
    [
        (1234.5, "$#,##0.00", "$1,234.50"),
        (1234567, '#,##0,"K"', "1,235K"),
        (0.25, "$#.##", "$.25"),
        (-7, '[<0]"minus "0;0', "-minus 7"),
        (8, '[<0]"minus "0;[=8]"eight";0', "eight"),
        (9, '[<0]"minus "0', None),
        (7, "0000", "0007"),
        (7.5, "0000", "0008"),
        (123456789, "000\\-00\\-0000", "123-45-6789"),
        (float("inf"), "$0", None),
        (1e16, "$0", None),
        (5, "0.0E+00", None),
        (5, '"$"General', None),
        ("text", "$0", None),
        (True, "$0", None),
        (datetime(2024, 3, 5, 23, 59, 59, 999_600), "hh:mm:ss.000", "23:59:59.999"),
        (time(14, 5, 6), "[$-409]h:mm:ss AM/PM", "2:05:06 PM"),
        (datetime(2024, 3, 5, 14, 5, 5, 999_999), "hh:mm:ss", "14:05:06"),
        (time(0, 3, 7, 250_000), "mm:ss.0", "03:07.2"),
        (time(0, 5), "h A/P", "12 A"),
        (timedelta(minutes=90, seconds=5), "[mm]:ss", "90:05"),
        (timedelta(minutes=90), "[s]", "5400"),
        (timedelta(minutes=-1), "[h]:mm", None),
        (date(2024, 3, 5), "ddd d mmmmm yy", "Tue 5 M 24"),
        (date(2024, 3, 5), "[h]:mm", None),
        (date(2024, 3, 5), "[$-en-GB]d mmm", "5 Mar"),
        (date(2024, 3, 5), "[$-de-DE]d mmm", None),
        (date(2024, 3, 5), "ge.m.d", None),
        (date(2024, 3, 5), '"on" yyyy\\!', "on 2024!"),
        (time(1, 2), "yyyy", None),
    ],
)
def test_a_value_is_written_as_its_format_shows_it(value: float | str | date, code: str, expected: str | None) -> None:
    """None where the value alone says as much, or the form is not known."""
    assert shown(value, code) == expected


@pytest.mark.parametrize("code", ["General", "0", "#,##0.00", "0;[Red]-0", "@", "0.00E+00", "", "$" * 300])
def test_a_plain_format_says_no_more_than_the_value(code: str) -> None:
    assert not is_notable(code)


@pytest.mark.parametrize(
    ("number", "code", "expected"),
    [
        (45292, "yyyy\\-mm\\-dd", "2024-01-01"),
        (45292.75, "d mmm yyyy h:mm", "1 Jan 2024 18:00"),
        (0.5, "h:mm", "12:00"),
        (45292, "[$-407]d. mmmm yyyy", "2024-01-01"),
        (-5, "yyyy", None),
        (45292, "0", None),
        (1234.5, '0.0" kg"', "1234.5 kg"),
    ],
)
def test_a_stored_number_is_a_date_where_its_format_is_one(number: float, code: str, expected: str | None) -> None:
    assert shown_serial(number, code) == expected


def chart(body: str) -> ElementTree.Element:
    return ElementTree.fromstring(f"<c:chartSpace {CHART}><c:chart>{body}</c:chart></c:chartSpace>")


def test_a_chart_without_stored_values_looks_them_up() -> None:
    """Names and values by reference; what cannot be looked up is empty."""
    series = (
        "<c:title><c:tx><c:strRef><c:f>S!$A$1</c:f></c:strRef></c:tx></c:title><c:plotArea><c:pieChart><c:ser>"
        "<c:tx><c:strRef><c:f>S!$B$1</c:f></c:strRef></c:tx><c:cat><c:strRef><c:f>S!$A$2:$A$3</c:f></c:strRef></c:cat>"
        "<c:val><c:numRef><c:f>S!$B$2:$B$3</c:f></c:numRef></c:val></c:ser></c:pieChart></c:plotArea>"
    )
    cells = {"S!$A$1": ["Catch"], "S!$B$1": ["Tons"], "S!$A$2:$A$3": ["May", "June"], "S!$B$2:$B$3": ["4", "7.5"]}
    found = read_chart(chart(series), lookup=lambda reference: cells.get(reference, ()))
    assert found.markdown() == ["**Chart: Catch**", "| Category | Tons |\n| --- | --- |\n| May | 4 |\n| June | 7.5 |"]
    assert read_chart(chart(series)).markdown() == ["**Chart**"]


def test_a_chart_of_the_newer_kinds_is_a_table() -> None:
    """Waterfalls, funnels and their like are written in another vocabulary."""
    space = "http://schemas.microsoft.com/office/drawing/2014/chartex"
    root = ElementTree.fromstring(
        f'<cx:chartSpace xmlns:cx="{space}" {CHART}><cx:chartData><cx:data id="0"><cx:strDim type="cat"><cx:lvl>'
        '<cx:pt idx="0">Start</cx:pt><cx:pt idx="1">End</cx:pt></cx:lvl></cx:strDim><cx:numDim type="val">'
        '<cx:lvl formatCode="$0"><cx:pt idx="0">5</cx:pt><cx:pt idx="1">7</cx:pt></cx:lvl></cx:numDim></cx:data></cx:chartData>'
        "<cx:chart><cx:title><cx:tx><cx:rich><a:p><a:r><a:t>Cash</a:t></a:r></a:p></cx:rich></cx:tx></cx:title><cx:plotArea>"
        '<cx:plotAreaRegion><cx:series layoutId="waterfall"><cx:tx><cx:txData><cx:v>Sum</cx:v></cx:txData></cx:tx>'
        '<cx:dataId val="0"/></cx:series></cx:plotAreaRegion></cx:plotArea></cx:chart></cx:chartSpace>'
    )
    assert read_chart(root).title == "Cash"
    assert read_chart(root).rows == (("Category", "Sum"), ("Start", "$5"), ("End", "$7"))


@pytest.mark.parametrize(
    ("number", "form", "expected"),
    [
        (28, "lowerLetter", "bb"),
        (3, "upperLetter", "C"),
        (1994, "lowerRoman", "mcmxciv"),
        (4, "upperRoman", "IV"),
        (7, "decimalZero", "07"),
        (0, "upperRoman", "0"),
        (5_000, "lowerRoman", "5000"),
        (521, "lowerLetter", "521"),
        (12, "aiueo", "12"),
    ],
)
def test_numbers_of_lists_in_their_forms(number: int, form: str, expected: str) -> None:
    assert number_in_form(number, form) == expected
