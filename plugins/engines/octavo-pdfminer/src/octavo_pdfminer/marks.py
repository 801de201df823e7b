"""Plain text as markdown that renders as the same text."""

from __future__ import annotations

import re

_START = re.compile(
    r"^(?:(?P<number>\d{1,9})(?=[.)]\s)|(?=#{1,6}(?:\s|$)|>|[-+*](?:\s|$)|`{3}|~{3}|=+\s*$|(?:[-_*]\s*){3,}$|\|))", re.M
)
_TAG = re.compile(r"<(?=[A-Za-z/!?])")
_ENTITY = re.compile(r"&(?=#?\w+;)")


def escape(text: str) -> str:
    """Escape what would read as a heading, a list, a quotation, a rule, a tag or an entity."""
    started = _START.sub(lambda match: f"{match.group('number') or ''}\\", text)
    return _ENTITY.sub(r"\\&", _TAG.sub(r"\\<", started))
