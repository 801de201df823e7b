"""Bodies of Outlook messages in rich text: decompression, and the HTML or plain text inside ([MS-OXRTFCP], [MS-OXRTFEX])."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

_COMPRESSED, _STORED = b"LZFu", b"MELA"
_DICTIONARY = (
    rb"{\rtf1\ansi\mac\deff0\deftab720{\fonttbl;}{\f0\fnil \froman \fswiss \fmodern \fscript \fdecor MS Sans SerifSymbolArial"
    b"Times New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n\\par \\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx"
)
_RING = 4096
MAX_TEXT_BYTES = 64 * 2**20
"""Most bytes of rich text that are decompressed; the rest is cut."""

_TOKEN = re.compile(
    rb"\\'([0-9a-fA-F]{2})|\\([a-zA-Z]{1,32})(-?\d{1,10})? ?|\\([^a-zA-Z])|([{}])|([^\\{}\r\n]+)|[\r\n]+"
)
_SKIPPED = frozenset(
    b"fonttbl colortbl stylesheet info pict object listtable listoverridetable generator themedata xmlnstbl header footer "
    b"headerl headerr footerl footerr ftnsep ftnsepc fldinst rsidtbl datastore latentstyles mmathPr bkmkstart bkmkend pntext".split()
)
_WORDS = {
    b"par": "\n", b"line": "\n", b"sect": "\n", b"page": "\n", b"row": "\n", b"tab": "\t", b"cell": "\t", b"nestcell": "\t",
    b"lquote": "‘", b"rquote": "’", b"ldblquote": "“", b"rdblquote": "”", b"bullet": "•", b"endash": "–", b"emdash": "—",
    b"emspace": "\u2003", b"enspace": "\u2002", b"zwj": "\u200d", b"zwnj": "\u200c",
}  # fmt: skip
_SYMBOLS = {b"~": "\u00a0", b"_": "\u2011", b"\\": "\\", b"{": "{", b"}": "}", b"\n": "\n", b"\r": "\n"}
_CHARSETS = {0: 1252, 128: 932, 129: 949, 134: 936, 136: 950, 161: 1253, 162: 1254, 177: 1255, 178: 1256, 186: 1257, 204: 1251, 222: 874, 238: 1250}  # fmt: skip
_FONT = re.compile(rb"\\f(\d{1,5})\b[^{};\\]*(?:\\(?!f\d|fcharset)[a-z]+-?\d* ?)*\\fcharset(\d{1,3})")


class RichText(NamedTuple):
    """A body taken out of rich text.

    Attributes:
        kind: what it is; `plain` is also what rich text without a body of another kind is reduced to.
        text: the body.
    """

    kind: Literal["html", "plain"]
    text: str


def decompress(data: bytes) -> bytes:
    """Return the rich text of a compressed body.

    Raises:
        ValueError: the header names no known form.
    """
    raw_size = int.from_bytes(data[4:8], "little")
    form = data[8:12]
    if form == _STORED:
        return data[16 : 16 + raw_size]
    if form != _COMPRESSED:
        raise ValueError(f"rich text of the form {form!r}")
    ring = bytearray(_DICTIONARY.ljust(_RING, b"\x00"))
    write, place = len(_DICTIONARY), 16
    output = bytearray()
    limit = min(raw_size, MAX_TEXT_BYTES)
    while place < len(data) and len(output) < limit:
        control = data[place]
        place += 1
        for bit in range(8):
            if not control & (1 << bit):
                if place >= len(data):
                    return bytes(output)
                run = data[place : place + 1]
                place += 1
            else:
                token = int.from_bytes(data[place : place + 2], "big")
                place += 2
                offset, length = token >> 4, (token & 0xF) + 2
                if offset == write or place > len(data):
                    return bytes(output[:limit])
                # A reference may reach into what it writes itself, so it is copied byte by byte.
                for step in range(length):
                    byte = ring[(offset + step) % _RING]
                    ring[write] = byte
                    write = (write + 1) % _RING
                    output.append(byte)
                continue
            ring[write : write + 1] = run
            write = (write + 1) % _RING
            output += run
    return bytes(output[:limit])


def read_rich_text(rtf: bytes) -> RichText:
    """Return the HTML or plain text that rich text was made of, else its own text.

    Args:
        rtf: rich text, decompressed.
    """
    head = rtf[:4096]
    if b"\\fromhtml" in head:
        return RichText("html", _Reader(rtf, wants_html=True).read())
    return RichText("plain", _Reader(rtf, wants_html=False).read().strip())


class _Reader:
    """One walk over the tokens; groups are a stack, so that nothing recurses."""

    def __init__(self, rtf: bytes, *, wants_html: bool) -> None:
        self._rtf = rtf
        self._wants_html = wants_html
        page = re.search(rb"\\ansicpg(\d{1,5})", rtf[:4096])
        self._page = int(page[1]) if page else 1252
        self._fonts = {int(font): _CHARSETS.get(int(charset), self._page) for font, charset in _FONT.findall(rtf)}
        self._pieces: list[str] = []
        self._bytes = bytearray()
        self._skips = [False]
        """Of each open group, whether its text is not part of the body."""
        self._encodings = [self._page]
        self._fallback = [1]
        """Of each open group, how many characters follow a `\\u` for programs that do not know it."""
        self._muted = False
        """Inside `\\htmlrtf`: the text repeats the HTML for programs that read rich text only."""
        self._ignored = 0
        self._opened = False

    def read(self) -> str:
        for match in _TOKEN.finditer(self._rtf):
            octet, word, number, symbol, brace, text = match.groups()
            if brace:
                self._brace(brace)
            elif word:
                self._word(word, None if number is None else int(number))
            elif symbol:
                self._symbol(symbol)
            elif octet:
                self._raw(bytes.fromhex(octet.decode("ascii")))
            elif text:
                self._raw(text)
        self._flush()
        # Characters beyond the first plane are written as two units.
        return "".join(self._pieces).encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")

    def _brace(self, brace: bytes) -> None:
        self._flush()
        if brace == b"{":
            self._skips.append(self._skips[-1])
            self._encodings.append(self._encodings[-1])
            self._fallback.append(self._fallback[-1])
            self._opened = True
        elif len(self._skips) > 1:
            self._skips.pop()
            self._encodings.pop()
            self._fallback.pop()
            self._opened = False
        self._ignored = 0

    def _symbol(self, symbol: bytes) -> None:
        if symbol == b"*":
            # A destination that readers may not know: of these only the HTML tags are part of the body.
            self._skips[-1] = True
            return
        self._opened = False
        if symbol in _SYMBOLS:
            self._put(_SYMBOLS[symbol])

    def _word(self, word: bytes, number: int | None) -> None:
        opened, self._opened = self._opened, False
        if word == b"htmltag":
            self._flush()
            self._skips[-1] = not self._wants_html
        elif word == b"mhtmltag" or (opened and word in _SKIPPED):
            self._flush()
            self._skips[-1] = True
        elif word == b"htmlrtf":
            self._flush()
            self._muted = self._wants_html and number != 0
        elif word == b"f" and number is not None:
            self._flush()
            self._encodings[-1] = self._fonts.get(number, self._page)
        elif word == b"uc":
            self._fallback[-1] = number or 0
        elif word == b"u" and number is not None:
            self._flush()
            self._put_unit(number & 0xFFFF)
            self._ignored = self._fallback[-1]
        elif word in _WORDS:
            # In HTML the breaks of the source stand in the tags; these are for programs that read rich text only.
            self._put(_WORDS[word])

    def _raw(self, data: bytes) -> None:
        self._opened = False
        if self._ignored:
            cut = min(self._ignored, len(data))
            self._ignored -= cut
            data = data[cut:]
        if data and not self._silent():
            self._bytes += data

    def _put(self, text: str) -> None:
        self._flush()
        if self._ignored:
            self._ignored -= 1
        elif not self._silent():
            self._pieces.append(text)

    def _put_unit(self, unit: int) -> None:
        if not self._silent():
            self._pieces.append(chr(unit))

    def _silent(self) -> bool:
        return self._skips[-1] or self._muted

    def _flush(self) -> None:
        if self._bytes:
            try:
                self._pieces.append(self._bytes.decode(f"cp{self._encodings[-1]}", errors="replace"))
            except LookupError:
                self._pieces.append(self._bytes.decode("cp1252", errors="replace"))
            self._bytes.clear()
