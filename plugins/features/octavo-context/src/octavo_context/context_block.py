"""A document prepared for one message: content blocks, token estimate and notices (CTX-6)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from .blocks import Block, BlockFormat, render_blocks
from .tiers import Tier

CacheUse = Literal["none", "write", "read"]
NoticeKind = Literal[
    "model_switch",
    "content_changed",
    "stepped_down",
    "pages_left_out",
    "rows_left_out",
    "document_left_out",
    "pages_beyond",
    "page_images",
    "text_only",
    "unknown_model",
    "original_missing",
    "being_converted",
    "low_confidence",
]


@dataclass(frozen=True, kw_only=True)
class Notice:
    """A notice for the user. Notices are informational: none waits for an answer.

    Attributes:
        kind: machine-readable kind.
        message: one sentence for the user.
        document_id: the document concerned, or None.
        estimated_cost: additional cost in USD; None if unknown or zero.
    """

    kind: NoticeKind
    message: str
    document_id: str | None = None
    estimated_cost: float | None = None


@dataclass(frozen=True, kw_only=True)
class BlockMetadata:
    """Metadata of a context block.

    Attributes:
        document_id: id of the document.
        title: title of the document, or its file name.
        page_count: number of pages of the document.
        pages_included: pages whose text or image is in the block, or 'all'.
        extraction_method: plugin that extracted the text; 'native' if the file itself is sent.
        quality_flags: flags of the document's quality report.
    """

    document_id: str
    title: str
    page_count: int
    pages_included: tuple[int, ...] | Literal["all"]
    extraction_method: str
    quality_flags: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class DocumentContextBlock:
    """A document as it is sent to a model.

    Attributes:
        tier: 1, 2 or 3.
        blocks: neutral content blocks.
        shape: shape of `content_blocks`, chosen by the model's provider.
        token_estimate: tokens of all blocks.
        prompt_cached: whether the provider's prompt cache holds the content after the send.
        cache: `read` if the cache already holds the content, `write` if this send caches it, else `none`.
        model: name of the model.
        naive_tokens: tokens of the whole document if it were sent with every message.
        content_hash: SHA-256 of the content; a different hash means that the prompt cache does not apply.
        reason: why this tier was chosen.
        estimated_cost: cost in USD; None if the price is unknown.
        metadata: document, pages and extraction method.
        notices: notices for the user.
    """

    tier: Tier
    blocks: tuple[Block, ...]
    shape: BlockFormat
    token_estimate: int
    prompt_cached: bool
    cache: CacheUse
    model: str
    naive_tokens: int
    content_hash: str
    reason: str
    estimated_cost: float | None
    metadata: BlockMetadata
    notices: tuple[Notice, ...] = ()

    @property
    def content_blocks(self) -> list[dict[str, Any]]:
        """Content blocks in the shape of the model's provider."""
        return self.rendered(self.shape)

    def rendered(self, shape: BlockFormat) -> list[dict[str, Any]]:
        """Render the content blocks in a given shape.

        Raises:
            UsageError: the shape is unknown.
        """
        return render_blocks(self.blocks, shape)


@dataclass(frozen=True, kw_only=True)
class CostEstimate:
    """Estimated cost of sending a document.

    Attributes:
        tokens: estimated tokens.
        estimated_cost: cost in USD; None if the price is unknown.
        tier: 1, 2 or 3.
    """

    tokens: int
    estimated_cost: float | None
    tier: Tier


def unique_notices(notices: Sequence[Notice]) -> tuple[Notice, ...]:
    """Remove duplicate notices; keep the order."""
    return tuple(dict.fromkeys(notices))
