"""`octavo ingest`: documents into a library, with real plugins in real workers."""

from __future__ import annotations

import json
import os
import signal

import pytest
from octavo_contracts import DegradedFlag, ExitCode, HardFailReason, IngestionResult
from octavo_library.commands.ingest.report import MAX_NAMES, MAX_ROWS


def test_a_folder_gives_a_result_for_every_document(octavo, documents):
    """One bad file never stops a run (ENG-15); the exit code tells that some failed."""
    ended = octavo("ingest", "papers", "missing.pdf", "--jsonl")
    assert ended.code == ExitCode.HARD_FAILURES
    by_source = {line["source"]: line for line in ended.lines}
    statuses = {source: line["result"]["ingestion_status"] for source, line in by_source.items()}
    assert statuses == {
        "papers/broken.pdf": "hard_failed",
        "papers/empty.txt": "hard_failed",
        "papers/letters/anna.txt": "complete",
        "papers/tides.md": "complete",
        "missing.pdf": "hard_failed",
    }
    assert by_source["missing.pdf"]["document_id"] is None
    reason = by_source["missing.pdf"]["result"]["failure_receipts"][-1]["reason_code"]
    assert reason == HardFailReason.SOURCE_MISSING


MORE = ("already_known", "not_applied", "held_back")
"""Keys that are null for a document that is new."""


def test_each_json_line_has_the_documented_keys_and_a_valid_result(octavo, documents):
    for line in octavo("ingest", documents, "--jsonl").lines:
        assert list(line) == ["source", "document_id", "attached_to", "reused", *MORE, "result"]
        result = IngestionResult.read(line["result"])
        assert json.loads(result.to_json()) == line["result"]


def test_the_json_object_holds_documents_and_a_summary(octavo, documents):
    ended = octavo("ingest", "papers", "--json")
    assert list(ended.json) == ["documents", "summary"]
    assert len(ended.json["documents"]) == 4
    summary = ended.json["summary"]
    counts = {key: summary[key] for key in ("total", "complete", "degraded", "failed", "reused", "not_attempted")}
    assert counts == {"total": 4, "complete": 2, "degraded": 0, "failed": 2, "reused": 0, "not_attempted": 0}
    assert [(item["reason"], item["count"]) for item in summary["failures"]] == [
        ("source_corrupt", 1),
        ("source_empty", 1),
    ]
    assert all(item["remedy"] for item in summary["failures"])
    assert (summary["interrupted"], summary["error"], summary["exit_code"]) == (False, None, ended.code)
    assert summary["library"] == "octavo-library"


def test_json_of_nothing_is_still_an_object(octavo, tmp_path):
    (tmp_path / "bare").mkdir()
    ended = octavo("ingest", "bare", "--json")
    assert ended.code == ExitCode.OK
    assert ended.json["documents"] == []
    assert ended.json["summary"]["total"] == 0


def test_an_empty_folder_is_said_to_be_empty(octavo, tmp_path):
    (tmp_path / "bare").mkdir()
    ended = octavo("ingest", "bare")
    assert ended.code == ExitCode.OK
    assert "No documents found" in ended.stderr


def test_known_documents_are_not_converted_again(octavo, documents):
    octavo("ingest", documents)
    again = octavo("ingest", documents, "--json").json
    assert {item["source"]: item["reused"] for item in again["documents"] if item["document_id"]} == {
        f"{documents}/broken.pdf": True,
        f"{documents}/empty.txt": True,
        f"{documents}/letters/anna.txt": True,
        f"{documents}/tides.md": True,
    }


def test_the_table_shows_each_document_and_groups_failures_with_their_remedy(octavo, documents):
    ended = octavo("ingest", "papers")
    lines = ended.out.splitlines()
    assert lines[0].split() == ["File", "Status", "Plugin", "Pages", "Quality", "Remarks"]
    rows = [line.split()[:2] for line in lines[2:] if line.startswith("papers/")]
    assert rows == [
        ["papers/broken.pdf", "failed"],
        ["papers/empty.txt", "failed"],
        ["papers/letters/anna.txt", "complete"],
        ["papers/tides.md", "complete"],
    ]
    assert "4 documents in " in ended.out
    assert "2 complete, 2 failed" in ended.out
    assert "1 failed [source_empty]: Fetch or export the file again: it has no bytes\n  papers/empty.txt" in ended.out
    assert "Library: octavo-library\nNext: octavo show " in ended.out


def test_the_suggested_next_command_works(octavo, documents):
    ended = octavo("ingest", documents / "tides.md", "--library", "my shelf")
    suggestion = ended.out.splitlines()[-1].removeprefix("Next: octavo ")
    assert suggestion.endswith("--library 'my shelf'")
    shown = octavo("show", suggestion.split()[1], "--library", "my shelf")
    assert "High water at noon" in shown.out


def test_when_everything_fails_the_doctor_is_suggested(octavo, documents):
    assert octavo("ingest", documents / "empty.txt").out.endswith("Next: octavo doctor\n")


def test_a_table_in_a_pipe_is_neither_coloured_nor_cut(octavo, tmp_path):
    name = "x" * 200 + ".txt"
    (tmp_path / name).write_text("text", encoding="utf-8")
    ended = octavo("ingest", name)
    assert "\x1b" not in ended.out
    assert ended.out.splitlines()[1].startswith(f"{name}\tcomplete\tplaintext"), "wider than 120 columns: tab-separated"


def test_the_environment_may_widen_a_table_in_a_pipe(octavo, documents, tmp_path, monkeypatch):
    (tmp_path / ("x" * 150 + ".txt")).write_text("text", encoding="utf-8")
    monkeypatch.setenv("COLUMNS", "300")
    assert set(octavo("ingest", "x" * 150 + ".txt").out.splitlines()[1]) == {"─"}, "a table, not tab-separated"
    for narrow in ("80", "no number"):
        monkeypatch.setenv("COLUMNS", narrow)
        assert "\t" in octavo("ingest", "x" * 150 + ".txt").out
        assert "\t" not in octavo("ingest", "papers/tides.md").out


def test_names_that_are_not_utf8_are_shown_and_kept(octavo, tmp_path):
    """The shown name is readable, the reference keeps the bytes."""
    name = os.fsdecode(b"caf\xe9\x1b[31m.txt")
    (tmp_path / name).write_text("text", encoding="utf-8")
    line = octavo("ingest", name, "--jsonl").lines[0]
    assert line["source"] == "caf\ufffd\ufffd[31m.txt"
    assert line["result"]["original_artifact_ref"].endswith("/caf%E9%1B%5B31m.txt")
    assert "caf\ufffd\ufffd[31m.txt" in octavo("ingest", name).out


def test_links_that_leave_the_folder_are_reported(octavo, documents, tmp_path):
    (tmp_path / "secret.txt").write_text("secret", encoding="utf-8")
    (documents / "leak.txt").symlink_to(tmp_path / "secret.txt")
    ended = octavo("ingest", "papers")
    assert "Skipped, a link that leaves the folder: papers/leak.txt" in ended.out
    summary = octavo("ingest", "papers", "--json").json["summary"]
    assert summary["skipped"] == [{"source": "papers/leak.txt", "why": "a link that leaves the folder"}]


def test_a_library_inside_the_folder_is_not_ingested(octavo, documents):
    library = documents / "octavo-library"
    first = octavo("ingest", "papers", "--library", library, "--json").json
    second = octavo("ingest", "papers", "--library", library, "--json").json
    assert first["summary"]["total"] == second["summary"]["total"] == 4


def test_the_library_may_come_from_the_environment(octavo, documents, tmp_path, monkeypatch):
    monkeypatch.setenv("OCTAVO_LIBRARY", str(tmp_path / "shelf"))
    octavo("ingest", documents / "tides.md")
    assert (tmp_path / "shelf" / "index.sqlite").is_file()


def test_include_and_exclude_choose_documents(octavo, documents):
    ended = octavo("ingest", "papers", "--include", "*.txt", "--include", "*.md", "--exclude", "empty*", "--jsonl")
    assert sorted(line["source"] for line in ended.lines) == ["papers/letters/anna.txt", "papers/tides.md"]
    assert ended.code == ExitCode.OK


def test_a_pattern_that_is_none_is_a_usage_error(octavo, documents):
    ended = octavo("ingest", documents, "--include", "[z-a]")
    assert ended.code == ExitCode.USAGE
    assert "[z-a]" in ended.stderr


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--with", "plaintxt"), "no plugin named 'plaintxt'; did you mean plaintext?"),
        (("--profile", "best"), "no profile named 'best'"),
        (("--workers", "0"), "0 is not in the range"),
        (("--timeout", "0"), "0.0 is not in the range"),
        (("--executor", "locl"), "no executor named 'locl'; did you mean local?"),
        (("--executor=rya", "--rya-nodes", "2"), "no executor named 'rya'; did you mean ray?"),
        (("--fail-on", "failed"), "'failed' is not"),
        (("--json", "--jsonl"), "not both"),
    ],
)
def test_what_does_not_exist_or_fit_is_a_usage_error(octavo, documents, arguments, says):
    ended = octavo("ingest", documents, *arguments)
    assert ended.code == ExitCode.USAGE
    assert says in ended.stderr
    assert ended.stderr.startswith("octavo: ")
    assert ended.stdout == b""


def test_a_library_that_can_not_be_made_is_a_storage_error(octavo, documents, tmp_path):
    (tmp_path / "shelf").mkdir()
    (tmp_path / "shelf" / "index.sqlite").write_bytes(b"this is no database, and longer than a header has to be " * 9)
    ended = octavo("ingest", documents, "--library", "shelf")
    assert ended.code == ExitCode.HARD_FAILURES
    assert "[library_damaged]" in ended.stderr


def test_a_corpus_is_made_and_listed(octavo, documents):
    octavo("ingest", documents / "tides.md", "--corpus", "sea")
    octavo("ingest", documents / "letters", "--corpus", "post")
    listed = octavo("list", "--corpus", "sea", "--json").json["documents"]
    assert [item["title"] for item in listed] == ["Tides"]


def test_fail_on_degraded_gives_its_own_code(octavo, tmp_path):
    """A document whose bytes are not its extension's is degraded, and only --fail-on makes that an exit code."""
    (tmp_path / "note.pdf").write_text("# No PDF at all\n", encoding="utf-8")
    usual = octavo("ingest", "note.pdf", "--json")
    assert usual.json["summary"]["flags"] == {DegradedFlag.TYPE_MISMATCH.value: 1}
    assert usual.code == ExitCode.OK
    assert octavo("ingest", "note.pdf", "--fail-on", "degraded").code == ExitCode.DEGRADED
    assert "degraded" in octavo("ingest", "note.pdf").out


def test_failures_outweigh_degraded_documents(octavo, documents):
    (documents / "note.pdf").write_text("# No PDF at all\n", encoding="utf-8")
    assert octavo("ingest", documents, "--fail-on", "degraded").code == ExitCode.HARD_FAILURES


def test_a_plugin_without_its_engine_gives_the_code_of_a_missing_tool(octavo, documents, install):
    install("engineless", engine='distribution = "no-such-engine"\nmodule = "no_such_engine"')
    ended = octavo("ingest", documents / "tides.md", "--with", "engineless", "--jsonl")
    assert ended.code == ExitCode.TOOL_UNAVAILABLE
    receipt = ended.lines[0]["result"]["failure_receipts"][-1]
    assert (receipt["reason_code"], receipt["retry"]) == ("tool_unavailable", "automatic")


def test_a_stored_failure_is_tried_again_only_when_asked(octavo, documents):
    octavo("ingest", documents / "broken.pdf")
    assert octavo("ingest", documents / "broken.pdf", "--jsonl").lines[0]["reused"] is True
    assert octavo("ingest", documents / "broken.pdf", "--retry", "--jsonl").lines[0]["reused"] is False


def test_a_plugin_that_takes_too_long_is_stopped(octavo, documents, install):
    install("slow", body="    import time\n    time.sleep(60)")
    ended = octavo("ingest", documents / "tides.md", "--with", "slow", "--timeout", "0.5", "--json")
    assert ended.json["summary"]["failures"][0]["reason"] == "conversion_timeout"
    assert ended.code == ExitCode.HARD_FAILURES


@pytest.mark.parametrize("names", [["typo.pdf"], ["typo.pdf", "scans/*.pdf"]])
def test_a_name_that_leads_nowhere_makes_no_library(octavo, tmp_path, names):
    """With nothing to take in and no library, none is made, as `--library` may be a slip as well."""
    ended = octavo("ingest", *names, "--library", "new", "--json")
    assert (ended.code, ended.out) == (ExitCode.HARD_FAILURES, "")
    assert "typo.pdf: there is no such file or folder" in ended.stderr
    assert "[source_missing]" in ended.stderr
    assert not (tmp_path / "new").exists()


def test_in_a_library_that_is_there_a_missing_path_is_a_failure_of_the_run(octavo, documents):
    octavo("ingest", documents / "tides.md")
    ended = octavo("ingest", "typo.pdf", "--jsonl")
    assert ended.lines[0]["result"]["failure_receipts"][0]["reason_code"] == "source_missing"
    assert octavo("runs", "last", "--json").json["run"]["counts"]["failures"] == {"source_missing": 1}


def test_many_failures_of_one_reason_are_named_up_to_a_limit(octavo, documents):
    octavo("ingest", documents / "tides.md")
    missing = [f"missing-{number}.pdf" for number in range(MAX_NAMES + 2)]
    ended = octavo("ingest", *missing)
    assert f"{MAX_NAMES + 2} failed [source_missing]" in ended.out
    assert "  … and 2 more\n" in ended.out


def test_a_long_table_shows_trouble_first_and_counts_the_rest(octavo, tmp_path):
    (tmp_path / "many").mkdir()
    for number in range(MAX_ROWS + 1):
        (tmp_path / "many" / f"{number:03}.txt").write_text("the same text", encoding="utf-8")
    ended = octavo("ingest", "many", "absent.txt")
    assert "absent.txt" in ended.out.splitlines()[2]
    assert "… and 2 more; --jsonl prints every document" in ended.out


def test_a_run_that_is_interrupted_says_what_was_done(start, documents, install):
    """Ctrl-C kills running work, prints the finished documents, counts the others, and ends with 130."""
    install("slow", body="    import time\n    time.sleep(60)")
    process = start("ingest", "papers", "--json", "--with", "slow", "--workers", "1")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert process.returncode == ExitCode.INTERRUPTED, err.decode()
    ended = json.loads(out)
    summary = ended["summary"]
    assert (summary["interrupted"], summary["exit_code"]) == (True, 130)
    assert summary["total"] == 4
    assert summary["not_attempted"] == 4 - len(ended["documents"])
    finished = {item["source"] for item in ended["documents"]}
    assert finished <= {"papers/broken.pdf", "papers/empty.txt"}, "what the slow plugin reads cannot be done"


def test_an_interrupted_run_can_be_repeated(octavo, start, documents, install):
    install("slow", body="    import time\n    time.sleep(60)")
    process = start("ingest", "papers/tides.md", "--with", "slow")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert process.returncode == ExitCode.INTERRUPTED, err.decode()
    assert "Interrupted. 0 documents" in out.decode()
    assert "1 not attempted" in out.decode()
    again = octavo("ingest", "papers/tides.md", "--jsonl")
    assert (again.code, again.lines[0]["reused"]) == (ExitCode.OK, False)


def test_a_second_interrupt_ends_the_run_at_once(start, tmp_path, documents, install):
    install("slow", body="    import time\n    time.sleep(60)")
    process = start("ingest", "papers/tides.md", "--with", "slow", "--jsonl")
    process.send_signal(signal.SIGINT)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=30)
    assert process.returncode == ExitCode.INTERRUPTED


def test_a_reader_that_goes_away_ends_the_run_quietly(start, documents):
    process = start("ingest", "papers", "--jsonl", "--workers", "1")
    process.stdout.close()
    process.stdout = None
    _, err = process.communicate(timeout=60)
    assert process.returncode == ExitCode.INTERRUPTED
    assert err == b""


def test_on_a_terminal_progress_and_colours_are_shown(terminal, documents):
    code, shown = terminal("ingest", "papers")
    assert code == ExitCode.HARD_FAILURES
    assert "\x1b[31m" in shown
    assert "4/4" in shown


def test_no_color_is_respected(terminal, documents):
    _, shown = terminal("ingest", "papers", env={"NO_COLOR": "1"})
    assert "\x1b[31m" not in shown


def test_known_documents_are_converted_again_when_asked_to(octavo, documents):
    """STO-13: a new version that is the active one; without the option nothing is converted."""
    octavo("ingest", "papers/tides.md")
    assert octavo("ingest", "papers/tides.md", "--json").json["summary"]["reused"] == 1
    again = octavo("ingest", "papers/tides.md", "--reingest", "--json").json
    assert [entry["reused"] for entry in again["documents"]] == [False]
    assert again["documents"][0]["result"]["conversion_artifact_ref"].endswith("/v2")
    assert octavo("list", "--json").json["documents"][0]["active_version"] == 2


def test_a_file_of_full_stops_is_taken_in(octavo_process, tmp_path):
    """The host chunked a row of full stops at 20 µs a character, which no deadline ended (ENG-11); `octavo_process` gives up on it."""
    (tmp_path / "dots.txt").write_text("." * 8_000_000)
    ended = octavo_process("ingest", "dots.txt", "--library", "library", "--timeout", "60", "--json")
    assert ended.code == 0
    digest = octavo_process("digest", "dots.txt", "--library", "library", "--query", "tide")
    assert digest.code == 0
