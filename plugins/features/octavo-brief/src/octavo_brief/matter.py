"""Selects the text for sentences: no headings, table rows, running heads or page numbers; split at list items."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from octavo.builtins.classification.text_tables import is_row
from octavo_contracts import Span
from octavo_text.canonical import CanonicalText

from .quoting import Line

EDGE = 2
"""Number of lines at the top and bottom of a page that may be running heads or feet."""
PAGES = 2
"""Minimum number of pages with the same line, ignoring digits, for a running head or foot."""
_DIGITS = re.compile(r"\d+")
_MAIL_FIELD = re.compile(
    r"(?:From|To|Cc|Bcc|Reply-To|Date|Sent|Subject|Attachments?|Von|An|Betreff|Gesendet|De|À|Objet|Para|Asunto): \S"
)
_MAIL_FIELDS = 2
"""Minimum number of consecutive lines for the head of a message."""
_BULLETS = ("• ", "▪ ", "◦ ", "‣ ", "- ", "– ")


def matter(text: CanonicalText, lines: Sequence[Line]) -> CanonicalText:
    """Reduce the pages of a text to the stretches between headings and running heads; offsets are unchanged.

    Args:
        text: the canonical text.
        lines: lines of the document.
    """
    running = _running(lines)
    heads = _mail_heads(lines)
    left_out = [
        line.span
        for line in lines
        if line.heading
        or _DIGITS.sub("#", line.text) in running
        or line.is_row
        or is_row(line.text)
        or line.span.start in heads
    ]
    items = {line.span.start for line in lines if line.text.startswith(_BULLETS)}
    return replace(text, pages=tuple(_between(text, left_out)), breaks=tuple(sorted({*text.breaks, *items})))


def after(text: CanonicalText, start: int) -> CanonicalText:
    """Return the text from a position on; offsets are unchanged."""
    kept = (Span(start=max(start, page.start), end=page.end) for page in text.pages if page.end > start)
    return replace(text, pages=tuple(kept))


def _mail_heads(lines: Sequence[Line]) -> frozenset[int]:
    """Return where the lines begin that are sender, recipients and date of a message, of a forwarded one as well."""
    found: set[int] = set()
    run: list[int] = []
    for line in [*lines, None]:
        if line is not None and _MAIL_FIELD.match(line.text):
            run.append(line.span.start)
            continue
        if len(run) >= _MAIL_FIELDS:
            found.update(run)
        run = []
    return frozenset(found)


def _running(lines: Sequence[Line]) -> frozenset[str]:
    """Return running heads and feet, treating all digits as equal."""
    by_page: dict[int, list[Line]] = {}
    for line in lines:
        by_page.setdefault(line.page, []).append(line)
    counts: Counter[str] = Counter()
    for own in by_page.values():
        counts.update({_DIGITS.sub("#", line.text) for line in (*own[:EDGE], *own[-EDGE:])})
    return frozenset(key for key, count in counts.items() if count >= PAGES)


def _between(text: CanonicalText, left_out: Sequence[Span]) -> list[Span]:
    """Return the stretches of each page that are not excluded; both are in text order."""
    found: list[Span] = []
    place = 0
    for page in text.pages:
        start = page.start
        while place < len(left_out) and left_out[place].start < page.end:
            if left_out[place].start > start:
                found.append(Span(start=start, end=left_out[place].start))
            start = left_out[place].end
            place += 1
        if start < page.end:
            found.append(Span(start=start, end=page.end))
    return found
