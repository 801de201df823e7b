"""Documents by a hash, and as they were: a version by its number, or the one that was active at a time (STO-16, STO-19)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from octavo_contracts import UsageError
from octavo_library import Library
from octavo_library.facade.corpora import CorpusSettings

SAMPLES = Path(__file__).resolve().parents[5] / "docs" / "samples"
NEXT_DAY = timedelta(days=1)


@pytest.fixture
def library(tmp_path):
    with Library.open(tmp_path / "library") as opened:
        yield opened


@pytest.fixture
def report(library):
    """A document with two versions, of which the second is active."""
    document = library.document(library.ingest(SAMPLES / "harbour-seals.html").document_id)
    document.reconvert(plugin="markitdown", activate=True)
    return document.id


def ids(found):
    return {kind: [document.id for document in documents] for kind, documents in found.items()}


def test_a_document_is_found_by_each_of_its_hashes(library):
    """STO-16: two copies that differ in line ends alone share all but their bytes."""
    one, two = (
        library.ingest(f"The tide turned.{end}It rose.{end}".encode(), name=f"{name}.txt")
        for name, end in (("unix", "\n"), ("dos", "\r\n"))
    )
    hashes = one.result.content_hashes
    both = sorted([one.document_id, two.document_id])
    assert ids(library.documents_with_hash(hashes.raw_file_hash)) == {"raw": [one.document_id]}
    assert ids(library.documents_with_hash(f"sha256:{hashes.raw_file_hash.upper()}")) == {"raw": [one.document_id]}
    assert ids(library.documents_with_hash(hashes.normalized_binary_hash))["binary"] == both
    assert ids(library.documents_with_hash(hashes.normalized_text_hash))["text"] == both
    assert ids(library.documents_with_hash(hashes.chunk_hashes[0]))["chunk"] == both
    assert ids(library.documents_with_hash(hashes.source_instance_id)) == {"instance": [one.document_id]}
    assert library.documents_with_hash("0" * 64) == {}


def test_a_page_that_another_document_has_too_is_found(library):
    outcome = library.ingest(SAMPLES / "annual-report.pdf")
    (digest, *_) = outcome.result.content_hashes.page_hashes
    assert ids(library.documents_with_hash(digest))["page"] == [outcome.document_id]


def test_a_hash_of_another_policy_context_is_found_by_nobody_else(library):
    """STO-5: neither the document nor, where both contexts have it, the instance of the other one."""
    library.corpora.create("sealed", CorpusSettings(visibility="firewalled"))
    library.corpora.create("open", CorpusSettings())
    hidden = library.ingest(b"The harbour is closed.\n", name="a.txt", corpus="sealed").result.content_hashes
    for digest in (hidden.raw_file_hash, hidden.normalized_text_hash, hidden.source_instance_id):
        assert library.documents_with_hash(digest, corpus="open") == {}
        assert library.documents_with_hash(digest, corpus="sealed")

    library.ingest(b"The harbour is closed.\n", name="b.txt", corpus="open")

    assert "raw" in library.documents_with_hash(hidden.raw_file_hash, corpus="open")
    assert library.documents_with_hash(hidden.source_instance_id, corpus="open") == {}


def test_a_version_is_read_by_its_number(library, report):
    """ENG-23: whoever names a version gets that version, whichever is active."""
    first, active = library.document(report, version=1), library.document(report)
    assert (first.active_version, active.active_version) == (1, 2)
    assert first.result.conversion_artifact_ref != active.result.conversion_artifact_ref
    assert (first.quality.selected_tool, active.quality.selected_tool) == ("trafilatura", "markitdown")
    assert first.canonical_text != active.canonical_text


def test_a_policy_context_is_not_told_that_another_one_had_a_document_before(library):
    """STO-5."""
    library.corpora.create("sealed", CorpusSettings(visibility="firewalled"))
    library.corpora.create("open", CorpusSettings())
    document = library.ingest(b"The harbour is closed.\n", name="a.txt", corpus="sealed").document_id
    between = datetime.now(UTC)
    library.ingest(b"The harbour is closed.\n", name="a.txt", corpus="open")

    assert library.document(document, as_of=between, corpus="sealed").active_version == 1
    assert library.document(document, as_of=datetime.now(UTC), corpus="open").active_version == 1
    with pytest.raises(UsageError, match="had no version"):
        library.document(document, as_of=between, corpus="open")


@pytest.mark.parametrize("version", [0, 3])
def test_a_version_that_does_not_exist_is_refused(library, report, version):
    with pytest.raises(UsageError, match=f"no version {version}"):
        library.document(report, version=version)


def test_the_version_of_a_time_is_the_one_that_was_active_then(library, report):
    made = [datetime.fromisoformat(one.created_at) for one in library.document(report).versions]
    assert library.document(report, as_of=made[1] + NEXT_DAY).active_version == 2
    assert library.document(report, as_of=datetime.now(UTC).replace(tzinfo=None)).active_version == 2
    library.document(report).versions.activate(1)
    assert library.document(report, as_of=datetime.now(UTC)).active_version == 1
    with pytest.raises(UsageError, match="had no version"):
        library.document(report, as_of=made[0] - NEXT_DAY)
    with pytest.raises(UsageError, match="only one"):
        library.document(report, version=1, as_of=made[0])
