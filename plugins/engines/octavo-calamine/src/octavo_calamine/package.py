"""The zip container of xlsx, xlsb and ods: opened only within limits, its XML parsed without entities."""

from __future__ import annotations

import posixpath
import zipfile
from collections.abc import Callable
from typing import BinaryIO
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from octavo_contracts import SourceCorrupt
from octavo_contracts.authoring.containers import open_container, read_member

_PLUGIN = "calamine"
StartHandler = Callable[[str, dict[str, str]], None]
EndHandler = Callable[[str], None]
TextHandler = Callable[[str], None]


class Package:
    """A zip container whose members are found by name, whatever the case, as the engine finds them.

    Raises:
        SourceCorrupt: it is no zip, or holds names that are absolute, climb with `..` or stand twice.
        ContentTooLarge: more entries, bytes or expansion than the limits of `octavo_contracts.authoring.containers`.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._zip = open_container(stream, plugin=_PLUGIN)
        self._members: dict[str, zipfile.ZipInfo] = {}
        for info in self._zip.infolist():
            if _key(info.filename) in self._members:
                raise SourceCorrupt(f"the container holds {info.filename[:80]!r} in two cases", plugin=_PLUGIN)
            self._members[_key(info.filename)] = info

    def names(self) -> list[str]:
        """The members' names, lower-cased, with forward slashes."""
        return list(self._members)

    def __contains__(self, name: str) -> bool:
        return _key(name) in self._members

    def read(self, name: str) -> bytes:
        """Bytes of a member.

        Raises:
            SourceCorrupt: there is none of this name, or its bytes do not unpack to what the directory says.
        """
        info = self._members.get(_key(name))
        if info is None:
            raise SourceCorrupt(f"the workbook names a part that it does not hold: {name[:80]!r}", plugin=_PLUGIN)
        return read_member(self._zip, info, plugin=_PLUGIN)


def _key(name: str) -> str:
    return name.replace("\\", "/").lower()


def parse_xml(
    data: bytes, *, part: str, start: StartHandler, end: EndHandler | None = None, text: TextHandler | None = None
) -> None:
    """Parse XML with handlers that get names without their prefixes.

    Args:
        data: the document.
        part: its name, for messages.
        start: called with an element's local name and its attributes as written.
        end: called with an element's local name.
        text: called with pieces of text.

    Raises:
        SourceCorrupt: not well-formed, or a document type is declared, which office formats forbid and
            entity attacks need.
    """
    parser = expat.ParserCreate()
    parser.buffer_text = True

    def refuse_doctype(*_: object) -> None:
        raise SourceCorrupt(f"part {part!r} declares a document type, which no office format allows")

    parser.StartDoctypeDeclHandler = refuse_doctype
    parser.StartElementHandler = lambda name, attributes: start(local(name), attributes)
    if end is not None:
        parser.EndElementHandler = lambda name: end(local(name))
    if text is not None:
        parser.CharacterDataHandler = text
    try:
        parser.Parse(data, True)
    except (expat.ExpatError, ValueError) as error:
        raise SourceCorrupt(f"part {part!r} is not well-formed XML: {error}") from error


def parse_tree(data: bytes, *, part: str) -> Element:
    """Parse XML to a tree whose names carry their namespaces in braces.

    Raises:
        SourceCorrupt: not well-formed, or a document type is declared.
    """
    builder = TreeBuilder()
    parser = expat.ParserCreate(namespace_separator="}")
    parser.buffer_text = True

    def refuse_doctype(*_: object) -> None:
        raise SourceCorrupt(f"part {part!r} declares a document type, which no office format allows")

    parser.StartDoctypeDeclHandler = refuse_doctype
    parser.StartElementHandler = lambda name, attributes: builder.start(
        _in_braces(name), {_in_braces(key): value for key, value in attributes.items()}
    )
    parser.EndElementHandler = lambda name: builder.end(_in_braces(name))
    parser.CharacterDataHandler = builder.data
    try:
        parser.Parse(data, True)
    except (expat.ExpatError, ValueError) as error:
        raise SourceCorrupt(f"part {part!r} is not well-formed XML: {error}") from error
    return builder.close()


def _in_braces(name: str) -> str:
    return f"{{{name}" if "}" in name else name


def local(name: str) -> str:
    """An XML name without its prefix."""
    return name.rpartition(":")[2]


def local_attributes(attributes: dict[str, str]) -> dict[str, str]:
    """Attributes by local name; where two share one, that without a prefix wins."""
    return {local(name): value for name, value in sorted(attributes.items(), key=lambda item: ":" not in item[0])}


def relationships(package: Package, owner: str) -> dict[str, str]:
    """Targets of a part's relationships: id → name of the member.

    Args:
        package: the container.
        owner: the part, for example 'xl/workbook.xml'.

    Raises:
        SourceCorrupt: the relationship part is missing or not well-formed.
    """
    folder, base = posixpath.split(owner)
    targets: dict[str, str] = {}

    def start(name: str, attributes: dict[str, str]) -> None:
        if name == "Relationship":
            values = local_attributes(attributes)
            target = values.get("Target", "").replace("\\", "/")
            if not target.startswith(("/", f"{folder}/")):
                target = f"{folder}/{target}"
            targets[values.get("Id", "")] = posixpath.normpath(target.lstrip("/"))

    part = f"{folder}/_rels/{base}.rels"
    parse_xml(package.read(part), part=part, start=start)
    return targets


def related(package: Package, owner: str) -> dict[str, tuple[str, str]]:
    """Relationships of a part to members: id → last word of the type, and the member's name; empty where it has none.

    Raises:
        SourceCorrupt: the relationship part is not well-formed.
    """
    folder, base = posixpath.split(owner)
    part = f"{folder}/_rels/{base}.rels"
    found: dict[str, tuple[str, str]] = {}

    def start(name: str, attributes: dict[str, str]) -> None:
        values = local_attributes(attributes)
        if name == "Relationship" and values.get("TargetMode", "").lower() != "external":
            target = posixpath.normpath(posixpath.join("/", folder, values.get("Target", "").replace("\\", "/")))
            found[values.get("Id", "")] = values.get("Type", "").rpartition("/")[2].lower(), target.lstrip("/")

    if part in package:
        parse_xml(package.read(part), part=part, start=start)
    return found
