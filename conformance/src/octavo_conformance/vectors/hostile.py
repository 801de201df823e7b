"""Documents that must be refused, generated from the golden vectors when the suite runs."""

from __future__ import annotations

import io
import json
import random
import re
import struct
import zipfile
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from functools import cache

from ..office_writer import zipped
from .book_bytes import EPUB_TYPE, ODT_TYPE, chapter, epub, odt, odt_table
from .feeds import ATOM_TYPE, RSS_TYPE, Entry, atom, rss
from .model import GoldenVector, HostileKind, HostileVector
from .pdf_bytes import PdfFile, PdfLine, PdfPage
from .rtf_bytes import RTF_TYPE, rtf, rtf_paragraph, rtf_table
from .sheaf_bytes import enclosed, sheaf
from .stored import FAMILIES, load_golden
from .xml_documents import XML_TYPE

PASSWORD = "open sesame"
"""Password of the encrypted vectors."""
SECRET = "Behind the lock"
"""Text of the encrypted vectors."""
BOMB_BYTES = 300_000_000
DAMAGED_COPIES = 12

_BINARY = ("pdf", "docx", "pptx", "xlsx", "sheaf", "wav")
"""Formats that are invalid when truncated; half a text file, in contrast, is a text file."""
_OOXML = ("docx", "pptx", "xlsx")
_MAIN = {
    "docx": "word/document.xml", "pptx": "ppt/slides/slide1.xml", "xlsx": "xl/worksheets/sheet1.xml", "odt": "content.xml",
    "epub": "part1.xhtml",
}  # fmt: skip
"""The part of a package with the text."""


@cache
def load_hostile(family: str) -> tuple[HostileVector, ...]:
    """Return the hostile vectors of a format, by path; none for a format without golden vectors."""
    if family in _BOOKS:
        return tuple(_made_from_book(family))
    first = next((vector for vector in load_golden() if vector.family == family), None)
    return tuple(sorted(_made_from(first), key=lambda made: made.path)) if first else ()


def hostile_of(vector: GoldenVector) -> Iterator[HostileVector]:
    """Yield the hostile vectors that can be made of any document: an empty file, and copies with a few changed bytes."""
    folder, suffix = vector.family, vector.path.rpartition(".")[2]
    yield HostileVector(path=f"{folder}/empty.{suffix}", kind="empty", media_type=vector.media_type, data=b"")
    for number, data in enumerate(_damaged(vector.data), start=1):
        path = f"{folder}/damaged-{number}.{suffix}"
        yield HostileVector(path=path, kind="damaged", media_type=vector.media_type, data=data)


def _made_from(vector: GoldenVector) -> Iterator[HostileVector]:
    family, media_type = vector.family, vector.media_type
    if family == "png":
        return  # images are not documents for the hook `convert` here
    suffix = vector.path.rpartition(".")[2]

    def made(name: str, kind: str, data: bytes, password: str | None = None) -> HostileVector:
        return HostileVector(
            path=f"{family}/{name}.{suffix}",
            kind=kind,  # type: ignore[arg-type]  # the callers below pass the literals
            media_type=media_type,
            data=data,
            password=password,
        )

    yield made("empty", "empty", b"")
    if family not in _BINARY:
        for number, data in enumerate(_garbled(vector.data), start=1):
            yield made(f"damaged-{number}", "damaged", data)
        return
    yield made("truncated", "truncated", vector.data[: len(vector.data) * 6 // 10])
    yield made("wrong-type", "wrong_type", _noise(2000))
    for number, data in enumerate(_damaged(vector.data), start=1):
        yield made(f"damaged-{number}", "damaged", data)
    if family == "pdf":
        yield made("encrypted", "encrypted", _locked_pdf(), PASSWORD)
    elif family == "sheaf":
        pages = [{"blocks": [["p", SECRET]]}]
        yield made("encrypted", "encrypted", sheaf(pages=pages, password=PASSWORD), PASSWORD)
        yield made("bomb", "bomb", sheaf(pages=pages, repeat=BOMB_BYTES))
        yield made("cut-word", "truncated", _cut_sheaf(vector.data))
        yield made("cut-end", "truncated", _cut_sheaf(vector.data, at_end=True))
    elif family in _OOXML:
        for name, data in _cut_off(vector.data, _MAIN[family]):
            yield made(name, "truncated", data)
        yield made("encrypted", "encrypted", compound_file(("EncryptionInfo", "EncryptedPackage")), PASSWORD)
        yield made("bomb", "bomb", _zip_bomb(vector.data, _MAIN[family]))


_LINES = [f"The harbour office keeps the record of ship {number} of the bay." for number in range(1, 13)]
_GRID = (("Ship", "Cargo"), ("Aurora", "Timber"), ("Borealis", "Grain"))


def _odt() -> bytes:
    return odt(odt_table(_GRID) + "".join(f"<text:p>{line}</text:p>" for line in _LINES))


def _epub() -> bytes:
    body = "".join(f"<p>{line}</p>" for line in _LINES)
    return epub([chapter("Harbour record", body), chapter("Appendix", body)], title="Harbour record")


def _rtf() -> bytes:
    return rtf([rtf_table(_GRID), *(rtf_paragraph(line) for line in _LINES)])


def _of_feed(write: Callable[[str, str, datetime, Sequence[Entry]], str]) -> bytes:
    written = datetime(2026, 1, 1, 10, tzinfo=UTC)
    entries = [
        Entry(f"Arrival {number}", [line], f"https://example.org/{number}", written)
        for number, line in enumerate(_LINES)
    ]
    return write("Harbour record", "What came in.", written, entries).encode()


def _rss() -> bytes:
    return _of_feed(rss)


def _atom() -> bytes:
    return _of_feed(atom)


def _xml() -> bytes:
    ships = "\n".join(f'<ship number="{number}">{line}</ship>' for number, line in enumerate(_LINES))
    return f"<record>\n{ships}\n</record>\n".encode()


_BOOKS = {
    "odt": (ODT_TYPE, _odt),
    "epub": (EPUB_TYPE, _epub),
    "rtf": (RTF_TYPE, _rtf),
    "atom": (ATOM_TYPE, _atom),
    "rss": (RSS_TYPE, _rss),
    "xml": (XML_TYPE, _xml),
}
"""Formats of which there is no golden vector: media type, and the function that makes an intact one."""
HOSTILE_TYPES = {media_type: family for family, (media_type, _) in _BOOKS.items()}
"""Media types with hostile vectors and without golden ones, each with its family."""
HOSTILE_FAMILIES = (*FAMILIES, *_BOOKS)
"""The families that may have hostile vectors."""


def _made_from_book(family: str) -> Iterator[HostileVector]:
    media_type, make = _BOOKS[family]
    data = make()
    broken = [("empty", b""), ("truncated", data[: len(data) * 6 // 10])]
    if family in _MAIN:
        broken += _cut_off(data, _MAIN[family])
    if family in _XML:
        broken += _cut_markup(data)
    if family in _MAIN:
        broken.append(("bomb", _zip_bomb(data, _MAIN[family])))
    for name, content in sorted(broken):
        kind: HostileKind = "empty" if name == "empty" else "bomb" if name == "bomb" else "truncated"
        yield HostileVector(path=f"{family}/{name}.{family}", kind=kind, media_type=media_type, data=content)


def _cut_off(data: bytes, main: str) -> Iterator[tuple[str, bytes]]:
    """Yield intact archives in which the part with the text ends too early: within a word, and behind an element."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        files: dict[str, bytes | str] = {name: archive.read(name) for name in archive.namelist()}
    text = files[main]
    assert isinstance(text, bytes)
    words = list(re.finditer(rb"[^<>]{4,}(?=</)", text))
    last = words[len(words) // 2]
    yield "cut-word", zipped({**files, main: text[: last.end() - 2]}, compress=True)
    yield "cut-element", zipped({**files, main: text[: text.index(b">", last.end()) + 1]}, compress=True)


_XML = ("atom", "rss", "xml")
"""Text formats in XML: they have a root element, which ends with the file."""


def _cut_markup(data: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield XML that is not well-formed: it ends within a word, behind an element, within a tag, or in front of the last one; or lacks a tag."""
    ends = list(re.finditer(rb"</[a-z]+>", data))
    middle, late = ends[len(ends) // 2], ends[-4]
    yield "cut-word", data[: middle.start() - 3]
    yield "cut-element", data[: late.end()]
    yield "cut-tag", data[: middle.end() - 2]
    yield "cut-end", data[: ends[-1].start()]
    yield "unclosed", data[: middle.start()] + data[middle.end() :]


def _cut_sheaf(data: bytes, *, at_end: bool = False) -> bytes:
    """Return a sheaf whose body ends within a page, or lacks its last sign, with the checksum of what is left."""
    body = json.loads(data)["body"]
    return enclosed(body[:-1] if at_end else body[: body.rindex('"attachments"') * 6 // 10])


def _noise(size: int) -> bytes:
    return b"\x89PNG\r\n\x1a\n" + random.Random(7).randbytes(size)


def _damaged(data: bytes) -> Iterator[bytes]:
    """Yield copies with a few changed bytes; positions and values are the same on every machine."""
    for seed in range(DAMAGED_COPIES):
        dice = random.Random(seed)
        copy = bytearray(data)
        for _ in range(1 + seed % 4):
            copy[dice.randrange(len(copy))] = dice.randrange(32, 127)
        yield bytes(copy)


def _garbled(data: bytes) -> Iterator[bytes]:
    """Yield copies of a text file with what text files in use have: bytes of no encoding, lone quotes, other delimiters."""
    half = len(data) // 2
    yield data[:half] + bytes(range(256)) + data[half:]
    yield data.replace(b",", b";")[:half] + b'"' + data[half:]
    yield data.replace(b"\n", b"\r") + b"\x00" * 64
    yield b"\xff\xfe" + data
    yield data + b"<" * 2000 + b"&#xD800;&#0;&#99999999;" + b"[" * 2000


def _locked_pdf() -> bytes:
    return PdfFile(pages=[PdfPage(lines=[PdfLine(text=SECRET)])], password=PASSWORD).to_bytes()


def _zip_bomb(data: bytes, main: str) -> bytes:
    """Return the document with the part of its text padded to `BOMB_BYTES` with white space, which compresses a thousandfold."""
    out = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(data)) as good,
        zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as bad,
    ):
        for name in good.namelist():
            if name != main:
                bad.writestr(name, good.read(name))
                continue
            head, _, tail = good.read(name).rpartition(b"</")
            with bad.open(name, "w") as part:
                part.write(head)
                for _ in range(BOMB_BYTES // 1_000_000):
                    part.write(b" " * 1_000_000)
                part.write(b"</" + tail)
    return out.getvalue()


def compound_file(streams: Sequence[str]) -> bytes:
    """Return an OLE compound file of empty streams, which looks like an encrypted Office document."""
    free, end, fat = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD
    header = bytearray(512)
    header[:8] = bytes.fromhex("D0CF11E0A1B11AE1")
    struct.pack_into("<HHHHH", header, 24, 0x3E, 3, 0xFFFE, 9, 6)
    struct.pack_into("<IIIIIIIII", header, 44, 1, 1, 0, 4096, end, 0, end, 0, 0)
    for at in range(80, 512, 4):
        struct.pack_into("<I", header, at, free)
    table = struct.pack("<II", fat, end) + struct.pack("<I", free) * 126
    entries = _entry("Root Entry", 5, child=1)
    for place, name in enumerate(streams, start=1):
        entries += _entry(name, 2, right=place + 1 if place < len(streams) else free)
    return bytes(header) + table + entries.ljust(512, b"\x00")


def _entry(name: str, kind: int, *, right: int = 0xFFFFFFFF, child: int = 0xFFFFFFFF) -> bytes:
    encoded = (name + "\x00").encode("utf-16-le")
    entry = bytearray(128)
    entry[: len(encoded)] = encoded
    struct.pack_into("<HBBIII", entry, 64, len(encoded), kind, 1, 0xFFFFFFFF, right, child)
    struct.pack_into("<IQ", entry, 116, 0xFFFFFFFE, 0)
    return bytes(entry)
