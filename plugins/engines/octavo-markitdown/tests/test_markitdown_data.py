"""Data files, feeds, PDF and messages (CNV-5, CNV-12)."""

from __future__ import annotations

import json
import struct

import pytest
from octavo_contracts import ContentTooLarge, SourceCorrupt
from octavo_markitdown.data_files import delimiter_of


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csv", "Name,Note\nAnn,a|b\nBo,漢字\n"),
        ("a.csv", "Name;Note\nAnn;a|b\nBo;漢字\n"),
        ("a.csv", "Name\tNote\nAnn\ta|b\nBo\t漢字\n"),
        ("a.tsv", "Name\tNote\nAnn\ta|b\nBo\t漢字\n"),
        ("a.csv", '\ufeffName,Note\r\n"Ann","a|b"\r\n\r\nBo,漢字\r\n'),
    ],
)
def test_a_grid_is_a_table_whatever_its_delimiter(name: str, text: str, convert_bytes) -> None:  # type: ignore[no-untyped-def]  # fixture
    """Commas, semicolons and tabs; the engine itself knows commas only."""
    page = convert_bytes(name, text).pages[0]
    assert page.tables[0].rows == (("Name", "Note"), ("Ann", "a|b"), ("Bo", "漢字"))
    assert page.markdown == "| Name | Note |\n| --- | --- |\n| Ann | a\\|b |\n| Bo | 漢字 |"


def test_a_grid_is_the_one_sheet_of_a_workbook(convert_bytes) -> None:  # type: ignore[no-untyped-def]  # fixture
    """A delimited file has pages as a workbook has: its name is the sheet's label."""
    conversion = convert_bytes("ships.csv", "Name,Note\nAnn,a\n")
    assert conversion.paginated
    assert [(page.kind, page.label) for page in conversion.pages] == [("sheet", "ships")]


def test_characters_after_the_first_64_kib_do_not_break_a_grid(convert_bytes) -> None:  # type: ignore[no-untyped-def]  # fixture
    """The engine guesses the encoding from the start of a file only."""
    rows = convert_bytes("long.csv", "a,b\n" + "x,y\n" * 20_000 + "ü,é\n").pages[0].tables[0].rows
    assert (len(rows), rows[-1]) == (20_002, ("ü", "é"))


def test_one_column_has_no_delimiter() -> None:
    """A comma is assumed, so that nothing is cut."""
    assert delimiter_of("one\ntwo\n") == ","


def test_an_overlong_field_is_corrupt(convert_bytes) -> None:  # type: ignore[no-untyped-def]  # fixture
    """The CSV rules of Python cap a field at 128 KiB."""
    with pytest.raises(SourceCorrupt, match="rules of CSV"):
        convert_bytes("long.csv", "a," + "x" * 200_000)


def test_json_is_a_code_block_and_its_own_text(convert_bytes) -> None:  # type: ignore[no-untyped-def]  # fixture
    """Stars and brackets of the data are no markdown."""
    source = '{"a": "*x* ```", "b": [1]}'
    page = convert_bytes("a.json", source).pages[0]
    assert page.text == source
    assert page.markdown.startswith("```json\n") or page.markdown.startswith("````json\n")
    assert source in page.markdown
    assert page.tables == ()


def test_a_notebook_keeps_its_cells_and_counts_what_is_left_out(convert_bytes) -> None:  # type: ignore[no-untyped-def]  # fixture
    """Outputs are not read, and the warning says how many."""
    notebook = {
        "nbformat": 4,
        "nbformat_minor": 5,
        "metadata": {},
        "cells": [
            {"cell_type": "markdown", "source": ["# Analysis\n", "text"]},
            {"cell_type": "code", "source": ["a = 1 | 2"], "outputs": [{"output_type": "stream", "text": "3"}]},
        ],
    }
    conversion = convert_bytes("a.ipynb", json.dumps(notebook))
    assert conversion.pages[0].markdown == "# Analysis\ntext\n\n```python\na = 1 | 2\n```"
    assert conversion.metadata.title == "Analysis"
    assert [warning.message for warning in conversion.warnings] == ["1 output of the notebook's cells is not read."]


@pytest.mark.parametrize("text", ["no json", "[]", '{"cells": 3}', '{"cells": [3]}', "[" * 100_000])
def test_a_broken_notebook_is_corrupt(text: str, convert_bytes) -> None:  # type: ignore[no-untyped-def]  # fixture
    """Neither our check nor the engine's failure escapes untyped."""
    with pytest.raises(SourceCorrupt):
        convert_bytes("a.ipynb", text)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "a.rss",
            "<rss version='2.0'><channel><title>News</title><item><title>One</title><description>body</description></item></channel></rss>",
        ),
        (
            "a.atom",
            "<feed xmlns='http://www.w3.org/2005/Atom'><title>News</title><entry><title>One</title><summary>body</summary></entry></feed>",
        ),
    ],
)
def test_a_feed_keeps_its_entries(name: str, text: str, convert_bytes) -> None:  # type: ignore[no-untyped-def]  # fixture
    """The feed's title is a heading, each entry a heading below."""
    conversion = convert_bytes(name, text)
    markdown = conversion.pages[0].markdown
    assert markdown.startswith("# News")
    assert "## One" in markdown
    assert "body" in markdown
    assert conversion.metadata.title == "News"


def test_entities_of_a_feed_are_refused(convert_bytes) -> None:  # type: ignore[no-untyped-def]  # fixture
    """An external entity is never resolved."""
    feed = '<!DOCTYPE r [<!ENTITY e SYSTEM "file:///etc/passwd">]><rss version="2.0"><channel><title>&e;</title></channel></rss>'
    with pytest.raises(SourceCorrupt, match="RssConverter failed with EntitiesForbidden"):
        convert_bytes("a.rss", feed)


def pdf(*texts: str) -> bytes:
    """A PDF with a page a text."""
    kids = " ".join(f"{4 + 2 * index} 0 R" for index in range(len(texts)))
    objects = ["<</Type/Catalog/Pages 2 0 R>>", f"<</Type/Pages/Kids[{kids}]/Count {len(texts)}>>"]
    objects.append("<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>")
    for index, text in enumerate(texts):
        stream = f"BT /F1 12 Tf 72 700 Td ({text}) Tj ET"
        objects.append(
            f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Resources<</Font<</F1 3 0 R>>>>/Contents {5 + 2 * index} 0 R>>"
        )
        objects.append(f"<</Length {len(stream)}>>stream\n{stream}\nendstream")
    data, offsets = b"%PDF-1.4\n", []
    for number, content in enumerate(objects, start=1):
        offsets.append(len(data))
        data += f"{number} 0 obj\n{content}\nendobj\n".encode()
    table = "".join(f"{offset:010} 00000 n \n" for offset in offsets)
    tail = f"xref\n0 {len(offsets) + 1}\n0000000000 65535 f \n{table}trailer<</Size {len(offsets) + 1}/Root 1 0 R>>\n"
    return data + f"{tail}startxref\n{len(data)}\n%%EOF\n".encode()


def test_a_pdf_is_one_text_with_a_warning(convert_bytes) -> None:  # type: ignore[no-untyped-def]  # fixture
    """The engine loses the page breaks; the core is told (CNV-12)."""
    conversion = convert_bytes("a.pdf", pdf("Hello harbour", "Second page"))
    assert not conversion.paginated
    assert "Hello harbour" in conversion.pages[0].markdown
    assert "Second page" in conversion.pages[0].markdown
    assert [warning.code for warning in conversion.warnings] == ["missing_page_anchors"]


def test_pdf_pages_that_the_engine_does_not_find_are_told(convert_bytes) -> None:  # type: ignore[no-untyped-def]  # fixture
    """QLT-2: pdfminer skips a page of the tree that is null; the others are read."""
    whole = pdf("one", "two", "three")
    start = whole.index(b"6 0 obj\n") + len(b"6 0 obj\n")
    end = whole.index(b"\nendobj", start)
    conversion = convert_bytes("a.pdf", whole[:start] + b"null".ljust(end - start) + whole[end:])
    assert [warning.code for warning in conversion.warnings] == ["missing_page_anchors", "partial_conversion"]
    assert "3 pages; pdfminer finds 2" in conversion.warnings[1].message
    assert "three" in conversion.pages[0].markdown


def test_more_pdf_pages_than_asked_for_are_refused(convert_bytes) -> None:  # type: ignore[no-untyped-def]  # fixture
    """The pages are counted before the engine starts."""
    with pytest.raises(ContentTooLarge, match="more than 1 pages"):
        convert_bytes("a.pdf", pdf("one", "two"), max_pages=1)


def test_a_pdf_that_is_none_is_corrupt(convert_bytes) -> None:  # type: ignore[no-untyped-def]  # fixture
    """No cross-reference table, no pages."""
    with pytest.raises(SourceCorrupt, match="pdfminer failed"):
        convert_bytes("a.pdf", b"no pdf at all")


def wide(text: str) -> bytes:
    """Text as Outlook stores it."""
    return text.encode("utf-16-le")


def message(streams: dict[str, bytes]) -> bytes:
    """A compound file of streams named by 'storage/stream', each in sectors of its own."""
    free, end = 0xFFFFFFFF, 0xFFFFFFFE
    storages = sorted({name.split("/")[0] for name in streams if "/" in name})
    entries: list[tuple[str, int, str]] = [("Root Entry", 5, "")]
    entries += [(name, 1, "") for name in storages]
    entries += [(name.rpartition("/")[2], 2, name) for name in streams]
    place = {full or name: index for index, (name, _, full) in enumerate(entries)}
    children: dict[int, list[int]] = {0: [place[name] for name in storages]}
    for name in streams:
        owner = place[name.rpartition("/")[0]] if "/" in name else 0
        children.setdefault(owner, []).append(place[name])
    # Streams of 4096 bytes and more lie in whole sectors: padding spares the test a table of small ones.
    contents = {
        name: content + (wide(" ") * 2048 if name.endswith("001F") else bytes(4096))
        for name, content in streams.items()
    }
    directory_sectors = -(-len(entries) // 4)
    fat: list[int] = [0xFFFFFFFD, *range(2, directory_sectors + 1), end]
    starts: dict[str, int] = {}
    for name, content in contents.items():
        starts[name] = len(fat)
        count = -(-len(content) // 512)
        fat += [*range(len(fat) + 1, len(fat) + count), end]
    assert len(fat) <= 128 * 8
    # The table itself takes the last sectors but for the first; the header lists them all.
    extra = 7
    fat_sectors = [0, *range(len(fat), len(fat) + extra)]
    fat += [0xFFFFFFFD] * extra
    fat += [free] * (128 * 8 - len(fat))
    table = struct.pack(f"<{len(fat)}I", *fat)
    header = bytearray(b"\xff" * 512)
    header[:24] = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16)
    struct.pack_into("<HHHHH", header, 24, 0x3E, 3, 0xFFFE, 9, 6)
    header[34:40] = bytes(6)
    struct.pack_into("<IIIIIIIIII", header, 40, 0, len(fat_sectors), 1, 0, 4096, end, 0, end, 0, 0)
    struct.pack_into(f"<{len(fat_sectors)}I", header, 76, *fat_sectors)
    directory = b""
    siblings = {one: nexts for group in children.values() for one, nexts in zip(group, [*group[1:], free], strict=True)}
    for index, (name, kind, full) in enumerate(entries):
        raw = wide(name + "\x00")
        child = children[index][0] if children.get(index) else free
        directory += raw.ljust(64, b"\x00") + struct.pack(
            "<HBBIII", len(raw), kind, 1, free, siblings.get(index, free), child
        )
        directory += bytes(36) + struct.pack(
            "<IQ", starts.get(full, end if kind == 5 else 0), len(contents.get(full, b""))
        )
    empty = bytes(64) + struct.pack("<HBBIII", 0, 0, 0, free, free, free) + bytes(48)
    directory += empty * (directory_sectors * 4 - len(entries))
    body = b"".join(content.ljust(-(-len(content) // 512) * 512, b"\x00") for content in contents.values())
    return bytes(header) + table[:512] + directory + body + table[512:]


def properties(ticks: int) -> bytes:
    """A property stream with the date of sending."""
    return bytes(32) + struct.pack("<IIQ", 0x00390040, 6, ticks)


def test_a_message_keeps_body_date_and_attachments(convert_bytes) -> None:  # type: ignore[no-untyped-def]  # fixture
    """Sender, receiver, subject and body as text; attached files with their bytes; attached messages are said."""
    files = "__attach_version1.0_#0000000"
    streams = {
        "__properties_version1.0": properties(133486272000000000),
        "__substg1.0_0C1A001F": wide("Ann"),
        "__substg1.0_0C1F001F": wide("ann@example.org"),
        "__substg1.0_0E04001F": wide("Bo"),
        "__substg1.0_0037001F": wide("Fog in March"),
        "__substg1.0_1000001F": wide("The harbour is closed. 🚢"),
        f"{files}0/__substg1.0_37010102": b"file content",
        f"{files}0/__substg1.0_3707001F": wide("../../evil.txt"),
        f"{files}0/__substg1.0_370E001F": wide("text/plain"),
        f"{files}1/__substg1.0_3701000D": b"message",
        f"{files}1/__substg1.0_3001001F": wide("Forwarded"),
    }
    conversion = convert_bytes("mail.msg", message(streams))
    markdown = conversion.pages[0].markdown
    assert "**From:** ann@example.org" in markdown
    assert "The harbour is closed. 🚢" in markdown
    metadata = conversion.metadata
    assert (metadata.title, metadata.author, metadata.date) == ("Fog in March", "Ann", "2024-01-02T00:00:00Z")
    assert metadata.fields == {"to": "Bo"}
    (attachment,) = conversion.attachments
    assert (attachment.name, attachment.media_type) == ("../../evil.txt", "text/plain")
    assert attachment.data is not None
    assert attachment.data.rstrip(b"\x00") == b"file content"
    assert ["'Forwarded' is a message" in warning.message for warning in conversion.warnings] == [True]


def test_a_message_without_a_plain_body_says_so(convert_bytes) -> None:  # type: ignore[no-untyped-def]  # fixture
    """A body in RTF or HTML only is not read by the engine."""
    streams = {"__properties_version1.0": properties(0), "__substg1.0_0037001F": wide("Only HTML")}
    conversion = convert_bytes("mail.msg", message(streams))
    assert [warning.code for warning in conversion.warnings] == ["partial_conversion"]
    assert conversion.metadata.date is None


def test_a_compound_file_without_a_message_is_corrupt(convert_bytes) -> None:  # type: ignore[no-untyped-def]  # fixture
    """A workbook under the name of a message."""
    with pytest.raises(SourceCorrupt, match="no message"):
        convert_bytes("mail.msg", message({"Workbook": b"x"}))


def test_other_bytes_are_no_message(convert_bytes) -> None:  # type: ignore[no-untyped-def]  # fixture
    """No compound file at all."""
    with pytest.raises(SourceCorrupt, match="olefile failed"):
        convert_bytes("mail.msg", b"From: a\n\nplain mail, not Outlook's form")


def test_text_and_a_second_table_below_a_table_stand_apart(convert_bytes) -> None:  # type: ignore[no-untyped-def]  # fixture
    """CNV-1: without a blank line between, readers of markdown take the text and the next table's header for rows."""
    lines = [
        "Sales",
        "| a | b |",
        "| --- | --- |",
        "| 1 | 2 |",
        "| c | d |",
        "| --- | --- |",
        "| 3 | 4 |",
        "in millions",
    ]
    cell = {"cell_type": "markdown", "metadata": {}, "source": ["\n".join(lines)]}
    notebook = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    page = convert_bytes("a.ipynb", json.dumps(notebook)).pages[0]

    assert [table.rows for table in page.tables] == [(("a", "b"), ("1", "2")), (("c", "d"), ("3", "4"))]
    assert page.markdown.strip() == (
        "Sales\n| a | b |\n| --- | --- |\n| 1 | 2 |\n\n| c | d |\n| --- | --- |\n| 3 | 4 |\n\nin millions"
    )
