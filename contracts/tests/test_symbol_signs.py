"""Signs of symbol fonts, which a PDF gives as codes of the fonts."""

from __future__ import annotations

import pytest
from octavo_contracts.authoring.control_signs import without_control_signs
from octavo_contracts.authoring.symbol_signs import with_symbol_signs


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Growth company \uf0a8", "Growth company \u2610"),
        ("\uf0fe yes\n\uf0fd no\n\uf0fc done", "\u2611 yes\n\u2612 no\n\u2713 done"),
        ("\uf0b7 Boats\n\uf0a7 Nets\n\uf0d8 Lamps", "\u2022 Boats\n\u25aa Nets\n\u27a2 Lamps"),
        ("Port \uf0e0 Brekka", "Port \u2192 Brekka"),
        ("| \xa8 | Written |", "| \u2610 | Written |"),
        ("\xa8", "\u2610"),
    ],
)
def test_signs_of_symbol_fonts_have_their_unicode_values(text: str, shown: str) -> None:
    assert with_symbol_signs(text) == shown
    assert without_control_signs(f"{text}\x00") == shown


@pytest.mark.parametrize("text", ["na\xefve", "u\xa8 \xa8u", "\uf0e6x\uf0f6\uf0fc", "\uf06c is a letter", "\ue0a8"])
def test_what_may_be_another_sign_stays(text: str) -> None:
    assert with_symbol_signs(text) == text
