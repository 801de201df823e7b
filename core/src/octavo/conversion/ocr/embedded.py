"""The pictures inside office documents. Runs in the worker only: it reads XML that the document's author made.

A picture is named by the part of the container that holds it, and stands on the slide, or in the body, that shows it.
"""

from __future__ import annotations

import posixpath
import zipfile
import zlib
from collections.abc import Iterator
from itertools import islice
from typing import IO
from xml.etree import ElementTree

from octavo_contracts import HookContext, OcrFailed, SourceCorrupt, SourceView

from .picture_records import MAX_SHOWN, REFERENCE_BEGINS, EmbeddedPicture, FoundPictures

_MAX_PART_BYTES = 64 << 20

_RELATIONSHIPS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_DRAWING = "http://schemas.openxmlformats.org/drawingml/2006/main"
_VML = "urn:schemas-microsoft-com:vml"
_PRESENTATION = "http://schemas.openxmlformats.org/presentationml/2006/main"
_SHOWS = {f"{{{_DRAWING}}}blip": f"{{{_RELATIONSHIPS}}}embed", f"{{{_VML}}}imagedata": f"{{{_RELATIONSHIPS}}}id"}
"""Element that shows a picture → its attribute that names the relationship."""
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
"""The same content again, for programs that do not know the first form of it."""


def find_pictures(payload: bytes, source: SourceView, context: HookContext) -> bytes:
    """Say which pictures a document shows.

    Those of headers, footers, masters and notes are not among them: they repeat, and are mostly ornament.

    Args:
        payload: nothing.
        source: the document.
        context: not needed.

    Returns:
        `FoundPictures`.

    Raises:
        SourceCorrupt: its parts cannot be read.
    """
    try:
        with source.open() as stream, zipfile.ZipFile(stream) as archive:
            found = _found(archive, media_type=source.media_type or "")
    except (zipfile.BadZipFile, zlib.error, OSError, NotImplementedError, ElementTree.ParseError, KeyError) as error:
        raise SourceCorrupt(f"the pictures of the document cannot be found: {error}") from error
    return found.to_json().encode()


def open_part(stream: IO[bytes], part: str) -> bytes:
    """The bytes of one part of a container.

    Raises:
        OcrFailed: there is no such part, it is damaged, or larger than any picture should be.
    """
    try:
        with zipfile.ZipFile(stream) as archive:
            if archive.getinfo(part).file_size > _MAX_PART_BYTES:
                raise OcrFailed(f"{part} has more than {_MAX_PART_BYTES >> 20} MB")
            return archive.read(part)
    except (zipfile.BadZipFile, zlib.error, OSError, NotImplementedError, KeyError, RuntimeError) as error:
        raise OcrFailed(f"{part} cannot be read: {error}") from error


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
    """Each showing of a picture; pages whose words look like a reference to one are added to `looks_like`."""
    for page, part in enumerate(_parts(archive, names, media_type=media_type), start=1):
        targets = _targets(archive, names, part)
        tree = _tree(archive, part)
        # What a converter gives with the page may stand in notes that the page leads to.
        others = {target for target in targets.values() if target.endswith(".xml") and target in names} - {part}
        if _looks_like(tree) or any(_may_look_like(archive, other) for other in sorted(others)):
            looks_like.append(page)
        for identifier in _pictures_of(tree):
            target = targets.get(identifier)
            if target in names:
                yield EmbeddedPicture(page=page, part=str(target))


def _may_look_like(archive: zipfile.ZipFile, part: str) -> bool:
    """As `_looks_like`; of a part that cannot be read nobody knows what a converter gives of it."""
    try:
        return _looks_like(_tree(archive, part))
    except (ElementTree.ParseError, SourceCorrupt, zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError):
        return True


def _looks_like(tree: ElementTree.Element) -> bool:
    """Whether the words could be taken for a reference to a picture, in however many pieces they are written."""
    return REFERENCE_BEGINS in "".join(text.strip() for text in tree.itertext())


def _parts(archive: zipfile.ZipFile, names: frozenset[str], *, media_type: str) -> list[str]:
    """The parts that show pages, in their order; one where there are none."""
    if "presentation" not in media_type:
        return ["word/document.xml"] if "word/document.xml" in names else []
    whole = "ppt/presentation.xml"
    if whole not in names:
        return []
    targets = _targets(archive, names, whole)
    order = _tree(archive, whole).iter(f"{{{_PRESENTATION}}}sldId")
    return [targets[name] for slide in order if (name := slide.get(f"{{{_RELATIONSHIPS}}}id", "")) in targets]


def _targets(archive: zipfile.ZipFile, names: frozenset[str], part: str) -> dict[str, str]:
    """Relationship → the part it leads to, for those inside the container."""
    folder, name = posixpath.split(part)
    listed = f"{folder}/_rels/{name}.rels"
    if listed not in names:
        return {}
    return {
        relation.get("Id", ""): posixpath.normpath(posixpath.join("/", folder, relation.get("Target", ""))).lstrip("/")
        for relation in _tree(archive, listed)
        if relation.get("TargetMode") != "External"
    }


def _pictures_of(element: ElementTree.Element) -> Iterator[str]:
    """The relationships of the pictures below an element, in the order of the document."""
    waiting = [element]
    while waiting:
        current = waiting.pop()
        if current.tag == _FALLBACK:
            continue
        attribute = _SHOWS.get(current.tag)
        if attribute is not None and (name := current.get(attribute)):
            yield name
        waiting.extend(reversed(current))


def _tree(archive: zipfile.ZipFile, part: str) -> ElementTree.Element:
    if archive.getinfo(part).file_size > _MAX_PART_BYTES:
        raise SourceCorrupt(f"{part} has more than {_MAX_PART_BYTES >> 20} MB")
    # Billion laughs end in expat's own limit, and nothing external is ever fetched; the worker's fence is behind both.
    return ElementTree.fromstring(archive.read(part))
