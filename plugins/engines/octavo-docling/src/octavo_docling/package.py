"""The zip container of office documents: checked against limits before Docling opens it, and rewritten part by part."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from octavo_contracts import ContentTooLarge, DocumentMetadata, SourceCorrupt, SourceEncrypted, ToolUnavailable
from octavo_contracts.authoring.containers import open_container, read_member

from .engine import ENCRYPTED_REMEDY, INSTALL, PLUGIN

if TYPE_CHECKING:
    from lxml.etree import _Element

MAX_XML_BYTES: Final = 48 << 20
"""One XML member: the engine's trees take many times as much memory."""

_COMPOUND_FILE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_DECLARATIONS = tuple("<!ENTITY".encode(encoding) for encoding in ("utf-8", "utf-16-le", "utf-16-be"))
_CORE = "{http://schemas.openxmlformats.org/package/2006/metadata/core-properties}"
_DC = "{http://purl.org/dc/elements/1.1/}"
_TERMS = "{http://purl.org/dc/terms/}"
_TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_META = "{urn:oasis:names:tc:opendocument:xmlns:meta:1.0}"


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
        self._data = data
        self._zip = open_container(io.BytesIO(data), plugin=PLUGIN)
        for info in self._zip.infolist():
            self._admit(info)
        if main not in self._zip.NameToInfo:
            raise SourceCorrupt(f"the document lacks its part {main!r}", plugin=PLUGIN)
        if b"encryption-data" in self.get("META-INF/manifest.xml"):
            raise SourceEncrypted("the document is protected by a password", plugin=PLUGIN, remedy=ENCRYPTED_REMEDY)

    def _admit(self, info: zipfile.ZipInfo) -> None:
        name = info.filename
        if not name.lower().endswith((".xml", ".rels", ".vml")):
            return
        if info.file_size > MAX_XML_BYTES:
            raise ContentTooLarge(
                f"part {name[:80]!r} has {info.file_size} bytes, more than {MAX_XML_BYTES}", plugin=PLUGIN
            )
        if any(mark in self.get(info.filename) for mark in _DECLARATIONS):
            raise SourceCorrupt(f"part {name[:80]!r} declares entities", plugin=PLUGIN)

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

    @property
    def has_macros(self) -> bool:
        """Whether it carries programs: a VBA project, or the script folders of an OpenDocument."""
        return any(
            name.rpartition("/")[2].lower() == "vbaproject.bin" or name.startswith(("Basic/", "Scripts/"))
            for name in self.names()
        )

    def sheet_names(self, part: str) -> tuple[str, ...]:
        """Names of the sheets that a part of an OpenDocument workbook holds, in order; tables inside cells are none."""
        tables = parse_xml(self.get(part), part=part).findall(f".//{{*}}spreadsheet/{_TABLE}table")
        return tuple(table.get(f"{_TABLE}name", "") for table in tables)

    def rewritten(self, parts: Mapping[str, bytes]) -> bytes:
        """The container with some members replaced; its own bytes where nothing changes."""
        if not parts:
            return self._data
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as target:
            for name in self.names():
                target.writestr(name, parts[name] if name in parts else self.get(name))
        return buffer.getvalue()

    def metadata(self) -> DocumentMetadata:
        """Title, author, date and language as the document's own properties give them."""
        for part in ("docProps/core.xml", "meta.xml"):
            if data := self.get(part):
                root = parse_xml(data, part=part)
                return DocumentMetadata(
                    title=_text(root, f"{_DC}title"),
                    author=_text(root, f"{_META}initial-creator", f"{_DC}creator"),
                    date=_text(root, f"{_TERMS}modified", f"{_TERMS}created", f"{_DC}date", f"{_META}creation-date"),
                    language=_text(root, f"{_DC}language"),
                )
        return DocumentMetadata()


def _text(root: _Element, *tags: str) -> str | None:
    """The text of the first of these elements that has one."""
    found = (" ".join((element.text or "").split()) for tag in tags for element in root.iter(tag))
    return next(filter(None, found), None)


def parse_xml(data: bytes, *, part: str) -> _Element:
    """The root element of a part, parsed without entities or network.

    Raises:
        SourceCorrupt: it is not well-formed.
        ToolUnavailable: lxml is not installed.
    """
    try:
        from lxml import etree
    except ImportError as error:
        raise ToolUnavailable(f"lxml cannot be imported: {error}", plugin=PLUGIN, remedy=INSTALL) from error
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        return etree.fromstring(data, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise SourceCorrupt(f"part {part[:80]!r} is not well-formed XML: {error}", plugin=PLUGIN) from error


def xml_bytes(root: _Element) -> bytes:
    """A part's tree as bytes."""
    from lxml import etree

    return etree.tostring(root, xml_declaration=True, encoding="UTF-8", standalone=True)
