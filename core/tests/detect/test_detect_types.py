"""Type by content first, by name second; disagreement is put into words (CLS-8, CNV-5)."""

from __future__ import annotations

import codecs
import io
import json
import zipfile
from pathlib import Path

import pytest
from octavo.formats import FORMATS, HEAD_BYTES, UNKNOWN, format_for_extension, format_of, is_textual, refine, sniff
from octavo_contracts import Category, FileSource, RoutingType

SAMPLES = Path(__file__).resolve().parents[3] / "docs" / "samples"
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


def source(tmp_path: Path, data: bytes, name: str) -> FileSource:
    path = tmp_path / "document"
    path.write_bytes(data)
    return FileSource(path, media_type="application/octet-stream", name=name)


def zipped(parts: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def content_types(main: str) -> bytes:
    return f'<Types><Override PartName="/m" ContentType="{main}"/></Types>'.encode()


def ole(*names: str, first_bytes: bytes = b"") -> bytes:
    """A compound file by hand: header, table sector, directory sector, one sector of data."""
    header = bytearray(512)
    header[:8] = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
    header[30:32] = (9).to_bytes(2, "little")
    header[48:52] = (1).to_bytes(4, "little")
    header[56:60] = (4096).to_bytes(4, "little")
    header[76:80] = (0).to_bytes(4, "little")
    header[80:512] = b"\xff" * 432
    table = bytearray(b"\xff" * 512)
    table[4:8] = (0xFFFFFFFE).to_bytes(4, "little")
    directory = bytearray(512)
    for index, (name, kind) in enumerate([("Root Entry", 5), *((name, 2) for name in names)]):
        raw = name.encode("utf-16-le") + b"\x00\x00"
        at = index * 128
        directory[at : at + len(raw)] = raw
        directory[at + 64 : at + 66] = len(raw).to_bytes(2, "little")
        directory[at + 66] = kind
        directory[at + 116 : at + 120] = (2).to_bytes(4, "little")
        directory[at + 120 : at + 124] = (8192).to_bytes(4, "little")
    return bytes(header + table + directory) + first_bytes.ljust(512, b"\x00")


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        (b"%PDF-1.7\n", "application/pdf"),
        (b"\xef\xbb\xbf%PDF-1.7\n", "application/pdf"),
        (b"\x89PNG\r\n\x1a\n" + bytes(20), "image/png"),
        (b"\xff\xd8\xff\xe0", "image/jpeg"),
        (b"GIF89a", "image/gif"),
        (b"II*\x00" + bytes(8), "image/tiff"),
        (b"MM\x00+" + bytes(8), "image/tiff"),
        (b"RIFF\x00\x00\x00\x00WEBPVP8 ", "image/webp"),
        (b"BM" + bytes(12) + (40).to_bytes(4, "little"), "image/bmp"),
        (b"ID3\x04" + bytes(8), "audio/mpeg"),
        (b"\xff\xfb\x90\x64" + bytes(8), "audio/mpeg"),
        (b"RIFF\x00\x00\x00\x00WAVEfmt ", "audio/wav"),
        (b"fLaC\x00", "audio/flac"),
        (b"OggS\x00", "audio/ogg"),
        (b"\x00\x00\x00\x20ftypM4A ", "audio/mp4"),
        (b"{\\rtf1\\ansi", "application/rtf"),
        (b"\x1f\x8b\x08\x00", "application/gzip"),
        (b"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"),
        (b"PK\x05\x06" + bytes(18), "application/zip"),
        (b"WEBVTT\n\n00:00.000 --> 00:01.000\nHi", "text/vtt"),
        (b"1\r\n00:00:01,000 --> 00:00:02,000\r\nHi", "application/x-subrip"),
        (b"<!DOCTYPE html><p>x", "text/html"),
        (b"<!-- saved -->\n<HTML><body>", "text/html"),
        (b'<?xml version="1.0"?><html xmlns="x">', "text/html"),
        (b"<div class='a'>x</div>", "text/html"),
        (b'<?xml version="1.0"?><note/>', "application/xml"),
        (b'<?xml version="1.0"?><svg xmlns="x"/>', "image/svg+xml"),
        (b"<svg xmlns='x'/>", "image/svg+xml"),
        (b'<?xml version="1.0"?><rss version="2.0"><channel>', "application/rss+xml"),
        (b"<rss version='2.0'><channel>", "application/rss+xml"),
        (b'<rdf:RDF xmlns:rdf="x" xmlns="http://purl.org/rss/1.0/">', "application/rss+xml"),
        (b'<feed xmlns="http://www.w3.org/2005/Atom">', "application/atom+xml"),
        (b'<?xml version="1.0"?><feed xmlns="urn:other">', "application/xml"),
        (b'<!DOCTYPE article PUBLIC "-//NLM//DTD JATS v1.0//EN" "j.dtd"><article>', "application/jats+xml"),
        (b'<!DOCTYPE book PUBLIC "-//OASIS//DTD DocBook XML V4.5//EN" "d.dtd"><book>', "application/docbook+xml"),
        (b'<?xml version="1.0"?><a:article xmlns:a="http://docbook.org/ns/docbook">', "application/docbook+xml"),
        (b'<?xml version="1.0"?><config xmlns:db="http://docbook.org/ns/docbook">', "application/xml"),
        (b'<?xml version="1.0"?><book xmlns:db="http://docbook.org/ns/docbook">', "application/xml"),
        (b'<!DOCTYPE report SYSTEM "/usr/share/xml/docbook/report.dtd"><report>', "application/xml"),
        (b'<?xml version="1.0"?><x:opml xmlns:x="urn:a">', "application/xml"),
        (b'<?xml version="1.0"?><FictionBook xmlns="x">', "application/x-fictionbook+xml"),
        (b"<!-- feeds --><opml version='2.0'>", "text/x-opml+xml"),
        (b"% a comment\n\n\\documentclass[a4paper]{article}", "application/x-tex"),
        (b"#+title: Tides\n* Ebb", "text/x-org"),
        (b'{"a": 1}', "application/json"),
        (b'[{"a": 1}]', "application/json"),
        (b'{"cells": [{"cell_type": "code"}]}', "application/x-ipynb+json"),
        (b"Received: by x\nFrom: a@b.c\nSubject: s\n\nbody", "message/rfc822"),
        (b"From a@b.c Thu Jan  1 00:00:00 2026\nFrom: a@b.c\n\nx", "application/mbox"),
        ("Grüße aus Köln".encode(), "text/plain"),
        ("Grüße aus Köln".encode("latin-1"), "text/plain"),
        (codecs.BOM_UTF16_LE + "Hallo Welt".encode("utf-16-le"), "text/plain"),
        ("Hallo Welt, wie geht es".encode("utf-16-be"), "text/plain"),
        ("<html><body>".encode("utf-16-le"), "text/html"),
        (bytes(range(256)) * 4, "application/octet-stream"),
        (b"", "application/octet-stream"),
        (b"\x00\x00\x00\x20ftypisom", "application/octet-stream"),
        (b"\xe8\xe9" * 40 + b"\x00\x01\x02\x03" * 8 + b"%PDF-1.4\n", "application/pdf"),
    ],
)
def test_content_alone_tells_the_type(head, expected):
    assert expected == sniff(head, name="").media_type


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a.md", "text/markdown"),
        ("a.csv", "text/csv"),
        ("a.TSV", "text/tab-separated-values"),
        ("a.txt", "text/plain"),
        ("a.py", "text/plain"),
        ("a.tex", "application/x-tex"),
        ("a.rst", "text/x-rst"),
        ("a.org", "text/x-org"),
        ("a.mediawiki", "text/x-wiki"),
        ("a", "text/plain"),
    ],
)
def test_the_name_decides_among_texts_that_look_alike(name, expected):
    detected = sniff(b"alpha,beta\n1,2\n", name=name)
    assert (expected, None) == (detected.media_type, detected.mismatch)


@pytest.mark.parametrize(
    ("head", "name"),
    [
        (b"[1] A footnote, not JSON", "notes.md"),
        (b"<div align=center>\n\n# Title", "README.md"),
        (b"From: me\nTo: you\nSubject: a memo\n\nText", "memo.txt"),
        (b"{curly} beginnings", "a.txt"),
        (b"Say %PDF-1.4 in a sentence", "a.txt"),
        (b"Write \\documentclass{article} first", "a.txt"),
        (b"\\documentclass{article} begins a LaTeX file", "README.md"),
        (b"<opml version='2.0'> begins an outline", "README.md"),
        (b"#+TITLE: is Org's", "a.csv"),
        (b"<noinclude>{{Stub}}</noinclude>", "a.wiki"),
    ],
)
def test_texts_that_only_resemble_another_format_stay_what_they_are_named(head, name):
    detected = sniff(head, name=name)
    assert format_for_extension(Path(name).suffix).media_type == detected.media_type


@pytest.mark.parametrize(
    ("head", "name", "words"),
    [
        (b"Just words, spoken by nobody.", "talk.mp3", ("plain text", ".mp3")),
        (b"<!doctype html><title>x", "report.pdf", ("HTML page", ".pdf")),
        (b"%PDF-1.4\n", "report.docx", ("PDF", ".docx")),
        (b"\xff\xd8\xff\xe0", "scan.png", ("JPEG", ".png")),
        (bytes(range(256)), "a.txt", ("unknown format", ".txt")),
    ],
)
def test_a_name_that_lies_is_reported_in_a_sentence(head, name, words):
    detected = sniff(head, name=name)
    assert detected.mismatch is not None
    assert all(word in detected.mismatch for word in words)
    assert detected.mismatch.endswith(".")
    assert detected.extension_media_type == format_for_extension(Path(name).suffix).media_type


def test_a_declared_type_is_compared_and_generic_ones_are_not():
    """What a server says is no better than a name."""
    said = sniff(b"%PDF-1.4", name="a.pdf", declared="text/html; charset=utf-8")
    assert "declared type is text/html" in said.mismatch
    assert sniff(b"%PDF-1.4", name="a.pdf", declared="application/octet-stream").mismatch is None
    assert sniff(b"%PDF-1.4", name="a.pdf", declared="application/x-pdf").mismatch is None


def test_a_generic_name_is_true_of_a_special_content():
    assert sniff(b"WEBVTT\n", name="talk.txt").mismatch is None
    assert sniff(b'<?xml version="1.0"?><svg/>', name="a.xml").mismatch is None


@pytest.mark.parametrize(
    ("head", "name", "expected"),
    [
        (b"<article><title>x", "a.dbk", "application/docbook+xml"),
        (b"<article><front>", "a.nxml", "application/jats+xml"),
        (b"<note/>", "a.dbk", "application/xml"),
        (b"<?xml version='1.0'?><article>", "a.xml", "application/xml"),
        (b'<?xml version="1.0"?><opml>', "a.xml", "text/x-opml+xml"),
        (b"<opml>", "a.opml", "text/x-opml+xml"),
        (b"\\documentclass{article}", "paper.txt", "application/x-tex"),
        (b"#+AUTHOR: Ada\n", "notes.txt", "text/x-org"),
        (b"<!DOCTYPE html><title>x", "example.org", "text/html"),
        (b"<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<META><TITLE>Bookmarks</TITLE>", "bookmarks.html", "text/html"),
        (b"<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<META><TITLE>Bookmarks</TITLE>", "bookmarks", "text/html"),
        (b"<!DOCTYPE note><title>x", "a.xml", "application/xml"),
        (b"<!DOCTYPE table><table><tr/></table>", "a.html", "application/xml"),
    ],
)
def test_a_root_or_a_first_command_tells_what_the_name_leaves_open(head, name, expected):
    assert expected == sniff(head, name=name).media_type


def test_markup_under_a_general_name_is_no_mismatch():
    assert sniff(b"\\documentclass{article}", name="paper.txt").mismatch is None
    assert sniff(b'<?xml version="1.0"?><FictionBook>', name="book.xml").mismatch is None
    assert sniff(b'<?xml version="1.0"?><rss version="2.0">', name="news.xml").mismatch is None
    assert sniff(b'<feed xmlns="http://www.w3.org/2005/Atom">', name="news.xml").mismatch is None
    assert sniff(b"\\documentclass{article}", name="a.tex", declared="text/x-latex").mismatch is None


def test_only_the_head_is_looked_at():
    beyond = b"plain words " * 400 + b"\x00" * 5000
    assert sniff(beyond, name="") == sniff(beyond[:HEAD_BYTES], name="")


def test_stray_control_characters_are_tolerated_in_what_is_named_text():
    head = b"a line with a zero \x00 in it\n"
    assert sniff(head, name="a.txt").media_type == "text/plain"
    assert sniff(head, name="a").media_type == "application/octet-stream"


@pytest.mark.parametrize(
    "path", sorted(path for path in SAMPLES.glob("*.*") if path.is_file()), ids=lambda path: path.name
)
def test_the_samples_are_told_apart_with_and_without_a_look_inside(path):
    expected = format_for_extension(path.suffix)
    wanted = expected.media_type if expected else "text/plain"
    refined = refine(FileSource(path, media_type=""))
    with path.open("rb") as stream:
        assert wanted == sniff(stream.read(HEAD_BYTES), name=path.name).media_type
    assert (wanted, None) == (refined.media_type, refined.mismatch)


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ({"[Content_Types].xml": content_types(DOCX + ".main+xml")}, DOCX),
        (
            {"[Content_Types].xml": content_types("application/vnd.ms-word.document.macroEnabled.main+xml")},
            "application/vnd.ms-word.document.macroenabled.12",
        ),
        (
            {"[Content_Types].xml": content_types("application/vnd.ms-excel.sheet.binary.macroEnabled.main")},
            "application/vnd.ms-excel.sheet.binary.macroenabled.12",
        ),
        ({"[Content_Types].xml": b"<Types/>", "xl/workbook.xml": b"<x/>"}, XLSX),
        ({"mimetype": b"application/epub+zip"}, "application/epub+zip"),
        ({"META-INF/container.xml": b"<x/>"}, "application/epub+zip"),
        (
            {"mimetype": b"application/vnd.oasis.opendocument.text-template"},
            "application/vnd.oasis.opendocument.text",
        ),
        (
            {
                "META-INF/manifest.xml": b'<m><e full-path="/" media-type="application/vnd.oasis.opendocument.spreadsheet"/></m>'
            },
            "application/vnd.oasis.opendocument.spreadsheet",
        ),
        ({"META-INF/manifest.xml": b'<m><e full-path="/" media-type="x/y"/></m>'}, "application/zip"),
        ({"readme.txt": b"x"}, "application/zip"),
    ],
)
def test_a_zip_is_what_its_parts_say(tmp_path, parts, expected):
    assert expected == refine(source(tmp_path, zipped(parts), "")).media_type


def test_a_macro_document_under_a_plain_name_is_a_mismatch(tmp_path):
    data = zipped({"[Content_Types].xml": content_types("application/vnd.ms-word.document.macroEnabled.main+xml")})
    assert "with macros" in refine(source(tmp_path, data, "harmless.docx")).mismatch


def test_a_stored_mimetype_is_read_from_the_head_and_a_part_name_hints():
    assert sniff(zipped({"mimetype": b"application/epub+zip"}), name="").media_type == "application/epub+zip"
    assert sniff(zipped({"xl/workbook.xml": b"x"}), name="").media_type == XLSX
    assert sniff(zipped({"a": b"x"}), name="a.docx").media_type == DOCX
    assert sniff(zipped({"a": b"x"}), name="").media_type == "application/zip"


def test_a_zip_cut_off_keeps_what_its_name_suggests(tmp_path):
    data = zipped({"word/document.xml": b"x" * 100})[:80]
    assert refine(source(tmp_path, data, "a.docx")).media_type == DOCX


def test_an_encrypted_opendocument_says_so_in_its_manifest(tmp_path):
    manifest = b'<m><e full-path="content.xml"><encryption-data/></e></m>'
    data = zipped({"mimetype": b"application/vnd.oasis.opendocument.text", "META-INF/manifest.xml": manifest})
    assert refine(source(tmp_path, data, "a.odt")).encrypted


@pytest.mark.parametrize(
    ("stream", "expected"),
    [
        ("WordDocument", "application/msword"),
        ("Workbook", "application/vnd.ms-excel"),
        ("Book", "application/vnd.ms-excel"),
        ("PowerPoint Document", "application/vnd.ms-powerpoint"),
        ("__properties_version1.0", "application/vnd.ms-outlook"),
        ("Something", "application/x-ole-storage"),
    ],
)
def test_an_ole_file_is_what_its_streams_say(tmp_path, stream, expected):
    detected = refine(source(tmp_path, ole(stream), ""))
    assert (expected, False) == (detected.media_type, detected.encrypted)


def test_an_encrypted_package_is_named_by_its_name_alone(tmp_path):
    data = ole("EncryptionInfo", "EncryptedPackage")
    detected = refine(source(tmp_path, data, "secret.xlsx"))
    assert (detected.media_type, detected.encrypted, detected.mismatch) == (XLSX, True, None)
    assert refine(source(tmp_path, data, "")).media_type == "application/x-ole-storage"
    assert sniff(data, name="secret.xlsx").media_type == XLSX
    assert sniff(data, name="").media_type == "application/x-ole-storage"


@pytest.mark.parametrize(
    ("stream", "first", "encrypted"),
    [
        ("WordDocument", b"\xec\xa5" + bytes(8) + b"\x00\x01", True),
        ("WordDocument", b"\xec\xa5" + bytes(10), False),
        ("Workbook", b"\x09\x08\x02\x00ab\x2f\x00\x02\x00xx", True),
        ("Workbook", b"\x09\x08\x02\x00ab", False),
    ],
)
def test_legacy_office_files_tell_their_encryption_in_their_first_bytes(tmp_path, stream, first, encrypted):
    assert encrypted is refine(source(tmp_path, ole(stream, first_bytes=first), "a")).encrypted


def test_an_encrypted_legacy_presentation_has_a_stream_for_it(tmp_path):
    assert refine(source(tmp_path, ole("PowerPoint Document", "EncryptedSummary"), "a.ppt")).encrypted


def test_an_ole_file_without_a_readable_directory_is_no_crash(tmp_path):
    broken = ole("Workbook")[:600]
    assert refine(source(tmp_path, broken, "a.xls")).media_type == "application/vnd.ms-excel"


def test_the_table_of_formats_is_unambiguous():
    extensions = [extension for row in FORMATS for extension in row.extensions]
    types = [media_type for row in FORMATS for media_type in (row.media_type, *row.aliases)]
    assert len(extensions) == len(set(extensions))
    assert len(types) == len(set(types))
    assert all(extension.startswith(".") and extension == extension.lower() for extension in extensions)
    assert all(row.routing_type is not RoutingType.UNKNOWN for row in FORMATS if row.extensions)


def test_every_format_of_the_requirements_is_in_the_table():
    """CNV-5, and the formats beside it that Octavo names."""
    wanted = (
        "pdf docx doc pptx ppt xlsx xls csv tsv html md txt eml msg mbox epub png jpeg jpg tiff gif webp bmp mp3 wav m4a "
        "flac ogg odt ods odp rtf json ipynb xml nxml svg vtt srt zip docm xlsm pptm"
    )
    assert [extension for extension in wanted.split() if format_for_extension("." + extension) is None] == []


def test_lookups_know_aliases_and_fall_back():
    assert format_of("text/xml") is format_of("application/xml")
    assert format_of("no/such") is UNKNOWN
    assert format_for_extension(".nope") is None
    assert is_textual("text/x-anything")
    assert is_textual("application/json")
    assert not is_textual("application/pdf")


def test_a_detection_knows_its_row_and_route():
    detected = sniff(b"%PDF-1.4", name="a.pdf")
    assert (detected.format.category, detected.routing_type) == (Category.PDF_TEXT, RoutingType.TEXT_NATIVE_PDF)


@pytest.mark.corpus
def test_types_are_right_on_the_corpus(corpus):
    """Every document, against its name, save the four whose name lies and the empty one."""
    lying = {
        "html-named-pdf": "text/html",
        "text-named-mp3": "text/plain",
        "odl-fake-jpg": "image/jpeg",
        "markitdown-random-bin": UNKNOWN.media_type,
        "empty-pdf": UNKNOWN.media_type,
    }
    wrong = []
    for row in json.loads((corpus / "manifest.json").read_text())["documents"]:
        path = corpus / row["path"]
        wanted = lying.get(path.stem) or format_for_extension(path.suffix).media_type
        with path.open("rb") as stream:
            seen = (
                sniff(stream.read(HEAD_BYTES), name=path.name).media_type,
                refine(FileSource(path, media_type="")).media_type,
            )
        if seen != (wanted, wanted):
            wrong.append((row["path"], *seen))
    assert wrong == []
