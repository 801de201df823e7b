"""The state machine of a job (ENG-3). A job is document × source instance or corpus × intent.

A document has no state; its status is derived from its jobs and its active version.
"""

from __future__ import annotations

from enum import StrEnum
from types import MappingProxyType

from .errors import IllegalTransition


class Intent(StrEnum):
    """The purpose of a job."""

    INGEST = "ingest"
    RECONVERT = "reconvert"
    EXTRACT = "extract"


class IngestionState(StrEnum):
    """The state of a job. The members are in the order in which a job passes through them."""

    REGISTERED = "registered"
    HASH_CHECKED = "hash_checked"
    SOURCE_STORED = "source_stored"
    CONVERSION_PENDING = "conversion_pending"
    CONVERTED = "converted"
    CONVERSION_FAILED = "conversion_failed"
    CLASSIFIED = "classified"
    CLASSIFICATION_FAILED = "classification_failed"
    SUMMARIZED = "summarized"
    SUMMARY_FAILED = "summary_failed"
    INDEXED = "indexed"
    INDEXING_FAILED = "indexing_failed"
    EXTRACTION_PENDING = "extraction_pending"
    EXTRACTED = "extracted"
    EXTRACTION_FAILED = "extraction_failed"
    VERIFIED = "verified"
    VERIFICATION_FAILED = "verification_failed"
    WRITTEN = "written"
    WRITE_FAILED = "write_failed"
    COMPLETE = "complete"
    DEGRADED_COMPLETE = "degraded_complete"
    HARD_FAILED = "hard_failed"


_S = IngestionState

TERMINAL_STATES: frozenset[IngestionState] = frozenset({_S.COMPLETE, _S.DEGRADED_COMPLETE, _S.HARD_FAILED})
"""Terminal states: a reconversion is a new job."""

HAPPY_PATH: tuple[IngestionState, ...] = (
    _S.REGISTERED,
    _S.HASH_CHECKED,
    _S.SOURCE_STORED,
    _S.CONVERSION_PENDING,
    _S.CONVERTED,
    _S.CLASSIFIED,
    _S.SUMMARIZED,
    _S.INDEXED,
    _S.EXTRACTION_PENDING,
    _S.EXTRACTED,
    _S.VERIFIED,
    _S.WRITTEN,
    _S.COMPLETE,
)
"""The states of a job without failures. A step that does not apply is entered with `skipped`."""

_FORWARD: dict[IngestionState, set[IngestionState]] = {
    _S.REGISTERED: {_S.HASH_CHECKED},
    _S.HASH_CHECKED: {_S.SOURCE_STORED},
    _S.SOURCE_STORED: {_S.CONVERSION_PENDING},
    _S.CONVERSION_PENDING: {_S.CONVERTED, _S.CONVERSION_FAILED},
    _S.CONVERTED: {_S.CLASSIFIED, _S.CLASSIFICATION_FAILED},
    _S.CONVERSION_FAILED: {_S.CONVERSION_PENDING},
    # classification_failed and summary_failed continue, towards degraded_complete (ENG-3).
    _S.CLASSIFIED: {_S.SUMMARIZED, _S.SUMMARY_FAILED},
    _S.CLASSIFICATION_FAILED: {_S.SUMMARIZED, _S.SUMMARY_FAILED},
    _S.SUMMARIZED: {_S.INDEXED, _S.INDEXING_FAILED},
    _S.SUMMARY_FAILED: {_S.INDEXED, _S.INDEXING_FAILED},
    _S.INDEXED: {_S.EXTRACTION_PENDING},
    _S.INDEXING_FAILED: {_S.INDEXED, _S.INDEXING_FAILED},
    _S.EXTRACTION_PENDING: {_S.EXTRACTED, _S.EXTRACTION_FAILED},
    _S.EXTRACTED: {_S.VERIFIED, _S.VERIFICATION_FAILED},
    _S.EXTRACTION_FAILED: {_S.EXTRACTION_PENDING},
    _S.VERIFIED: {_S.WRITTEN, _S.WRITE_FAILED},
    _S.VERIFICATION_FAILED: {_S.EXTRACTION_PENDING, _S.VERIFIED},
    _S.WRITTEN: {_S.COMPLETE, _S.DEGRADED_COMPLETE},
    _S.WRITE_FAILED: {_S.WRITTEN, _S.WRITE_FAILED},
}

LEGAL_TRANSITIONS: MappingProxyType[IngestionState, frozenset[IngestionState]] = MappingProxyType(
    {
        state: frozenset() if state in TERMINAL_STATES else frozenset(_FORWARD[state] | {_S.HARD_FAILED})
        for state in IngestionState
    }
)
"""State → the states that may follow. Every non-terminal state may be followed by `hard_failed`."""


def check_transition(before: IngestionState, after: IngestionState) -> None:
    """Raise unless `after` may follow `before`.

    Raises:
        IllegalTransition: the table does not allow it.
    """
    if after not in LEGAL_TRANSITIONS[before]:
        allowed = ", ".join(sorted(LEGAL_TRANSITIONS[before])) or "none, the state is terminal"
        raise IllegalTransition(f"a job may not go from {before} to {after}; allowed next states: {allowed}")
