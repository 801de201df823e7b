"""Fonts whose glyphs draw nothing: every character half as wide as it is tall, whatever the script.

Type 3 fonts, written here: they need no font file, hold any 255 characters each, say by `ToUnicode` what each of them is,
and their boxes are what we say. Words are stretched to their width by the text matrix.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

ADVANCE = 0.5
"""Width of every character, for a height of 1."""
CODES = 255
"""Characters a font; code 0 is not used."""

GLYPH = b"500 0 0 0 500 1000 d1"
"""The one glyph: an advance, a box, and nothing painted."""


class GlyphlessFonts:
    """Gives each character a font and a code, in the order in which they come."""

    def __init__(self) -> None:
        self._codes: dict[str, tuple[int, int]] = {}

    @property
    def count(self) -> int:
        """Fonts in use."""
        return -(-len(self._codes) // CODES)

    def encode(self, text: str) -> Iterator[tuple[int, bytes]]:
        """A text as runs of (font, codes)."""
        run: list[int] = []
        current = -1
        for char in text:
            font, code = self._codes.setdefault(char, (len(self._codes) // CODES, len(self._codes) % CODES + 1))
            if font != current and run:
                yield current, bytes(run)
                run = []
            current = font
            run.append(code)
        if run:
            yield current, bytes(run)

    def characters(self, font: int) -> list[str]:
        """The characters of a font, by their codes from 1."""
        return [char for char, (owner, _) in self._codes.items() if owner == font]


def to_unicode(characters: Iterable[str]) -> bytes:
    """The CMap that says which character each code is (ISO 32000-2, 9.10.3)."""
    pairs = [
        f"<{code:02X}> <{char.encode('utf-16-be').hex().upper()}>" for code, char in enumerate(characters, start=1)
    ]
    blocks = [pairs[start : start + 100] for start in range(0, len(pairs), 100)]
    body = "\n".join(f"{len(block)} beginbfchar\n" + "\n".join(block) + "\nendbfchar" for block in blocks)
    return (
        "/CIDInit /ProcSet findresource begin\n12 dict begin\nbegincmap\n"
        "/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def\n"
        "/CMapName /Adobe-Identity-UCS def\n/CMapType 2 def\n"
        "1 begincodespacerange\n<00> <FF>\nendcodespacerange\n"
        f"{body}\nendcmap\nCMapName currentdict /CMap defineresource pop\nend\nend\n"
    ).encode("ascii")
