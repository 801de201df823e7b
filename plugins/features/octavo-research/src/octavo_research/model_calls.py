"""Asks a model within the ceilings of a run; every failure is a result with a reason (RES-6)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from octavo_contracts import OctavoError, PolicyRefused, SchemaValidationFailed
from octavo_digest.model_client import AnswerInvalid, ModelAnswer, TokenLimitReached
from octavo_digest.model_tools import Tool, ToolAnswer, ToolTurn
from octavo_sandbox.egress.gate import RecordedOwners

from .language_model import LanguageModel
from .sources import Sources
from .spending import Ceilings, Usage

T = TypeVar("T")

TOKEN_LIMIT = "token_limit"
"""Reason of a call whose prompt did not fit the model: the same with less text may fit (RES-17)."""


@dataclass(frozen=True, kw_only=True)
class CallResult(Generic[T]):
    """Result of a call.

    Attributes:
        output: the answer; None where the call failed.
        usage: what it has cost.
        reason: reason code of the failure; None where it succeeded.
        message: the failure, for people.
    """

    output: T | None = None
    usage: Usage = field(default_factory=Usage)
    reason: str | None = None
    message: str = ""


@dataclass(frozen=True, kw_only=True)
class ModelCalls:
    """The calls of a run.

    Attributes:
        sources: the world of the run: its documents' owners decide who may read them, and its time may be up.
        ceilings: what the run may cost.
    """

    sources: Sources
    ceilings: Ceilings

    def ask(
        self,
        model: LanguageModel,
        prompt: str,
        *,
        step: str,
        instructions: str,
        form: type[T],
        documents: Iterable[str],
        used: Usage,
    ) -> CallResult[T]:
        """Ask a model once.

        Args:
            model: the model.
            prompt: what it reads.
            step: the step that asks.
            instructions: the rules that stand before the prompt.
            form: `str`, or a pydantic model whose schema the answer must match.
            documents: ids of the documents whose text is in the prompt; none: it has the question alone.
            used: what the run has cost before.
        """

        def call(owners: list[RecordedOwners]) -> ModelAnswer[T]:
            return model.structured(prompt, instructions=instructions, form=form, owners=owners)

        return self._within(model, instructions + prompt, call, step=step, documents=documents, used=used)

    def use_tools(
        self,
        model: LanguageModel,
        prompt: str,
        *,
        step: str,
        instructions: str,
        tools: Sequence[Tool],
        turns: Sequence[ToolTurn],
        documents: Iterable[str],
        used: Usage,
    ) -> CallResult[ToolAnswer]:
        """Ask a model once for the next answer of a conversation with tools; the arguments are those of `ask`."""

        def call(owners: list[RecordedOwners]) -> ModelAnswer[ToolAnswer]:
            return model.tools(prompt, instructions=instructions, tools=tools, turns=turns, owners=owners)

        said = [part for one in turns for part in (one.answer.text, *(c.arguments for c in one.answer.calls))]
        read = "".join([instructions, prompt, *said, *(result for one in turns for result in one.results)])
        return self._within(model, read, call, step=step, documents=documents, used=used)

    def _within(
        self,
        model: LanguageModel,
        read: str,
        call: Callable[[list[RecordedOwners]], ModelAnswer[T]],
        *,
        step: str,
        documents: Iterable[str],
        used: Usage,
    ) -> CallResult[T]:
        if self.sources.is_late(step):
            return CallResult(reason="time_ceiling", message="The time of the run was up before the model was asked")
        refusal = self.ceilings.refusal(used, model.count_tokens(read))
        if refusal is not None:
            return CallResult(reason=refusal[0], message=refusal[1])
        read_from = list(dict.fromkeys(documents))
        deciding = [self.sources.owners(one) for one in read_from] if read_from else [self.sources.asker()]
        owners = [one for one in deciding if one is not None]
        try:
            answer = call(owners)
        except TokenLimitReached as error:
            return CallResult(reason=TOKEN_LIMIT, message=f"The sources do not fit the model: {error.message}")
        except PolicyRefused as error:
            message = f"The sources may not be sent to the model: {error.message}"
            return CallResult(reason="model_refused", message=message)
        except SchemaValidationFailed as error:
            message = f"The model's answer could not be used: {error.message}"
            # The tokens of a useless answer are paid for, too.
            usage = Usage.of(error, self.ceilings.prices) if isinstance(error, AnswerInvalid) else Usage()
            return CallResult(reason="model_answer_invalid", message=message, usage=usage)
        except TimeoutError:
            return CallResult(reason="model_timeout", message="The model did not answer in time")
        except OctavoError as error:
            return CallResult(reason="model_unavailable", message=f"The model could not be asked: {error.message}")
        return CallResult(output=answer.output, usage=Usage.of(answer, self.ceilings.prices))


def failure(step: str, reason: str, message: str, document_id: str | None = None) -> dict[str, Any]:
    """A failure as a step has it."""
    return {"step": step, "reason": reason, "message": message, "document_id": document_id}
