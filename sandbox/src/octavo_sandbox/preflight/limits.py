"""The limits of preflight. The documentation's table of limits is generated from this class."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

MEBIBYTE = 1 << 20
GIBIBYTE = 1 << 30


def _limit(default: int, doc: str, *, unit: str) -> Any:
    # Any, like `dataclasses.field` itself: the annotation next to the call is the field's type.
    return field(default=default, metadata={"doc": doc, "unit": unit})


RAISABLE = (
    "max_bytes",
    "max_pages",
    "max_entries",
    "max_unpacked_bytes",
    "max_ratio",
    "max_nested_bytes",
    "max_image_pixels",
)
"""Limits that a corpus may set: those on size. `max_bytes`, the size of a document, has no default. Limits on nesting protect
parsers from deep recursion, and are the same everywhere."""


def how_to_raise(limit: str, *, instead: str = "Split the document") -> str:
    """The remedy for a document that exceeds one of `RAISABLE`.

    Args:
        limit: its name.
        instead: what else the user can do.
    """
    return (
        f"{instead}, or raise the limit: `octavo convert --limit {limit}=NUMBER`; in a library `octavo corpus set CORPUS "
        f"--limit {limit}=NUMBER`, then ingest it again"
    )


@dataclass(frozen=True, kw_only=True)
class PreflightLimits:
    """The limits of preflight. Each field's metadata has `doc` and `unit`; most raise `ContentTooLarge`."""

    max_pages: int = _limit(10_000, "Pages of a PDF or of a multi-page TIFF.", unit="pages")
    max_entries: int = _limit(10_000, "Entries of a container, including those of nested archives.", unit="entries")
    max_unpacked_bytes: int = _limit(GIBIBYTE, "Unpacked size of a container, including nested archives.", unit="bytes")
    max_ratio: int = _limit(100, "Expansion of one entry larger than `ratio_floor_bytes`.", unit="unpacked to packed")
    ratio_floor_bytes: int = _limit(MEBIBYTE, "Entries up to this size may expand by any ratio.", unit="bytes")
    max_archive_depth: int = _limit(3, "Archives within archives; the document itself counts as one.", unit="levels")
    max_nested_bytes: int = _limit(64 * MEBIBYTE, "Size of one archive within an archive.", unit="bytes")
    max_image_pixels: int = _limit(
        100_000_000, "Width times height of an image, according to its header.", unit="pixels"
    )
    max_html_depth: int = _limit(10_000, "Nested open elements in HTML.", unit="levels")
    max_xml_depth: int = _limit(1_000, "Nested elements in XML and SVG.", unit="levels")
    max_json_depth: int = _limit(1_000, "Nested arrays and objects in JSON.", unit="levels")
    max_message_depth: int = _limit(50, "Nested messages in an e-mail.", unit="levels")
    max_sheet_cells: int = _limit(
        5_000_000,
        "Cells that a sheet may span, stored or not, before a `sparse_sheet` finding reports it.",
        unit="cells",
    )
