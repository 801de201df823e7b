"""Outlook messages: headers, the better body, attachments, messages inside, signed and encrypted ones."""

from __future__ import annotations

import base64
import struct
from email.message import EmailMessage

import pytest
from octavo_contracts import SourceCorrupt, SourceEncrypted

MSG = "application/vnd.ms-outlook"
FREE, END, TABLE = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD
SECTOR, SMALL, CUTOFF = 512, 64, 4096
Store = dict[str, "bytes | Store"]


def chain(table: list[int], count: int) -> int:
    """Append a chain of `count` sectors to a table; its first sector, or the end mark."""
    start = len(table)
    table.extend([*range(start + 1, start + count), END] if count else [])
    return start if count else END


def compound_file(store: Store) -> bytes:
    """A compound file of nested storages, small streams in the small sectors ([MS-CFB])."""
    entries: list[list[object]] = [["Root Entry", 5, FREE, FREE, None]]  # name, kind, child, sibling, content

    def add(folder: Store, owner: int) -> None:
        before = None
        # The order of siblings is that of a list: valid enough for readers that walk the whole directory.
        for name, content in folder.items():
            place = len(entries)
            entries.append([name, 2 if isinstance(content, bytes) else 1, FREE, FREE, content])
            if before is None:
                entries[owner][2] = place
            else:
                entries[before][3] = place
            before = place
            if not isinstance(content, bytes):
                add(content, place)

    add(store, 0)
    small, small_table, table, body = bytearray(), [], [], bytearray()
    placed: dict[int, tuple[int, int]] = {}
    for place, (_, kind, _, _, content) in enumerate(entries):
        if kind != 2:
            continue
        assert isinstance(content, bytes)
        if len(content) < CUTOFF:
            placed[place] = (chain(small_table, -(-len(content) // SMALL)), len(content))
            small += content.ljust(-(-len(content) // SMALL) * SMALL, b"\x00")
        else:
            placed[place] = (chain(table, -(-len(content) // SECTOR)), len(content))
            body += content.ljust(-(-len(content) // SECTOR) * SECTOR, b"\x00")
    placed[0] = (chain(table, -(-len(small) // SECTOR)), len(small))
    body += bytes(small).ljust(-(-len(small) // SECTOR) * SECTOR, b"\x00")
    small_sectors = -(-len(small_table) * 4 // SECTOR)
    small_start = chain(table, small_sectors)
    body += struct.pack(f"<{len(small_table)}I", *small_table).ljust(small_sectors * SECTOR, b"\xff")
    directory = b""
    for place, (name, kind, child, sibling, _) in enumerate(entries):
        raw = (str(name) + "\x00").encode("utf-16-le")
        start, size = placed.get(place, (0, 0))
        directory += raw.ljust(64, b"\x00") + struct.pack("<HBBIII", len(raw), kind, 1, FREE, sibling, child)
        directory += bytes(36) + struct.pack("<IQ", start, size)
    sectors = -(-len(directory) // SECTOR)
    directory_start = chain(table, sectors)
    body += directory.ljust(sectors * SECTOR, b"\x00")
    tables = 1
    while (len(table) + tables) * 4 > tables * SECTOR:
        tables += 1
    numbers = list(range(len(table), len(table) + tables))
    table += [TABLE] * tables
    header = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16) + struct.pack("<HHHHH", 0x3E, 3, 0xFFFE, 9, 6) + bytes(6)
    header += struct.pack(
        "<10I", 0, tables, directory_start, 0, CUTOFF, small_start, small_sectors, END, 0, *numbers[:1]
    )
    header += struct.pack(f"<{tables - 1}I", *numbers[1:])
    return (
        header.ljust(SECTOR, b"\xff")
        + bytes(body)
        + struct.pack(f"<{len(table)}I", *table).ljust(tables * SECTOR, b"\xff")
    )


def properties(header: int = 32, **values: int) -> bytes:
    """A property stream: name `pTTTTYYYY` → value."""
    entries = b"".join(struct.pack("<IIQ", int(name[1:], 16), 6, value) for name, value in values.items())
    return bytes(header) + entries


def texts(**values: str) -> Store:
    """String properties: name `pTTTT` → text."""
    return {f"__substg1.0_{name[1:]}001F": value.encode("utf-16-le") for name, value in values.items()}


def binary(tag: str, data: bytes) -> Store:
    return {f"__substg1.0_{tag}0102": data}


def receiver(number: int, role: int, name: str, address: str) -> Store:
    content = {"__properties_version1.0": properties(8, p0C150003=role), **texts(p3001=name, p39FE=address)}
    return {f"__recip_version1.0_#{number:08X}": content}


def attached(number: int, content: Store) -> Store:
    return {f"__attach_version1.0_#{number:08X}": {"__properties_version1.0": properties(8), **content}}


SENT = 133486272000000000  # 2024-01-02T00:00:00Z in steps of 100 ns from 1601
LETTER: Store = {
    "__properties_version1.0": properties(p00390040=SENT),
    **texts(p0037="Fog in März", p0C1A="Ann Lee", p5D01="ann@example.org", p1000="The harbour is closed.\r\n"),
    **receiver(0, 1, "Bo", "bo@example.org"),
    **receiver(1, 2, "Cy", "cy@example.org"),
}


def codes(conversion) -> list[str]:  # type: ignore[no-untyped-def]  # a Conversion
    return [warning.code for warning in conversion.warnings]


def stored(rtf: bytes) -> bytes:
    """Rich text in Outlook's envelope, without compression."""
    return struct.pack("<II4sI", len(rtf) + 12, len(rtf), b"MELA", 0) + rtf


def test_sender_receivers_and_date_stand_above_the_body(convert) -> None:  # type: ignore[no-untyped-def]  # fixture
    conversion = convert(compound_file(LETTER), MSG)
    assert conversion.pages[0].markdown == (
        "# Fog in März\n\nFrom: Ann Lee \\<ann@example.org>\\\nTo: Bo \\<bo@example.org>\\\nCc: Cy \\<cy@example.org>\\\n"
        "Date: 2024-01-02T00:00:00+00:00\n\nThe harbour is closed."
    )
    metadata = conversion.metadata
    assert (metadata.title, metadata.author) == ("Fog in März", "Ann Lee <ann@example.org>")
    assert metadata.fields["cc"] == "Cy <cy@example.org>"
    assert codes(conversion) == []


def test_a_body_in_html_is_read_where_there_is_no_other(convert) -> None:  # type: ignore[no-untyped-def]  # fixture
    html = "<p>Read the <a href='https://example.org/tide'>tide table</a> für Montag.".encode("cp1252")
    letter = {
        **texts(p0037="HTML"),
        "__properties_version1.0": properties(p3FDE0003=1252),
        **binary("1013", html),
    }
    markdown = convert(compound_file(letter), MSG).pages[0].markdown
    assert markdown.endswith("Read the [tide table](https://example.org/tide) für Montag.")


def test_html_inside_rich_text_is_read(convert) -> None:  # type: ignore[no-untyped-def]  # fixture
    """Outlook keeps the HTML of a message in tags of rich text, and repeats parts of it for other programs."""
    rtf = (
        rb"{\rtf1\ansi\ansicpg1252\fromhtml1 \deff0{\fonttbl{\f0\fswiss Arial;}{\f1\fcharset204 Arial;}}"
        rb"{\*\htmltag64 <p>}\htmlrtf {\b \htmlrtf0 Caf\'e9 at {\*\htmltag84 <b>}noon{\*\htmltag92 </b>}"
        rb"\htmlrtf \par}\htmlrtf0  {\f1 \'cf\'f0} \u8364?5{\*\htmltag72 </p>}}"
    )
    letter = {"__properties_version1.0": properties(), **texts(p0037="RTF"), **binary("1009", stored(rtf))}
    assert convert(compound_file(letter), MSG).pages[0].markdown.endswith("Café at **noon** Пр €5")


def test_a_compressed_body_is_read(convert) -> None:  # type: ignore[no-untyped-def]  # fixture
    """The example of the specification, [MS-OXRTFCP] 3.1.2: its text refers to what it has just written."""
    packed = bytes.fromhex("1a0000001c0000004c5a4675e2d44b51410004205758595a0d6e7d010eb0")
    assert packed[8:12] == b"LZFu"
    letter = {"__properties_version1.0": properties(), **texts(p0037="Packed"), **binary("1009", packed)}
    assert "WXYZWXYZWXYZWXYZWXYZ" in convert(compound_file(letter), MSG).pages[0].markdown


def test_attachments_are_named_and_a_message_inside_is_taken_out(convert) -> None:  # type: ignore[no-untyped-def]  # fixture
    inner = {
        "__properties_version1.0": properties(24),
        **texts(p0037="Earlier", p1000="See the chart."),
        **attached(0, {**binary("3701", b"PNG"), **texts(p3707="chart.png", p370E="image/png")}),
    }
    letter = {
        **LETTER,
        **attached(0, {**binary("3701", b"%PDF"), **texts(p3707="tides.pdf", p370E="application/pdf")}),
        **attached(1, {"__substg1.0_3701000D": inner, **texts(p3001="Earlier")}),
    }
    conversion = convert(compound_file(letter), MSG)
    assert "Attachments: tides.pdf, Earlier" in conversion.pages[0].markdown
    first, second = conversion.attachments
    assert (first.name, first.media_type, first.data) == ("tides.pdf", "application/pdf", b"%PDF")
    assert second.media_type == "message/rfc822"
    nested = convert(second.data, "message/rfc822")
    assert nested.metadata.title == "Earlier"
    assert nested.pages[0].markdown.endswith("See the chart.")
    assert [entry.data for entry in nested.attachments] == [b"PNG"]
    assert codes(conversion) == []
    again = convert(compound_file(letter), MSG)
    assert [entry.sha256 for entry in again.attachments] == [entry.sha256 for entry in conversion.attachments]


def test_a_picture_that_the_body_shows_is_inline(convert) -> None:  # type: ignore[no-untyped-def]  # fixture
    letter = {
        **texts(p0037="Logo", p1013="<p>Hello <img src='cid:logo@1'> there"),
        "__properties_version1.0": properties(),
        **attached(0, {**binary("3701", b"PNG"), **texts(p3707="logo.png", p370E="image/png", p3712="logo@1")}),
        **attached(1, {**binary("3701", b"PNG2"), **texts(p3707="photo.png", p370E="image/png", p3712="other@1")}),
    }
    conversion = convert(compound_file(letter), MSG)
    assert [(entry.name, entry.inline) for entry in conversion.attachments] == [
        ("logo.png", True),
        ("photo.png", False),
    ]
    assert "Attachments: photo.png\n" in conversion.pages[0].markdown
    assert "[Image: logo.png]" in conversion.pages[0].markdown


def test_an_object_without_bytes_is_named(convert) -> None:  # type: ignore[no-untyped-def]  # fixture
    letter = {**LETTER, **attached(0, {"__substg1.0_3701000D": {"CONTENTS": b"x"}, **texts(p3001="Chart object")})}
    conversion = convert(compound_file(letter), MSG)
    assert codes(conversion) == ["partial_conversion"]
    assert "Chart object" in conversion.warnings[0].message


def test_a_signed_message_is_read(convert) -> None:  # type: ignore[no-untyped-def]  # fixture
    mail = EmailMessage()
    mail.set_content("Signed words.")
    signed = b"Content-Type: multipart/signed; boundary=b; protocol=x\r\n\r\n--b\r\n" + mail.as_bytes() + b"\r\n--b\r\n"
    signed += b"Content-Type: application/pkcs7-signature; name=smime.p7s\r\n\r\nx\r\n--b--\r\n"
    part = {**binary("3701", signed), **texts(p3707="smime.p7m", p370E="multipart/signed")}
    letter = {
        "__properties_version1.0": properties(),
        **texts(p0037="Signed", p001A="IPM.Note.SMIME.MultipartSigned"),
        **attached(0, part),
    }
    assert "Signed words." in convert(compound_file(letter), MSG).pages[0].markdown


def test_an_encrypted_message_is_refused(convert) -> None:  # type: ignore[no-untyped-def]  # fixture
    part = {**binary("3701", b"0\x80enciphered"), **texts(p3707="smime.p7m")}
    letter = {
        "__properties_version1.0": properties(),
        **texts(p0037="Secret", p001A="IPM.Note.SMIME"),
        **attached(0, part),
    }
    with pytest.raises(SourceEncrypted, match="S/MIME"):
        convert(compound_file(letter), MSG)


@pytest.mark.parametrize(
    ("data", "match"),
    [(compound_file({"Workbook": b"x" * 10}), "holds no message"), (b"From: a\n\nplain", "cannot be read")],
)
def test_other_files_are_no_message(convert, data, match) -> None:  # type: ignore[no-untyped-def]  # fixture
    with pytest.raises(SourceCorrupt, match=match):
        convert(data, MSG)


def test_a_signed_container_of_a_mail_is_read(convert) -> None:  # type: ignore[no-untyped-def]  # fixture
    """A container without a length of its own, as streaming writers make it, and one with lengths."""
    inner = b"Content-Type: text/plain\r\n\r\nInside the signature.\r\n"

    def der(tag: int, content: bytes) -> bytes:
        return bytes([tag, 0x82]) + len(content).to_bytes(2, "big") + content

    data = der(0x06, bytes.fromhex("2a864886f70d010701"))
    whole = der(0x30, data + der(0xA0, der(0x24, der(0x04, inner[:20]) + der(0x04, inner[20:]))))
    signed = der(0x30, der(0x02, b"\x01") + der(0x31, b"") + whole)
    with_lengths = der(0x30, der(0x06, bytes.fromhex("2a864886f70d010702")) + der(0xA0, signed))
    open_ended = b"\x30\x80" + der(0x06, bytes.fromhex("2a864886f70d010702")) + b"\xa0\x80" + signed + b"\x00" * 4
    for container in (with_lengths, open_ended):
        head = b"Subject: x\r\nContent-Type: application/pkcs7-mime; smime-type=signed-data\r\n"
        mail = head + b"Content-Transfer-Encoding: base64\r\n\r\n" + base64.encodebytes(container)
        conversion = convert(mail, "message/rfc822")
        assert conversion.pages[0].markdown.endswith("Inside the signature.")


def test_a_message_that_is_cut_off_says_so(convert) -> None:  # type: ignore[no-untyped-def]  # fixture
    picture = attached(0, {**texts(p3707="tide.png"), **binary("3701", b"\x89PNG" * 5_000)})
    whole = compound_file({**LETTER, **picture})
    assert codes(convert(whole, MSG)) == []
    # The directory says a size that the file does not have, as where its end is missing.
    cut = whole.replace(struct.pack("<IQ", 0, 20_000), struct.pack("<IQ", 0, 2_000_000))
    assert codes(convert(cut, MSG)) == ["partial_conversion"]
