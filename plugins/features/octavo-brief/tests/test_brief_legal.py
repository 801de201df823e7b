"""What a brief says of legal documents: standards, provisions, parties of contracts, topics by witness (INT-1, CLS-10)."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from octavo_brief import Brief, make_brief
from octavo_cli import main
from octavo_text.canonical import CanonicalText, canonical_body, join_bodies
from octavo_text.markdown import plain_text

MOTION = """\
# UNITED STATES DISTRICT COURT

FOR THE DISTRICT OF MASSACHUSETTS

HARBOUR FERRIES, INC.,

Plaintiff,

v.

BRANNOCH HEAD PORT AUTHORITY,

Defendant.

# MEMORANDUM IN SUPPORT OF MOTION TO DISMISS

Dismissal is proper under Fed. R. Civ. P. 12(b)(6), since the complaint fails to state a claim. A claim must be plausible on its face.
The plaintiff must prove its loss by a preponderance of the evidence. The preponderance of evidence is against it. Jurisdiction rests on
28 U.S.C. § 1332(a), and the claim on Section 10(b) of the Securities Exchange Act of 1934. Courts review de novo.
"""

DEPOSITION = """\
DEPOSITION OF MARY KEEPER

Taken on June 3, 2024

---PAGE---
1 EXAMINATION
2 BY MR. SMITH:
3 Q. Did you sign the ferry contract with
4 the Port Authority?
5 A. I signed it at Brannoch Head.
6 Q. I show you Exhibit 12. Is this the ferry contract?
7 A. Yes. That is the contract.
8 Q. Who is Captain Jones?
9 A. He ran the ferry for the port authority.
10 Q. Where did you meet Captain Jones?

---PAGE---
1 A. At Brannoch Head, by the harbour wall.
2 Q. What did the harbour wall look like?
3 A. The harbour wall was broken.
4 Q. Did anybody from the Port Authority see the damage?
5 A. Nobody did.
"""

TRIAL = """\
MARY KEEPER,

called as a witness, having been duly sworn, testified:

Q. Were you at the north gate?

A. I was at the north gate.

Q. Did you see Exhibit 4?

A. The letter was there.

JOHN PIER,

called as a witness, having been duly sworn, testified:

Q. Did you see the ferry schedule?

A. The ferry schedule was late.

Q. Was that the ferry schedule of May?

A. It was.
"""

SPOKEN = """\
[00:00:00] We are on the record. This is the video deposition of Mary Keeper. Counsel will introduce themselves. The court
reporter will swear in the witness.

[00:00:41] Would you state your full name for the record? Mary Beth Keeper. Where do you live? At the harbour. Did you see the
ferry on that day? I saw it leave the north gate.

---PAGE---
[00:05:20] Who closed the north gate? The port closed it. Was the plaintiff there? He was not. What is Exhibit 4? It is a letter.
"""

SPEAKERS = """\
[00:00:00] Reporter: We are on the record for the deposition of Mary Keeper. You are sworn.

[00:00:41] Mr. Smith: Would you state your full name for the record?

[00:00:45] Mary Keeper: Mary Beth Keeper.

[00:01:41] Mr. Smith: Where do you live?

[00:01:49] Mary Keeper: At the harbour, in the town, you mean?

[00:02:00] Mr. Smith: Did counsel show you Exhibit 4?

[00:02:05] Mary Keeper: Yes.

[00:02:10] Mr. Smith: Is that your signature?

[00:02:15] Mary Keeper: It is.
"""

_CLOCK = re.compile(r"\[\d\d:\d\d:\d\d\] ")


def briefed(markdown: str) -> tuple[Brief, CanonicalText]:
    """The brief of pages; like a transcript's, the canonical text has no times."""
    pages = [page.strip() for page in markdown.split("---PAGE---")]
    bodies = [canonical_body(_CLOCK.sub("", plain_text(page))) for page in pages]
    text = join_bodies(bodies, paginated=len(pages) > 1)
    return make_brief(text, pages), text


@pytest.mark.parametrize(
    "line",
    [
        "ACME CORP., Plaintiff, v. JANE DOE, Defendant.",
        "ACME CORP., Plaintiff,\n\nv. JANE DOE, Defendant.",
        "ACME CORP., Plaintiff\n\nvs. JANE DOE and others, Defendants.",
    ],
)
def test_a_caption_on_one_line_has_two_sides(line: str) -> None:
    """Each side once and verbatim, and none inside the other (INT-1)."""
    made, text = briefed(f"# UNITED STATES DISTRICT COURT\n\n{line}\n\nCase No. 1:26-cv-01234\n\nCOMPLAINT\n")
    assert made.caption is not None
    (one,), (two,) = made.caption.first_parties, made.caption.second_parties
    assert one.value == "ACME CORP."
    assert two.value in ("JANE DOE", "JANE DOE and others")
    assert one.span is not None
    assert two.span is not None
    assert (one.span.of(text.text), two.span.of(text.text)) == (one.value, two.value)


def test_a_motion_names_its_standards_and_provisions() -> None:
    """Each once, as first written, at its place (INT-1)."""
    made, text = briefed(MOTION)
    assert [one.value for one in made.legal_standards] == [
        "fails to state a claim",
        "plausible on its face",
        "a preponderance of the evidence",
        "review de novo",
    ]
    assert [one.value for one in made.provisions] == [
        "Fed. R. Civ. P. 12(b)(6)",
        "28 U.S.C. § 1332(a)",
        "Section 10(b) of the Securities Exchange Act of 1934",
    ]
    for one in (*made.legal_standards, *made.provisions):
        assert one.span is not None
        assert one.span.of(text.text) == one.value


@pytest.mark.parametrize(
    "text",
    [
        "The synthesis of the protein de novo needs good cause to be tried.",
        "He proved beyond a reasonable doubt that tea is better cold.",
        "Rule 5 of the club, and section 3 of this report, are about boats.",
    ],
)
def test_everyday_words_are_no_standards(text: str) -> None:
    """What is doubtful is not shown as found (INT-1)."""
    made, _ = briefed(f"# Notes\n\n{text}\n")
    assert made.legal_standards == ()
    assert made.provisions == ()


@pytest.mark.parametrize(
    ("markdown", "parties"),
    [
        (
            "# SERVICES AGREEMENT\n\nThis agreement is made on 1 February 2024 between Brannoch Instruments Limited and Northern Harbour"
            " Trust.\n\n## 1. Definitions\n",
            [("Brannoch Instruments Limited", None), ("Northern Harbour Trust", None)],
        ),
        (
            "# EMPLOYMENT AGREEMENT\n\nThis Employment Agreement (this “Agreement”) is entered into as of May 3, 2021, by and between ACME,"
            " INC., a Delaware corporation (the “Company”), and John Q. Smith (“Executive”).\n\nWHEREAS, the Company hires.\n",
            [("ACME, INC.", "Company"), ("John Q. Smith", "Executive")],
        ),
        (
            '# LEASE\n\nTHIS LEASE is made in May\n\nBETWEEN:\n\n(1) PENROSE ESTATES PLC (number 123) of 1 High St ("the Landlord"); and\n\n(2)'
            ' MARKS AND SPENCER PLC ("the Tenant")\n',
            [("PENROSE ESTATES PLC", "Landlord"), ("MARKS AND SPENCER PLC", "Tenant")],
        ),
        (
            '# Share Purchase Agreement\n\nPARTIES\n\n(1) Harbour Holdings Limited (the "Seller")\n\n(2) Tide Works plc (the "Buyer")\n\n##'
            " Background\n",
            [("Harbour Holdings Limited", "Seller"), ("Tide Works plc", "Buyer")],
        ),
        (
            "# Loan Agreement\n\nThis Agreement is among Marks and Spencer plc, Tesco plc and the Lenders party hereto.\n",
            [("Marks and Spencer plc", None), ("Tesco plc", None)],
        ),
        ("# Settlement Agreement\n\nThis Settlement Agreement governs the relationship between You and Us.\n", []),
        ("# Terms of the Agreement\n\nThis Agreement is between the Company and the Customer.\n", []),
        ("# News\n\nThe agreement between Acme Corp and Beta plc was signed in May.\n", []),
        ("# LEASE\n\nThis lease is made between the 1 May 2020 and 3 June 2021.\n", []),
    ],
    ids=["between", "roles", "numbered", "list", "commas", "you and us", "roles alone", "news", "dates"],
)
def test_the_parties_of_a_contract(markdown: str, parties: list[tuple[str, str | None]]) -> None:
    """Two or more names, or none (INT-1)."""
    made, text = briefed(markdown)
    assert [(one.name.value, one.role.value if one.role else None) for one in made.contract] == parties
    assert [one.value for one in made.parties] == [name for name, _ in parties]
    for party in made.contract:
        assert party.name.span is not None
        assert party.name.span.of(text.text) == party.name.value


def test_a_deposition_is_indexed_by_topic() -> None:
    """Names, exhibits and recurring noun phrases, each with the places of its questions (CLS-10)."""
    made, _ = briefed(DEPOSITION)
    said = made.testimony
    assert said is not None
    shown = {one.name.value: [said.exchanges[place].citation for place in one.exchanges] for one in said.topics}
    assert shown == {
        "Port Authority": ["2:3", "2:8", "3:4"],
        "ferry": ["2:3", "2:6", "2:8"],
        "Brannoch Head": ["2:3", "2:10"],
        "Captain Jones": ["2:8", "2:10"],
        "harbour wall": ["2:10", "3:2"],
        "ferry contract": ["2:3", "2:6"],
        "Exhibit 12": ["2:6"],
    }
    assert {one.witness for one in said.topics} == {"MARY KEEPER"}


def test_each_witness_has_topics_of_their_own() -> None:
    """CLS-10."""
    made, _ = briefed(TRIAL)
    said = made.testimony
    assert said is not None
    assert [one.witness for one in said.exchanges] == ["MARY KEEPER", "MARY KEEPER", "JOHN PIER", "JOHN PIER"]
    assert [one.answer.value for one in said.exchanges if one.answer][1] == "The letter was there."
    assert [(one.witness, one.name.value, one.exchanges) for one in said.topics] == [
        ("MARY KEEPER", "Exhibit 4", (1,)),
        ("JOHN PIER", "ferry schedule", (2, 3)),
    ]


def test_a_recorded_deposition_has_questions_by_their_time() -> None:
    """The transcript of a recording has no Q and A, and here no speakers (CLS-10)."""
    made, _ = briefed(SPOKEN)
    said = made.testimony
    assert said is not None
    assert [(one.citation, one.question.value) for one in said.exchanges] == [
        ("00:00:41", "Would you state your full name for the record?"),
        ("00:00:41", "Where do you live?"),
        ("00:00:41", "Did you see the ferry on that day?"),
        ("00:05:20", "Who closed the north gate?"),
        ("00:05:20", "Was the plaintiff there?"),
        ("00:05:20", "What is Exhibit 4?"),
    ]
    assert {one.witness for one in said.exchanges} == {"Mary Keeper"}
    assert [(one.name.value, one.exchanges) for one in said.topics] == [("north gate", (2, 3)), ("Exhibit 4", (5,))]


def test_speakers_tell_who_asks() -> None:
    """An answer with a question mark stays an answer (CLS-10)."""
    made, _ = briefed(SPEAKERS)
    said = made.testimony
    assert said is not None
    assert [(one.question.value, one.answer.value if one.answer else None) for one in said.exchanges] == [
        ("Would you state your full name for the record?", "Mary Beth Keeper."),
        ("Where do you live?", "At the harbour, in the town, you mean?"),
        ("Did counsel show you Exhibit 4?", "Yes."),
        ("Is that your signature?", "It is."),
    ]


def test_a_lecture_with_questions_is_no_deposition() -> None:
    lines = [f"[00:0{minute}:00] Visitor: Why is that? And then?" for minute in range(9)]
    made, _ = briefed("\n\n".join(lines))
    assert made.testimony is None


VTT = """\
WEBVTT

{cues}
"""


def test_captions_of_a_deposition_are_a_deposition(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Transcripts of speech are typed by the phrases of a deposition, and its topics are shown (CLS-10)."""
    turns = [_CLOCK.sub("", line).partition(": ") for line in SPEAKERS.split("\n\n")]
    cues = [
        f"00:0{place}:00.000 --> 00:0{place}:30.000\n<v {who}>{said.strip()}"
        for place, (who, _, said) in enumerate(turns)
    ]
    (tmp_path / "keeper.vtt").write_text(VTT.format(cues="\n\n".join(cues)))
    monkeypatch.chdir(tmp_path)
    assert main(["ingest", "keeper.vtt"]) == 0
    capfd.readouterr()
    assert main(["brief", "keeper.vtt", "--json"]) == 0
    told = json.loads(capfd.readouterr().out)
    assert told["document_type"] == "deposition"
    assert [one["citation"] for one in told["testimony"]["exchanges"]] == [
        "00:01:00",
        "00:03:00",
        "00:05:00",
        "00:07:00",
    ]
    assert [one["name"]["value"] for one in told["testimony"]["topics"]] == ["Exhibit 4"]
    assert main(["brief", "keeper.vtt"]) == 0
    shown = capfd.readouterr().out
    assert "Topics of Mary Keeper:" in shown
    assert "Exhibit 4  00:05:00" in shown
