"""Office documents, web pages, markdown and CSV, which need no weights."""

from __future__ import annotations

import io
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from octavo_contracts import ContentTooLarge, SourceCorrupt, SourceEmpty, SourceEncrypted, UnsupportedFormat, UsageError

pytest.importorskip("docling", reason="docling is not installed: half a gigabyte, in an extra of its own")
docx = pytest.importorskip("docx", reason="python-docx, which writes the tests' documents, is not installed")
pptx = pytest.importorskip("pptx", reason="python-pptx, which writes the tests' decks, is not installed")
odfdo = pytest.importorskip("odfdo", reason="odfdo, which writes the tests' OpenDocument files, is not installed")
openpyxl = pytest.importorskip("openpyxl", reason="openpyxl, which writes the tests' workbooks, is not installed")

from docx.shared import Pt, RGBColor  # noqa: E402  # after the skips above
from pptx.util import Inches  # noqa: E402  # after the skips above

SAMPLES = Path(__file__).parents[4] / "docs" / "samples"

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")  # docling warns of its own fields


def saved(document) -> bytes:
    buffer = io.BytesIO()
    document.save(buffer)
    return buffer.getvalue()


def codes(conversion) -> set[str]:
    return {warning.code for warning in conversion.warnings}


def test_importing_the_plugin_imports_no_engine():
    script = "import sys, octavo_docling.plugin; assert not {'docling', 'lxml', 'bs4', 'torch'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", script], check=True)


class TestWord:
    def test_a_handbook_keeps_headings_lists_tables_notes_and_comments(self, read):
        conversion = read("staff-handbook.docx")
        (page,) = conversion.pages
        assert not conversion.paginated
        assert page.kind == "whole"
        assert page.markdown.startswith("# Staff handbook\n\n")
        assert "\n## Before you go out\n" in page.markdown
        assert "\n### In this order\n" in page.markdown
        assert "1. Read the tide table and the forecast.\n2. Write" in page.markdown
        assert "- Gauge 1 is the float" in page.markdown
        assert "By the anemometer on the roof" in page.markdown
        assert "Comment by Yusuf Haddad (YH), 2026-01-13: Should this not be" in page.markdown
        assert page.tables[0].rows[0] == ("Name", "Field", "Extension")
        assert page.tables[0].header_rows == 1
        assert (conversion.metadata.title, conversion.metadata.author) == ("Staff handbook", "Ines Halloran")
        assert [(one.text, one.why) for one in page.hidden_text] == [("two", "deleted")]

    def test_text_that_can_not_be_seen_stands_apart(self, read):
        document = docx.Document()
        paragraph = document.add_paragraph("Seen. ")
        paragraph.add_run("vanished").font.hidden = True
        paragraph.add_run("white").font.color.rgb = RGBColor(255, 255, 255)
        paragraph.add_run("tiny").font.size = Pt(1)
        style = document.styles.add_style("Ghost", 1)
        style.font.hidden = True
        document.add_paragraph("by style", style="Ghost")
        (page,) = read(saved(document), ".docx").pages
        assert page.markdown == "Seen.\n"
        assert [(one.text, one.why) for one in page.hidden_text] == [
            ("vanished", "hidden_style"),
            ("white", "white"),
            ("tiny", "tiny"),
            ("by style", "hidden_style"),
        ]

    def test_a_merged_cell_has_its_text_once(self, read):
        document = docx.Document()
        table = document.add_table(rows=3, cols=2)
        for row in range(3):
            for column in range(2):
                table.cell(row, column).text = f"{row}{column}"
        table.cell(1, 0).merge(table.cell(2, 0)).text = "tall | wide"
        (page,) = read(saved(document), ".docx").pages
        assert page.tables[0].rows == (("00", "01"), ("tall | wide", "11"), ("", "21"))
        assert "| tall \\| wide | 11 |" in page.markdown

    def test_markup_in_the_text_stays_text_and_formats_become_markup(self, read):
        document = docx.Document()
        document.add_paragraph("# no heading, 2 * 3 * 4")
        paragraph = document.add_paragraph("a ")
        paragraph.add_run("bold").bold = True
        paragraph.add_run(" and ")
        paragraph.add_run("slanted").italic = True
        (page,) = read(saved(document), ".docx").pages
        assert page.markdown == "\\# no heading, 2 \\* 3 \\* 4\n\na **bold** and *slanted*\n"


class TestSlides:
    def test_slides_are_pages_with_titles_notes_tables_and_places(self, read):
        conversion = read("open-day.pptx")
        assert [page.kind for page in conversion.pages] == ["slide"] * 3
        second, third = conversion.pages[1:]
        assert second.label == "Tide or surge?"
        assert "- The surge is what the gauge shows beyond it\n  - 1 hPa less air" in second.markdown
        assert "**Notes:**\n\nThe moon makes the tide" in second.markdown
        assert third.tables[0].rows[1] == ("3 January 2012", "0.98")
        assert (third.width, third.height) == (720, 540)
        (table,) = (box for box in third.boxes if box.kind == "table")
        assert (table.box.left, table.box.top) == (72, 144)

    def test_hidden_shapes_stand_apart_and_hidden_slides_are_said(self, read):
        deck = pptx.Presentation()
        for name in ("one", "two", "three"):
            deck.slides.add_slide(deck.slide_layouts[5]).shapes.title.text = name
        box = deck.slides[0].shapes.add_textbox(Inches(1), Inches(3), Inches(2), Inches(1))
        box.text_frame.text = "nobody sees this"
        box._element.nvSpPr.cNvPr.set("hidden", "1")
        deck.slides[1]._element.set("show", "0")
        conversion = read(saved(deck), ".pptx")
        assert [page.markdown for page in conversion.pages] == ["# one\n", "# two\n", "# three\n"]
        assert [one.text for one in conversion.pages[0].hidden_text] == ["nobody sees this"]
        assert [(w.code, w.page) for w in conversion.warnings] == [("hidden_slide", 2)]

    def test_an_empty_slide_is_an_empty_page(self, read):
        deck = pptx.Presentation()
        for _ in range(2):
            deck.slides.add_slide(deck.slide_layouts[6])
        assert [page.markdown for page in read(saved(deck), ".pptx").pages] == ["", ""]

    def test_more_slides_than_allowed_are_too_many(self, read):
        with pytest.raises(ContentTooLarge, match="3 pages"):
            read("open-day.pptx", max_pages=2)


class TestSheets:
    def test_sheets_are_pages_with_their_names(self, read):
        conversion = read("instruments.xlsx")
        assert [(page.kind, page.label) for page in conversion.pages] == [
            ("sheet", "Instruments"),
            ("sheet", "Autumn 2025"),
        ]
        assert conversion.pages[1].markdown.startswith("## Autumn 2025\n\n| Month | Water (°C) |")
        assert conversion.pages[1].tables[0].rows[-1] == ("Mean", "12.25", "0.725", "206.25")

    def test_empty_and_hidden_sheets_stay_and_comments_are_kept(self, read):
        book = openpyxl.Workbook()
        book.active.title = "First"
        book.active["A1"] = "seen"
        book.active["A1"].comment = openpyxl.comments.Comment("check this", "Ada Quay")
        book.create_sheet("Void")
        last = book.create_sheet("Back")
        last["A1"], last["B1"], last["A2"], last["B2"] = "k", "v", "a", 1
        last.sheet_state = "hidden"
        conversion = read(saved(book), ".xlsx")
        assert [page.label for page in conversion.pages] == ["First", "Void", "Back"]
        assert "Ada Quay" in conversion.pages[0].markdown
        assert "check this" in conversion.pages[0].markdown
        assert conversion.pages[1].markdown == ""
        assert conversion.pages[2].tables[0].rows == (("k", "v"), ("a", "1"))
        assert [(w.code, w.page) for w in conversion.warnings] == [("hidden_sheet", 3)]

    def test_a_csv_is_one_sheet(self, read):
        conversion = read("tide-table.csv")
        (page,) = conversion.pages
        assert conversion.paginated
        assert page.kind == "sheet"
        assert len(page.tables[0].rows) == 28
        assert page.tables[0].rows[1] == ("2025-11-10", "01:50", "high", "4.75", "Harbour office closed until noon")


class TestWeb:
    def test_an_article_keeps_its_structure(self, read):
        conversion = read("harbour-seals.html")
        (page,) = conversion.pages
        assert page.markdown.startswith("# Counting seals from a kitchen window\n")
        assert "[storm of the 14th](/reports/2025-2026)" in page.markdown
        assert "1. Keep dogs off the skerries" in page.markdown
        assert page.tables[0].rows[2] == ("October 2025", "240", "31")
        assert (conversion.metadata.author, conversion.metadata.language) == ("Yūko Aoki", "en")
        assert "headers_left_out" in codes(conversion)

    def test_characters_are_kept_as_they_are(self, read):
        text = "“Quoted” – it’s… \N{FAMILY} 👩\u200d👩\u200d👧 می\u200cخواهم"
        (page,) = read(
            f"<h1>A—B</h1><p>{text}</p><table><tr><th>a–b</th></tr><tr><td>‘c’</td></tr></table>", ".html"
        ).pages
        assert page.markdown.splitlines()[0] == "# A—B"
        assert text in page.markdown
        assert page.tables[0].rows == (("a–b",), ("‘c’",))

    @pytest.mark.parametrize(
        ("markup", "why"),
        [
            ("<p hidden>secret</p>", "hidden_style"),
            ("<p style='display: none'>secret</p>", "hidden_style"),
            ("<p style='opacity:0'>secret</p>", "hidden_style"),
            ("<p style='font-size:0'>secret</p>", "tiny"),
            ("<p style='position:absolute; left:-9999px'>secret</p>", "off_page"),
            ("<p style='color:#fff'>secret</p>", "white"),
        ],
    )
    def test_what_its_own_markup_hides_stands_apart(self, read, markup, why):
        (page,) = read(f"<h1>Seen</h1>{markup}", ".html").pages
        assert page.markdown == "# Seen\n"
        assert [(one.text, one.why) for one in page.hidden_text] == [("secret", why)]

    def test_spans_lists_in_cells_pictures_and_code(self, read):
        markup = (
            "<h1>A</h1><table><tr><th colspan=2>head</th></tr><tr><td rowspan=2>a</td><td>c</td></tr>"
            "<tr><td><ul><li>x</li><li>y</li></ul></td></tr></table><img src='a.png' alt='a quay'>"
            "<ol start=4><li>four<ul><li>sub</li></ul></li><li>five</li></ol><pre>x = 1</pre>"
            "<a href='javascript:alert(1)'>go</a>"
        )
        (page,) = read(markup, ".html").pages
        assert page.tables[0].rows == (("head", ""), ("a", "c"), ("", "x y"))
        assert page.markdown.count("a quay") == 1
        assert page.has_images
        assert "4. four\n   - sub\n5. five" in page.markdown
        assert "```\nx = 1\n```" in page.markdown
        assert "javascript" not in page.markdown


class TestOpenDocument:
    """ODT, ODS and ODP, which come with Docling's office formats."""

    def written(self, kind, parts, title="Of fog") -> bytes:
        document = odfdo.Document(kind)
        document.body.clear()
        for part in parts:
            document.body.append(part)
        document.meta.title = title
        return saved(document)

    def test_a_text_keeps_headings_lists_and_tables(self, read):
        table = odfdo.Table("T")
        table.set_values([["k", "v"], ["a", 1]])
        parts = [odfdo.Header(1, "Fog"), odfdo.Paragraph("Sound the bell."), odfdo.List(["one", "two"]), table]
        conversion = read(self.written("text", parts), ".odt")
        assert conversion.pages[0].markdown == (
            "## Fog\n\nSound the bell.\n\n- one\n- two\n\n| k | v |\n| --- | --- |\n| a | 1 |\n"
        )
        assert conversion.metadata.title == "Of fog"

    def test_sheets_have_their_names_and_empty_ones_stay(self, read):
        tables = [odfdo.Table(name) for name in ("One", "Void", "Two", "Last")]
        for table in (tables[0], tables[2]):
            table.set_values([["k", "v"], ["a", 1]])
        pages = read(self.written("spreadsheet", tables), ".ods").pages
        assert [(page.label, page.kind) for page in pages] == [(n, "sheet") for n in ("One", "Void", "Two", "Last")]
        assert pages[2].markdown == "## Two\n\n| k | v |\n| --- | --- |\n| a | 1 |\n"
        assert (pages[1].markdown, pages[3].markdown) == ("", "")

    def test_slides_are_pages(self, read):
        slides = []
        for name in ("First", "Second"):
            slides.append(odfdo.DrawPage(name, name=name))
            slides[-1].append(odfdo.Frame.text_frame(f"Hello {name}", size=("8cm", "2cm"), position=("2cm", "2cm")))
        pages = read(self.written("presentation", slides), ".odp").pages
        assert [page.markdown for page in pages] == ["# First\n\nHello First\n", "# Second\n\nHello Second\n"]
        assert [page.kind for page in pages] == ["slide", "slide"]


def test_front_matter_of_markdown_is_metadata(read):
    conversion = read("field-notes.md")
    assert conversion.metadata.author == "Yūko Aoki"
    assert conversion.pages[0].markdown.startswith("# Beach walk after the storm\n")
    assert "- a fender marked `BH 12`, which is ours\n" in conversion.pages[0].markdown


@pytest.mark.parametrize("name", ["staff-handbook.docx", "open-day.pptx", "instruments.xlsx", "harbour-seals.html"])
def test_the_same_bytes_give_the_same_conversion(read, name):
    assert read(name) == read(name)


class TestRefusals:
    @pytest.mark.parametrize("suffix", [".docx", ".pptx", ".xlsx", ".odt", ".ods", ".odp"])
    def test_bytes_of_another_kind_are_corrupt(self, read, suffix):
        with pytest.raises(SourceCorrupt):
            read(b"nothing of the kind", suffix)

    @pytest.mark.parametrize("name", ["staff-handbook.docx", "open-day.pptx", "instruments.xlsx"])
    def test_half_an_office_document_is_corrupt(self, read, name):
        data = (SAMPLES / name).read_bytes()
        with pytest.raises(SourceCorrupt):
            read(data[: len(data) // 2], "." + name.rpartition(".")[2])

    def test_an_office_document_whose_parts_are_nonsense_is_corrupt(self, read):
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w") as package:
            package.writestr("word/document.xml", "<w/>")
        with pytest.raises(SourceCorrupt, match="docling"):
            read(buffer.getvalue(), ".docx")

    def test_entities_and_bombs_are_refused(self, read):
        for body, error in (
            (b'<!DOCTYPE a [<!ENTITY b "c">]><a/>', SourceCorrupt),
            (b" " * (9 << 20), ContentTooLarge),
        ):
            buffer = io.BytesIO()
            with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as package:
                package.writestr("word/document.xml", body)
            with pytest.raises(error):
                read(buffer.getvalue(), ".docx")

    def test_elements_nested_too_deeply_are_refused_before_they_are_parsed(self, read):
        with pytest.raises(ContentTooLarge, match="'div'"):
            read("<div>" * 60_000 + "deep" + "</div>" * 60_000, ".html")
        assert read("<p>a<p>b" * 2000, ".html").pages[0].markdown.count("a") == 2000

    def test_a_locked_document_says_so(self, read):
        data = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600) + "EncryptedPackage".encode("utf-16-le")
        with pytest.raises(SourceEncrypted):
            read(data, ".xlsx")

    def test_what_is_not_taken_is_refused(self, read):
        with pytest.raises(SourceEmpty):
            read(b"", ".docx")
        with pytest.raises(UsageError, match="page_ranges"):
            read("# A\n", ".md", pages=(1,))
        with pytest.raises(UsageError, match="'speed'"):
            read("# A\n", ".md", options={"speed": 9})
        with pytest.raises(SourceCorrupt, match="null bytes"):
            read(b"a\0b", ".csv")


def test_another_type_is_refused(tmp_path):
    import time

    from octavo_contracts import ConvertRequest, FileSource, HookContext
    from octavo_docling.plugin import convert

    path = tmp_path / "a.wav"
    path.write_bytes(b"RIFF")
    context = HookContext(work_dir=tmp_path, deadline=time.monotonic() + 9)
    with pytest.raises(UnsupportedFormat):
        convert(FileSource(path, media_type="audio/wav"), ConvertRequest(media_type="audio/wav"), context)


def test_macros_are_said(read):
    buffer = io.BytesIO((SAMPLES / "staff-handbook.docx").read_bytes())
    with zipfile.ZipFile(buffer, "a") as package:
        package.writestr("word/vbaProject.bin", b"\xd0\xcf")
    assert "active_content" in codes(read(buffer.getvalue(), ".docx"))
