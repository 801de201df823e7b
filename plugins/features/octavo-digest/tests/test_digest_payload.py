"""Payloads: their budget, their schema, their verification (DIG-1, DIG-2, DIG-10, R-1)."""

from __future__ import annotations

import asyncio
import json
import os

import jsonschema
import pytest
from octavo_contracts import (
    DigestPayload,
    EvidenceSnippet,
    StorageError,
    Summariser,
    UsageError,
    query_hash,
    resolve_locator,
    verify_digest,
)
from octavo_contracts.schema import load_schema
from octavo_digest import (
    Archive,
    DigestPolicy,
    ExtractiveSummariser,
    PlainDigestor,
    SourceQuality,
    assemble,
    extract_sentences,
    quality_of,
    refusal,
    shorten,
)
from octavo_text.canonical import CanonicalText, canonical_body, canonicalise, join_bodies

LOG = [
    f"On day {day} the gauge in harbour {day % 7} measured a surge of {day * 3 % 50} centimetres, and the keeper "
    f"wrote that the wind of force {day % 9} had come from the {['north', 'south', 'east', 'west'][day % 4]}."
    for day in range(1, 120)
]
LONG = canonicalise("\n\n".join(LOG))
QUERY = "surge measured in harbour 3"


def snippets(count: int, size: int = 400) -> list[EvidenceSnippet]:
    return [
        EvidenceSnippet(
            text=LONG.text[i * size : (i + 1) * size],
            locator=f"char:{i * size}-{(i + 1) * size}",
            relevance_score=1 - i / 20,
        )
        for i in range(count)
    ]


def test_a_payload_counts_its_own_texts() -> None:
    payload = assemble(LONG, QUERY, summary="Brief.", key_points=["One.", "Two."], evidence=snippets(2))

    assert payload is not None
    assert payload.digest_chars == len("Brief.") + len("One.") + len("Two.") + 800
    assert payload.original_chars == len(LONG.text)
    assert payload.compression_ratio == round(payload.digest_chars / payload.original_chars, 6)
    assert payload.query_hash == query_hash(QUERY)
    assert payload.source_text_hash == f"sha256:{LONG.sha256}"


def test_a_digest_of_a_long_source_stays_below_half_of_it() -> None:
    """R-1: the lowest-ranked snippets and the last key points go, in turn; the summary and the best stay."""
    text = canonicalise(LONG.text[:10_400])
    points = ["p" * 480] * 10

    payload = assemble(text, QUERY, summary="s" * 1990, key_points=points, evidence=snippets(10))

    assert payload is not None
    assert payload.digest_chars < 5_200
    assert payload.compression_ratio < 0.5
    assert payload.evidence_snippets == tuple(snippets(10)[: len(payload.evidence_snippets)])
    assert 1 <= len(payload.evidence_snippets) < 10
    assert 1 <= len(payload.key_points) < 10


def test_a_digest_that_would_not_shrink_its_source_is_none() -> None:
    short = canonicalise("High water is at noon.")

    assert assemble(short, "", summary="High water is at noon.") is None
    assert assemble(short, "", summary="High water.") is not None
    assert assemble(canonicalise(""), "", summary="") is None


def test_at_exactly_ten_thousand_characters_nothing_is_dropped() -> None:
    text = canonicalise("x" * 10_000)

    payload = assemble(text, "", summary="s" * 2000, key_points=["p" * 500] * 10, evidence=snippets(5))

    assert payload is not None
    assert (len(payload.key_points), len(payload.evidence_snippets)) == (10, 5)
    assert payload.compression_ratio > 0.5


def test_too_long_or_strange_texts_of_a_summariser_are_made_to_fit() -> None:
    payload = assemble(
        LONG, "", summary="word " * 1_000 + "\ud800", key_points=["  ", "a\nb", *["k " * 400] * 15], evidence=()
    )

    assert payload is not None
    assert len(payload.summary) <= 2_000
    assert payload.key_points[0] == "a b"
    assert len(payload.key_points) == 10
    assert max(map(len, payload.key_points)) <= 500


@pytest.mark.parametrize(
    ("text", "limit", "expected"),
    [
        ("short", 10, "short"),
        ("One two. Three four five", 12, "One two."),
        ("One two three", 9, "One two"),
        ("abcdefghij", 4, "abcd"),
        ("潮が満ちた。引いた", 7, "潮が満ちた。"),
    ],
)
def test_texts_are_shortened_at_a_boundary_where_there_is_one(text: str, limit: int, expected: str) -> None:
    assert shorten(text, limit) == expected


def test_a_digest_verifies_against_its_source_and_fits_the_schema() -> None:
    outcome = PlainDigestor().digest(LONG, QUERY)

    assert outcome.status == "digested"
    assert outcome.payload is not None
    jsonschema.Draft7Validator(load_schema("digest_payload")).validate(json.loads(outcome.payload.to_json()))
    assert DigestPayload.from_json(outcome.payload.to_json()) == outcome.payload
    assert verify_digest(outcome.payload, LONG.text).status == "verified"
    assert outcome.payload.compression_ratio < 0.5
    assert outcome.details == {"scorer": "bm25/v1", "summariser": "extractive", "method": "extractive"}


def test_summary_and_evidence_change_with_the_query() -> None:
    """DIG-5."""
    one = PlainDigestor().digest(LONG, "surge in harbour 3").payload
    two = PlainDigestor().digest(LONG, "wind from the west").payload

    assert one is not None
    assert two is not None
    assert one.summary != two.summary
    assert one.evidence_snippets != two.evidence_snippets
    assert one.query_hash != two.query_hash


def test_the_same_again_is_the_same() -> None:
    assert PlainDigestor().digest(LONG, QUERY).payload == PlainDigestor().digest(LONG, QUERY).payload


def digest_of(text: CanonicalText) -> DigestPayload:
    payload = PlainDigestor().digest(text, QUERY).payload
    assert payload is not None
    return payload


# -- the extractive summary ---------------------------------------------------------------------------------------


def test_every_sentence_of_the_summary_is_a_slice_of_the_source() -> None:
    summary = ExtractiveSummariser().summarise_text(LONG, query=QUERY)

    assert summary.method == "extractive"
    assert summary.text == " ".join(span.of(LONG.text) for span in summary.spans)
    assert [span.start for span in summary.spans] == sorted(span.start for span in summary.spans)
    assert summary.key_points
    assert all(point in LONG.text for point in summary.key_points)
    assert not set(summary.key_points) & {span.of(LONG.text) for span in summary.spans}
    assert len(summary.text) <= 2_000


def test_the_summariser_fulfils_its_protocol_and_honours_the_limit() -> None:
    summariser = ExtractiveSummariser()
    assert isinstance(summariser, Summariser)

    brief = summariser.summarise(LONG.text, query=QUERY, max_chars=300)

    assert 0 < len(brief.text) <= 300


def test_a_general_summary_starts_near_the_beginning() -> None:
    rows = extract_sentences(LONG, "")

    assert rows.summary[0].start < len(LONG.text) // 4


def test_a_query_in_a_summary_is_answered() -> None:
    text = canonicalise("\n\n".join([*LOG[:60], "The lighthouse keeper counted eleven whales that night.", *LOG[60:]]))

    assert "whales" in ExtractiveSummariser().summarise_text(text, query="whales seen by the keeper").text


def test_a_sentence_of_a_list_is_quoted_without_its_mark() -> None:
    text = canonicalise(
        "\n\n".join(f"• The buoy number {n} was brought in before the storm of November." for n in range(9))
    )

    summary = ExtractiveSummariser().summarise_text(text, query="buoy storm")

    assert summary.text.startswith("The buoy")
    assert all(span.of(text.text).startswith("The buoy") for span in summary.spans)


@pytest.mark.parametrize("source", ["", "   ", "Tides", "x" * 5_000, "\ufffd" * 300])
def test_what_has_no_sentences_has_an_empty_summary(source: str) -> None:
    summary = ExtractiveSummariser().summarise(source, query="tide")

    assert (summary.text, summary.key_points, summary.spans) == ("", (), ())


def test_a_very_long_text_is_summarised_from_all_of_it() -> None:
    text = canonicalise("\n\n".join(LOG * 8) + "\n\nAt the very end a whale came into the bay of the harbour.")

    summary = ExtractiveSummariser().summarise_text(text, query="whale bay")

    assert "whale" in summary.text


# -- which sources are digested -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("policy", "chars", "quality", "digested", "expected"),
    [
        ("off", 50_000, "high", False, "policy_off"),
        ("off", 50_000, "high", True, "already_digested"),
        ("always", 50_000, "high", True, "already_digested"),
        ("auto", 50_000, "high", True, "already_digested"),
        ("always", 0, "high", False, "no_content"),
        ("auto", 0, "high", False, "no_content"),
        ("always", 1, "low", False, None),
        ("auto", 9_999, "high", False, "not_eligible"),
        ("auto", 10_000, "high", False, None),
        ("auto", 10_000, "medium", False, None),
        ("auto", 10_000, "low", False, "not_eligible"),
        ("auto", 10_000, "unknown", False, "not_eligible"),
    ],
)
def test_policies(policy: str, chars: int, quality: str, digested: bool, expected: str | None) -> None:
    """DIG-16, each row."""
    answer = refusal(DigestPolicy(policy), chars=chars, quality=SourceQuality(quality), digested=digested)

    assert answer == expected


@pytest.mark.parametrize(
    ("score", "quality"), [(None, "unknown"), (0.8, "high"), (0.79, "medium"), (0.5, "medium"), (0.49, "low")]
)
def test_quality_follows_the_score_of_the_report(score: float | None, quality: str) -> None:
    assert quality_of(score).value == quality


def test_a_digest_is_never_digested_again() -> None:
    again = canonicalise(digest_of(LONG).to_json())

    outcome = PlainDigestor().digest(again, QUERY)

    assert (outcome.status, outcome.reason, outcome.payload) == ("skipped", "already_digested", None)


@pytest.mark.parametrize("source", ["", " \n\t\u00a0 "])
def test_what_holds_nothing_is_skipped(source: str) -> None:
    outcome = PlainDigestor().digest(canonicalise(source), QUERY)

    assert (outcome.status, outcome.reason) == ("skipped", "no_content")


def test_a_source_that_can_not_shrink_is_skipped() -> None:
    outcome = PlainDigestor().digest(canonicalise("The surge of the harbour was high on that day."), "surge harbour")

    assert (outcome.status, outcome.reason) == ("skipped", "no_gain")


def test_the_service_protocol_digests_an_archived_text() -> None:
    text = join_bodies([canonical_body("\n\n".join(LOG[:50])), canonical_body("\n\n".join(LOG[50:]))], paginated=True)

    outcome = asyncio.run(PlainDigestor().digest_text(text.text, QUERY, source_id="log"))

    assert outcome.payload is not None
    assert all(s.locator.startswith("page:") for s in outcome.payload.evidence_snippets)
    assert all(resolve_locator(text.text, s.locator) == s.text for s in outcome.payload.evidence_snippets)


# -- the archive --------------------------------------------------------------------------------------------------


def test_an_archived_text_is_read_back_by_hash(tmp_path) -> None:
    archive = Archive(tmp_path / "kept")

    path = archive.write("doc-1", LONG)

    assert path == tmp_path / "kept" / "doc-1" / f"{LONG.sha256}.txt"
    assert path.read_bytes() == LONG.text.encode()
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert archive.read(f"sha256:{LONG.sha256}") == LONG.text
    assert archive.read(LONG.sha256, source_id="doc-1") == LONG.text
    assert archive.read(LONG.sha256, source_id="doc-2") is None
    assert archive.read("0" * 64) is None
    assert archive.write("doc-1", LONG) == path
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]


@pytest.mark.parametrize(
    "source_id", ["", "..", "../up", "a/b", "a\\b", "a..b", "/etc", "nul", "COM1.txt", "a" * 129, "a.", "ü", ".hidden"]
)
def test_a_source_id_that_could_leave_the_archive_is_refused(tmp_path, source_id: str) -> None:
    with pytest.raises(UsageError):
        Archive(tmp_path).write(source_id, LONG)
    with pytest.raises(UsageError):
        Archive(tmp_path).read("0" * 64, source_id=source_id)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("text_hash", ["", "../../etc/passwd", "xyz", "sha256:", "A" * 64])
def test_a_malformed_hash_is_refused(tmp_path, text_hash: str) -> None:
    with pytest.raises(UsageError, match="not a SHA-256"):
        Archive(tmp_path).read(text_hash)


def test_texts_past_their_time_are_swept(tmp_path) -> None:
    now = [1_000_000_000.0]
    archive = Archive(tmp_path, retention_days=30, clock=lambda: now[0])
    archive.write("old", LONG)
    now[0] += 29 * 86_400
    assert archive.sweep() == 0
    archive.write("new", canonicalise("new"))
    now[0] += 2 * 86_400

    assert archive.sweep() == 1
    assert archive.read(LONG.sha256) is None
    assert not (tmp_path / "old").exists()
    assert archive.read(canonicalise("new").sha256) == "new"


def test_an_archive_in_use_is_swept_once_an_hour(tmp_path) -> None:
    now = [1_000_000_000.0]
    archive = Archive(tmp_path, clock=lambda: now[0])
    archive.write("old", LONG)
    assert archive.sweep_when_due() == 0
    now[0] += 31 * 86_400
    assert archive.sweep_when_due() == 1
    archive.write("old", LONG)
    (tmp_path / "old" / f"{LONG.sha256}.txt").touch()
    os.utime(tmp_path / "old" / f"{LONG.sha256}.txt", (0, 0))

    now[0] += 3_599
    assert archive.sweep_when_due() == 0
    now[0] += 1
    assert archive.sweep_when_due() == 1


def test_a_retention_of_0_keeps_everything(tmp_path) -> None:
    now = [1_000_000_000.0]
    archive = Archive(tmp_path, retention_days=0, clock=lambda: now[0])
    archive.write("old", LONG)
    now[0] += 10**9

    assert archive.sweep() == 0
    assert archive.read(LONG.sha256) == LONG.text


def test_an_archive_that_can_not_be_written_says_so(tmp_path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("in the way")

    with pytest.raises(StorageError):
        Archive(blocked).write("doc", LONG)
    assert Archive(blocked).read(LONG.sha256) is None


def test_an_altered_archive_is_read_as_it_is(tmp_path) -> None:
    archive = Archive(tmp_path)
    path = archive.write("doc", LONG)
    path.write_bytes(b"\xff" + LONG.text.encode())

    text = archive.read(LONG.sha256)

    assert text is not None
    assert verify_digest(digest_of(LONG), text).status == "failed"


def test_an_unreadable_archive_is_a_storage_error(tmp_path) -> None:
    path = Archive(tmp_path).write("doc", LONG)
    path.unlink()
    path.mkdir()

    with pytest.raises(StorageError):
        Archive(tmp_path).read(LONG.sha256)
