"""Fresh documents that store their parts in another order than they are read in: chapters of a book; or side by side: columns."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable

from ..office_writer import zipped
from ..pdf_writer import PdfFile, PdfPage, show_text
from .book_bytes import BOOK_WORDS, EPUB_TYPE, chapter, epub
from .truths import Truth
from .words import Words

_WIDTH, _HEIGHT = 595, 842
_COLUMNS = (60, 320)
"""Left edges of two columns."""
_CHAPTERS = 7


def _parts(package: bytes) -> dict[str, str]:
    with zipfile.ZipFile(io.BytesIO(package)) as archive:
        return {name: archive.read(name).decode() for name in archive.namelist()}


def _epub(words: Words) -> Truth:
    """A book whose manifest lists the chapters in another order than its spine, and whose files are in a third one and have other names."""
    title = words.heading()
    made = [(words.heading(), [words.line() for _ in range(2)]) for _ in range(_CHAPTERS)]
    texts = [
        chapter(heading, f"<h1>{heading}</h1>" + "".join(f"<p>{line}</p>" for line in lines)) for heading, lines in made
    ]
    files = _parts(epub(texts, title=title))
    names = [words.word() for _ in made]
    numbers = list(range(1, _CHAPTERS + 1))
    while numbers == sorted(numbers):
        words.dice.shuffle(numbers)
    for number, name in enumerate(names, start=1):
        files[f"text/{name}.xhtml"] = files.pop(f"part{number}.xhtml")
    package = files["book.opf"]
    for number, name in enumerate(names, start=1):
        package = package.replace(f'href="part{number}.xhtml"', f'href="text/{name}.xhtml"')
        files["nav.xhtml"] = files["nav.xhtml"].replace(
            f'href="part{number}.xhtml">part{number}<', f'href="text/{name}.xhtml">{made[number - 1][0]}<'
        )
    items = re.findall(r'<item id="part\d+"[^>]*/>', package)
    listed = "".join(items[number - 1] for number in numbers)
    package = package.replace("".join(items), listed)
    files["book.opf"] = package
    stored = {
        name: files[name]
        for name in ("mimetype", *sorted(set(files) - {"mimetype"}, reverse=words.dice.random() < 0.5))
    }
    told = " ".join(" ".join((heading, *lines)) for heading, lines in made)
    truth = {"headings": tuple(heading for heading, _ in made), "allowed": (*BOOK_WORDS, *title.split(), *names)}
    return zipped(stored, compress=False), "whole", [told], truth


def _pdf(words: Words) -> Truth:
    """Pages of two columns of prose, under a heading across both; the lines of a column belong to one sentence."""
    pages, told = [], []
    for _ in range(3):
        heading, left, right = words.heading(), _column(words), _column(words)
        content = show_text(heading, _COLUMNS[0], _HEIGHT - 60, size=18)
        for x, lines in zip(_COLUMNS, (left, right), strict=True):
            for number, line in enumerate(lines):
                content += show_text(line, x, _HEIGHT - 100 - 14 * number, size=10)
        pages.append(PdfPage(content, width=_WIDTH, height=_HEIGHT))
        told.append(" ".join((heading, *left, *right)))
    return PdfFile(pages).to_bytes(), "page", told, {}


def _column(words: Words) -> list[str]:
    """Generate the lines of a column, all about as long as it is wide."""
    lines: list[str] = []
    for _ in range(26):
        line = words.word()
        while len(line) < 40:
            line += f" {words.word()}"
        lines.append(line)
    return [lines[0].capitalize(), *lines[1:-1], f"{lines[-1]}."]


READING_ORDER: dict[str, tuple[str, Callable[[Words], Truth]]] = {
    "epub/spine.epub": (EPUB_TYPE, _epub),
    "pdf/columns.pdf": ("application/pdf", _pdf),
}
"""Path → media type, and the function that makes the document."""
