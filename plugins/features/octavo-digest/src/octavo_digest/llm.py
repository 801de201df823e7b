"""Summaries by a language model through pydantic-ai: any provider, or a local server (DIG-18)."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import cached_property, partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from octavo.text.canonical import CanonicalText, fold
from octavo.text.chunking import ChunkingConfig, chunk_spans
from octavo_contracts import (
    AuthUnavailable,
    OctavoError,
    PolicyRefused,
    SchemaValidationFailed,
    Summary,
    ToolUnavailable,
    UsageError,
)
from octavo_sandbox.egress import sdk_client
from octavo_sandbox.egress.service_client import is_this_machine, refusal_behind
from pydantic import BaseModel, Field

from .assembly import shorten
from .prompts import INSTRUCTIONS, PROMPT_VERSION, prompt

if TYPE_CHECKING:
    from pydantic_ai import Agent

logger = logging.getLogger("octavo.egress")

INSTALL = "pip install 'octavo-digest[llm]'"
OPENAI_HOST = "api.openai.com"
MAX_SUMMARY, MAX_POINTS, MAX_POINT = 2_000, 10, 500


class Draft(BaseModel):
    """The structured answer of the model. The schema states limits for the model; longer texts are cut, not refused."""

    summary: str = Field(description="What the source says about the question, at most 1800 characters.")
    key_points: list[str] = Field(description="3 to 8 statements of at most 300 characters, the most telling first.")


@dataclass(frozen=True, kw_only=True)
class LlmSettings:
    """The model and the parameters of its calls.

    Attributes:
        model: name of the model at the server.
        base_url: URL of an OpenAI-compatible server, for example http://127.0.0.1:8080/v1.
        api_key_env: environment variable with the key, which is sent to `base_url`; a local server needs none. None:
            OPENAI_API_KEY for api.openai.com, and no key for any other server.
        part_chars: longest text that is summarised at once; a longer one is summarised in parts, which are then merged.
        max_parts: maximum number of summarised parts; in a longer text they are spread evenly.
        max_concurrent: parts summarised concurrently.
        request_timeout: timeout of one request, seconds.
        retries: number of retries after an answer of the wrong form.
    """

    model: str
    base_url: str
    api_key_env: str | None = None
    part_chars: int = 24_000
    max_parts: int = 12
    max_concurrent: int = 3
    request_timeout: float = 60.0
    retries: int = 1

    def __post_init__(self) -> None:
        for name, low in (("part_chars", 500), ("max_parts", 1), ("max_concurrent", 1), ("retries", 0)):
            if getattr(self, name) < low:
                raise UsageError(f"llm_{name} must be at least {low}, got {getattr(self, name)!r}")
        if self.request_timeout <= 0:
            raise UsageError(f"llm_request_timeout must be above 0, got {self.request_timeout!r}")
        parts = urlsplit(self.base_url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise UsageError("llm_base_url must be an http or https URL, for example http://127.0.0.1:8080/v1")

    @property
    def is_local(self) -> bool:
        """True if the server is on this machine; otherwise the text leaves the machine."""
        return is_this_machine(urlsplit(self.base_url).hostname or "")

    @property
    def key_variable(self) -> str | None:
        """Environment variable whose value is sent to the server; a key is never sent to a server it is not meant for."""
        if self.api_key_env is None and urlsplit(self.base_url).hostname == OPENAI_HOST:
            return "OPENAI_API_KEY"
        return self.api_key_env


class LlmSummariser:
    """Requests a summary and key points in a fixed format from a language model.

    The prompt contains the query, and the source between marks. A long source is summarised in parts, and the summaries of
    the parts are merged. The model's output becomes summary and key points, never evidence.

    Args:
        settings: the model and its parameters.
        cloud: whether the text may leave this machine (CNV-15); if not, only a local server is allowed.

    Raises:
        PolicyRefused: the server is on another machine and `cloud` is off.
    """

    def __init__(self, settings: LlmSettings, *, cloud: bool = False) -> None:
        if not settings.is_local and not cloud:
            logger.warning("egress.refused service=%s reason=the text may not leave this machine", settings.model)
            raise PolicyRefused(
                f"the model server {urlsplit(settings.base_url).hostname} is not on this machine, and the text may not leave it",
                remedy="Use a server on this machine, or allow cloud services for the corpus",
            )
        self.settings = settings
        self._cloud = cloud

    @property
    def identity(self) -> str:
        """Model and prompt version, which determine the output."""
        return f"llm/{self.settings.model}@{urlsplit(self.settings.base_url).hostname}/prompt-{PROMPT_VERSION}/{self.settings.part_chars}x{self.settings.max_parts}"

    def summarise(self, text: str, *, query: str | None = None, max_chars: int = MAX_SUMMARY) -> Summary:
        """Call `asummarise` from synchronous code (the service `summariser`)."""
        return asyncio.run(self.asummarise(text, query=query or "", max_chars=max_chars))

    async def asummarise(self, text: str, *, query: str, max_chars: int = MAX_SUMMARY) -> Summary:
        """Summarise a text for a query.

        Raises:
            ToolUnavailable: pydantic-ai is not installed, or the server cannot be reached.
            AuthUnavailable: the server refuses the key.
            SchemaValidationFailed: the model's answer does not match the schema.
            TimeoutError: the model did not answer in time.
        """
        parts = split(text, part_chars=self.settings.part_chars, max_parts=self.settings.max_parts)
        if len(parts) == 1:
            draft = await self._ask(prompt(parts[0], query))
        else:
            gate = asyncio.Semaphore(self.settings.max_concurrent)
            drafts = await _all([partial(_gated, gate, partial(self._ask, prompt(part, query))) for part in parts])
            merged = "\n\n".join(_as_text(number, item) for number, item in enumerate(drafts, start=1))
            draft = await self._ask(prompt(merged[: 2 * self.settings.part_chars], query, merging=True))
        points = [shorten(fold(point), MAX_POINT) for point in draft.key_points]
        return Summary(
            text=shorten(fold(draft.summary), min(max_chars, MAX_SUMMARY)),
            key_points=tuple([point for point in points if point][:MAX_POINTS]),
            method=self.settings.model,
        )

    async def _ask(self, question: str) -> Draft:
        agent = self._agent
        from pydantic_ai import exceptions

        failure: OctavoError
        try:
            async with asyncio.timeout(self.settings.request_timeout):
                answer = await agent.run(question)
            return answer.output
        except exceptions.UnexpectedModelBehavior:
            failure = SchemaValidationFailed("the model's answer does not match the schema")
        except exceptions.ModelHTTPError as error:
            refused = error.status_code in (401, 403)
            kind = AuthUnavailable if refused else ToolUnavailable
            failure = kind(f"the model server answered with status {error.status_code}")
        except exceptions.ModelAPIError as error:
            refused_by = refusal_behind(error)
            failure = (
                refused_by
                if isinstance(refused_by, PolicyRefused)
                else ToolUnavailable("the model server cannot be reached", remedy="Check llm_base_url")
            )
        # Raised without its cause: the client's errors quote request and response.
        raise failure from None

    @cached_property
    def _agent(self) -> Agent[None, Draft]:
        if find_spec("pydantic_ai") is None or find_spec("openai") is None:
            raise ToolUnavailable("pydantic-ai is not installed", remedy=f"Run: {INSTALL}")
        from openai import DefaultAsyncHttpxClient
        from pydantic_ai import Agent, NativeOutput
        from pydantic_ai.models.openai import OpenAIChatModel
        from pydantic_ai.providers.openai import OpenAIProvider

        settings = self.settings
        variable = settings.key_variable
        key = (os.environ.get(variable) if variable else None) or ("none" if settings.is_local else None)
        if key is None and variable:
            raise AuthUnavailable(f"environment variable {variable} is not set or empty")
        if key is None:
            raise AuthUnavailable(
                "no API key is configured for the model server",
                remedy="Set llm_api_key_env to the name of the environment variable with the key",
            )
        client = sdk_client(
            settings.base_url,
            like=DefaultAsyncHttpxClient,
            cloud=self._cloud,
            headers={"Authorization": f"Bearer {key}"},
        )
        provider = OpenAIProvider(base_url=settings.base_url, api_key=key, http_client=client)
        model = OpenAIChatModel(settings.model, provider=provider)
        options: Any = {"temperature": 0.0, "seed": 0, "timeout": settings.request_timeout}
        return Agent(
            model,
            output_type=NativeOutput(Draft),
            instructions=INSTRUCTIONS,
            model_settings=options,
            retries=settings.retries,
        )


def split(text: str, *, part_chars: int, max_parts: int) -> list[str]:
    """Cut a text at boundaries into parts of at most `part_chars`; if there are too many, return evenly spread ones."""
    canonical = CanonicalText.from_archive(text)
    if len(text) <= part_chars:
        return [text]
    sizes = ChunkingConfig(version="parts", target=part_chars, maximum=part_chars, minimum=max(1, part_chars // 4))
    parts: list[str] = []
    for span in chunk_spans(canonical, sizes):
        piece = span.of(text)
        # Short pages are combined: each part costs a model call.
        if parts and len(parts[-1]) + len(piece) + 1 <= part_chars:
            parts[-1] += "\n" + piece
        else:
            parts.append(piece)
    if len(parts) > max_parts:
        parts = [parts[place * len(parts) // max_parts] for place in range(max_parts)]
    return parts


def _as_text(number: int, draft: Draft) -> str:
    points = "\n".join(f"- {point}" for point in draft.key_points[:MAX_POINTS])
    return f"Part {number}:\n{draft.summary[: 2 * MAX_SUMMARY]}\n{points}"


async def _gated(gate: asyncio.Semaphore, work: Callable[[], Awaitable[Draft]]) -> Draft:
    async with gate:
        return await work()


async def _all(work: list[Callable[[], Awaitable[Draft]]]) -> list[Draft]:
    """Return every result in order; the first failure cancels the rest and is raised alone."""
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(_awaited(item)) for item in work]
    except ExceptionGroup as failures:
        raise failures.exceptions[0] from None
    return [task.result() for task in tasks]


async def _awaited(work: Callable[[], Awaitable[Draft]]) -> Draft:
    # Created in its task: if the task is cancelled before it starts, no coroutine is left unawaited.
    return await work()
