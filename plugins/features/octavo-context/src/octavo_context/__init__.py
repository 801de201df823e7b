"""Documents for language models: tiers, budgets, conversation state, and the content blocks of the providers (CTX)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from octavo_sandbox.lazy_names import lazily

if TYPE_CHECKING:
    from octavo_library.storage import ConversationDocumentState, FileUpload

    from .attachments import AttachedFiles, prepare_attachments, take_in
    from .blocks import BlockFormat, FileBlock, TextBlock, render_blocks
    from .context_block import BlockMetadata, CostEstimate, DocumentContextBlock, Notice
    from .errors import BudgetTooSmall, NoContext, NotConverted
    from .manager import ContextManager
    from .models import UNKNOWN, ModelCapabilities, ModelRegistry, Price
    from .page_index import IndexEntry, PageIndex, register_index
    from .page_references import parse_pages
    from .plans import ContextPlan, PlanOptions, TokenBudget, prepare_documents
    from .provider_files import ProviderAccount, ProviderFiles
    from .retrieved_pages import note_retrieved_pages
    from .summaries import DocumentSummary, SummarySource, brief_summary
    from .tiers import ConversationTraits, DocumentTraits, TierChoice, select_tier
    from .tokens import count_tokens, prefix_within
    from .turns import TurnTokens, record_turn
    from .workflows import Workflow

__all__ = [
    "UNKNOWN",
    "AttachedFiles",
    "BlockFormat",
    "BlockMetadata",
    "BudgetTooSmall",
    "ContextManager",
    "ContextPlan",
    "ConversationDocumentState",
    "ConversationTraits",
    "CostEstimate",
    "DocumentContextBlock",
    "DocumentSummary",
    "DocumentTraits",
    "FileBlock",
    "FileUpload",
    "IndexEntry",
    "ModelCapabilities",
    "ModelRegistry",
    "NoContext",
    "NotConverted",
    "Notice",
    "PageIndex",
    "PlanOptions",
    "Price",
    "ProviderAccount",
    "ProviderFiles",
    "SummarySource",
    "TextBlock",
    "TierChoice",
    "TokenBudget",
    "TurnTokens",
    "Workflow",
    "brief_summary",
    "count_tokens",
    "note_retrieved_pages",
    "parse_pages",
    "prefix_within",
    "prepare_attachments",
    "prepare_documents",
    "record_turn",
    "register_index",
    "render_blocks",
    "select_tier",
    "take_in",
]

__getattr__, __dir__ = lazily(
    __name__,
    {
        "UNKNOWN": "models",
        "AttachedFiles": "attachments",
        "BlockFormat": "blocks",
        "BlockMetadata": "context_block",
        "BudgetTooSmall": "errors",
        "ContextManager": "manager",
        "ContextPlan": "plans",
        "ConversationDocumentState": "conversation_view",
        "ConversationTraits": "tiers",
        "CostEstimate": "context_block",
        "DocumentContextBlock": "context_block",
        "DocumentSummary": "summaries",
        "DocumentTraits": "tiers",
        "FileBlock": "blocks",
        "FileUpload": "provider_files",
        "IndexEntry": "page_index",
        "ModelCapabilities": "models",
        "ModelRegistry": "models",
        "NoContext": "errors",
        "NotConverted": "errors",
        "Notice": "context_block",
        "PageIndex": "page_index",
        "PlanOptions": "plans",
        "Price": "models",
        "ProviderAccount": "provider_files",
        "ProviderFiles": "provider_files",
        "SummarySource": "summaries",
        "TextBlock": "blocks",
        "TierChoice": "tiers",
        "TokenBudget": "plans",
        "TurnTokens": "turns",
        "Workflow": "workflows",
        "brief_summary": "summaries",
        "count_tokens": "tokens",
        "note_retrieved_pages": "retrieved_pages",
        "parse_pages": "page_references",
        "prefix_within": "tokens",
        "prepare_attachments": "attachments",
        "prepare_documents": "plans",
        "record_turn": "turns",
        "register_index": "page_index",
        "render_blocks": "blocks",
        "select_tier": "tiers",
        "take_in": "attachments",
    },
)
