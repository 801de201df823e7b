"""HTML whose comments, declarations and tags never end: the standard library's parser takes the square of its length."""

from __future__ import annotations

_FEW = 50
"""Beginnings without an end that a parser may look for the ends of."""


def without_endless_markup(markup: str) -> str:
    """Markup in which everything that opens also closes: the parser looks for an end from each beginning again."""
    head, tail, rest = _parts(markup)
    return head + tail.replace("<!--", "&lt;!--") + rest.replace("<", "&lt;")


def with_little_endless_markup(markup: str) -> str:
    """Markup as it is where only a few beginnings have no end; else `without_endless_markup`."""
    _, tail, rest = _parts(markup)
    return without_endless_markup(markup) if tail.count("<!--") > _FEW or rest.count("<") > _FEW else markup


def _parts(markup: str) -> tuple[str, str, str]:
    """Up to the end of the last comment, up to the last end of a tag, and what follows it."""
    last = markup.rfind(">")
    closed, rest = markup[: last + 1], markup[last + 1 :]
    comment = closed.rfind("-->")
    end = comment + 3 if comment >= 0 else 0
    return closed[:end], closed[end:], rest
