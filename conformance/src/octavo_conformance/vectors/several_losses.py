"""Fresh documents of which several pages lose something of one kind, or of two: a warning about the first says nothing of the others."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from .correspondents import MBOX_TYPE
from .model import GoldenVector
from .ods_bytes import ODS_TYPE, ods
from .office_bytes import pptx, xlsx
from .once import generated_once
from .package_changes import changed
from .sheaf_bytes import SHEAF, sheaf
from .truths import OFFICE
from .words import Words

_BOOK, _DECK = f"{OFFICE}.spreadsheetml.sheet", f"{OFFICE}.presentationml.presentation"


@dataclass(frozen=True, kw_only=True)
class LossyDocument:
    """A document with pages that a converter may have to say something of.

    Attributes:
        vector: the document.
        pages: for each kind of loss the numbers of its pages, from 1; no page has two.
    """

    vector: GoldenVector
    pages: Mapping[str, frozenset[int]]


Write = Callable[[Sequence[str], frozenset[int], frozenset[int]], bytes]
"""Writes a document of a line on each page; the numbers of the pages of the first and of the second kind of loss."""


def _names(lines: Sequence[str]) -> list[str]:
    return [line.split()[0] for line in lines]


def _ods(lines: Sequence[str], unvalued: frozenset[int], hidden: frozenset[int]) -> bytes:
    sheets = {}
    for number, (name, line) in enumerate(zip(_names(lines), lines, strict=True), start=1):
        sheets[name] = {(1, 1): line, (2, 1): f'of:=[.A1]&"{number}"' if number in unvalued else line}
    return ods(sheets, hidden=[name for at, name in enumerate(sheets, start=1) if at in hidden])


def _xlsx(lines: Sequence[str], unvalued: frozenset[int], hidden: frozenset[int]) -> bytes:
    names = _names(lines)
    package = xlsx(
        sheets={name: [[line]] for name, line in zip(names, lines, strict=True)}, merges={}, title="", author=""
    )

    def without_value(number: int) -> Callable[[str], str]:
        row = f'<row r="2"><c r="A2"><f>A1&amp;"{number}"</f></c></row>'
        return lambda text: text.replace("</sheetData>", f"{row}</sheetData>")

    def concealed(text: str) -> str:
        for number in hidden:
            sheet = f'<sheet name="{names[number - 1]}"'
            text = text.replace(sheet, f'{sheet} state="hidden"')
        return text

    return changed(package, workbook=concealed, **{f"sheet{number}": without_value(number) for number in unvalued})


def _pptx(lines: Sequence[str], _: frozenset[int], hidden: frozenset[int]) -> bytes:
    package = pptx(slides=[("", [line]) for line in lines], title="", author="")
    return changed(
        package, **{f"slide{number}": lambda text: text.replace("<p:sld ", '<p:sld show="0" ') for number in hidden}
    )


def _sheaf(lines: Sequence[str], unknown: frozenset[int], unreadable: frozenset[int]) -> bytes:
    kinds = ["z" if number in unknown else "u" if number in unreadable else "p" for number in range(1, len(lines) + 1)]
    return sheaf(pages=[{"blocks": [["p", line], [kind, line]]} for kind, line in zip(kinds, lines, strict=True)])


def _mbox(lines: Sequence[str], sealed: frozenset[int], _: frozenset[int]) -> bytes:
    """Return a mailbox of messages with a text and, some of them, a part that is encrypted."""
    made = ""
    for number, line in enumerate(lines, start=1):
        mark = f"part-{number}"
        parts = [f"Content-Type: text/plain; charset=us-ascii\n\n{line}"]
        if number in sealed:
            letters = "hQEMA" + line.replace(" ", "") * 3
            parts += [
                'Content-Type: multipart/encrypted; protocol="application/pgp-encrypted"; boundary="sealed"\n\n'
                "--sealed\nContent-Type: application/pgp-encrypted\n\nVersion: 1\n--sealed\nContent-Type: application/octet-stream\n\n"
                f"-----BEGIN PGP MESSAGE-----\n\n{letters}\n-----END PGP MESSAGE-----\n--sealed--"
            ]
        body = "".join(f"--{mark}\n{part}\n" for part in parts)
        made += (
            f"From ada@example.org Thu Jan  1 10:00:00 2026\nFrom: Ada Quay <ada@example.org>\nTo: Ben Pier <ben@example.org>\n"
            f"Subject: {line.split()[0]}\nDate: Thu, 01 Jan 2026 10:00:00 +0000\nMessage-ID: <{number}@example.org>\nMIME-Version: 1.0\n"
            f'Content-Type: multipart/mixed; boundary="{mark}"\n\n{body}--{mark}--\n\n'
        )
    return made.encode()


_WRITERS: dict[str, tuple[str, tuple[str, str], Write]] = {
    MBOX_TYPE: ("mbox", ("encrypted parts", ""), _mbox),
    ODS_TYPE: ("ods", ("formulas without a value", "hidden sheets"), _ods),
    _DECK: ("pptx", ("", "hidden slides"), _pptx),
    SHEAF: ("sheaf", ("blocks of an unknown form", "letters without a meaning"), _sheaf),
    _BOOK: ("xlsx", ("formulas without a value", "hidden sheets"), _xlsx),
}
"""Media type → extension, names of the kinds of loss, '' for none, and the function that writes the document."""


@generated_once
def make_several_losses(seed: int, media_types: Sequence[str]) -> list[list[LossyDocument]]:
    """Make for each format documents of the same pages: with the first kind of loss, with the second, and with both.

    Args:
        seed: the same seed gives the same documents.
        media_types: of the formats.
    """
    words = Words(seed)
    made = []
    for media_type, (family, kinds, write) in _WRITERS.items():
        if media_type not in media_types:
            continue
        lines = [words.line(5) for _ in range(words.dice.randint(16, 24))]
        # The first page has none: a workbook opens with it.
        numbers = words.dice.sample(range(2, len(lines) + 1), 10)
        first, second, none = frozenset(numbers[:5]), frozenset(numbers[5:]), frozenset[int]()
        series = []
        for name, lost, other in (("first", first, none), ("second", none, second), ("both", first, second)):
            pages = {kind: places for kind, places in zip(kinds, (lost, other), strict=True) if kind and places}
            data = write(lines, lost, other)
            vector = GoldenVector.of(
                f"{family}/losses-{name}.{family}",
                media_type,
                data,
                about="A document of which several pages lose something.",
                kind=None,
                pages=lines,
            )
            if pages:
                series.append(LossyDocument(vector=vector, pages=pages))
        made.append(series)
    return made
