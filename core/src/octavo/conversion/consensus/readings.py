"""The readings of one document by several engines, and how far two readings of a page agree."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Set
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Final

from octavo_contracts import Page, Table
from octavo_text.heading_lines import Heading, headings_in
from octavo_text.tables.sound_tables import sound_tables
from octavo_text.tables.table_words import Bag, neighbours
from octavo_text.words import words

RUNNING_PAGES: Final = 3
"""Fewest pages with a running head."""
_NUMBER: Final = re.compile(r"\d+")


@dataclass(frozen=True, kw_only=True)
class Reading:
    """The pages that one engine read, of a whole document or of some of its pages.

    Attributes:
        engine: the plugin.
        engine_version: version of its engine, or None.
        tells_hidden: whether the plugin separates hidden text.
        reads_tables: whether the plugin can find tables.
        pages: page number → page.
    """

    engine: str
    engine_version: str | None
    tells_hidden: bool
    reads_tables: bool
    pages: Mapping[int, PageReading]

    @cached_property
    def has_headings(self) -> bool:
        """Whether the engine marked any heading, so that it has a vote on headings."""
        return any(page.headings for page in self.pages.values())

    @cached_property
    def has_tables(self) -> bool:
        """Whether the engine found any table, so that its reading speaks of tables: some engines find none at all."""
        return any(page.page.tables for page in self.pages.values())

    @cached_property
    def running_headings(self) -> frozenset[str]:
        """The keys of headings that are running heads: the first line of several pages, apart from numbers."""
        counts = Counter(running_key(top) for page in self.pages.values() if (top := page.top_heading) is not None)
        return frozenset(key for key, count in counts.items() if count >= RUNNING_PAGES)


def running_key(heading: Heading) -> str:
    """Return the letters of a heading without numbers, which differ where it is a running head."""
    return _NUMBER.sub("", heading.letters)


class PageReading:
    """One page as one engine read it, with its words, headings and tables in the forms in which they are compared.

    Args:
        page: complete, with its text.
        has_added_fields: whether the host added form values, as the last paragraph, that the engine had passed over.
    """

    def __init__(self, page: Page, *, has_added_fields: bool = False) -> None:
        self.page = page
        self._has_added_fields = has_added_fields

    @cached_property
    def word_pairs(self) -> Bag:
        """The pairs of neighbouring words: they differ where words are missing, and where their order differs.

        Running heads and feet count, whether or not they were set apart: those of another reading may still be in its text.
        """
        return self.word_pairs_without(frozenset())

    def word_pairs_without(self, values: Set[str]) -> Bag:
        """Return the pairs of neighbouring words that the engine read, as if some words were not on the page."""
        apart = (word for word in words("\n".join(self.page.furniture)) if word not in values)
        return Counter(pairwise(("", *apart, *self.words_without(values))))

    def words_without(self, values: Set[str]) -> list[str]:
        """Return the words of the text that the engine read, in order, as if some words were not on the page."""
        text = self.page.text or ""
        own = text.rpartition("\n\n")[0] if values and self._has_added_fields else text
        return [word for word in words(own) if word not in values]

    @cached_property
    def field_words(self) -> frozenset[str]:
        """The words of the values in its form fields."""
        return frozenset(word for box in self.page.boxes if box.kind == "form_field" for word in words(box.text))

    @cached_property
    def words(self) -> Bag:
        """The words."""
        return Counter(words(self.page.text or ""))

    @cached_property
    def headings(self) -> tuple[Heading, ...]:
        """The headings in its markdown."""
        return headings_in(self.page.markdown)

    @cached_property
    def top_heading(self) -> Heading | None:
        """The heading that is the first line of the page; None if another line is."""
        first = next((at for at, line in enumerate(self.page.markdown.split("\n")) if line.strip()), None)
        return self.headings[0] if self.headings and self.headings[0].line == first else None

    @cached_property
    def outline(self) -> dict[str, int]:
        """The letters of each heading, and how many levels of the page are above its own."""
        ranks = {level: rank for rank, level in enumerate(sorted({one.level for one in self.headings}))}
        return {one.letters: ranks[one.level] for one in self.headings}

    @cached_property
    def letters(self) -> str:
        """Its letters and digits, in which a heading is looked up."""
        return "".join(filter(str.isalnum, (self.page.text or "").casefold()))

    @cached_property
    def sound_tables(self) -> tuple[Table, ...]:
        """Its tables without the false ones."""
        return tuple(table for parts in self.sound_parts for table in parts)

    @cached_property
    def sound_parts(self) -> tuple[tuple[Table, ...], ...]:
        """What is sound of each of its tables: two, if it holds two that stand side by side; none of a false one."""
        return tuple(tuple(sound_tables([table])) for table in self.page.tables)

    @cached_property
    def sound_neighbours(self) -> Bag:
        """The pairs of neighbouring cells of its sound tables."""
        return neighbours(self.sound_tables)
