"""`octavo convert` of many documents: the tree is kept, nothing is replaced unasked, failures are told at the end."""

from __future__ import annotations

import json

import pytest
from octavo.conversion.output_formats import OutputFormat
from octavo_cli.convert import FORMATS
from octavo_cli.toolkit.output_endings import form_by_ending
from octavo_contracts import ExitCode


def test_a_folder_becomes_a_tree_of_markdown(octavo, documents, tmp_path):
    (documents / "empty.txt").unlink()
    (documents / "broken.pdf").unlink()
    ended = octavo("convert", "papers", "-d", "out")
    assert (ended.code, ended.stdout) == (ExitCode.OK, b"")
    assert (tmp_path / "out" / "tides.md").read_text(encoding="utf-8").startswith("# Tides")
    assert (tmp_path / "out" / "letters" / "anna.md").read_text().startswith("Dear Anna")
    assert "octavo: papers/tides.md -> out/tides.md: complete" in ended.stderr
    assert ended.stderr.splitlines()[-1].startswith("octavo: 2 documents in ")


def test_failures_are_listed_at_the_end_each_with_its_remedy(octavo, documents, tmp_path):
    ended = octavo("convert", "papers", "-d", "out", "-q")
    assert ended.code == ExitCode.HARD_FAILURES
    assert ended.stderr == (
        "octavo: 2 of 4 not converted:\n"
        "  papers/broken.pdf: the PDF has a header but no objects: nothing in it can be read [source_corrupt]\n"
        "    Open the file in its own program and save it again, or fetch it again\n"
        "  papers/empty.txt: the file is empty (0 bytes) [source_empty]\n"
        "    Fetch or export the file again: it has no bytes\n"
    )
    assert sorted(path.name for path in (tmp_path / "out").rglob("*.md")) == ["anna.md", "tides.md"]


def test_one_remedy_of_several_documents_is_told_once(octavo, documents):
    (documents / "letters" / "void.txt").write_bytes(b"")
    told = octavo("convert", "papers", "-d", "out", "-q").stderr.splitlines()
    assert [line.partition(":")[0].strip() for line in told[1:]] == [
        "papers/broken.pdf",
        "Open the file in its own program and save it again, or fetch it again",
        "papers/empty.txt",
        "papers/letters/void.txt",
        "Fetch or export the file again",
    ]


NOTHING = "<html><head><title></title></head><body></body></html>"


def test_a_document_without_text_gets_no_file_and_is_listed_at_the_end(octavo, documents, tmp_path):
    """An empty file would keep the next conversion, with the tool that the document needs, from being written."""
    (documents / "nothing.html").write_text(NOTHING)
    ended = octavo("convert", "papers/tides.md", "papers/nothing.html", "-d", "out")
    assert ended.code == ExitCode.DEGRADED
    assert "octavo: papers/nothing.html: degraded, " in ended.stderr
    assert "no file written" in ended.stderr
    assert "\noctavo: 1 of 2 without text, so no file was written:\n  papers/nothing.html: " in ended.stderr
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["tides.md"]

    (documents / "nothing.html").write_text("<p>High water at noon</p>")
    assert octavo("convert", "papers/nothing.html", "papers/letters", "-d", "out").code == ExitCode.OK
    assert (tmp_path / "out" / "nothing.md").read_text(encoding="utf-8") == "High water at noon\n"


@pytest.mark.parametrize(("form", "is_written"), [("md", False), ("text", False), ("json", True)])
def test_one_document_without_text_gets_no_file_either(octavo, documents, tmp_path, form, is_written):
    (documents / "nothing.html").write_text(NOTHING)
    ended = octavo("convert", "papers/nothing.html", "-o", "out", "--to", form)
    assert ended.code == ExitCode.DEGRADED
    assert (tmp_path / "out").exists() == is_written
    assert ("octavo: out: the document has no text, so no file was written" in ended.stderr) != is_written


def test_json_of_a_document_without_text_has_the_reason_and_the_remedy_names_force(octavo, documents, tmp_path):
    (documents / "nothing.html").write_text(NOTHING)
    ended = octavo("convert", "papers/tides.md", "papers/nothing.html", "-d", "out", "--to", "json", "-q")
    assert ended.stderr.splitlines()[0] == "octavo: 1 of 2 without text:"
    assert "--force replaces out/nothing.json" in ended.stderr
    result = json.loads((tmp_path / "out" / "nothing.json").read_text(encoding="utf-8"))["result"]
    assert "no_content" in result["quality_report"]["degraded_flags"]


def test_a_file_that_is_there_is_replaced_only_with_force(octavo, documents, tmp_path):
    (tmp_path / "out").mkdir()
    target = tmp_path / "out" / "tides.md"
    target.write_text("the user's own")
    refused = octavo("convert", "papers/tides.md", "-d", "out")
    assert refused.code == ExitCode.USAGE
    assert "Give --force to replace it" in refused.stderr
    assert target.read_text() == "the user's own"
    assert octavo("convert", "papers/tides.md", "-d", "out", "--force").code == ExitCode.OK
    assert target.read_text(encoding="utf-8").startswith("# Tides")


def test_documents_whose_files_are_there_are_skipped_and_told_once(octavo, tmp_path):
    (tmp_path / "papers").mkdir()
    for number in range(5):
        (tmp_path / "papers" / f"{number}.txt").write_text(f"text {number}", encoding="utf-8")
    assert octavo("convert", "papers", "-d", "out").code == ExitCode.OK
    (tmp_path / "papers" / "new.txt").write_text("new", encoding="utf-8")

    again = octavo("convert", "papers", "-d", "out")
    assert again.code == ExitCode.USAGE
    line, skipped, remedy, headline = again.stderr.splitlines()
    assert line.startswith("octavo: papers/new.txt -> out/new.md: complete")
    assert skipped == "octavo: 5 of 6 skipped: out/0.md, out/1.md, out/2.md and 2 more are there already [usage]"
    assert remedy == "  Give --force to replace them, or another folder"
    assert headline.endswith(": 1 complete, 5 skipped")
    assert "octavo: papers/3.txt: skipped [usage]" in octavo("convert", "papers", "-d", "out", "-v").stderr


def test_a_link_in_the_output_folder_leads_nowhere(octavo, documents, tmp_path):
    """No file is written outside of the folder that was named."""
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "letters").symlink_to(tmp_path / "elsewhere")
    ended = octavo("convert", "papers", "-d", "out", "--force")
    assert "a link or a file is where a folder should be" in ended.stderr
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_the_document_is_never_the_output(octavo, documents):
    before = (documents / "tides.md").read_bytes()
    ended = octavo("convert", "papers/tides.md", "-d", "papers", "--force")
    assert ended.code == ExitCode.USAGE
    assert "replace the document itself" in ended.stderr
    assert (documents / "tides.md").read_bytes() == before


def test_documents_of_one_name_keep_their_endings(octavo, tmp_path):
    (tmp_path / "report.txt").write_text("the text")
    (tmp_path / "report.csv").write_text("a,b\n1,2\n")
    octavo("convert", "report.txt", "report.csv", "-d", "out")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["report.csv.md", "report.txt.md"]


def test_a_pattern_keeps_the_tree_below_it(octavo, documents, tmp_path):
    ended = octavo("convert", "papers/**/*.txt", "-d", "out", "--to", "text")
    assert ended.code == ExitCode.HARD_FAILURES, "one of the two is empty"
    assert (tmp_path / "out" / "letters" / "anna.txt").read_text() == "Dear Anna,\n\nthe buoy is back.\n"


def test_a_pattern_that_fits_nothing_is_an_error(octavo, tmp_path):
    ended = octavo("convert", "*.docx", "-d", "out")
    assert ended.code == ExitCode.HARD_FAILURES
    assert "no file fits this pattern" in ended.stderr


def test_what_a_library_keeps_is_not_converted(octavo, documents, tmp_path):
    octavo("ingest", "papers/tides.md", "--library", "papers/library")
    ended = octavo("convert", "papers", "-d", "out")
    assert "octavo: 4 documents" in ended.stderr.splitlines()[-1]
    assert "papers/library was not taken: an Octavo library" in ended.stderr


def test_chunks_of_several_documents_follow_each_other(octavo, documents, pdf):
    ended = octavo("convert", "papers/tides.md", pdf, "--to", "chunks")
    assert ended.code == ExitCode.OK
    assert {line["source"] for line in ended.lines} == {"papers/tides.md", str(pdf)}
    first = next(line for line in ended.lines if line["source"] == str(pdf))
    assert list(first) == ["source", "chunk_id", "text", "page", "start", "end", "document_id", "title"]
    assert (first["page"], first["start"]) == (1, 0)
    assert first["text"].startswith("Day 1.")


def test_pages_are_one_object_each(octavo, pdf):
    lines = octavo("convert", pdf, "--to", "pages").lines
    assert [line["page"] for line in lines] == [1, 2, 3]
    assert lines[1]["text"].startswith("Day 2.")


def test_html_of_a_document_without_a_title_has_the_name_of_its_file(octavo, tmp_path):
    (tmp_path / "log.txt").write_text("The lamp was lit at dusk.")
    assert b"<title>log.txt</title>" in octavo("convert", str(tmp_path / "log.txt"), "--to", "html").stdout


def test_html_holds_no_script_of_the_document(octavo, tmp_path):
    (tmp_path / "page.md").write_text(
        "# Tides\n\nHigh <b onclick='x()'>water</b>\n\n<script>alert(1)</script>\n\n[a](javascript:x) ![p](http://t.test/p)\n"
    )
    octavo("convert", "page.md", "-o", "page.html")
    html = (tmp_path / "page.html").read_text()
    assert "<p>High <b>water</b></p>" in html
    assert "alert" not in html
    assert "onclick" not in html
    assert "href" not in html
    assert "t.test" not in html


def test_a_pipe_needs_no_dash(octavo_process):
    ended = octavo_process("convert", stdin=b"High water\n")
    assert (ended.code, ended.out) == (ExitCode.OK, "High water\n")


def test_no_path_and_no_pipe_is_a_usage_error(start):
    process = start("convert")
    _, err = process.communicate(timeout=60)
    assert process.returncode == ExitCode.USAGE
    assert b"missing argument 'PATH...'" in err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("papers/tides.md", "papers/empty.txt"), "give -d DIR"),
        (("papers", "-o", "x.md"), "-o takes one document"),
        (("papers/tides.md", "-o", "out/"), "give -d out/"),
        (("papers/tides.md", "--force"), "--force needs -d"),
        (("papers/tides.md", "--jobs", "2"), "--jobs is for several documents"),
        (("papers/tides.md", "--name", "x.txt"), "--name is for standard input"),
        (("papers/tides.md", "--to", "html", "--page-marks"), "--page-marks is for markdown"),
        (("papers/tides.md", "--to", "html", "--json"), "give --json or --to"),
        (("papers/tides.md", "-q", "-v"), "give --quiet or --verbose"),
    ],
)
def test_an_option_that_can_not_apply_is_refused(octavo, documents, arguments, said):
    ended = octavo("convert", *arguments)
    assert ended.code == ExitCode.USAGE
    assert said in ended.stderr


def test_one_line_tells_of_a_doubtful_document_and_verbose_tells_all(octavo, tmp_path):
    (tmp_path / "note.pdf").write_text("# No PDF at all <span hidden>secret</span>\n", encoding="utf-8")
    assert octavo("convert", "note.pdf").stderr.count("\n") == 1
    assert octavo("convert", "note.pdf", "-q").stderr == ""


def test_the_forms_of_the_help_are_those_there_are():
    assert tuple(OutputFormat) == FORMATS


@pytest.mark.parametrize(
    ("name", "begins"),
    [
        ("tides.markdown", "# Tides"),
        ("tides.TXT", "Tides\n"),
        ("tides.htm", "<!DOCTYPE html>"),
        ("tides.json", "{"),
        ("tides.chunks.jsonl", '{"source": "papers/tides.md", "chunk_id"'),
        ("tides.pages.jsonl", '{"source": "papers/tides.md", "document_id"'),
        ("tides.out", "# Tides"),
    ],
)
def test_the_ending_of_the_file_says_the_form(octavo, documents, tmp_path, name, begins):
    assert octavo("convert", "papers/tides.md", "-o", name).code == ExitCode.OK
    assert (tmp_path / name).read_text(encoding="utf-8").lower().startswith(begins.lower())


def test_each_form_has_its_extension_among_the_endings():
    """The table is a copy, so that the help imports no form."""
    assert all(form_by_ending(f"x{form.extension}") == form for form in OutputFormat)


def test_json_by_either_option_is_the_same(octavo, documents):
    by_to, by_json = (
        octavo("convert", "papers/tides.md", "--to", "json"),
        octavo("convert", "papers/tides.md", "--json"),
    )
    assert list(json.loads(by_to.stdout)) == list(by_json.json)
