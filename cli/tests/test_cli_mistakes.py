"""Mistakes at the command line: the message says what was meant."""

from __future__ import annotations

import pytest
from octavo_contracts import ExitCode


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("papers/tidse.md", "papers/tides.md"),
        ("papers/TIDES.MD", "papers/tides.md"),
        ("papers/tides", "papers/tides.md"),
        ("papers/letters/anna.pdf", None),
        ("papers/zzz.md", None),
        ("nowhere/tides.md", None),
    ],
)
def test_a_path_that_does_not_exist_gets_the_nearest_one(octavo, documents, given, meant):
    (documents / "letters" / "anna.txt").rename(documents / "letters" / "letter to the board.txt")
    ended = octavo("convert", given)
    assert ended.code == ExitCode.HARD_FAILURES
    assert ("did you mean" in ended.stderr) == (meant is not None)
    if meant is not None:
        assert f"No such file or directory; did you mean {meant}? [source_missing]" in ended.stderr


def test_each_of_several_paths_gets_the_nearest_one(octavo, documents):
    ended = octavo("convert", "papers/tidse.md", "papers/letters/anna.txt", "-d", "out")
    assert "papers/tidse.md: the file cannot be opened: No such file or directory; did you mean papers/tides.md?" in (
        ended.stderr
    )


def test_ingest_names_the_nearest_path_and_not_the_doctor(octavo, documents):
    octavo("ingest", "papers/tides.md", "--library", "library")
    ended = octavo("ingest", "papers/tidse.md", "--library", "library")
    assert "  papers/tidse.md; did you mean papers/tides.md?\n" in ended.out
    assert "octavo doctor" not in ended.out


@pytest.mark.parametrize(
    ("given", "meant"), [("tides", "tides.md"), ("Tides.MD", "tides.md"), ("tidse.md", "tides.md"), ("zzz", None)]
)
def test_a_document_without_its_ending_is_suggested(octavo, documents, given, meant):
    (documents / "tides.md").write_text("High water at noon, low water at six.\n")
    octavo("ingest", "papers/tides.md", "papers/letters", "--library", "library")
    ended = octavo("show", given, "--library", "library")
    assert ended.code == ExitCode.USAGE
    said = f"no document matches '{given}'" + (f"; did you mean {meant}?" if meant else "")
    assert ended.stderr.startswith(f"octavo: {said} [usage]\n")


def test_two_paths_of_which_the_second_is_an_output_suggest_the_option(octavo, documents, tmp_path):
    ended = octavo("convert", "papers/tides.md", "tides.html")
    assert (ended.code, "give -d DIR; did you mean -o tides.html?" in ended.stderr) == (ExitCode.USAGE, True)
    (tmp_path / "other.md").write_text("Low water at six")
    for other in ("other.md", "other.docx"):
        assert "-o" not in octavo("convert", "papers/tides.md", other).stderr


@pytest.mark.parametrize(
    ("given", "meant"), [("--format", "--to"), ("--output-format", "--to"), ("--engine", "--with")]
)
def test_an_option_of_other_programs_suggests_the_one_of_octavo(octavo, documents, given, meant):
    ended = octavo("convert", "papers/tides.md", given, "text")
    assert ended.code == ExitCode.USAGE
    assert meant in ended.stderr
    assert "--force" not in ended.stderr


def test_a_plugin_of_octavo_that_is_not_installed_is_named_with_its_command(octavo, documents):
    """`docling` is one of Octavo's own, and `pdfminer` has a look-alike; neither is installed with the other tests' plugins alone."""
    ended = octavo("convert", "papers/tides.md", "--with", "llama-index")
    assert ended.code == ExitCode.USAGE
    first, second = ended.stderr.splitlines()
    assert first == "octavo: plugin 'llama-index' is not installed [usage]"
    assert second.startswith("  Run: ")
    assert "[llama-index]" in second


def test_a_format_that_nothing_reads_is_told_as_such(octavo, tmp_path):
    (tmp_path / "plan.dwg").write_bytes(b"AC1032" + bytes(range(256)) * 20)
    ended = octavo("convert", "plan.dwg")
    assert "no plugin that Octavo knows reads application/octet-stream (.dwg) [unsupported_format]" in ended.stderr
    assert ended.stderr.splitlines()[1] == "  Export it as PDF, DOCX or text from the program that wrote it"
    assert "octavo doctor" not in ended.stderr, "the doctor has nothing that reads it"


@pytest.mark.parametrize("name", ["x.docx", "x.PDF", "x.csv", "x.xhtml"])
def test_an_output_named_as_another_format_is_refused(octavo, documents, tmp_path, name):
    ended = octavo("convert", "papers/tides.md", "-o", name)
    assert ended.code == ExitCode.USAGE
    assert "which is not written" in ended.stderr
    assert "--to" in ended.stderr
    assert ".html" in ended.stderr
    assert not (tmp_path / name).exists()


def test_an_output_named_as_another_format_is_written_in_the_form_that_is_asked_for(octavo, documents, tmp_path):
    assert octavo("convert", "papers/tides.md", "-o", "x.jsonl", "--to", "pages").code == ExitCode.OK
    assert (tmp_path / "x.jsonl").read_text(encoding="utf-8").startswith('{"source"')
    assert octavo("convert", "papers/tides.md", "-o", "x.log").code == ExitCode.OK
