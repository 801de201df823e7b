"""Content blocks: one neutral shape, and those of Anthropic, OpenAI (Responses) and Gemini (CTX-8)."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, get_args

from octavo_contracts import UsageError

BlockFormat = Literal["block", "anthropic", "openai", "gemini"]

FORMATS: Final[tuple[str, ...]] = get_args(BlockFormat)
MOST_BREAKPOINTS: Final = 4
"""Marked blocks that Anthropic takes in one request. A mark keeps all that stands before it as well."""
OF_PROVIDER: Final[dict[str | None, BlockFormat]] = {
    "anthropic": "anthropic",
    "openai": "openai",
    "google": "gemini",
    None: "block",
}
"""Provider → the shape of its content blocks."""


@dataclass(frozen=True, kw_only=True)
class TextBlock:
    """Text.

    Attributes:
        text: the text.
        cache: whether everything up to here is marked for the prompt cache.
    """

    text: str
    cache: bool = False


@dataclass(frozen=True, kw_only=True)
class FileBlock:
    """A PDF or an image, by its bytes or by a provider's id of it.

    Attributes:
        media_type: its type.
        name: for people.
        data: its bytes; None where `file_id` is given.
        file_id: the provider's id, a URI for Gemini; None where `data` is given.
        cache: whether everything up to here is marked for the prompt cache.
    """

    media_type: str
    name: str
    data: bytes | None = None
    file_id: str | None = None
    cache: bool = False

    @property
    def is_image(self) -> bool:
        """Whether it is an image."""
        return self.media_type.startswith("image/")

    @property
    def base64(self) -> str:
        """Its bytes."""
        return base64.b64encode(self.data or b"").decode()


Block = TextBlock | FileBlock


def render_blocks(blocks: Sequence[Block], shape: BlockFormat) -> list[dict[str, Any]]:
    """Content blocks in a shape.

    Args:
        blocks: neutral blocks.
        shape: `block` is this module's own, as JSON.

    Raises:
        UsageError: there is no such shape.
    """
    renderers = {"block": _plain, "anthropic": _anthropic, "openai": _openai, "gemini": _gemini}
    if shape not in renderers:
        raise UsageError(f"there is no shape {shape!r} of content blocks", remedy=f"Give one of {', '.join(FORMATS)}")
    if shape == "anthropic":
        blocks = limit_breakpoints(blocks)
    return [renderers[shape](block) for block in blocks]


def limit_breakpoints(blocks: Sequence[Block], *, most: int = MOST_BREAKPOINTS) -> list[Block]:
    """Blocks with no more marks than a request may have: the last ones, which keep what stands before them too."""
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
