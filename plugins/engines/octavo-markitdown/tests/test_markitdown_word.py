"""Word documents (CNV-6)."""

from __future__ import annotations

from pathlib import Path

import docx
import pytest
from octavo_conformance.office_writer import docx_parts, zipped

WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def run(text: str, properties: str = "") -> str:
    """A run with direct format."""
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def paragraph(*runs: str, properties: str = "") -> str:
    """A paragraph of runs."""
    return f"<w:p><w:pPr>{properties}</w:pPr>{''.join(runs)}</w:p>"


def test_structure_and_scripts_are_kept(tmp_path: Path, convert_file) -> None:  # type: ignore[no-untyped-def]  # fixture
    """Headings, lists, tables with pipes, emoji, CJK and right-to-left text come through."""
    document = docx.Document()
    document.core_properties.title = "Harbour report"
    document.core_properties.author = "Ann"
    document.add_heading("Ships 🚢", 1)
    document.add_paragraph("漢字 and שלום")
    document.add_paragraph("first", style="List Bullet")
    table = document.add_table(2, 2)
    for cell, text in zip(table._cells, ("Name", "a|b", "Aurora", "12"), strict=True):
        cell.text = text
    path = tmp_path / "report.docx"
    document.save(str(path))
    conversion = convert_file(path)
    page = conversion.pages[0]
    assert not conversion.paginated
    assert page.kind == "whole"
    assert page.markdown.startswith("# Ships 🚢\n\n漢字 and שלום\n\n* first")
    assert "| Name | a\\|b |\n| --- | --- |\n| Aurora | 12 |" in page.markdown
    assert page.tables[0].rows == (("Name", "a|b"), ("Aurora", "12"))
    assert page.tables[0].header_rows == 0
    assert (conversion.metadata.title, conversion.metadata.author) == ("Harbour report", "Ann")
    assert str(conversion.engine_version).startswith("markitdown ")


def test_a_cell_merged_over_rows_leaves_an_empty_cell(tmp_path: Path, convert_file) -> None:  # type: ignore[no-untyped-def]  # fixture
    """Columns stay in line under it."""
    document = docx.Document()
    table = document.add_table(3, 2)
    for index, cell in enumerate(table._cells):
        cell.text = str(index)
    table.cell(1, 0).merge(table.cell(2, 0)).text = "tall"
    path = tmp_path / "merged.docx"
    document.save(str(path))
    assert convert_file(path).pages[0].tables[0].rows == (("0", "1"), ("tall", "3"), ("", "5"))


@pytest.mark.parametrize(
    ("properties", "why"),
    [
        ("<w:vanish/>", "hidden_style"),
        ('<w:color w:val="FFFFFF"/>', "white"),
        ('<w:sz w:val="2"/>', "tiny"),
        ('<w:rStyle w:val="Ghost"/>', "hidden_style"),
    ],
)
def test_hidden_runs_are_kept_apart(properties: str, why: str, convert_word) -> None:  # type: ignore[no-untyped-def]  # fixture
    """What a reader cannot see is in the hidden text, not in the markdown."""
    styles = (
        '<w:style w:type="character" w:styleId="Ghost"><w:basedOn w:val="Base"/></w:style>'
        '<w:style w:type="character" w:styleId="Base"><w:rPr><w:vanish/></w:rPr></w:style>'
    )
    body = paragraph(run("seen "), run("obey", properties), run(" me", properties))
    page = convert_word(body, styles=styles).pages[0]
    assert page.markdown == "seen"
    assert [(hidden.text, hidden.why) for hidden in page.hidden_text] == [("obey me", why)]


@pytest.mark.parametrize(
    "body",
    [
        paragraph(run("kept", '<w:vanish w:val="0"/>')),
        paragraph(run("kept", '<w:color w:val="FFFFFF"/><w:highlight w:val="black"/>')),
        paragraph(run("kept", '<w:color w:val="FFFFFF"/><w:shd w:val="clear" w:fill="000000"/>')),
        paragraph(run("kept", '<w:color w:val="FFFFFF"/>'), properties='<w:shd w:val="clear" w:fill="112233"/>'),
        "<w:tbl><w:tr><w:tc><w:tcPr><w:shd w:val='clear' w:fill='4472C4'/></w:tcPr>"
        + paragraph(run("kept", '<w:color w:val="FFFFFF"/>'))
        + "</w:tc></w:tr></w:tbl>",
        "<w:tbl><w:tblPr><w:tblStyle w:val='GridTable5'/></w:tblPr><w:tr><w:tc>"
        + paragraph(run("kept", '<w:color w:val="FFFFFF"/>'))
        + "</w:tc></w:tr></w:tbl>",
        paragraph(run("kept", '<w:sz w:val="12"/>')),
    ],
)
def test_runs_that_can_be_seen_stay(body: str, convert_word) -> None:  # type: ignore[no-untyped-def]  # fixture
    """White on a dark cell, small print and an explicit 'not hidden' are text."""
    page = convert_word(body).pages[0]
    assert "kept" in page.markdown
    assert page.hidden_text == ()


def test_tracked_changes_are_accepted_and_listed(convert_word) -> None:  # type: ignore[no-untyped-def]  # fixture
    """The body holds the accepted text; a section of its own lists who changed what."""
    who = 'w:id="1" w:author="Bo *B*" w:date="2024-05-06T07:08:09Z"'
    body = paragraph(
        run("The ship "),
        f"<w:del {who}><w:r><w:delText>sank</w:delText></w:r></w:del>",
        f"<w:ins {who}>{run('sailed')}</w:ins>",
        f"<w:moveFrom {who}>{run('away')}</w:moveFrom>",
        run("."),
    )
    row = f"<w:tbl><w:tr><w:tc>{paragraph(run('x'))}</w:tc></w:tr><w:tr><w:trPr><w:del {who}/></w:trPr><w:tc>{paragraph(run('gone'))}</w:tc></w:tr></w:tbl>"
    markdown = convert_word(body + row).pages[0].markdown
    text, _, changes = markdown.partition("## Tracked changes")
    assert text.startswith("The ship sailed.")
    assert "gone" not in text
    assert changes.strip().split("\n") == [
        r"- Deleted by Bo \*B\*, 2024-05-06: sank",
        r"- Inserted by Bo \*B\*, 2024-05-06: sailed",
        r"- Moved away by Bo \*B\*, 2024-05-06: away",
        r"- Deleted by Bo \*B\*, 2024-05-06: gone",
    ]


def test_hidden_text_does_not_come_back_through_changes_or_comments(convert_word) -> None:  # type: ignore[no-untyped-def]  # fixture
    """A hidden run inside an insertion or a comment stays hidden text."""
    secret = run("CANARY", "<w:vanish/>")
    comments = f'<w:comment w:id="0" w:author="A">{paragraph(secret)}</w:comment>'
    page = convert_word(paragraph(run("open"), f'<w:ins w:author="A">{secret}</w:ins>'), comments=comments).pages[0]
    assert page.markdown == "open"
    assert [hidden.text for hidden in page.hidden_text] == ["CANARY", "CANARY"]


def test_comments_follow_with_author_and_place(convert_word) -> None:  # type: ignore[no-untyped-def]  # fixture
    """Each comment says who wrote it and what it is about."""
    comments = (
        '<w:comment w:id="7" w:author="Ann" w:date="2024-01-02T00:00:00Z">'
        f"{paragraph(run('Which one?'))}</w:comment><w:comment w:id='8'>{paragraph(run('Loose'))}</w:comment>"
    )
    body = paragraph(
        run("See "), '<w:commentRangeStart w:id="7"/>', run("the harbour"), '<w:commentRangeEnd w:id="7"/>', run(".")
    )
    markdown = convert_word(body, comments=comments).pages[0].markdown
    assert markdown == (
        "See the harbour.\n\n## Comments\n\n- Comment by Ann, 2024-01-02 on “the harbour”: Which one?\n- Comment: Loose"
    )


def test_footnotes_are_kept_and_their_hidden_text_is_not(convert_word) -> None:  # type: ignore[no-untyped-def]  # fixture
    """The engine puts notes after the body."""
    notes = f'<w:footnote w:id="2">{paragraph(run("A note."), run("secret", "<w:vanish/>"))}</w:footnote>'
    page = convert_word(paragraph(run("Body"), '<w:r><w:footnoteReference w:id="2"/></w:r>'), footnotes=notes).pages[0]
    assert "1. A note." in page.markdown
    assert "secret" not in page.markdown


def test_what_is_left_out_is_said(convert_bytes) -> None:  # type: ignore[no-untyped-def]  # fixtures
    """Headers and macros give warnings."""
    parts = {**docx_parts(paragraph(run("x"))), "word/header1.xml": "<h/>", "word/vbaProject.bin": b"x"}
    codes = [warning.code for warning in convert_bytes("d.docx", zipped(parts)).warnings]
    assert codes == ["active_content", "headers_left_out"]


def test_embedded_images_are_placeholders(tmp_path: Path, convert_file) -> None:  # type: ignore[no-untyped-def]  # fixture
    """No image bytes stand in the markdown."""
    from PIL import Image

    picture = tmp_path / "p.png"
    Image.new("RGB", (4, 4)).save(picture)
    document = docx.Document()
    document.add_picture(str(picture))
    path = tmp_path / "picture.docx"
    document.save(str(path))
    page = convert_file(path).pages[0]
    assert page.markdown.strip() == "![](embedded-image)"
    assert page.has_images


def test_the_same_bytes_give_the_same_conversion(tmp_path: Path, convert_file) -> None:  # type: ignore[no-untyped-def]  # fixture
    """The manifest says deterministic."""
    document = docx.Document()
    document.add_paragraph("same")
    path = tmp_path / "same.docx"
    document.save(str(path))
    assert convert_file(path) == convert_file(path)


def test_breaks_and_tabs_of_a_comment_are_white_space(convert_word) -> None:  # type: ignore[no-untyped-def]  # fixture
    """A comment of several lines stands on one line of the list."""
    inner = paragraph("<w:r><w:t>a</w:t><w:br/><w:t>b</w:t><w:tab/><w:t>c</w:t></w:r>") + paragraph(run("d"))
    comments = f'<w:comment w:id="1" w:author="A">{inner}</w:comment>'
    assert convert_word(paragraph(run("x")), comments=comments).pages[0].markdown.endswith("- Comment by A: a b c d")


def _box(checked: str) -> str:
    mark = "☒" if checked == "1" else "☐"
    return (
        f'<w:sdt><w:sdtPr><w14:checkbox xmlns:w14="http://schemas.microsoft.com/office/word/2010/wordml"><w14:checked w14:val="{checked}"/>'
        f"</w14:checkbox></w:sdtPr><w:sdtContent><w:r><w:t>{mark}</w:t></w:r></w:sdtContent></w:sdt>"
    )


def test_checkboxes_are_tasks(convert_word) -> None:  # type: ignore[no-untyped-def]  # fixture
    tasks = "".join(
        f'<w:p>{_box(checked)}<w:r><w:t xml:space="preserve"> {text}</w:t></w:r></w:p>'
        for checked, text in (("1", "Design"), ("0", "Docs"))
    )
    cell = f"<w:tbl><w:tr><w:tc><w:p><w:r><w:t>Drinks</w:t></w:r></w:p>{tasks}</w:tc></w:tr></w:tbl>"
    assert convert_word(tasks).pages[0].markdown == "- [x] Design\n\n- [ ] Docs"
    assert convert_word(cell).pages[0].markdown.split("\n")[0] == "| Drinks - [x] Design - [ ] Docs |"
