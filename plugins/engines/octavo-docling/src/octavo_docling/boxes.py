"""Converts Docling's coordinates to points from the top left corner."""

from __future__ import annotations

from typing import Any, Literal

from octavo_contracts import BoundingBox

BoxKind = Literal["line", "image", "table", "heading", "form_field"]

_KINDS: dict[str, BoxKind] = {
    "title": "heading",
    "section_header": "heading",
    "table": "table",
    "document_index": "table",
    "picture": "image",
    "chart": "image",
    "form": "form_field",
    "field_item": "form_field",
    "key_value_region": "form_field",
}


def kind_of(label: str) -> BoxKind:
    """Return the kind of a box from Docling's label of the item; a block of text counts as a line."""
    return _KINDS.get(label, "line")


def place_of(provenance: Any, *, scale: float, page_height: float) -> BoundingBox | None:
    """Return the bounding box of an item, or None for a box without extent, which Docling gives where it does not know.

    Args:
        provenance: Docling's `ProvenanceItem`.
        scale: points a unit.
        page_height: of its page, in Docling's units.
    """
    box = provenance.bbox.to_top_left_origin(page_height)
    left, right = sorted((box.l * scale, box.r * scale))
    top, bottom = sorted((box.t * scale, box.b * scale))
    if right <= left and bottom <= top:
        return None
    return BoundingBox(left=round(left, 2), top=round(top, 2), right=round(right, 2), bottom=round(bottom, 2))
