"""Failures of tool calls: a code, one sentence and a remedy."""

from __future__ import annotations

from enum import StrEnum

from octavo_contracts import Model, OctavoError, SourceAnchorMissing, UsageError
from pydantic import Field, ValidationError


class FailureCode(StrEnum):
    """Reason code of a failed call."""

    UNKNOWN_TOOL = "unknown_tool"
    """The tool is unknown or not offered."""
    INVALID_ARGUMENTS = "invalid_arguments"
    """An argument is missing, unknown or of the wrong type."""
    INVALID_RANGE = "invalid_range"
    """A range of pages ends before it starts."""
    PAGE_OUT_OF_RANGE = "page_out_of_range"
    """None of the requested pages exists."""
    DOCUMENT_NOT_FOUND = "document_not_found"
    """The document does not exist, or belongs to another policy context (STO-5)."""
    DOCUMENT_NOT_READY = "document_not_ready"
    """The document is being converted for the first time."""
    DOCUMENT_FAILED = "document_failed"
    """The document could not be converted."""
    DOCUMENT_WITHOUT_TEXT = "document_without_text"
    """The document was converted and has no text."""
    MEMORY_NOT_FOUND = "memory_not_found"
    """The memory does not exist, or belongs to another policy context (STO-5)."""
    ENTITY_NOT_FOUND = "entity_not_found"
    """No memory in scope is about the entity."""
    CORPUS_NOT_FOUND = "corpus_not_found"
    """The corpus does not exist, or is outside the scope of the caller."""
    SOURCE_ANCHOR_MISSING = "source_anchor_missing"
    """A memory has no passage of its source (ENG-5)."""
    CANCELLED = "cancelled"
    """The caller cancelled the call."""
    LIBRARY_ERROR = "library_error"
    """The library raised an error; the message has the reason."""


class Failure(Model):
    """A failed call, as JSON."""

    code: FailureCode = Field(description="Reason code.")
    message: str = Field(description="What was wrong, in one sentence.")
    remedy: str = Field(description="What to do next.")


class ToolFailure(UsageError):
    """A call failed.

    Args:
        code: the reason code.
        message: the problem, as a sentence without a full stop.
        remedy: the next step, as an imperative.

    Attributes:
        code: the reason code.
    """

    def __init__(self, code: FailureCode, message: str, *, remedy: str) -> None:
        super().__init__(message, remedy=remedy)
        self.code = code

    @property
    def failure(self) -> Failure:
        """The failure as data."""
        return Failure(code=self.code, message=self.message, remedy=self.remedy)


def failure_of(error: OctavoError) -> ToolFailure:
    """Convert a library error to a tool failure."""
    if isinstance(error, ToolFailure):
        return error
    if isinstance(error, SourceAnchorMissing):
        return ToolFailure(FailureCode.SOURCE_ANCHOR_MISSING, error.message, remedy=error.remedy or "Give its passage")
    return ToolFailure(
        FailureCode.LIBRARY_ERROR, error.message, remedy=error.remedy or "Tell the user; another call will not help"
    )


def invalid_arguments(tool: str, error: ValidationError) -> ToolFailure:
    """Convert a pydantic validation error to a tool failure, without disclosing the values."""
    found = error.errors(include_url=False, include_input=False, include_context=False)
    said = [f"{'.'.join(map(str, one['loc'])) or 'the arguments'}: {_sentence(str(one['msg']))}" for one in found[:3]]
    more = f"; {len(found) - 3} more" if len(found) > 3 else ""
    return ToolFailure(
        FailureCode.INVALID_ARGUMENTS,
        f"{tool} was called with invalid arguments: {'; '.join(said)}{more}",
        remedy="Call it again with arguments that match its input schema",
    )


def _sentence(message: str) -> str:
    if message.startswith("Extra inputs"):
        return "there is no such argument"
    return message[:1].lower() + message[1:200]
