"""Plain text as markdown that renders as the same text."""

from __future__ import annotations

import re

_START = re.compile(
    r"^(?:(?P<number>\d{1,9})(?=[.)]\s)|(?=#{1,6}(?:\s|$)|>|[-+*](?:\s|$)|`{3}|~{3}|=+\s*$|(?:[-_*]\s*){3,}$|\|))", re.M
)
_TAG = re.compile(r"<(?=[A-Za-z/!?])")
_ENTITY = re.compile(r"&(?=#?\w+;)")
_GAP = re.compile(r"\n\s*\n")


def paragraphs(text: str) -> str:
    """Separate paragraphs by one empty line; escape markdown syntax, tags and entities."""
    blocks = ["\n".join(line.strip() for line in block.split("\n")) for block in _GAP.split(text.strip())]
    joined = "\n\n".join(block for block in blocks if block)
    escaped = _START.sub(lambda match: f"{match.group('number') or ''}\\", joined)
    return _ENTITY.sub(r"\\&", _TAG.sub(r"\\<", escaped))
