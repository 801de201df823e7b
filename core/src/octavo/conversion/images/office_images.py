"""The images of Office Open XML documents, by the slide, sheet or body that shows them. Runs in the worker only."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from xml.etree import ElementTree

from ..ocr.embedded import looks_like_reference, page_parts, part_tree, read_part, shown_ids, targets_of
from .image_records import CollectedImages
from .image_set import ImageSet

_SHEETS = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_RELATIONSHIPS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_NAMES_A_SHAPE = frozenset({"docPr", "cNvPr"})


def collect_from_office(archive: zipfile.ZipFile, *, media_type: str) -> CollectedImages:
    """Collect the images that a text document, a presentation or a workbook shows.

    Images of headers, footers, masters and notes are left out.

    Args:
        archive: the document.
        media_type: its type by content.
    """
    names = frozenset(archive.namelist())
    found, looks_like = ImageSet(), []
    for page, part in _pages(archive, names, media_type):
        tree = part_tree(archive, part)
        if looks_like_reference(tree):
            looks_like.append(page)
        descriptions = _descriptions(tree)
        targets = targets_of(archive, names, part)
        for identifier in shown_ids(tree):
            target = targets.get(identifier)
            if target not in names or (data := read_part(archive, str(target))) is None:
                found.miss()
                continue
            name = str(target).rpartition("/")[2]
            found.add(data, name=name, page=page, description=descriptions.get(identifier, ""))
    return found.collected(looks_like=tuple(looks_like))


def _pages(archive: zipfile.ZipFile, names: frozenset[str], media_type: str) -> Iterator[tuple[int, str]]:
    """Number and part of everything that shows images; of a workbook the drawings of each sheet."""
    if "spreadsheet" not in media_type and "excel" not in media_type:
        yield from enumerate(page_parts(archive, names, media_type=media_type), start=1)
        return
    whole = "xl/workbook.xml"
    if whole not in names:
        return
    sheets = targets_of(archive, names, whole)
    order = part_tree(archive, whole).iter(f"{{{_SHEETS}}}sheet")
    for number, sheet in enumerate(order, start=1):
        part = sheets.get(sheet.get(f"{{{_RELATIONSHIPS}}}id", ""))
        for target in targets_of(archive, names, part).values() if part in names else ():
            if target in names and target.startswith("xl/drawings/") and target.endswith(".xml"):
                yield number, target


def _descriptions(tree: ElementTree.Element) -> dict[str, str]:
    """Relationship id of an image -> what its shape says of it; the first shape that shows the image."""
    found: dict[str, str] = {}
    for shape in filter(_is_shape, tree.iter()):
        name = next((one for one in shape.iter() if one.tag.rpartition("}")[2] in _NAMES_A_SHAPE), None)
        ids = list(shown_ids(shape))
        if name is not None and len(ids) == 1:
            found.setdefault(ids[0], " ".join((name.get("descr") or "").split()))
    return found


def _is_shape(element: ElementTree.Element) -> bool:
    return element.tag.rpartition("}")[2] in ("pic", "inline", "anchor")
