"""Fresh documents without labels of pages, on whose pages numbers are printed: years, totals, articles, numbers of other pages."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .ods_bytes import ODS_TYPE, ods
from .office_bytes import pptx, xlsx
from .package_changes import changed
from .pdf_bytes import PdfFile, PdfLine, PdfPage
from .sheaf_bytes import SHEAF, sheaf
from .truths import OFFICE, Truth
from .words import Words

_ROMAN = ("ii", "iii", "vi", "ix", "xi", "xiv", "xx", "xl")


def _number(words: Words, page: int) -> str:
    """Return a line that looks like the number of a page, and is not that of this page."""
    n = words.dice.randint
    count = n(page + 3, 480)
    return words.dice.choice(
        (str(count), str(n(1990, 2030)), f"Page {count}", f"- {count} -", words.dice.choice(_ROMAN))
    )


def _pages(words: Words) -> list[list[str]]:
    """Generate pages that end with a number, begin with one, or do both."""
    made = []
    for page in range(1, words.dice.randint(5, 8)):
        lines = [words.line(6) for _ in range(words.dice.randint(3, 5))]
        place = words.dice.choice(("foot", "foot", "head", "both"))
        head = [_number(words, page)] if place != "foot" else []
        foot = [_number(words, page)] if place != "head" else []
        made.append([*head, *lines, *foot])
    return made


def _truth(pages: Sequence[Sequence[str]]) -> dict[str, object]:
    return {"labels": ("",) * len(pages)}


def _pdf(words: Words) -> Truth:
    pages = _pages(words)
    made = [PdfPage(lines=[PdfLine(text=line) for line in lines]) for lines in pages]
    return PdfFile(pages=made).to_bytes(), "page", list(map(" ".join, pages)), _truth(pages)


def _sheaf(words: Words) -> Truth:
    pages = _pages(words)
    data = sheaf(pages=[{"blocks": [["p", line] for line in lines]} for lines in pages])
    return data, "page", list(map(" ".join, pages)), _truth(pages)


def _named(words: Words) -> dict[str, tuple[str, str]]:
    """Generate names of sheets, each with two texts; names may have blanks and signs, and one is another in capitals but for a letter."""
    first = words.word()
    names = [first.capitalize(), f"{first}s".upper(), f"{words.word()} {words.dice.randint(2, 99)}", f"{words.word()} & {words.word()}",
             f"{words.word()}.{words.word()}", str(words.dice.randint(2001, 2030))]  # fmt: skip
    words.dice.shuffle(names)
    return {name: (words.line(3), words.line(3)) for name in names}


def _sheets_truth(sheets: dict[str, tuple[str, str]]) -> dict[str, object]:
    told = (word for name in sheets for word in name.replace("&", " ").replace(".", " ").split())
    return {"allowed": tuple(told), "labels": tuple(sheets)}


def _hidden_names(words: Words, sheets: dict[str, tuple[str, str]]) -> list[str]:
    """Choose sheets to hide, not the first one."""
    return words.dice.sample(list(sheets)[1:], 2)


def _xlsx(words: Words) -> Truth:
    """A workbook of which two sheets are hidden: they keep their places."""
    sheets = _named(words)
    package = xlsx(
        sheets={name: [[one], [other]] for name, (one, other) in sheets.items()}, merges={}, title="", author=""
    )
    places = [list(sheets).index(name) + 1 for name in _hidden_names(words, sheets)]

    def concealed(text: str) -> str:
        for place, state in zip(places, ("hidden", "veryHidden"), strict=True):
            text = text.replace(f'sheetId="{place}"', f'sheetId="{place}" state="{state}"')
        return text

    return changed(package, workbook=concealed), "sheet", list(map(" ".join, sheets.values())), _sheets_truth(sheets)


def _ods(words: Words) -> Truth:
    sheets = _named(words)
    data = ods(
        {name: {(1, 1): one, (2, 1): other} for name, (one, other) in sheets.items()},
        hidden=_hidden_names(words, sheets),
    )
    return data, "sheet", list(map(" ".join, sheets.values())), _sheets_truth(sheets)


def _pptx(words: Words) -> Truth:
    """Slides of which two are hidden: they keep their places."""
    count = words.dice.randint(6, 9)
    slides = [(words.heading(), [words.line(5) for _ in range(2)]) for _ in range(count)]
    hidden = words.dice.sample(range(1, count), 2)
    package = pptx(slides=slides, title="", author="")
    data = changed(
        package, **{f"slide{number}": lambda xml: xml.replace("<p:sld ", '<p:sld show="0" ') for number in hidden}
    )
    pages = [" ".join((heading, *lines)) for heading, lines in slides]
    return data, "slide", pages, {"allowed": ("Slide", *map(str, range(1, count + 1)))}


PRINTED_NUMBERS: dict[str, tuple[str, Callable[[Words], Truth]]] = {
    "ods/names.ods": (ODS_TYPE, _ods),
    "pdf/folios.pdf": ("application/pdf", _pdf),
    "pptx/hidden.pptx": (f"{OFFICE}.presentationml.presentation", _pptx),
    "sheaf/folios.sheaf": (SHEAF, _sheaf),
    "xlsx/names.xlsx": (f"{OFFICE}.spreadsheetml.sheet", _xlsx),
}
"""Path → media type, and the function that makes the document."""
