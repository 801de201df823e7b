"""The images of OpenDocument files, EPUB books, notebooks and web pages. Runs in the worker only."""

from __future__ import annotations

import base64
import binascii
import json
import re
import zipfile
from collections.abc import Iterator
from typing import Any

from ..ocr.embedded import part_tree, read_part
from .image_records import CollectedImages
from .image_set import ImageSet, image_extension

_DRAW = "urn:oasis:names:tc:opendocument:xmlns:drawing:1.0"
_SVG = "urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0"
_HREF = "{http://www.w3.org/1999/xlink}href"
_TABLE = "urn:oasis:names:tc:opendocument:xmlns:table:1.0"
_IN_A_BOOK = re.compile(r"\.(?:png|jpe?g|gif|svg|webp|bmp)$", re.IGNORECASE)
_DATA_URI = re.compile(rb"data:image/[\w.+-]{1,40};base64,([A-Za-z0-9+/=\s%]{16,})")
_OUTSIDE = re.compile(rb"<img\b[^<>]{0,2000}?\bsrc\s*=\s*[\"']?(?!data:|cid:)[^\s\"'>]", re.IGNORECASE)


def collect_from_opendocument(archive: zipfile.ZipFile, *, media_type: str) -> CollectedImages:
    """Collect the images of a text document, a presentation (by slide) or a workbook (by sheet)."""
    found = ImageSet()
    page: int | None = None
    starts = f"{{{_TABLE}}}table" if "spreadsheet" in media_type else f"{{{_DRAW}}}page"
    for element in part_tree(archive, "content.xml").iter():
        if element.tag == starts:
            page = (page or 0) + 1
        elif element.tag == f"{{{_DRAW}}}frame":
            image = next((one for one in element if one.tag == f"{{{_DRAW}}}image"), None)
            href = image.get(_HREF, "") if image is not None else ""
            if not href:
                continue
            data = read_part(archive, href.removeprefix("./"))
            said = " ".join(
                "".join(one.itertext()) for one in element if one.tag in (f"{{{_SVG}}}desc", f"{{{_SVG}}}title")
            )
            if data is None:
                found.miss()
            else:
                found.add(data, name=href.rpartition("/")[2], page=page, description=" ".join(said.split()))
    return found.collected()


def collect_from_book(archive: zipfile.ZipFile) -> CollectedImages:
    """Collect the images of an EPUB book, in the order of its files."""
    found = ImageSet()
    for name in archive.namelist():
        if _IN_A_BOOK.search(name):
            data = read_part(archive, name)
            if data is None:
                found.miss()
            else:
                found.add(data, name=name.rpartition("/")[2])
    return found.collected()


def collect_from_notebook(data: bytes) -> CollectedImages:
    """Collect the images that a notebook's cells put out or have attached."""
    found = ImageSet()
    try:
        notebook = json.loads(data)
    except ValueError:
        return found.collected()
    for kind, content in _notebook_images(notebook):
        text = "".join(content) if isinstance(content, list) else str(content)
        image = text.encode() if kind == "image/svg+xml" else _decoded(text.encode())
        if image is None:
            found.miss()
        else:
            found.add(image)
    return found.collected()


def collect_from_page(data: bytes) -> CollectedImages:
    """Collect the images that stand in a web page itself, as data URIs; those that it links to are counted as unread."""
    found = ImageSet()
    for match in _DATA_URI.finditer(data):
        image = _decoded(
            match[1].replace(b"%0A", b"").replace(b"%2B", b"+").replace(b"%2F", b"/").replace(b"%3D", b"=")
        )
        if image is None or image_extension(image) is None:
            found.miss()
        else:
            found.add(image)
    for _ in _OUTSIDE.finditer(data):
        found.miss()
    return found.collected()


def _notebook_images(notebook: Any) -> Iterator[tuple[str, Any]]:
    cells = notebook.get("cells", ()) if isinstance(notebook, dict) else ()
    for cell in cells if isinstance(cells, list) else ():
        if not isinstance(cell, dict):
            continue
        attached = cell.get("attachments")
        bundles = list(attached.values()) if isinstance(attached, dict) else []
        outputs = cell.get("outputs")
        bundles += [one.get("data") for one in outputs if isinstance(one, dict)] if isinstance(outputs, list) else []
        for bundle in bundles:
            if isinstance(bundle, dict):
                yield from ((kind, body) for kind, body in bundle.items() if str(kind).startswith("image/"))


def _decoded(text: bytes) -> bytes | None:
    try:
        return base64.b64decode(b"".join(text.split()), validate=True)
    except binascii.Error:
        return None
