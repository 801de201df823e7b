"""What a host may set for documents that are given to language models."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field


@dataclass(frozen=True, kw_only=True)
class ContextSettings:
    """Settings of `octavo context` (CTX-2 to CTX-7, CTX-12).

    Attributes:
        models: a TOML or JSON file with models of your own, which replace or add to those that are shipped; None: there is
            none.
        switch_notices: whether a notice is given when a conversation goes on with another model, which makes its prompt
            caches cold.
        cache_seconds: how long a provider's prompt cache holds after its last use.
        targeted_above: with more documents than this in a conversation, single pages are sent instead of whole texts.
        escalate_share: once a model retrieved more than this share of a document's pages, the whole text is sent.
        response_tokens: tokens that are left free for the model's answer.
        system_tokens: tokens that are taken for the system prompt where the caller does not say.
        upload_bytes: a file that is larger than this is uploaded to a provider once, where it is used often.
        upload_conversations: a file is used often in more than this many conversations.
    """

    models: str | None = None
    switch_notices: bool = True
    cache_seconds: Annotated[float, Field(gt=0)] = 300.0
    targeted_above: Annotated[int, Field(ge=1)] = 2
    escalate_share: Annotated[float, Field(gt=0, le=1)] = 0.5
    response_tokens: Annotated[int, Field(ge=0)] = 4096
    system_tokens: Annotated[int, Field(ge=0)] = 2000
    upload_bytes: Annotated[int, Field(ge=0)] = 5_000_000
    upload_conversations: Annotated[int, Field(ge=0)] = 2
