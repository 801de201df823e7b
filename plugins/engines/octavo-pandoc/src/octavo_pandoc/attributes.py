"""Attributes of Pandoc's nodes: identifier, classes, and key-value pairs."""

from __future__ import annotations

import re
from typing import Any

from octavo_contracts import HiddenText

Attributes = list[Any]
"""[identifier, [class, …], [[key, value], …]]"""

_HIDING_STYLE = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0(?![\d.]*[1-9])"
    r"|(?<![-\w])color\s*:\s*(?:white\b|#fff(?:fff)?\b)",
    re.IGNORECASE,
)


def classes(attributes: Attributes) -> frozenset[str]:
    """The classes."""
    return frozenset(attributes[1])


def value(attributes: Attributes, key: str) -> str:
    """The value of a key; '' where it is not there."""
    return next((str(found) for name, found in attributes[2] if name == key), "")


def hides(attributes: Attributes) -> bool:
    """Whether a reader of the page does not see the node: by the attribute `hidden`, or by its own style."""
    named = any(name == "hidden" for name, _ in attributes[2]) or "hidden" in classes(attributes)
    return named or bool(_HIDING_STYLE.search(value(attributes, "style")))


def hidden_text(text: str) -> HiddenText:
    """Text of a node that `hides`."""
    return HiddenText(text=text, why="hidden_style")
