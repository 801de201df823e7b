"""A language model whose answers are recorded, and one that answers from a recording (RES-19)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any, TypeVar

from octavo_contracts import AuthUnavailable, OctavoError, PolicyRefused, SchemaValidationFailed, ToolUnavailable
from octavo_digest.model_client import AnswerInvalid, ModelAnswer, TokenLimitReached
from octavo_digest.model_tools import Tool, ToolAnswer, ToolTurn
from octavo_sandbox.egress.gate import RecordedOwners
from pydantic import TypeAdapter

from .language_model import LanguageModel, ModelRoles
from .recording import Recording, Tape

T = TypeVar("T")

_ERRORS: dict[str, type[OctavoError]] = {
    one.__name__: one
    for one in (TokenLimitReached, PolicyRefused, SchemaValidationFailed, ToolUnavailable, AuthUnavailable)
}
_TIMEOUT = "TimeoutError"
_USAGE = ("requests", "input_tokens", "output_tokens")


class RecordedModel:
    """A model whose answers and failures are recorded.

    Args:
        inner: the model that answers.
        tape: the recording.
    """

    def __init__(self, inner: LanguageModel, tape: Tape) -> None:
        self._inner = inner
        self._tape = tape

    @property
    def identity(self) -> str:
        """Name of the model."""
        return self._inner.identity

    def count_tokens(self, text: str) -> int:
        """The model's estimate, recorded."""
        tokens = self._inner.count_tokens(text)
        self._tape.add(kind="count", key=_text_key(text), tokens=tokens)
        return tokens

    def complete(self, prompt: str, *, instructions: str, owners: Sequence[RecordedOwners] = ()) -> ModelAnswer[str]:
        """Ask for a text."""
        return self.structured(prompt, instructions=instructions, form=str, owners=owners)

    def structured(
        self,
        prompt: str,
        *,
        instructions: str,
        form: type[T],
        owners: Sequence[RecordedOwners] = (),
    ) -> ModelAnswer[T]:
        """Ask for an answer that matches a schema. A request that was answered before has the recorded answer."""
        return self._recorded(
            request_key(self.identity, prompt, instructions, form),
            form,
            lambda: self._inner.structured(prompt, instructions=instructions, form=form, owners=owners),
        )

    def tools(
        self,
        prompt: str,
        *,
        instructions: str,
        tools: Sequence[Tool],
        turns: Sequence[ToolTurn] = (),
        owners: Sequence[RecordedOwners] = (),
    ) -> ModelAnswer[ToolAnswer]:
        """Ask for the next answer of a conversation with tools."""
        return self._recorded(
            request_key(self.identity, _conversation(prompt, tools, turns), instructions, ToolAnswer),
            ToolAnswer,
            lambda: self._inner.tools(prompt, instructions=instructions, tools=tools, turns=turns, owners=owners),
        )

    def _recorded(self, key: str, form: type[T], ask: Callable[[], ModelAnswer[T]]) -> ModelAnswer[T]:
        if (known := self._tape.answers.get(key)) is not None:
            return _answer(known, form)
        row: dict[str, Any] = {"kind": "model", "key": key}
        try:
            answer = ask()
        except TimeoutError:
            self._tape.add(**row, error=_TIMEOUT, message="")
            raise
        except OctavoError as error:
            self._tape.add(**row, error=type(error).__name__, message=error.message, **_usage_of(error))
            raise
        self._tape.add(
            **row,
            output=TypeAdapter(form).dump_python(answer.output, mode="json"),
            requests=answer.requests,
            input_tokens=answer.input_tokens,
            output_tokens=answer.output_tokens,
            **({"is_estimated": True} if answer.is_estimated else {}),
        )
        return answer


class ReplayedModel:
    """A model that answers from a recording.

    Args:
        recording: the recording.
        identity: name of the model that was recorded.
    """

    def __init__(self, recording: Recording, *, identity: str) -> None:
        self._recording = recording
        self._identity = identity

    @property
    def identity(self) -> str:
        """Name of the model that was recorded."""
        return self._identity

    def count_tokens(self, text: str) -> int:
        """The recorded estimate."""
        return int(self._recording.row("count", _text_key(text))["tokens"])

    def complete(self, prompt: str, *, instructions: str, owners: Sequence[RecordedOwners] = ()) -> ModelAnswer[str]:
        """The recorded text."""
        return self.structured(prompt, instructions=instructions, form=str, owners=owners)

    def structured(
        self,
        prompt: str,
        *,
        instructions: str,
        form: type[T],
        owners: Sequence[RecordedOwners] = (),
    ) -> ModelAnswer[T]:
        """The recorded answer to the same request.

        Raises:
            MissingAnswer: this request was not made when the run was recorded.
        """
        return self._replayed(request_key(self.identity, prompt, instructions, form), form)

    def tools(
        self,
        prompt: str,
        *,
        instructions: str,
        tools: Sequence[Tool],
        turns: Sequence[ToolTurn] = (),
        owners: Sequence[RecordedOwners] = (),
    ) -> ModelAnswer[ToolAnswer]:
        """The recorded answer at this place of the conversation."""
        return self._replayed(
            request_key(self.identity, _conversation(prompt, tools, turns), instructions, ToolAnswer), ToolAnswer
        )

    def _replayed(self, key: str, form: type[T]) -> ModelAnswer[T]:
        row = self._recording.row("model", key)
        if row.get("error") == _TIMEOUT:
            raise TimeoutError
        if row.get("error") == AnswerInvalid.__name__:
            raise AnswerInvalid(row["message"], **{name: row[name] for name in _USAGE})
        if "error" in row:
            raise _ERRORS.get(row["error"], OctavoError)(row["message"])
        return _answer(row, form)


def identities(models: ModelRoles | None) -> dict[str, str] | None:
    """The names of a run's models, as a recording has them."""
    if models is None:
        return None
    return {
        "synthesis": models.synthesis.identity,
        "compression": models.compression.identity,
        "summarization": models.summarization.identity,
    }


def replayed_models(recording: Recording) -> ModelRoles | None:
    """The models of a recorded run, which answer from the recording."""
    names: dict[str, str] | None = recording.header["models"]
    if names is None:
        return None
    return ModelRoles(**{role: ReplayedModel(recording, identity=name) for role, name in names.items()})


def _answer(row: dict[str, Any], form: type[T]) -> ModelAnswer[T]:
    return ModelAnswer(
        output=TypeAdapter(form).validate_python(row["output"]),
        requests=row["requests"],
        input_tokens=row["input_tokens"],
        output_tokens=row["output_tokens"],
        is_estimated=row.get("is_estimated", False),
    )


def _usage_of(error: OctavoError) -> dict[str, int]:
    """The usage of answers that matched no schema, as a row has it."""
    return {name: getattr(error, name) for name in _USAGE} if isinstance(error, AnswerInvalid) else {}


def _conversation(prompt: str, tools: Sequence[Tool], turns: Sequence[ToolTurn]) -> str:
    """A conversation as one text."""
    told = [[one.name, one.description, one.schema()] for one in tools]
    return json.dumps([prompt, told, [asdict(one) for one in turns]], sort_keys=True, ensure_ascii=False)


def _text_key(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def request_key(identity: str, prompt: str, instructions: str, form: type[Any]) -> str:
    """Hash of a request: the model, what it reads, and the form of its answer."""
    schema = TypeAdapter(form).json_schema()
    request = json.dumps([identity, instructions, prompt, schema], sort_keys=True, ensure_ascii=False)
    return _text_key(request)
