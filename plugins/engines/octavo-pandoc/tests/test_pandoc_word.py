"""Word documents: tracked changes, comments, hidden runs (CNV-6)."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from octavo_conformance.office_writer import docx_parts, zipped
from octavo_contracts import Conversion

DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
Convert = Callable[..., Conversion]


def run(text: str, properties: str = "") -> str:
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def test_changes_are_accepted_in_the_body_and_listed_after_it(
    convert_bytes: Convert, word: Callable[..., bytes]
) -> None:
    by = 'w:id="1" w:author="Ada Quay" w:date="2026-05-01T10:00:00Z"'
    deleted = '<w:r><w:delText xml:space="preserve">dim </w:delText></w:r>'
    body = f"<w:p>{run('The ')}<w:del {by}>{deleted}</w:del><w:ins {by}>{run('bright ')}</w:ins>{run('lamp.')}</w:p>"
    page = convert_bytes(word(body), DOCX).pages[0]
    assert page.markdown == (
        "The bright lamp.\n\n## Tracked changes\n\n"
        "- Deleted by Ada Quay, 2026-05-01: dim\n- Inserted by Ada Quay, 2026-05-01: bright\n"
    )


def test_comments_follow_with_author_and_what_they_are_about(
    convert_bytes: Convert, word: Callable[..., bytes]
) -> None:
    body = (
        f'<w:p>{run("The ")}<w:commentRangeStart w:id="0"/>{run("lamp")}<w:commentRangeEnd w:id="0"/>'
        f'<w:r><w:commentReference w:id="0"/></w:r>{run(" burns.")}</w:p>'
    )
    comment = (
        f'<w:comment w:id="0" w:author="Ben" w:date="2026-05-02T10:00:00Z"><w:p>{run("Which one?")}</w:p></w:comment>'
    )
    page = convert_bytes(word(body, comments=comment), DOCX).pages[0]
    assert page.markdown == "The lamp burns.\n\n## Comments\n\n- Comment by Ben, 2026-05-02 on “lamp”: Which one?\n"


@pytest.mark.parametrize(
    ("properties", "why"),
    [
        ("<w:vanish/>", "hidden_style"),
        ('<w:color w:val="ffffff"/>', "white"),
        ('<w:sz w:val="2"/>', "tiny"),
        ('<w:rStyle w:val="Unseen"/>', "hidden_style"),
    ],
)
def test_hidden_runs_stand_apart(properties: str, why: str, convert_bytes: Convert, word: Callable[..., bytes]) -> None:
    styles = (
        '<w:style w:type="character" w:styleId="Secret"><w:rPr><w:vanish/></w:rPr></w:style>'
        '<w:style w:type="character" w:styleId="Unseen"><w:basedOn w:val="Secret"/></w:style>'
        '<w:style w:type="character" w:styleId="Loop"><w:basedOn w:val="Loop"/></w:style>'
    )
    body = f"<w:p>{run('Seen. ')}{run('obey ', properties)}{run('me', properties)}</w:p>"
    page = convert_bytes(word(body, styles=styles), DOCX).pages[0]
    assert page.markdown == "Seen.\n"
    assert [(hidden.text, hidden.why) for hidden in page.hidden_text] == [("obey me", why)]


DARK = '<w:pPr><w:shd w:fill="000000"/></w:pPr>'
WHITE = '<w:color w:val="FFFFFF"/>'


@pytest.mark.parametrize(
    ("before", "properties"),
    [("", '<w:vanish w:val="0"/>'), ("", WHITE + '<w:highlight w:val="black"/>'), (DARK, WHITE)],
    ids=["switched off", "on a dark mark", "on a dark paragraph"],
)
def test_what_is_seen_after_all_stays(
    before: str, properties: str, convert_bytes: Convert, word: Callable[..., bytes]
) -> None:
    page = convert_bytes(word(f"<w:p>{before}{run('lamp', properties)}</w:p>"), DOCX).pages[0]
    assert "lamp" in page.markdown
    assert page.hidden_text == ()


def test_a_chart_that_is_not_read_is_told(convert_bytes: Convert) -> None:
    parts = docx_parts(f"<w:p>{run('Seen.')}</w:p>")
    warnings = convert_bytes(zipped({**parts, "word/charts/chart1.xml": "<x/>"}), DOCX).warnings
    assert [warning.code for warning in warnings] == ["partial_conversion"]


def test_macros_and_page_headers_are_named(convert_bytes: Convert) -> None:
    parts = docx_parts(f"<w:p>{run('Seen.')}</w:p>")
    data = zipped({**parts, "word/vbaProject.bin": "x", "word/header1.xml": "<x/>"})
    warnings = convert_bytes(data, "application/vnd.ms-word.document.macroenabled.12").warnings
    assert [warning.code for warning in warnings] == ["active_content", "headers_left_out"]


def test_cells_merged_over_rows_and_columns_leave_empty_ones(
    convert_bytes: Convert, word: Callable[..., bytes]
) -> None:
    def cell(text: str, properties: str = "") -> str:
        return f"<w:tc><w:tcPr>{properties}</w:tcPr><w:p>{run(text)}</w:p></w:tc>"

    wide = '<w:gridSpan w:val="2"/>'
    body = (
        '<w:tbl><w:tblGrid><w:gridCol w:w="1"/><w:gridCol w:w="1"/><w:gridCol w:w="1"/></w:tblGrid>'
        f"<w:tr>{cell('a')}{cell('wide', wide)}</w:tr><w:tr>{cell('b')}{cell('c')}{cell('d')}</w:tr></w:tbl>"
    )
    page = convert_bytes(word(body), DOCX).pages[0]
    assert page.tables[0].rows == (("a", "wide", ""), ("b", "c", "d"))
    assert "| a | wide |  |" in page.markdown


def test_a_table_that_declares_no_columns_is_read_all_the_same(
    convert_bytes: Convert, word: Callable[..., bytes]
) -> None:
    """Pandoc drops it; writers other than Word leave the grid, or its widths, out."""

    def row(*cells: str) -> str:
        return "<w:tr>" + "".join(f"<w:tc><w:p>{run(cell)}</w:p></w:tc>" for cell in cells) + "</w:tr>"

    merged = f'<w:tr><w:tc><w:tcPr><w:gridSpan w:val="2"/></w:tcPr><w:p>{run("both")}</w:p></w:tc></w:tr>'
    bare = f"<w:tbl><w:tblPr/>{row('a', 'b')}{merged}</w:tbl>"
    narrow = f"<w:tbl><w:tblGrid><w:gridCol/></w:tblGrid>{row('c')}</w:tbl>"
    page = convert_bytes(word(f"{bare}<w:p>{run('between')}</w:p>{narrow}"), DOCX).pages[0]
    assert [table.rows for table in page.tables] == [(("a", "b"), ("both", "")), (("c",),)]


def test_a_style_of_the_paragraph_hides_its_runs(convert_bytes: Convert, word: Callable[..., bytes]) -> None:
    styles = '<w:style w:type="paragraph" w:styleId="Gone"><w:rPr><w:vanish/></w:rPr></w:style>'
    body = f'<w:p>{run("Seen.")}</w:p><w:p><w:pPr><w:pStyle w:val="Gone"/></w:pPr>{run("obey me")}</w:p>'
    page = convert_bytes(word(body, styles=styles), DOCX).pages[0]
    assert page.markdown == "Seen.\n"
    assert [hidden.text for hidden in page.hidden_text] == ["obey me"]


@pytest.mark.parametrize("mark", ["<w:cr/>", "<w:ptab/>"])
def test_carriage_returns_and_tabs_to_a_margin_part_figures(
    mark: str, convert_bytes: Convert, word: Callable[..., bytes]
) -> None:
    page = convert_bytes(word(f"<w:p><w:r><w:t>12</w:t>{mark}<w:t>350</w:t></w:r></w:p>"), DOCX).pages[0]
    assert page.markdown.replace("\\", "").split() == ["12", "350"]
