"""Writes small, reproducible OpenDocument texts and EPUB books."""

from __future__ import annotations

from collections.abc import Sequence
from xml.sax.saxutils import escape

from ..office_writer import zipped

ODT_TYPE = "application/vnd.oasis.opendocument.text"
EPUB_TYPE = "application/epub+zip"
BOOK_WORDS = ("Title", "Identifier", "Language", "urn", "uuid", "0", "en")
"""Words of the properties that a converter may write in front of the text of a book."""
_HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'
_OPEN = "urn:oasis:names:tc:opendocument:xmlns"
_BOOK = "http://www.idpf.org/2007"


def odt(body: str, *, styles: str = "") -> bytes:
    """Return an OpenDocument text.

    Args:
        body: the XML inside `office:text`.
        styles: the XML inside `office:automatic-styles`.
    """
    prefixes = ("office", "text", "table", "meta", *(["style"] if styles else []))
    names = " ".join(f'xmlns:{name}="{_OPEN}:{name}:1.0"' for name in prefixes)
    if styles:
        styles = f"<office:automatic-styles>{styles}</office:automatic-styles>"
    names += ' xmlns:xlink="http://www.w3.org/1999/xlink"'
    listed = "".join(
        f'<manifest:file-entry manifest:full-path="{path}" manifest:media-type="{kind}"/>'
        for path, kind in (
            ("/", ODT_TYPE),
            ("content.xml", "text/xml"),
            ("styles.xml", "text/xml"),
            ("meta.xml", "text/xml"),
        )
    )
    return zipped(
        {
            "mimetype": ODT_TYPE,
            "content.xml": f'{_HEAD}<office:document-content {names} office:version="1.3">{styles}<office:body><office:text>{body}'
            "</office:text></office:body></office:document-content>",
            "styles.xml": f'{_HEAD}<office:document-styles {names} office:version="1.3"><office:styles/></office:document-styles>',
            "meta.xml": f'{_HEAD}<office:document-meta {names} office:version="1.3"><office:meta/></office:document-meta>',
            "META-INF/manifest.xml": f'{_HEAD}<manifest:manifest xmlns:manifest="{_OPEN}:manifest:1.0" manifest:version="1.3">'
            f"{listed}</manifest:manifest>",
        },
        compress=False,
    )


def odt_list(name: str, start: int, texts: Sequence[str]) -> tuple[str, str]:
    """Return a numbered list of an OpenDocument text, and its style.

    Args:
        name: of the style.
        start: number of the first item.
        texts: its items.
    """
    items = "".join(f"<text:list-item><text:p>{escape(text)}</text:p></text:list-item>" for text in texts)
    level = f'<text:list-level-style-number text:level="1" style:num-format="1" style:num-suffix="." text:start-value="{start}"/>'
    written = f'<text:list text:style-name="{name}">{items}</text:list>'
    return written, f'<text:list-style style:name="{name}">{level}</text:list-style>'


def odt_table(grid: Sequence[Sequence[str]]) -> str:
    """Return a table of an OpenDocument text."""
    rows = "".join(
        "<table:table-row>"
        + "".join(
            f'<table:table-cell office:value-type="string"><text:p>{escape(cell)}</text:p></table:table-cell>'
            for cell in row
        )
        + "</table:table-row>"
        for row in grid
    )
    columns = f'<table:table-column table:number-columns-repeated="{len(grid[0])}"/>'
    return f'<table:table table:name="{escape(grid[0][0])}">{columns}{rows}</table:table>'


def chapter(title: str, body: str) -> str:
    """Return a file of a book."""
    return (
        f'{_HEAD}<!DOCTYPE html>\n<html xmlns="http://www.w3.org/1999/xhtml"><head><title>{escape(title)}</title></head>'
        f"<body>{body}</body></html>"
    )


def epub(chapters: Sequence[str], *, title: str, author: str = "", language: str = "en", date: str = "") -> bytes:
    """Return an EPUB book.

    Args:
        chapters: files in the order of reading, as `chapter` writes them.
        title: its title.
        author: its author; '' for none.
        language: the language that it states; '' for none, which the format does not allow.
        date: the date that it states, ISO 8601; '' for none.
    """
    names = [f"part{number}" for number in range(1, len(chapters) + 1)]
    items = "".join(f'<item id="{name}" href="{name}.xhtml" media-type="application/xhtml+xml"/>' for name in names)
    spine = "".join(f'<itemref idref="{name}"/>' for name in names)
    entries = "".join(f'<li><a href="{name}.xhtml">{name}</a></li>' for name in names)
    stated = f"<dc:language>{language}</dc:language>" if language else ""
    stated += f"<dc:date>{date}</dc:date>" if date else ""
    contents = f'<nav xmlns:epub="{_BOOK}/ops" epub:type="toc"><ol>{entries}</ol></nav>'
    return zipped(
        {
            "mimetype": EPUB_TYPE,
            "META-INF/container.xml": f'{_HEAD}<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" version="1.0">'
            '<rootfiles><rootfile full-path="book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>',
            "book.opf": f'{_HEAD}<package xmlns="{_BOOK}/opf" version="3.0" unique-identifier="id">'
            '<metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:identifier id="id">urn:uuid:0</dc:identifier>'
            f"<dc:title>{escape(title)}</dc:title>{f'<dc:creator>{escape(author)}</dc:creator>' if author else ''}{stated}</metadata>"
            f'<manifest><item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>{items}</manifest>'
            f"<spine>{spine}</spine></package>",
            "nav.xhtml": chapter("Contents", contents),
            **{f"{name}.xhtml": text for name, text in zip(names, chapters, strict=True)},
        },
        compress=False,
    )
