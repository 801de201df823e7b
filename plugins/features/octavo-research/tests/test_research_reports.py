"""Reports: every quotation verifies, by the contracts and by a program of its own (RES-3); what failed is said (RES-6)."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from octavo_contracts import UsageError, verify_report
from octavo_library import Library
from octavo_library.facade.corpora import CorpusSettings
from octavo_research import Research, ResearchOptions
from octavo_research.planning import heading_of, sub_queries
from octavo_research.quoted_part import is_contents

QUESTION = "How many harbour seals were counted, and how was the water level measured in November?"
ALONE = Path(__file__).with_name("verify_alone.py")


def ran(library: Library, question: str = QUESTION, *, corpus: str | None = None, **options: object) -> str:
    research = Research(library, corpus=corpus)
    record = research.start(question, options=ResearchOptions(**options))  # type: ignore[arg-type]  # fields of the options
    assert research.run(record.research_id).status == "completed"
    return record.research_id


def alone(folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-I", str(ALONE), str(folder)], capture_output=True, text=True, check=False)


def test_an_exported_report_verifies_offline_in_three_ways(library: Library, tmp_path: Path) -> None:
    """RES-4."""
    folder = Research(library).export(ran(library), tmp_path / "mailed")

    report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    citations = [one for section in report["sections"] for claim in section["claims"] for one in claim["citations"]]
    verified = verify_report(report, lambda digest: (folder / "archive" / f"{digest}.txt").read_bytes().decode())
    assert len(citations) >= 4
    assert (verified.status, verified.quotations) == ("verified", len(citations))
    assert alone(folder).stdout.strip() == str(len(citations))
    assert any("212" in one["quote"] for one in citations), "the count of seals is quoted"
    assert set(report) == {
        *("research_id", "question", "status", "sections", "failures", "model", "content_fidelity"),
    }
    assert set(citations[0]) == {"document_id", "title", "version", "locator", "source_text_hash", "quote"}


def test_a_report_says_how_much_of_each_source_was_read(library: Library) -> None:
    """DIG-30: a long source is digested, a short one is searched whole; the report and its JSON say so for each."""
    text = "\n\n".join(f"Paragraph {number} on harbour seals that were counted at the pier." for number in range(240))
    long = library.ingest(text.encode(), name="long.txt").result.document_id
    research = Research(library)
    report = research.report(ran(library))

    told = {one["document_id"]: one for one in report.to_dict()["content_fidelity"]}
    assert {one.document_id for one in report.citations()} <= set(told)
    digest = told.pop(long)
    assert (digest["level"], digest["phase"], digest["reason"]) == ("digest", "digest", "digest_compression")
    assert digest["original_tokens"] == -(-len(library.document(long).canonical_text) // 4)
    assert 0 < digest["final_tokens"] < digest["original_tokens"]
    assert (digest["estimated"], digest["warnings"]) == (True, [])
    assert {one["level"] for one in told.values()} == {"full"}
    assert all(one["final_tokens"] == one["original_tokens"] > 0 for one in told.values())

    library.maintenance.purge(long, confirm=long)
    assert long not in {one.document_id for one in research.report(report.research_id).content_fidelity}


def _altered_quote(folder: Path) -> None:
    path = folder / "report.json"
    report = json.loads(path.read_text(encoding="utf-8"))
    report["sections"][0]["claims"][0]["citations"][0]["quote"] += "."
    path.write_text(json.dumps(report), encoding="utf-8")


def _altered_text(folder: Path) -> None:
    for path in (folder / "archive").iterdir():
        path.write_bytes(path.read_bytes() + b" more")


def _unsupported(folder: Path) -> None:
    path = folder / "report.json"
    report = json.loads(path.read_text(encoding="utf-8"))
    report["sections"][0]["claims"][0]["citations"] = []
    path.write_text(json.dumps(report), encoding="utf-8")


@pytest.mark.parametrize("alter", [_altered_quote, _altered_text, _unsupported])
def test_a_report_that_was_altered_does_not_verify(
    library: Library, tmp_path: Path, alter: Callable[[Path], None]
) -> None:
    folder = Research(library).export(ran(library), tmp_path / "mailed")
    alter(folder)
    report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    verified = verify_report(report, lambda digest: (folder / "archive" / f"{digest}.txt").read_bytes().decode())
    assert verified.status == "failed"
    assert alone(folder).returncode != 0


def test_a_question_that_no_source_answers_is_said_to_have_no_support(library: Library) -> None:
    """RES-16."""
    report = Research(library).report(ran(library, "What does quantum chromodynamics predict?"))
    claims = [claim for section in report.sections for claim in section.claims]
    assert [(claim.supported, claim.citations) for claim in claims] == [(False, ())]
    assert [failure.reason for failure in report.failures] == ["no_sources"]
    assert "“" not in report.to_markdown()


def test_a_report_quotes_nothing_of_a_document_that_was_purged_since(library: Library, folder: Path) -> None:
    research_id = ran(library)
    before = Research(library).report(research_id)
    purged = before.citations()[0]
    library.maintenance.purge(purged.document_id, confirm=purged.document_id)
    after = Research(library).report(research_id)
    assert purged.document_id not in {one.document_id for one in after.citations()}
    assert "source_unavailable" in {failure.reason for failure in after.failures}
    index = (folder / "index.sqlite").read_bytes() + (folder / "index.sqlite-wal").read_bytes()
    assert purged.quote[:60].encode() not in index


def test_a_run_under_a_corpus_cites_its_documents_alone(library: Library) -> None:
    """RES-5."""
    library.corpora.create("canarycorpus", CorpusSettings(visibility="firewalled"))
    library.corpora.create("sparrowcorpus")
    tide = "The tide turned at noon, and the boats came in with it."
    library.ingest(f"# Canary tide\n\n{tide} canaryword.\n".encode(), name="canary.md", corpus="canarycorpus")
    library.ingest(f"# Sparrow tide\n\n{tide}\n".encode(), name="sparrow.md", corpus="sparrowcorpus")
    question = "When did the canary tide turn, and the boats?"
    sparrow, owner = ran(library, question, corpus="sparrowcorpus"), ran(library, question)
    canary = ran(library, question, corpus="canarycorpus")

    assert {one.title for one in Research(library).report(sparrow).citations()} == {"Sparrow tide"}
    assert {one.title for one in Research(library).report(canary).citations()} == {"Canary tide"}
    assert "Canary tide" not in {one.title for one in Research(library).report(owner).citations()}
    assert [run.research_id for run in Research(library, corpus="sparrowcorpus").list()] == [sparrow]
    with pytest.raises(UsageError, match="no research run"):
        Research(library, corpus="sparrowcorpus").report(canary)


def test_markdown_of_a_source_is_shown_and_not_obeyed(library: Library) -> None:
    library.ingest(b"The zeppelin landed. # Fine ![x](http://evil.example/) <b>zeppelin</b>\n", name="evil.txt")
    told = Research(library).report(ran(library, "Where did the zeppelin land?")).to_markdown()
    assert "zeppelin" in told
    assert "![x]" not in told
    assert "<b>" not in told


def test_a_time_ceiling_leaves_a_report_that_says_so(library: Library) -> None:
    report = Research(library).report(ran(library, max_minutes=1e-9))
    assert "time_ceiling" in {failure.reason for failure in report.failures}
    assert not report.citations()


def test_where_no_time_was_left_no_source_is_said_to_be_silent(library: Library) -> None:
    """RES-16: nothing was read, so that nothing is known of an answer."""
    research = Research(library)
    reports = [research.report(ran(library, max_minutes=minutes)) for minutes in (1e-9, None)]
    first, second = ("\n".join(claim.text for part in one.sections for claim in part.claims) for one in reports)
    assert "No passage was found" not in first
    assert "because no source was read" not in second


def test_a_passage_that_answers_two_parts_stands_under_both(library: Library) -> None:
    """RES-16: neither part is said to be without an answer."""
    library.ingest(b"Every boat carries three flares. Test the radio on channel 72.", name="boats.txt")
    report = Research(library).report(
        ran(library, "How many flares must every boat carry, and on which channel is the radio tested?")
    )
    assert [part.heading for part in report.sections[:2]] == [
        "How many flares must every boat carry?",
        "On which channel is the radio tested?",
    ]
    assert all("three flares" in part.claims[0].text for part in report.sections[:2])
    assert all(claim.supported for part in report.sections[:2] for claim in part.claims[:1])


def test_words_of_the_question_that_no_source_has_are_said(library: Library) -> None:
    """RES-16: a passage about the director does not tell her salary."""
    library.ingest(b"Ines Halloran is the director of the observatory.", name="staff.txt")
    (first, *_) = Research(library).report(ran(library, "What is the salary of the director?")).sections
    assert "Ines Halloran" in first.claims[0].text
    assert (first.claims[-1].supported, first.claims[-1].text) == (
        False,
        "No source that was read has these words of the question: salary",
    )


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How did U.S. sales grow in 2022?", 1),
        ("Who rows the boat? When does Dr. Aoki count the seals?", 3),
        ("Who rows the boat. When are seals counted", 3),
    ],
)
def test_a_question_is_divided_where_its_sentences_end(question: str, expected: int) -> None:
    assert len(sub_queries(question)) == expected


@pytest.mark.parametrize("question", ["", " \n", "x" * 10_001])
def test_a_question_must_have_a_size(library: Library, question: str) -> None:
    with pytest.raises(UsageError, match="the question"):
        Research(library).start(question)


def test_an_answer_comes_first_and_passages_with_less_of_the_question_are_told_apart(library: Library) -> None:
    """RES-3: `high` says how the question is asked, so that the column of high tides is no answer to it."""
    tides = "".join(f"2025-11-{day:02} 04:25 high 4.{day:02}\n" for day in range(10, 29))
    library.ingest(f"# Tide table\n\n{tides}".encode(), name="tides.md")
    report = Research(library).report(
        ran(library, "How high was the surge of the storm, and how many seals were counted?")
    )
    surge, seals, *rest = report.sections
    assert (surge.heading, seals.heading) == ("How high was the surge of the storm?", "How many seals were counted?")
    assert "1.24 metres" in surge.claims[0].text
    assert {one.heading for one in rest} <= {"Related passages"}
    assert "Tide table" not in {one.title for one in report.citations()}


def test_a_quotation_begins_with_the_sentence_that_answers(library: Library) -> None:
    text = (
        "The office opens at nine. It closes at five. The zeppelin mast is forty metres high. It was raised in 1911. "
        "Gulls nest on the roof. The baker is away on Mondays."
    )
    library.ingest(f"# Office hours\n\n{text}\n".encode(), name="office.md")
    report = Research(library).report(ran(library, "How high is the zeppelin mast?"))
    (cited,) = [one for one in report.citations() if one.title == "Office hours"]
    assert cited.quote == "The zeppelin mast is forty metres high. It was raised in 1911."


def test_a_quotation_has_no_heading_that_its_sentences_repeat_and_ends_with_its_sentence(library: Library) -> None:
    """RES-3: a passage may be cut in the middle of a sentence; what a report quotes is read by people."""
    filler = (
        "It carried the mail of the whole coast for years, in all weathers and without one accident, people say. " * 3
    )
    text = f"The zeppelin mast was raised by forty men in 1911. {filler}The zeppelin mast fell in 1925, and nobody rebuilt it."
    library.ingest(f"# Zeppelin mast\n\n{text}\n\n## Gulls\n\nGulls nest on the roof.\n".encode(), name="mast.md")
    report = Research(library).report(ran(library, "When was the zeppelin mast raised, and when did it fall?"))
    cited = [one.quote for one in report.citations() if one.title == "Zeppelin mast"]
    assert cited
    assert all(one.startswith("The zeppelin mast") and one.endswith(".") for one in cited)
    assert "Gulls" not in " ".join(cited)


def test_the_rows_of_a_table_are_quoted_with_its_head_to_the_last(library: Library) -> None:
    """RES-3: the row that answers may stand after the end of the passage."""
    quoted = [one.quote for one in Research(library).report(ran(library, "How many seals were counted?")).citations()]
    (table,) = [one for one in quoted if "Seals counted" in one]
    assert table.startswith("Monthly readings")
    assert table.endswith("February 2026 7.1 0.52 171")


@pytest.mark.parametrize(
    ("passage", "expected"),
    [
        (
            "3.2.6 switch . . . . . 15 3.3 Arithmetic . . . . . 15 3.3.1 Recycling rules . . . . . 16 3.3.2 Names . . . . . 17",
            True,
        ),
        ("1.1 Account B-3 1.2 Administrator B-3 1.3 Closure B-3 1.4 Affiliate B-3 1.5 Associate B-3", True),
        ("10 2.4 The zeppelin mast . .", True),
        ("The mast was painted green in 1925. See section 3.1 and table 2.4.", False),
        ("Month Water (°C) Surge (m) October 13.2 0.58 240 November 11.4 1.24 198", False),
    ],
)
def test_a_table_of_contents_is_no_evidence(passage: str, expected: bool) -> None:
    assert is_contents(passage) is expected


@pytest.mark.parametrize(
    ("query", "question", "expected"),
    [
        ("how many seals were counted", "How high, and how many seals were counted?", "How many seals were counted?"),
        ("in which year", "Who, and in which year?", "In which year?"),
        ("Tide gauges", "Tide gauges; seals?", "Tide gauges"),
        ("Why low water?", "Why low water?", "Why low water?"),
        ("how it was measured", "Say how it was measured.", "How it was measured"),
    ],
)
def test_headings_read_as_the_question_does(query: str, question: str, expected: str) -> None:
    assert heading_of(query, question) == expected
