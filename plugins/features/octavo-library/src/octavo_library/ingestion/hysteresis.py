"""Hysteresis: pauses and resumes work by two thresholds. Pure functions of a reading, a clock and the last decision."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Watermarks:
    """Two thresholds, so that a value that fluctuates around one of them does not pause and resume at every reading.

    Attributes:
        pause: the value at which new work is paused.
        resume: the value beyond which it resumes.
        patience: seconds that the value must stay at `pause` before work is paused.
        low_is_bad: True for free memory or free space; False for a load or a temperature.
    """

    pause: float
    resume: float
    patience: float = 0.0
    low_is_bad: bool = False

    def is_bad(self, value: float) -> bool:
        """Whether a value has reached the threshold that pauses work."""
        return value < self.pause if self.low_is_bad else value >= self.pause

    def is_good(self, value: float) -> bool:
        """Whether a value has reached the threshold that resumes work."""
        return value >= self.resume if self.low_is_bad else value < self.resume


@dataclass(frozen=True, kw_only=True)
class Backpressure:
    """The decision after a reading.

    Attributes:
        is_paused: whether new work is paused.
        since: when the pause began, by the caller's clock; None while work is not paused.
        bad_since: since when the value has been bad without a break; None while it is good.
    """

    is_paused: bool = False
    since: float | None = None
    bad_since: float | None = None


FREE = Backpressure()


def evaluate(marks: Watermarks, before: Backpressure, value: float | None, *, now: float) -> Backpressure:
    """Decide whether new work is paused.

    Args:
        marks: the thresholds.
        before: the last decision.
        value: the reading; None without a sensor, which never pauses work.
        now: seconds of a monotonic clock.
    """
    if value is None:
        return FREE
    bad_since = (before.bad_since if before.bad_since is not None else now) if marks.is_bad(value) else None
    if before.is_paused:
        return FREE if marks.is_good(value) else Backpressure(is_paused=True, since=before.since, bad_since=bad_since)
    if bad_since is not None and now - bad_since >= marks.patience:
        return Backpressure(is_paused=True, since=now, bad_since=bad_since)
    return Backpressure(bad_since=bad_since)
