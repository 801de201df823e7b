"""`octavo list` with filters and orders; documents named as people name them."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from octavo_contracts import ExitCode
from octavo_library.commands.documents.selection import moment_of


def ids(octavo, *options):
    """The file names of what is listed."""
    return [item["paths"][0].rpartition("/")[2] for item in octavo("list", *options, "--json").json["documents"]]


def test_documents_are_filtered_and_sorted(octavo, documents):
    octavo("ingest", documents)
    assert ids(octavo, "--status", "failed", "--sort", "name") == ["broken.pdf", "empty.txt"]
    assert ids(octavo, "--type", "markdown") == ids(octavo, "--type", ".md") == ["tides.md"]
    assert ids(octavo, "--type", "pdf", "--type", "text/markdown", "--sort", "-name") == ["tides.md"]
    assert ids(octavo, "--sort", "name", "--limit", "1") == ["anna.txt"]
    assert len(ids(octavo, "--since", "1h")) == 4
    assert ids(octavo, "--since", "2999-01-01") == []
    assert octavo("list", "--since", "2999-01-01").out == "No documents that fit in octavo-library\n"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--type", "tidal"), "no format is named 'tidal'"),
        (("--since", "lately"), "'lately' is neither a date nor an age"),
        (("--sort", "colour"), "documents are not sorted by 'colour'"),
    ],
)
def test_a_filter_that_means_nothing_is_a_usage_error(octavo, documents, options, said):
    octavo("ingest", documents / "tides.md")
    ended = octavo("list", *options)
    assert ended.code == ExitCode.USAGE
    assert said in ended.stderr


def test_a_document_without_a_title_is_listed_by_its_file_name(octavo, documents):
    octavo("ingest", documents / "letters")
    listed = octavo("list").out
    assert "anna.txt" in listed.replace("\t", " ").splitlines()[-1].split()[:2]


@pytest.mark.parametrize("name", ["tides.md", "papers/tides.md", "Tides", "TIDES"])
def test_a_document_is_named_by_file_name_end_of_path_or_title(octavo, documents, name, monkeypatch):
    """From any folder."""
    octavo("ingest", documents, "--library", documents / "kept")
    monkeypatch.chdir(documents / "letters")
    shown = octavo("show", name, "--json", "--library", documents / "kept")
    assert shown.json["document"]["paths"][0].endswith("/papers/tides.md")


def test_a_name_of_several_documents_is_refused_with_the_candidates(octavo, documents):
    (documents / "letters" / "tides.md").write_text("# Other tides\n")
    octavo("ingest", documents)
    ended = octavo("show", "tides.md")
    assert ended.code == ExitCode.USAGE
    assert "matches several documents" in ended.stderr
    assert "(Tides)" in ended.stderr
    assert "(Other tides)" in ended.stderr
    assert octavo("show", "letters/tides.md").code == ExitCode.OK


def test_a_document_of_another_policy_is_not_named_by_its_file_or_title(octavo, documents):
    """What came in under a firewalled policy is not there for another corpus (STO-5)."""
    octavo("corpus", "create", "sealed", "--visibility", "firewalled")
    octavo("corpus", "create", "open")
    octavo("ingest", documents / "tides.md", "--corpus", "sealed")
    for name in ("tides.md", "Tides"):
        assert octavo("show", name, "--corpus", "open").code == ExitCode.USAGE
        assert octavo("show", name, "--corpus", "sealed").code == ExitCode.OK


def test_moments_are_dates_times_and_ages():
    now = datetime(2026, 11, 22, 12, tzinfo=UTC)
    assert moment_of("7d", now=now) == datetime(2026, 11, 15, 12, tzinfo=UTC)
    assert moment_of("2026-11-22") == datetime(2026, 11, 22, tzinfo=UTC)
    assert moment_of("2026-11-22T09:30:00+02:00") == datetime(2026, 11, 22, 7, 30, tzinfo=UTC)


def test_documents_are_listed_by_a_hash(octavo, documents):
    """STO-16."""
    octavo("ingest", documents / "tides.md", documents / "letters")
    (row,) = octavo("list", "--type", "md", "--json").json["documents"]
    hashes = octavo("show", row["id"], "--json").json["result"]["content_hashes"]
    found = octavo("list", "--hash", hashes["normalized_text_hash"], "--json").json["documents"]
    assert [(one["id"], one["hash_of"][0]) for one in found] == [(row["id"], "text")]
    assert "raw" in octavo("list", "--hash", hashes["raw_file_hash"]).out
    assert octavo("list", "--hash", "0" * 64, "--json").json["documents"] == []
