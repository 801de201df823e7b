"""Types of documents that a profile registers (CLS-2): phrases to look for, as data, and nothing that runs."""

from __future__ import annotations

import re
from collections.abc import Sequence

from octavo_contracts import Model
from pydantic import Field

from ...text.normal_forms import normalised

TITLE_WEIGHT, WORDS_WEIGHT = 0.4, 0.55
"""What a title and all the words say together: 0.95, as the shipped rules have it. Neither says enough by itself: a title
also stands where a document is only mentioned, and words are shared with documents of other types."""
TITLE_ALONE = 0.55
"""Of a type that has no words to look for."""
WORDS_ALONE = 0.9
"""Of a type that has no title to look for: more than half of the words make it sure."""


class RegisteredType(Model):
    """A type of document, and what tells that a document is of it. Without title and words it is only set by hand."""

    name: str = Field(description="The type's name.")
    title: tuple[str, ...] = Field(default=(), description="Phrases, one of which stands in the opening.")
    words: tuple[str, ...] = Field(
        default=(), description="Phrases that stand in what is looked at; their share counts."
    )
    media_types: tuple[str, ...] = Field(default=(), description="The only types by content it is of; empty: any.")
    refines: str | None = Field(
        default=None, description="A shipped type that this is a kind of: a document that is surely both is this one."
    )
    table_heavy: bool = Field(default=False, description="Whether its PDFs are routed as table_heavy_filing (CLS-9).")

    def score(self, opening: str, whole: str, *, media_type: str) -> float:
        """How sure it is that a document is of this type, 0..1.

        Args:
            opening: its beginning, as `folded` gives it.
            whole: all that was looked at, likewise.
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
        # Without one of its titles a document stays below what makes sure, whatever it speaks of.
        return TITLE_WEIGHT + WORDS_WEIGHT * share if titled else TITLE_WEIGHT * share


_WORD = re.compile(r"\w+")


def folded(text: str) -> str:
    """The words of a text in one case, each between blanks; empty where there is none.

    A phrase that is folded alike stands in it as whole words where it stands in it at all, whatever white space, dashes
    or marks are between them; and to look for it takes no pattern, which could be made slow.
    """
    words = _WORD.findall(normalised("NFC", text).casefold())
    return f" {' '.join(words)} " if words else ""


def stands_in(phrase: str, text: str) -> bool:
    """Whether a phrase stands in a text that is `folded` already; one without words stands nowhere."""
    wanted = folded(phrase)
    return wanted != "" and wanted in text


def table_heavy_types(shipped: frozenset[str], types: Sequence[RegisteredType]) -> frozenset[str]:
    """The names of the types whose PDFs are table-heavy filings: a profile has the last word of those it names."""
    return (shipped - {one.name for one in types}) | {one.name for one in types if one.table_heavy}
