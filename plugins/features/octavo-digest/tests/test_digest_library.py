"""A library's digests, and those of files that are in none: by the core's own digestor (DIG-10, R-2)."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import jsonschema
import pytest
from octavo import Settings
from octavo.plugins import PluginSelection
from octavo.runtime import Runtime
from octavo_contracts import SourceCorrupt, SourceMissing, UsageError, resolve_locator, verify_digest
from octavo_contracts.schema import load_schema
from octavo_digest import adigest_document, digest_document, verify_in_library
from octavo_digest.path import digest_path
from octavo_library import Library

SAMPLES = Path(__file__).resolve().parents[4] / "docs" / "samples"
QUERY = "How high was the surge of November?"
WITHOUT_FEATURES = Settings(plugins=PluginSelection(block=frozenset({"digest"})))
DIGESTED = ("annual-report.pdf", "field-notes.md", "lecture.vtt", "harbour-seals.html", "pebble-guide.epub")


@pytest.fixture(scope="module")
def runtime():
    with Runtime(WITHOUT_FEATURES) as shared:
        yield shared


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory, runtime: Runtime):
    with Library.open(tmp_path_factory.mktemp("digests") / "library", runtime=runtime) as opened:
        for name in DIGESTED:
            opened.ingest(SAMPLES / name)
        yield opened


@pytest.mark.parametrize("name", DIGESTED)
def test_a_document_is_digested_and_verified_by_the_library_itself(library: Library, name: str) -> None:
    document = library.document(str(SAMPLES / name))

    outcome = digest_document(library, document, query=QUERY)

    assert outcome.details["document_id"] == document.id
    assert outcome.details["conversion_version"] == str(document.active_version)
    if outcome.payload is None:
        assert (outcome.status, outcome.reason) == ("skipped", "no_gain")
        return
    jsonschema.Draft7Validator(load_schema("digest_payload")).validate(json.loads(outcome.payload.to_json()))
    assert verify_in_library(library, outcome.payload).status == "verified"
    for snippet in outcome.payload.evidence_snippets:
        assert resolve_locator(document.canonical_text, snippet.locator) == snippet.text
        # Pages of a file, and the time blocks of a recording.
        assert snippet.locator.startswith("page:") is (name in ("annual-report.pdf", "lecture.vtt"))


def test_a_document_may_be_named_as_the_library_names_it(library: Library) -> None:
    document = library.document(str(SAMPLES / "annual-report.pdf"))

    by_id = digest_document(library, document.id, query=QUERY)
    by_prefix = digest_document(library, document.id[:10], query=QUERY)

    assert by_id.payload == by_prefix.payload == digest_document(library, document, query=QUERY).payload
    with pytest.raises(UsageError, match="no document"):
        digest_document(library, "ffffffffffff", query=QUERY)


def test_asynchronous_code_gets_the_same(library: Library) -> None:
    document = library.document(str(SAMPLES / "annual-report.pdf"))

    async def main():
        inside = digest_document(library, document, query=QUERY)  # also where a loop runs already
        return inside, await adigest_document(library, document, query=QUERY)

    first, second = asyncio.run(main())

    assert first.payload == second.payload == digest_document(library, document, query=QUERY).payload


def test_the_policy_decides(library: Library) -> None:
    document = library.document(str(SAMPLES / "annual-report.pdf"))

    assert digest_document(library, document, query=QUERY, policy="off").reason == "policy_off"
    assert digest_document(library, document, query=QUERY, policy="auto").reason == "not_eligible"
    with pytest.raises(UsageError, match="off, auto, always"):
        digest_document(library, document, query=QUERY, policy="maybe")


def test_scorer_digestor_and_settings_are_checked(library: Library) -> None:
    document = library.document(str(SAMPLES / "annual-report.pdf"))

    assert digest_document(library, document, query=QUERY, scorer="keyword/v1").details["scorer"] == "keyword/v1"
    with pytest.raises(UsageError, match="unknown scorer"):
        digest_document(library, document, query=QUERY, scorer="x/v1")
    with pytest.raises(UsageError, match="no plugin named 'mine'"):
        digest_document(library, document, query=QUERY, digestor="mine")
    with pytest.raises(UsageError, match="no setting 'colour'"):
        digest_document(library, document, query=QUERY, colour="red")
    with pytest.raises(UsageError, match="no setting 'colours'"):
        digest_document(library, document, query=QUERY, colours=["red"])


def test_a_digest_of_another_text_is_unavailable_and_a_changed_one_fails(library: Library) -> None:
    payload = digest_document(library, str(SAMPLES / "annual-report.pdf"), query=QUERY).payload
    assert payload is not None
    elsewhere = payload.model_copy(update={"source_text_hash": "sha256:" + "0" * 64})
    first = payload.evidence_snippets[0].model_copy(update={"text": "Invented."})

    assert verify_in_library(library, elsewhere).status == "unavailable"
    assert verify_in_library(library, payload.model_copy(update={"evidence_snippets": (first,)})).status == "failed"


def test_a_digest_of_an_earlier_version_still_verifies(tmp_path: Path, runtime: Runtime) -> None:
    """The text that it was made of is kept with its version."""
    with Library.open(tmp_path / "library", runtime=runtime) as library:
        document = library.ingest(SAMPLES / "annual-report.pdf", plugin="pdfium").document
        payload = digest_document(library, document, query=QUERY).payload
        assert payload is not None
        document.reconvert(plugin="pdfminer")
        now = library.document(document.id)
        assert now.canonical_text != document.canonical_text

        assert verify_in_library(library, payload).status == "verified"


def test_a_text_is_archived_before_it_is_digested(library: Library, tmp_path: Path) -> None:
    outcome = digest_document(library, str(SAMPLES / "annual-report.pdf"), query=QUERY, archive_dir=tmp_path)

    kept = list(tmp_path.rglob("*.txt"))
    assert [path.stem for path in kept] == [outcome.details["archive_hash"]]
    assert outcome.payload is not None
    assert verify_digest(outcome.payload, kept[0].read_bytes().decode()).status == "verified"


def test_an_archive_that_can_not_be_written_keeps_the_digest(library: Library, tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.touch()

    outcome = digest_document(library, str(SAMPLES / "annual-report.pdf"), query=QUERY, archive_dir=blocked)

    assert outcome.status == "digested"
    assert "cannot be verified" in outcome.warnings[0]
    assert "archive_hash" not in outcome.details


def test_what_is_not_digested_is_not_archived(library: Library, tmp_path: Path) -> None:
    digest_document(library, str(SAMPLES / "annual-report.pdf"), query=QUERY, archive_dir=tmp_path / "a", policy="off")

    assert not (tmp_path / "a").exists()


def test_a_file_in_no_library_is_digested(runtime: Runtime, tmp_path: Path) -> None:
    outcome = digest_path(SAMPLES / "annual-report.pdf", query=QUERY, archive_dir=tmp_path, runtime=runtime)

    assert outcome.payload is not None
    assert outcome.payload.evidence_snippets[0].locator.startswith("page:")
    text = next(tmp_path.rglob("*.txt")).read_bytes().decode()
    assert verify_digest(outcome.payload, text).status == "verified"


def test_a_file_that_can_not_be_converted_raises_its_reason(runtime: Runtime, tmp_path: Path) -> None:
    broken = tmp_path / "broken.pdf"
    broken.write_bytes(b"%PDF-1.7 no more")

    with pytest.raises(SourceCorrupt, match=r"broken\.pdf"):
        digest_path(broken, query=QUERY, runtime=runtime)
    with pytest.raises(SourceMissing):
        digest_path(tmp_path / "none.txt", query=QUERY, runtime=runtime)


def test_a_document_without_content_is_refused(tmp_path: Path, runtime: Runtime) -> None:
    empty = tmp_path / "empty.txt"
    empty.touch()
    with Library.open(tmp_path / "library", runtime=runtime) as library:
        document = library.ingest(empty).document

        with pytest.raises(UsageError, match="no converted content"):
            digest_document(library, document, query=QUERY)


def test_blocks_of_the_stored_version_reach_the_digest(library: Library) -> None:
    """R-4: a library knows where paragraphs begin, an archived text does not."""
    document = library.document(str(SAMPLES / "field-notes.md"))

    text = document.structured_text

    assert text.breaks
    assert text.text == document.canonical_text


@pytest.mark.parametrize(
    ("query", "codes"),
    [
        (QUERY, ()),
        ("", ()),
        ("Which orchestra recorded the symphony?", ("query_unmatched",)),
        ("Welche Orchester haben die Sinfonie und das Konzert gespielt?", ("query_unmatched", "query_language")),
        ("Какой оркестр?", ("query_unmatched", "query_language")),
    ],
)
def test_a_digest_says_if_the_text_has_no_word_of_the_query_or_another_language(
    library: Library, query: str, codes: tuple[str, ...]
) -> None:
    outcome = digest_document(library, library.document(str(SAMPLES / "annual-report.pdf")), query=query)

    if query:
        assert outcome.payload is not None
        assert outcome.payload.summary  # also of a query that nothing matches: then it is a general one
    else:  # the evidence of everything is about as long as this text
        assert (outcome.status, outcome.reason) == ("skipped", "no_gain")
    assert tuple(warning.rpartition("[")[2].rstrip("]") for warning in outcome.warnings) == codes
