"""Fresh documents with text that is visible although it is small, pale, at the edge of the page, on a picture, or light on a dark ground."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from ..pdf_writer import PdfFile, PdfPage, show_text
from .office_bytes import docx
from .package_changes import changed
from .rtf_bytes import RTF_TYPE, rtf, rtf_paragraph
from .truths import HTML, OFFICE, Truth
from .words import Words

WIDTH, HEIGHT = 595, 842
LEFT = 60
_Line = tuple[float, str, str]
"""Size in points, the operator that sets the colour, and the text of a line."""
_BLACK = "0 g"


def _body(words: Words, count: int) -> list[_Line]:
    return [(10.5, _BLACK, words.line(11)) for _ in range(count)]


def _small(words: Words) -> list[_Line]:
    """A block of small print, as terms and package leaflets have it."""
    size = words.dice.choice((4, 5, 6, 6.5, 7))
    return [(size, _BLACK, words.line(12)) for _ in range(words.dice.randint(3, 16))]


def _pale(words: Words) -> list[_Line]:
    """A block in grey or in a light colour that can be read on white paper."""
    colour = words.dice.choice(("0.6 g", "0.7 g", "0.55 0.65 0.8 rg", "0.85 0.55 0.5 rg"))
    size = words.dice.choice((6, 8, 10.5))
    return [(size, colour, words.line(10)) for _ in range(words.dice.randint(3, 14))]


def _shown(lines: Sequence[_Line], *, x: float, top: float) -> tuple[bytes, float]:
    """Return the operators that show lines, and the distance of the next one from the lower edge."""
    out = b""
    for size, colour, text in lines:
        out += show_text(text, x, round(top, 2), size=size, colour=colour)
        top -= size * 1.3
    return out, top


def _block_page(block: Callable[[Words], list[_Line]]) -> Callable[[Words], tuple[PdfPage, str]]:
    """Return the maker of a page with a block within its text, or at its foot."""

    def make(words: Words) -> tuple[PdfPage, str]:
        before, small, behind = _body(words, words.dice.randint(14, 18)), block(words), _body(words, 4)
        parts = [before, small, behind][: words.dice.randint(2, 3)]
        if len(parts) == 2:  # at the foot
            parts[0] += behind
        content, top = b"", HEIGHT - 70.0
        for lines in parts:
            more, top = _shown(lines, x=LEFT, top=top)
            content += more
            top -= 12
        return _page(content), " ".join(text for lines in parts for _, _, text in lines)

    return make


def _edges(words: Words) -> tuple[PdfPage, str]:
    """A page with a line close to the upper edge, lines at the lower one, and text that begins close to the left one."""
    top, lines = [(8.0, _BLACK, words.line(5))], _body(words, 15)
    size = words.dice.choice((5, 6, 7))
    foot = [(size, _BLACK, words.line(8)) for _ in range(words.dice.randint(2, 3))]
    first, _ = _shown(top, x=LEFT, top=HEIGHT - 12)
    second, _ = _shown(lines, x=words.dice.randint(6, 12), top=HEIGHT - 60)
    third, _ = _shown(foot, x=LEFT, top=40)
    return _page(first + second + third), " ".join(text for _, _, text in (*top, *lines, *foot))


def _on_pictures(words: Words) -> tuple[PdfPage, str]:
    """A page with text on a picture that fills a part of it, as covers and advertisements have it."""
    lines = _body(words, 8)
    size = words.dice.choice((7, 9, 12))
    printed = [(size, _BLACK, words.line(8)) for _ in range(words.dice.randint(4, 9))]
    first, top = _shown(lines, x=LEFT, top=HEIGHT - 70)
    picture = f"q 480 0 0 180 {LEFT - 8} {top - 176:.0f} cm /Im1 Do Q\n".encode()
    second, _ = _shown(printed, x=LEFT, top=top - 14)
    return _page(first + picture + second), " ".join(text for _, _, text in (*lines, *printed))


def _bands(words: Words) -> tuple[PdfPage, str]:
    """A page with white and light text on dark bands, as the heads and totals of invoices have it, and one that is dark all over."""
    dark = words.dice.choice(("0.1 0.2 0.4 rg", "0 g", "0.45 0.05 0.1 rg"))
    light = words.dice.choice(("1 g", "1 1 1 rg", "0 0 0 0 k", "0.9 0.95 1 rg"))
    content, top = b"", HEIGHT - 70.0
    told: list[str] = []
    for _ in range(words.dice.randint(3, 5)):
        above, band = _body(words, 3), [(10.5, light, words.line(6)) for _ in range(words.dice.randint(1, 2))]
        written, top = _shown(above, x=LEFT, top=top)
        high = 14 * len(band) + 4
        ground = f"q {dark} {LEFT - 8} {top - high + 12:.0f} 480 {high} re f Q\n".encode()
        more, top = _shown(band, x=LEFT, top=top)
        content, top = content + written + ground + more, top - 12
        told += [text for _, _, text in (*above, *band)]
    return _page(content), " ".join(told)


def _dark_page(words: Words) -> tuple[PdfPage, str]:
    """A page that is dark from edge to edge, with white text: a cover or a slide."""
    lines = [(14.0, "1 g", words.line(6)) for _ in range(words.dice.randint(4, 9))]
    written, _ = _shown(lines, x=LEFT, top=HEIGHT - 200)
    return _page(f"q 0.1 0.15 0.3 rg 0 0 {WIDTH} {HEIGHT} re f Q\n".encode() + written), " ".join(
        text for _, _, text in lines
    )


_PICTURE = (
    b"<< /Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8 /Length 1 >>\n"
    b"stream\n\xc0\nendstream"
)
"""A picture of one light grey dot."""


def _page(content: bytes) -> PdfPage:
    return PdfPage(content, width=WIDTH, height=HEIGHT, resources="/XObject << /Im1 4 0 R >>")


def _pdf(words: Words) -> Truth:
    return _pages(words, [_block_page(_small), _block_page(_small), _block_page(_pale), _edges, _on_pictures])


def _dark(words: Words) -> Truth:
    return _pages(words, [_bands, _bands, _dark_page])


def _pages(words: Words, makers: list[Callable[[Words], tuple[PdfPage, str]]]) -> Truth:
    words.dice.shuffle(makers)
    made = [make(words) for make in makers]
    return PdfFile([page for page, _ in made]).to_bytes(reserved=[_PICTURE]), "page", [text for _, text in made], {}


_STYLES = (
    "font-size: 6px", "color: #888888", "font-size: 7pt; color: #a06060", "margin-left: -20px; font-size: 60%", "opacity: 0.7",
)  # fmt: skip
"""Styles of paragraphs that stay visible."""
_RUNS = ('<w:sz w:val="10"/>', '<w:color w:val="8A8A8A"/>', '<w:sz w:val="13"/><w:color w:val="A06060"/>')
"""Properties of runs that stay visible."""
_MARKS = (r"\fs10", r"\fs13", r"\cf2", r"\fs12\cf2")
"""Marks of paragraphs that stay visible."""


def _flowing(forms: tuple[str, ...], write: Callable[[Sequence[tuple[str, str]]], bytes]) -> Callable[[Words], Truth]:
    """Return the maker of a document of paragraphs of which blocks have one of the forms."""

    def make(words: Words) -> Truth:
        lines = [("", words.line()) for _ in range(3)]
        for form in forms:
            lines += [(form, words.line(14)) for _ in range(words.dice.randint(3, 12))]
            lines += [("", words.line()) for _ in range(4)]
        return write(lines), "whole", [" ".join(text for _, text in lines)], {}

    return make


def _html(lines: Sequence[tuple[str, str]]) -> bytes:
    body = "".join(f'<p style="{form}">{text}</p>' if form else f"<p>{text}</p>" for form, text in lines)
    return HTML.format(title="", body=body).encode()


def _docx(lines: Sequence[tuple[str, str]]) -> bytes:
    forms = {text: form for form, text in lines}

    def printed(found: re.Match[str]) -> str:
        return f"<w:r><w:rPr>{forms.get(found[1], '')}</w:rPr>{found[0][5:]}"

    package = docx(blocks=[("p", text) for _, text in lines], title="", author="")
    return changed(package, document=lambda xml: re.sub(r"<w:r><w:t[^>]*>([^<]*)", printed, xml))


def _rtf(lines: Sequence[tuple[str, str]]) -> bytes:
    data = rtf([rtf_paragraph(text, marks=marks) for marks, text in lines])
    return data.replace(rb"\blue255;}", rb"\blue255;\red150\green150\blue150;}", 1)


SMALL_PRINT: dict[str, tuple[str, Callable[[Words], Truth]]] = {
    "docx/print.docx": (f"{OFFICE}.wordprocessingml.document", _flowing(_RUNS, _docx)),
    "html/print.html": ("text/html", _flowing(_STYLES, _html)),
    "pdf/dark.pdf": ("application/pdf", _dark),
    "pdf/print.pdf": ("application/pdf", _pdf),
    "rtf/print.rtf": (RTF_TYPE, _flowing(_MARKS, _rtf)),
}
"""Path → media type, and the function that makes the document."""
