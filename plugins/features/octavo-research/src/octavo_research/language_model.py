"""The one interface behind which every language model of a run stands, and its adapter for OpenAI-compatible servers (RES-4)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol, TypeVar

from octavo_digest import LlmSettings
from octavo_digest.model_client import ModelAnswer, ModelClient
from octavo_digest.model_tools import Tool, ToolAnswer, ToolTurn
from octavo_digest.token_counts import estimated_tokens
from octavo_sandbox.egress.gate import CloudDecision, RecordedOwners, pass_gate, sending

from .options import ResearchOptions
from .spending import Prices, Usage

T = TypeVar("T")

SUMMARY_SECONDS = 30.0
"""Seconds that the summary of one source may take (RES-7)."""


class LanguageModel(Protocol):
    """A language model. Its answers are claims, and never quotations."""

    @property
    def identity(self) -> str:
        """Name of the model, as the report has it."""

    def count_tokens(self, text: str) -> int:
        """An estimate of a text's tokens."""

    def complete(self, prompt: str, *, instructions: str, owners: Sequence[RecordedOwners] = ()) -> ModelAnswer[str]:
        """Ask for a text. `owners` are those of the documents whose text the prompt has."""

    def structured(
        self, prompt: str, *, instructions: str, form: type[T], owners: Sequence[RecordedOwners] = ()
    ) -> ModelAnswer[T]:
        """Ask for an answer that matches the schema of a pydantic model."""

    def tools(
        self,
        prompt: str,
        *,
        instructions: str,
        tools: Sequence[Tool],
        turns: Sequence[ToolTurn] = (),
        owners: Sequence[RecordedOwners] = (),
    ) -> ModelAnswer[ToolAnswer]:
        """Ask for the next answer of a conversation in which the model may call tools; the caller executes the calls."""


class ServerModel:
    """A model at an OpenAI-compatible server, asked through the project's egress.

    Args:
        settings: the model and its server.
    """

    def __init__(self, settings: LlmSettings) -> None:
        self._settings = settings
        self._usage = Usage()

    @property
    def identity(self) -> str:
        """Name of the model at its server."""
        return self._settings.model

    @property
    def usage(self) -> Usage:
        """Requests and tokens of the calls of this object; its prices are not known here."""
        return self._usage

    def count_tokens(self, text: str) -> int:
        """An estimate: the server alone knows its tokeniser, and asking it for a count would send the text."""
        return estimated_tokens(text)

    def complete(self, prompt: str, *, instructions: str, owners: Sequence[RecordedOwners] = ()) -> ModelAnswer[str]:
        """Ask for a text.

        Raises:
            OctavoError: as `structured`.
        """
        return self.structured(prompt, instructions=instructions, form=str, owners=owners)

    def structured(
        self, prompt: str, *, instructions: str, form: type[T], owners: Sequence[RecordedOwners] = ()
    ) -> ModelAnswer[T]:
        """Ask for an answer that matches a schema.

        Raises:
            PolicyRefused: the server is on another machine, and an owner of a document forbids that, or is unknown.
            TokenLimitReached: the prompt does not fit the model's window.
            ToolUnavailable: the model cannot be asked.
            AuthUnavailable: the server refuses the key.
            AnswerInvalid: no answer matched the schema.
            TimeoutError: the model did not answer in time.
        """
        return self._sent(lambda client: client.ask(prompt, instructions=instructions, form=form), owners)

    def tools(
        self,
        prompt: str,
        *,
        instructions: str,
        tools: Sequence[Tool],
        turns: Sequence[ToolTurn] = (),
        owners: Sequence[RecordedOwners] = (),
    ) -> ModelAnswer[ToolAnswer]:
        """Ask for the next answer of a conversation with tools.

        Raises:
            OctavoError: as `structured`.
        """
        return self._sent(
            lambda client: client.use_tools(prompt, instructions=instructions, tools=tools, turns=turns), owners
        )

    def _sent(
        self, ask: Callable[[ModelClient], Awaitable[ModelAnswer[T]]], owners: Sequence[RecordedOwners]
    ) -> ModelAnswer[T]:
        if not self._settings.is_local:
            for one in owners or (None,):
                pass_gate(one, service=f"the model {self.identity}", remedy="Use a model server on this machine")
        with sending(_together(owners)):
            answer = asyncio.run(self._asked(ask))
        self._usage = self._usage.plus(Usage.of(answer, Prices()))
        return answer

    async def _asked(self, ask: Callable[[ModelClient], Awaitable[ModelAnswer[T]]]) -> ModelAnswer[T]:
        client = ModelClient(self._settings, cloud=not self._settings.is_local)
        try:
            return await ask(client)
        finally:
            await client.aclose()


@dataclass(frozen=True, kw_only=True)
class ModelRoles:
    """The models of a run, by what they do (RES-21).

    Attributes:
        synthesis: reflects, and writes the report.
        compression: compresses findings.
        summarization: summarises sources when they are found.
    """

    synthesis: LanguageModel
    compression: LanguageModel
    summarization: LanguageModel

    @classmethod
    def all_of(cls, model: LanguageModel) -> ModelRoles:
        """One model for everything."""
        return cls(synthesis=model, compression=model, summarization=model)

    def wrapped(self, wrap: Callable[[LanguageModel], LanguageModel]) -> ModelRoles:
        """The same roles, each model wrapped."""
        return ModelRoles(
            synthesis=wrap(self.synthesis),
            compression=wrap(self.compression),
            summarization=wrap(self.summarization),
        )


def models_of(options: ResearchOptions) -> ModelRoles | None:
    """The models of a run; None for the extractive mode.

    Raises:
        UsageError: the URL of the server is invalid.
    """
    if options.model_url is None:
        return None
    compression = options.compression_model or options.model
    summarization = options.summarization_model or compression
    settings = LlmSettings(
        model=options.model,
        base_url=options.model_url,
        api_key_env=options.model_key_env,
        request_timeout=options.model_timeout,
        max_answer_tokens=options.answer_tokens,
    )
    summary_seconds = min(SUMMARY_SECONDS, options.model_timeout)
    return ModelRoles(
        synthesis=ServerModel(settings),
        compression=ServerModel(replace(settings, model=compression)),
        summarization=ServerModel(replace(settings, model=summarization, request_timeout=summary_seconds)),
    )


def _together(owners: Sequence[RecordedOwners]) -> RecordedOwners | None:
    """The owners of several documents as one: a decision is recorded for each document."""
    if not owners:
        return None

    def told(decision: CloudDecision) -> None:
        for one in owners:
            one.record(decision)

    return RecordedOwners(ask=lambda: [request for one in owners for request in one()], told=told)
