"""Words that change the meaning of the label after them: `Due date` is no `date`, and `Sub total` no `total`."""

from __future__ import annotations

from typing import Final

QUALIFIERS: Final = frozenset(
    {"sub", "less", "former", "due", "delivery", "birth", "expiry", "expiration", "start", "end", "effective"}
    | {"order", "ship", "shipping", "previous", "prior", "last", "next", "average", "estimated", "transition"}
    | {"inc", "incl", "including", "inclusive", "exc", "excl", "excluding", "exclusive", "before", "after", "without"}
)
"""The words, in lower case."""

_LONGEST: Final = 20
"""Maximum code points of a word with the signs behind it."""


def qualifier_before(text: str, start: int) -> str:
    """Return the qualifier that stands directly before a label, spelt as in the text; an empty text if no qualifier does.

    Args:
        text: the text.
        start: offset of the label, in code points.
    """
    word = text[max(0, start - _LONGEST) : start].rstrip(" -").rpartition(" ")[2]
    return word if word.strip("(.").lower() in QUALIFIERS else ""
