"""Escapes unterminated HTML comments and tags, for which the standard library's parser takes quadratic time."""

from __future__ import annotations

_FEW = 50
"""Unterminated constructs that are left as they are; for each the parser scans to the end of the text."""


def without_endless_markup(markup: str) -> str:
    """Escape every construct that is opened and never closed: the parser would search for an end from each opening."""
    head, tail, rest = _parts(markup)
    return head + tail.replace("<!--", "&lt;!--") + rest.replace("<", "&lt;")


def with_little_endless_markup(markup: str) -> str:
    """Return markup unchanged if it has few unterminated constructs; else apply `without_endless_markup`."""
    _, tail, rest = _parts(markup)
    return without_endless_markup(markup) if tail.count("<!--") > _FEW or rest.count("<") > _FEW else markup


def _parts(markup: str) -> tuple[str, str, str]:
    """Split markup into three: up to the end of the last comment, up to the end of the last tag, and the rest."""
    last = markup.rfind(">")
    closed, rest = markup[: last + 1], markup[last + 1 :]
    comment = closed.rfind("-->")
    end = comment + 3 if comment >= 0 else 0
    return closed[:end], closed[end:], rest
