"""Consensus on one page: whose text is taken, whose tables, and which lines are headings.

No reader is trusted by name. A text is taken that the other readings confirm; a table that fills its cells with words
which stand together on the page; a heading that most readers see.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

from octavo_contracts import Table
from octavo_text.accents import loose_accents
from octavo_text.reading_order import mean_agreements, same_order
from octavo_text.tables.placed_tables import running_tables
from octavo_text.tables.table_words import Bag, overlap

from .readings import PageReading
from .table_groups import TableGroup, table_groups

TEXT_READERS = 3
"""Readers asked for their text, the first one among them: with three, one that stands alone is outvoted."""
SAME_TEXT = 0.97
"""Readings whose pairs of words overlap this much have the same text."""
CLEARLY = 0.01
"""A reading is taken before an earlier one only if the others confirm it by this much more."""
NEARLY = 0.1
"""A text that is confirmed this much less than the best may still be taken for the sake of its tables."""
SHUFFLED = 0.1
"""A text whose order is confirmed this much less than another one's may not replace it."""
DOUBTFUL, BETTER = 0.9, 0.03
"""An order that is confirmed less is doubtful: a text that is confirmed as much, and whose order is this much more, is taken before it."""
UNJOINED = 0.95
"""Least share of the best text's words that a text with the same letters has."""
LOOSE = 3
"""Accents beside their letters that a reading may have more than another one."""
LONE_QUALITY = 0.7
"""Minimum quality of a table that only one reader sees, to be put into another reading's page."""


@dataclass(frozen=True, kw_only=True)
class PageConsensus:
    """What the readings of a page agree on.

    Attributes:
        readings: of the page, in the order of the readers; None where a reader did not read it.
    """

    readings: Sequence[PageReading | None]

    @cached_property
    def present(self) -> list[int]:
        """The readers that read the page."""
        return [index for index, one in enumerate(self.readings) if one is not None]

    def texts(self, readers: Sequence[int]) -> list[str]:
        """The plain texts of the page by some of them."""
        return [self._at(index).page.text or "" for index in readers]

    @cached_property
    def support(self) -> dict[int, float]:
        """Reader → how far the other readings confirm its text, 0..1."""
        return mean_agreements(self._text_pairs, overlap)

    @cached_property
    def order(self) -> dict[int, float]:
        """Reader → how far the other readings confirm the order of its text, 0..1."""
        texts = {index: self._at(index).words_without(self._values) for index in self.present}
        return mean_agreements(texts, same_order)

    @cached_property
    def base(self) -> int:
        """The reader whose text the other readings confirm most; of two readers the first.

        Readers that stack the rows of a table confirm each other in their fault: their texts have its columns one after the
        other. So do readers that take two tables side by side for one: their texts have rows of both. The best reading without
        the fault is taken, if its text is confirmed nearly as much. So is one whose accents are on their letters.
        """
        best = self.present[0]
        for index in self.present[1:]:
            if self.support[index] > self.support[best] + CLEARLY and self._keeps_order(index, best):
                best = index
        for group in self.groups:
            if best in group.stacked | group.beside and self._may_replace(group.sound, best):
                return group.sound
        sound = [at for at in self.present if self._may_replace(at, best) and self.loose[at] + LOOSE < self.loose[best]]
        return max(sound, key=lambda at: (-self.loose[at], self.support[at]), default=best)

    @cached_property
    def loose(self) -> dict[int, int]:
        """Reader → how many accents stand beside their letters in its text."""
        return {index: loose_accents(self._at(index).page.text or "") for index in self.present}

    def is_close(self, reader: int) -> bool:
        """Return whether a reader's text is nearly as good as the best one's."""
        is_as_sound = self._keeps_order(reader, self.base) and self.loose[reader] <= self.loose[self.base] + LOOSE
        return is_as_sound and self._may_replace(reader, self.base) and not self._joins_words(reader, self.base)

    def _joins_words(self, reader: int, best: int) -> bool:
        """Return whether a reader has the letters of the best text in fewer words: it lost the blanks between some."""
        own, other = self._at(reader), self._at(best)
        has_letters = len(own.letters) >= SAME_TEXT * len(other.letters)
        return has_letters and own.words.total() < UNJOINED * other.words.total()

    @cached_property
    def running(self) -> Mapping[int, Sequence[Table]]:
        """Reader → its tables that are columns of running text: cells hold paragraphs, and no other reader has a table there."""
        tables = {at: self._at(at).page.tables for at in self.present} if len(self.present) >= TEXT_READERS else {}
        return {
            at: found
            for at, own in tables.items()
            if (found := running_tables(own, chain.from_iterable(tables[one] for one in tables if one != at)))
        }

    @property
    def close_without_running(self) -> Sequence[int]:
        """The readers without such tables whose texts are nearly as good as the best one's; the first that is confirmed most first."""
        close = [at for at in self.present if at not in self.running and self.is_close(at)]
        most = max((self.support[at] for at in close), default=0.0)
        return sorted(close, key=lambda at: self.support[at] < most - CLEARLY)

    def in_better_order(self, best: int) -> list[int]:
        """Return the readers whose texts are confirmed as well as one, and whose order is so far more, the best order first.

        Those that stack the rows of a table, or take two for one, confirm each other in their order too.
        """
        faulty = frozenset[int]().union(*(group.stacked | group.beside for group in self.groups))
        found = [at for at in self.present if at not in faulty and self._is_in_better_order(at, best)]
        return sorted(found, key=lambda at: -round(self.order[at], 2))

    def _is_in_better_order(self, reader: int, best: int) -> bool:
        more, further = self.support[reader] - self.support[best], self.order[reader] - self.order[best]
        return (more > -CLEARLY and further > SHUFFLED) or (
            more >= 0 and further > BETTER and self.order[best] < DOUBTFUL
        )

    def _may_replace(self, reader: int, best: int) -> bool:
        return self.support[reader] >= self.support[best] - NEARLY

    def _keeps_order(self, reader: int, best: int) -> bool:
        return self.order[reader] >= self.order[best] - SHUFFLED

    @cached_property
    def groups(self) -> list[TableGroup]:
        """The tables, by their place on the page."""
        return table_groups(self.readings)

    @property
    def has_same_text(self) -> bool:
        """Whether another reading confirms the base's text and its outline."""
        base, others = self._at(self.base), [self._at(index) for index in self.present if index != self.base]
        return any(
            overlap(base.word_pairs, other.word_pairs) >= SAME_TEXT and base.outline == other.outline
            for other in others
        )

    @property
    def has_same_tables(self) -> bool:
        """Whether each table, if there is any, has the cells that another reading confirms."""
        return len(self.present) > 1 and all(group.is_agreed for group in self.groups)

    @cached_property
    def _text_pairs(self) -> dict[int, Bag]:
        """Reader → pairs of neighbouring words without form values, so that readers that pass fields over do not outvote one."""
        values = self._values
        pages = {index: self._at(index) for index in self.present}
        return {index: one.word_pairs_without(values) if values else one.word_pairs for index, one in pages.items()}

    @cached_property
    def _values(self) -> frozenset[str]:
        return frozenset[str]().union(*(self._at(index).field_words for index in self.present))

    def _at(self, index: int) -> PageReading:
        reading = self.readings[index]
        assert reading is not None  # `present` lists those that are not None
        return reading
