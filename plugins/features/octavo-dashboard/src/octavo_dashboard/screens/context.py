"""What a language model would be sent of a document: tier, tokens, cost, badges (UI-4, UI-8); needs octavo-context."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Literal, cast

from octavo_contracts import OctavoError
from octavo_library import Document
from pydantic import Field

from ..problems import NotFound, Refused, public_text
from ..screen import Reader, Screen, View
from .opened import DocumentQuery, open_document

CONVERSATION = "octavo-web-preview"
"""The conversation of a preview without another one; nothing is ever sent in it."""
MOST_SHOWN = 20_000
"""Code points of a block that are shown."""
DEFAULT_MODEL = "claude-sonnet-4-5"


class ContextQuery(DocumentQuery):
    """A document for a message."""

    model: str = Field(default=DEFAULT_MODEL, max_length=100, description="The model.")
    message: str = Field(default="", max_length=2_000, description="The message of the user.")
    tier: Literal["1", "2", "3"] | None = Field(
        default=None, description="Override: 1 file, 2 text, 3 summary and pages."
    )
    budget: int | None = Field(default=None, ge=1, le=10_000_000, description="Most tokens.")
    conversation: str = Field(default=CONVERSATION, max_length=200, description="A conversation whose state applies.")


class BlockView(View):
    """A content block."""

    kind: Literal["text", "file"] = Field(description="Text, or the file itself.")
    text: str = Field(description="The beginning of the text, or the type and size of the file.")
    letters: int = Field(description="Code points of the text; bytes of the file.")
    is_cached: bool = Field(description="Whether the provider caches the prompt up to this block.")


class NoticeView(View):
    """A notice for the user."""

    kind: str = Field(description="Its kind.")
    message: str = Field(description="What happened.")
    estimated_cost: float | None = Field(description="Additional cost in USD, or null.")


class ContextView(View):
    """The preview."""

    query: ContextQuery = Field(description="The query as it was understood.")
    name: str = Field(description="The document's name.")
    models: list[str] = Field(description="Patterns of the models whose prices are known.")
    tier: int | None = Field(description="The tier, or null if nothing can be sent.")
    is_automatic: bool = Field(description="Whether the rules chose the tier.")
    reason: str = Field(description="Why this tier was chosen.")
    badge: str = Field(description="The badge of the document in the conversation.")
    tokens: int = Field(description="Tokens of the blocks.")
    naive_tokens: int = Field(description="Tokens of the whole document, sent with every message.")
    cost: float | None = Field(description="Cost in USD; null if the price is unknown.")
    cache: str = Field(description="`none`, `write` or `read`.")
    pages: list[int] | None = Field(description="The pages that are included; null for all.")
    page_count: int = Field(description="Number of pages.")
    method: str = Field(description="The plugin that extracted the text, or `native`.")
    flags: list[str] = Field(description="Flags of the quality report.")
    notices: list[NoticeView] = Field(description="Notices.")
    blocks: list[BlockView] = Field(description="The content blocks.")
    problem: str | None = Field(description="Why nothing can be sent, or null.")


def is_installed() -> bool:
    """Whether the feature is installed."""
    return find_spec("octavo_context") is not None


def build(reader: Reader, query: ContextQuery) -> ContextView:
    """Preview what a model would be sent. Nothing is sent or recorded.

    Raises:
        NotFound: the asker has no such document, or octavo-context is not installed.
        Refused: a text has characters that no keyboard has.
    """
    document = open_document(reader, query.document_id)
    if not is_installed():
        raise NotFound("preview", remedy="Install it: pip install octavo-context")
    if not all(letter.isprintable() or letter in "\n\t" for letter in query.model + query.message + query.conversation):
        raise Refused(400, "The message has a character that is no text", reason="invalid_request")
    from octavo_context import ContextManager

    manager = ContextManager(reader.library, corpus=reader.corpus)
    known = [entry.pattern for entry in manager.registry.models if entry.price is not None]
    name = reader.library.catalogue.name_of(document)
    try:
        return _preview(manager, document, query, name=name, models=known)
    except OctavoError as error:
        return ContextView(
            query=query,
            name=name,
            models=known,
            tier=None,
            is_automatic=query.tier is None,
            reason="",
            badge="Processing…" if document.active_version is None and document.reason is None else "Not available",
            tokens=0,
            naive_tokens=0,
            cost=None,
            cache="none",
            pages=None,
            page_count=0,
            method="",
            flags=[],
            notices=[],
            blocks=[],
            problem=public_text(f"{error.message}. {error.remedy}".rstrip(". ")),
        )


def _preview(manager: object, document: Document, query: ContextQuery, *, name: str, models: list[str]) -> ContextView:
    from octavo_context import ContextManager, DocumentContextBlock, TextBlock

    block: DocumentContextBlock = cast(ContextManager, manager).prepare_document_context(
        document,
        query.conversation,
        query.model,
        query.message,
        force_tier=cast(Literal[1, 2, 3], int(query.tier)) if query.tier is not None else None,
        max_token_budget=query.budget,
    )
    told = block.metadata
    blocks = []
    for one in block.blocks:
        if isinstance(one, TextBlock):
            blocks.append(
                BlockView(kind="text", text=one.text[:MOST_SHOWN], letters=len(one.text), is_cached=one.cache)
            )
        else:
            size = len(one.data) if one.data is not None else 0
            blocks.append(
                BlockView(kind="file", text=f"{one.name}, {one.media_type}", letters=size, is_cached=one.cache)
            )
    return ContextView(
        query=query,
        name=name,
        models=models,
        tier=block.tier,
        is_automatic=query.tier is None,
        reason=block.reason,
        badge=badge(block),
        tokens=block.token_estimate,
        naive_tokens=block.naive_tokens,
        cost=block.estimated_cost,
        cache=block.cache,
        pages=None if told.pages_included == "all" else list(told.pages_included),
        page_count=told.page_count,
        method=told.extraction_method,
        flags=list(told.quality_flags),
        notices=[
            NoticeView(kind=one.kind, message=public_text(one.message), estimated_cost=one.estimated_cost)
            for one in block.notices
        ],
        blocks=blocks,
        problem=None,
    )


def badge(block: object) -> str:
    """The badge of a document in a conversation (003 §19.2)."""
    from octavo_context import DocumentContextBlock

    shown = cast(DocumentContextBlock, block)
    if any(one.kind == "model_switch" for one in shown.notices):
        return "Re-caching for new model"
    if shown.cache == "read":
        return "Using cached version"
    if shown.tier == 1:
        return "Full document (cached)" if shown.cache == "write" else "Full document"
    if shown.tier == 2:
        return f"Text extracted ({shown.metadata.page_count} page{'' if shown.metadata.page_count == 1 else 's'})"
    included = shown.metadata.pages_included
    pages = shown.metadata.page_count if included == "all" else len(included)
    return f"Summary and {pages} page{'' if pages == 1 else 's'}"


SCREEN = Screen(
    path="/documents/{document_id}/context",
    template="context.html",
    summary="Preview what a language model would be sent of a document: tier, tokens, cost.",
    query=ContextQuery,
    view=ContextView,
    build=build,
)
