"""The exit codes of all Octavo commands, and their precedence when several apply."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum


class ExitCode(IntEnum):
    """Exit codes, shared by all commands."""

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
    """Return the code with the highest precedence; `OK` if there is none."""
    seen = set(codes)
    return next((code for code in PRECEDENCE if code in seen), ExitCode.OK)
