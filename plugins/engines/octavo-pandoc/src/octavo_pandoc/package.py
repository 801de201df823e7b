"""The zip container of docx, odt and epub: checked against limits before Pandoc unpacks it."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Mapping
from html.entities import html5
from typing import TYPE_CHECKING

from octavo_contracts import ContentTooLarge, SourceCorrupt, SourceEncrypted
from octavo_contracts.authoring.containers import open_container, read_member

from .program import PLUGIN

if TYPE_CHECKING:
    from lxml.etree import _Element

MAX_XML_BYTES = 32 << 20
"""One XML member: Pandoc's tree of it takes many times as much memory."""

CHAPTERS = (".xhtml", ".html", ".htm")
"""Endings of the names of an e-book's chapters."""

ENCRYPTED_REMEDY = "Open it in its program, take the password off, and try again"
_COMPOUND_FILE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_DECLARATIONS = tuple("<!ENTITY".encode(encoding) for encoding in ("utf-8", "utf-16-le", "utf-16-be"))
_ENTITY = re.compile(rb"<!\[CDATA\[.*?\]\]>|&([A-Za-z][A-Za-z0-9]*);", re.DOTALL)
_XML_ENTITIES = (b"amp", b"lt", b"gt", b"quot", b"apos")
_XML_NAMES = (".xml", ".rels", ".xhtml", ".html", ".htm", ".opf", ".ncx")


class Package:
    """A container whose directory and XML members were checked.

    Args:
        data: the file.
        main: the member that its format must have.

    Raises:
        SourceEncrypted: it is protected by a password.
        SourceCorrupt: no zip container, unsafe names, no main member, or one that declares entities.
        ContentTooLarge: more entries, bytes or expansion than the limits.
    """

    def __init__(self, data: bytes, *, main: str) -> None:
        if data.startswith(_COMPOUND_FILE) and "EncryptedPackage".encode("utf-16-le") in data:
            raise SourceEncrypted("the document is protected by a password", plugin=PLUGIN, remedy=ENCRYPTED_REMEDY)
        self.data = data
        self._zip = open_container(io.BytesIO(data), plugin=PLUGIN)
        for info in self._zip.infolist():
            self._admit(info)
        if main not in self._zip.NameToInfo:
            raise SourceCorrupt(f"the document lacks its part {main!r}", plugin=PLUGIN)
        if b"encryption-data" in self.get("META-INF/manifest.xml"):
            raise SourceEncrypted("the document is protected by a password", plugin=PLUGIN, remedy=ENCRYPTED_REMEDY)

    def _admit(self, info: zipfile.ZipInfo) -> None:
        name = info.filename
        if not name.lower().endswith(_XML_NAMES):
            return
        if info.file_size > MAX_XML_BYTES:
            raise ContentTooLarge(
                f"part {name[:80]!r} has {info.file_size} bytes, more than {MAX_XML_BYTES}", plugin=PLUGIN
            )
        refuse_entities(self.get(info.filename), part=name)

    def get(self, name: str) -> bytes:
        """Bytes of a member; none where it is not there.

        Raises:
            SourceCorrupt: its bytes do not unpack to what the directory says.
        """
        if name not in self._zip.NameToInfo:
            return b""
        return read_member(self._zip, name, plugin=PLUGIN)

    def names(self) -> list[str]:
        """The members' names."""
        return self._zip.namelist()

    def cut_off(self) -> list[str]:
        """The chapters of a book that begin as a whole page and do not end as one: Pandoc reads HTML, which may end anywhere."""
        chapters = [name for name in self.names() if name.lower().endswith(CHAPTERS)]
        texts = ((name, self.get(name).lower()) for name in chapters)
        return [name for name, text in texts if b"<html" in text and b"</html" not in text]

    def rewritten(self, parts: Mapping[str, bytes]) -> bytes:
        """The container with some members replaced; its own bytes where nothing changes."""
        if not parts:
            return self.data
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as target:
            for name in self.names():
                target.writestr(name, parts[name] if name in parts else self.get(name))
        return buffer.getvalue()


def refuse_entities(data: bytes, *, part: str) -> None:
    """Refuse XML that declares entities: no format read here needs one, every entity attack does.

    Raises:
        SourceCorrupt: it declares one.
    """
    if any(mark in data for mark in _DECLARATIONS):
        raise SourceCorrupt(f"part {part[:80]!r} declares entities", plugin=PLUGIN)


def spell_out_entities(data: bytes) -> bytes:
    """XML with the entities of HTML as numbers: articles use them, and the file that declares them is never fetched."""

    def number(match: re.Match[bytes]) -> bytes:
        characters = html5.get(f"{match[1].decode()};", "") if match[1] and match[1] not in _XML_ENTITIES else ""
        return "".join(f"&#{ord(character)};" for character in characters).encode() or match[0]

    return _ENTITY.sub(number, data)


def parse_xml(data: bytes, *, part: str) -> _Element:
    """The root element of XML that declares no entity; nothing outside of it is read.

    Raises:
        SourceCorrupt: it declares entities, or is not well-formed.
    """
    from lxml import etree

    refuse_entities(data, part=part)
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, remove_comments=True, remove_pis=True
    )
    try:
        return etree.fromstring(data, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise SourceCorrupt(f"part {part[:80]!r} is not well-formed XML: {error}", plugin=PLUGIN) from error


def xml_bytes(root: _Element) -> bytes:
    """A part's tree as bytes, every prefix as it was: Pandoc knows elements by their prefix."""
    from lxml import etree

    return etree.tostring(root, xml_declaration=True, encoding="UTF-8", standalone=True)
