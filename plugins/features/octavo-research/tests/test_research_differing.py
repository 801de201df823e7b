"""Reports without a model: sources that differ, the best supported passage first, quotations of whole sentences (RES-3)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from octavo_contracts import verify_report
from octavo_library import Library
from octavo_research import Research
from octavo_research.differing_values import differ, values_of
from octavo_research.report import ResearchReport

CONTRACT = (
    "# Agreement on the Quillfeather ferry\n\n## 1. Term\n\nThe agreement starts on 1 March 2025.\n\n## 2. Notice\n\n"
    "Either party may end the agreement with a notice period of 90 days. The notice is given in writing.\n"
)
MINUTES = (
    "# Minutes, 12 June 2025\n\n## Item 1\n\nThe committee voted 3 to 1 for the new date.\n\n## Item 2\n\n"
    "Ms Silva reported that the notice period of the Quillfeather agreement is 60 days.\n"
)


def asked(library: Library, question: str, **documents: str) -> tuple[Research, ResearchReport]:
    for name, text in documents.items():
        library.ingest(text.encode(), name=f"{name}.md")
    research = Research(library)
    record = research.start(question)
    assert research.run(record.research_id).status == "completed"
    return research, research.report(record.research_id)


def differing(report: ResearchReport) -> list[Sequence[str]]:
    return [
        tuple(one.quote for one in claim.citations)
        for section in report.sections
        for claim in section.claims
        if claim.sources_differ
    ]


def test_sources_that_give_different_values_stand_side_by_side(library: Library, tmp_path: Path) -> None:
    """RES-3: each with its quotation, in the markdown and in the JSON; the report verifies."""
    question = "What is the notice period of the Quillfeather agreement?"
    research, report = asked(library, question, contract=CONTRACT, minutes=MINUTES)

    (quotes,) = differing(report)
    assert len(quotes) == 2
    assert all(any(value in quote for quote in quotes) for value in ("90 days", "60 days"))
    lines = report.to_markdown().splitlines()
    place = lines.index("- **Sources differ:**")
    assert all(line.startswith("  - “") for line in lines[place + 1 : place + 3])
    folder = research.export(report.research_id, tmp_path / "mailed")
    written = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    marked = [claim for section in written["sections"] for claim in section["claims"] if claim.get("sources_differ")]
    assert [len(claim["citations"]) for claim in marked] == [2]
    found = verify_report(written, lambda digest: (folder / "archive" / f"{digest}.txt").read_bytes().decode())
    assert (found.status, found.quotations) == ("verified", len(report.citations()))


def test_what_is_left_of_sources_that_differed_is_no_difference(library: Library) -> None:
    """RES-3: a purge of one of two sources that differ leaves the other one's quotation, unmarked."""
    question = "What is the notice period of the Quillfeather agreement?"
    research, report = asked(library, question, contract=CONTRACT, minutes=MINUTES)
    purged = next(one.document_id for one in report.citations() if "60 days" in one.quote)
    library.maintenance.purge(purged, confirm=purged)

    left = research.report(report.research_id)
    assert differing(left) == []
    assert any("90 days" in one.quote for one in left.citations())
    assert not any("60 days" in one.quote for one in left.citations())


@pytest.mark.parametrize(
    ("question", "first", "second", "expected"),
    [
        ("What is the maximum load?", "The maximum load is 1,200 kg.", "The maximum load is 1,000 kg.", True),
        ("What is the maximum load?", "The maximum load is 1,200 kg.", "The maximum load is 1200 kg.", False),
        ("What is the maximum load?", "The maximum load is 1,200 kg.", "The maximum load is 1.2 t.", False),
        ("How many employees are there?", "The employees rose to 412.", "It has 424 employees; 12 people left.", True),
        ("How high is the fee?", "The fee is EUR 1.2 million.", "The fee is EUR 1,200,000.", False),
        ("How high is the fee?", "The fee is EUR 500.", "The fee is 600 €.", True),
        ("How high was the revenue?", "In 2023 the revenue was EUR 5.", "In 2024 the revenue was EUR 6.", False),
        ("What is the notice period?", "The period is 30 days.", "The period is 30 days or 60 days.", False),
        ("What is the notice period?", "The period is 90 days, see section 4.", "The period is 90 days.", False),
        ("When is the go-live?", "The go-live is on 1 September 2025.", "The go-live is on October 15, 2025.", True),
        ("When is the go-live?", "The go-live is on 15 October.", "The go-live is on 2025-10-15.", False),
        ("When was it founded?", "It was founded in 1911.", "It was founded in 1912.", True),
    ],
)
def test_values_differ_only_where_nothing_is_ambiguous(question: str, first: str, second: str, expected: bool) -> None:
    """RES-3: another writing of a number, another year and a sentence with several values are no contradiction."""
    one, other = values_of(first, question), values_of(second, question)
    assert differ(one, other, question) is differ(other, one, question) is expected


def test_a_passage_with_all_words_in_one_sentence_comes_before_one_that_scatters_them(library: Library) -> None:
    """RES-3: nor does a question that a source asks come before the answer."""
    _, report = asked(
        library,
        "Where does the Quillfeather training take place?",
        minutes="# Minutes\n\nThe next meeting takes place on 10 July in Oslo. Mr Weber presents the Quillfeather training plan.\n",
        mail="# Mail\n\nWhere does the Quillfeather training take place? Nobody told me.\n",
        note="# Note\n\nGulls nest on the roof. The Quillfeather training takes place in Bergen.\n",
    )
    assert "Bergen" in report.sections[0].claims[0].text


def test_an_ellipsis_outside_of_the_quotation_marks_says_that_a_sentence_is_cut(library: Library) -> None:
    """RES-3: a sentence too long to be quoted whole; the quotation itself stays exactly the text of its place."""
    words = " ".join(f"and the zeppelin mast number {number} of the coast was repaired" for number in range(60))
    research, report = asked(
        library, "Which zeppelin mast was repaired?", mast=f"# Masts\n\nIn 1911 it began {words}.\n"
    )
    cited = [one for one in report.citations() if "zeppelin mast number" in one.quote]
    assert any(one.is_cut_after for one in cited)
    assert any(one.is_cut_before for one in cited)
    markdown = report.to_markdown()
    for one in cited:
        assert f"{'… ' * one.is_cut_before}“{one.quote}”{' …' * one.is_cut_after} [" in markdown
    assert research.verify(report.research_id).status == "verified"


def test_a_quotation_begins_with_its_sentence_and_no_title_of_a_person_ends_one(library: Library) -> None:
    """RES-3."""
    _, report = asked(
        library,
        "Who repaired the zeppelin mast?",
        mast="# Masts\n\nGulls nest on the roof. As all of the coast knows, Mr. Tan and Dr. J. Weber repaired the zeppelin mast.\n",
    )
    cited = next(one for one in report.citations() if "zeppelin" in one.quote)
    assert cited.quote == "As all of the coast knows, Mr. Tan and Dr. J. Weber repaired the zeppelin mast."
    assert (cited.is_cut_before, cited.is_cut_after) == (False, False)
