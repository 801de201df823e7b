"""Counts the parts of e-books (EPUB): those of the documents of the spine."""

from __future__ import annotations

import posixpath
from urllib.parse import unquote

from .package import Package, PackageError, attribute
from .parts import PartList
from .web_pages import count_body, parse_page


def count(package: Package, parts: PartList) -> None:
    """Add the parts of a book.

    Raises:
        PackageError: the book is damaged or beyond a limit.
    """
    container = package.tree("META-INF/container.xml")
    name = attribute(next(container.iter("{*}rootfile"), None), "full-path")
    opf = package.tree(name)
    items = {attribute(item, "id"): attribute(item, "href") for item in opf.iter("{*}item")}
    for entry in opf.iter("{*}itemref"):
        href = unquote(items.get(attribute(entry, "idref"), ""))
        part = posixpath.normpath(posixpath.join(posixpath.dirname(name), href))
        if not package.has(part) or entry.get("linear") == "no":
            continue
        page = parse_page(package.read(part))
        if page is None:
            raise PackageError(f"member {part[:80]!r} cannot be parsed")
        count_body(page, parts)
