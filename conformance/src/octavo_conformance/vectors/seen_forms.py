"""Fresh documents whose visible text has marks, styles and names that resemble those of hidden text, or that take hiding back."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from .book_bytes import ODT_TYPE, odt
from .office_bytes import docx
from .package_changes import changed
from .rtf_bytes import RTF_TYPE, rtf, rtf_paragraph
from .truths import HTML, OFFICE, Truth
from .words import Words

_FORMS = (
    '<p style="overflow: hidden">{}</p>',
    '<div style="overflow-x:hidden; max-height: 400px"><p>{}</p></div>',
    '<p style="backface-visibility: hidden">{}</p>',
    '<p style="visibility: visible">{}</p>',
    '<p style="display: block; opacity: 0.95">{}</p>',
    '<p style="font-size: 0.9em; line-height: 0.9">{}</p>',
    '<p style="color: white; background: #203040">{}</p>',
    '<div style="background-color:#000"><p style="color:#fff">{}</p></div>',
    '<p style="text-indent: -1em; margin-left: 1em">{}</p>',
    '<p style="position: relative; left: 0; top: 0">{}</p>',
    '<p class="visible" data-hidden="false">{}</p>',
    '<p aria-hidden="false">{}</p>',
    '<p title="hidden" id="invisible-note">{}</p>',
    "<details open><summary>{}</summary></details>",
    '<p style="white-space: nowrap; text-overflow: ellipsis">{}</p>',
    '<p style="border: 0 hidden; height: auto">{}</p>',
    '<p><span style="font-variant: small-caps; letter-spacing: -0.5px">{}</span></p>',
)
"""Elements that a reader sees."""
_RUNS = (
    '<w:vanish w:val="0"/>',
    '<w:vanish w:val="false"/>',
    "<w:webHidden/>",
    '<w:color w:val="FFFFFF"/><w:shd w:val="clear" w:color="auto" w:fill="203040"/>',
    '<w:strike w:val="0"/>',
    "<w:smallCaps/>",
    "<w:outline/>",
)
"""Properties of runs that a reader sees."""
_MARKS = (r"\v0", r"\v\v0", r"\strike0", r"\scaps", r"\outl", r"\expnd-2")
"""Marks of paragraphs that a reader sees."""
_ODT = (
    '<style:text-properties text:display="true"/>',
    '<style:text-properties fo:font-variant="small-caps"/>',
    '<style:text-properties fo:color="#ffffff" fo:background-color="#203040"/>',
    '<style:text-properties style:text-line-through-style="none"/>',
)


def _shown(forms: Sequence[str], write: Callable[[Mapping[str, str]], bytes]) -> Callable[[Words], Truth]:
    """Return the maker of a document of lines in all forms, in no order, with plain ones between."""

    def make(words: Words) -> Truth:
        lines: dict[str, str] = {words.line(): ""}
        for form in words.dice.sample(forms, len(forms)):
            lines[words.line(words.dice.choice((4, 14)))] = form
            lines[words.line()] = ""
        return write(lines), "whole", [" ".join(lines)], {}

    return make


def _html(lines: Mapping[str, str]) -> bytes:
    body = "".join((form or "<p>{}</p>").format(text) for text, form in lines.items())
    return HTML.format(title="", body=body).encode()


def _docx(lines: Mapping[str, str]) -> bytes:
    def seen(found: re.Match[str]) -> str:
        return f"<w:r><w:rPr>{lines.get(found[1], '')}</w:rPr>{found[0][5:]}"

    package = docx(blocks=[("p", text) for text in lines], title="", author="")
    return changed(package, document=lambda xml: re.sub(r"<w:r><w:t[^>]*>([^<]*)", seen, xml))


def _rtf(lines: Mapping[str, str]) -> bytes:
    return rtf([rtf_paragraph(text, marks=marks) for text, marks in lines.items()])


def _odt(lines: Mapping[str, str]) -> bytes:
    names = {form: f"T{number}" for number, form in enumerate(_ODT)}
    name = 'xmlns:fo="urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0"'
    styles = "".join(
        f'<style:style {name} style:name="{named}" style:family="text">{form}</style:style>'
        for form, named in names.items()
    )
    written = (
        f'<text:p><text:span text:style-name="{names[form]}">{text}</text:span></text:p>'
        if form
        else f"<text:p>{text}</text:p>"
        for text, form in lines.items()
    )
    return odt("".join(written), styles=styles)


SEEN_FORMS: dict[str, tuple[str, Callable[[Words], Truth]]] = {
    "docx/seen.docx": (f"{OFFICE}.wordprocessingml.document", _shown(_RUNS, _docx)),
    "html/seen.html": ("text/html", _shown(_FORMS, _html)),
    "odt/seen.odt": (ODT_TYPE, _shown(_ODT, _odt)),
    "rtf/seen.rtf": (RTF_TYPE, _shown(_MARKS, _rtf)),
}
"""Path → media type, and the function that makes the document."""
