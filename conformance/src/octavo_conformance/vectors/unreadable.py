"""Fresh documents with text that readers do not see, and with text of which the file does not say what its letters are."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from octavo_contracts import PageKind

from ..office_writer import zipped
from .archives import ZIP_TYPE, truth_of
from .model import GoldenVector
from .ods_bytes import ODS_TYPE, ods
from .office_bytes import docx, xlsx
from .once import generated_once
from .package_changes import changed
from .pdf_bytes import PdfFile, PdfLine, PdfPage
from .rtf_bytes import RTF_TYPE, rtf, rtf_paragraph
from .sheaf_bytes import SHEAF, sheaf
from .truths import HTML, OFFICE
from .words import Words
from .xml_documents import XML_TYPE

SHEET_TYPE = f"{OFFICE}.spreadsheetml.sheet"
WORD_TYPE = f"{OFFICE}.wordprocessingml.document"
CODES = 48
"""Letters of a line of which the file does not say what they are."""


@dataclass(frozen=True, kw_only=True)
class HiddenWay:
    """A document in which text is hidden in several ways.

    Attributes:
        vector: the document; the visible text is its expected page.
        hidden: the invisible text by the way in which it is hidden.
    """

    vector: GoldenVector
    hidden: dict[str, str]


VISIBLE = 12
"""Visible lines behind each hidden one."""
LATE = 24, 60
"""Visible lines in front of the first hidden one of a long document: least and most."""


@generated_once
def make_hidden(seed: int, media_types: Sequence[str]) -> list[HiddenWay]:
    """Generate two documents with hidden text for each of the media types that can hide text.

    The second is long: its first pages and paragraphs hide nothing. Of a format with pages, its pages have few lines.
    """
    found = [media_type for media_type in _HIDING if media_type in media_types]
    return [
        make(Words(seed), media_type, *_HIDING[media_type]) for media_type in found for make in (_hidden, _hidden_late)
    ]


Lines = list[tuple[str, str]]
"""The way in which a line is hidden, or "" for a visible one, and its text."""


def _hidden(words: Words, media_type: str, ways: Sequence[str], write: Callable[[Lines], bytes]) -> HiddenWay:
    # A few words, and a sentence: a plugin may take long hidden text for content.
    hidden = {way: words.line(16 if at % 2 else 3) for at, way in enumerate(ways)}
    lines: Lines = [("", words.line(9))]
    for way, text in hidden.items():
        lines += [(way, text), *(("", words.line(9)) for _ in range(VISIBLE))]
    shown = " ".join(text for way, text in lines if not way)
    return HiddenWay(vector=_vector(media_type, "concealed", write(lines), (shown,)), hidden=hidden)


def _hidden_late(words: Words, media_type: str, ways: Sequence[str], write: Callable[[Lines], bytes]) -> HiddenWay:
    """Hide a line in each way behind many visible ones, each at a random place of the rest."""
    lines: Lines = [("", words.line(7)) for _ in range(words.dice.randint(*LATE))]
    hidden = {}
    for way in ways:
        hidden[way] = words.line(words.dice.choice((3, 16)))
        lines += [(way, hidden[way]), *(("", words.line(7)) for _ in range(words.dice.randint(1, VISIBLE)))]
    shown = " ".join(text for way, text in lines if not way)
    data = _PAGED[media_type](lines) if media_type in _PAGED else write(lines)
    return HiddenWay(vector=_vector(media_type, "concealed-late", data, (shown,)), hidden=hidden)


PAGE_LINES = 3
"""Lines of a page of a long document that hides text."""


def _pages_of(lines: Lines) -> list[Lines]:
    return [lines[at : at + PAGE_LINES] for at in range(0, len(lines), PAGE_LINES)]


_TAGS = {
    "": "<p>{}</p>",
    "the attribute hidden": "<p hidden>{}</p>",
    "visibility": '<p style="visibility: hidden">{}</p>',
    "display in capitals": '<p style="color: red; DISPLAY:NONE">{}</p>',
    "a hidden block around it": "<div hidden><section><p>{}</p></section></div>",
    "a block that is not displayed": '<div style="display:none"><ul><li>{}</li></ul></div>',
    "a class of the page's style": '<p class="lead veiled">{}</p>',
    "a class of a block around it": '<div class="veiled"><p>{}</p></div>',
    "the place in the page's style": '<p id="unseen">{}</p>',
}
_STYLE = (
    "<style>p.lead {color: #333} .veiled {margin: 0; display: none}\n#unseen, #other {visibility:hidden}</style></head>"
)


def _html(lines: Lines) -> bytes:
    body = "".join(_TAGS[way].format(text) for way, text in lines)
    return HTML.format(title="", body=body).replace("</head>", _STYLE).encode()


_BLOCKS = {"": "p", "the run": "hidden", "the style of the paragraph": "concealed", "the style of the run": "veiled"}


def _docx(lines: Lines) -> bytes:
    return docx(blocks=[(_BLOCKS[way], text) for way, text in lines], title="", author="")


def _pdf(lines: Lines) -> bytes:
    made = [PdfLine(text=text, size=9, invisible=bool(way)) for way, text in lines]
    half = len(made) // 2
    return PdfFile(pages=[PdfPage(lines=made[:half]), PdfPage(lines=made[half:], rotate=90)]).to_bytes()


def _pdf_pages(lines: Lines) -> bytes:
    made = [[PdfLine(text=text, size=9, invisible=bool(way)) for way, text in page] for page in _pages_of(lines)]
    return PdfFile(pages=[PdfPage(lines=page) for page in made]).to_bytes()


def _sheaf_pages(lines: Lines) -> bytes:
    return sheaf(pages=[{"blocks": [["x" if way else "p", text] for way, text in page]} for page in _pages_of(lines)])


def _sheaf(lines: Lines) -> bytes:
    return sheaf(pages=[{"blocks": [["x" if way else "p", text] for way, text in lines]}])


_MARKS = {"": "", "the mark of hidden text": r"\v", "the colour of the paper": r"\cf1", "the least size": r"\fs2"}


def _rtf(lines: Lines) -> bytes:
    return rtf([rtf_paragraph(text, marks=_MARKS[way]) for way, text in lines])


_HIDING: dict[str, tuple[Sequence[str], Callable[[Lines], bytes]]] = {
    "text/html": (tuple(way for way in _TAGS if way), _html),
    WORD_TYPE: (tuple(way for way in _BLOCKS if way), _docx),
    "application/pdf": (("the first line", "the second line", "the third line"), _pdf),
    RTF_TYPE: (tuple(way for way in _MARKS if way), _rtf),
    SHEAF: (("the first block", "the second block"), _sheaf),
}
"""Media type → the ways in which its text is hidden, and the function that writes the document."""
_PAGED: dict[str, Callable[[Lines], bytes]] = {"application/pdf": _pdf_pages, SHEAF: _sheaf_pages}
"""Media type → the function that writes a long document of short pages."""


@generated_once
def make_unmapped(seed: int, media_types: Sequence[str]) -> list[GoldenVector]:
    """Generate documents of three pages: readable text; letters that the file does not name; both. Text formats have one page.

    A workbook has sheets of a text, of formulas without a value, and of truth values and errors.

    The expected pages have the readable text alone.
    """
    words = Words(seed)
    one, other = words.line(9), words.line(9)
    codes = [words.dice.randint(3, 120) for _ in range(CODES)]
    made = []
    if "application/pdf" in media_types:
        pages = [
            PdfPage(lines=[PdfLine(text=one)]),
            PdfPage(lines=[PdfLine(codes=codes)]),
            PdfPage(lines=[PdfLine(text=other), PdfLine(codes=codes)]),
        ]
        made.append(_vector("application/pdf", "unmapped", PdfFile(pages=pages).to_bytes(), (one, "", other)))
    # Bytes that UTF-8 does not have, or references that XML does not have, in a text of which the rest is UTF-8 beyond doubt.
    stray = bytes(words.dice.choice((0x81, 0x8D, 0xFE, 0xFF)) for _ in range(CODES))
    for media_type, form in _ENCODED.items():
        if media_type in media_types:
            lines = [f"{words.line(5)} 漢字 Größe — 🚢", words.line(4), f"{words.line(5)} łódź Ærø"]
            data = form.format(*lines).encode().replace(b"@", _UNDECLARED if media_type == XML_TYPE else stray)
            text = " ".join(lines)
            made.append(_vector(media_type, "stray", data, (text,)))
    if SHEET_TYPE in media_types:
        made.append(_vector(SHEET_TYPE, "unmapped", _uncalculated(one, other), (one, other, one), kind="sheet"))
    if ODS_TYPE in media_types:
        cells = {(2, column): f'of:=[.A1]&"{other}"' for column in range(1, len(_COLUMNS) + 1)}
        data = ods({"A": {(1, 1): one}, "B": {(1, 1): other, **cells}})
        made.append(_vector(ODS_TYPE, "unmapped", data, (one, other), kind="sheet"))
    if SHEAF in media_types:
        blocks = [[["p", one]], [["u", "?" * CODES]], [["p", other], ["u", "?" * CODES]]]
        data = sheaf(pages=[{"blocks": page} for page in blocks])
        made.append(_vector(SHEAF, "unmapped", data, (one, "", other)))
    return made


@generated_once
def make_undecodable(seed: int, media_types: Sequence[str]) -> list[GoldenVector]:
    """Generate documents of three pages, and of more, of which one is stored in a way that no reader knows.

    In others one page of a PDF is null. Of an archive one file is damaged. The expected pages and attachments are those of all.
    """
    words = Words(seed)
    made = [_damaged_archive(words)] if ZIP_TYPE in media_types else []
    for name, count, bad in (
        ("undecodable", 3, 1),
        ("undecodable-long", words.dice.randint(7, 12), words.dice.randint(1, 5)),
    ):
        texts = [[words.line(9) for _ in range(6)] for _ in range(count)]
        pages = tuple(map(" ".join, texts))
        if "application/pdf" in media_types:
            written = [
                PdfPage(
                    lines=[PdfLine(text=line) for line in lines], filters="/Filter /UnknownDecode" if at == bad else ""
                )
                for at, lines in enumerate(texts)
            ]
            made.append(_vector("application/pdf", name, PdfFile(pages=written).to_bytes(), pages))
            whole = PdfFile(pages=[PdfPage(lines=[PdfLine(text=line) for line in lines]) for lines in texts])
            made.append(_vector("application/pdf", f"{name}-page", _without_page(whole.to_bytes(), bad), pages))
        if SHEAF in media_types:
            kinds = ["z" if at == bad else "p" for at in range(len(texts))]
            blocks = [{"blocks": [[kind, line] for line in lines]} for kind, lines in zip(kinds, texts, strict=True)]
            made.append(_vector(SHEAF, name, sheaf(pages=blocks), pages))
    return made


def _damaged_archive(words: Words) -> GoldenVector:
    """Return an archive of six texts, of which one has other bytes than its check sum says."""
    files = [(f"{words.word()}.txt", f"{words.line(9)}\n".encode()) for _ in range(6)]
    _, damaged = words.dice.choice(files[1:])
    data = zipped(dict(files), compress=False).replace(damaged, damaged[::-1])
    vector = _vector(ZIP_TYPE, "undecodable", data, ("",))
    expected = vector.expected.model_copy(update={"attachments": truth_of(files)["attachments"]})
    return vector.model_copy(update={"expected": expected})


def _without_page(data: bytes, place: int) -> bytes:
    """Return a PDF file in which a page, counted from 0, is null; all else stays where it is."""
    page = list(_PAGE.finditer(data))[place]
    return data[: page.start()] + b"null".ljust(len(page[0])) + data[page.end() :]


_PAGE = re.compile(rb"<< /Type /Page /Parent.*?>>(?=\s*endobj)", re.DOTALL)


def _uncalculated(one: str, other: str) -> bytes:
    """Return a workbook of three sheets: of a text, of formulas that no program has calculated, of truth values and errors."""
    package = xlsx(sheets={"A": [[one]], "B": [[other]], "C": [[one]]}, merges={}, title="", author="")
    formulas = "".join(f'<c r="{column}2"><f>A1&amp;"{other}"</f></c>' for column in _COLUMNS)
    truths = "".join(f'<c r="{column}2" t="b"><v>1</v></c>' for column in _COLUMNS)
    errors = "".join(f'<c r="{column}3" t="e"><v>#DIV/0!</v></c>' for column in _COLUMNS)

    def more(rows: str) -> Callable[[str], str]:
        return lambda text: text.replace("</sheetData>", f"{rows}</sheetData>")

    return changed(
        package,
        sheet2=more(f'<row r="2">{formulas}</row>'),
        sheet3=more(f'<row r="2">{truths}</row><row r="3">{errors}</row>'),
    )


_COLUMNS = "ABCDEFGHIJKLMNOP"
_ENCODED = {
    "text/plain": "{}\n\n{} @\n\n{}\n",
    "text/markdown": "# {}\n\n{} @\n\n{}\n",
    "text/csv": "{},x\n{},@\n{},y\n",
    "text/tab-separated-values": "{}\tx\n{}\t@\n{}\ty\n",
    "text/html": '<html><head><meta charset="utf-8"></head><body><h1>{}</h1><p>{} @</p><p>{}</p></body></html>',
    XML_TYPE: "<a>{}\n{}@\n{}</a>",
}
"""Media type → a document of three lines; the bytes that are no letters stand for @. The tags of XML are shorter than what is lost."""
_UNDECLARED = b" & &eacute;" * (CODES // 2)
"""Ampersands and entities of web pages, which XML refuses unless they are declared."""
_FAMILIES = {
    "text/html": "html", WORD_TYPE: "docx", "application/pdf": "pdf", SHEAF: "sheaf", "text/plain": "txt",
    "text/markdown": "md", "text/csv": "csv", "text/tab-separated-values": "tsv", XML_TYPE: "xml", SHEET_TYPE: "xlsx",
    RTF_TYPE: "rtf", ZIP_TYPE: "zip", ODS_TYPE: "ods",
}  # fmt: skip


def _vector(
    media_type: str, name: str, data: bytes, pages: tuple[str, ...], *, kind: PageKind | None = None
) -> GoldenVector:
    family = _FAMILIES[media_type]
    return GoldenVector.of(
        f"{family}/{name}.{family}",
        media_type,
        data,
        about="A document of made-up words.",
        kind=kind or ("whole" if len(pages) == 1 else "page"),
        pages=pages,
    )
