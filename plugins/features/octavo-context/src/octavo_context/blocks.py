"""Content blocks: a neutral shape, and the shapes of Anthropic, OpenAI (Responses) and Gemini (CTX-8)."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, get_args

from octavo_contracts import UsageError

BlockFormat = Literal["block", "anthropic", "openai", "gemini"]

FORMATS: Final[tuple[str, ...]] = get_args(BlockFormat)
MOST_BREAKPOINTS: Final = 4
"""Most cache breakpoints in one Anthropic request. A breakpoint also caches every block before it."""
OF_PROVIDER: Final[dict[str | None, BlockFormat]] = {
    "anthropic": "anthropic",
    "openai": "openai",
    "google": "gemini",
    None: "block",
}
"""Provider → the shape of its content blocks."""


@dataclass(frozen=True, kw_only=True)
class TextBlock:
    """A block of text.

    Attributes:
        text: the text.
        cache: whether the block is a prompt-cache breakpoint (caches this block and all before it).
    """

    text: str
    cache: bool = False


@dataclass(frozen=True, kw_only=True)
class FileBlock:
    """A PDF or an image, given by its bytes or by the provider's file id.

    Attributes:
        media_type: media type of the file.
        name: display name.
        data: the bytes; None if `file_id` is set.
        file_id: the provider's file id (a URI for Gemini); None if `data` is set.
        cache: whether the block is a prompt-cache breakpoint (caches this block and all before it).
    """

    media_type: str
    name: str
    data: bytes | None = None
    file_id: str | None = None
    cache: bool = False

    @property
    def is_image(self) -> bool:
        """Whether the file is an image."""
        return self.media_type.startswith("image/")

    @property
    def base64(self) -> str:
        """The bytes in base64."""
        return base64.b64encode(self.data or b"").decode()


Block = TextBlock | FileBlock


def render_blocks(blocks: Sequence[Block], shape: BlockFormat) -> list[dict[str, Any]]:
    """Render content blocks in a provider's shape.

    Args:
        blocks: neutral blocks.
        shape: a key of `SHAPES`; `block` is the neutral shape as JSON.

    Raises:
        UsageError: the shape is unknown.
    """
    renderers = {"block": _plain, "anthropic": _anthropic, "openai": _openai, "gemini": _gemini}
    if shape not in renderers:
        raise UsageError(f"there is no shape {shape!r} of content blocks", remedy=f"Give one of {', '.join(FORMATS)}")
    if shape == "anthropic":
        blocks = limit_breakpoints(blocks)
    return [renderers[shape](block) for block in blocks]


def limit_breakpoints(blocks: Sequence[Block], *, most: int = MOST_BREAKPOINTS) -> list[Block]:
    """Drop cache breakpoints beyond the limit of a request; the last ones stay, as they also cache earlier blocks."""
    marked = [place for place, block in enumerate(blocks) if block.cache]
    dropped = set(marked[: max(0, len(marked) - most)])
    return [replace(block, cache=False) if place in dropped else block for place, block in enumerate(blocks)]


def _plain(block: Block) -> dict[str, Any]:
    mark = {"cache": True} if block.cache else {}
    if isinstance(block, TextBlock):
        return {"type": "text", "text": block.text, **mark}
    content = {"file_id": block.file_id} if block.file_id is not None else {"data": block.base64}
    kind = "image" if block.is_image else "document"
    return {"type": kind, "media_type": block.media_type, "title": block.name, **content, **mark}


def _anthropic(block: Block) -> dict[str, Any]:
    mark = {"cache_control": {"type": "ephemeral"}} if block.cache else {}
    if isinstance(block, TextBlock):
        return {"type": "text", "text": block.text, **mark}
    source: dict[str, Any] = {"type": "base64", "media_type": block.media_type, "data": block.base64}
    if block.file_id is not None:
        source = {"type": "file", "file_id": block.file_id}
    if block.is_image:
        return {"type": "image", "source": source, **mark}
    return {"type": "document", "source": source, "title": block.name, **mark}


def _openai(block: Block) -> dict[str, Any]:
    if isinstance(block, TextBlock):
        return {"type": "input_text", "text": block.text}
    url = f"data:{block.media_type};base64,{block.base64}"
    if block.is_image:
        content = {"file_id": block.file_id} if block.file_id is not None else {"image_url": url}
        return {"type": "input_image", "detail": "auto", **content}
    if block.file_id is not None:
        return {"type": "input_file", "file_id": block.file_id}
    return {"type": "input_file", "filename": block.name, "file_data": url}


def _gemini(block: Block) -> dict[str, Any]:
    if isinstance(block, TextBlock):
        return {"text": block.text}
    if block.file_id is not None:
        return {"fileData": {"fileUri": block.file_id, "mimeType": block.media_type}}
    return {"inlineData": {"mimeType": block.media_type, "data": block.base64}}
