"""Fresh documents of more parts than a list of limited length has: pages, slides, sheets, chapters, headings, links, files."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from xml.sax.saxutils import escape

from .archives import attached, truth_of
from .book_bytes import BOOK_WORDS, EPUB_TYPE, ODT_TYPE, chapter, epub, odt
from .office_bytes import docx, pptx, xlsx
from .pdf_bytes import PdfFile, PdfLine, PdfPage
from .rtf_bytes import RTF_TYPE, rtf, rtf_heading, rtf_link, rtf_written
from .sheaf_bytes import SHEAF, sheaf
from .truths import HTML, OFFICE, Truth, cells, mail, page_texts, stated, with_stated
from .words import Words

LEAST, MOST = 160, 220
"""Parts of a document."""
NOTE_WORDS = ("Notes", "notes", "Note", "note", "Speaker", "speaker")
"""Words with which a converter may head speaker notes."""
Part = tuple[str, str, str]
"""A heading, a short paragraph, and the target of the link that the paragraph is."""


def _parts(words: Words) -> tuple[list[Part], dict[str, Any]]:
    """Generate parts, and what is to be found of them."""
    count = words.dice.randint(LEAST, MOST)
    made = [(words.heading(), words.line(2), f"https://{words.word()}.example/{words.word()}") for _ in range(count)]
    truth = {
        "headings": tuple(heading for heading, _, _ in made),
        "links": tuple((text, target) for _, text, target in made),
        "allowed": tuple(
            part for _, _, target in made for part in target.replace(".", "/").replace(":", "/").split("/")
        ),
    }
    return made, truth


def _text(parts: list[Part]) -> list[str]:
    return [" ".join(f"{heading} {text}" for heading, text, _ in parts)]


def _md(words: Words) -> Truth:
    parts, truth = _parts(words)
    written = "".join(f"# {heading}\n\n[{text}]({target})\n\n" for heading, text, target in parts)
    return written.encode(), "whole", _text(parts), truth


def _body(parts: list[Part]) -> str:
    return "".join(f'<h1>{heading}</h1><p><a href="{target}">{text}</a></p>' for heading, text, target in parts)


def _html(words: Words) -> Truth:
    parts, truth = _parts(words)
    return HTML.format(title=parts[0][0], body=_body(parts)).encode(), "whole", _text(parts), truth


def _docx(words: Words) -> Truth:
    parts, truth = _parts(words)
    blocks = [block for heading, text, target in parts for block in (("h1", heading), ("link", (text, target)))]
    return docx(blocks=blocks, title="", author=""), "whole", _text(parts), truth


def _odt(words: Words) -> Truth:
    parts, truth = _parts(words)
    body = "".join(
        f'<text:h text:outline-level="1">{heading}</text:h>'
        f'<text:p><text:a xlink:type="simple" xlink:href="{escape(target)}">{text}</text:a></text:p>'
        for heading, text, target in parts
    )
    return odt(body), "whole", _text(parts), truth


def _rtf(words: Words) -> Truth:
    parts, truth = _parts(words)
    body = [
        block
        for heading, text, target in parts
        for block in (rtf_heading(heading), rtf_written(rtf_link(text, target)))
    ]
    return rtf(body), "whole", _text(parts), truth


def _epub(words: Words) -> Truth:
    """A book of a file for each chapter."""
    parts, truth = _parts(words)
    said = {"title": parts[0][0], "author": stated(words)["author"]}
    data = epub([chapter(part[0], _body([part])) for part in parts], **said)
    allowed = (*truth["allowed"], "Author", "Authors", "Creator", *BOOK_WORDS)
    return data, "whole", _text(parts), with_stated(truth | {"allowed": allowed}, said)


def _pages(words: Words) -> list[tuple[str, list[str]]]:
    return [(words.heading(), [words.line(3)]) for _ in range(words.dice.randint(LEAST, MOST))]


def _pdf(words: Words) -> Truth:
    pages = _pages(words)
    made = [PdfPage(lines=[PdfLine(text=line) for line in (heading, *lines)]) for heading, lines in pages]
    return PdfFile(pages=made).to_bytes(), "page", page_texts(pages), {}


def _pptx(words: Words) -> Truth:
    """A deck of which one slide in three has speaker notes, and three have a list of more items than fit well."""
    pages = _pages(words)
    listed = words.dice.sample(range(1, len(pages) + 1), 3)
    for number in listed:
        pages[number - 1][1].extend(words.line(4) for _ in range(words.dice.randint(9, 16)))
    noted = sorted({1, *words.dice.sample(range(1, len(pages) + 1), len(pages) // 3)})
    notes = {number: words.line(5) for number in noted}
    allowed = ("Slide", *(str(number) for number in range(1, len(pages) + 1)), *NOTE_WORDS)
    truth = {"notes": tuple(notes.values()), "allowed": (*allowed, *" ".join(notes.values()).split())}
    data = pptx(slides=pages, title="", author="", notes=notes, bulleted=listed)
    return data, "slide", page_texts(pages), truth


def _xlsx(words: Words) -> Truth:
    count = words.dice.randint(LEAST, MOST)
    sheets = {words.word().capitalize(): ((words.word(), words.word()), (words.word(), "12")) for _ in range(count)}
    truth = {"allowed": tuple(sheets), "tables": tuple(sheets.values())}
    data = xlsx(sheets=sheets, merges={}, title="", author="")
    return data, "sheet", [cells(grid) for grid in sheets.values()], truth


def _eml(words: Words) -> Truth:
    """A mail with many files."""
    lines = [words.line() for _ in range(3)]
    data, truth = mail(words.heading(), lines)
    count = words.dice.randint(LEAST, MOST)
    files = [(f"{words.word()}.txt", f"{words.line(3)}\n".encode()) for _ in range(count)]
    inside = truth_of(files)
    truth |= {"allowed": (*truth["allowed"], *inside["allowed"]), "attachments": inside["attachments"]}
    return attached(data, files), "whole", [" ".join(lines)], truth


def _sheaf(words: Words) -> Truth:
    """A sheaf of many pages, each with a heading, and with many files."""
    parts, truth = _parts(words)
    # One page in three has a note, the first among them: nothing is said of notes of which none is read.
    notes = {place: words.line(5) for place in sorted({0, *words.dice.sample(range(len(parts)), len(parts) // 3)})}
    blocks = [
        {"blocks": [["h", heading], ["a", text, target], *([["f", "", notes[place]]] if place in notes else [])]}
        for place, (heading, text, target) in enumerate(parts)
    ]
    files = [(f"{words.word()}.txt", f"{words.line(3)}\n".encode()) for _ in parts]
    inside = [{"name": name, "media_type": "text/plain", "text": data.decode()} for name, data in files]
    pages = [f"{heading} {text}" for heading, text, _ in parts]
    truth |= {"attachments": truth_of(files)["attachments"], "notes": tuple(notes.values())}
    truth["allowed"] += tuple(" ".join(notes.values()).split())
    return sheaf(pages=blocks, attachments=inside), "page", pages, truth


MANY_MAKERS: dict[str, tuple[str, Callable[[Words], Truth]]] = {
    "docx/many.docx": (f"{OFFICE}.wordprocessingml.document", _docx),
    "eml/many.eml": ("message/rfc822", _eml),
    "epub/many.epub": (EPUB_TYPE, _epub),
    "html/many.html": ("text/html", _html),
    "md/many.md": ("text/markdown", _md),
    "odt/many.odt": (ODT_TYPE, _odt),
    "pdf/many.pdf": ("application/pdf", _pdf),
    "pptx/many.pptx": (f"{OFFICE}.presentationml.presentation", _pptx),
    "rtf/many.rtf": (RTF_TYPE, _rtf),
    "sheaf/many.sheaf": (SHEAF, _sheaf),
    "xlsx/many.xlsx": (f"{OFFICE}.spreadsheetml.sheet", _xlsx),
}
"""Path → media type, and the function that makes the document."""
