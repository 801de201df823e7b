"""Mailboxes: a page for each message."""

from __future__ import annotations

from email.message import EmailMessage

import pytest
from octavo_contracts import ContentTooLarge, SourceCorrupt


def mailbox(*messages: bytes) -> bytes:
    return b"\n".join(b"From ada@example.org Mon Jun  1 04:28:28 2009\n" + text + b"\n" for text in messages)


def test_a_mailbox_has_a_page_for_each_message(convert):
    attached = EmailMessage()
    attached["Subject"] = "Two"
    attached.set_content("Second.\n")
    attached.add_attachment(b"x", maintype="image", subtype="png", filename="p.png")
    data = mailbox(b"Subject: One\nFrom: a@x\n\nFirst.\n>From here on, quoted.\n", attached.as_bytes(), b"\nno header")
    conversion = convert(data, "application/mbox")
    assert conversion.paginated
    assert [(page.kind, page.label) for page in conversion.pages] == [("page", "One"), ("page", "Two"), ("page", None)]
    assert conversion.pages[0].markdown.endswith("First.\nFrom here on, quoted.")
    assert conversion.metadata.fields == {"messages": 3, "subjects": ["One", "Two", ""]}
    assert [attachment.name for attachment in conversion.attachments] == ["p.png"]


def test_an_encrypted_message_does_not_stop_the_mailbox(convert):
    data = mailbox(b"Subject: One\n\n-----BEGIN PGP MESSAGE-----\nxx\n", b"Subject: Two\n\nreadable\n")
    conversion = convert(data, "application/mbox")
    assert conversion.pages[0].markdown == "# One"
    assert [(warning.code, warning.page) for warning in conversion.warnings] == [("partial_conversion", 1)]
    assert conversion.pages[1].markdown.endswith("readable")


def test_a_mailbox_above_the_limit_is_refused(convert):
    with pytest.raises(ContentTooLarge, match="holds 3 messages"):
        convert(mailbox(*[b"Subject: x\n\ny\n"] * 3), "application/mbox", max_pages=2)


def test_a_file_without_a_from_line_is_no_mailbox(convert):
    with pytest.raises(SourceCorrupt, match="From "):
        convert(b"Subject: x\n\nbody", "application/mbox")
