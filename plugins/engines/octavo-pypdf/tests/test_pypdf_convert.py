"""The hook `convert` of the plugin `pypdf`, on documents made byte for byte."""

from __future__ import annotations

import io
import logging
import re
import subprocess
import sys
from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import Any

import pypdf
import pytest
from octavo_conformance.hook_calls import ConvertCall
from octavo_conformance.pdf_writer import PdfFile, PdfPage, show_lines, show_text
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
from octavo_pypdf import plugin


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

    with pytest.raises(SourceEncrypted, match=r"sample\.pdf, plugin pypdf: the document is encrypted"):
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
    with pytest.raises(SourceCorrupt, match=r"sample\.pdf, plugin pypdf"):
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
    code = "import sys, octavo_pypdf, octavo_pypdf.plugin; sys.exit('pypdf' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_missing_engine_names_its_install_command(source: Callable[..., FileSource]) -> None:
    path = source(three_pages(), media_type="application/pdf").path
    code = (
        "import sys; sys.modules['pypdf'] = None\n"
        "from octavo_contracts import ConvertRequest, FileSource, ToolUnavailable\n"
        "from octavo_pypdf.convert import convert_pdf\n"
        "request = ConvertRequest(media_type='application/pdf')\n"
        "try: convert_pdf(FileSource(sys.argv[1], media_type='application/pdf'), request)\n"
        "except ToolUnavailable as error: sys.exit('pip install' not in str(error))\n"
        "sys.exit(2)"
    )

    assert subprocess.run([sys.executable, "-c", code, str(path)], check=False).returncode == 0


def test_the_manifest_is_valid_and_names_the_plugin() -> None:
    text = resources.files("octavo_pypdf").joinpath(MANIFEST_NAME).read_text("utf-8")
    manifest = PluginManifest.from_toml(text)

    assert (manifest.name, manifest.hooks, manifest.media_types) == ("pypdf", ("convert",), ("application/pdf",))
    assert manifest.priority == 40


def test_a_gap_parts_paragraphs(convert: ConvertCall) -> None:
    content = show_lines(["One paragraph", "of two lines."], y=700) + show_lines(["Another."], y=600)
    (page,) = convert(PdfFile([PdfPage(content)]).to_bytes()).pages

    assert page.markdown.split() == ["One", "paragraph", "of", "two", "lines.", "Another."]
    assert page.markdown.startswith("One paragraph\nof two lines.")


def test_a_stream_above_the_limit_of_the_engine_is_told(convert: ConvertCall) -> None:
    """Pypdf unpacks at most 75 MB of a stream; the page is not passed off as empty."""
    with pypdf.apply_configuration(zlib_maximum_output_length=1000):
        conversion = convert(PdfFile([PdfPage(show_text("word", 72, 700) + b" " * 5000)]).to_bytes())

    assert conversion.pages[0].text == ""
    assert [(warning.code, warning.page) for warning in conversion.warnings] == [("partial_conversion", 1)]


def test_a_form_that_draws_itself_is_told(convert: ConvertCall) -> None:
    """Pypdf leaves the inner drawing out, and says so in its log alone."""
    content = show_text("inner", 72, 600) + b"/Fm0 Do"
    head = "<< /Type /XObject /Subtype /Form /BBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >>"
    form = (
        f"{head} /XObject << /Fm0 4 0 R >> >> /Length {len(content)} >>\nstream\n".encode() + content + b"\nendstream"
    )
    page = PdfPage(show_text("outer", 72, 700) + b"/Fm0 Do", resources="/XObject << /Fm0 4 0 R >>")
    conversion = convert(PdfFile([page]).to_bytes(reserved=(form,)))

    assert {"outer", "inner"} <= set(str(conversion.pages[0].text).split())
    assert [(warning.code, warning.page) for warning in conversion.warnings] == [("partial_conversion", 1)]


def test_a_page_tree_in_a_circle_is_corrupt(convert: ConvertCall) -> None:
    data = three_pages().replace(b"/Kids [5 0 R", b"/Kids [2 0 R")

    with pytest.raises((SourceCorrupt, ContentTooLarge)):
        convert(data)


def test_labels_that_are_broken_are_left_out(convert: ConvertCall) -> None:
    conversion = convert(three_pages(catalog="/PageLabels 77"))

    assert [page.text for page in conversion.pages] == ["First page", "", "Third page"]


def test_pages_that_the_document_counts_and_pypdf_does_not_find_are_told(convert: ConvertCall) -> None:
    """QLT-2: a page of the tree that is null is skipped by pypdf; the others are read."""
    whole = three_pages()
    page = re.search(rb"<<[^<>]*/Type /Page\b.*?>>(?=\s*endobj)", whole, re.DOTALL)
    assert page is not None
    lacking = whole[: page.start()] + b"null".ljust(len(page[0])) + whole[page.end() :]
    conversion = convert(lacking)
    assert len(conversion.pages) == 2
    assert [(one.code, one.page) for one in conversion.warnings] == [("partial_conversion", None)]
    assert "3 pages; pypdf finds 2" in conversion.warnings[0].message
    assert not convert(whole).warnings
