"""Limits how deeply messages are nested within messages."""

from __future__ import annotations

import re

from octavo_contracts import ContentTooLarge

from .limits import PreflightLimits

_MESSAGE = re.compile(rb"^content-type:\s*message/(?:rfc822|global)", re.IGNORECASE)
_BOUNDARY = re.compile(rb"""\bboundary\s*=\s*(?:"([^"]{1,200})"|([^\s;]{1,200}))""", re.IGNORECASE)
_MARK = re.compile(rb"message/(?:rfc822|global)", re.IGNORECASE)


def check_message(data: bytes, *, limits: PreflightLimits) -> None:
    """Check an e-mail message.

    Raises:
        ContentTooLarge: messages are nested deeper than the limit.
    """
    if len(_MARK.findall(data)) <= limits.max_message_depth:
        return
    if _deeper(data, limits.max_message_depth):
        raise ContentTooLarge(f"messages are nested more than {limits.max_message_depth} levels deep")


def _deeper(data: bytes, limit: int) -> bool:
    """Follow headers and boundaries: a message in a digest is on the same level, one in a body a level deeper."""
    depth, in_headers, is_message = 0, True, False
    boundaries: dict[bytes, int] = {}
    for line in data.splitlines():
        mark = line.rstrip()
        if mark.startswith(b"--") and (level := boundaries.get(mark[2:])) is not None:
            depth, in_headers, is_message = level, True, False
        elif not in_headers:
            continue
        elif not mark:
            in_headers = is_message
            depth += 1 if is_message else 0
            is_message = False
            if depth > limit:
                return True
        else:
            is_message = is_message or _MESSAGE.match(line) is not None
            if found := _BOUNDARY.search(line):
                boundaries[found.group(1) or found.group(2)] = depth
    return False
