"""`octavo.convert`: it always ends, falls back, escalates, and says why."""

import hashlib
import io
import threading

import octavo
import pytest
from octavo.runtime import Runtime
from octavo.settings.settings import Settings
from octavo_contracts import IngestionResult, UsageError

HEAD = (
    "import os, time, ctypes\nfrom octavo_contracts import *\n@hookimpl\ndef convert(source, request, context):\n    "
)
PAGES = """\
from octavo_contracts import Conversion, Page, hookimpl

@hookimpl
def convert(source, request):
    pages = source.read_bytes().decode().split("\\f")
    return Conversion(pages=tuple(Page(number=n, markdown="# " + p, text=p) for n, p in enumerate(pages, 1)), paginated=True)
"""


def test_a_result_has_everything_the_contract_asks_for(make_plugin, runtime, tmp_path):
    make_plugin("pages", PAGES)
    path = tmp_path / "a.txt"
    path.write_text("one  two\fthree\f")
    done = octavo.convert(path, runtime=runtime, plugin="pages")
    result = done.result
    assert IngestionResult.read(result.to_json()) == result
    assert result.ingestion_status == "complete"
    assert result.original_artifact_ref == f"file://{path}"
    assert done.text == "one two\n\n---PAGE 2---\n\nthree\n\n---PAGE 3---\n\n"
    for anchor, text, markdown in zip(
        result.page_anchor_map.anchors(), ["one two", "three", ""], ["# one  two", "# three", "# "], strict=True
    ):
        assert done.text[anchor.text_start : anchor.text_end] == text
        assert done.markdown[anchor.markdown_start : anchor.markdown_end] == markdown
    hashes = result.content_hashes
    assert hashes.raw_file_hash == hashlib.sha256(path.read_bytes()).hexdigest()
    assert hashes.normalized_text_hash == hashlib.sha256(done.text.encode()).hexdigest()
    assert hashes.page_hashes == tuple(hashlib.sha256(t.encode()).hexdigest() for t in ("one two", "three", ""))
    assert [chunk.span.of(done.text) for chunk in result.chunk_manifest] == ["one two", "three"]
    assert result.quality_report.selected_tool == "pages"
    assert done.markdown_with_page_marks().startswith("<!-- page 1 -->\n\n# one  two\n\n<!-- page 2 -->")


def test_a_plugin_that_fails_is_followed_by_the_next_one(make_plugin, good_plugin, runtime):
    make_plugin("worst", HEAD + "raise SourceCorrupt('no end')", media_types=["text/x-t", "text/plain"], priority=100)
    make_plugin("good", good_plugin)
    with Runtime(Settings(workers=1, profile=_profile())) as mine:
        result = octavo.convert(b"hello", name="a.txt", runtime=mine).result
    assert result.quality_report.selected_tool == "good"
    (fallback,) = result.quality_report.fallback_attempts
    assert (fallback.tool, fallback.outcome) == ("worst", "fallback_to_good")
    assert [attempt.outcome for attempt in result.attempts] == ["failed", "ok"]


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("raise SourceCorrupt('no end')", "source_corrupt"),
        ("raise SourceEncrypted('locked')", "source_encrypted"),
        ("raise ValueError('odd')", "converter_crashed"),
        ("ctypes.string_at(0)", "converter_crashed"),
        ("time.sleep(60)", "conversion_timeout"),
        ("x = [bytearray(10_000_000) for _ in range(1000)]", "memory_exceeded"),
        (
            "return Conversion(pages=(Page(number=1, kind='whole', markdown='x' * 3_000_000),), paginated=False)",
            "content_too_large",
        ),
        ("return 5", "doc25_contract_violation"),
        ("raise ToolUnavailable('no model')", "tool_unavailable"),
    ],
)
def test_every_bad_end_has_its_reason_code_and_a_remedy(make_plugin, body, reason):
    from octavo_sandbox import SandboxLimits

    make_plugin("bad", HEAD + body)
    limits = SandboxLimits(wall_seconds=3.0, memory_mb=300, result_bytes=1_000_000)
    with Runtime(Settings(workers=1, limits=limits)) as mine:
        result = octavo.convert(b"hello", name="a.txt", plugin="bad", runtime=mine).result
    assert result.ingestion_status == "hard_failed"
    (receipt,) = result.failure_receipts
    assert receipt.reason_code == reason
    assert receipt.plugin == "bad"
    assert receipt.details
    if reason not in ("converter_crashed",):
        assert receipt.remedy or reason in ("tool_unavailable",)
    assert result.attempts[-1].outcome == "failed"
    assert result.quality_report.user_visible_status == "failed"


def test_a_missing_or_empty_source_is_a_result_too(runtime, tmp_path):
    (tmp_path / "empty.txt").touch()
    for path, reason in (
        (tmp_path / "no.pdf", "source_missing"),
        (tmp_path, "source_missing"),
        (tmp_path / "empty.txt", "source_empty"),
    ):
        result = octavo.convert(path, runtime=runtime).result
        assert (result.ingestion_status, result.failure_receipts[0].reason_code) == ("hard_failed", reason)
        assert result.failure_receipts[0].remedy


def test_names_that_do_not_exist_are_the_callers_error(runtime, tmp_path):
    with pytest.raises(UsageError, match="no plugin named"):
        octavo.convert(tmp_path, plugin="nobody", runtime=runtime)
    with pytest.raises(UsageError, match="no profile named"):
        octavo.convert(tmp_path, profile="nobody", runtime=runtime)
    with pytest.raises(UsageError, match="bytes need a name"):
        octavo.convert(b"x", runtime=runtime)


def test_the_original_is_not_touched_even_by_a_plugin_that_tries(make_plugin, tmp_path, runtime):
    """A converter never sees a writable path to the original (CNV-17)."""
    body = "p = source.path\n    os.chmod(p, 0o600); p.write_bytes(b'spoiled')\n    return Conversion(pages=(Page(number=1, kind='whole', markdown=source.read_bytes().decode()),), paginated=False)"
    make_plugin("vandal", HEAD + body)
    path = tmp_path / "a.txt"
    path.write_text("untouched")
    result = octavo.convert(path, plugin="vandal", runtime=runtime)
    assert result.markdown == "untouched"
    assert path.read_text() == "untouched"


def test_a_second_conversion_of_the_same_bytes_has_the_same_texts(make_plugin, runtime):
    make_plugin("pages", PAGES)
    first, second = (octavo.convert(b"a\fb", name="a.txt", plugin="pages", runtime=runtime) for _ in range(2))
    assert (first.markdown, first.text) == (second.markdown, second.text)
    assert first.result.content_hashes == second.result.content_hashes
    assert first.result.document_id == second.result.document_id


def test_the_pages_of_a_conversion_have_their_texts(make_plugin, runtime, tmp_path):
    make_plugin("pages", PAGES)
    done = octavo.convert(b"a\fb", name="a.txt", plugin="pages", runtime=runtime)
    assert [page.number for page in done.pages] == [1, 2]
    assert [(page.text, page.markdown) for page in done.pages] == [("a", "# a"), ("b", "# b")]
    assert octavo.convert(tmp_path / "missing.txt", runtime=runtime).pages == []


def test_cancelling_ends_a_conversion_at_once(make_plugin, runtime):
    from octavo_sandbox import Cancelled

    make_plugin("slow", HEAD + "time.sleep(60)")
    cancel = threading.Event()
    timer = threading.Timer(1.0, cancel.set)
    timer.start()
    with pytest.raises(Cancelled):
        octavo.convert(b"x", name="a.txt", plugin="slow", runtime=runtime, cancel=cancel)
    timer.join()


def test_a_bad_table_escalates_to_the_heavier_plugin_and_both_versions_are_there(make_plugin, tmp_path):
    """Garbled tables are converted again by the heavier tool; the better one is taken (CNV-2)."""
    from octavo.conversion.options import ConvertOptions
    from octavo.conversion.pipeline import run
    from octavo.documents.source import Source

    table = "Table(rows=(('a','b'),('1',),('2',),('3',)))"
    whole = "return Conversion(pages=(Page(number=1, kind='whole', markdown='t', tables=({},)),), paginated=False)"
    make_plugin("light", HEAD + whole.format(table), priority=100)
    make_plugin("heavy", HEAD + whole.format("Table(rows=(('a','b'),('1','2')))"), priority=1)
    profile = tmp_path / "p.toml"
    profile.write_text('name = "t"\n[routes]\nplain_text = ["light"]\n[escalate]\nother = ["heavy"]\n')
    with Runtime(Settings(workers=1)) as mine, Source.from_bytes(b"x y z", name="a.txt") as source:
        outcome = run(mine, source, ConvertOptions(profile=str(profile)))
    assert [version.candidate.plugin.name for version in outcome.versions] == ["light", "heavy"]
    assert outcome.active == 1
    assert outcome.versions[1].fallbacks[0].outcome == "escalated_to_heavy"
    assert "tables_garbled" in outcome.versions[1].candidate.because


def test_of_two_equally_good_conversions_the_first_stays(make_plugin, tmp_path):
    """A heavier tool that does no better than the first one does not take its place (CNV-2)."""
    from octavo.conversion.options import ConvertOptions
    from octavo.conversion.pipeline import run
    from octavo.documents.source import Source

    table = "Table(rows=(('a','b'),('1',),('2',),('3',)))"
    whole = (
        f"return Conversion(pages=(Page(number=1, kind='whole', markdown='t', tables=({table},)),), paginated=False)"
    )
    make_plugin("light", HEAD + whole, priority=100)
    make_plugin("heavy", HEAD + whole, priority=1)
    profile = tmp_path / "p.toml"
    profile.write_text('name = "t"\n[routes]\nplain_text = ["light"]\n[escalate]\nother = ["heavy"]\n')
    with Runtime(Settings(workers=1)) as mine, Source.from_bytes(b"x y z", name="a.txt") as source:
        outcome = run(mine, source, ConvertOptions(profile=str(profile)))
    scores = [version.assessment.quality_score for version in outcome.versions]
    assert scores[0] == scores[1]
    assert outcome.active == 0


def test_what_a_plugin_warns_of_reaches_the_report(make_plugin, runtime):
    """QLT-2: a code of the plugin's own is a note, once for all the pages that it concerns; a flag degrades as before."""
    warned = (
        "def note(code, page=None):\n"
        "        return ConversionWarning(code=code, message='Something was left out.', page=page)\n"
        "    pages = tuple(Page(number=n, markdown='words of the page', text='words of the page') for n in (1, 2, 3))\n"
        "    warnings = (note('headers_left_out', 1), note('headers_left_out', 3), note('ragged_rows'), note('ragged_rows'),\n"
        "                note('hidden_sheet', 2), note('partial_conversion', 2))\n"
        "    return Conversion(pages=pages, paginated=True, warnings=warnings)"
    )
    make_plugin("warns", HEAD + warned)
    report = octavo.convert(b"x", name="a.txt", plugin="warns", runtime=runtime).result.quality_report
    told = [(one.flag, one.severity, one.message, one.page) for one in report.findings]
    assert ("headers_left_out", "note", "Something was left out (2 times, on pages 1 and 3)", None) in told
    assert ("ragged_rows", "note", "Something was left out (2 times)", None) in told
    assert ("hidden_sheet", "note", "Something was left out.", 2) in told
    assert len(told) == 4
    assert report.degraded_flags == ("partial_conversion",)


def _profile():
    import tempfile
    from pathlib import Path

    path = Path(tempfile.mkdtemp()) / "none.toml"
    path.write_text('name = "none"\n[routes]\nplain_text = ["worst", "good"]\n')
    return str(path)


def test_a_plugin_that_brings_a_new_format_is_found_by_its_extension(make_plugin, good_plugin, runtime, tmp_path):
    """Detection does not know the format; the manifest names its extension and its type (CNV-5)."""
    make_plugin("gemini", good_plugin, media_types=["text/gemini"], more='extensions = [".gmi"]')
    path = tmp_path / "a.gmi"
    path.write_text("# Tides\n=> a link\n")
    result = octavo.convert(path, runtime=runtime).result
    assert (result.ingestion_status, result.quality_report.selected_tool) == ("complete", "gemini")
    assert result.classification.media_type == "text/gemini"


def test_an_extension_that_could_stand_for_several_new_types_stands_for_none(
    make_plugin, good_plugin, runtime, tmp_path
):
    """Text that nobody can name is still read as plain text."""
    more = 'extensions = [".docx", ".gmi", ".gmo"]'
    word = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
    make_plugin("both", good_plugin, media_types=[word, "text/gemini", "text/gopher"], more=more)
    make_plugin("plain", good_plugin, media_types=["text/plain"])
    path = tmp_path / "a.gmi"
    path.write_text("=> a link")
    result = octavo.convert(path, runtime=runtime).result
    assert result.quality_report.selected_tool != "both"
    assert result.classification.media_type == "text/plain"


def test_many_blank_lines_delay_nobody(make_plugin, good_plugin, runtime, tmp_path):
    """A look for rows of tables took cubic time over them."""
    make_plugin("marked", good_plugin, media_types=["text/markdown"])
    path = tmp_path / "a.md"
    path.write_text("# Title" + "\n" * 60_000 + " " * 4_000 + "end")
    result = octavo.convert(path, runtime=runtime, timeout=20).result
    assert result.ingestion_status != "hard_failed"
    assert result.classification is not None, "nobody could look at it in time"


def test_an_extension_does_not_override_content_of_a_known_format(make_plugin, good_plugin, runtime, tmp_path):
    make_plugin("greedy", good_plugin, media_types=["text/greedy"], more='extensions = [".txt", ".odd"]')
    path = tmp_path / "a.odd"
    path.write_bytes(b"%PDF-1.7 nothing more")
    assert octavo.convert(path, runtime=runtime).result.failure_receipts[0].reason_code == "source_corrupt"
    path = tmp_path / "a.txt"
    path.write_text("plain")
    assert octavo.convert(path, runtime=runtime).result.quality_report.selected_tool != "greedy"


def test_a_stream_is_read_and_named_by_itself(tmp_path):
    """An upload of a web framework, an open file, `io.BytesIO`."""
    path = tmp_path / "table.csv"
    path.write_bytes(b"a,b\n1,2\n")
    with path.open("rb") as stream:
        named = octavo.convert(stream)
    assert named.result.classification.media_type == "text/csv"
    assert octavo.convert(io.BytesIO(b"# Tides\n\nebb\n"), name="tides.md").markdown == "# Tides\n\nebb\n"
    assert octavo.convert(io.StringIO("ebb"), name="tides.txt").text == "ebb"
    assert octavo.convert(bytearray(b"flood"), name="tides.txt").text == "flood"


def test_a_stream_without_a_name_is_refused():
    with pytest.raises(UsageError, match="bytes need a name"):
        octavo.convert(io.BytesIO(b"ebb"))


def test_a_converted_document_has_chunks_forms_and_a_short_repr():
    converted = octavo.convert(b"# Tides\n\nHigh *water* at noon.\n", name="tides.md")
    assert [chunk.text for chunk in converted.chunks] == [converted.text]
    assert converted.render("text") == "Tides\n\nHigh water at noon."
    assert "<em>water</em>" in converted.render("html")
    with pytest.raises(UsageError, match="no output format is named 'docx'"):
        converted.render("docx")
    assert repr(converted).startswith("<ConvertedDocument complete, ")
    assert len(repr(converted)) < 120
