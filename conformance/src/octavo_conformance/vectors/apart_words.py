"""Fresh documents with figures and words between which nothing stands but a tab, the end of a line, a blank element or a page break."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape

from .book_bytes import BOOK_WORDS, EPUB_TYPE, ODT_TYPE, chapter, epub, odt
from .office_bytes import docx, pptx
from .package_changes import changed
from .rtf_bytes import RTF_TYPE, rtf, rtf_paragraph, rtf_written
from .truths import HTML, OFFICE, Truth
from .words import Words

_ODT = (
    "<text:tab/>", "<text:line-break/>", "<text:s/>", '<text:s text:c="3"/>', "<text:tab/><text:tab/>", "<text:tab/><text:line-break/>",
    "<text:line-break/><text:line-break/>", " <text:soft-page-break/>", '<text:span> </text:span>', "\n", "</text:p><text:p>",
)  # fmt: skip
_DOCX = (
    "<w:tab/>", "<w:br/>", "<w:cr/>", '<w:br w:type="page"/>', '<w:br w:type="column"/>', "<w:tab/><w:tab/>",
    '<w:ptab w:relativeTo="margin" w:alignment="right" w:leader="none"/>', '<w:t xml:space="preserve"> </w:t>',
    '<w:t xml:space="preserve">\u00a0</w:t>', '</w:r><w:r><w:tab/></w:r><w:r>', "</w:r></w:p><w:p><w:r>",
)  # fmt: skip
_RTF = (r"\tab ", r"\line ", r"\tab\tab ", r"\line\tab ", r"\~", " ", r"\par ")
_HTML = (
    "<br>", "<br/><br/>", "&nbsp;", "&emsp;", "&#9;", "\n", "<span> </span>", "<b> </b>", "</p><p>", "</p>\n<hr>\n<p>", "&ensp;&thinsp;",
)  # fmt: skip
_PPTX = ("</a:t></a:r><a:br/><a:r><a:t>", "\t", "</a:t></a:r></a:p><a:p><a:r><a:t>", "</a:t></a:r><a:r><a:t> ")


def _lines(words: Words, between: Sequence[str]) -> list[tuple[str, list[str]]]:
    """Generate for each mark a line of words and figures with the mark between them."""
    n, w = words.dice.randint, words.word
    return [
        (mark, [w(), str(n(10, 99)), str(n(100, 999)), w(), str(n(1, 9)), f"{n(10, 99)}.{n(10, 99)}"])
        for mark in words.dice.sample(between, len(between))
    ]


def _flowing(
    between: Sequence[str], write: Callable[[Words, list[tuple[str, list[str]]]], Truth]
) -> Callable[[Words], Truth]:
    def make(words: Words) -> Truth:
        lines = _lines(words, between)
        data, kind, _, truth = write(words, lines)
        return data, kind, [" ".join(part for _, parts in lines for part in parts)], {"has_figures": True, **truth}

    return make


def _odt(words: Words, lines: list[tuple[str, list[str]]]) -> Truth:
    return odt("".join(f"<text:p>{mark.join(parts)}</text:p>" for mark, parts in lines)), "whole", [], {}


def _docx(words: Words, lines: list[tuple[str, list[str]]]) -> Truth:
    body = "".join(
        f"<w:p><w:r>{mark.join(f'<w:t>{part}</w:t>' for part in parts)}</w:r></w:p>" for mark, parts in lines
    )
    package = docx(blocks=[("p", "")], title="", author="")
    data = changed(package, document=lambda text: text.replace("<w:sectPr/>", f"{body}<w:sectPr/>"))
    return data, "whole", [], {}


def _rtf(words: Words, lines: list[tuple[str, list[str]]]) -> Truth:
    return rtf([rtf_written(mark.join(parts)) for mark, parts in lines] + [rtf_paragraph("")]), "whole", [], {}


def _html(words: Words, lines: list[tuple[str, list[str]]]) -> Truth:
    body = "".join(f"<p>{mark.join(parts)}</p>" for mark, parts in lines)
    return HTML.format(title="", body=body).encode(), "whole", [], {}


def _epub(words: Words, lines: list[tuple[str, list[str]]]) -> Truth:
    title = words.heading()
    body = "".join(f"<p>{mark.join(parts)}</p>" for mark, parts in lines)
    body = body.replace("<br>", "<br/>").replace("<hr>", "<hr/>")
    for name, number in (("nbsp", 160), ("emsp", 8195), ("ensp", 8194), ("thinsp", 8201)):
        body = body.replace(f"&{name};", f"&#{number};")
    data = epub([chapter(escape(title), body)], title=title)
    return data, "whole", [], {"allowed": (*title.split(), *BOOK_WORDS)}


def _pptx(words: Words, lines: list[tuple[str, list[str]]]) -> Truth:
    """One slide; marks stand in its lines as words that are replaced."""
    marks = {f"between{number}": mark for number, (mark, _) in enumerate(lines)}
    texts = [f"between{number}".join(parts) for number, (_, parts) in enumerate(lines)]

    def filled(xml: str) -> str:
        for name, mark in reversed(marks.items()):
            xml = xml.replace(name, mark)
        return xml

    data = changed(pptx(slides=[("", texts)], title="", author=""), slide1=filled)
    return data, "slide", [], {"allowed": ("Slide", "1")}


APART_WORDS: dict[str, tuple[str, Callable[[Words], Truth]]] = {
    "docx/apart.docx": (f"{OFFICE}.wordprocessingml.document", _flowing(_DOCX, _docx)),
    "epub/apart.epub": (EPUB_TYPE, _flowing(_HTML, _epub)),
    "html/apart.html": ("text/html", _flowing(_HTML, _html)),
    "odt/apart.odt": (ODT_TYPE, _flowing(_ODT, _odt)),
    "pptx/apart.pptx": (f"{OFFICE}.presentationml.presentation", _flowing(_PPTX, _pptx)),
    "rtf/apart.rtf": (RTF_TYPE, _flowing(_RTF, _rtf)),
}
"""Path → media type, and the function that makes the document."""
