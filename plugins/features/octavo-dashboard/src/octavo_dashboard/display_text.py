"""Values as pages show them."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from octavo.formats import UNKNOWN, format_of

STATUS_TEXTS = {"complete": "Complete", "degraded_complete": "Degraded", "hard_failed": "Failed"}


def status_text(status: str) -> str:
    """A document's status as a word."""
    return STATUS_TEXTS.get(status, status.replace("_", " ").capitalize())


def moment_text(timestamp: str) -> str:
    """A timestamp to the minute, UTC."""
    return timestamp[:16].replace("T", " ")


def size_text(size: int | None) -> str:
    """A number of bytes with a unit of the SI."""
    if size is None:
        return "unknown"
    value, unit = float(size), "B"
    for unit in ("B", "kB", "MB", "GB"):  # noqa: B007 - the last unit is used below
        if value < 1000:
            break
        value /= 1000
    else:
        unit = "TB"
    return f"{value:.0f} {unit}" if unit == "B" else f"{value:.1f} {unit}"


def type_text(media_type: str | None) -> str:
    """The name of a format; for one that only a plugin knows, its media type."""
    row = format_of(media_type or UNKNOWN.media_type)
    return (media_type or "unknown") if row is UNKNOWN else row.label


def score_text(score: float | None) -> str:
    """A score with two digits, or a dash if it was not assessed."""
    return "–" if score is None else f"{score:.2f}"


def number_text(number: int) -> str:
    """A number with thousands separated."""
    return f"{number:,}"


def flag_text(flag: str) -> str:
    """A flag as words."""
    return flag.replace("_", " ")


def words_marked(text: str, query: str) -> list[tuple[str, bool]]:
    """A text in pieces, each with whether it is a word of a query: for marks in the hits of a search."""
    words = {word for excluded, word in re.findall(r"(?<!\w)(-?)(\w+)", query) if not excluded}
    if not words:
        return [(text, False)]
    # Words of scripts without spaces, such as Chinese, stand in the middle of other letters.
    wanted = [rf"\b{re.escape(word)}\b" if word.isascii() else re.escape(word) for word in sorted(words, key=len)[::-1]]
    pieces = re.split(f"({'|'.join(wanted)})", text, flags=re.IGNORECASE)
    return [(piece, bool(number % 2)) for number, piece in enumerate(pieces) if piece]


FILTERS: dict[str, Callable[..., Any]] = {
    "status": status_text,
    "moment": moment_text,
    "size": size_text,
    "kind": type_text,
    "score": score_text,
    "number": number_text,
    "flag": flag_text,
    "words": words_marked,
}
"""Filters of the templates."""
