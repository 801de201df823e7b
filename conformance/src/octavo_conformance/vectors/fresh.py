"""Fresh documents: their words are generated when the suite runs, so that no plugin can know them in advance.

The golden vectors are published with their expected content, which a plugin could return without reading them. It knows
as little about a fresh document as about a user's. The same seed gives the same documents.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from .apart_words import APART_WORDS
from .archives import FRESH_ZIP, ZIP_MAKERS
from .bare_addresses import BARE_ADDRESSES
from .bare_mails import BARE_MAILS
from .book_bytes import BOOK_WORDS, EPUB_TYPE, ODT_TYPE, chapter, epub, odt, odt_table
from .correspondents import CORRESPONDENTS
from .dated_cells import DATED_CELLS
from .edited_office import EDITED_OFFICE
from .feeds import FEEDS
from .forwarded_mails import FORWARDED_MAILS
from .grids import html_table
from .guarded_files import GUARDED_FILES
from .image_files import IMAGE_FILES
from .json_documents import FRESH_JSON, JSON_MAKERS
from .large import LARGE_MAKERS
from .late_letters import LATE_LETTERS
from .ledgers import LEDGERS
from .many import MANY_MAKERS
from .mixed import MIXED_MAKERS
from .model import GoldenVector
from .notebooks import NOTEBOOKS
from .noted import NOTED
from .numbered_lists import NUMBERED_LISTS
from .office_bytes import docx, pptx, xlsx
from .pdf_bytes import PdfFile, PdfLine, PdfPage, baselines
from .placed_grids import PLACED_GRIDS
from .printed_numbers import PRINTED_NUMBERS
from .rare_files import RARE_FILES
from .rare_texts import RARE_TEXTS
from .reading_order import READING_ORDER
from .repeated_cells import REPEATED_CELLS
from .rtf_bytes import RTF_TYPE, rtf, rtf_heading, rtf_paragraph, rtf_table
from .scripts import SCRIPTS
from .seen_forms import SEEN_FORMS
from .sequences import SEQUENCES
from .shared_labels import SHARED_LABELS
from .sheaf_bytes import SHEAF, sheaf
from .small_print import SMALL_PRINT
from .subtitles import SUBTITLES
from .truths import HTML, OFFICE, Truth, cells, mail, marked_up, page_texts
from .typed_lines import TYPED_LINES
from .unequal_parts import UNEQUAL_PARTS
from .uneven_rows import UNEVEN_ROWS
from .words import Words
from .written_dates import WRITTEN_DATES
from .xml_documents import XML_MAKERS
from .zoned_dates import ZONED_DATES

FIRST_WORDS = 2
"""Words that all documents of a series have."""
SEEDS = 1_000_000
"""Upper bound of seeds, so that they are short enough to type."""


def make_fresh(seed: int, media_types: Sequence[str] | None = None) -> tuple[GoldenVector, ...]:
    """Generate the documents of a run, several for each format: `FAMILY/NAME.EXTENSION`.

    Most formats have those with the names fresh, twin, mixed, rare, sequence, many and large. Of PDF there are two more: one of which an
    editor replaced pages, and one with turned and cropped pages.

    The twin has the same bytes as the fresh one but for letters of the words in its last quarter: the same size and structure,
    and the same beginning.

    Args:
        seed: the same seed gives the same documents.
        media_types: only documents of these types; None for all.
    """
    paths = [path for path, (media_type, _) in _ALL.items() if media_types is None or media_type in media_types]
    return tuple(_made(path, seed) for path in sorted(paths, key=_place))


def _place(path: str) -> tuple[str, bool, str]:
    """Return the place of a document: in each folder the plain one is first, so that it is the first that a worker reads."""
    return path.partition("/")[0], "/fresh." not in path, path


def make_alike(seed: int, media_types: Sequence[str], *, count: int) -> tuple[GoldenVector, ...]:
    """Generate documents that differ in words of equal length: those of one format have the same size and the same beginning.

    They begin to differ at their third word, or at a quarter, at half or at three quarters of their words.

    Args:
        seed: the same seed gives the same documents.
        media_types: only documents of these types, the formats in turn.
        count: number of documents, at most 48 of each format.
    """
    paths = sorted(path for path, (media_type, _) in _MAKERS.items() if media_type in media_types)
    made = []
    for number in range(count if paths else 0):
        path, place = paths[number % len(paths)], number // len(paths)
        media_type, make = _MAKERS[path]
        words = Words(seed)
        make(words)
        # The name of a column may be the first one that differs.
        start = words.count * (place % 4) // 4 or FIRST_WORDS
        later = Words(seed, others_after=start, turn=1 + place // 4)
        made.append((path.replace("/fresh.", f"/alike-{number}."), media_type, make(later)))
    # The fonts of a PDF file have as many letters as its words: its size differs.
    sizes = {one: max(len(truth[0]) for _, other, truth in made if other == one) for _, one, _ in made}
    return tuple(
        _vector(path, media_type, (truth[0].ljust(sizes[media_type], b"\n"), *truth[1:]))
        for path, media_type, truth in made
    )


@lru_cache(maxsize=128)
def _made(path: str, seed: int) -> GoldenVector:
    media_type, make = _ALL[path]
    words = Words(seed)
    truth = make(words)
    if path in _TWINS:
        truth = make(Words(seed, others_after=words.count * 3 // 4))
    return _vector(path, media_type, truth)


def _vector(path: str, media_type: str, made: Truth) -> GoldenVector:
    data, kind, pages, truth = made
    about = "A document of made-up words."
    return GoldenVector.of(path, media_type, data, about=about, kind=kind, pages=pages, **truth)


def _pdf(words: Words) -> Truth:
    pages = words.pages()
    made = [
        PdfPage(lines=[PdfLine(text=heading, size=24), *(PdfLine(text=line, unicode=not line.isascii()) for line in lines)])
        if heading
        else PdfPage()
        for heading, lines in pages
    ]  # fmt: skip
    return PdfFile(pages=made).to_bytes(), "page", page_texts(pages), {"baselines": tuple(map(baselines, made))}


def _revised(words: Words) -> Truth:
    pages = [(words.heading(), [words.line(6) for _ in range(4)]) for _ in range(6)]
    made = [PdfPage(lines=[PdfLine(text=line) for line in (heading, *lines)]) for heading, lines in pages]
    revised = {
        place: PdfPage(lines=[PdfLine(text=words.line(6)) for _ in range(5)])
        for place in words.dice.sample(range(len(pages)), 2)
    }
    return PdfFile(pages=made, revised=revised).to_bytes(), "page", page_texts(pages), {}


def _wrapped(words: Words) -> Truth:
    """Lines that end at a hyphen within a range, a date or a compound with a capital; sentences over two pages; a page was saved again."""
    w, n = words.word, words.dice.randint
    year = n(1990, 2020)
    broken = [
        (f"{year}-", f"{year + 1}"), (f"pages {n(10, 40)}-", f"{n(50, 99)}"), ("non-", w().upper()), (f"{w()} {w().upper()}-", f"{n(10, 99)}"),
        (f"{year}-0{n(1, 9)}-", f"{n(10, 28)}"), (f"part {w()[:1].upper()}{n(10, 99)}-", f"{n(100, 999)}"), (f"{n(2, 9)}-", f"{w()}"),
    ]  # fmt: skip
    pages = []
    for number in range(3):
        words.dice.shuffle(broken)
        lines = [words.line(5)]
        for before, after in broken[:5]:
            lines[-1] += f" {before}"
            lines.append(f"{after} {words.line(4).lower()}")
        # The pages behind the first begin with the end of a sentence.
        first = f"{words.line(4).lower()}." if number else words.heading()
        pages.append((first, [*lines, words.line(number + 4)]))
    made = [PdfPage(lines=[PdfLine(text=line) for line in (heading, *lines)], leading=1.25) for heading, lines in pages]
    again = words.dice.sample(range(len(made)), 2)
    data = PdfFile(pages=made, revised={place: made[place] for place in again}).to_bytes()
    return data, "page", page_texts(pages), {}


def _turned(words: Words) -> Truth:
    dice = words.dice
    made = []
    for rotate in dice.sample((0, 90, 270), 3):
        # The left and the lower edge of the displayed page are not those of the paper.
        margins = dice.randint(20, 60), dice.randint(70, 120)
        # A heading among them: a reader may give boxes of headings alone.
        lines = [
            PdfLine(text=words.heading(), size=24),
            *(PdfLine(text=words.line(6)) for _ in range(dice.randint(4, 7))),
        ]
        made.append(
            PdfPage(
                lines=lines,
                size=(dice.randint(500, 560), 800),
                rotate=rotate,
                margins=margins,
                beyond=(dice.randint(5, 90), dice.randint(5, 90)),
                origin=(dice.randint(-40, 40), dice.randint(-60, 60)),
                indent=dice.randint(40, 90),
            )
        )
    truth = {
        "baselines": tuple(map(baselines, made)),
        "starts": tuple(float(page.indent) for page in made),
        "sizes": tuple(page.size[:: -1 if page.rotate in (90, 270) else 1] for page in made),
    }
    return PdfFile(pages=made).to_bytes(), "page", [" ".join(line.text for line in page.lines) for page in made], truth


def _cropped(words: Words) -> Truth:
    """Pages that show a part of their sheet."""
    pages = [(words.heading(), [words.line(6) for _ in range(words.dice.randint(3, 6))]) for _ in range(3)]
    blocks = [
        {"crop": [words.dice.randint(20, 90), words.dice.randint(20, 90)], "blocks": [["h", heading], *(["p", line] for line in lines)]}
        for heading, lines in pages
    ]  # fmt: skip
    lines = tuple(tuple((82.0 + 12 * at, line) for at, line in enumerate((heading, *rest))) for heading, rest in pages)
    return sheaf(pages=blocks), "page", page_texts(pages), {"baselines": lines, "starts": (72.0,) * len(pages)}


def _docx(words: Words) -> Truth:
    heading, lines, grid = words.heading(), words.paragraphs(), words.grid()
    blocks: list[Any] = [("h1", heading), *(("p", line) for line in lines), ("table", grid)]
    data = docx(blocks=blocks, title="", author="")
    return data, "whole", [" ".join((heading, *lines, cells(grid)))], {"headings": (heading,), "tables": (grid,)}


def _epub(words: Words) -> Truth:
    heading, lines, grid = words.heading(), words.paragraphs(), words.grid()
    body = "".join((f"<h1>{heading}</h1>", *(f"<p>{line}</p>" for line in lines), html_table(grid)))
    data = epub([chapter(heading, body)], title=heading)
    truth = {"headings": (heading,), "tables": (grid,), "allowed": (*BOOK_WORDS, *heading.split())}
    return data, "whole", [" ".join((heading, *lines, cells(grid)))], truth


def _rtf(words: Words) -> Truth:
    heading, lines, grid = words.heading(), words.paragraphs(), words.grid()
    data = rtf([rtf_heading(heading), *(rtf_paragraph(line) for line in lines), rtf_table(grid)])
    return data, "whole", [" ".join((heading, *lines, cells(grid)))], {"headings": (heading,), "tables": (grid,)}


def _odt(words: Words) -> Truth:
    heading, lines, grid = words.heading(), words.paragraphs(), words.grid()
    head = f'<text:h text:outline-level="1">{heading}</text:h>'
    data = odt("".join((head, *(f"<text:p>{line}</text:p>" for line in lines), odt_table(grid))))
    return data, "whole", [" ".join((heading, *lines, cells(grid)))], {"headings": (heading,), "tables": (grid,)}


def _pptx(words: Words) -> Truth:
    pages = words.pages()
    allowed = ("Slide", *(str(number) for number in range(1, len(pages) + 1)))
    return pptx(slides=pages, title="", author=""), "slide", page_texts(pages), {"allowed": allowed}


def _xlsx(words: Words) -> Truth:
    sheets = {words.word().capitalize(): words.grid() for _ in range(words.dice.randint(2, 3))}
    truth = {"allowed": tuple(sheets), "tables": tuple(sheets.values()), "labels": tuple(sheets)}
    return (
        xlsx(sheets=sheets, merges={}, title="", author=""),
        "sheet",
        [cells(grid) for grid in sheets.values()],
        truth,
    )


def _csv(words: Words) -> Truth:
    return _separated(words.grid(), between=",", end="\r\n")


def _tsv(words: Words) -> Truth:
    return _separated(words.grid(), between="\t", end="\n")


def _separated(grid: tuple[tuple[str, ...], ...], *, between: str, end: str) -> Truth:
    return "".join(between.join(row) + end for row in grid).encode(), "sheet", [cells(grid)], {"tables": (grid,)}


def _txt(words: Words) -> Truth:
    lines = words.paragraphs()
    return ("\n\n".join(lines) + "\n").encode(), "whole", [" ".join(lines)], {}


def _md(words: Words) -> Truth:
    heading, lines = words.heading(), words.paragraphs()
    text = "\n\n".join((f"# {heading}", *lines)) + "\n"
    return text.encode(), "whole", [" ".join((heading, *lines))], {"headings": (heading,)}


def _html(words: Words) -> Truth:
    heading, lines = words.heading(), words.paragraphs()
    body = marked_up(heading, lines)
    page = HTML.format(title=heading, body=body)
    return page.encode(), "whole", [" ".join((heading, *lines))], {"headings": (heading,)}


def _eml(words: Words) -> Truth:
    subject, lines = words.heading(), words.paragraphs()
    data, truth = mail(subject, lines, hours=words.dice.randint(2, 9))
    return data, "whole", [" ".join(lines)], truth


def _sheaf(words: Words) -> Truth:
    pages = words.pages()
    blocks = [
        {
            "label": f"A-{number}",
            "width": 400 + 10 * number,
            "blocks": [["h", heading], *(["p", line] for line in lines)] if heading else [],
        }
        for number, (heading, lines) in enumerate(pages, start=1)
    ]
    lines = tuple(
        tuple((82.0 + 12 * at, line) for at, line in enumerate((heading, *lines) if heading else ()))
        for heading, lines in pages
    )
    date = f"2026-01-01T10:00:00+0{words.dice.randint(2, 9)}:00"
    sizes = tuple((400.0 + 10 * number, 842.0) for number in range(1, len(pages) + 1))
    truth = {"baselines": lines, "starts": (72.0,) * len(pages), "sizes": sizes, "date": date}
    data = sheaf(pages=blocks, date=date)
    # The checksum has nine or ten digits; the twin has another checksum, and the same size.
    data += b" " * (_CHECKSUM_DIGITS - len(str(json.loads(data)["crc"])))
    return data, "page", page_texts(pages), truth


_CHECKSUM_DIGITS = 10


_MAKERS: dict[str, tuple[str, Callable[[Words], Truth]]] = {
    "csv/fresh.csv": ("text/csv", _csv),
    "docx/fresh.docx": (f"{OFFICE}.wordprocessingml.document", _docx),
    "eml/fresh.eml": ("message/rfc822", _eml),
    "epub/fresh.epub": (EPUB_TYPE, _epub),
    "html/fresh.html": ("text/html", _html),
    "json/fresh.json": FRESH_JSON,
    "md/fresh.md": ("text/markdown", _md),
    "odt/fresh.odt": (ODT_TYPE, _odt),
    "pdf/fresh.pdf": ("application/pdf", _pdf),
    "pptx/fresh.pptx": (f"{OFFICE}.presentationml.presentation", _pptx),
    "rtf/fresh.rtf": (RTF_TYPE, _rtf),
    "sheaf/fresh.sheaf": (SHEAF, _sheaf),
    "tsv/fresh.tsv": ("text/tab-separated-values", _tsv),
    "txt/fresh.txt": ("text/plain", _txt),
    "xlsx/fresh.xlsx": (f"{OFFICE}.spreadsheetml.sheet", _xlsx),
    "zip/fresh.zip": FRESH_ZIP,
}
_TWINS = {path.replace("/fresh.", "/twin."): maker for path, maker in _MAKERS.items()}
_REVISED = {
    "pdf/revised.pdf": ("application/pdf", _revised),
    "pdf/turned.pdf": ("application/pdf", _turned),
    "sheaf/cropped.sheaf": (SHEAF, _cropped),
    "pdf/wrapped.pdf": ("application/pdf", _wrapped),
}
_ALL = (
    _MAKERS
    | _TWINS
    | _REVISED
    | APART_WORDS
    | BARE_ADDRESSES
    | BARE_MAILS
    | CORRESPONDENTS
    | DATED_CELLS
    | EDITED_OFFICE
    | FEEDS
    | FORWARDED_MAILS
    | GUARDED_FILES
    | IMAGE_FILES
    | LATE_LETTERS
    | RARE_FILES
    | RARE_TEXTS
    | READING_ORDER
    | REPEATED_CELLS
    | SCRIPTS
    | SEEN_FORMS
    | SEQUENCES
    | SMALL_PRINT
    | MIXED_MAKERS
    | LARGE_MAKERS
    | MANY_MAKERS
    | JSON_MAKERS
    | LEDGERS
    | NOTEBOOKS
    | NOTED
    | NUMBERED_LISTS
    | PLACED_GRIDS
    | PRINTED_NUMBERS
    | SUBTITLES
    | SHARED_LABELS
    | TYPED_LINES
    | UNEQUAL_PARTS
    | UNEVEN_ROWS
    | WRITTEN_DATES
    | XML_MAKERS
    | ZONED_DATES
    | ZIP_MAKERS
)
FRESH_PATHS = frozenset(_ALL)
"""Paths of the fresh documents, the same in every run, so that an expectations file can name them."""
