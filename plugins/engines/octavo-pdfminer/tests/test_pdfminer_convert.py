"""The hook `convert` of the plugin `pdfminer`, on documents made byte for byte."""

from __future__ import annotations

import io
import logging
import subprocess
import sys
from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import Any

import pypdf
import pytest
from octavo_conformance.hook_calls import ConvertCall
from octavo_conformance.pdf_writer import GREY_PIXEL, PdfFile, PdfPage, show_lines, show_text
from octavo_contracts import (
    MANIFEST_NAME,
    ContentTooLarge,
    FileSource,
    PluginManifest,
    SourceCorrupt,
    SourceEmpty,
    SourceEncrypted,
    UnsupportedFormat,
    UsageError,
)
from octavo_pdfminer import plugin


@pytest.fixture
def convert(tmp_path: Path) -> ConvertCall:
    """Converts bytes; keyword arguments go to the request."""
    return ConvertCall(plugin.convert, tmp_path, media_type="application/pdf", name="sample.pdf")


def three_pages(**parts: Any) -> bytes:
    """A page, an empty page, and a page that is shown turned by a quarter."""
    turned = b"q 0 1 -1 0 612 0 cm " + show_text("Third page", 72, 500) + b"Q"
    pages = [PdfPage(show_text("First page", 72, 700)), PdfPage(), PdfPage(turned, rotate=90)]
    return PdfFile(pages, **parts).to_bytes()


def encrypted(data: bytes, **passwords: str) -> bytes:
    """The document encrypted with AES-256."""
    writer = pypdf.PdfWriter(clone_from=io.BytesIO(data))
    writer.encrypt(algorithm="AES-256", **passwords)
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def broken_third_page() -> bytes:
    """Three pages, the last of them packed in a way that does not exist."""
    before, _, after = three_pages().rpartition(b"/FlateDecode")
    return before + b"/PlateDecode" + after


def test_every_page_is_kept_empty_ones_too(convert: ConvertCall) -> None:
    """CNV-12: pages 1..n, the empty one in its place."""
    conversion = convert(three_pages())

    assert [page.text for page in conversion.pages] == ["First page", "", "Third page"]
    assert [page.markdown for page in conversion.pages] == ["First page", "", "Third page"]
    assert conversion.paginated
    assert conversion.warnings == ()


def test_size_is_that_of_the_page_as_shown(convert: ConvertCall) -> None:
    upright, _, rotated = convert(three_pages()).pages

    assert (upright.width, upright.height) == (612, 792)
    assert (rotated.width, rotated.height) == (792, 612)


def test_labels_are_those_of_the_document(convert: ConvertCall) -> None:
    labels = "/PageLabels << /Nums [0 << /S /r >> 2 << /S /D /St 7 >>] >>"

    assert [page.label for page in convert(three_pages(catalog=labels)).pages] == ["i", "ii", "7"]
    assert [page.label for page in convert(three_pages()).pages] == [None, None, None]


def test_metadata_is_read(convert: ConvertCall) -> None:
    info = {
        "Title": "Höhe über Null",
        "Author": "A. Nonym",
        "CreationDate": "D:20240229130501+02'00'",
        "Keywords": "one",
    }
    metadata = convert(three_pages(info=info, catalog="/Lang (de-AT)")).metadata

    assert (metadata.title, metadata.author) == ("Höhe über Null", "A. Nonym")
    assert (metadata.date, metadata.language) == ("2024-02-29T13:05:01+02:00", "de-AT")
    assert metadata.fields == {"keywords": "one"}


@pytest.mark.parametrize(
    ("written", "read"),
    [("D:2024", "2024"), ("D:202402", "2024-02"), ("D:20240228", "2024-02-28"), ("D:20240230", None), ("now", None),
     ("D:202402281200", "2024-02-28T12:00:00")],
)  # fmt: skip
def test_dates_are_iso_as_far_as_they_go(convert: ConvertCall, written: str, read: str | None) -> None:
    assert convert(three_pages(info={"CreationDate": written})).metadata.date == read


def test_asked_pages_alone_are_converted(convert: ConvertCall) -> None:
    """Capability page_ranges: pages are numbered from 1, and `source_pages` has their numbers in the document."""
    conversion = convert(three_pages(), pages=(1, 3))

    assert [page.text for page in conversion.pages] == ["First page", "Third page"]
    assert conversion.source_pages == (1, 3)


@pytest.mark.parametrize("pages", [(4,), (0, 1), (2, 1), (1, 1), ()])
def test_pages_that_do_not_exist_are_refused(convert: ConvertCall, pages: tuple[int, ...]) -> None:
    with pytest.raises(UsageError, match="the document has 3"):
        convert(three_pages(), pages=pages)


def test_more_pages_than_allowed_are_refused(convert: ConvertCall) -> None:
    with pytest.raises(ContentTooLarge, match="2"):
        convert(three_pages(), max_pages=2)
    assert len(convert(three_pages(), max_pages=2, pages=(3,)).pages) == 1


def test_encrypted_needs_the_password(convert: ConvertCall) -> None:
    """Capability passwords."""
    locked = encrypted(three_pages(), user_password="sesame", owner_password="other")

    with pytest.raises(SourceEncrypted, match=r"sample\.pdf, plugin pdfminer: the document is encrypted"):
        convert(locked)
    with pytest.raises(SourceEncrypted, match="the password does not fit"):
        convert(locked, password="wrong")
    opened = convert(locked, password="sesame")
    assert opened.pages[0].text == "First page"
    assert opened.metadata.fields["encrypted"] is True


def test_an_empty_user_password_asks_for_none(convert: ConvertCall) -> None:
    locked = encrypted(three_pages(), user_password="", owner_password="other")

    assert convert(locked).pages[0].text == "First page"


def test_no_bytes_are_empty(convert: ConvertCall) -> None:
    with pytest.raises(SourceEmpty, match=r"sample\.pdf"):
        convert(b"")


@pytest.mark.parametrize("data", [b"<html>not a pdf</html>", b"%PDF-1.7\nnothing follows", b"\x00" * 4096])
def test_other_bytes_are_corrupt(convert: ConvertCall, data: bytes) -> None:
    with pytest.raises(SourceCorrupt, match=r"sample\.pdf, plugin pdfminer"):
        convert(data)


def test_a_cut_file_is_corrupt(convert: ConvertCall) -> None:
    with pytest.raises(SourceCorrupt):
        convert(three_pages()[:200])


def test_a_document_without_pages_is_corrupt(convert: ConvertCall) -> None:
    with pytest.raises(SourceCorrupt):
        convert(PdfFile([]).to_bytes())


def test_another_media_type_is_refused(convert: ConvertCall) -> None:
    with pytest.raises(UnsupportedFormat, match="text/html"):
        convert(three_pages(), media_type="text/html")


def test_a_page_that_can_not_be_read_is_empty_and_told(convert: ConvertCall) -> None:
    """Nothing is lost in silence: the page stays, and a warning names it."""
    conversion = convert(broken_third_page())

    assert [page.text for page in conversion.pages] == ["First page", "", ""]
    assert [(warning.code, warning.page) for warning in conversion.warnings] == [("partial_conversion", 3)]


def test_what_the_engine_logs_goes_nowhere(
    convert: ConvertCall, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    """A library's log is no place for words of a document."""
    with caplog.at_level(logging.DEBUG):
        convert(broken_third_page())

    assert caplog.records == []
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("line", "markdown"),
    [
        ("# no heading", r"\# no heading"),
        ("- no item", r"\- no item"),
        ("1986. A great year", r"1986\. A great year"),
        ("a <b>tag</b> &amp; more", r"a \<b>tag\</b> \&amp; more"),
        ("3 < 4 & 5 > 2", "3 < 4 & 5 > 2"),
    ],
)
def test_what_markdown_would_misread_is_escaped(convert: ConvertCall, line: str, markdown: str) -> None:
    (page,) = convert(PdfFile([PdfPage(show_text(line, 72, 700))]).to_bytes()).pages

    assert (page.text, page.markdown) == (line, markdown)


def test_equal_bytes_give_equal_conversions(convert: ConvertCall) -> None:
    assert convert(three_pages()).to_json() == convert(three_pages()).to_json()


def test_importing_the_plugin_does_not_load_the_engine() -> None:
    code = "import sys, octavo_pdfminer, octavo_pdfminer.plugin; sys.exit('pdfminer' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_missing_engine_names_its_install_command(source: Callable[..., FileSource]) -> None:
    path = source(three_pages(), media_type="application/pdf").path
    code = (
        "import sys; sys.modules['pdfminer'] = None\n"
        "from octavo_contracts import ConvertRequest, FileSource, ToolUnavailable\n"
        "from octavo_pdfminer.convert import convert_pdf\n"
        "request = ConvertRequest(media_type='application/pdf')\n"
        "try: convert_pdf(FileSource(sys.argv[1], media_type='application/pdf'), request)\n"
        "except ToolUnavailable as error: sys.exit('pip install' not in str(error))\n"
        "sys.exit(2)"
    )

    assert subprocess.run([sys.executable, "-c", code, str(path)], check=False).returncode == 0


def test_the_manifest_is_valid_and_names_the_plugin() -> None:
    text = resources.files("octavo_pdfminer").joinpath(MANIFEST_NAME).read_text("utf-8")
    manifest = PluginManifest.from_toml(text)

    assert (manifest.name, manifest.hooks, manifest.media_types) == ("pdfminer", ("convert",), ("application/pdf",))
    assert manifest.priority == 30


BODY = ["The body of the text is set in twelve points and", "runs over more than one line, as bodies do."]


def test_lines_have_boxes_from_the_top_left_corner(convert: ConvertCall) -> None:
    """Capability boxes: points, y downwards, the page's rotation undone."""
    first, _, third = convert(three_pages()).pages
    (box,) = first.boxes

    assert (box.kind, box.text) == ("line", "First page")
    assert box.box.left == pytest.approx(72, abs=1)
    assert box.box.top < 792 - 700 < box.box.bottom
    assert box.box.bottom - box.box.top == pytest.approx(12, abs=1)
    assert third.boxes[0].box.left == pytest.approx(72, abs=1)
    assert third.boxes[0].box.top < 612 - 500 < third.boxes[0].box.bottom


def test_boxes_count_from_the_crop_box(convert: ConvertCall) -> None:
    page = PdfPage(show_text("inside", 120, 400), extra="/CropBox [100 100 500 500]")
    (read,) = convert(PdfFile([page]).to_bytes()).pages

    assert (read.width, read.height) == (400, 400)
    assert read.boxes[0].box.left == pytest.approx(20, abs=1)
    assert read.boxes[0].box.top < 100 < read.boxes[0].box.bottom


def test_larger_fonts_are_headings_of_the_document(convert: ConvertCall) -> None:
    pages = [
        PdfPage(show_text("Title", 72, 740, size=24) + show_text("Part", 72, 700, size=16) + show_lines(BODY, y=650)),
        PdfPage(show_text("Second part", 72, 740, size=16) + show_lines(BODY, y=700)),
    ]
    first, second = convert(PdfFile(pages).to_bytes()).pages

    assert first.markdown == "# Title\n\n## Part\n\n" + "\n".join(BODY)
    assert second.markdown == "## Second part\n\n" + "\n".join(BODY)
    assert [box.kind for box in first.boxes] == ["heading", "heading", "line", "line"]


def test_running_heads_and_numbers_are_no_headings(convert: ConvertCall) -> None:
    pages = [
        PdfPage(
            show_text(f"Report {number}", 72, 760, size=18) + show_text("2024", 72, 720, size=18) + show_lines(BODY)
        )
        for number in (1, 2, 3)
    ]

    assert all("#" not in page.markdown for page in convert(PdfFile(pages).to_bytes()).pages)


def test_text_and_pictures_in_a_form_are_read(convert: ConvertCall) -> None:
    """Pdfminer leaves text in forms out unless asked: here it is asked."""
    content = show_text("inner", 72, 600) + b"q 9 0 0 9 0 0 cm /Im0 Do Q"
    resources = "/Font << /F1 3 0 R >> /XObject << /Im0 5 0 R >>"
    head = (
        f"<< /Type /XObject /Subtype /Form /BBox [0 0 612 792] /Resources << {resources} >> /Length {len(content)} >>"
    )
    form = head.encode() + b"\nstream\n" + content + b"\nendstream"
    page = PdfPage(show_text("outer", 72, 700) + b"/Fm0 Do", resources="/XObject << /Fm0 4 0 R >>")
    (read,) = convert(PdfFile([page]).to_bytes(reserved=(form, GREY_PIXEL))).pages

    assert set(str(read.text).split()) == {"outer", "inner"}
    assert read.has_images


def test_characters_without_meaning_are_counted(convert: ConvertCall) -> None:
    """A font of character numbers alone: no '(cid:7)' is passed off as text."""
    font = (
        b"<< /Type /Font /Subtype /Type0 /BaseFont /X /Encoding /Identity-H /DescendantFonts [<< /Type /Font"
        b" /Subtype /CIDFontType2 /BaseFont /X /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >>"
        b" /FontDescriptor << /Type /FontDescriptor /FontName /X /Flags 4 /Ascent 800 /Descent -200 >> >>] >>"
    )
    page = PdfPage(b"BT /F2 12 Tf 1 0 0 1 72 700 Tm <00070008> Tj ET", resources="/Font << /F2 4 0 R >>")
    conversion = convert(PdfFile([page]).to_bytes(reserved=(font,)))

    assert conversion.pages[0].text == "\ufffd\ufffd"
    assert [(warning.code, warning.page) for warning in conversion.warnings] == [("partial_conversion", 1)]
