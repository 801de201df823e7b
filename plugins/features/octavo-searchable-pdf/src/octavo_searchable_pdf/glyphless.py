"""Fonts with invisible glyphs: every character is half as wide as it is tall, in any script.

They are Type 3 fonts: they need no font file, hold up to 255 arbitrary characters each, map them with `ToUnicode`, and
allow arbitrary boxes. The text matrix stretches words to their width.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

ADVANCE = 0.5
"""Width of every character, for a height of 1."""
CODES = 255
"""Characters per font; code 0 is not used."""

GLYPH = b"500 0 0 0 500 1000 d1"
"""The one glyph: an advance, a box, and nothing painted."""


class GlyphlessFonts:
    """Assigns a font and a code to each character, in order of first use."""

    def __init__(self) -> None:
        self._codes: dict[str, tuple[int, int]] = {}

    @property
    def count(self) -> int:
        """Number of fonts in use."""
        return -(-len(self._codes) // CODES)

    def encode(self, text: str) -> Iterator[tuple[int, bytes]]:
        """Encode a text as runs of (font, codes)."""
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
        """Return the characters of a font, by code from 1."""
        return [char for char, (owner, _) in self._codes.items() if owner == font]


def to_unicode(characters: Iterable[str]) -> bytes:
    """Return the CMap from codes to characters (ISO 32000-2, 9.10.3)."""
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
