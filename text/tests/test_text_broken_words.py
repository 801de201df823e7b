"""Recognised text has words whole that a line end broke."""

from __future__ import annotations

import pytest
from octavo_text.broken_words import whole_words


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("The infor-\nmation is late.", "The information\nis late."),
        ("The infor-\nmation\nis late.", "The information\nis late."),
        ("The infor-\nmation, is late.", "The information,\nis late."),
        ("The Infor\u00ad\nmation", "The Information"),
        ("a state-of-the-\nart lamp", "a state-of-the-art\nlamp"),
        ("fourth quarter, the fourth-\nquarter tide", "fourth quarter, the fourth-quarter\ntide"),
        ("from 2020-\n2021 on", "from 2020-\n2021 on"),
        ("the Anglo-\nSaxon boat", "the Anglo-\nSaxon boat"),
        ("Rope 2.07-\nSUBTOTAL 38.37", "Rope 2.07-\nSUBTOTAL 38.37"),
        ("Rope 2.07-\nsum 38.37", "Rope 2.07-\nsum 38.37"),
        ("SAVINGS-\nTOTAL 38.37", "SAVINGS-\nTOTAL 38.37"),
        ("a lamp-\n2 ropes", "a lamp-\n2 ropes"),
        ("a lamp -\nand a rope", "a lamp -\nand a rope"),
        ("The infor-\n\nmation is late.", "The information\n\nis late."),
        ("a list of boats-\n\nThe next one", "a list of boats-\n\nThe next one"),
        ("- item\n- other", "- item\n- other"),
    ],
)
def test_broken_words_are_whole(text: str, whole: str) -> None:
    assert whole_words([text]) == [whole]


def test_other_pages_say_which_hyphens_belong_to_a_word() -> None:
    assert whole_words(["a re-\nentry", "the re-entry of boats"]) == ["a re-entry", "the re-entry of boats"]
    assert whole_words(["a re-\nentry", "no other"]) == ["a reentry", "no other"]
    assert whole_words([]) == []
