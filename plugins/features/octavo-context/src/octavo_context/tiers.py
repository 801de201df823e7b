"""Tier selection: the rules of 003 §3.2 and §3.3 (CTX-2, CTX-3, CTX-14)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from .models import ModelCapabilities

Tier = Literal[1, 2, 3]

CACHED_PAGES: Final = 600
"""Longest PDF, in pages, that is cached as a file."""
SMALL_PAGES: Final = 10
"""PDFs of fewer pages are always sent as a file."""


@dataclass(frozen=True, kw_only=True)
class DocumentTraits:
    """Properties of a document that the tier rules use.

    Attributes:
        is_native: whether the document is a PDF or an image, which models can read directly.
        is_image: whether the document is an image.
        page_count: number of pages.
        visual_importance: `high`, `medium` or `low`.
        is_indexed: whether the document is always sent as text, preceded by its index (CTX-3).
        has_index: whether that index exists.
        has_text: whether the document has text.
        has_summary: whether the document has a summary.
        is_partly_recognised: whether some pages still need OCR.
    """

    is_native: bool
    page_count: int
    is_image: bool = False
    visual_importance: str = "medium"
    is_indexed: bool = False
    has_index: bool = False
    has_text: bool = True
    has_summary: bool = True
    is_partly_recognised: bool = False


@dataclass(frozen=True, kw_only=True)
class ConversationTraits:
    """Properties of a conversation, for one document, that the tier rules use.

    Attributes:
        was_sent: whether the document was sent before.
        warm_tier: the tier that is in the provider's prompt cache, or None.
        names_pages: whether the message names pages or sections of the document.
        documents: number of documents in the conversation, including this one.
        is_escalated: whether the model retrieved more than half of the pages, so that the whole text is sent.
    """

    was_sent: bool = False
    warm_tier: int | None = None
    names_pages: bool = False
    documents: int = 1
    is_escalated: bool = False


@dataclass(frozen=True, kw_only=True)
class TierChoice:
    """The tier of a document for one message.

    Attributes:
        tier: 1, 2 or 3.
        caches: whether the content gets a prompt-cache breakpoint.
        is_warm: whether the prompt cache already holds the content.
        reason: the rule applied, in a few words.
    """

    tier: Tier
    caches: bool = False
    is_warm: bool = False
    reason: str


def select_tier(
    document: DocumentTraits,
    conversation: ConversationTraits,
    model: ModelCapabilities,
    *,
    targeted_above: int = 2,
) -> TierChoice:
    """Select the tier by the rules.

    Args:
        document: properties of the document.
        conversation: properties of the conversation.
        model: capabilities of the model.
        targeted_above: most documents of a conversation that are sent as whole texts; above it, single pages are sent.
    """
    chosen = _by_rules(document, conversation, model, targeted_above)
    if chosen.tier == 3 and not document.has_summary:
        chosen = TierChoice(tier=1, reason="there is no summary yet")
    if chosen.tier == 2 and document.is_partly_recognised and document.is_native:
        chosen = TierChoice(tier=1, reason="some of its pages need OCR")
    if chosen.tier == 2 and not document.has_text:
        chosen = TierChoice(tier=1, reason="there is no text yet")
    if chosen.tier == 1 and (not document.is_native or not reads_file(document, model)) and document.has_text:
        why = "the model cannot read the file" if document.is_native else "this kind of document is sent as text"
        chosen = TierChoice(tier=2, caches=model.caches, reason=why)
    if chosen.tier == 1 and model.caches and document.page_count <= CACHED_PAGES:
        chosen = TierChoice(tier=1, caches=True, is_warm=chosen.is_warm, reason=chosen.reason)
    return chosen


def reads_file(document: DocumentTraits, model: ModelCapabilities) -> bool:
    """Whether a model can read a document of the given page count as a file (003 §6.2)."""
    if document.is_image:
        return model.vision
    return model.native_pdf and document.page_count <= model.max_pdf_pages


def _by_rules(
    document: DocumentTraits, conversation: ConversationTraits, model: ModelCapabilities, targeted_above: int
) -> TierChoice:
    if conversation.is_escalated:
        return TierChoice(tier=2, caches=model.caches, reason="the model retrieved more than half of its pages")
    if document.is_indexed:
        return _indexed(document, conversation, model)
    if not conversation.was_sent:
        return _first(document, model)
    if conversation.warm_tier is not None:
        tier: Tier = 1 if conversation.warm_tier == 1 else 2
        return TierChoice(tier=tier, caches=True, is_warm=True, reason="the prompt cache holds it")
    if conversation.names_pages:
        return TierChoice(tier=3, reason="the message names pages or sections of it")
    if conversation.documents > targeted_above:
        return TierChoice(tier=3, reason=f"more than {targeted_above} documents are in the conversation")
    return TierChoice(tier=2, caches=model.caches, reason="it was sent before")


def _first(document: DocumentTraits, model: ModelCapabilities) -> TierChoice:
    if model.caches and document.page_count <= CACHED_PAGES:
        return TierChoice(tier=1, caches=True, reason="it is new to the conversation, and the provider caches it")
    if document.visual_importance == "low":
        return TierChoice(tier=2, caches=model.caches, reason="its layout carries little information")
    if document.page_count <= SMALL_PAGES:
        return TierChoice(tier=1, reason="it is short")
    return TierChoice(tier=1, reason="its layout may matter, and it is new to the conversation")


def _indexed(document: DocumentTraits, conversation: ConversationTraits, model: ModelCapabilities) -> TierChoice:
    if conversation.warm_tier is not None and conversation.warm_tier != 1:
        return TierChoice(tier=2, caches=True, is_warm=True, reason="the prompt cache holds it")
    if document.has_index:
        return TierChoice(tier=3, reason="its index comes first, sections on demand")
    return TierChoice(tier=2, caches=model.caches, reason="its layout carries no information beyond the text")
