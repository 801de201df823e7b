"""Asks a model within the ceilings of a run; every failure is a result with a reason (RES-6)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from octavo_contracts import OctavoError, PolicyRefused, SchemaValidationFailed
from octavo_digest.model_client import TokenLimitReached

from .language_model import LanguageModel
from .sources import Sources
from .spending import Ceilings, TokenUsage

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
    usage: TokenUsage = field(default_factory=TokenUsage)
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
        used: TokenUsage,
    ) -> CallResult[T]:
        """Ask a model once.

        Args:
            model: the model.
            prompt: what it reads.
            step: the step that asks.
            instructions: the rules that stand before the prompt.
            form: `str`, or a pydantic model whose schema the answer must match.
            documents: ids of the documents whose text is in the prompt.
            used: what the run has cost before.
        """
        if self.sources.is_late(step):
            return CallResult(reason="time_ceiling", message="The time of the run was up before the model was asked")
        refusal = self.ceilings.refusal(used, model.count_tokens(instructions + prompt))
        if refusal is not None:
            return CallResult(reason=refusal[0], message=refusal[1])
        owners = [one for one in map(self.sources.owners, dict.fromkeys(documents)) if one is not None]
        try:
            answer = model.structured(prompt, instructions=instructions, form=form, owners=owners)
        except TokenLimitReached as error:
            return CallResult(reason=TOKEN_LIMIT, message=f"The sources do not fit the model: {error.message}")
        except PolicyRefused as error:
            message = f"The sources may not be sent to the model: {error.message}"
            return CallResult(reason="model_refused", message=message)
        except SchemaValidationFailed as error:
            message = f"The model's answer could not be used: {error.message}"
            return CallResult(reason="model_answer_invalid", message=message)
        except TimeoutError:
            return CallResult(reason="model_timeout", message="The model did not answer in time")
        except OctavoError as error:
            return CallResult(reason="model_unavailable", message=f"The model could not be asked: {error.message}")
        return CallResult(output=answer.output, usage=TokenUsage.of(answer, self.ceilings.prices))


def failure(step: str, reason: str, message: str, document_id: str | None = None) -> dict[str, Any]:
    """A failure as a step has it."""
    return {"step": step, "reason": reason, "message": message, "document_id": document_id}
