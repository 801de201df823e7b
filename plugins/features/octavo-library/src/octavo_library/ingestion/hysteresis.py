"""When to hold back: pure functions of a reading, a clock and what was decided before."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Band:
    """Two thresholds, so that a value that wavers about one does not start and stop the work with every reading.

    Attributes:
        stop: the value from which to hold back.
        go: the value beyond which to go on.
        patience: seconds that the value has to stay at `stop` before work is held back.
        low_is_bad: whether a value must not shrink, such as free space, rather than not grow, such as heat.
    """

    stop: float
    go: float
    patience: float = 0.0
    low_is_bad: bool = False

    def is_bad(self, value: float) -> bool:
        """Whether a value calls for holding back."""
        return value < self.stop if self.low_is_bad else value >= self.stop

    def is_good(self, value: float) -> bool:
        """Whether a value allows going on."""
        return value >= self.go if self.low_is_bad else value < self.go


@dataclass(frozen=True, kw_only=True)
class Held:
    """What was decided.

    Attributes:
        back: whether new work is held back.
        since: when that began, by the caller's clock; None while it is not.
        bad_since: since when the value has been bad without a break; None while it is not.
    """

    back: bool = False
    since: float | None = None
    bad_since: float | None = None


FREE = Held()


def judge(band: Band, before: Held, value: float | None, *, now: float) -> Held:
    """Decide anew.

    Args:
        band: the thresholds.
        before: what was decided last.
        value: the reading; None where there is no such sensor, which never holds anything back.
        now: seconds of a clock that does not jump.
    """
    if value is None:
        return FREE
    bad_since = (before.bad_since if before.bad_since is not None else now) if band.is_bad(value) else None
    if before.back:
        return FREE if band.is_good(value) else Held(back=True, since=before.since, bad_since=bad_since)
    if bad_since is not None and now - bad_since >= band.patience:
        return Held(back=True, since=now, bad_since=bad_since)
    return Held(bad_since=bad_since)
