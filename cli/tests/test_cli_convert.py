"""`octavo convert`: one document to markdown, kept nowhere."""

from __future__ import annotations

import os
import signal

import pytest
from octavo.profiles.profile import SHIPPED_PROFILES
from octavo_cli.toolkit.options import PROFILES
from octavo_contracts import ExitCode, IngestionResult


def test_markdown_goes_to_stdout_and_nothing_is_kept(octavo, documents, tmp_path):
    ended = octavo("convert", "papers/tides.md")
    assert (ended.code, ended.stderr) == (ExitCode.OK, "")
    assert ended.out == "# Tides\n\nHigh water at noon. Ebb: 潮 🌊\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["papers"]


def test_data_is_utf8_whatever_the_locale(octavo_process, documents):
    ended = octavo_process("convert", "papers/tides.md", env={"LC_ALL": "C", "PYTHONIOENCODING": "ascii"})
    assert "潮 🌊" in ended.out


def test_a_title_that_the_terminal_can_not_show_does_not_end_the_run(octavo_process, documents):
    (documents / "潮.txt").write_text("text", encoding="utf-8")
    ended = octavo_process("ingest", "papers/潮.txt", env={"PYTHONIOENCODING": "latin-1"})
    assert (ended.code, ended.stderr) == (ExitCode.OK, "")
    assert "papers/?.txt" in ended.out


def test_json_holds_the_result_and_both_texts(octavo, documents):
    ended = octavo("convert", "papers/tides.md", "--json")
    assert list(ended.json) == ["result", "markdown", "canonical_text"]
    result = IngestionResult.read(ended.json["result"])
    assert result.canonical_text_ref is not None
    assert result.canonical_text_ref.startswith("memory:sha256:")
    assert "潮 🌊" in ended.json["canonical_text"]


def test_page_marks_stand_before_each_page(octavo, pdf):
    ended = octavo("convert", pdf, "--page-marks")
    marks = [line for line in ended.out.splitlines() if line.startswith("<!-- page ")]
    assert marks == ["<!-- page 1 -->", "<!-- page 2 -->", "<!-- page 3 -->"]
    assert "<!--" not in octavo("convert", pdf).out


def test_a_limit_is_lowered_and_raised(octavo, pdf):
    """ENG-20: the remedy of a document that is too large names the option."""
    refused = octavo("convert", pdf, "--limit", "max_pages=2")
    assert refused.code == ExitCode.HARD_FAILURES
    assert "[content_too_large]" in refused.stderr
    assert "octavo convert --limit max_pages=NUMBER" in refused.stderr
    assert octavo("convert", pdf, "--limit", "max_pages=3").code == ExitCode.OK
    for given in ("max_page=3", "max_pages", "max_pages=x", "max_pages=0"):
        assert octavo("convert", pdf, "--limit", given).code == ExitCode.USAGE


def test_a_failed_document_prints_its_reason_on_stderr_only(octavo, documents):
    ended = octavo("convert", "papers/empty.txt")
    assert ended.code == ExitCode.HARD_FAILURES
    assert ended.stdout == b""
    assert ended.stderr == (
        "octavo: papers/empty.txt: the file is empty (0 bytes) [source_empty]\n"
        "  Fetch or export the file again: it has no bytes\n"
    )


def test_a_failed_document_still_has_its_json(octavo, documents):
    ended = octavo("convert", "papers/empty.txt", "--json")
    assert ended.code == ExitCode.HARD_FAILURES
    assert "[source_empty]" in ended.stderr
    assert ended.json["result"]["ingestion_status"] == "hard_failed"
    assert (ended.json["markdown"], ended.json["canonical_text"]) == ("", "")


def test_a_missing_tool_has_its_own_code(octavo, documents, install):
    install("engineless", engine='distribution = "no-such-engine"\nmodule = "no_such_engine"')
    ended = octavo("convert", documents / "tides.md", "--with", "engineless")
    assert ended.code == ExitCode.TOOL_UNAVAILABLE
    assert "plugin engineless: " in ended.stderr
    assert "[tool_unavailable]" in ended.stderr


def test_what_is_doubtful_is_said_on_stderr(octavo, tmp_path):
    (tmp_path / "note.pdf").write_text("# No PDF at all\n", encoding="utf-8")
    ended = octavo("convert", "note.pdf")
    assert ended.code == ExitCode.OK
    assert ended.stderr.startswith("octavo: note.pdf: ")
    assert ended.stderr.endswith("[type_mismatch]\n")


def test_a_plugin_that_is_not_there_is_a_usage_error(octavo, documents):
    ended = octavo("convert", documents / "tides.md", "--with", "plaintxt")
    assert ended.code == ExitCode.USAGE
    assert ended.stderr.count("\n") == 2


def test_stdin_is_read_with_a_name_that_tells_its_format(octavo_process):
    ended = octavo_process("convert", "-", "--name", "table.csv", "--json", stdin=b"a,b\n1,2\n")
    assert ended.json["result"]["classification"]["media_type"] == "text/csv"
    assert ended.json["result"]["original_artifact_ref"].startswith("memory:sha256:")


def test_an_error_about_stdin_uses_its_name(octavo_process):
    ended = octavo_process("convert", "-", "--name", "letter.txt")
    assert ended.code == ExitCode.HARD_FAILURES
    assert ended.stderr.startswith("octavo: letter.txt: ")


def test_a_password_opens_an_encrypted_document(octavo, pdf, tmp_path, monkeypatch):
    pypdf = pytest.importorskip("pypdf", reason="pypdf makes the encrypted document")
    writer = pypdf.PdfWriter(clone_from=pdf)
    writer.encrypt("open sesame", algorithm="RC4-128")
    locked = tmp_path / "locked.pdf"
    with locked.open("wb") as stream:
        writer.write(stream)
    refused = octavo("convert", locked)
    assert refused.code == ExitCode.HARD_FAILURES
    assert "[source_encrypted]" in refused.stderr
    assert "Day 1" in octavo("convert", locked, "--password", "open sesame").out
    monkeypatch.setenv("OCTAVO_PASSWORD", "open sesame")
    assert "Day 1" in octavo("convert", locked).out


def test_output_is_written_whole_to_a_file(octavo, documents, tmp_path):
    target = tmp_path / "out.md"
    target.write_text("old", encoding="utf-8")
    ended = octavo("convert", "papers/tides.md", "-o", "out.md")
    assert (ended.code, ended.stdout) == (ExitCode.OK, b"")
    assert target.read_text(encoding="utf-8").startswith("# Tides")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.md", "papers"]


def test_json_may_go_to_a_file(octavo, documents, tmp_path):
    octavo("convert", "papers/tides.md", "--json", "-o", "out.json")
    assert (tmp_path / "out.json").read_bytes().startswith(b'{\n  "result"')


def test_an_output_keeps_the_permissions_that_a_new_file_gets(octavo, documents, tmp_path):
    before = os.umask(0o027)
    try:
        octavo("convert", "papers/tides.md", "-o", "out.md")
    finally:
        os.umask(before)
    assert (tmp_path / "out.md").stat().st_mode & 0o777 == 0o640


def test_a_failed_document_leaves_the_output_file_alone(octavo, documents, tmp_path):
    target = tmp_path / "out.md"
    target.write_text("old", encoding="utf-8")
    octavo("convert", "papers/empty.txt", "-o", target)
    assert target.read_text(encoding="utf-8") == "old"


def test_the_output_may_be_a_device(octavo, documents):
    assert octavo("convert", "papers/tides.md", "-o", "/dev/null").code == ExitCode.OK


@pytest.mark.parametrize("link", [False, True])
def test_a_document_is_never_overwritten_by_its_own_conversion(octavo, documents, link):
    """The original is never modified (CNV-17), by whatever name it is called."""
    source = documents / "tides.md"
    before = source.read_bytes()
    target = documents / "alias.md"
    if link:
        target.symlink_to(source)
    ended = octavo("convert", source, "-o", target if link else source)
    assert ended.code == ExitCode.USAGE
    assert "replace the document itself" in ended.stderr
    assert source.read_bytes() == before


def test_an_output_folder_that_is_not_there_is_told_before_converting(octavo, documents):
    ended = octavo("convert", documents / "tides.md", "-o", "nowhere/out.md")
    assert ended.code == ExitCode.USAGE
    assert "does not exist" in ended.stderr


def test_an_output_that_can_not_be_written_is_a_storage_error(octavo, documents):
    """/dev/full refuses every write as a full disk does."""
    ended = octavo("convert", documents / "tides.md", "-o", "/dev/full")
    assert ended.code == ExitCode.HARD_FAILURES
    assert "No space left" in ended.stderr


def test_nothing_unfinished_is_left_where_a_file_can_not_be_replaced(octavo, documents, tmp_path):
    target = tmp_path / ("x" * 250)
    ended = octavo("convert", documents / "tides.md", "-o", str(target) + "y" * 20)
    assert ended.code == ExitCode.HARD_FAILURES
    assert "File name too long [storage]" in ended.stderr, "and no full disk"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["papers"]


def test_an_interrupt_ends_it_with_its_own_code(start, documents, install):
    install("slow", body="    import time\n    time.sleep(60)")
    process = start("convert", "papers/tides.md", "--with", "slow")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out) == (ExitCode.INTERRUPTED, b"")
    assert b"Traceback" not in err


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_reader_that_goes_away_ends_it_quietly(start, tmp_path, monkeypatch, unbuffered):
    monkeypatch.setenv("PYTHONUNBUFFERED", unbuffered)
    (tmp_path / "long.txt").write_text("a long line of text\n" * 100_000, encoding="utf-8")
    process = start("convert", "long.txt")
    process.stdout.read(10)
    process.stdout.close()
    process.stdout = None
    _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (ExitCode.INTERRUPTED, b"")


def test_a_document_can_not_send_control_sequences_to_a_terminal(terminal, tmp_path):
    (tmp_path / "evil.txt").write_bytes(b"before \x1b]0;owned\x07 after\n" * 3)
    _, shown = terminal("convert", "evil.txt")
    assert "before" in shown
    assert "\x1b" not in shown


@pytest.mark.parametrize(("name", "form"), [("markdown", "md"), ("txt", "text"), ("plain", "text"), ("htm", "html")])
def test_a_form_has_other_usual_names(octavo, documents, name, form):
    told, meant = (octavo("convert", "papers/tides.md", "--to", one) for one in (name, form))
    assert (told.code, told.stdout) == (0, meant.stdout)


def test_the_help_lists_every_shipped_profile(octavo):
    shown = " ".join(octavo("convert", "--help").out.split())
    assert f"Routing rules: {', '.join(PROFILES)}, or the path of a .toml file." in shown
    assert sorted(PROFILES) == sorted(SHIPPED_PROFILES)
