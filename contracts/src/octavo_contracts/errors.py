"""The errors that Octavo raises, each with a reason code, an exit code and a remedy.

    OctavoError
    ├── UsageError                      unknown plugin, option or document; exit 2
    ├── ContractError                   a plugin or a host violated the contract
    │   ├── ContractViolation           doc25_contract_violation: a malformed Conversion or result
    │   └── IllegalTransition           a state change that the table does not allow
    ├── DocumentError                   the document is the cause
    │   ├── SourceMissing               source_missing
    │   ├── SourceEmpty                 source_empty
    │   ├── SourceCorrupt               source_corrupt
    │   ├── SourceEncrypted             source_encrypted
    │   ├── SourceChanged               source_changed: it changed while it was being read
    │   ├── UnsupportedFormat           unsupported_format
    │   ├── ContentTooLarge             content_too_large
    │   ├── SourceAnchorMissing         source_anchor_missing
    │   └── DuplicateMetadata           duplicate_with_different_metadata
    ├── ToolError                       the tool is the cause, not the document alone
    │   ├── ToolUnavailable             tool_unavailable
    │   ├── AuthUnavailable             auth_unavailable
    │   ├── ConversionTimeout           conversion_timeout
    │   ├── OcrFailed                   ocr_failed
    │   ├── SchemaValidationFailed      schema_validation_failed
    │   ├── MemoryExceeded              memory_exceeded
    │   └── ConverterCrashed            converter_crashed
    │       └── RetryableToolFailure    a worker died once; retried before the document fails (ENG-7)
    ├── PolicyRefused                   policy_refused
    ├── StorageError                    the library cannot be read or written; no reason code of its own
    │   ├── StorageExhausted            storage_exhausted: the disk is full, or its reserve is reached
    │   ├── LibraryReadOnly             a writing call on a read-only library
    │   └── LibraryDamaged              library_damaged: stored data is missing or altered
    └── NotAttempted                    not_attempted: the run ended first

`REASONS` maps each reason code to its error class, exit code and retry policy (ENG-7).
"""

from __future__ import annotations

from types import MappingProxyType
from typing import ClassVar, NamedTuple, Self

from pydantic import Field

from ._model import Model
from .exit_codes import ExitCode
from .reasons import HardFailReason, Retry


class OctavoError(Exception):
    """An error with a message, its context and a remedy.

    Args:
        message: the problem, as a sentence without a full stop.
        source: the document, as the user named it.
        plugin: the plugin that was running.
        page: the page, from 1.
        remedy: what the user can do, as an imperative.
    """

    reason: ClassVar[HardFailReason | None] = None
    exit_code: ClassVar[ExitCode] = ExitCode.INTERNAL
    retry: ClassVar[Retry] = Retry.MANUAL
    default_remedy: ClassVar[str] = ""

    def __init__(
        self,
        message: str,
        *,
        source: str | None = None,
        plugin: str | None = None,
        page: int | None = None,
        remedy: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.source = source
        self.plugin = plugin
        self.page = page
        self.remedy = remedy if remedy is not None else self.default_remedy

    def __str__(self) -> str:
        where = [
            part
            for part in (self.source, self.page and f"page {self.page}", self.plugin and f"plugin {self.plugin}")
            if part
        ]
        text = f"{', '.join(where)}: {self.message}" if where else self.message
        return f"{text}. {self.remedy}" if self.remedy else text

    def located(self, *, source: str | None = None, plugin: str | None = None) -> Self:
        """Set the source and the plugin if they are not set yet; return the error itself."""
        self.source = self.source or source
        self.plugin = self.plugin or plugin
        return self


class UsageError(OctavoError):
    """An argument names something that does not exist, or has an invalid value."""

    exit_code = ExitCode.USAGE


class ContractError(OctavoError):
    """A plugin or a host violated the contract."""


class ContractViolation(ContractError):
    """A plugin returned, or a host built, a malformed object."""

    reason = HardFailReason.DOC25_CONTRACT_VIOLATION
    exit_code = ExitCode.HARD_FAILURES
    default_remedy = "Report it to the author of the plugin, or choose another plugin with --with"


class IllegalTransition(ContractError):
    """A job was moved to a state that cannot follow its current state (ENG-3)."""


class DocumentError(OctavoError):
    """The document is the cause; another tool may still read it."""

    exit_code = ExitCode.HARD_FAILURES


class SourceMissing(DocumentError):
    """The path does not lead to a readable regular file."""

    reason = HardFailReason.SOURCE_MISSING
    default_remedy = "Check that the path exists, is a regular file, and is readable for you"


class SourceEmpty(DocumentError):
    """The file has no bytes."""

    reason = HardFailReason.SOURCE_EMPTY
    retry = Retry.NEVER
    default_remedy = "Fetch or export the file again: it has no bytes"


class SourceCorrupt(DocumentError):
    """The bytes are not a complete, valid document of their type."""

    reason = HardFailReason.SOURCE_CORRUPT
    retry = Retry.NEVER
    default_remedy = "Open the file in its own program and save it again, or fetch it again"


class SourceEncrypted(DocumentError):
    """The document needs a password, and none was given or it is wrong."""

    reason = HardFailReason.SOURCE_ENCRYPTED
    default_remedy = "Give the password with --password, or save a copy without encryption"


class SourceChanged(DocumentError):
    """The file changed between hashing and reading."""

    reason = HardFailReason.SOURCE_CHANGED
    default_remedy = "Ingest the file again once no program is writing to it"


class UnsupportedFormat(DocumentError):
    """No installed plugin reads this type."""

    reason = HardFailReason.UNSUPPORTED_FORMAT
    default_remedy = "Run `octavo plugins` to see what the installed plugins read"


class ContentTooLarge(DocumentError):
    """A limit on size, pages, entries or expansion was reached."""

    reason = HardFailReason.CONTENT_TOO_LARGE
    default_remedy = "Split the document"


class SourceAnchorMissing(DocumentError):
    """A record about a document has no position in it (ENG-5)."""

    reason = HardFailReason.SOURCE_ANCHOR_MISSING


class DuplicateMetadata(DocumentError):
    """Known bytes were ingested again with another title, date or source (ENG-21)."""

    reason = HardFailReason.DUPLICATE_WITH_DIFFERENT_METADATA
    default_remedy = "State whether it is the known document or another one"


class ToolError(OctavoError):
    """The tool is the cause; the document may be fine."""

    exit_code = ExitCode.HARD_FAILURES


class ToolUnavailable(ToolError):
    """A program, library or model that the plugin needs is missing."""

    reason = HardFailReason.TOOL_UNAVAILABLE
    exit_code = ExitCode.TOOL_UNAVAILABLE
    retry = Retry.AUTOMATIC
    default_remedy = "Run `octavo doctor`: it names the missing tool and the command that installs it"


class AuthUnavailable(ToolError):
    """A service requires credentials that are not configured."""

    reason = HardFailReason.AUTH_UNAVAILABLE
    exit_code = ExitCode.TOOL_UNAVAILABLE
    retry = Retry.AUTOMATIC


class ConversionTimeout(ToolError):
    """The tool did not finish before its deadline and was killed (ENG-11)."""

    reason = HardFailReason.CONVERSION_TIMEOUT
    default_remedy = "Try again with a longer --timeout, or with another plugin"


class OcrFailed(ToolError):
    """Text recognition produced no usable text; the pages can still be viewed."""

    reason = HardFailReason.OCR_FAILED


class SchemaValidationFailed(ToolError):
    """A tool's structured output does not match the given schema."""

    reason = HardFailReason.SCHEMA_VALIDATION_FAILED


class MemoryExceeded(ToolError):
    """The tool exceeded its memory limit and was killed."""

    reason = HardFailReason.MEMORY_EXCEEDED
    default_remedy = "Try another plugin, or raise the memory limit"


class ConverterCrashed(ToolError):
    """The tool's process died twice on this document, and no other tool is available (ENG-7)."""

    reason = HardFailReason.CONVERTER_CRASHED
    default_remedy = "Try another plugin; the document makes this one crash"


class RetryableToolFailure(ConverterCrashed):
    """A worker died once: a failure of the tool, not yet of the document (ENG-7, ENG-10)."""

    retry = Retry.AUTOMATIC


class PolicyRefused(OctavoError):
    """A policy forbids the action: a network call, a cloud service, a path outside the tree."""

    reason = HardFailReason.POLICY_REFUSED
    exit_code = ExitCode.POLICY_REFUSED


class StorageError(OctavoError):
    """The library cannot be read or written. Subclasses give the reason; the error is not about a document."""

    exit_code = ExitCode.HARD_FAILURES
    default_remedy = "Check the disk and the permissions of the library's folder"


class StorageExhausted(StorageError):
    """The disk is full, a quota or a file size limit is reached, or the disk's reserve is reached."""

    reason = HardFailReason.STORAGE_EXHAUSTED
    default_remedy = "Free space, or open a library on another disk"


class LibraryReadOnly(StorageError):
    """A writing call was made on a read-only library; nothing was changed."""

    default_remedy = "Make the library's folder writable, or work on a copy of it"


class LibraryDamaged(StorageError):
    """Files of a stored version, or rows of the index, are missing or altered."""

    reason = HardFailReason.LIBRARY_DAMAGED
    default_remedy = (
        "Run `octavo verify-store` to list all damage and `octavo repair` to repair what is repairable; then "
        "`octavo reconvert` the document if it has no intact version"
    )


class NotAttempted(OctavoError):
    """The run ended before this document's turn."""

    reason = HardFailReason.NOT_ATTEMPTED
    exit_code = ExitCode.HARD_FAILURES
    default_remedy = "Ingest it again"


class ReasonRow(NamedTuple):
    """One row of `REASONS`."""

    error: type[OctavoError]
    exit_code: ExitCode
    retry: Retry


def _rows() -> dict[HardFailReason, ReasonRow]:
    classes: tuple[type[OctavoError], ...] = (
        ConversionTimeout, OcrFailed, UnsupportedFormat, AuthUnavailable, StorageExhausted, ToolUnavailable,
        SchemaValidationFailed, SourceAnchorMissing, ContentTooLarge, DuplicateMetadata, ContractViolation,
        SourceEmpty, SourceCorrupt, SourceEncrypted, SourceChanged, SourceMissing, ConverterCrashed,
        MemoryExceeded, PolicyRefused, LibraryDamaged, NotAttempted,
    )  # fmt: skip
    return {cls.reason: ReasonRow(cls, cls.exit_code, cls.retry) for cls in classes if cls.reason is not None}


REASONS: MappingProxyType[HardFailReason, ReasonRow] = MappingProxyType(_rows())
"""Reason code → error class, exit code, retry policy. A test checks that it is complete."""


class ErrorRecord(Model):
    """An error as data, for transfer between processes and for logs."""

    error: str = Field(description="Name of the error class, for example 'SourceCorrupt'.")
    reason: HardFailReason | None = Field(default=None, description="Reason code; null if none applies.")
    message: str = Field(description="The problem.")
    source: str | None = Field(default=None, description="The document as the user named it.")
    plugin: str | None = Field(default=None, description="The plugin that was running.")
    page: int | None = Field(default=None, ge=1, description="Page, from 1.")
    remedy: str = Field(default="", description="What to do next.")

    @classmethod
    def of(cls, error: OctavoError) -> ErrorRecord:
        """Return the record of an error."""
        return cls(
            error=type(error).__name__,
            reason=error.reason,
            message=error.message,
            source=error.source,
            plugin=error.plugin,
            page=error.page,
            remedy=error.remedy,
        )

    def to_error(self) -> OctavoError:
        """Rebuild the error: class by name, else by reason, else `OctavoError`."""
        by_name = {cls.__name__: cls for cls in _subclasses(OctavoError)}
        cls = by_name.get(self.error)
        if cls is None:
            cls = REASONS[self.reason].error if self.reason else OctavoError
        return cls(self.message, source=self.source, plugin=self.plugin, page=self.page, remedy=self.remedy)


def _subclasses(cls: type[OctavoError]) -> list[type[OctavoError]]:
    found = [cls]
    for sub in cls.__subclasses__():
        found.extend(_subclasses(sub))
    return found
