"""Writes small PDF files with the standard fonts, and one font without outlines that maps codes to Unicode."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

_PADDING = bytes.fromhex("28BF4E5E4E758A4164004E56FFFA01082E2E00B6D0683E802F0CA9FE6453697A")


_LABELS = b" /PageLabels << /Nums [0 << /S /r >> %d << /S /D /St %d >>] >>"
"""Labels of pages: small Roman numerals, and from a page on numbers."""


@dataclass(frozen=True, kw_only=True)
class PdfLine:
    """A line of text.

    Attributes:
        text: its text.
        size: font size in points.
        invisible: text render mode 3.
        unicode: written with the font that maps codes to Unicode.
        codes: codes of glyphs of a font that maps none to Unicode, instead of a text.
    """

    text: str = ""
    codes: Sequence[int] = ()
    size: int = 12
    invisible: bool = False
    unicode: bool = False


@dataclass(frozen=True, kw_only=True)
class PdfPage:
    """A page; its lines start at the top.

    Attributes:
        lines: its lines.
        size: width and height in points, before rotation.
        foot: a line at the lower edge of the page.
        rotate: degrees clockwise for display, 0, 90, 180 or 270; the lines are written so that they are upright on the displayed page.
        margins: points by which the crop box is smaller than the media box, at the left and at the lower edge; the page that
            is displayed, and its size, are those of the crop box.
        beyond: the same at the right and at the upper edge; None: as at the left and at the lower edge.
        origin: the left and the lower edge of the media box, in points from the origin of the page's coordinates.
        indent: distance of its lines from the left edge of the displayed page, in points.
        filters: filters of its content, such as "/Filter /LZWDecode", instead of none.
        leading: distance of two baselines, in sizes of the font of the upper one; below 1.5 the lines are one paragraph.
        table: cells of a table with rules, below the lines, as wide as the page between its indents; of an upright page.
    """

    lines: Sequence[PdfLine] = ()
    size: tuple[int, int] = (595, 842)
    rotate: int = 0
    foot: PdfLine | None = None
    margins: tuple[int, int] = (0, 0)
    beyond: tuple[int, int] | None = None
    origin: tuple[int, int] = (0, 0)
    indent: int = 72
    leading: float = 2
    filters: str = ""
    table: Sequence[Sequence[str]] = ()


@dataclass(kw_only=True)
class PdfFile:
    """A PDF file.

    Attributes:
        pages: its pages.
        title: of the document information.
        author: of the document information.
        password: encrypts strings and streams (40-bit RC4, PDF 1.4, 3.5); '': the file opens without a password all the same.
        owner: password that gives all rights; None: the same.
        padding: bytes of an object that nothing refers to.
        program: of the document information: what wrote it.
        created: of the document information, with its zone; None: the file does not say when it was written.
        language: of the catalogue, BCP 47; '' for none.
        roman: number of pages labelled with small Roman numerals; 0: no page has a label.
        first: label of the page behind these.
        revised: place of a page, from 0 → the page as it was before; the file then ends with an update that replaces it, as editors
            write it.
    """

    pages: Sequence[PdfPage]
    title: str = ""
    author: str = ""
    password: str | None = None
    owner: str | None = None
    padding: bytes = b""
    program: str = ""
    created: datetime | None = None
    language: str = ""
    roman: int = 0
    first: int = 1
    revised: Mapping[int, PdfPage] = field(default_factory=dict)
    _objects: list[bytes] = field(default_factory=list, init=False)

    def to_bytes(self) -> bytes:
        """Return the file; equal content gives equal bytes."""
        self._objects = []
        key = _Rc4Key.of(self.password, owner=self.owner or self.password) if self.password is not None else None
        letters = sorted({c for page in self.pages for line in _all_lines(page) if line.unicode for c in line.text})
        codes = {letter: number for number, letter in enumerate(letters, start=1)}
        kids = " ".join(f"{6 + 2 * index} 0 R" for index in range(len(self.pages)))
        program = _string(self.program, key, 5)
        info = b"<< /Title %s /Author %s%s%s >>" % (
            _string(self.title, key, 5),
            _string(self.author, key, 5),
            b" /Creator %s /Producer %s" % (program, program) if self.program else b"",
            b" /CreationDate %s" % _string(_pdf_date(self.created), key, 5) if self.created else b"",
        )
        self._objects += [
            b"<< /Type /Catalog /Pages 2 0 R%s%s >>"
            % (
                _LABELS % (self.roman, self.first) if self.roman else b"",
                b" /Lang %s" % _string(self.language, key, 1) if self.language else b"",
            ),
            f"<< /Type /Pages /Kids [{kids}] /Count {len(self.pages)} >>".encode(),
            b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
            b"<< /Type /Font /Subtype /Type0 /BaseFont /Outlineless /Encoding /Identity-H "
            b"/DescendantFonts [%d 0 R] /ToUnicode %d 0 R >>" % (self._after(1), self._after(3)),
            info,
        ]
        for index, page in enumerate(self.pages):
            self._objects += _page_objects(self.revised.get(index, page), 6 + 2 * index, codes, key)
        self._objects += [
            b"<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Outlineless /DW 1000 /CIDToGIDMap /Identity "
            b"/CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /FontDescriptor %d 0 R >>"
            % self._after(2),
            b"<< /Type /FontDescriptor /FontName /Outlineless /Flags 4 /FontBBox [0 -200 1000 900] /ItalicAngle 0 "
            b"/Ascent 900 /Descent -200 /CapHeight 700 /StemV 80 >>",
            _stream(_to_unicode(codes), key, self._after(3)),
        ]
        if self.padding:
            self._objects.append(_stream(self.padding, key, self._after(4)))
        if any(line.codes for page in self.pages for line in _all_lines(page)):
            self._objects[3] = self._objects[3].replace(b" /ToUnicode %d 0 R" % self._after(3), b"")
        data = self._written(key)
        for index in sorted(self.revised):
            number = 6 + 2 * index
            data = _updated(data, number, _page_objects(self.pages[index], number, codes, key))
        return data

    def _after(self, place: int) -> int:
        return 5 + 2 * len(self.pages) + place

    def _written(self, key: _Rc4Key | None) -> bytes:
        objects = list(self._objects)
        trailer = f"/Size {len(objects) + 1 + (key is not None)} /Root 1 0 R /Info 5 0 R"
        if key is not None:
            objects.append(key.dictionary())
            trailer += f" /Encrypt {len(objects)} 0 R /ID [<{key.file_id.hex()}> <{key.file_id.hex()}>]"
        out = bytearray(b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
        places = _append(out, objects, first=1)
        start = len(out)
        out += b"xref\n0 %d\n0000000000 65535 f \n%s" % (len(objects) + 1, places)
        return bytes(out + f"trailer\n<< {trailer} >>\nstartxref\n{start}\n%%EOF\n".encode())


def _page_objects(page: PdfPage, number: int, codes: dict[str, int], key: _Rc4Key | None) -> list[bytes]:
    """Return the objects of a page, the first of which has this number: the page and its content."""
    width, height = page.size
    (start, base), (left, bottom), (right, top) = page.origin, _corner(page), page.beyond or page.margins
    box = f"[{left} {bottom} {left + width} {bottom + height}]"
    media = (
        f"[{start} {base} {left + width + right} {bottom + height + top}] /CropBox {box}" if any(page.margins) else box
    )
    described = (
        f"<< /Type /Page /Parent 2 0 R /MediaBox {media} /Rotate {page.rotate} "
        f"/Resources << /Font << /F1 3 0 R /F2 4 0 R >> >> /Contents {number + 1} 0 R >>"
    )
    return [described.encode(), _stream(_content(page, codes), key, number + 1, entries=page.filters)]


def _corner(page: PdfPage) -> tuple[int, int]:
    """Return the left and the lower edge of the displayed page in the page's coordinates."""
    return page.origin[0] + page.margins[0], page.origin[1] + page.margins[1]


def _pdf_date(when: datetime) -> str:
    zone = f"{when:%z}"
    return f"D:{when:%Y%m%d%H%M%S}{zone[:3]}'{zone[3:]}'"


def _updated(data: bytes, number: int, objects: Sequence[bytes]) -> bytes:
    """Return a file with an incremental update behind it (ISO 32000-1, 7.5.6): objects that replace those of their numbers."""
    before = int(data.rpartition(b"startxref")[2].split()[0])
    size = int(data.rpartition(b"/Size ")[2].split()[0])
    out = bytearray(data)
    places = _append(out, objects, first=number)
    start = len(out)
    out += b"xref\n%d %d\n%s" % (number, len(objects), places)
    trailer = b"trailer\n<< /Size %d /Root 1 0 R /Info 5 0 R /Prev %d >>\nstartxref\n%d\n%%%%EOF\n"
    return bytes(out + trailer % (size, before, start))


def with_page(data: bytes, place: int, page: PdfPage) -> bytes:
    """Return a file with an update behind it that replaces a page, counted from 0, by one of ASCII letters."""
    number = 6 + 2 * place
    return _updated(data, number, _page_objects(page, number, {}, None))


def with_properties(data: bytes, *, title: str, author: str) -> bytes:
    """Return a file with an update behind it that replaces the title and the author."""
    return _updated(data, 5, [b"<< /Title %s /Author %s >>" % (_string(title, None, 5), _string(author, None, 5))])


def _append(out: bytearray, objects: Sequence[bytes], *, first: int) -> bytes:
    """Append objects to a file, numbered from `first`, and return their entries for its cross-reference table."""
    entries = []
    for number, body in enumerate(objects, start=first):
        entries.append(b"%010d 00000 n \n" % len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    return b"".join(entries)


def _all_lines(page: PdfPage) -> tuple[PdfLine, ...]:
    return (*page.lines, *((page.foot,) if page.foot else ()))


def baselines(page: PdfPage) -> tuple[tuple[float, str], ...]:
    """Return the lines of a page as it is displayed: distance of the baseline from the top, and text."""
    down, found = 72.0, []
    for line in page.lines:
        found.append((down, line.text))
        down += line.size * page.leading
    return tuple(found)


def _content(page: PdfPage, codes: dict[str, int]) -> bytes:
    out = bytearray()
    width, height = page.size
    left, bottom = _corner(page)
    down: float = 72
    for line in _all_lines(page):
        if line is page.foot:
            down = page.size[1] - 40
        font = "F2" if line.unicode or line.codes else "F1"
        if line.codes:
            shown = b"<" + b"".join(b"%04X" % code for code in line.codes) + b">"
        elif line.unicode:
            shown = b"<" + b"".join(b"%04X" % codes[letter] for letter in line.text) + b">"
        else:
            shown = _literal(line.text.encode("cp1252"))
        mode = 3 if line.invisible else 0
        place = {
            0: f"{left + page.indent} {bottom + height - down} Td",
            90: f"0 1 -1 0 {left + down} {bottom + page.indent} Tm",
            180: f"-1 0 0 -1 {left + width - page.indent} {bottom + down} Tm",
            270: f"0 -1 1 0 {left + width - down} {bottom + height - page.indent} Tm",
        }[page.rotate]
        out += f"BT /{font} {line.size} Tf {mode} Tr {place} ".encode() + shown + b" Tj ET\n"
        down += line.size * page.leading
    return bytes(out) + _ruled(page, height - down)


_ROW, _CELL_SIZE, _INSET = 18, 9, 4
"""Height of a row, size of the letters of a cell, and their distance from its left edge, in points."""


def _ruled(page: PdfPage, top: float) -> bytes:
    """Return the table of a page with its rules; `top`: its upper edge, in points from the lower edge of the displayed page."""
    if not page.table:
        return b""
    rows, columns = len(page.table), len(page.table[0])
    step = (page.size[0] - 2 * page.indent) / columns
    start, base = _corner(page)
    top += base
    left, right, bottom = start + page.indent, start + page.size[0] - page.indent, top - rows * _ROW
    drawn = [f"{left} {top - row * _ROW:g} m {right} {top - row * _ROW:g} l S" for row in range(rows + 1)]
    drawn += [
        f"{left + column * step:g} {top:g} m {left + column * step:g} {bottom:g} l S" for column in range(columns + 1)
    ]
    out = "\n".join(drawn).encode() + b"\n"
    for row, cells in enumerate(page.table):
        for column, cell in enumerate(cells):
            place = f"{left + column * step + _INSET:g} {top - (row + 1) * _ROW + 5:g} Td"
            if cell:
                out += f"BT /F1 {_CELL_SIZE} Tf 0 Tr {place} ".encode() + _literal(cell.encode("cp1252")) + b" Tj ET\n"
    return out


def _to_unicode(codes: dict[str, int]) -> bytes:
    rows = [f"<{code:04X}> <{letter.encode('utf-16-be').hex().upper()}>" for letter, code in codes.items()]
    blocks = "\n".join(
        f"{len(rows[at : at + 100])} beginbfchar\n" + "\n".join(rows[at : at + 100]) + "\nendbfchar"
        for at in range(0, len(rows), 100)
    )
    return (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap\n"
        "/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def\n"
        "/CMapName /Adobe-Identity-UCS def /CMapType 2 def\n"
        f"1 begincodespacerange <0000> <FFFF> endcodespacerange\n{blocks}\n"
        "endcmap CMapName currentdict /CMap defineresource pop end end"
    ).encode("ascii")


def _stream(data: bytes, key: _Rc4Key | None, number: int, *, entries: str = "") -> bytes:
    data = key.apply(data, number) if key else data
    return b"<< /Length %d %s>>\nstream\n%s\nendstream" % (len(data), entries.encode(), data)


def _string(text: str, key: _Rc4Key | None, number: int) -> bytes:
    data = text.encode("cp1252")
    return _literal(key.apply(data, number) if key else data)


def _literal(data: bytes) -> bytes:
    for sign in (b"\\", b"(", b")"):
        data = data.replace(sign, b"\\" + sign)
    return b"(" + data.replace(b"\r", b"\\r").replace(b"\n", b"\\n") + b")"


@dataclass(frozen=True, kw_only=True)
class _Rc4Key:
    """The standard security handler, revision 2."""

    key: bytes
    owner: bytes
    user: bytes
    file_id: bytes = b"octavo-conforming"[:16]

    @classmethod
    def of(cls, password: str, *, owner: str) -> _Rc4Key:
        padded, owners = ((text.encode("latin-1") + _PADDING)[:32] for text in (password, owner))
        owned = _rc4(hashlib.md5(owners, usedforsecurity=False).digest()[:5], padded)
        seed = padded + owned + (-4 & 0xFFFFFFFF).to_bytes(4, "little") + cls.file_id
        key = hashlib.md5(seed, usedforsecurity=False).digest()[:5]
        return cls(key=key, owner=owned, user=_rc4(key, _PADDING))

    def apply(self, data: bytes, number: int) -> bytes:
        seed = self.key + number.to_bytes(3, "little") + b"\x00\x00"
        return _rc4(hashlib.md5(seed, usedforsecurity=False).digest()[:10], data)

    def dictionary(self) -> bytes:
        return (f"<< /Filter /Standard /V 1 /R 2 /P -4 /O <{self.owner.hex()}> /U <{self.user.hex()}> >>").encode()


def _rc4(key: bytes, data: bytes) -> bytes:
    state = list(range(256))
    j = 0
    for i in range(256):
        j = (j + state[i] + key[i % len(key)]) % 256
        state[i], state[j] = state[j], state[i]
    out = bytearray()
    i = j = 0
    for byte in data:
        i = (i + 1) % 256
        j = (j + state[i]) % 256
        state[i], state[j] = state[j], state[i]
        out.append(byte ^ state[(state[i] + state[j]) % 256])
    return bytes(out)
