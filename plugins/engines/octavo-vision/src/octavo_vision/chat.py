"""The chat completion of an OpenAI-compatible server: one picture in, one text out.

Source of the names: https://platform.openai.com/docs/api-reference/chat. llama.cpp, Ollama and vLLM answer in this form;
probabilities of tokens are optional there.
"""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from octavo_contracts import (
    AuthUnavailable,
    ContentTooLarge,
    Fetcher,
    FetchResponse,
    OcrFailed,
    OctavoError,
    ToolUnavailable,
)
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from .names import PLUGIN, TABLE

MAX_ANSWER_BYTES = 4_000_000
"""Maximum size of an answer in bytes; the probabilities of 32,768 tokens need less."""
_BUSY = frozenset({408, 429, 500, 502, 503, 504})


class _Answer(BaseModel):
    """Base of the models of an answer. Unused fields are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class _Token(_Answer):
    logprob: Annotated[float, Field(le=0)]


class _Tokens(_Answer):
    content: tuple[_Token, ...] | None = None


class _Message(_Answer):
    content: str


class _Choice(_Answer):
    message: _Message
    finish_reason: str | None = None
    logprobs: _Tokens | None = None


class _Completion(_Answer):
    choices: tuple[_Choice, ...] = Field(min_length=1)
    model: Annotated[str, Field(max_length=200)] = ""


@dataclass(frozen=True, kw_only=True)
class ModelText:
    """What a model answered.

    Attributes:
        text: its text.
        confidence: geometric mean of the probabilities of its tokens, 0..1; None if the server gave none.
    """

    text: str
    confidence: float | None


@dataclass(frozen=True, kw_only=True)
class ModelServer:
    """A model at an OpenAI-compatible server.

    Attributes:
        base_url: URL of the API, up to `/v1`.
        model: name of the model.
        max_tokens: longest answer, in tokens.
        fetcher: network access of the host.
    """

    base_url: str
    model: str
    max_tokens: int
    fetcher: Fetcher

    def ask(self, instruction: str, *, png: bytes, seconds: float) -> ModelText:
        """Ask about one picture.

        Args:
            instruction: what to do with it.
            png: the picture.
            seconds: time limit of the request.

        Raises:
            PolicyRefused: the operator, an owner of the document, or the address forbids it.
            AuthUnavailable: the server requires a key.
            ToolUnavailable: the server cannot be reached, is busy, lacks the model, or does not follow the API.
            OcrFailed: the answer was cut off.
            ContentTooLarge: the server refused the size of the picture.
        """
        body = json.dumps(self._question(instruction, png)).encode()
        url = f"{self.base_url.rstrip('/')}/chat/completions"
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        try:
            answer = self.fetcher.fetch(
                url, method="POST", body=body, headers=headers, max_bytes=MAX_ANSWER_BYTES, timeout=seconds
            )
        except AuthUnavailable as error:
            raise AuthUnavailable(
                "the server of the model requires a key, and this plugin sends none",
                plugin=PLUGIN,
                remedy="Use a server without a key, which only this machine or network can reach",
            ) from error
        if answer.status != 200:
            raise _refused(answer.status)
        return self._text_of(answer)

    def _question(self, instruction: str, png: bytes) -> Mapping[str, Any]:
        picture = "data:image/png;base64," + base64.b64encode(png).decode()
        content = [
            {"type": "text", "text": instruction},
            {"type": "image_url", "image_url": {"url": picture}},
        ]
        return {
            "model": self.model,
            "messages": [{"role": "user", "content": content}],
            "max_tokens": self.max_tokens,
            "temperature": 0,
            "logprobs": True,
            "stream": False,
        }

    def _text_of(self, answer: FetchResponse) -> ModelText:
        try:
            choice = _Completion.model_validate_json(answer.body).choices[0]
        except ValidationError as error:
            # The place alone: the values may quote the page.
            place = ".".join(str(part) for part in error.errors(include_input=False)[0]["loc"]) or "the whole"
            raise ToolUnavailable(
                f"the answer of the server does not match the API: {place[:100]}",
                plugin=PLUGIN,
                remedy=f"Check that base_url of {TABLE} is an OpenAI-compatible API",
            ) from None
        if choice.finish_reason == "length":
            raise OcrFailed(
                f"the answer of the model was cut off after {self.max_tokens} tokens",
                plugin=PLUGIN,
                remedy=f"Raise max_tokens of {TABLE}",
            )
        tokens = choice.logprobs.content if choice.logprobs is not None else None
        confidence = math.exp(sum(token.logprob for token in tokens) / len(tokens)) if tokens else None
        return ModelText(text=choice.message.content, confidence=confidence)


def _refused(status: int) -> OctavoError:
    """The error of a status. The server's own sentences are left out, because they may quote the page."""
    if status == 404:
        return ToolUnavailable(
            "the server has no such model, or no chat completions at this address (status 404)",
            plugin=PLUGIN,
            remedy=f"Check base_url and model of {TABLE}",
        )
    if status == 413:
        return ContentTooLarge(
            "the picture is too large for the server (status 413)",
            plugin=PLUGIN,
            remedy=f"Lower longest_side of {TABLE}",
        )
    if status in _BUSY:
        return ToolUnavailable(
            f"the server of the model is busy or failed (status {status})",
            plugin=PLUGIN,
            remedy="Look at its log; a model that is larger than the memory fails so",
        )
    return ToolUnavailable(
        f"the server did not answer about the picture (status {status})",
        plugin=PLUGIN,
        remedy=f"Check that the model of {TABLE} reads pictures",
    )
