"""Decides which failures are retried automatically (ENG-7, ENG-20)."""

from __future__ import annotations

from enum import Enum, auto

from octavo.settings.engine import RetrySettings
from octavo_contracts import (
    AuthUnavailable,
    OctavoError,
    RetryableToolFailure,
    StorageError,
    StorageExhausted,
    ToolUnavailable,
)

from ..storage.index.refusals import IndexRefused
from .throttle import ReserveReached


class RetryDecision(Enum):
    """What to do with a job after a failed attempt."""

    END = auto()
    """Hard failure: another attempt would fail the same way, or only a person can decide."""
    WAIT = auto()
    """The job stays open and waits, for days if necessary: its tool or its key is missing."""
    AGAIN = auto()
    """Retry after a delay: the failure may be transient."""


def is_of_library(error: OctavoError) -> bool:
    """Whether an error is not the document's: the library cannot be written, so no other document can be stored either."""
    return isinstance(error, StorageError) and not isinstance(error, IndexRefused)


def verdict(error: OctavoError, *, tries: int, pressed: bool, settings: RetrySettings) -> RetryDecision:
    """Decide what to do after a failed attempt.

    Args:
        error: the error of the attempt.
        tries: attempts so far, this one included.
        pressed: whether memory was low: a worker that died then may not have died because of the document.
        settings: the maximum number of attempts.
    """
    is_left = tries < settings.tries
    if isinstance(error, StorageExhausted):
        return RetryDecision.AGAIN if is_left and not isinstance(error, ReserveReached) else RetryDecision.WAIT
    if isinstance(error, IndexRefused):
        return RetryDecision.AGAIN if is_left else RetryDecision.END
    if isinstance(error, ToolUnavailable | AuthUnavailable):
        return RetryDecision.WAIT
    if isinstance(error, RetryableToolFailure) and pressed:
        return RetryDecision.AGAIN if is_left else RetryDecision.END
    return RetryDecision.END
