"""The hook `convert` of the plugin `pdfium`, on documents made byte for byte."""

from __future__ import annotations

import io
import subprocess
import sys
from importlib import resources
from pathlib import Path
from typing import Any

import pypdf
import pytest
from octavo_conformance.hook_calls import ConvertCall
from octavo_conformance.pdf_writer import PdfFile, PdfPage, show_text
from octavo_contracts import (
    MANIFEST_NAME,
    ContentTooLarge,
    PluginManifest,
    SourceCorrupt,
    SourceEmpty,
    SourceEncrypted,
    UnsupportedFormat,
    UsageError,
)
from octavo_pdfium import plugin


@pytest.fixture
def convert(tmp_path: Path) -> ConvertCall:
    """Converts bytes; keyword arguments go to the request."""
    return ConvertCall(plugin.convert, tmp_path, media_type="application/pdf", name="sample.pdf")


def three_pages(**parts: Any) -> bytes:
    pages = [
        PdfPage(show_text("First page", 72, 700)),
        PdfPage(),
        PdfPage(show_text("Third page", 72, 700), rotate=90),
    ]
    return PdfFile(pages, **parts).to_bytes()


def encrypted(data: bytes, **passwords: str) -> bytes:
    writer = pypdf.PdfWriter(clone_from=io.BytesIO(data))
    writer.encrypt(algorithm="AES-256", **passwords)
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def test_every_page_is_kept_empty_ones_too(convert: ConvertCall) -> None:
    """CNV-12: pages 1..n, the empty one in its place."""
    conversion = convert(three_pages())

    assert [page.text for page in conversion.pages] == ["First page", "", "Third page"]
    assert [page.markdown for page in conversion.pages] == ["First page", "", "Third page"]
    assert [page.number for page in conversion.pages] == [1, 2, 3]
    assert conversion.paginated
    assert {"page"} == {page.kind for page in conversion.pages}
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
        "ModDate": "D:20240301",
        "Keywords": "one, two",
        "Subject": "(unspecified)",
    }
    metadata = convert(three_pages(info=info, catalog="/Lang (de-AT)")).metadata

    assert (
        metadata.title,
        metadata.author,
        metadata.date,
        metadata.language,
    ) == ("Höhe über Null", "A. Nonym", "2024-02-29T13:05:01+02:00", "de-AT")
    assert metadata.fields == {"keywords": "one, two", "modified": "2024-03-01"}


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("D:2024", "2024"),
        ("D:202402", "2024-02"),
        ("D:20240230", None),
        ("D:20240228120000Z", "2024-02-28T12:00:00+00:00"),
        ("D:20240228120000-05'30'", "2024-02-28T12:00:00-05:30"),
        ("D:202402281200", "2024-02-28T12:00:00"),
        ("yesterday", None),
    ],
)
def test_dates_are_iso_as_far_as_they_go(convert: ConvertCall, written: str, read: str | None) -> None:
    assert read == convert(three_pages(info={"CreationDate": written})).metadata.date


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
    with pytest.raises(ContentTooLarge, match="3 pages are above the limit of 2"):
        convert(three_pages(), max_pages=2)
    assert len(convert(three_pages(), max_pages=2, pages=(3,)).pages) == 1


def test_encrypted_needs_the_password(convert: ConvertCall) -> None:
    """Capability passwords."""
    locked = encrypted(three_pages(), user_password="sesame", owner_password="other")

    with pytest.raises(SourceEncrypted, match=r"sample\.pdf, plugin pdfium: the document is encrypted"):
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
    with pytest.raises(SourceCorrupt, match=r"sample\.pdf, plugin pdfium"):
        convert(data)


def test_a_cut_file_is_corrupt_or_what_is_left_of_it(convert: ConvertCall) -> None:
    whole = three_pages()

    with pytest.raises(SourceCorrupt):
        convert(whole[:200])


def test_a_document_without_pages_is_corrupt(convert: ConvertCall) -> None:
    with pytest.raises(SourceCorrupt):
        convert(PdfFile([]).to_bytes())


def test_a_page_that_does_not_load_is_empty_and_told(convert: ConvertCall) -> None:
    """Nothing is lost in silence: the page stays, and a warning names it."""
    broken = three_pages().replace(
        b"/Type /Pages /Count 3 /Kids [5 0 R 7 0 R", b"/Type /Pages /Count 3 /Kids [5 0 R 1 0 R"
    )
    conversion = convert(broken)

    assert [page.text for page in conversion.pages] == ["First page", "", "Third page"]
    assert [(warning.code, warning.page) for warning in conversion.warnings] == [("partial_conversion", 2)]


def test_another_media_type_is_refused(convert: ConvertCall) -> None:
    with pytest.raises(UnsupportedFormat, match="text/html"):
        convert(three_pages(), media_type="text/html")


def test_too_much_text_is_refused(convert: ConvertCall, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("octavo_pdfium.convert.MAX_CHARS", 15)

    with pytest.raises(ContentTooLarge, match="page 3"):
        convert(three_pages())


def test_a_page_with_too_much_text_is_cut_and_told(convert: ConvertCall, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("octavo_pdfium.page.MAX_PAGE_CHARS", 5)
    conversion = convert(three_pages())

    assert [page.text for page in conversion.pages] == ["First", "", "Third"]
    assert [warning.page for warning in conversion.warnings] == [1, 3]


def test_equal_bytes_give_equal_conversions(convert: ConvertCall) -> None:
    assert convert(three_pages()).to_json() == convert(three_pages()).to_json()


def test_the_engine_is_named(convert: ConvertCall) -> None:
    version = convert(three_pages()).engine_version

    assert version is not None
    assert version.startswith("pypdfium2 5.")


def test_importing_the_plugin_does_not_load_the_engine() -> None:
    code = "import sys, octavo_pdfium, octavo_pdfium.plugin; sys.exit('pypdfium2' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_manifest_is_valid_and_names_the_plugin() -> None:
    text = resources.files("octavo_pdfium").joinpath(MANIFEST_NAME).read_text("utf-8")
    manifest = PluginManifest.from_toml(text)

    assert (
        manifest.name,
        manifest.hooks,
        manifest.media_types,
        manifest.priority,
    ) == ("pdfium", ("convert",), ("application/pdf",), 80)
    assert {"pages", "headings", "metadata", "hidden_text", "page_ranges", "passwords"} == set(manifest.capabilities)


def test_a_missing_engine_names_its_install_command() -> None:
    code = (
        "import sys; sys.modules['pypdfium2'] = None\n"
        "from octavo_contracts import ToolUnavailable\n"
        "from octavo_pdfium.native import native\n"
        "try: native()\n"
        "except ToolUnavailable as error: sys.exit('pip install' not in str(error))\n"
        "sys.exit(2)"
    )

    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
