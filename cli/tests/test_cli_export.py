"""`octavo export`: documents of a library written to files."""

from __future__ import annotations

from email.message import EmailMessage

import pytest
from octavo.conversion.output_formats import OutputFormat
from octavo_contracts import ExitCode
from octavo_library.commands.documents.export import FORMATS


def test_a_library_becomes_a_tree_of_markdown(octavo, documents, tmp_path):
    octavo("ingest", "papers")
    ended = octavo("export", "--all", "-d", "out")
    assert ended.code == ExitCode.HARD_FAILURES, "two documents have no content"
    assert (tmp_path / "out" / "tides.md").read_text(encoding="utf-8").startswith("# Tides")
    assert (tmp_path / "out" / "letters" / "anna.md").is_file()
    assert "octavo: 2 of 4 not written:" in ended.stderr
    assert "  empty.txt: " in ended.stderr
    assert "[source_empty]" in ended.stderr
    assert ended.stderr.splitlines()[-1] == "octavo: 2 of 4 documents written to out"


def test_a_file_that_is_there_is_replaced_only_with_force(octavo, documents, tmp_path):
    octavo("ingest", "papers/tides.md")
    (tmp_path / "out").mkdir()
    target = tmp_path / "out" / "tides.txt"
    target.write_text("the user's own")
    refused = octavo("export", "papers/tides.md", "-d", "out", "--to", "text")
    assert (refused.code, target.read_text()) == (ExitCode.USAGE, "the user's own")
    octavo("ingest", "papers/letters")
    octavo("export", "--all", "-d", "all")
    assert octavo("export", "--all", "-d", "all").stderr.count("Give --force to replace it") == 1, (
        "once for all of them"
    )
    assert octavo("export", "papers/tides.md", "-d", "out", "--to", "text", "--force").code == ExitCode.OK
    assert target.read_text(encoding="utf-8") == "Tides\n\nHigh water at noon. Ebb: 潮 🌊\n"


def test_one_document_goes_to_a_file_in_any_form(octavo, documents, tmp_path):
    octavo("ingest", "papers/tides.md")
    octavo("export", "papers/tides.md", "-o", "tides.html", "--to", "html")
    octavo("export", "papers/tides.md", "-o", "tides.zip")
    assert "<h1>Tides</h1>" in (tmp_path / "tides.html").read_text(encoding="utf-8")
    assert (tmp_path / "tides.zip").read_bytes().startswith(b"PK")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("-d", "out"), "name documents, or give --all"),
        (("x", "--all", "-d", "out"), "name documents, or give --all"),
        (("x",), "give -o FILE for one document, or -d DIR"),
        (("x", "y", "-o", "z.zip"), "-o takes one document"),
        (("x", "-o", "z.zip", "--force"), "--force needs -d"),
    ],
)
def test_an_option_that_can_not_apply_is_refused(octavo, arguments, said):
    ended = octavo("export", *arguments)
    assert ended.code == ExitCode.USAGE
    assert said in ended.stderr


def test_the_forms_of_the_help_are_those_there_are():
    assert (*OutputFormat, "zip") == FORMATS


@pytest.mark.parametrize(
    ("name", "begins"),
    [
        ("tides.md", b"# Tides"),
        ("tides.TXT", b"Tides\n"),
        ("tides.html", b"<!DOCTYPE html>"),
        ("tides.json", b"{"),
        ("tides.chunks.jsonl", b'{"source": "tides.md", "chunk_id"'),
        ("tides.pages.jsonl", b'{"source": "tides.md", "document_id"'),
        ("tides.zip", b"PK"),
        ("tides", b"PK"),
    ],
)
def test_the_ending_of_the_file_says_the_form(octavo, documents, tmp_path, name, begins):
    octavo("ingest", "papers/tides.md")
    assert octavo("export", "papers/tides.md", "-o", name).code == ExitCode.OK
    assert (tmp_path / name).read_bytes().lower().startswith(begins.lower())


def test_a_form_that_is_given_counts_more_than_the_ending(octavo, documents, tmp_path):
    octavo("ingest", "papers/tides.md")
    octavo("export", "papers/tides.md", "-o", "tides.md", "--to", "zip")
    assert (tmp_path / "tides.md").read_bytes().startswith(b"PK")


def test_attachments_are_in_a_folder_of_their_mail(octavo, tmp_path):
    """Two mails with an attachment of one name, and a mail in a mail."""
    (tmp_path / "mails").mkdir()
    for day in ("monday", "friday"):
        inner = EmailMessage()
        inner["Subject"] = f"Forwarded on {day}"
        inner.set_content(f"The boat left on {day}.")
        mail = EmailMessage()
        mail["Subject"] = f"Tides of {day}"
        mail.set_content("The table is attached.")
        mail.add_attachment(f"# Table of {day}\n\nHigh water at noon.\n", filename="../table.md", subtype="markdown")
        mail.add_attachment(inner, filename="forwarded.eml")
        (tmp_path / "mails" / f"{day}.eml").write_bytes(mail.as_bytes())
    assert octavo("ingest", "mails").code == ExitCode.OK
    assert octavo("export", "--all", "-d", "out").code == ExitCode.OK
    written = {path.relative_to(tmp_path / "out").as_posix() for path in (tmp_path / "out").rglob("*.md")}
    assert written >= {"monday.md", "friday.md"}
    inside = {name for name in written if "table" in name}
    assert len(inside) == 2
    assert {name.partition("/")[0] for name in inside} == {"monday", "friday"}
    assert {name.partition("/")[0] for name in written - {"monday.md", "friday.md"}} == {"monday", "friday"}
