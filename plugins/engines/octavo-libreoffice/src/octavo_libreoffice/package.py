"""Opens the OpenDocument container written by LibreOffice, within limits."""

from __future__ import annotations

import zipfile
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

from octavo_contracts import ContentTooLarge, ConverterCrashed, DocumentMetadata
from octavo_contracts.authoring.mathml import tex_of

from .program import PLUGIN

if TYPE_CHECKING:
    from lxml.etree import _Element

MAX_XML_BYTES = 96 << 20
"""One XML part: as a tree it takes some eight times as much memory."""

_NAMES = {
    name: f"{{urn:oasis:names:tc:opendocument:xmlns:{uri}:1.0}}"
    for name, uri in {
        "office": "office", "text": "text", "table": "table", "draw": "drawing", "style": "style", "meta": "meta",
        "presentation": "presentation", "chart": "chart", "fo": "xsl-fo-compatible",
        "svg": "svg-compatible",
    }.items()
}  # fmt: skip
_NAMES |= {"xlink": "{http://www.w3.org/1999/xlink}", "dc": "{http://purl.org/dc/elements/1.1/}"}


def tag(name: str) -> str:
    """The full name of 'text:p' and its like."""
    prefix, _, local = name.partition(":")
    return _NAMES[prefix] + local


class Answer:
    """The container.

    Args:
        path: the file that LibreOffice wrote.

    Attributes:
        has_formulas: whether a formula was read.
    """

    def __init__(self, path: Path) -> None:
        self.has_formulas = False
        try:
            self._zip = zipfile.ZipFile(path)
        except (OSError, zipfile.BadZipFile) as error:
            raise ConverterCrashed(f"LibreOffice left a file that cannot be opened: {error}", plugin=PLUGIN) from error

    def close(self) -> None:
        """Let go of the file."""
        self._zip.close()

    def tree(self, part: str) -> _Element | None:
        """Return the root element of a part; None if the part is missing.

        Raises:
            ContentTooLarge: it has more than `MAX_XML_BYTES`.
            ConverterCrashed: it is not well-formed.
        """
        from lxml import etree

        info = self._zip.NameToInfo.get(part)
        if info is None:
            return None
        if info.file_size > MAX_XML_BYTES:
            raise ContentTooLarge(f"the document's text has {info.file_size >> 20} MiB of XML", plugin=PLUGIN)
        parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=True)
        try:
            return etree.fromstring(self._zip.read(info), parser)
        except (etree.XMLSyntaxError, zipfile.BadZipFile, zlib.error) as error:
            raise ConverterCrashed(f"LibreOffice's part {part!r} cannot be read: {error}", plugin=PLUGIN) from error

    def formula(self, address: str) -> str:
        """Return the formula of an embedded object as TeX; '' for any other object.

        Raises:
            ContentTooLarge, ConverterCrashed: see `tree`.
        """
        root = self.tree(f"{address.removeprefix('./')}/content.xml")
        if root is None or not root.tag.endswith("}math"):
            return ""
        self.has_formulas = True
        return tex_of(root)

    def metadata(self) -> DocumentMetadata:
        """Title, author, date and language of the document."""
        root = self.tree("meta.xml")
        found: dict[str, str] = {}
        for field, names in _FIELDS.items():
            texts = ((root.findtext(f".//{tag(name)}") or "").strip() for name in names) if root is not None else ()
            if text := next(filter(None, texts), None):
                found[field] = text
        return DocumentMetadata(**found)  # type: ignore[arg-type]  # four fields, all of them texts


_FIELDS = {
    "title": ("dc:title",),
    "author": ("meta:initial-creator", "dc:creator"),
    "date": ("dc:date", "meta:creation-date"),
    "language": ("dc:language",),
}
