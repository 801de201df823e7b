"""Summaries by a language model through pydantic-ai: any provider, or a local server (DIG-18)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from urllib.parse import urlsplit

from octavo_contracts import Summary
from octavo_text.canonical import CanonicalText, fold
from octavo_text.chunking import ChunkingConfig, chunk_spans
from pydantic import BaseModel, Field

from .assembly import shorten
from .model_client import ModelClient
from .model_settings import LlmSettings
from .prompts import INSTRUCTIONS, PROMPT_VERSION, prompt

MAX_SUMMARY, MAX_POINTS, MAX_POINT = 2_000, 10, 500


class Draft(BaseModel):
    """The structured answer of the model. The schema states limits for the model; longer texts are cut, not refused."""

    summary: str = Field(description="What the source says about the question, at most 1800 characters.")
    key_points: list[str] = Field(description="3 to 8 statements of at most 300 characters, the most telling first.")


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
        self._client = ModelClient(settings, cloud=cloud)
        self.settings = settings

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
        return (await self._client.ask(question, instructions=INSTRUCTIONS, form=Draft)).output


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
