"""Verification: every quotation is compared word for word, and the first difference is named (DIG-10)."""

from __future__ import annotations

import hashlib
from dataclasses import FrozenInstanceError

import pytest
from octavo_contracts import DigestPayload, EvidenceSnippet, page_separator, verify_digest

PAGES = [
    "The gauge at the harbour measured a surge of two metres.",
    "The keeper of the lighthouse counted eleven whales that night. " + "The log of the tide says no more. " * 9,
]
TEXT = PAGES[0] + page_separator(2) + PAGES[1]
QUOTED = (("page:1:char:4-9", "gauge"), ("page:2:char:0-300", PAGES[1][:300]), ("char:17-24", "harbour"))


def digest_of(*quotations: tuple[str, str]) -> DigestPayload:
    return DigestPayload(
        query_hash="0" * 8,
        summary="",
        key_points=(),
        evidence_snippets=tuple(
            EvidenceSnippet(locator=locator, text=text, relevance_score=0.5) for locator, text in quotations
        ),
        original_chars=len(TEXT),
        digest_chars=sum(len(text) for _, text in quotations),
        compression_ratio=0.5,
        source_text_hash="sha256:" + hashlib.sha256(TEXT.encode()).hexdigest(),
    )


def test_a_digest_whose_quotations_all_stand_in_the_archive_is_verified() -> None:
    answer = verify_digest(digest_of(*QUOTED), TEXT)

    assert (answer.status, answer.snippets, answer.difference) == ("verified", 3, None)


def test_the_first_quotation_that_differs_is_named_with_the_place_in_it() -> None:
    whales = PAGES[1][:300].replace("eleven", "twelve")

    answer = verify_digest(digest_of(QUOTED[0], ("page:2:char:0-300", whales), ("char:17-24", "HARBOUR")), TEXT)

    assert (answer.status, answer.snippets) == ("failed", 1)
    assert answer.difference is not None
    assert (answer.difference.what, answer.difference.snippet, answer.difference.locator) == (
        "text",
        2,
        "page:2:char:0-300",
    )
    same = len("The keeper of the lighthouse counted ")
    assert answer.difference.offset == same
    assert answer.difference.expected == whales[same : same + 80]
    assert answer.difference.found == PAGES[1][same : same + 80]
    assert str(answer.difference).startswith(f"snippet 2 at page:2:char:0-300 differs after {same} characters: ")
    assert "the digest has 'twelve whales" in str(answer.difference)
    assert "the archive 'eleven whales" in str(answer.difference)


@pytest.mark.parametrize(
    ("quoted", "expected", "found"),
    [("gauges", "s", ""), ("gaug", "", "e"), ("", "", "gauge"), ("Gauge", "Gauge", "gauge"), ("gaugE", "E", "e")],
)
def test_a_quotation_differs_where_it_first_parts_from_the_archive(quoted: str, expected: str, found: str) -> None:
    """Also where one of the two ends first."""
    answer = verify_digest(digest_of(("page:1:char:4-9", quoted)), TEXT)

    assert answer.difference is not None
    assert (answer.difference.what, answer.difference.expected, answer.difference.found) == ("text", expected, found)
    assert answer.difference.offset == len(quoted) - len(expected)


def test_a_locator_that_leads_nowhere_fails_and_says_why() -> None:
    beyond = PAGES[1][:300]

    answer = verify_digest(digest_of(QUOTED[0], QUOTED[2], ("page:3:char:0-300", beyond)), TEXT)

    assert (answer.status, answer.snippets) == ("failed", 2)
    assert answer.difference is not None
    assert (answer.difference.what, answer.difference.snippet, answer.difference.offset) == ("locator", 3, 0)
    assert answer.difference.expected == beyond[:80]
    assert str(answer.difference) == (
        "snippet 3 has an invalid locator page:3:char:0-300: page:3:char:0-300 names page 3; the text has 2"
    )


@pytest.mark.parametrize("altered", [TEXT + "!", TEXT.replace("log", "fog"), TEXT + "\ud800"])
def test_another_text_fails_by_its_hash_though_every_quotation_stands_in_it(altered: str) -> None:
    payload = digest_of(QUOTED[0], QUOTED[2])

    answer = verify_digest(payload, altered)

    assert (answer.status, answer.snippets) == ("failed", 2)
    difference = answer.difference
    assert difference is not None
    assert (difference.what, difference.snippet, difference.locator, difference.offset) == ("hash", 0, "", 0)
    assert difference.expected == payload.source_text_hash
    assert difference.found == "sha256:" + hashlib.sha256(altered.encode("utf-8", "surrogatepass")).hexdigest()
    assert str(difference) == (
        f"the archived text is another one: its hash is {difference.found}, the digest has {difference.expected}"
    )


def test_a_quotation_that_differs_is_told_before_a_hash_that_does() -> None:
    """It says more: what was changed, and where."""
    answer = verify_digest(digest_of(*QUOTED), TEXT.replace("eleven", "twelve"))

    assert answer.difference is not None
    assert (answer.difference.what, answer.difference.snippet) == ("text", 2)


def test_without_a_text_there_is_no_verdict() -> None:
    answer = verify_digest(digest_of(*QUOTED), None)

    assert (answer.status, answer.snippets, answer.difference) == ("unavailable", 0, None)


def test_an_empty_archive_is_a_text_too() -> None:
    assert verify_digest(digest_of(), "").status == "failed"


def test_a_digest_without_evidence_is_verified_by_its_hash() -> None:
    assert verify_digest(digest_of(), TEXT).status == "verified"


def test_a_verdict_can_not_be_changed_afterwards() -> None:
    answer = verify_digest(digest_of(("char:0-3", "THE")), TEXT)

    assert answer.difference is not None
    with pytest.raises(FrozenInstanceError):
        answer.status = "verified"  # type: ignore[misc]  # what is tried
    with pytest.raises(FrozenInstanceError):
        answer.difference.offset = 3  # type: ignore[misc]  # what is tried
