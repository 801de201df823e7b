"""Finds the pictures inside office documents. Runs in the worker only: it parses XML of an untrusted document.

A picture is identified by the part of the container that holds it, and belongs to the slide or body that shows it.
"""

from __future__ import annotations

import posixpath
import zipfile
from collections.abc import Iterator
from itertools import islice
from typing import IO
from xml.etree import ElementTree

from octavo_contracts import HookContext, OcrFailed, SourceCorrupt, SourceView
from octavo_contracts.authoring.containers import DAMAGED

from .picture_records import MAX_SHOWN, REFERENCE_BEGINS, EmbeddedPicture, FoundPictures

_MAX_PART_BYTES = 64 << 20
CONTAINER_ERRORS = (*DAMAGED, KeyError)
"""Errors of a container that is damaged, or has no such part."""

_RELATIONSHIPS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_DRAWING = "http://schemas.openxmlformats.org/drawingml/2006/main"
_VML = "urn:schemas-microsoft-com:vml"
_PRESENTATION = "http://schemas.openxmlformats.org/presentationml/2006/main"
_SHOWS = {f"{{{_DRAWING}}}blip": f"{{{_RELATIONSHIPS}}}embed", f"{{{_VML}}}imagedata": f"{{{_RELATIONSHIPS}}}id"}
"""Element that shows a picture → attribute with the relationship id."""
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
"""Repeats the same content for programs that do not support the preferred form."""


def find_pictures(payload: bytes, source: SourceView, context: HookContext) -> bytes:
    """List the pictures that a document shows.

    Pictures of headers, footers, masters and notes are left out: they repeat, and are mostly decoration.

    Args:
        payload: unused.
        source: the document.
        context: unused.

    Returns:
        `FoundPictures`.

    Raises:
        SourceCorrupt: the parts of the document cannot be read.
    """
    try:
        with source.open() as stream, zipfile.ZipFile(stream) as archive:
            found = _found(archive, media_type=source.media_type or "")
    except (*CONTAINER_ERRORS, ElementTree.ParseError) as error:
        raise SourceCorrupt(f"cannot find the pictures of the document: {error}") from error
    return found.to_json().encode()


def open_part(stream: IO[bytes], part: str) -> bytes:
    """Read one part of a container.

    Raises:
        OcrFailed: the part does not exist, is damaged, or exceeds the size limit for pictures.
    """
    try:
        with zipfile.ZipFile(stream) as archive:
            return _part_bytes(archive, part)
    except SourceCorrupt as error:
        raise OcrFailed(error.message) from None
    except CONTAINER_ERRORS as error:
        raise OcrFailed(f"{part} cannot be read: {error}") from error


def read_part(archive: zipfile.ZipFile, part: str) -> bytes | None:
    """Read one part of an open container; None for a part that does not exist, is damaged or exceeds the size limit."""
    try:
        return _part_bytes(archive, part)
    except (*CONTAINER_ERRORS, SourceCorrupt):
        return None


def _found(archive: zipfile.ZipFile, *, media_type: str) -> FoundPictures:
    names = frozenset(archive.namelist())
    looks_like: list[int] = []
    shown = _shown(archive, names, looks_like, media_type=media_type)
    pictures = tuple(islice(shown, MAX_SHOWN))
    beyond = {picture.part for picture in shown} - {picture.part for picture in pictures}
    return FoundPictures(pictures=pictures, beyond=len(beyond), looks_like=tuple(looks_like))


def _shown(
    archive: zipfile.ZipFile, names: frozenset[str], looks_like: list[int], *, media_type: str
) -> Iterator[EmbeddedPicture]:
    """Yield each use of a picture; add pages whose text resembles a picture reference to `looks_like`."""
    for page, part in enumerate(page_parts(archive, names, media_type=media_type), start=1):
        targets = targets_of(archive, names, part)
        tree = part_tree(archive, part)
        # The converter's text of a page may include notes to which the page refers.
        others = {target for target in targets.values() if target.endswith(".xml") and target in names} - {part}
        if looks_like_reference(tree) or any(_may_look_like(archive, other) for other in sorted(others)):
            looks_like.append(page)
        for identifier in shown_ids(tree):
            target = targets.get(identifier)
            if target in names:
                yield EmbeddedPicture(page=page, part=str(target))


def _may_look_like(archive: zipfile.ZipFile, part: str) -> bool:
    """Apply `looks_like_reference` to a part; return True if it cannot be read, since a converter's text of it is unknown."""
    try:
        return looks_like_reference(part_tree(archive, part))
    except (ElementTree.ParseError, SourceCorrupt, *DAMAGED):
        return True


def looks_like_reference(tree: ElementTree.Element) -> bool:
    """Return whether the text resembles a picture reference, even if it is split into several runs."""
    return REFERENCE_BEGINS in "".join(text.strip() for text in tree.itertext())


def page_parts(archive: zipfile.ZipFile, names: frozenset[str], *, media_type: str) -> list[str]:
    """Return the parts that show pages, in order; one part for a document without pages."""
    if "presentation" not in media_type:
        return ["word/document.xml"] if "word/document.xml" in names else []
    whole = "ppt/presentation.xml"
    if whole not in names:
        return []
    targets = targets_of(archive, names, whole)
    order = part_tree(archive, whole).iter(f"{{{_PRESENTATION}}}sldId")
    return [targets[name] for slide in order if (name := slide.get(f"{{{_RELATIONSHIPS}}}id", "")) in targets]


def targets_of(archive: zipfile.ZipFile, names: frozenset[str], part: str) -> dict[str, str]:
    """Map relationship ids to their target parts, for targets inside the container."""
    folder, name = posixpath.split(part)
    listed = f"{folder}/_rels/{name}.rels"
    if listed not in names:
        return {}
    return {
        relation.get("Id", ""): posixpath.normpath(posixpath.join("/", folder, relation.get("Target", ""))).lstrip("/")
        for relation in part_tree(archive, listed)
        if relation.get("TargetMode") != "External"
    }


def shown_ids(element: ElementTree.Element) -> Iterator[str]:
    """Yield the relationship ids of the pictures below an element, in document order."""
    waiting = [element]
    while waiting:
        current = waiting.pop()
        if current.tag == _FALLBACK:
            continue
        attribute = _SHOWS.get(current.tag)
        if attribute is not None and (name := current.get(attribute)):
            yield name
        waiting.extend(reversed(current))


def part_tree(archive: zipfile.ZipFile, part: str) -> ElementTree.Element:
    """Parse a part of a container.

    Raises:
        SourceCorrupt: it is larger than the limit.
        ElementTree.ParseError: it is not well-formed.
        KeyError: there is no such part.
    """
    # expat limits entity expansion and fetches nothing external; the worker's sandbox backs both up.
    return ElementTree.fromstring(_part_bytes(archive, part))


def _part_bytes(archive: zipfile.ZipFile, part: str) -> bytes:
    if archive.getinfo(part).file_size > _MAX_PART_BYTES:
        raise SourceCorrupt(f"{part} is larger than {_MAX_PART_BYTES >> 20} MB")
    return archive.read(part)
