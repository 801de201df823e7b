"""A text that lost the blanks between some words does not take the place of one that has them (CNV-2)."""

from __future__ import annotations

import pytest
from octavo.conversion.consensus.page_consensus import PageConsensus
from octavo.conversion.consensus.readings import PageReading
from octavo_contracts import Page

TEXT = "The keeper read the gauge at dawn and wrote the figure down in the book of the harbour. " * 6


def reading(text):
    return PageReading(Page(number=1, markdown=text, text=text))


@pytest.mark.parametrize(
    ("text", "is_close"),
    [
        (TEXT.replace("keeper read the gauge", "keeperreadthegauge", 2), False),
        (TEXT.replace("keeper", "kee per", 2), True),
        (TEXT.replace("keeper read", "warden saw", 2), True),
    ],
    ids=["joined words", "divided words", "other words"],
)
def test_joined_words_are_worse_than_other_words(text, is_close):
    consensus = PageConsensus(readings=[reading(TEXT), reading(TEXT), reading(text)])
    assert consensus.support[2] > consensus.support[0] - 0.1
    assert consensus.is_close(2) is is_close
