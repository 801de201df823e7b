"""Metadata of a document: from its properties, and from Pandoc's metadata."""

from __future__ import annotations

from typing import Any

from octavo_contracts import DocumentMetadata
from octavo_contracts.authoring import collapse

from .inlines import plain
from .package import Package, parse_xml

_CORE = "{http://schemas.openxmlformats.org/package/2006/metadata/core-properties}"
_DC = "{http://purl.org/dc/elements/1.1/}"
_TERMS = "{http://purl.org/dc/terms/}"
_META = "{urn:oasis:names:tc:opendocument:xmlns:meta:1.0}"

_META_KEYS = {
    "title": "title",
    "author": "author",
    "creator": "author",
    "date": "date",
    "lang": "language",
    "language": "language",
}
"""Pandoc's name → ours; the first that has a text counts."""
_PARTS = ("docProps/core.xml", "meta.xml")
_TAGS = {
    "title": (f"{_DC}title",),
    "author": (f"{_META}initial-creator", f"{_DC}creator"),
    "date": (f"{_TERMS}modified", f"{_DC}date", f"{_TERMS}created", f"{_META}creation-date"),
    "language": (f"{_DC}language",),
}


def own_properties(package: Package) -> dict[str, str]:
    """Return title, author, date and language from the properties of a docx or odt; omit missing ones."""
    part = next((name for name in _PARTS if package.get(name)), None)
    if part is None:
        return {}
    root = parse_xml(package.get(part), part=part)
    found: dict[str, str] = {}
    for key, tags in _TAGS.items():
        texts = ((root.findtext(f".//{tag}") or "").strip() for tag in tags)
        if text := next(filter(None, texts), None):
            found[key] = text
    return found


def text_properties(meta: dict[str, Any]) -> dict[str, str]:
    """The same from Pandoc's `meta`, which it takes from the text, an EPUB's package or an RTF's information."""
    found: dict[str, str] = {}
    for name, key in _META_KEYS.items():
        if text := meta_text(meta.get(name)):
            found.setdefault(key, text)
    return found


def meta_text(value: Any) -> str:
    """A value of `meta` as text; several are parted by commas."""
    if not value:
        return ""
    kind, content = value["t"], value["c"]
    if kind == "MetaList":
        return ", ".join(filter(None, map(meta_text, content)))
    if kind == "MetaMap":
        named = content.get("text") or content.get("name")
        return meta_text(named)
    if kind == "MetaString":
        return collapse(content).strip()
    return "" if kind == "MetaBool" else collapse(plain(content)).strip()


def metadata_of(meta: dict[str, Any], package: Package | None) -> DocumentMetadata:
    """Both together; the document's own properties come first."""
    own = own_properties(package) if package else {}
    return DocumentMetadata(**(text_properties(meta) | own))  # type: ignore[arg-type]  # four fields, all of them texts
