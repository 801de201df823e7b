"""The zip container of docx, pptx, xlsx and epub: opened only within limits, rewritten part by part."""

from __future__ import annotations

import io
import posixpath
import zipfile
from collections.abc import Mapping
from typing import TYPE_CHECKING

from octavo_contracts import ContentTooLarge, DocumentMetadata, SourceCorrupt, SourceEncrypted, ToolUnavailable
from octavo_contracts.authoring.containers import open_container, read_member

from .engine import ENCRYPTED_REMEDY, INSTALL, PLUGIN

if TYPE_CHECKING:
    from lxml.etree import _Element

MAX_XML_BYTES = 48 << 20
"""One XML part of a docx or pptx: the engine's trees take many times as much memory."""

_COMPOUND_FILE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_DOCTYPES = tuple("<!DOCTYPE".encode(encoding) for encoding in ("utf-8", "utf-16-le", "utf-16-be"))
_RELATIONSHIP = "{http://schemas.openxmlformats.org/package/2006/relationships}Relationship"
_CORE = "{http://schemas.openxmlformats.org/package/2006/metadata/core-properties}"
_DC = "{http://purl.org/dc/elements/1.1/}"
_DCTERMS = "{http://purl.org/dc/terms/}"


class OfficePackage:
    """A zip container whose directory was checked.

    Args:
        data: the file.

    Raises:
        SourceEncrypted: a compound file that holds an encrypted package.
        SourceCorrupt: no zip container, or unsafe names in it.
        ContentTooLarge: more entries, bytes or expansion than the limits.
    """

    def __init__(self, data: bytes) -> None:
        if data.startswith(_COMPOUND_FILE) and "EncryptedPackage".encode("utf-16-le") in data:
            raise SourceEncrypted("the document is protected by a password", plugin=PLUGIN, remedy=ENCRYPTED_REMEDY)
        self._data = data
        self._zip = open_container(io.BytesIO(data), plugin=PLUGIN)

    def names(self) -> list[str]:
        """The members' names."""
        return self._zip.namelist()

    def read(self, name: str) -> bytes:
        """Bytes of a member.

        Raises:
            SourceCorrupt: there is none, or its bytes do not unpack to what the directory says.
        """
        return read_member(self._zip, name, plugin=PLUGIN)

    def refuse_doctypes(self, *, largest: int | None = None) -> None:
        """Refuse XML parts that declare a document type: office formats have none, entity attacks need one.

        Args:
            largest: bytes of the largest XML part that is let through; `MAX_XML_BYTES` where not given.

        Raises:
            SourceCorrupt: a part declares one.
            ContentTooLarge: an XML part is larger.
        """
        most = MAX_XML_BYTES if largest is None else largest
        for info in self._zip.infolist():
            if not info.filename.lower().endswith((".xml", ".rels", ".vml")):
                continue
            if info.file_size > most:
                raise ContentTooLarge(
                    f"part {info.filename[:80]!r} has {info.file_size} bytes, more than {most}", plugin=PLUGIN
                )
            content = self.read(info.filename)
            if any(mark in content for mark in _DOCTYPES):
                raise SourceCorrupt(f"part {info.filename[:80]!r} declares a document type", plugin=PLUGIN)

    def tree(self, name: str) -> _Element:
        """The root element of an XML part, parsed without entities or network.

        Raises:
            SourceCorrupt: missing or not well-formed.
        """
        return parse_xml(self.read(name), part=name)

    def related(self, owner: str, kind: str) -> list[str]:
        """Parts that a part refers to.

        Args:
            owner: the part; empty for the container itself.
            kind: last step of the relationship's type, for example 'comments'.

        Returns:
            Names of the members, in the order written; targets outside the container are left out.
        """
        return [target for _, found, target in self._relations(owner) if found == kind]

    def targets(self, owner: str) -> dict[str, str]:
        """Members that a part refers to, by the ids of the relationships."""
        return {name: target for name, _, target in self._relations(owner)}

    def _relations(self, owner: str) -> list[tuple[str, str, str]]:
        """Id, last step of the type, and member of the relationships of a part to other parts."""
        folder, base = posixpath.split(owner)
        part = posixpath.join(folder, "_rels", f"{base}.rels")
        if part not in self._zip.NameToInfo:
            return []
        found = []
        for relation in self.tree(part).iter(_RELATIONSHIP):
            if relation.get("TargetMode") == "External":
                continue
            target = posixpath.normpath(posixpath.join("/", folder, relation.get("Target", ""))).lstrip("/")
            if target in self._zip.NameToInfo:
                found.append((relation.get("Id", ""), relation.get("Type", "").rpartition("/")[2], target))
        return found

    def rewritten(self, parts: Mapping[str, bytes]) -> bytes:
        """The container with some members replaced; its own bytes where nothing changes."""
        if not parts:
            return self._data
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as target:
            for info in self._zip.infolist():
                name = info.filename
                if not info.is_dir():
                    target.writestr(name, parts[name] if name in parts else self.read(name))
        return buffer.getvalue()

    def core_properties(self) -> DocumentMetadata:
        """Title, author, date and language as the document's own properties give them."""
        parts = self.related("", "core-properties")
        if not parts:
            return DocumentMetadata()
        root = self.tree(parts[0])

        def value(tag: str) -> str | None:
            return (root.findtext(tag) or "").strip() or None

        return DocumentMetadata(
            title=value(f"{_DC}title"),
            author=value(f"{_DC}creator"),
            date=value(f"{_DCTERMS}modified") or value(f"{_DCTERMS}created"),
            language=value(f"{_DC}language"),
        )

    @property
    def has_macros(self) -> bool:
        """Whether it carries a VBA project."""
        return any(posixpath.basename(name).lower() == "vbaproject.bin" for name in self.names())


def parse_xml(data: bytes, *, part: str) -> _Element:
    """The root element of XML, parsed without entities or network.

    Raises:
        SourceCorrupt: not well-formed, or nothing but a declaration.
        ToolUnavailable: lxml, which the engine brings, is not installed.
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
