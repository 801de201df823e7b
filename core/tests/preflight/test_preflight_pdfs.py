"""PDF: only what is certain is refused; the rest is noted."""

from __future__ import annotations

import sys
import tracemalloc
import zlib

import pytest
from octavo_contracts import ContentTooLarge, SourceCorrupt, SourceEncrypted, ToolUnavailable
from octavo_sandbox.preflight import ENCRYPTED, FOREIGN_DATA, OVERSIZED_IMAGE, SOURCE_DAMAGED, PdfFile, PreflightLimits

CATALOGUE = b"<</Type/Catalog/Pages 2 0 R>>"
ONE_PAGE = (CATALOGUE, b"<</Type/Pages/Kids[3 0 R]/Count 1>>", b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 100 100]>>")
ENCRYPTION = b"/Encrypt <</Filter/Standard/V 1/R 2/P -4/O <%s>/U <%s>>>/ID[<00><00>]" % (b"00" * 32, b"11" * 32)


def flags(report) -> list[str]:
    return [finding.flag for finding in report.findings]


def test_an_ordinary_pdf_passes_and_its_pages_are_counted(check, pdf):
    report = check(pdf(*ONE_PAGE), "a.pdf")
    assert (report.findings, report.page_count) == ((), 1)


def test_a_header_without_objects_is_corrupt(check):
    with pytest.raises(SourceCorrupt, match="no objects"):
        check(b"%PDF-1.3\nnothing here\n%%EOF\n", "a.pdf")


def test_a_pdf_that_pdfium_can_not_open_is_left_to_other_engines(check):
    report = check(b"%PDF-1.4\n1 0 obj\n<</Pages 9 0 R>>\nendobj\n", "a.pdf")
    assert (flags(report), report.page_count) == ([SOURCE_DAMAGED], None)


def test_a_pdf_without_pages_is_noted(check, pdf):
    assert flags(check(pdf(CATALOGUE, b"<</Type/Pages/Kids[]/Count 0>>"), "a.pdf")) == [SOURCE_DAMAGED]


def test_a_content_stream_that_is_damaged_in_its_middle_is_noted(check, pdf):
    """QLT-2: PDF readers draw what stands before the damage and report nothing."""
    lines = b"\n".join(b"BT /F1 9 Tf 72 %d Td (%d barges) Tj ET" % (place, place**3) for place in range(20, 90))
    whole = zlib.compress(lines)
    spoilt = whole[: len(whole) // 3] + bytes(byte ^ 0x5A for byte in whole[len(whole) // 3 :])
    pages = (CATALOGUE, b"<</Type/Pages/Kids[3 0 R]/Count 1>>", ONE_PAGE[2].replace(b">>", b"/Contents 4 0 R>>"))
    form = b"<</Filter /FlateDecode/Length %d%s>>\nstream\n%s\nendstream"

    def found(data: bytes, entries: bytes = b"", *, filters: bytes = b"/FlateDecode") -> list[str]:
        content = (form % (len(data), entries, data)).replace(b"/FlateDecode", filters)
        return flags(check(pdf(*pages, content), "a.pdf"))

    assert found(spoilt) == found(b"no zlib at all", filters=b"[/FlateDecode]") == [SOURCE_DAMAGED]
    # Complete for readers: a stream without its end, with a wrong checksum, with bytes behind it. Not judged: a picture, two filters.
    assert found(whole) == found(whole[:-6]) == found(whole[:-4] + b"0000") == found(whole + b"\r\n ") == []
    assert found(spoilt, b"/Subtype/Image") == found(b"87cUR", filters=b"[/ASCII85Decode /FlateDecode]") == []


def test_streams_that_expand_without_end_are_checked_in_bounded_time_and_memory(check, pdf):
    bomb = zlib.compress(bytes(300 << 20), 9)
    content = b"<</Filter/FlateDecode/Length %d>>\nstream\n%s\nendstream" % (len(bomb), bomb)
    tracemalloc.start()
    assert flags(check(pdf(*ONE_PAGE, content), "a.pdf")) == []
    assert tracemalloc.get_traced_memory()[1] < 64 << 20
    tracemalloc.stop()


def test_pages_are_limited_by_what_the_tree_claims(check, pdf):
    with pytest.raises(ContentTooLarge, match="at most 10,000"):
        check(pdf(CATALOGUE, b"<</Type/Pages/Kids[3 0 R]/Count 1000000>>", ONE_PAGE[2]), "a.pdf")
    two = pdf(CATALOGUE, b"<</Type/Pages/Kids[3 0 R 3 0 R]/Count 2>>", ONE_PAGE[2])
    with pytest.raises(ContentTooLarge):
        check(two, "a.pdf", limits=PreflightLimits(max_pages=1))


def test_a_page_tree_that_holds_itself_ends(check, pdf):
    check(pdf(CATALOGUE, b"<</Type/Pages/Kids[2 0 R 3 0 R]/Count 2>>", ONE_PAGE[2]), "a.pdf")


@pytest.mark.parametrize(
    ("action", "words"),
    [
        (b"/OpenAction<</S/JavaScript/JS(app.alert\\(1\\))>>", "JavaScript"),
        (b"/OpenAction<</S/Launch/F(cmd.exe)>>", "starts a program"),
        (b"/OpenAction<</S/SubmitForm/F(http://a.invalid)>>", "sends a form"),
    ],
)
def test_actions_are_active_content(check, pdf, action, words):
    catalogue = b"<</Type/Catalog/Pages 2 0 R" + action + b">>"
    (finding,) = check(pdf(catalogue, *ONE_PAGE[1:]), "a.pdf").findings
    assert (finding.flag, words in finding.message) == ("active_content", True)


def test_a_name_that_only_begins_like_an_action_is_none(check, pdf):
    assert check(pdf(b"<</Type/Catalog/Pages 2 0 R/LaunchPad 1>>", *ONE_PAGE[1:]), "a.pdf").findings == ()


def test_bytes_around_the_pdf_are_noted(check, pdf):
    report = check(pdf(*ONE_PAGE, before=b"GARBAGE" * 9), "a.pdf")
    assert FOREIGN_DATA in flags(report)
    (finding,) = check(pdf(*ONE_PAGE, after=b"PK\x03\x04" + b"z" * 100), "a.pdf").findings
    assert (finding.flag, "zip container" in finding.message) == (FOREIGN_DATA, True)


def test_an_image_above_the_pixel_limit_is_noted(check, pdf):
    image = b"<</Type/XObject/Subtype /Image/Width 100000/Height 100000/Length 0>>\nstream\n\nendstream"
    (finding,) = check(pdf(*ONE_PAGE, image), "a.pdf").findings
    assert (finding.flag, "100,000 by 100,000" in finding.message) == (OVERSIZED_IMAGE, True)


def test_image_sizes_are_read_from_the_open_dictionaries(pdf):
    """A size given by reference shows as 0, a name that only ends like one not at all."""
    images = (
        b"<</Subtype/Image/Width 30/Height 40>>\nstream\n\nendstream",
        b"<</Width 3 0 R/Subtype /Image>>\nstream\n\nendstream",
        b"<</ProcSet[/PDF /ImageB]>>",
    )
    with PdfFile(pdf(*ONE_PAGE, *images)) as opened:
        assert opened.rasters == ((30, 40), (3, 0))


def test_a_pdf_that_needs_a_password_says_so(check, pdf):
    data = pdf(*ONE_PAGE, trailer=ENCRYPTION)
    with pytest.raises(SourceEncrypted, match="needs a password"):
        check(data, "a.pdf")
    with pytest.raises(SourceEncrypted, match="password is wrong"):
        check(data, "a.pdf", password="wrong")


def test_a_closed_pdf_has_no_pages(pdf):
    opened = PdfFile(pdf(*ONE_PAGE))
    opened.close()
    opened.close()
    assert opened.page_count == 0


def test_a_missing_pdfium_is_named_with_its_command(monkeypatch, pdf):
    monkeypatch.setitem(sys.modules, "pypdfium2", None)
    with pytest.raises(ToolUnavailable, match="pypdfium2") as caught:
        PdfFile(pdf(*ONE_PAGE))
    assert "pip install" in caught.value.remedy


@pytest.mark.corpus
def test_encrypted_pdfs_of_the_corpus_open_with_their_passwords(check, corpus):
    """The only place with real encryption: the empty password is a finding, another one an error until it is given."""
    import json

    rows = json.loads((corpus / "manifest.json").read_text())["documents"]
    seen = 0
    for row in rows:
        if row["kind"] != "bad-encrypted" or not row["path"].endswith(".pdf"):
            continue
        data, name, password = (corpus / row["path"]).read_bytes(), row["path"], row.get("password")
        if "owner" in name or "empty" in name:
            assert ENCRYPTED in flags(check(data, "a.pdf"))
            seen += 1
            continue
        with pytest.raises(SourceEncrypted):
            check(data, "a.pdf")
        if password:
            assert ENCRYPTED in flags(check(data, "a.pdf", password=password))
            seen += 1
    assert seen >= 3
