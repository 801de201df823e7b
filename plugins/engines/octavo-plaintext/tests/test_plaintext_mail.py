"""E-mail: headers, the body that carries the content, attachments."""

from __future__ import annotations

import base64
import hashlib
from email.message import EmailMessage

import pytest
from octavo_contracts import SourceCorrupt, SourceEncrypted

MAIL = "message/rfc822"


def message(body: str = "Hello.\n", **headers: str) -> EmailMessage:
    mail = EmailMessage()
    for name, value in ({"Subject": "Test", "From": "Ada <ada@example.org>", "To": "b@example.org"} | headers).items():
        mail[name.replace("_", "-")] = value
    mail.set_content(body)
    return mail


def raw(*lines: str) -> bytes:
    return "\r\n".join(lines).encode("utf-8")


def codes(conversion):
    return [warning.code for warning in conversion.warnings]


def test_headers_are_metadata_and_stand_above_the_body(convert):
    mail = message(
        Subject="Grüße *heute*", Cc="c@example.org", Date="Tue, 11 Sep 2001 00:05:05 -0400", Message_ID="<1@x>"
    )
    mail["In-Reply-To"] = "<0@x>"
    mail["Content-Language"] = "de"
    conversion = convert(mail.as_bytes(), MAIL)
    metadata = conversion.metadata
    assert (metadata.title, metadata.author, metadata.language) == ("Grüße *heute*", "Ada <ada@example.org>", "de")
    assert metadata.date == "2001-09-11T00:05:05-04:00"
    assert metadata.fields == {
        "subject": "Grüße *heute*",
        "from": "Ada <ada@example.org>",
        "to": "b@example.org",
        "cc": "c@example.org",
        "date": "2001-09-11T00:05:05-04:00",
        "message_id": "<1@x>",
        "in_reply_to": "<0@x>",
    }
    assert conversion.pages[0].markdown == (
        "# Grüße \\*heute\\*\n\nFrom: Ada \\<ada@example.org>\\\nTo: b@example.org\\\nCc: c@example.org\\\n"
        "Date: 2001-09-11T00:05:05-04:00\n\nHello."
    )
    assert (conversion.paginated, conversion.pages[0].kind, conversion.warnings) == (False, "whole", ())


def test_a_date_that_is_none_is_kept_as_written(convert):
    conversion = convert(raw("Subject: x", "Date: next Tuesday", "", "body"), MAIL)
    assert conversion.metadata.date is None
    assert conversion.metadata.fields["date_as_written"] == "next Tuesday"
    assert codes(conversion) == ["date_not_read"]


def test_plain_text_is_preferred_where_it_carries_the_content(convert):
    mail = message("The same words in plain text.\n")
    mail.add_alternative("<p>The same words in <b>HTML</b>.</p>", subtype="html")
    assert convert(mail.as_bytes(), MAIL).pages[0].markdown.endswith("The same words in plain text.")


def test_html_is_taken_where_the_plain_text_is_a_stand_in(convert):
    mail = message("View in browser\n")
    mail.add_alternative("<p>" + "Real words here. " * 20 + "</p>", subtype="html")
    assert "Real words here." in convert(mail.as_bytes(), MAIL).pages[0].markdown


def test_html_inside_related_parts_is_a_body_and_its_picture_an_inline_attachment(convert):
    mail = message("x\n")
    mail.add_alternative(
        "<p>" + "Content of the letter. " * 10 + '<img src="cid:pic" alt="Our logo"></p>', subtype="html"
    )
    mail.get_payload()[1].add_related(b"\x89PNG", "image", "png", cid="<pic>")
    conversion = convert(mail.as_bytes(), MAIL)
    assert "Content of the letter." in conversion.pages[0].markdown
    assert "[Image: Our logo]" in conversion.pages[0].markdown
    (picture,) = conversion.attachments
    assert (picture.media_type, picture.inline, picture.data) == ("image/png", True, b"\x89PNG")
    assert conversion.pages[0].has_images


def test_attachments_keep_bytes_name_and_hash(convert):
    mail = message()
    mail.add_attachment(b"\x00\x01data", maintype="application", subtype="pdf", filename="Bericht März.pdf")
    mail.add_attachment("text file", filename="notes.txt")
    conversion = convert(mail.as_bytes(), MAIL)
    first, second = conversion.attachments
    assert (first.name, first.media_type, first.data, first.inline) == (
        "Bericht März.pdf",
        "application/pdf",
        b"\x00\x01data",
        False,
    )
    assert first.sha256 == hashlib.sha256(b"\x00\x01data").hexdigest()
    assert (second.name, second.data) == ("notes.txt", b"text file\n")
    assert "text file" not in conversion.pages[0].markdown


def test_a_name_in_encoded_words_is_decoded(convert):
    word = "=?utf-8?B?" + base64.b64encode("größe.txt".encode()).decode() + "?="
    data = raw(
        "Subject: x",
        f'Content-Type: application/pdf; name="{word}"',
        f'Content-Disposition: attachment; filename="{word}"',
        "",
        "x",
    )
    assert convert(data, MAIL).attachments[0].name == "größe.txt"


def test_a_name_like_a_path_stays_a_name(convert, tmp_path):
    mail = message()
    mail.add_attachment(b"x", maintype="application", subtype="octet-stream", filename="../../evil.sh")
    conversion = convert(mail.as_bytes(), MAIL)
    assert conversion.attachments[0].name == "../../evil.sh"
    assert codes(conversion) == ["attachment_name"]
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["source"]


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("keeper@pier.example (Ada Quay)", "Ada Quay \\<keeper@pier.example>"),
        ("keeper@pier.example (Ada B. Quay)", '"Ada B. Quay" \\<keeper@pier.example>'),
        ("a@x.example (Ada), b@x.example", "Ada \\<a@x.example>, b@x.example"),
        ("b@x.example (=?utf-8?q?J=C3=BCrgen?=)", "Jürgen \\<b@x.example>"),
        ("b@x.example ()", "b@x.example"),
        ("Ada (of the pier) <a@x.example>", "Ada \\<a@x.example>"),
        ("a@x.example (Ada (of the pier))", "a@x.example"),
    ],
)
def test_a_name_in_a_comment_behind_an_address_is_shown(convert, written, shown):
    """As old programs wrote addresses; the metadata have them as the standard library reads them."""
    conversion = convert(raw(f"From: {written}", "Subject: x", "", "Text."), MAIL)
    assert conversion.pages[0].markdown == f"# x\n\nFrom: {shown}\n\nText."
    if written.endswith(")"):
        assert "<" not in (conversion.metadata.author or "")


def test_a_text_file_shown_inline_is_the_body_where_there_is_no_other(convert):
    data = raw(
        "Subject: x", "Content-Type: multipart/mixed; boundary=b", "",
        "--b", "Content-Type: text/plain", "Content-Disposition: inline; filename=one.txt", "", "first text",
        "--b", "Content-Type: text/plain", "Content-Disposition: inline; filename=two.txt", "", "second text", "--b--",
    )  # fmt: skip
    conversion = convert(data, MAIL)
    assert conversion.pages[0].markdown == "# x\n\nAttachments: one.txt, two.txt\n\nfirst text"
    assert [attachment.name for attachment in conversion.attachments] == ["one.txt", "two.txt"]


def test_texts_without_a_name_all_belong_to_the_body(convert):
    data = raw(
        "Subject: x", "Content-Type: multipart/mixed; boundary=b", "",
        "--b", "Content-Type: text/plain", "", "one", "--b", "Content-Type: text/html", "", "<p>two", "--b--",
    )  # fmt: skip
    assert convert(data, MAIL).pages[0].markdown == "# x\n\none\n\ntwo"


def test_a_forwarded_message_is_an_attachment(convert):
    mail = message("See below.\n")
    mail.add_attachment(message("Inner text.\n", Subject="Inner"))
    conversion = convert(mail.as_bytes(), MAIL)
    (inner,) = conversion.attachments
    assert inner.media_type == MAIL
    assert convert(inner.data, MAIL).metadata.title == "Inner"
    assert "Inner text." in convert(inner.data, MAIL).pages[0].markdown


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_forwarded_message_has_its_own_bytes(convert, end):
    """The attachment has the line breaks of the message in the mail, in long header fields too, so that both have one hash."""
    subject = " ".join(["harbour"] * 30)
    letter = end.join([f"Subject: {subject}", "To: a@example.org,", "\tb@example.org", "", "Inner text.", ""])
    head = [
        "Subject: x",
        "Content-Type: multipart/mixed; boundary=b",
        "",
        "--b",
        "Content-Type: message/rfc822",
        "",
        "",
    ]
    conversion = convert((end.join(head) + letter + f"{end}--b--{end}").encode(), MAIL)
    assert [one.data for one in conversion.attachments] == [letter.encode()]


def test_a_long_chain_of_forwarded_messages_is_listed_with_a_note(convert):
    conversion = convert(b"Subject: x\r\nContent-Type: message/rfc822\r\n\r\n" * 120 + b"hi", MAIL)
    assert [attachment.data for attachment in conversion.attachments] == [None]
    assert codes(conversion) == ["partial_conversion"]


def test_parts_nested_beyond_reading_are_corrupt(convert):
    with pytest.raises(SourceCorrupt, match="nest too deep"):
        convert(b"Subject: x\r\nContent-Type: message/rfc822\r\n\r\n" * 5000 + b"hi", MAIL)


def test_more_parts_than_the_limit_are_noted(convert):
    part = b"--b\r\nContent-Type: text/plain\r\n\r\nx\r\n"
    conversion = convert(
        b"Subject: x\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n" + part * 1200 + b"--b--", MAIL
    )
    assert codes(conversion) == ["partial_conversion"]
    assert "first 1000 parts" in conversion.warnings[0].message


def test_a_giant_attachment_is_listed_without_its_bytes(convert, monkeypatch):
    monkeypatch.setattr("octavo_plaintext.mail_body.MAX_ATTACHMENT_BYTES", 10)
    mail = message()
    mail.add_attachment(b"x" * 11, maintype="application", subtype="pdf", filename="big.pdf")
    conversion = convert(mail.as_bytes(), MAIL)
    assert (conversion.attachments[0].data, conversion.attachments[0].size) == (None, 11)
    assert codes(conversion) == ["partial_conversion"]


@pytest.mark.parametrize(
    ("head", "body", "text", "code"),
    [
        ("Content-Type: text/plain; charset=iso-8859-1", b"caf\xe9", "café", []),
        ("Content-Type: text/plain; charset=us-ascii", b"He said \x93yes\x94", "He said “yes”", []),
        ("Content-Type: text/plain; charset=nonsense", "schön".encode(), "schön", []),
        ("Content-Type: text/plain; charset=hex", "schön".encode(), "schön", []),
        ("Content-Type: text/plain; charset=utf-8", b"a\xffb \xc3\xa4\xc3\xb6", "a\ufffdb äö", ["encoding_repaired"]),
        ("Content-Transfer-Encoding: quoted-printable", b"caf=C3=A9 =\r\nau=ZZ", "café au=ZZ", []),
        ("Content-Transfer-Encoding: base64", base64.b64encode(b"whole") + b"\r\nQ", "whole", ["damaged_part"]),
    ],
)
def test_faulty_encodings_are_tolerated(convert, head, body, text, code):
    conversion = convert(b"Subject: x\r\n" + head.encode() + b"\r\n\r\n" + body, MAIL)
    assert conversion.pages[0].markdown.endswith(text)
    assert codes(conversion) == code


@pytest.mark.parametrize(("code", "kept"), [("JVBERi0xLjQ", b"%PDF-1.4"), ("JVBERi0xLjQKJ>", b"%PDF-1.4\n")])
def test_a_damaged_attachment_is_kept_with_a_warning(convert, code, kept):
    data = raw(
        "Subject: x", "Content-Type: application/pdf; name=a.pdf", "Content-Disposition: attachment",
        "Content-Transfer-Encoding: base64", "", code, "",
    )  # fmt: skip
    conversion = convert(data, MAIL)
    assert conversion.attachments[0].data == kept
    assert codes(conversion) == ["damaged_part"]
    assert "application/pdf" in conversion.warnings[0].message


def test_a_multipart_that_breaks_off_is_noted(convert):
    conversion = convert(raw("Subject: x", "Content-Type: multipart/mixed; boundary=b", "", "--b", "", "text"), MAIL)
    assert "text" in conversion.pages[0].markdown
    assert codes(conversion) == ["damaged_part"]


def test_raw_bytes_and_faulty_words_in_headers_are_tolerated(convert):
    data = b"Subject: caf\xc3\xa9\r\nFrom: J\xf6rg <j@x>\r\nTo: =?utf-8?q?broken\r\nCc: a@b,,;<>\r\n\r\nbody"
    fields = convert(data, MAIL).metadata.fields
    assert fields["subject"] == "café"
    assert fields["from"] == "Jörg <j@x>"


def test_a_giant_header_is_cut_with_a_warning(convert):
    conversion = convert(b"Subject: " + b"x" * 30_000 + b"\r\n\r\nbody", MAIL)
    assert len(conversion.metadata.title) == 20_000
    assert "partial_conversion" in codes(conversion)


def test_a_mail_saved_as_utf16_is_read(convert):
    conversion = convert("Subject: wide\r\n\r\nbody".encode("utf-16"), MAIL)
    assert conversion.metadata.title == "wide"
    assert codes(conversion) == ["encoding_repaired"]


def test_a_delivery_report_is_text(convert):
    data = raw(
        "Subject: failed", "Content-Type: multipart/report; boundary=b", "", "--b", "Content-Type: text/plain", "", "It failed.",
        "--b", "Content-Type: message/delivery-status", "", "Reporting-MTA: dns; mx.example.org", "", "Status: 5.1.1", "", "--b--",
    )  # fmt: skip
    text = convert(data, MAIL).pages[0].markdown
    assert "It failed." in text
    assert "Status: 5.1.1" in text


@pytest.mark.parametrize(
    "data",
    [
        raw(
            "Subject: x",
            "Content-Type: multipart/encrypted; boundary=b; protocol=application/pgp-encrypted",
            "",
            "--b",
            "",
            "--b--",
        ),
        raw(
            "Subject: x", "Content-Type: application/pkcs7-mime; smime-type=enveloped-data; name=smime.p7m", "", "MIAG"
        ),
        raw("Subject: x", "Content-Type: application/x-pkcs7-mime; name=smime.p7m", "", "MIAG"),
        raw("Subject: x", "", "-----BEGIN PGP MESSAGE-----", "", "hIwD", "-----END PGP MESSAGE-----"),
    ],
)
def test_encrypted_mail_is_refused(convert, data):
    with pytest.raises(SourceEncrypted, match="encrypted"):
        convert(data, MAIL)


def test_signed_mail_in_a_container_is_kept_as_attachment(convert):
    container = bytes.fromhex("308006092a864886f70d010702a080") + b"signed"
    data = raw(
        "Subject: x",
        "Content-Type: application/pkcs7-mime; name=smime.p7m",
        "Content-Transfer-Encoding: base64",
        "",
        base64.b64encode(container).decode(),
    )
    assert convert(data, MAIL).attachments[0].data == container


@pytest.mark.parametrize("data", [b"no header at all\nreally", b"\x00\x01\x02\x03"])
def test_what_has_no_header_is_corrupt(convert, data):
    with pytest.raises(SourceCorrupt, match="no mail header"):
        convert(data, MAIL)


def test_html_is_taken_where_it_holds_links_that_the_plain_text_does_not_name(convert):
    mail = message("Read the tide table before you sail. The harbour is closed.\n")
    mail.add_alternative(
        '<p>Read the <a href="https://example.org/tides">tide table</a> before you sail. The harbour is closed.</p>',
        subtype="html",
    )
    assert "[tide table](https://example.org/tides)" in convert(mail.as_bytes(), MAIL).pages[0].markdown


def test_html_is_taken_where_it_holds_a_table(convert):
    mail = message("Port Depth Dover 9\n")
    mail.add_alternative("<table><tr><th>Port<th>Depth<tr><td>Dover<td>9</table>", subtype="html")
    page = convert(mail.as_bytes(), MAIL).pages[0]
    assert "| Dover | 9 |" in page.markdown
    assert len(page.tables) == 1


def test_html_is_taken_where_the_plain_text_spells_out_the_addresses_of_its_links(convert):
    """CNV-5: words of an address are no words that the HTML lacks; its table would be lost."""
    mail = message("Tides: https://example.org/harbour/tables/2024/dover\nPort Depth\nDover 9\n")
    mail.add_alternative(
        '<p><a href="https://example.org/harbour/tables/2024/dover">Tides</a></p>'
        "<table><tr><th>Port<th>Depth<tr><td>Dover<td>9</table>",
        subtype="html",
    )
    markdown = convert(mail.as_bytes(), MAIL).pages[0].markdown
    assert "[Tides](https://example.org/harbour/tables/2024/dover)" in markdown
    assert "| Dover | 9 |" in markdown


def test_plain_text_is_kept_where_the_html_says_something_else(convert):
    mail = message("The meeting has moved to Tuesday at nine in the small hall.\n")
    mail.add_alternative("<p>" + "Advertising in place of the letter. " * 4 + "</p>", subtype="html")
    markdown = convert(mail.as_bytes(), MAIL).pages[0].markdown
    assert "moved to Tuesday" in markdown
    assert "Advertising" not in markdown


def test_quotes_and_lists_of_plain_text_stay_quotes_and_lists(convert):
    body = "Yes.\n> Will you come?\n>> Who asks?\n> I do.\nSee you\n- Ann\n- Bo *now*\n1. first\n\n-- \nAnn # not a heading\n"
    markdown = convert(message(body).as_bytes(), MAIL).pages[0].markdown
    assert markdown.endswith(
        "Yes.\n\n> Will you come?\n>\n> > Who asks?\n>\n> I do.\n\nSee you\n- Ann\n- Bo \\*now\\*\n1. first\n\n\\--\nAnn # not a heading"
    )


def test_attachments_are_named_in_the_text(convert):
    mail = message(Date="Tue, 11 Sep 2001 00:05:05 -0400")
    mail.add_attachment(b"x", maintype="application", subtype="pdf", filename="tide_table [1].pdf")
    mail.add_attachment(b"x", maintype="application", subtype="pgp-signature", filename="signature.asc")
    markdown = convert(mail.as_bytes(), MAIL).pages[0].markdown
    assert "\\\nAttachments: tide_table \\[1\\].pdf\\\nDate: 2001" in markdown
    assert "signature.asc" not in markdown


def test_a_picture_in_the_body_without_a_text_has_the_name_of_its_file(convert):
    mail = message("x\n")
    mail.add_alternative('<p>See <img src="cid:pic_1@x"> and this long text beside it.</p>', subtype="html")
    mail.get_payload()[1].add_related(b"\x89PNG", "image", "png", cid="<pic_1@x>", filename="chart_1.png")
    assert "See [Image: chart_1.png] and" in convert(mail.as_bytes(), MAIL).pages[0].markdown


def test_an_encrypted_part_beside_readable_text_is_said(convert):
    data = raw(
        "Subject: x", "Content-Type: multipart/mixed; boundary=b", "", "--b", "Content-Type: text/plain", "", "Read me.",
        "--b", "Content-Type: application/pkcs7-mime; smime-type=enveloped-data; name=smime.p7m", "", "MIAG", "--b--",
    )  # fmt: skip
    conversion = convert(data, MAIL)
    assert conversion.pages[0].markdown.endswith("Read me.")
    assert codes(conversion) == ["partial_conversion"]
    assert "S/MIME" in conversion.warnings[0].message
    assert [attachment.name for attachment in conversion.attachments] == ["smime.p7m"]


def test_blind_copies_are_shown_where_the_file_has_them(convert):
    """A message that its sender kept names the receivers of blind copies; they are part of it."""
    data = b"From: ada@example.org\nTo: b@example.org\nBcc: c@example.org\nSubject: Gate\n\nClosed at noon.\n"

    assert "To: b@example.org\\\nBcc: c@example.org\n" in convert(data, MAIL).pages[0].markdown
