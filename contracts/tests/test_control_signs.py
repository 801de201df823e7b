"""Signs of symbol fonts, which a PDF gives as control characters."""

from __future__ import annotations

import pytest
from octavo_contracts.authoring.control_signs import with_bullets, without_control_signs


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("\x99 Boats", "\u2022 Boats"),
        ("  \x0f\tBoats", "  \u2022\tBoats"),
        ("\x99Boats", "\x99Boats"),
        ("Boats \x99 nets", "Boats \x99 nets"),
        ("\x99 \x99", "\x99 \x99"),
        ("Boats\n\x99 nets", "Boats\n\u2022 nets"),
        ("\x99", "\x99"),
    ],
)
def test_a_control_character_before_the_text_of_a_line_is_a_bullet(line: str, shown: str) -> None:
    assert with_bullets(line) == shown


def test_control_characters_are_left_out_and_line_ends_stay() -> None:
    assert without_control_signs("a\x00b\x1fc\x7fd\x9fe\tf\r\ng\fh") == "abcde\tf\r\ng\fh"
