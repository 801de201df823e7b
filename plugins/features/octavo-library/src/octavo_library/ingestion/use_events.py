"""Events of the use of documents: acceptance, sends to language models, calls of retrieval tools."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from .events import EngineEvent


@dataclass(frozen=True, kw_only=True)
class AcceptanceChanged(EngineEvent):
    """A user accepted a version with its flags, or removed that mark (ENG-25).

    Attributes:
        document_id: the document.
        version: the version.
        is_accepted: whether it is accepted now.
    """

    document_id: str
    version: int
    is_accepted: bool


@dataclass(frozen=True, kw_only=True)
class ContextSent(EngineEvent):
    """A program recorded that it sent a document to a language model (CTX-6).

    Attributes:
        document_id: the document.
        tier: 1, 2 or 3.
        tokens: tokens that were sent.
        saved: tokens that sending the whole document would have taken besides.
        cache: use of the provider's prompt cache.
        cost: cost in USD; None if the price is unknown.
    """

    document_id: str
    tier: int
    tokens: int
    saved: int
    cache: Literal["none", "write", "read"]
    cost: float | None


@dataclass(frozen=True, kw_only=True)
class RetrievalCalled(EngineEvent):
    """A retrieval tool was called.

    Attributes:
        tool: the tool.
        outcome: `ok`, or the code of the failure.
        seconds: duration.
    """

    tool: str
    outcome: str
    seconds: float


@dataclass(frozen=True, kw_only=True)
class TurnRecorded(EngineEvent):
    """A program recorded a turn of a conversation with a language model.

    Attributes:
        documents: tokens of documents.
        message: tokens of the user's message and of the turns before it.
        system: tokens of the system prompt and of tool schemas.
        markers: tokens of markers around documents and memories.
        tier: the lowest tier of the documents that were sent; None without any.
        seconds: from the message to the first token of the answer; None if it was not measured.
        document_cost: cost of the documents' tokens in USD; None if the price is unknown.
        other_cost: cost of the other tokens, likewise.
    """

    documents: int
    message: int
    system: int
    markers: int
    tier: int | None
    seconds: float | None
    document_cost: float | None
    other_cost: float | None
