"""`octavo convert` of mails: attachments and messages inside are documents of their own, and none is left out in silence."""

from __future__ import annotations

from email.message import EmailMessage
from email.mime.message import MIMEMessage
from email.mime.multipart import MIMEMultipart
from email.mime.text import MIMEText
from pathlib import Path

TIDES = b"day,height\nMonday,3.2\n"
PIXEL = bytes.fromhex("47494638396101000100800000000000ffffff2c00000000010001000002024401003b")


def mail(subject: str = "Tides", body: str = "The table is attached.\n") -> EmailMessage:
    made = EmailMessage()
    made["From"] = "anna@example.org"
    made["To"] = "ben@example.org"
    made["Subject"] = subject
    made.set_content(body)
    return made


def written(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def test_attachments_are_written_in_a_folder_named_like_the_mail(octavo, tmp_path):
    inner = mail("Forecast", "Gale on Monday.\n")
    inner.add_attachment(b"low water", maintype="text", subtype="plain", filename="deep.txt")
    outer = mail()
    outer.add_attachment(TIDES, maintype="text", subtype="csv", filename="../../tides.csv")
    outer.add_attachment(inner)
    (tmp_path / "post.eml").write_bytes(outer.as_bytes())

    ended = octavo("convert", "post.eml", "-d", "out")
    assert ended.code == 0, ended.stderr
    assert written(tmp_path / "out") == {
        "post.md",
        "post/tides.md",
        "post/attachment-2.md",
        "post/attachment-2/deep.md",
    }
    assert "3.2" in (tmp_path / "out/post/tides.md").read_text(encoding="utf-8")
    assert "Gale on Monday." in (tmp_path / "out/post/attachment-2.md").read_text(encoding="utf-8")
    assert "4 documents" in ended.stderr


def test_the_messages_of_a_digest_are_documents(octavo, tmp_path):
    digest = MIMEMultipart("digest")
    digest["From"] = "list@example.org"
    digest["Subject"] = "Digest"
    for number in (1, 2):
        digest.attach(MIMEMessage(mail(f"Message {number}", f"Text {number}.\n")))
    (tmp_path / "digest.eml").write_bytes(digest.as_bytes())

    assert octavo("convert", "digest.eml", "-d", "out").code == 0
    texts = [path.read_text(encoding="utf-8") for path in sorted((tmp_path / "out/digest").iterdir())]
    assert ["Text 1." in texts[0], "Text 2." in texts[1]] == [True, True]


def test_one_mail_to_stdout_says_how_many_documents_are_left_out(octavo, tmp_path):
    outer = mail()
    outer.add_attachment(TIDES, maintype="text", subtype="csv", filename="tides.csv")
    (tmp_path / "post.eml").write_bytes(outer.as_bytes())

    for form in ("md", "json", "chunks"):
        ended = octavo("convert", "post.eml", "--to", form)
        assert ended.code == 0
        assert "octavo: post.eml: 1 document inside is not in this output; -d DIR converts each" in ended.stderr
    assert "document inside" not in octavo("convert", "post.eml", "-q").stderr


def test_signatures_and_images_of_the_body_are_no_documents(octavo, tmp_path):
    outer = mail()
    outer.add_alternative("<p>The table <img src='cid:logo'> is attached.</p>", subtype="html")
    outer.get_payload()[1].add_related(PIXEL, maintype="image", subtype="gif", cid="<logo>")
    signed = MIMEMultipart("signed", protocol="application/pgp-signature")
    signed["From"], signed["Subject"] = outer["From"], outer["Subject"]
    del outer["From"], outer["To"], outer["Subject"]
    signed.attach(outer)
    signature = MIMEText("-----BEGIN PGP SIGNATURE-----\n", "plain")
    signature.replace_header("Content-Type", "application/pgp-signature; name=signature.asc")
    signed.attach(signature)
    (tmp_path / "post.eml").write_bytes(signed.as_bytes())

    ended = octavo("convert", "post.eml")
    assert (ended.code, "inside" in ended.stderr) == (0, False), ended.stderr
    assert octavo("convert", "post.eml", "-d", "out").code == 0
    assert written(tmp_path / "out") == {"post.md"}


def test_the_plugin_of_the_mail_is_not_that_of_its_attachments(octavo, tmp_path, pdf):
    outer = mail()
    outer.add_attachment(pdf.read_bytes(), maintype="application", subtype="pdf", filename="log.pdf")
    (tmp_path / "post.eml").write_bytes(outer.as_bytes())

    ended = octavo("convert", "post.eml", "-d", "out", "--with", "plaintext")
    assert ended.code == 0, ended.stderr
    assert "observatory" in (tmp_path / "out/post/log.md").read_text(encoding="utf-8")


def test_lines_of_many_documents_hold_those_inside_too(octavo, tmp_path):
    outer = mail()
    outer.add_attachment(TIDES, maintype="text", subtype="csv", filename="tides.csv")
    (tmp_path / "post").mkdir()
    (tmp_path / "post/a.eml").write_bytes(outer.as_bytes())

    ended = octavo("convert", "post", "--to", "pages")
    assert [line["source"] for line in ended.lines] == ["post/a.eml", "post/a.eml › tides.csv"]
