"""A brief quotes: each value stands where it says it stands, and what is not in the document is not in its brief (INT-1)."""

from __future__ import annotations

import dataclasses
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import octavo as octavo_package
import pytest
from hypothesis import given
from hypothesis import strategies as st
from octavo_brief import Brief, Quoted, brief, make_brief
from octavo_contracts import DocumentMetadata, Summary, UsageError
from octavo_library import Library
from octavo_text.canonical import CanonicalText, canonical_body, join_bodies
from octavo_text.markdown import plain_text

COMPLAINT = """\
# UNITED STATES DISTRICT COURT

FOR THE DISTRICT OF MASSACHUSETTS

HARBOUR FERRIES, INC., and
MARY B. KEEPER,

Plaintiffs,

v.

BRANNOCH HEAD PORT AUTHORITY,

Defendant.

Case No. 1:24-cv-00123-ABC

# COMPLAINT FOR BREACH OF CONTRACT

Filed: March 4, 2024

Plaintiffs allege that the port closed its gates on 2023-11-05. The damages are $1.5 million, of which $250,000 were paid.
The ferry could not land for nine days, and all of its passengers had to be carried by road at the company's cost.
"""

TENK = """\
UNITED STATES
SECURITIES AND EXCHANGE COMMISSION
Washington, D.C. 20549

FORM 10-K

For the fiscal year ended December 31, 2023

Commission File Number: 001-12345

______ TIDE WORKS, INC. ______
(Exact name of registrant as specified in its charter)

Delaware 12-3456789

| Item 1. | Business | 3 |
|---|---|---|

Item 1. Business .......... 3

---PAGE---
Item 1. Business

Tide Works builds pumps for harbours. Its pumps are sold in eleven countries, and most of them are repaired where they stand.

As Item 1A of our last report said, pumps fail in frost.

Item 1A. Risk Factors

The frost of a hard winter breaks pumps that are not drained. We cannot drain pumps that we do not own.
"""

DEPOSITION = """\
DEPOSITION OF MARY KEEPER

Taken on June 3, 2024

---PAGE---
1 EXAMINATION
2 BY MR. SMITH:
3 Q. Please state your name
4 for the record.
5 A. Mary Keeper.
6 Q. Where do you live?
7 A. At the harbour, since
8 nineteen ninety.
9 MR. JONES: Objection to form.
10 Q Did the ferry land on that day?

---PAGE---
1 A. It did not.
2 Q. Who told you?
3 Q. Did anybody tell you?
4 A. Nobody did.
"""


def briefed(markdown: str, **more: Any) -> tuple[Brief, CanonicalText]:
    pages = [page.strip() for page in markdown.split("---PAGE---")]
    bodies = [canonical_body(plain_text(page)) for page in pages]
    text = join_bodies(bodies, paginated=len(pages) > 1)
    return make_brief(text, pages, **more), text


def quoted(value: Any) -> Iterator[Quoted]:
    if isinstance(value, Quoted):
        yield value
    elif isinstance(value, tuple):
        for one in value:
            yield from quoted(one)
    elif dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            yield from quoted(getattr(value, field.name))


def values(found: tuple[Quoted, ...]) -> list[str]:
    return [one.value for one in found]


def test_a_court_document_gives_its_caption() -> None:
    made, _ = briefed(COMPLAINT, document_type="complaint")

    caption = made.caption
    assert caption is not None
    assert caption.court is not None
    assert caption.court.value == "UNITED STATES DISTRICT COURT FOR THE DISTRICT OF MASSACHUSETTS"
    assert values(caption.first_parties) == ["HARBOUR FERRIES, INC., and", "MARY B. KEEPER"]
    assert values(caption.second_parties) == ["BRANNOCH HEAD PORT AUTHORITY"]
    assert caption.case_number is not None
    assert caption.case_number.value == "1:24-cv-00123-ABC"
    assert caption.title is not None
    assert caption.title.value == "COMPLAINT FOR BREACH OF CONTRACT"
    assert len(made.parties) == 3
    assert made.facts.title == caption.title
    assert made.facts.source == caption.court
    assert made.facts.date is not None
    assert made.facts.date.value == "2024-03-04"
    assert values(made.dates) == ["2024-03-04", "2023-11-05"]
    assert values(made.amounts) == ["$1.5 million", "$250,000"]
    assert values(made.case_numbers) == ["1:24-cv-00123-ABC"]


def test_a_filing_gives_its_cover_and_its_items() -> None:
    made, text = briefed(TENK)

    filing = made.filing
    assert filing is not None
    shown = {field.name: getattr(filing, field.name).value for field in dataclasses.fields(filing)}
    assert shown == {
        "form": "10-K",
        "company": "TIDE WORKS, INC.",
        "period": "2023-12-31",
        "file_number": "001-12345",
        "employer_number": "12-3456789",
    }
    assert [(one.title.value, one.page) for one in made.sections] == [
        ("Item 1. Business", 2),
        ("Item 1A. Risk Factors", 2),
    ]
    assert "most of them are repaired" in made.sections[0].span.of(text.text)
    assert "frost of a hard winter" not in made.sections[0].span.of(text.text)
    assert made.sections[1].span.end == len(text.text)
    assert values(made.parties) == ["TIDE WORKS, INC."]
    assert "SECURITIES" not in made.summary.text  # every cover says that


@pytest.mark.corpus
@pytest.mark.parametrize(
    ("name", "form", "company", "period", "file_number"),
    [
        ("financebench-adobe-2022-10k", "10-K", "ADOBE INC.", "2022-12-02", "0-15175"),
        ("financebench-amcor-2022-8k-dated-2022-07-01", "8-K", "AMCOR PLC", "2022-07-01", "001-38932"),
        ("financebench-bestbuy-2023-10k", "10-K", "BEST BUY CO., INC.", "2023-01-28", "1-9595"),
        ("financebench-bestbuy-2024q2-10q", "10-Q", "BEST BUY CO., INC.", "2023-07-29", "1-9595"),
        ("financebench-johnson-johnson-2023-8k-dated-2023-08-30", "8-K", "Johnson & Johnson", "2023-08-30", "1-3215"),
        ("financebench-netflix-2015-10k", "10-K", "Netflix, Inc.", "2015-12-31", "001-35727"),
        ("financebench-walmart-2018-10k", "10-K", "WALMART INC.", "2018-01-31", "001-6991"),
    ],
)
def test_the_covers_of_real_filings_are_read(
    corpus: Path, name: str, form: str, company: str, period: str, file_number: str
) -> None:
    done = octavo_package.convert(corpus / "pdf" / f"{name}.pdf", profile="fast")
    anchors = list(done.result.page_anchor_map.anchors())
    pages = [done.markdown[one.markdown_start : one.markdown_end] for one in anchors]

    filing = make_brief(CanonicalText.from_archive(done.text), pages).filing

    assert filing is not None
    shown = (filing.form, filing.company, filing.period, filing.file_number)
    assert tuple(one.value if one else None for one in shown) == (form, company, period, file_number)


def test_a_deposition_gives_its_questions_as_lawyers_cite_them() -> None:
    made, _ = briefed(DEPOSITION)

    said = made.testimony
    assert said is not None
    assert said.witness is not None
    assert said.witness.value == "MARY KEEPER"
    shown = [(one.citation, one.question.value, one.answer.value if one.answer else None) for one in said.exchanges]
    assert shown == [
        ("2:3", "Please state your name 4 for the record.", "Mary Keeper."),
        ("2:6", "Where do you live?", "At the harbour, since 8 nineteen ninety."),
        ("2:10", "Did the ferry land on that day?", "It did not."),
        ("3:2", "Who told you?", None),
        ("3:3", "Did anybody tell you?", "Nobody did."),
    ]
    assert made.facts.date is not None
    assert made.facts.date.value == "2024-06-03"


def test_a_few_questions_make_no_deposition() -> None:
    made, _ = briefed("Q. Why?\n\nA. Because.\n\nQ. And then?\n\nA. Nothing.")

    assert made.testimony is None


@pytest.mark.parametrize(
    ("markdown", "metadata", "wanted"),
    [
        ("# Tides\n\nBy Mary Keeper\n\n4 March 2024\n\nText.", {}, ("Tides", "2024-03-04", "Mary Keeper")),
        ("Tides of the head\n\n# Abstract\n\nText.", {}, ("Tides of the head", None, None)),
        ("## Results of 2023\n\nText.\n---PAGE---\n# Returns\n\nText.", {}, ("Results of 2023", None, None)),
        ("# Abstract\n\nText.", {}, (None, None, None)),
        ("Text alone, with nothing above it.", {}, (None, None, None)),
        (
            "Text.",
            {"title": "Its title", "date": "2024-01-02", "author": "A. B."},
            ("Its title", "2024-01-02", "A. B."),
        ),
        ("# Other\n\nThe  title\n\nText.", {"title": "The title"}, ("The title", None, None)),
        ("From the harbour\n\nText.", {}, (None, None, None)),
        ("On 4 March 2024 the tide came in, and it was higher than any that had come before.", {}, (None, None, None)),
        ("Dated: 03/04/2024\n\nText.", {}, (None, None, None)),  # two readings are none
    ],
)
def test_title_date_and_author_are_those_that_the_document_calls_so(
    markdown: str, metadata: dict[str, str], wanted: tuple[str | None, ...]
) -> None:
    made, _ = briefed(markdown, metadata=DocumentMetadata(**metadata))

    facts = made.facts
    assert tuple(one.value if one else None for one in (facts.title, facts.date, facts.author)) == wanted


def test_what_metadata_say_has_no_place() -> None:
    made, _ = briefed("Text.", metadata=DocumentMetadata(title="Its title"))

    assert made.facts.title == Quoted(value="Its title", span=None, page=None)


def test_sections_nest() -> None:
    made, text = briefed("# One\n\na\n\n## Two\n\nb\n\n---PAGE---\n# Three\n\nc")

    assert [(one.title.value, one.level, one.page) for one in made.sections] == [
        ("One", 1, 1),
        ("Two", 2, 1),
        ("Three", 1, 2),
    ]
    assert made.sections[0].span.end == made.sections[2].span.start
    assert made.sections[1].span.of(text.text).startswith("Two b")


def test_each_page_has_a_sentence_and_an_empty_one_has_none() -> None:
    pages = ["The tide came in at noon. The tide of noon was high. Cats sleep.", "", "Short."]
    made, _ = briefed("\n---PAGE---\n".join(pages))

    assert [(one.page, one.value) for one in made.page_summaries] == [(1, "The tide came in at noon."), (3, "Short.")]


def test_tables_headings_and_running_heads_are_no_sentences() -> None:
    table = "| month | high \\| low |\n|---|---|\n| September | a long tide of no figures at all |\n| October | 4.1 |"
    page = (
        "Report of the harbour 1\n\n# The tides of the year in all their heights\n\n{table}\n\nThe sea came in {day}.\n"
    )
    made, _ = briefed(
        "---PAGE---".join(page.format(table=table, day=day) for day in ("at noon on Monday", "late on Friday"))
    )

    assert values(made.page_summaries) == ["The sea came in at noon on Monday.", "The sea came in late on Friday."]


def test_a_summariser_of_the_host_s_writes_in_its_own_words() -> None:
    class Own:
        def summarise(self, text: str, *, query: str | None = None, max_chars: int = 2000) -> Summary:
            return Summary(text=f"{len(text)} characters", method="own")

    made, text = briefed(COMPLAINT, summariser=Own())

    assert made.summary == Summary(text=f"{len(text.text)} characters", method="own")


@pytest.mark.parametrize("markdown", [COMPLAINT, TENK, DEPOSITION])
def test_every_quotation_stands_where_it_says(markdown: str) -> None:
    _held(*briefed(markdown))


@pytest.mark.parametrize(
    "text",
    [
        "." * 100_000,
        "1," * 50_000,
        "12/12/" * 20_000,
        "January 1, 2020 " * 6_000,
        "[" * 10_000,
        "The tide came in at noon and went out again at six. " * 4_000,
        "| a | b |\n" * 10_000,
        "# h\n" * 20_000,
        "1 Q. why\n" * 10_000,
    ],
    ids=["dots", "digits", "slashes", "dates", "brackets", "prose", "rows", "headings", "questions"],
)
def test_a_long_text_of_one_kind_is_done_with(text: str) -> None:
    """Each of these took minutes where work grew with the square of the length."""
    _held(*briefed(text))


_WORDS = st.sampled_from(
    [
        *("Q.", "A.", "1", "12", "Item", "1A.", "Plaintiff", "Defendant", "v.", "COURT", "District", "#", "##", "By"),
        *("Mary", "4", "March", "2024", "$1,000", "Case", "No.", "1:23", "\n", "\n\n", "|", "---", "*", "é", "\u2028"),
        *(
            "DEPOSITION",
            "of",
            "FORM",
            "10-K",
            "Securities",
            "and",
            "Exchange",
            "Commission",
            "Exact name of registrant",
        ),
    ]
)


@given(st.lists(_WORDS, max_size=120))
def test_no_text_breaks_it(pieces: list[str]) -> None:
    _held(*briefed(" ".join(pieces).replace(" \n", "\n")))


def _held(made: Brief, text: CanonicalText) -> None:
    for one in quoted(made):
        if one.span is None:
            continue
        said = one.span.of(text.text)
        assert said
        assert one.page is not None
        page = text.pages[one.page - 1]
        assert page.start <= one.span.start < page.end or page.start == page.end
        if one.value != said:  # normalised: a date, or the name of a form
            assert one.value.replace("-", "").isalnum()
    for span in made.summary.spans:
        assert span.of(text.text) in made.summary.text
    for section in made.sections:
        assert section.span.start < section.span.end


# -- through a library ----------------------------------------------------------------------------------------------


def octavo(*words: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "octavo", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


def test_a_document_of_a_library_has_one(tmp_path: Path) -> None:
    (tmp_path / "complaint.md").write_text(COMPLAINT)
    folder = tmp_path / "library"
    with Library.open(folder) as library:
        done = library.ingest(tmp_path / "complaint.md")
        document = library.document(str(done.document_id))
        made = brief(document)
        assert made.caption is not None
        assert all(one.span.of(document.canonical_text) for one in quoted(made) if one.span is not None)
        (tmp_path / "empty.txt").write_bytes(b"")
        failed = library.ingest(tmp_path / "empty.txt")
        with pytest.raises(UsageError, match="no converted content"):
            brief(library.document(str(failed.document_id)))

    shown = octavo("brief", done.document_id, "--library", folder, "--json")
    assert shown.returncode == 0, shown.stderr
    told = json.loads(shown.stdout)
    assert told["caption"]["case_number"]["value"] == "1:24-cv-00123-ABC"
    assert [one["value"] for one in told["amounts"]] == ["$1.5 million", "$250,000"]
    assert set(told) == {
        *("document_type", "tokens", "pages", "facts", "summary", "key_points", "page_summaries", "parties", "dates"),
        *("amounts", "case_numbers", "sections", "caption", "filing", "testimony"),
        *("legal_standards", "provisions", "contract"),
    }
    people = octavo("brief", done.document_id, "--library", folder)
    assert "Title:   COMPLAINT FOR BREACH OF CONTRACT" in people.stdout
    assert "v. BRANNOCH HEAD PORT AUTHORITY" in people.stdout
    assert octavo("brief", "nobody", "--library", folder).returncode == 2
