"""Which failures are tried again by themselves (ENG-7, ENG-20)."""

from __future__ import annotations

from enum import Enum, auto

from octavo.settings.engine import RetrySettings
from octavo_contracts import AuthUnavailable, OctavoError, RetryableToolFailure, StorageExhausted, ToolUnavailable

from .throttle import ReserveReached


class RetryDecision(Enum):
    """What becomes of a job whose try failed."""

    END = auto()
    """It hard-fails: another try would fail alike, or only a person can tell."""
    WAIT = auto()
    """It stays open and waits, for days if need be: its tool or its key is not there."""
    AGAIN = auto()
    """It is tried again after a while: what failed may pass."""


def verdict(error: OctavoError, *, tries: int, pressed: bool, settings: RetrySettings) -> RetryDecision:
    """Decide.

    Args:
        error: what the try ended with.
        tries: how many there were, this one included.
        pressed: whether memory was short: a worker that died then may not have died of the document.
        settings: how many tries there are.
    """
    is_left = tries < settings.tries
    if isinstance(error, StorageExhausted):
        return RetryDecision.AGAIN if is_left and not isinstance(error, ReserveReached) else RetryDecision.WAIT
    if isinstance(error, ToolUnavailable | AuthUnavailable):
        return RetryDecision.WAIT
    if isinstance(error, RetryableToolFailure) and pressed:
        return RetryDecision.AGAIN if is_left else RetryDecision.END
    return RetryDecision.END
