"""Profiles extend the metadata of documents, for those who have the profile (ENG-23)."""

from __future__ import annotations

import json
from pathlib import Path

import octavo
import pytest
from octavo.profiles.profile import load_profile
from octavo_contracts import ToolUnavailable, UsageError
from octavo_library import Library
from octavo_library.facade.corpora import CorpusSettings

COMPLAINT = """\
# UNITED STATES DISTRICT COURT

FOR THE DISTRICT OF MASSACHUSETTS

HARBOUR FERRIES, INC.,

Plaintiff,

v.

BRANNOCH HEAD PORT AUTHORITY,

Defendant.

Case No. 1:24-cv-00123-ABC

# COMPLAINT

The port closed its gates on 2023-11-05, and the ferry could not land for nine days.
"""
CASE = {
    "case_number": "1:24-cv-00123-ABC",
    "court": "UNITED STATES DISTRICT COURT FOR THE DISTRICT OF MASSACHUSETTS",
    "jurisdiction": "DISTRICT OF MASSACHUSETTS",
}


@pytest.fixture
def complaint(tmp_path: Path) -> Path:
    path = tmp_path / "complaint.md"
    path.write_text(COMPLAINT)
    return path


def case_fields(fields: object) -> object:
    assert isinstance(fields, dict)
    return {name: fields[name] for name in CASE if name in fields}


def test_the_legal_profile_reads_the_case(complaint: Path) -> None:
    """The legal profile adds case number, court and jurisdiction; the default does not (ENG-23)."""
    assert case_fields(octavo.convert(complaint, profile="legal").result.metadata.fields) == CASE
    assert case_fields(octavo.convert(complaint).result.metadata.fields) == {}


def test_a_document_without_a_caption_has_none(tmp_path: Path) -> None:
    (tmp_path / "letter.md").write_text("Dear Ms Pier,\n\nThe court of the castle is wet.\n")
    assert case_fields(octavo.convert(tmp_path / "letter.md", profile="legal").result.metadata.fields) == {}


@pytest.mark.parametrize(
    ("court", "area"),
    [
        ("IN THE HIGH COURT OF JUSTICE OF ENGLAND AND WALES", "ENGLAND AND WALES"),
        ("SUPREME COURT OF THE STATE OF NEW YORK", "STATE OF NEW YORK"),
        ("SUPERIOR COURT OF CALIFORNIA, COUNTY OF ALAMEDA", "COUNTY OF ALAMEDA"),
        ("UNITED STATES COURT OF APPEALS FOR THE NINTH CIRCUIT", "NINTH CIRCUIT"),
        ("FAMILY COURT", None),
    ],
)
def test_the_jurisdiction_is_the_area_in_the_name_of_the_court(tmp_path: Path, court: str, area: str | None) -> None:
    (tmp_path / "order.md").write_text(f"# {court}\n\nJANE DOE,\n\nPlaintiff,\n\nv.\n\nJOHN ROE,\n\nDefendant.\n")
    assert octavo.convert(tmp_path / "order.md", profile="legal").result.metadata.fields.get("jurisdiction") == area


def test_each_context_gets_the_metadata_of_its_own_profile(tmp_path: Path, complaint: Path) -> None:
    """Bytes that another corpus converted get the fields too, and a corpus without the profile does not (ENG-23, STO-5)."""
    with Library.open(tmp_path / "library") as library:
        library.corpora.create("plain")
        library.corpora.create("case", CorpusSettings(profile="legal", visibility="firewalled"))
        plain = library.ingest(complaint, corpus="plain")
        case = library.ingest(complaint, corpus="case")
        assert case_fields(plain.result.metadata.fields) == {}
        assert case_fields(case.result.metadata.fields) == CASE
        document_id = str(case.document_id)
        shown = {
            name: case_fields(library.document(document_id, corpus=name).result.metadata.fields)
            for name in ("plain", "case", None)
        }
        assert shown == {"plain": {}, "case": CASE, None: CASE}
        stored = next(library.path.glob("by_hash/*/conversions/v1/metadata.json"))
        assert case_fields(json.loads(stored.read_text())["metadata"]["fields"]) == {}


def test_another_context_does_not_learn_of_the_legal_profile(tmp_path: Path, complaint: Path) -> None:
    """The name of the profile that made a shared version would tell that somebody has a case (STO-5)."""
    with Library.open(tmp_path / "library") as library:
        library.corpora.create("case", CorpusSettings(profile="legal", visibility="firewalled"))
        document_id = str(library.ingest(complaint, corpus="case").document_id)
        library.ingest(complaint, corpus="plain")
        document = library.document(document_id, corpus="plain")
        assert "legal" not in document.result.to_json()
        assert b"legal" not in document.archive()
        assert case_fields(document.result.metadata.fields) == {}


def test_the_profile_of_one_ingestion_counts_for_its_outcome(tmp_path: Path, complaint: Path) -> None:
    with Library.open(tmp_path / "library") as library:
        done = library.ingest(complaint, profile="legal")
        assert case_fields(done.result.metadata.fields) == CASE
        report = library.document(str(done.document_id), corpus=None).quality
        assert report.user_visible_status == "ok"


def test_a_profile_of_ones_own_builds_on_a_shipped_one(tmp_path: Path, complaint: Path) -> None:
    """`base` names the profile whose tables apply where a profile has none of its own."""
    own = tmp_path / "own.toml"
    own.write_text('name = "own"\nbase = "fast"\nmetadata = ["court"]\n\n[routes]\nmarkdown = ["plaintext"]\n')
    profile, fast = load_profile(str(own)), load_profile("fast")
    assert (profile.name, profile.routes, profile.escalate) == ("own", {"markdown": ("plaintext",)}, fast.escalate)
    assert load_profile("legal").routes == load_profile("measured").routes
    assert octavo.convert(complaint, profile=str(own)).result.metadata.fields["court"] == CASE["court"]


def test_a_field_that_nothing_reads_is_refused(tmp_path: Path, complaint: Path) -> None:
    own = tmp_path / "own.toml"
    own.write_text('base = "fast"\nmetadata = ["judge"]\n')
    with pytest.raises(ToolUnavailable, match="asks for the metadata judge, which nothing installed reads"):
        octavo.convert(complaint, profile=str(own))
    own.with_name("odd.toml").write_text('base = "odd"\n')
    with pytest.raises(UsageError, match="has the unknown base 'odd'"):
        octavo.convert(complaint, profile=str(own.with_name("odd.toml")))
