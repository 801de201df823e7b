"""What a document becomes for one message: content blocks, their tokens, and what has to be said about them (CTX-6)."""

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
    """Something that the user is told. Every notice can be dismissed: nothing waits for an answer.

    Attributes:
        kind: for programs.
        message: one sentence, for people.
        document_id: the document that it is about, or None.
        estimated_cost: what it costs more, in USD; None where that is not known or nothing.
    """

    kind: NoticeKind
    message: str
    document_id: str | None = None
    estimated_cost: float | None = None


@dataclass(frozen=True, kw_only=True)
class BlockMetadata:
    """What is in a block.

    Attributes:
        document_id: the document.
        title: its title, or the name of its file.
        page_count: its pages.
        pages_included: the pages whose text or picture is in the block; 'all'.
        extraction_method: the plugin that made the text; 'native' where the file itself is sent.
        quality_flags: flags of its quality report.
    """

    document_id: str
    title: str
    page_count: int
    pages_included: tuple[int, ...] | Literal["all"]
    extraction_method: str
    quality_flags: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class DocumentContextBlock:
    """A document as a model is given it.

    Attributes:
        tier: 1, 2 or 3.
        blocks: neutral content blocks.
        shape: the shape of `content_blocks`: that of the model's provider.
        token_estimate: tokens of all blocks.
        prompt_cached: whether the provider's prompt cache holds the content once it is sent.
        cache: `read` where it holds it already, `write` where it is put there now.
        model: the model that it is for.
        naive_tokens: tokens of the whole document, as it would be sent each time.
        content_hash: SHA-256 of what is sent: another one is not in the prompt cache.
        reason: why this tier.
        estimated_cost: USD, or None where no price is known.
        metadata: what is in it.
        notices: what the user is told.
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
        """The content blocks for the API of the model's provider."""
        return self.rendered(self.shape)

    def rendered(self, shape: BlockFormat) -> list[dict[str, Any]]:
        """The content blocks in a shape.

        Raises:
            UsageError: there is no such shape.
        """
        return render_blocks(self.blocks, shape)


@dataclass(frozen=True, kw_only=True)
class CostEstimate:
    """What a document would cost.

    Attributes:
        tokens: estimated.
        estimated_cost: USD; None where no price is known: then tokens alone are shown.
        tier: 1, 2 or 3.
    """

    tokens: int
    estimated_cost: float | None
    tier: Tier


def unique_notices(notices: Sequence[Notice]) -> tuple[Notice, ...]:
    """Notices in order, each once."""
    return tuple(dict.fromkeys(notices))
