"""Documents that people saved again with changes: most of a later state are bytes of the one before."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence

from .book_bytes import EPUB_TYPE, ODT_TYPE, chapter, epub, odt
from .model import GoldenVector
from .office_bytes import docx, pptx, xlsx
from .once import generated_once
from .pdf_bytes import PdfFile, PdfLine, PdfPage, with_page, with_properties
from .rtf_bytes import RTF_TYPE, rtf, rtf_paragraph
from .sheaf_bytes import SHEAF, sheaf
from .truths import HTML, OFFICE
from .words import Words

State = tuple[bytes, tuple[str, ...]]
"""The bytes of a document, and the words of each of its pages."""
Write = Callable[[Sequence[str], str, str], bytes]
"""Writes a document of lines, a title and an author."""
PAGES = 5


@generated_once
def make_revisions(seed: int, media_types: Sequence[str]) -> list[list[GoldenVector]]:
    """Make for each format a document and two later states of it, in the order in which they were saved.

    The later states of a text have more lines at its end; those of a PDF file are the file with updates behind it, which
    replace pages and the title; those of the other formats have changed lines, the same properties and the same parts.

    Args:
        seed: the same seed gives the same documents.
        media_types: of the formats.
    """
    words = Words(seed)
    made = []
    for media_type, family in _FAMILIES.items():
        if media_type in media_types:
            states = _pdf(words) if family == "pdf" else _flowing(words, family)
            made.append([_vector(media_type, family, number, state) for number, state in enumerate(states)])
    return made


def _pdf(words: Words) -> list[State]:
    texts = [[words.line(8) for _ in range(6)] for _ in range(PAGES)]
    author = words.heading()
    data = PdfFile(pages=list(map(_page, texts)), title=words.heading(), author=author).to_bytes()
    states: list[State] = [(data, tuple(map(" ".join, texts)))]
    for _ in range(2):
        for place in sorted(words.dice.sample(range(PAGES), 2)):
            texts[place] = [words.line(8) for _ in range(words.dice.randint(4, 8))]
            data = with_page(data, place, _page(texts[place]))
        data = with_properties(data, title=words.heading(), author=author)
        states.append((data, tuple(map(" ".join, texts))))
    return states


def _page(lines: Sequence[str]) -> PdfPage:
    return PdfPage(lines=[PdfLine(text=line) for line in lines])


def _flowing(words: Words, family: str) -> list[State]:
    title, author = words.heading(), words.heading()
    lines, states = [words.line(9) for _ in range(8)], list[State]()
    for number in range(3):
        if number:
            if family not in _TEXTS:
                lines[words.dice.randint(1, len(lines) - 1)] = words.line(9)
            lines = [*lines, *(words.line(9) for _ in range(3))]
        states.append((_WRITERS[family](lines, title, author), (" ".join(lines),)))
    return states


def _separated(between: str) -> Write:
    def write(lines: Sequence[str], title: str, author: str) -> bytes:
        out = io.StringIO(newline="")
        csv.writer(out, delimiter=between).writerows(line.split() for line in lines)
        return out.getvalue().encode()

    return write


def _text(lines: Sequence[str], title: str, author: str) -> bytes:
    return "".join(f"{line}\n\n" for line in lines).encode()


def _html(lines: Sequence[str], title: str, author: str) -> bytes:
    return HTML.format(title=lines[0], body="".join(f"<p>{line}</p>" for line in lines)).encode()


_TEXTS = ("txt", "md", "csv", "tsv")
"""Families of which a later state begins with the whole earlier one."""
_FAMILIES = {
    "application/pdf": "pdf", "text/plain": "txt", "text/markdown": "md", "text/csv": "csv",
    "text/tab-separated-values": "tsv", "text/html": "html", f"{OFFICE}.wordprocessingml.document": "docx",
    f"{OFFICE}.presentationml.presentation": "pptx", f"{OFFICE}.spreadsheetml.sheet": "xlsx", RTF_TYPE: "rtf",
    ODT_TYPE: "odt", EPUB_TYPE: "epub", SHEAF: "sheaf",
}  # fmt: skip
_WRITERS: dict[str, Write] = {
    "txt": _text,
    "md": _text,
    "csv": _separated(","),
    "tsv": _separated("\t"),
    "html": _html,
    "docx": lambda lines, title, author: docx(blocks=[("p", line) for line in lines], title=title, author=author),
    "pptx": lambda lines, title, author: pptx(slides=[("", list(lines))], title=title, author=author),
    "xlsx": lambda lines, title, author: xlsx(
        sheets={"A": tuple((line,) for line in lines)}, merges={}, title=title, author=author
    ),
    "rtf": lambda lines, title, author: rtf(list(map(rtf_paragraph, lines)), title=title, author=author),
    "odt": lambda lines, title, author: odt("".join(f"<text:p>{line}</text:p>" for line in lines)),
    "epub": lambda lines, title, author: epub(
        [chapter(lines[0], "".join(f"<p>{line}</p>" for line in lines))], title=lines[0]
    ),
    "sheaf": lambda lines, title, author: sheaf(
        pages=[{"blocks": [["p", line] for line in lines]}], title=title, author=author
    ),
}


def _vector(media_type: str, family: str, number: int, state: State) -> GoldenVector:
    data, texts = state
    return GoldenVector.of(
        f"{family}/revision-{number}.{family}",
        media_type,
        data,
        about="A state of a document that was saved again with changes.",
        kind="page" if family == "pdf" else None,
        pages=texts,
    )
