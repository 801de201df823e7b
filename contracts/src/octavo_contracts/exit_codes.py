"""The exit codes of every Octavo command, and which one wins when several hold."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum


class ExitCode(IntEnum):
    """One registry for every command."""

    OK = 0
    INTERNAL = 1
    USAGE = 2
    HARD_FAILURES = 3
    DEGRADED = 4
    POLICY_REFUSED = 5
    TOOL_UNAVAILABLE = 6
    INTERRUPTED = 130


PRECEDENCE: tuple[ExitCode, ...] = (
    ExitCode.INTERRUPTED,
    ExitCode.INTERNAL,
    ExitCode.USAGE,
    ExitCode.HARD_FAILURES,
    ExitCode.POLICY_REFUSED,
    ExitCode.TOOL_UNAVAILABLE,
    ExitCode.DEGRADED,
    ExitCode.OK,
)
"""Strongest first."""


def strongest(codes: Iterable[ExitCode]) -> ExitCode:
    """The code a command ends with when several hold; `OK` when none does."""
    seen = set(codes)
    return next((code for code in PRECEDENCE if code in seen), ExitCode.OK)
