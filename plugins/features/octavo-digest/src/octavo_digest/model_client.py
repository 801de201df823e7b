"""Asks a language model at an OpenAI-compatible server, through the project's egress, and tells its failures apart."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Generic, TypeVar
from urllib.parse import urlsplit

from octavo_contracts import (
    AuthUnavailable,
    ExitCode,
    OctavoError,
    PolicyRefused,
    SchemaValidationFailed,
    ToolUnavailable,
)
from octavo_sandbox.egress import sdk_client
from octavo_sandbox.egress.service_client import refusal_behind

from .model_settings import LlmSettings
from .model_tools import Tool, ToolAnswer, ToolTurn, answer_of, messages_of, parameters_of
from .token_counts import ANSWER_ESTIMATE, CountInvalid, estimated_tokens

if TYPE_CHECKING:
    from pydantic_ai.exceptions import ModelHTTPError
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.usage import RunUsage


logger = logging.getLogger("octavo.egress")

T = TypeVar("T")

INSTALL = "pip install 'octavo-digest[llm]'"
_TOO_LONG = frozenset({"context_length_exceeded", "exceed_context_size_error"})
"""Codes with which servers say that a prompt does not fit: OpenAI's and llama.cpp's."""


class TokenLimitReached(OctavoError):
    """The prompt is longer than the model's window: the same question with less text can succeed (RES-17)."""

    exit_code = ExitCode.HARD_FAILURES
    default_remedy = "Ask with less text, or use a model with a larger window"


class AnswerInvalid(SchemaValidationFailed):
    """No answer of the model matched the schema. The server counts the tokens of such answers as those of any other.

    Args:
        message: the problem.
        requests: requests that were sent.
        input_tokens: tokens read, as the server counts them.
        output_tokens: tokens written, as the server counts them.
    """

    def __init__(self, message: str, *, requests: int = 0, input_tokens: int = 0, output_tokens: int = 0) -> None:
        super().__init__(message)
        self.requests = requests
        self.input_tokens = input_tokens
        self.output_tokens = output_tokens


@dataclass(frozen=True, kw_only=True)
class ModelAnswer(Generic[T]):
    """An answer with its cost.

    Attributes:
        output: the answer, in the form that was asked for.
        requests: requests sent, with those repeated after an answer of the wrong form.
        input_tokens: tokens read, as the server counts them, or an estimate.
        output_tokens: tokens written, as the server counts them, or an estimate.
        is_estimated: whether the server counted no tokens, and both counts are estimates.
    """

    output: T
    requests: int
    input_tokens: int
    output_tokens: int
    is_estimated: bool = False


class ModelClient:
    """A client of one model.

    Args:
        settings: the model and the parameters of its calls.
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

    async def ask(self, question: str, *, instructions: str, form: type[T]) -> ModelAnswer[T]:
        """Ask, and return the answer in a form.

        Args:
            question: the prompt.
            instructions: the instructions, which stand before it.
            form: `str`, or a pydantic model whose schema the answer must match.

        Raises:
            ToolUnavailable: pydantic-ai is not installed, or the server cannot be reached.
            AuthUnavailable: the server refuses the key.
            AnswerInvalid: no answer of the model matched the schema.
            TokenLimitReached: the prompt does not fit the model's window.
            PolicyRefused: the server's address is not allowed.
            TimeoutError: the model did not answer in time.
        """
        model = self._model
        from pydantic_ai import Agent, NativeOutput
        from pydantic_ai.usage import RunUsage

        agent: Agent[None, T] = Agent(
            model,
            output_type=form if form is str else NativeOutput(form),
            instructions=instructions,
            model_settings=self._options,
            retries=self.settings.retries,
        )
        used = RunUsage()
        answer = await self._told_apart(agent.run(question, usage=used), instructions + question, used)
        return _counted(
            answer.output,
            requests=used.requests,
            counts=(used.input_tokens, used.output_tokens),
            read=instructions + question,
            written=str(answer.output),
        )

    async def use_tools(
        self, question: str, *, instructions: str, tools: Sequence[Tool], turns: Sequence[ToolTurn] = ()
    ) -> ModelAnswer[ToolAnswer]:
        """Ask for the next answer of a conversation in which the model may call tools. The caller executes the calls.

        Args:
            question: the prompt.
            instructions: the instructions, which stand before it.
            tools: the tools; none: the model can only answer.
            turns: the answers so far, each with the results of its calls.

        Raises:
            OctavoError: as `ask`.
            TimeoutError: the model did not answer in time.
        """
        model = self._model
        from pydantic_ai.direct import model_request

        request = model_request(
            model,
            messages_of(question, turns, instructions=instructions),
            model_settings=self._options,
            model_request_parameters=parameters_of(tools),
        )
        said = [part for one in turns for part in (one.answer.text, *(c.arguments for c in one.answer.calls))]
        read = "".join([instructions, question, *said, *(result for one in turns for result in one.results)])
        response = await self._told_apart(request, read)
        used = response.usage
        output = answer_of(response)
        written = "".join([output.text, *(call.arguments for call in output.calls)])
        return _counted(output, requests=1, counts=(used.input_tokens, used.output_tokens), read=read, written=written)

    async def _told_apart(self, request: Coroutine[Any, Any, T], read: str, used: RunUsage | None = None) -> T:
        """Await a request of pydantic-ai; its failures become errors of this project.

        Args:
            request: the request.
            read: what the model reads, for an estimate where the server's count is invalid.
            used: what the request adds its usage to.
        """
        from pydantic_ai import exceptions

        failure: OctavoError
        try:
            async with asyncio.timeout(self.settings.request_timeout):
                return await request
        except CountInvalid as error:
            tokens = estimated_tokens(read)
            written = max(error.written, self._answer_estimate)
            failure = AnswerInvalid(
                f"the model server counted {error.count} tokens, which is no count; an estimate counts for this request: "
                f"{tokens:,} tokens read and {written:,} written",
                requests=1 + (used.requests if used is not None else 0),
                input_tokens=tokens + (used.input_tokens if used is not None else 0),
                output_tokens=written + (used.output_tokens if used is not None else 0),
            )
        except exceptions.UnexpectedModelBehavior:
            requests = used.requests if used is not None else 1
            counts = (used.input_tokens, used.output_tokens) if used is not None else (0, 0)
            if not counts[0]:
                counts = (requests * estimated_tokens(read), requests * self._answer_estimate)
            failure = AnswerInvalid(
                "the model's answer does not match the schema",
                requests=requests,
                input_tokens=counts[0],
                output_tokens=counts[1],
            )
        except exceptions.ModelHTTPError as error:
            failure = _http_failure(error)
        except exceptions.ModelAPIError as error:
            refused_by = refusal_behind(error)
            failure = (
                refused_by
                if isinstance(refused_by, PolicyRefused)
                else ToolUnavailable("the model server cannot be reached", remedy="Check llm_base_url")
            )
        # Raised without its cause: the client's errors quote request and response.
        raise failure from None

    @property
    def _answer_estimate(self) -> int:
        """Tokens that an answer counts as where neither the server nor its text tells."""
        return self.settings.max_answer_tokens or ANSWER_ESTIMATE

    @property
    def _options(self) -> Any:
        options = {"temperature": 0.0, "seed": 0, "timeout": self.settings.request_timeout}
        if self.settings.max_answer_tokens is not None:
            options["max_tokens"] = self.settings.max_answer_tokens
        return options

    async def aclose(self) -> None:
        """Close the connections. A client that is asked again in another event loop must be a new one."""
        if "_connections" in self.__dict__:
            await self._connections.aclose()

    @cached_property
    def _model(self) -> OpenAIChatModel:
        if find_spec("pydantic_ai") is None or find_spec("openai") is None:
            raise ToolUnavailable("pydantic-ai is not installed", remedy=f"Run: {INSTALL}")
        from pydantic_ai.providers.openai import OpenAIProvider

        from .counted_model import CountedModel

        provider = OpenAIProvider(base_url=self.settings.base_url, api_key=self._key, http_client=self._connections)
        return CountedModel(self.settings.model, provider=provider)

    @cached_property
    def _connections(self) -> Any:
        from openai import DefaultAsyncHttpxClient

        return sdk_client(
            self.settings.base_url,
            like=DefaultAsyncHttpxClient,
            cloud=self._cloud,
            headers={"Authorization": f"Bearer {self._key}"},
        )

    @cached_property
    def _key(self) -> str:
        variable = self.settings.key_variable
        key = (os.environ.get(variable) if variable else None) or ("none" if self.settings.is_local else None)
        if key is None and variable:
            raise AuthUnavailable(f"environment variable {variable} is not set or empty")
        if key is None:
            raise AuthUnavailable(
                "no API key is configured for the model server",
                remedy="Set llm_api_key_env to the name of the environment variable with the key",
            )
        return key


def _counted(output: T, *, requests: int, counts: tuple[int, int], read: str, written: str) -> ModelAnswer[T]:
    """An answer with the server's counts; with estimates where it counted none, as some servers do.

    Args:
        output: the answer.
        requests: requests sent.
        counts: tokens read and written, by the server.
        read: what the model read in one request.
        written: what it wrote in the last one.
    """
    is_estimated = counts[0] == 0  # no prompt is empty
    if is_estimated:
        counts = (requests * estimated_tokens(read), requests * estimated_tokens(written))
    return ModelAnswer(
        output=output, requests=requests, input_tokens=counts[0], output_tokens=counts[1], is_estimated=is_estimated
    )


def _http_failure(error: ModelHTTPError) -> OctavoError:
    body = error.body if isinstance(error.body, dict) else {}
    if error.status_code == 413 or _TOO_LONG & {body.get("code"), body.get("type")}:
        return TokenLimitReached("the prompt does not fit the model's window")
    refused = error.status_code in (401, 403)
    kind = AuthUnavailable if refused else ToolUnavailable
    return kind(f"the model server answered with status {error.status_code}")
