"""Reads the members of a zip container within limits, and parses XML without entities and network."""

from __future__ import annotations

import posixpath
import zipfile
from types import TracebackType
from typing import TYPE_CHECKING, BinaryIO, Self
from urllib.parse import unquote

if TYPE_CHECKING:
    from lxml.etree import _Element

MAX_ENTRIES = 10_000
MAX_MEMBER_BYTES = 48 << 20
MAX_TOTAL_BYTES = 192 << 20
"""Bytes that all members together may unpack to: a container that passes this is not counted."""


class PackageError(Exception):
    """The container cannot be counted: it is damaged or beyond a limit."""


class Package:
    """An open container.

    Args:
        stream: the document.

    Raises:
        zipfile.BadZipFile: no zip container.
        PackageError: more entries than `MAX_ENTRIES`.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._zip = zipfile.ZipFile(stream)
        self._sizes = {info.filename: info.file_size for info in self._zip.infolist()}
        self._unpacked = 0
        if len(self._sizes) > MAX_ENTRIES:
            raise PackageError(f"the container has more than {MAX_ENTRIES} entries")

    def __enter__(self) -> Self:
        """Return the package."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the container; the stream is the caller's."""
        self._zip.close()

    def has(self, name: str) -> bool:
        """Return whether there is a member of this name."""
        return name in self._sizes

    def names(self, beginning: str) -> list[str]:
        """Return the names of the XML members that begin like this, sorted."""
        return sorted(name for name in self._sizes if name.startswith(beginning) and name.endswith(".xml"))

    def read(self, name: str) -> bytes:
        """Return a member's bytes.

        Raises:
            PackageError: there is no such member, or a limit was reached.
        """
        if name not in self._sizes:
            raise PackageError(f"the container has no member {name[:80]!r}")
        room = min(MAX_MEMBER_BYTES, MAX_TOTAL_BYTES - self._unpacked)
        with self._zip.open(name) as member:
            data = member.read(room + 1)
        if len(data) > room:
            raise PackageError(f"member {name[:80]!r} unpacks to too many bytes")
        self._unpacked += len(data)
        return data

    def tree(self, name: str) -> _Element:
        """Return the root element of an XML member, without alternatives for older programs.

        Raises:
            PackageError: missing, beyond a limit, or not well-formed.
        """
        root = parse_xml(self.read(name))
        for fallback in list(root.iter("{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback")):
            parent = fallback.getparent()
            if parent is not None:
                parent.remove(fallback)
        return root

    def trees(self, beginning: str) -> list[_Element]:
        """Return the root elements of all XML members whose names begin like this."""
        return [self.tree(name) for name in self.names(beginning)]

    def relations(self, part: str) -> dict[str, tuple[str, str, bool]]:
        """Return id → (kind, target, whether it is external) of a part's relationships.

        Targets inside the container are names of members.
        """
        folder, name = posixpath.split(part)
        listing = posixpath.join(folder, "_rels", f"{name}.rels")
        if not self.has(listing):
            return {}
        found = {}
        for relation in self.tree(listing).iter("{*}Relationship"):
            target, external = relation.get("Target", ""), relation.get("TargetMode") == "External"
            if not external:
                joined = target.lstrip("/") if target.startswith("/") else posixpath.join(folder, target)
                target = posixpath.normpath(unquote(joined))
            found[relation.get("Id", "")] = (relation.get("Type", "").rsplit("/", 1)[-1], target, external)
        return found

    def related(self, part: str, kind: str) -> list[str]:
        """Return the members to which a part has a relationship of this kind."""
        return [
            target
            for found, target, external in self.relations(part).values()
            if found == kind and not external and self.has(target)
        ]


def link_target(target: str, place: str) -> str:
    """Return the address of a link: its target with the place in it, which is stored apart, as the fragment."""
    return f"{target}#{place}" if place and "#" not in target else target


def parse_xml(data: bytes) -> _Element:
    """Return the root element of XML.

    Raises:
        PackageError: not well-formed.
    """
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        return etree.fromstring(data, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise PackageError(f"XML is not well-formed: {error}") from error


def local(element: _Element) -> str:
    """Return an element's name without its namespace; '' for comments and instructions."""
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def attribute(element: _Element | None, name: str) -> str:
    """Return the attribute of this local name, in any namespace; '' if there is none."""
    if element is None:
        return ""
    return next((str(value) for key, value in element.attrib.items() if str(key).rpartition("}")[2] == name), "")


def relationship_id(element: _Element) -> str:
    """Return the attribute `r:id`, which some elements have beside an `id` without a namespace; '' if there is none."""
    return next((str(value) for key, value in element.attrib.items() if str(key).endswith("}id")), "")
