"""`DigestPayload`: DIG-1 to DIG-5."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import jsonschema
import pytest
from octavo_contracts import DIGEST_CONTENT_TYPE, DigestPayload, EvidenceSnippet, is_digest, query_hash
from octavo_contracts.schema import load_schema
from pydantic import ValidationError

TEXT = "The surge of 14 November reached 5.2 m above datum."
SNIPPET = EvidenceSnippet(text=TEXT[4:9], locator="char:4-9", relevance_score=0.5)
FIELDS: dict[str, Any] = {
    "query_hash": query_hash("How high was the surge?"),
    "summary": "It reached 5.2 m.",
    "key_points": ("5.2 m on 14 November",),
    "evidence_snippets": (SNIPPET,),
    "original_chars": 12_000,
    "digest_chars": 42,
    "compression_ratio": 0.0035,
    "source_text_hash": "sha256:" + hashlib.sha256(TEXT.encode()).hexdigest(),
}
TEN = [
    "version",
    "content_type",
    "query_hash",
    "summary",
    "key_points",
    "evidence_snippets",
    "original_chars",
    "digest_chars",
    "compression_ratio",
    "source_text_hash",
]


def test_a_payload_writes_exactly_ten_fields() -> None:
    """DIG-1, in the order of the requirement; and what is written fits the draft-07 schema."""
    document = json.loads(DigestPayload(**FIELDS).to_json())
    assert list(document) == TEN
    assert (document["version"], document["content_type"]) == ("1.0", "digest/v1")
    jsonschema.Draft7Validator(load_schema("digest_payload")).validate(document)


@pytest.mark.parametrize("name", TEN)
def test_each_of_the_ten_is_required_on_reading(name: str) -> None:
    """DIG-1: a payload without its version or content type is none, to the model and to the schema alike."""
    document = json.loads(DigestPayload(**FIELDS).to_json())
    del document[name]
    with pytest.raises(ValidationError, match=rf"{name}\s+Field required"):
        DigestPayload.from_json(json.dumps(document))
    assert DigestPayload.try_parse(json.dumps(document)) is None
    assert not jsonschema.Draft7Validator(load_schema("digest_payload")).is_valid(document)


def limits() -> list[tuple[str, Any, Any]]:
    """Field, the most it may hold, and one more than that."""
    snippets = tuple([SNIPPET] * 11)
    return [
        ("summary", "🌊" * 2000, "🌊" * 2001),
        ("key_points", ("p",) * 10, ("p",) * 11),
        ("key_points", ("🌊" * 500,), ("🌊" * 501,)),
        ("evidence_snippets", snippets[:10], snippets),
        ("compression_ratio", 1.0, 1.01),
        ("original_chars", 0, -1),
        ("digest_chars", 0, -1),
        ("query_hash", "0123abcd", "0123abcde"),
        ("query_hash", "0123abcd", "0123ABCD"),
        ("source_text_hash", FIELDS["source_text_hash"], FIELDS["source_text_hash"].removeprefix("sha256:")),
        ("version", "1.0", "1.1"),
        ("content_type", "digest/v1", "text/plain"),
    ]


@pytest.mark.parametrize(("name", "most", "too_much"), limits())
def test_the_limits_hold_for_the_model_and_for_the_schema(name: str, most: Any, too_much: Any) -> None:
    """Lengths count code points: an emoji is one. What one refuses, the other refuses."""
    check = jsonschema.Draft7Validator(load_schema("digest_payload"))
    fits = DigestPayload(**{**FIELDS, name: most})
    document = json.loads(fits.to_json())
    check.validate(document)
    with pytest.raises(ValidationError, match=rf"1 validation error for DigestPayload\n{name}"):
        DigestPayload(**{**FIELDS, name: too_much})
    if name == "evidence_snippets":
        document[name].append(document[name][0])
    else:
        document[name] = too_much if isinstance(too_much, str | int | float) else list(too_much)
    assert not check.is_valid(document)


@pytest.mark.parametrize(
    "change",
    [
        {"text": "x" * 501},
        {"locator": "char:9-4"},
        {"locator": "near the top"},
        {"locator": "char:0-" + "9" * 5000},
        {"relevance_score": 1.5},
        {"note": "x"},
    ],
)
def test_a_malformed_snippet_is_refused(change: dict[str, Any]) -> None:
    """A quotation is short, stands at a place, and is ranked from 0 to 1."""
    with pytest.raises(ValidationError, match=rf"1 validation error for EvidenceSnippet\n{next(iter(change))}\n"):
        EvidenceSnippet(**{"text": "t", "locator": "char:0-1", "relevance_score": 0.1, **change})


def test_unknown_fields_are_ignored_on_reading_and_never_written() -> None:
    """DIG-2, at both levels."""
    payload = DigestPayload(**FIELDS)
    document = json.loads(payload.to_json())
    document["rank"] = 1
    document["evidence_snippets"][0]["page_image"] = "x"
    read = DigestPayload.from_json(json.dumps(document).encode())
    assert read == payload
    assert read.to_json() == payload.to_json()


@pytest.mark.parametrize("text", [None, "", b"", "{", "null", "[]", "3", '"digest/v1"', "{}", b"\xff\xfe", "\ud800"])
def test_try_parse_gives_none_for_what_is_no_payload(text: str | bytes | None) -> None:
    """DIG-2: consumers branch on None; nothing is raised, whatever the text is."""
    assert DigestPayload.try_parse(text) is None


@pytest.mark.parametrize("text", ["", "{", "[]", "{}"])
def test_from_json_raises_for_what_is_no_payload(text: str) -> None:
    """DIG-2: the strict door."""
    with pytest.raises(ValidationError):
        DigestPayload.from_json(text)


def test_try_parse_reads_what_was_written() -> None:
    """From text and from bytes."""
    payload = DigestPayload(**FIELDS)
    assert DigestPayload.try_parse(payload.to_json()) == payload
    assert DigestPayload.try_parse(payload.to_json(indent=2).encode()) == payload


def test_the_query_hash_is_the_start_of_a_sha_256() -> None:
    """DIG-1 and DIG-5: another query, another hash; a query that is no clean Unicode has one too."""
    assert query_hash("") == "e3b0c442"
    assert query_hash("tide") != query_hash("tides")
    assert len(query_hash("lone \ud800 surrogate")) == 8


@pytest.mark.parametrize(
    ("content_type", "expected"),
    [("digest/v1", True), (DIGEST_CONTENT_TYPE, True), ("text/plain", False), ("", False), (None, False)],
)
def test_a_digested_source_is_told_by_its_content_type(content_type: str | None, *, expected: bool) -> None:
    """DIG-4: what is a digest already is not digested again."""
    assert is_digest(content_type) is expected
