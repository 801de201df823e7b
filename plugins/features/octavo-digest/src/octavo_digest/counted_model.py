"""The model of pydantic-ai, with a check of the server's counts of tokens: the ceilings of a run rest on them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic_ai.models.openai import OpenAIChatModel

from .token_counts import CountInvalid, estimated_tokens

if TYPE_CHECKING:
    from openai.types.chat import ChatCompletion


class CountedModel(OpenAIChatModel):
    """A model whose answers have valid counts. pydantic-ai would print a warning for others, and count nothing."""

    def _validate_completion(self, response: ChatCompletion) -> Any:
        used = response.usage
        counts = (used.prompt_tokens, used.completion_tokens, used.total_tokens) if used is not None else ()
        for count in counts:
            if isinstance(count, int) and count < 0:
                raise CountInvalid(count, written=estimated_tokens("".join(map(str, response.choices or ()))))
        return super()._validate_completion(response)
