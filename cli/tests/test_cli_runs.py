"""`octavo runs` and `octavo retry`."""

from __future__ import annotations

import re
import time
from pathlib import Path

from octavo_contracts import ExitCode
from octavo_library import Library


def test_runs_are_listed_the_newest_first(octavo, documents: Path):
    assert octavo("runs").code == ExitCode.USAGE  # no library yet
    octavo("ingest", "papers", "--corpus", "shore")
    octavo("ingest", "papers/tides.md", "--json")
    ended = octavo("runs")
    lines = ended.out.splitlines()
    assert [line.split()[-1] for line in lines[2:]] == ["papers/tides.md", "papers"]
    rows = octavo("runs", "--json").json["runs"]
    assert [row["sources"] for row in rows] == [["papers/tides.md"], ["papers"]]
    assert rows[1]["counts"] == {
        "complete": 2,
        "degraded": 0,
        "failed": 2,
        "reused": 0,
        "failures": {"source_empty": 1, "source_corrupt": 1},
    }
    assert rows[0]["counts"]["reused"] == 1
    assert len(octavo("runs", "--json", "--limit", "1").json["runs"]) == 1


def test_a_run_is_shown_with_what_is_left_of_it(octavo, documents: Path):
    octavo("ingest", "papers", "--corpus", "shore", "--with", "plaintext", "--exclude", "*.pdf")
    ended = octavo("runs", "last")
    assert "Of: papers\nCorpus: shore\nPlugin: plaintext\n" in ended.out
    assert (
        "In the run, without attachments: 2 complete, 0 degraded, 1 failed; 0 known before\nToday: 2 complete, 1 failed\n"
        in ended.out
    )
    assert "Phases: registered 3, converted 2, shallow 2, deep 2\n" in ended.out
    assert re.search(r"^Checkpoints: registered [\d.]+ s, .*review [\d.]+ s$", ended.out, re.MULTILINE)
    assert f"1 not converted [source_empty]\n  {documents / 'empty.txt'}\n" in ended.out
    shown = octavo("runs", "last", "--json").json["run"]
    assert shown["status"]["standing"] == {"complete": 2, "failed": 1}
    assert shown["model_cost"] == {"low": 0.0, "high": 0.0}
    assert shown["commit_policy"] == "each document separately"
    assert "\nCommits: each document separately\n" in ended.out
    assert shown["wall_seconds"]["low"] == shown["seconds"]
    assert [case["reason"] for case in shown["open"]] == ["source_empty"]
    assert {step["state"] for step in shown["steps"]} > {"registered", "converted", "hard_failed"}


def test_a_reconversion_that_was_cut_short_is_shown_and_so_is_its_end(octavo, start, documents: Path, install):
    """The process is killed, and then the original goes away: nothing of that is silent (ENG-6, ENG-15)."""
    tides = documents / "tides.md"
    octavo("ingest", tides)
    install("slow", body="    import time\n    time.sleep(60)")

    def jobs():
        return octavo("show", tides, "--json").json["jobs"]

    with start("ingest", tides, "--reingest", "--with", "slow") as process:
        ends = time.monotonic() + 30
        while not jobs() and time.monotonic() < ends:
            time.sleep(0.05)
        [job] = jobs()
        assert (job["intent"], job["standing"], job["state"]) == ("reconvert", "in_progress", "conversion_pending")
        process.kill()
    [job] = jobs()
    assert (job["standing"], job["attempts"], job["reason"]) == ("interrupted", 1, None)
    assert "Work         reconversion: interrupted (" in octavo("show", tides).out
    run = octavo("runs", "last", "--json").json["run"]
    assert [case["reason"] for case in run["failed_reconversions"]] == ["interrupted"]

    tides.unlink()
    with Library.open(documents.parent / "octavo-library") as library:
        assert library.engine.wait_until_resumed(seconds=30)
    [job] = jobs()
    assert (job["standing"], job["reason"]) == ("failed", "source_missing")
    shown = octavo("show", tides).out
    assert "Work         reconversion: failed [source_missing]: " in shown
    assert "Status       complete\n" in shown
    told = octavo("runs", "last").out
    assert f"1 not converted again [source_missing]\n  {tides}\n" in told
    assert "Their versions are untouched" in told


def test_a_document_that_waits_is_shown_with_its_tries_and_what_it_waits_for(octavo, documents: Path, install):
    tides = documents / "tides.md"
    install("needy", tail='[[plugin.system]]\ncommand = "no-such-program"\ninstall = "apt install it"\n')
    octavo("ingest", tides, "--with", "needy")
    shown = octavo("show", tides)
    assert shown.code == ExitCode.OK
    assert "Status       not converted yet\n" in shown.out
    assert (
        "Work         conversion: waiting; resumed automatically when the cause is gone [tool_unavailable] ("
        in shown.out
    )
    keys = octavo("show", tides, "--json").json
    assert keys["document"] is None
    [job] = keys["jobs"]
    assert (job["standing"], job["attempts"], job["reason"]) == ("waiting", 1, "tool_unavailable")
    assert octavo("show", job["document_id"], "--json").json["jobs"] == [job]


def test_a_library_without_runs_says_so(octavo, documents: Path):
    octavo("corpus", "create", "shore")
    assert octavo("runs").out == "No runs yet; start one with `octavo ingest`\n"
    ended = octavo("runs", "last")
    assert (ended.code, ended.stderr) == (
        ExitCode.USAGE,
        "octavo: there is no run 'last' in this library [usage]\n  See `octavo runs`\n",
    )


def test_a_retry_tries_what_failed_for_the_reason_and_reports_as_ingest_does(octavo, documents: Path):
    octavo("ingest", "papers")
    (documents / "empty.txt").write_text("Not empty any more.")
    ended = octavo("retry", "last", "--reason", "source_empty", "--json")
    assert ended.code == ExitCode.OK
    (done,) = ended.json["documents"]
    assert (done["source"], done["result"]["ingestion_status"]) == (str(documents / "empty.txt"), "complete")
    assert ended.json["summary"]["total"] == 1
    rows = octavo("runs", "--json").json["runs"]
    again = octavo("retry", rows[1]["id"], "--reason", "source_corrupt", "--jsonl")
    assert again.code == ExitCode.HARD_FAILURES
    assert [line["source"] for line in again.lines] == [str(documents / "broken.pdf")]
    assert f"retry of {rows[1]['id'][:8]}" in octavo("runs").out


def test_without_a_run_the_newest_one_with_failures_is_retried(octavo, documents: Path):
    octavo("ingest", "papers")
    octavo("ingest", "papers/tides.md", "--reingest")
    (documents / "empty.txt").write_text("Not empty any more.")
    ended = octavo("retry", "--reason", "source_empty", "--json")
    assert ended.code == ExitCode.OK
    assert [one["source"] for one in ended.json["documents"]] == [str(documents / "empty.txt")]


def test_a_retry_with_nothing_to_try_is_refused(octavo, documents: Path):
    octavo("ingest", "papers/tides.md")
    ended = octavo("retry", "last")
    assert ended.code == ExitCode.USAGE
    assert ended.stderr.endswith(
        "[usage]\n  All sources of the run are converted. To retry attachments of a message that failed, ingest it with --retry\n"
    )
    assert octavo("retry", "last", "--json", "--jsonl").code == ExitCode.USAGE


def test_many_open_documents_are_counted_and_not_all_named(octavo, tmp_path: Path):
    folder = tmp_path / "empties"
    folder.mkdir()
    for number in range(22):
        (folder / f"{number:02}.pdf").write_bytes(b"%PDF-1.4 " + str(number).encode())
    octavo("ingest", "empties")
    ended = octavo("runs", "last")
    assert "22 not converted [source_corrupt]" in ended.out
    assert "19.pdf" in ended.out
    assert "20.pdf" not in ended.out
    assert "--json lists all" in ended.out
