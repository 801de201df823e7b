"""Times as the library writes them."""

from __future__ import annotations

from datetime import UTC, datetime


def utc_now() -> datetime:
    """The current time, with its time zone."""
    return datetime.now(UTC)


def time_text(moment: datetime) -> str:
    """A time as the index stores it: ISO 8601, UTC, microseconds, Z; always 27 characters, so that text order is time order."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
