"""`select_tier`: each rule of 003 §3.2 and §3.3, in its order (CTX-2, CTX-3, CTX-14)."""

from __future__ import annotations

from typing import Any

import pytest
from octavo_context import UNKNOWN, ConversationTraits, DocumentTraits, ModelCapabilities, select_tier
from octavo_context.page_references import check_pages, parse_pages
from octavo_contracts import UsageError

CLAUDE = ModelCapabilities(
    pattern="claude*", provider="anthropic", native_pdf=True, vision=True, caching="breakpoints", max_pdf_pages=600
)
GEMINI = ModelCapabilities(pattern="gemini*", provider="google", native_pdf=True, vision=True, max_pdf_pages=1000)


def pdf(**traits: Any) -> DocumentTraits:
    return DocumentTraits(**({"is_native": True, "page_count": 50} | traits))


def later(**traits: Any) -> ConversationTraits:
    return ConversationTraits(**({"was_sent": True} | traits))


NEW = ConversationTraits()


@pytest.mark.parametrize(
    ("document", "conversation", "model", "tier", "caches"),
    [
        (pdf(), NEW, CLAUDE, 1, True),
        (pdf(page_count=600), NEW, CLAUDE, 1, True),
        (pdf(page_count=601), NEW, CLAUDE, 2, True),
        (pdf(visual_importance="low"), NEW, CLAUDE, 1, True),
        (pdf(visual_importance="low"), NEW, GEMINI, 2, False),
        (pdf(page_count=10), NEW, GEMINI, 1, False),
        (pdf(page_count=700, visual_importance="high"), NEW, GEMINI, 1, False),
        (pdf(page_count=1001, visual_importance="high"), NEW, GEMINI, 2, False),
        (pdf(), NEW, UNKNOWN, 2, False),
        (DocumentTraits(is_native=False, page_count=1), NEW, CLAUDE, 2, True),
        (DocumentTraits(is_native=True, is_image=True, page_count=1), NEW, CLAUDE, 1, True),
        (pdf(), later(names_pages=True), GEMINI, 3, False),
        (pdf(), later(documents=3), GEMINI, 3, False),
        (pdf(), later(documents=2), GEMINI, 2, False),
        (pdf(), later(warm_tier=1, names_pages=True, documents=9), CLAUDE, 1, True),
        (pdf(), later(warm_tier=2), CLAUDE, 2, True),
        (pdf(), later(is_escalated=True, names_pages=True), CLAUDE, 2, True),
        (pdf(is_indexed=True, has_index=True), NEW, CLAUDE, 3, False),
        (pdf(is_indexed=True), NEW, CLAUDE, 2, True),
        (pdf(has_summary=False), later(names_pages=True), GEMINI, 1, False),
        (pdf(has_summary=False), later(names_pages=True), UNKNOWN, 2, False),
        (pdf(has_text=False, has_summary=False), later(), GEMINI, 1, False),
        (pdf(is_partly_recognised=True), later(), GEMINI, 1, False),
        (pdf(is_partly_recognised=True), later(), UNKNOWN, 2, False),
    ],
)
def test_the_rules(
    document: DocumentTraits, conversation: ConversationTraits, model: ModelCapabilities, tier: int, caches: bool
) -> None:
    chosen = select_tier(document, conversation, model)
    assert (chosen.tier, chosen.caches) == (tier, caches), chosen.reason
    assert chosen.reason


def test_a_warm_cache_is_told() -> None:
    assert select_tier(pdf(), later(warm_tier=1), CLAUDE).is_warm
    assert not select_tier(pdf(), NEW, CLAUDE).is_warm


def test_lists_of_pages() -> None:
    assert parse_pages("3,7-9, 8") == (3, 7, 8, 9)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0", "there is no page 0; pages count from 1"),
        ("-2", "there is no page -2; pages count from 1"),
        ("13", "there is no page 13; it has 12"),
        ("9-7", "the range 9-7 runs backwards"),
        ("1-99999", "longer than 10000 pages"),
        ("three", "'three' is not a page number"),
        ("", "'' is not a page number"),
    ],
)
def test_pages_that_there_are_not(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        parse_pages(text, page_count=12)


def test_no_page_is_no_list() -> None:
    with pytest.raises(UsageError, match="no page is given"):
        check_pages([], page_count=3)
