"""`octavo type`, and how the type of a document is shown elsewhere (CLS-2, CLS-6)."""

from __future__ import annotations

from pathlib import Path

import pytest
from octavo_contracts import ExitCode

LEASES = '[types.lease]\ntitle = ["lease agreement"]\nwords = ["landlord", "rent"]\n'


@pytest.fixture
def letter(octavo, tmp_path: Path) -> Path:
    """A letter that is in the library."""
    path = tmp_path / "letter.txt"
    path.write_text("12 May 2025\n\nDear Ms Roe,\n\nthank you for the gauge.\n\nYours sincerely\n\nJ. Doe\n")
    assert octavo("ingest", path).code == ExitCode.OK
    return path


def test_the_type_is_shown_set_and_taken_back(octavo, letter):
    """CLS-6: what the classifier said, and how sure it was, is shown beside what a user says."""
    said = "Kind         correspondence\nClassifier   correspondence, confidence 0.75\n"
    by_hand = "Kind         contract (set by hand)\nSet by       user\nClassifier   correspondence, confidence 0.75\n"
    document_id = octavo("type", letter, "--json").json["document_id"]
    assert octavo("type", letter).out == f"Id           {document_id}\n{said}"
    assert octavo("type", letter, "contract").out == f"Id           {document_id}\n{by_hand}"
    assert octavo("type", letter).out.endswith(by_hand)
    assert octavo("type", letter, "--clear").out.endswith(said)


def test_the_json_has_the_documented_keys(octavo, letter):
    """CLS-6: `unknown` is the value of what is shown as unclassified."""
    shown = octavo("type", letter, "unknown", "--json").json
    assert shown == {
        "document_id": shown["document_id"],
        "title": None,
        "document_type": "unknown",
        "document_type_by": "user",
        "classified_as": "correspondence",
        "confidence": 0.75,
    }
    assert octavo("show", letter, "--json").json["result"]["document_type"] == "unknown"
    assert octavo("type", letter, "--clear", "--json").json["document_type_by"] is None


def test_a_document_of_no_known_type_is_unclassified(octavo, documents):
    """CLS-6: below 0.5, and where there was no verdict."""
    octavo("ingest", documents)
    tides, broken = documents / "tides.md", documents / "broken.pdf"
    assert "Kind         unclassified\n" in octavo("show", tides).out
    assert "Type:    unclassified, 1 page" in octavo("brief", tides).out
    assert octavo("type", tides).out.endswith("Kind         unclassified\nClassifier   unclassified, confidence 0.00\n")
    assert octavo("type", broken).out.endswith("Kind         unclassified\nClassifier   no verdict\n")
    assert octavo("show", tides, "--json").json["result"]["document_type"] == "unknown"


def test_show_says_what_was_set_by_hand(octavo, letter):
    """CLS-6."""
    assert "Kind         correspondence\n" in octavo("show", letter).out
    octavo("type", letter, "motion")
    assert "Kind         motion (set by hand)\n" in octavo("show", letter).out
    assert "Type:    motion, " in octavo("brief", letter).out
    octavo("type", letter, "unknown")
    assert "Kind         unclassified (set by hand)\n" in octavo("show", letter).out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            ("letter.txt", "contrakt"),
            "unknown document type 'contrakt'; did you mean contract? [usage]\n  Give one of",
        ),
        (("letter.txt", "A Type"), "invalid document type 'A Type'"),
        (("letter.txt", "motion", "--clear"), "TYPE and --clear were given [usage]\n  Give only one of them"),
        (("absent.txt", "motion"), "no document matches 'absent.txt'"),
    ],
)
def test_a_slip_is_a_usage_error_and_changes_nothing(octavo, letter, arguments, words):
    """CLS-6."""
    ended = octavo("type", *arguments)
    assert (ended.code, ended.stdout) == (ExitCode.USAGE, b"")
    assert words in ended.stderr
    assert octavo("type", letter, "--json").json["document_type_by"] is None


def test_a_type_of_the_profile_is_found_and_can_be_set(octavo, letter, tmp_path):
    """CLS-2, CLS-6: of a corpus that has the profile."""
    (tmp_path / "leases.toml").write_text(LEASES)
    (tmp_path / "house.txt").write_text("Lease agreement\n\nThe landlord owns the house; the rent is due.\n")
    assert octavo("corpus", "create", "leases", "--profile", tmp_path / "leases.toml").code == ExitCode.OK
    octavo("ingest", "house.txt", "letter.txt", "--corpus", "leases")
    assert "Kind         lease\n" in octavo("show", "house.txt").out
    assert "Kind         lease (set by hand)\n" in octavo("type", letter, "lease").out


def test_a_profile_with_a_malformed_type_is_a_usage_error(octavo, letter, tmp_path):
    """CLS-2: before anything is converted."""
    (tmp_path / "slip.toml").write_text("[types.lease]\ntitel = ['lease']\n")
    ended = octavo("ingest", letter, "--profile", "slip.toml")
    assert ended.code == ExitCode.USAGE
    assert (
        "profile slip.toml: types.lease has the unknown key 'titel'; did you mean title? [usage]\n  Use title, words"
        in ended.stderr
    )
