"""Document types that a profile registers (CLS-2): phrases to search for, as data without code."""

from __future__ import annotations

import re
from collections.abc import Sequence

from octavo_contracts import Model
from octavo_text.normal_forms import normalised
from pydantic import Field

TITLE_WEIGHT, WORDS_WEIGHT = 0.4, 0.55
"""Weights of a title and of all words: 0.95 together, as in the shipped rules.

Neither is sufficient alone: a title also occurs where a document is only mentioned, and documents of other types share
words.
"""
TITLE_ALONE = 0.55
"""Confidence of a type that has no words."""
WORDS_ALONE = 0.9
"""Confidence of a type that has no title; more than half of the words are sufficient."""


class RegisteredType(Model):
    """A document type, and the phrases that identify it. A type without title and words is only set by hand."""

    name: str = Field(description="The type's name.")
    title: tuple[str, ...] = Field(default=(), description="Phrases, one of which occurs in the opening.")
    words: tuple[str, ...] = Field(
        default=(), description="Phrases in the inspected text; the share that occurs counts."
    )
    media_types: tuple[str, ...] = Field(default=(), description="Required media types; empty: any.")
    refines: str | None = Field(
        default=None, description="Shipped type that this one refines: a document that is surely both is of this type."
    )
    table_heavy: bool = Field(default=False, description="Whether its PDFs are routed as table_heavy_filing (CLS-9).")

    def score(self, opening: str, whole: str, *, media_type: str) -> float:
        """Return the confidence that a document is of this type, 0..1.

        Args:
            opening: its beginning, from `folded`.
            whole: the whole inspected text, from `folded`.
            media_type: its type by content.
        """
        if self.media_types and media_type not in self.media_types:
            return 0.0
        titled = any(stands_in(phrase, opening) for phrase in self.title)
        if not self.words:
            return TITLE_ALONE if titled else 0.0
        share = sum(stands_in(phrase, whole) for phrase in self.words) / len(self.words)
        if not self.title:
            return WORDS_ALONE * share
        # Without one of its titles a document never reaches the threshold, whatever words occur.
        return TITLE_WEIGHT + WORDS_WEIGHT * share if titled else TITLE_WEIGHT * share


_WORD = re.compile(r"\w+")


def folded(text: str) -> str:
    """Return the case-folded words of a text, each between spaces; empty if there are none.

    A folded phrase occurs in folded text only as whole words, regardless of white space, dashes or marks between them;
    and searching for it needs no regular expression, which could be made slow.
    """
    words = _WORD.findall(normalised("NFC", text).casefold())
    return f" {' '.join(words)} " if words else ""


def stands_in(phrase: str, text: str) -> bool:
    """Return whether a phrase occurs in a text that is already `folded`; a phrase without words never does."""
    wanted = folded(phrase)
    return wanted != "" and wanted in text


def table_heavy_types(shipped: frozenset[str], types: Sequence[RegisteredType]) -> frozenset[str]:
    """Return the names of the types whose PDFs are table-heavy filings; a profile overrides the types that it names."""
    return (shipped - {one.name for one in types}) | {one.name for one in types if one.table_heavy}
