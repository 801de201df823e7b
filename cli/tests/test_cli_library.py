"""The commands on a library: show, list, reconvert, activate."""

from __future__ import annotations

from email.message import EmailMessage

import pytest
from octavo_contracts import ExitCode, IngestionQualityReport, IngestionResult
from octavo_library.commands.document_text import path_text, short_ids


@pytest.fixture
def tides(octavo, documents) -> str:
    """The id of a document that is in the library."""
    return octavo("ingest", documents / "tides.md", "--jsonl").lines[0]["document_id"]


def test_show_tells_what_is_known_and_the_text(octavo, tides, documents):
    ended = octavo("show", tides)
    assert ended.code == ExitCode.OK
    for line in (
        "Title        Tides",
        f"Id           {tides}",
        "Status       complete",
        "Version      1, by plaintext",
    ):
        assert line in ended.out
    assert f"Path         {documents}/tides.md" in ended.out
    assert ended.out.endswith("\n\n# Tides\n\nHigh water at noon. Ebb: 潮 🌊\n")


@pytest.mark.parametrize("length", [6, 36])
def test_a_document_is_found_by_the_beginning_of_its_id(octavo, tides, length):
    assert octavo("show", tides[:length], "--json").json["document"]["id"] == tides


def test_a_document_is_found_by_a_path_it_came_from(octavo, tides):
    assert octavo("show", "papers/tides.md", "--json").json["document"]["id"] == tides


def test_show_json_holds_document_result_and_texts(octavo, tides):
    keys = octavo("show", tides, "--json").json
    assert list(keys) == ["document", "jobs", "result", "markdown", "canonical_text"]
    assert list(keys["document"]) == [
        "id",
        "title",
        "status",
        "reason",
        "media_type",
        "raw_hash",
        "active_version",
        "plugin",
        "ingested_at",
        "paths",
        "attached_to",
        "accepted",
        "declared",
        "disputes",
        "superseded_by",
    ]
    assert IngestionResult.read(keys["result"]).document_id == tides
    assert keys["markdown"].startswith("# Tides")


def test_show_a_page(octavo, pdf):
    octavo("ingest", pdf)
    assert octavo("show", pdf, "--page", "2").out.startswith("Day 2.")
    page = octavo("show", pdf, "--page", "2", "--json").json["page"]
    assert (page["number"], page["text"][:6]) == (2, "Day 2.")


def test_a_page_that_is_not_there_is_a_usage_error(octavo, pdf):
    octavo("ingest", pdf)
    ended = octavo("show", pdf, "--page", "4")
    assert (ended.code, ended.stdout) == (ExitCode.USAGE, b"")
    assert "there is no page 4; the document has 3" in ended.stderr


def test_show_quality(octavo, pdf):
    octavo("ingest", pdf)
    shown = octavo("show", pdf, "--quality").out
    assert "Page anchors 1.00" in shown
    assert "Plugin       liteparse: " in shown
    IngestionQualityReport.read(octavo("show", pdf, "--quality", "--json").json["quality"])


def test_show_quality_explains_flags(octavo, tmp_path):
    (tmp_path / "note.pdf").write_text("# No PDF at all\n", encoding="utf-8")
    octavo("ingest", "note.pdf")
    shown = octavo("show", "note.pdf", "--quality").out
    assert "[type_mismatch]\n  Rename the file if its extension is wrong\n" in shown
    assert "Flag " in octavo("show", "note.pdf").out


def test_show_a_failed_document(octavo, documents):
    octavo("ingest", documents / "broken.pdf")
    ended = octavo("show", documents / "broken.pdf")
    assert ended.code == ExitCode.OK
    assert "Status       failed [source_corrupt]" in ended.out
    assert "Open the file in its own program" in ended.out
    keys = octavo("show", documents / "broken.pdf", "--json").json
    assert (keys["document"]["reason"], keys["markdown"], keys["canonical_text"]) == ("source_corrupt", "", "")


def test_a_page_of_a_failed_document_is_a_usage_error(octavo, documents):
    octavo("ingest", documents / "broken.pdf")
    assert octavo("show", documents / "broken.pdf", "--page", "1").code == ExitCode.USAGE


@pytest.mark.parametrize("arguments", [("show", "abcdef"), ("list",), ("activate", "abcdef", "1")])
def test_without_a_library_it_is_said_how_to_make_one(octavo, arguments, tmp_path):
    ended = octavo(*arguments)
    assert ended.code == ExitCode.USAGE
    assert (
        f"there is no library at {tmp_path}/octavo-library [usage]\n  Create one with `octavo ingest`" in ended.stderr
    )
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_document_is_a_usage_error(octavo, tides):
    ended = octavo("show", "abcdef99")
    assert ended.code == ExitCode.USAGE
    assert "'abcdef99' [usage]" in ended.stderr


def test_list_shows_ids_that_other_commands_take(octavo, documents):
    octavo("ingest", documents)
    lines = octavo("list").out.splitlines()
    assert lines[0].split()[:4] == ["Id", "Title", "Status", "Type"]
    assert len(lines) == 2 + 4
    for line in lines[2:]:
        assert octavo("show", line.split()[0]).code == ExitCode.OK
    assert "failed: source_corrupt" in "".join(lines)


def test_list_names_the_format_and_not_its_media_type(octavo, documents):
    octavo("ingest", documents)
    listed = octavo("list").out
    assert "markdown" in listed
    assert "text/markdown" not in listed


def test_list_json_is_by_arrival(octavo, documents):
    octavo("ingest", documents / "letters")
    octavo("ingest", documents / "tides.md")
    listed = octavo("list", "--json").json["documents"]
    assert [item["title"] for item in listed] == [None, "Tides"]
    assert listed[1]["paths"] == [f"file://{documents}/tides.md"]


def test_an_unknown_corpus_is_a_usage_error(octavo, tides):
    assert octavo("list", "--corpus", "moon").code == ExitCode.USAGE


def test_a_library_of_nothing_says_so(octavo, tmp_path):
    (tmp_path / "bare").mkdir()
    octavo("ingest", "bare")
    assert octavo("list").out == "No documents in octavo-library\n"
    assert octavo("list", "--json").json == {"documents": []}


def test_reconvert_makes_a_new_version_and_activate_goes_back(octavo, tides, install):
    """Nothing is overwritten, and a rollback is one call (STO-6, ENG-25)."""
    install("other")
    made = octavo("reconvert", tides, "--with", "other", "--activate", "--json")
    assert made.code == ExitCode.OK, made.stderr
    assert made.json["document_id"] == tides
    assert (made.json["version"]["version"], made.json["version"]["tool"]) == (2, "other")
    assert octavo("show", tides, "--json").json["markdown"].strip() == "made by other"
    back = octavo("activate", tides, "1")
    assert (back.code, back.out) == (ExitCode.OK, "Version 1 of Tides is active\n")
    versions = octavo("show", tides, "--versions", "--json").json["versions"]
    assert [(item["version"], item["tool"], item["is_active"]) for item in versions] == [
        (1, "plaintext", True),
        (2, "other", False),
    ]


def test_show_reads_an_older_version_and_the_one_of_a_time(octavo, tides, install):
    """STO-19."""
    install("other")
    octavo("reconvert", tides, "--with", "other", "--activate")
    first = octavo("show", tides, "--version", "1", "--json").json
    assert first["document"]["active_version"] == 1
    assert "made by other" not in first["markdown"]
    assert octavo("show", tides, "--as-of", "2999-01-01", "--markdown").out.strip() == "made by other"
    for options in (["--version", "7"], ["--as-of", "2001-01-01"], ["--version", "1", "--as-of", "1h"]):
        assert octavo("show", tides, *options).code == ExitCode.USAGE


def test_reconvert_shows_the_versions_and_the_way_back(octavo, tides, install):
    install("other")
    ended = octavo("reconvert", tides, "--with", "other", "--activate")
    assert "2   active   other 0.1" in ended.out
    assert f"To go back: octavo activate {tides} 1\n" in ended.out


def test_reconvert_may_leave_the_active_version(octavo, tides, install):
    install("other")
    ended = octavo("reconvert", tides, "--with", "other", "--no-activate")
    assert "To go back" not in ended.out
    assert octavo("show", tides, "--json").json["document"]["active_version"] == 1


def test_reconvert_with_a_plugin_that_does_not_read_it_fails_by_its_reason(octavo, tides):
    ended = octavo("reconvert", tides, "--with", "pdfium")
    assert ended.code == ExitCode.HARD_FAILURES
    assert "[unsupported_format]" in ended.stderr


def test_reconvert_needs_the_original(octavo, tides, documents):
    (documents / "tides.md").unlink()
    ended = octavo("reconvert", tides, "--with", "plaintext")
    assert ended.code == ExitCode.HARD_FAILURES
    assert "[source_missing]" in ended.stderr


@pytest.mark.parametrize("rules", [("--heavy",), ("--light",), ("--profile", "seed")])
def test_reconvert_by_the_rules_of_a_profile(octavo, tides, rules):
    """ENG-25."""
    made = octavo("reconvert", tides, *rules, "--json")
    assert (made.code, made.json["version"]["version"]) == (ExitCode.OK, 2)
    shown = octavo("show", tides, "--version", "2", "--quality", "--json").json
    name = {"--heavy": "thorough", "--light": "fast"}.get(rules[0], "seed")
    assert f"profile {name}" in shown["quality"]["selected_tool_reason"]


def test_reconvert_wants_one_way_to_choose(octavo, tides):
    assert octavo("reconvert", tides).code == ExitCode.USAGE
    assert octavo("reconvert", tides, "--heavy", "--with", "plaintext").code == ExitCode.USAGE


def test_a_version_that_is_not_there_can_not_be_activated(octavo, tides):
    assert octavo("activate", tides, "7").code == ExitCode.USAGE


def test_ids_are_shown_as_long_as_it_takes_to_tell_them_apart():
    alike = ["084928f9-258e-522c", "084928f9-258f-522c", "fc97b937-0000-0000"]
    assert list(short_ids(alike).values()) == ["084928f9-258e", "084928f9-258f", "fc97b937-0000"]
    assert short_ids(["084928f9-258e-522c"] * 2) == {"084928f9-258e-522c": "084928f9"}


def test_a_reference_that_is_no_path_is_shown_as_it_is():
    assert path_text("store:originals/ab.pdf") == "store:originals/ab.pdf"
    assert path_text("file:///a/caf%E9.txt") == "/a/caf\ufffd.txt"


@pytest.fixture
def message(documents) -> EmailMessage:
    """A message with a file that can be read attached, and one that cannot."""
    made = EmailMessage()
    made["From"], made["Subject"], made["Date"] = "ada@quay.example", "Tides", "Mon, 3 Mar 2025 10:00:00 +0000"
    made.set_content("The tides of the week are attached, as was asked for.")
    made.add_attachment(b"day,height\nMonday,3.2\n", "text", "csv", filename="tides.csv")
    made.add_attachment(b"%PDF-1.7\n" + b"\0garbage" * 50, "application", "pdf", filename="week.pdf")
    (documents / "tides.eml").write_bytes(made.as_bytes())
    return made


def test_what_is_attached_is_shown_with_its_message(octavo, message, documents):
    ended = octavo("ingest", "papers/tides.eml")
    assert ended.code == ExitCode.HARD_FAILURES
    rows = [line.split()[:5] for line in ended.out.splitlines()[1:]]
    rows = rows[1:] if rows[0][0].startswith("─") else rows  # the table is aligned up to 120 columns
    path = "papers/tides.eml"
    assert rows[0][:2] == [path, "complete"]
    assert rows[1][:4] == [path, "›", "tides.csv", "complete"]
    assert rows[2][:4] == [path, "›", "week.pdf", "failed"]
    assert "3 documents in" in ended.out
    assert "2 complete, 1 failed; 2 of them attachments" in ended.out

    shown = octavo("show", documents / "tides.eml").out
    listed = octavo("list", "--json").json["documents"]
    outer, table, failed = listed
    assert f"Attachment   tides.csv: complete, `octavo show {table['id'][:8]}`" in shown
    assert f"Attachment   week.pdf: failed, `octavo show {failed['id'][:8]}`" in shown
    assert f"Attached to  Tides ({outer['id'][:8]})" in octavo("show", table["id"]).out
    assert [one["attached_to"] for one in listed] == [[], [outer["id"]], [outer["id"]]]


def test_json_tells_what_a_document_was_attached_to(octavo, message, documents):
    lines = octavo("ingest", documents / "tides.eml", "--jsonl").lines
    assert [line["attached_to"] for line in lines] == [None, lines[0]["document_id"], lines[0]["document_id"]]
    assert [one["document_id"] for one in lines[0]["result"]["attachments"]] == [
        line["document_id"] for line in lines[1:]
    ]
    summary = octavo("ingest", documents / "tides.eml", "--json").json["summary"]
    assert {key: summary[key] for key in ("total", "failed", "attachments", "reused", "not_attempted")} == {
        "total": 3, "failed": 1, "attachments": 2, "reused": 3, "not_attempted": 0,
    }  # fmt: skip


def test_a_purge_names_the_attachments_that_stay(octavo, message, documents):
    lines = octavo("ingest", documents / "tides.eml", "--jsonl").lines
    shown = octavo("purge", lines[0]["document_id"])
    assert all(f"  stays: {line['document_id']}, an attachment of it" in shown.out for line in lines[1:])
