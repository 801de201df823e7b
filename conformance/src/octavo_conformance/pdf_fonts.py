"""Writes fonts for PDF files with characters of any script, set horizontally or vertically.

font = WideFont("港の潮位", font_file=data, direction="V")
page = PdfPage(font.show("港の潮位", 500, 700), resources="/Font << /F1 3 0 R /F2 4 0 R >>")
data = PdfFile([page]).to_bytes(reserved=font.objects())
"""

from __future__ import annotations

from typing import Final, Literal

FIRST_GLYPH: Final = 40
"""Glyphs of a font file from this one on have ink; which letters they show is of no matter to a reader of text."""


class WideFont:
    """A font whose objects are 4 to 8 of a file, with 4 as the font: those that `to_bytes` reserves.

    Args:
        text: the characters that it has.
        font_file: a TrueType font with a glyph for each of them after `FIRST_GLYPH`.
        direction: of its lines: H, horizontal, or V, vertical.
    """

    def __init__(self, text: str, *, font_file: bytes, direction: Literal["H", "V"]) -> None:
        self._codes = {char: f"{FIRST_GLYPH + at:04x}" for at, char in enumerate(sorted(set(text)))}
        self._font_file = font_file
        self._direction = direction

    def show(self, text: str, x: float, y: float, *, size: float = 12) -> bytes:
        """Return the operators that show one line by the font `/F2`.

        Args:
            text: the line.
            x: position of the first character, in points from the left edge of the page.
            y: position of the baseline, or of the upper end of a vertical line, in points from the lower edge.
            size: font size, in points.
        """
        codes = "".join(self._codes[char] for char in text)
        return f"BT /F2 {size} Tf 1 0 0 1 {x} {y} Tm <{codes}> Tj ET\n".encode()

    def objects(self) -> tuple[bytes, ...]:
        """Return its objects, the first of them as object 4."""
        font = (
            f"<< /Type /Font /Subtype /Type0 /BaseFont /AAAAAA+Mincho /Encoding /Identity-{self._direction}"
            " /DescendantFonts [5 0 R] /ToUnicode 7 0 R >>"
        )
        descendant = (
            "<< /Type /Font /Subtype /CIDFontType2 /BaseFont /AAAAAA+Mincho /DW 1000 /CIDToGIDMap /Identity"
            " /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /FontDescriptor 6 0 R >>"
        )
        descriptor = (
            "<< /Type /FontDescriptor /FontName /AAAAAA+Mincho /Flags 4 /FontBBox [0 -136 1000 864] /Ascent 864"
            " /Descent -136 /CapHeight 737 /StemV 58 /ItalicAngle 0 /FontFile2 8 0 R >>"
        )
        pairs = "".join(f"<{code}> <{ord(char):04x}>\n" for char, code in self._codes.items())
        unicode_map = (
            "/CIDInit /ProcSet findresource begin begincmap\n1 begincodespacerange <0000> <ffff> endcodespacerange\n"
            f"{len(self._codes)} beginbfchar\n{pairs}endbfchar endcmap end"
        )
        dictionaries = map(str.encode, (font, descendant, descriptor))
        return (*dictionaries, _stream(unicode_map.encode()), _stream(self._font_file))


def _stream(data: bytes) -> bytes:
    return b"<< /Length %d >>\nstream\n%s\nendstream" % (len(data), data)


SIGN_FONT = (
    b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding /ToUnicode 5 0 R >>",
    _stream(
        b"/CMapName /Signs def /CMapType 2 def 1 begincodespacerange <00> <ff> endcodespacerange "
        b"1 beginbfchar <99> <0099> endbfchar"
    ),
)
"""Reserved objects 4 and 5: a font whose trade mark has the meaning of a control character, as signs without a Unicode value have."""
