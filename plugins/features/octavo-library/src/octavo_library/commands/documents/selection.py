"""Which documents `octavo list` shows, and in which order."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from octavo_contracts import UsageError

from ...facade.document_names import file_name
from ...storage import time_text
from ..document_text import STATUS_TEXTS

if TYPE_CHECKING:
    from ...facade.document import Document

STATUSES = ("complete", "degraded", "failed")
ORDERS = ("ingested", "title", "name", "status", "type")
_AGO = re.compile(r"(\d{1,5})([hdw])")
_UNITS = {"h": "hours", "d": "days", "w": "weeks"}


def select_documents(
    documents: Sequence[Document],
    *,
    statuses: Sequence[str] = (),
    kinds: Sequence[str] = (),
    since: str | None = None,
    order: str | None = None,
    limit: int | None = None,
) -> list[Document]:
    """The documents that fit, in an order.

    Args:
        documents: by the time they came in.
        statuses: of `STATUSES`; empty for all.
        kinds: formats, as their names, extensions or media types; empty for all.
        since: only those that came in at this moment or later; see `moment_of`.
        order: of `ORDERS`, with a `-` before it from the last to the first; None leaves them as they are.
        limit: at most so many, the first ones.

    Raises:
        UsageError: a format, an order or a moment that there is none of.
    """
    wanted = {media_type for kind in kinds for media_type in _media_types(kind)}
    earliest = time_text(moment_of(since)) if since is not None else ""
    found = [
        one
        for one in documents
        if (not statuses or STATUS_TEXTS[one.status] in statuses)
        and (not kinds or one.media_type in wanted)
        and one.ingested_at >= earliest
    ]
    if order is not None:
        name = order.removeprefix("-")
        if name not in _KEYS:
            raise UsageError(f"documents are not sorted by {name!r}; there are {', '.join(ORDERS)}")
        found.sort(key=_KEYS[name], reverse=order.startswith("-"))
    return found[:limit]


def moment_of(text: str, *, now: datetime | None = None) -> datetime:
    """The moment of a date, of a date with a time, or of an age such as 12h, 7d or 2w.

    Args:
        text: as the user gave it. A date or time without a zone is taken as UTC, as it is shown.
        now: for tests.

    Raises:
        UsageError: it is none of them.
    """
    if ago := _AGO.fullmatch(text):
        return (now or datetime.now(UTC)) - timedelta(**{_UNITS[ago[2]]: int(ago[1])})
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise UsageError(
            f"{text!r} is neither a date nor an age", remedy="Give 2026-11-22, '2026-11-22 09:30', or 7d, 12h, 2w"
        ) from None
    return moment.astimezone(UTC) if moment.tzinfo is not None else moment.replace(tzinfo=UTC)


def _media_types(kind: str) -> set[str]:
    from octavo.formats import FORMATS

    word = kind.lower().removeprefix(".")
    fitting = {
        row.media_type for row in FORMATS if word in (row.media_type, row.label.lower()) or f".{word}" in row.extensions
    }
    if not fitting and "/" not in word:
        raise UsageError(
            f"no format is named {kind!r}", remedy="Give an extension, a media type, or what `octavo list` shows"
        )
    return fitting or {word}


_KEYS: dict[str, Callable[[Document], Any]] = {
    "ingested": lambda one: one.ingested_at,
    "title": lambda one: (one.title or file_name(one)).casefold(),
    "name": lambda one: file_name(one).casefold(),
    "status": lambda one: STATUSES.index(STATUS_TEXTS[one.status]),
    "type": lambda one: one.media_type or "",
}
