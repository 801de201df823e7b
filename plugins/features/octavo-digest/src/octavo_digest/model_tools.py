"""What a language model is told of tools, and what it says: definitions, calls and turns, without any client's types."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage, ModelResponse
    from pydantic_ai.models import ModelRequestParameters


@dataclass(frozen=True, kw_only=True)
class Tool:
    """A tool that a model may call.

    Attributes:
        name: its name.
        description: what it does, for the model.
        form: the pydantic model of its arguments.
    """

    name: str
    description: str
    form: type[BaseModel]

    def schema(self) -> dict[str, Any]:
        """The JSON Schema of its arguments."""
        return self.form.model_json_schema()


@dataclass(frozen=True, kw_only=True)
class ToolCall:
    """A call, as the model wrote it: neither the name nor the arguments are checked.

    Attributes:
        call_id: joins the call and its result.
        name: name of the tool.
        arguments: the arguments, as JSON.
    """

    call_id: str
    name: str
    arguments: str


@dataclass(frozen=True, kw_only=True)
class ToolAnswer:
    """One answer of a model that has tools.

    Attributes:
        text: what it says.
        calls: the tools that it calls; none: it has finished.
    """

    text: str
    calls: tuple[ToolCall, ...]


@dataclass(frozen=True, kw_only=True)
class ToolTurn:
    """An earlier answer with the results of its calls.

    Attributes:
        answer: the answer.
        results: the result of each call, in their order.
    """

    answer: ToolAnswer
    results: tuple[str, ...]


def messages_of(question: str, turns: Sequence[ToolTurn], *, instructions: str) -> list[ModelMessage]:
    """The conversation in the types of pydantic-ai."""
    from pydantic_ai.messages import (
        ModelRequest,
        ModelResponse,
        TextPart,
        ToolCallPart,
        ToolReturnPart,
        UserPromptPart,
    )

    told: list[ModelMessage] = [ModelRequest(parts=[UserPromptPart(content=question)], instructions=instructions)]
    for turn in turns:
        text = [TextPart(content=turn.answer.text)] if turn.answer.text else []
        calls = [
            ToolCallPart(tool_name=one.name, args=one.arguments, tool_call_id=one.call_id) for one in turn.answer.calls
        ]
        results = [
            ToolReturnPart(tool_name=one.name, content=result, tool_call_id=one.call_id)
            for one, result in zip(turn.answer.calls, turn.results, strict=True)
        ]
        told += [ModelResponse(parts=[*text, *calls]), ModelRequest(parts=results, instructions=instructions)]
    return told


def parameters_of(tools: Sequence[Tool]) -> ModelRequestParameters:
    """The tools in the types of pydantic-ai."""
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.tools import ToolDefinition

    definitions = [
        ToolDefinition(name=one.name, description=one.description, parameters_json_schema=one.schema()) for one in tools
    ]
    return ModelRequestParameters(function_tools=definitions, allow_text_output=True)


def answer_of(response: ModelResponse) -> ToolAnswer:
    """An answer of pydantic-ai."""
    from pydantic_ai.messages import TextPart, ToolCallPart

    return ToolAnswer(
        text="".join(part.content for part in response.parts if isinstance(part, TextPart)),
        calls=tuple(
            ToolCall(call_id=part.tool_call_id, name=part.tool_name, arguments=part.args_as_json_str())
            for part in response.parts
            if isinstance(part, ToolCallPart)
        ),
    )
