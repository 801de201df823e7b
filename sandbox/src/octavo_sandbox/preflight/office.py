"""Detects active content and oversized sheets in Office containers: macros, external references, sparse sheets."""

from __future__ import annotations

import re
from collections.abc import Iterator

from octavo_contracts import QualityFinding

from .limits import PreflightLimits
from .report import SPARSE_SHEET, active_content, note, shown

_FETCHED = {
    "attachedTemplate": "an external template that a program would fetch",
    "externalLinkPath": "an external workbook that a program would fetch",
    "frame": "an external frame that a program would fetch",
    "image": "an external picture that a program would fetch",
    "media": "an external recording that a program would fetch",
    "audio": "an external recording that a program would fetch",
    "video": "an external recording that a program would fetch",
    "oleObject": "an external object that a program would fetch",
    "subDocument": "an external document that a program would fetch",
}
"""Kind of an external relationship → what the message says. The document's own word for it would not be shown."""
_FETCHED_OTHER = "something external that a program would fetch"

_RELATION = re.compile(r"<(?:\w+:)?Relationship\b[^>]{0,4000}>")
_ATTRIBUTE = re.compile(r'\b(TargetMode|Type|Target)\s*=\s*(?:"([^"]{0,2000})|\'([^\']{0,2000}))')
_DIMENSION = re.compile(rb'<(?:\w+:)?dimension\b[^>]{0,200}?\bref="([A-Z]{1,3}\d{1,7}(?::[A-Z]{1,3}\d{1,7})?)"')
_CELL_OPEN = re.compile(rb"<(?:\w+:)?c[ />]")
_CELL_REF = re.compile(rb'\br="([A-Z]{1,3}\d{1,7})"')
_REFERENCE = re.compile(rb"([A-Z]{1,3})(\d{1,7})")
_RELATIONS_CAP = 1 << 20
_SHEET_EDGE = 4096
_SPARSE = 100
_ACTIVE_PARTS: tuple[tuple[str, str], ...] = (
    ("vbaproject.bin", "macros"),
    ("connections.xml", "connections to data elsewhere"),
    ("/activex/", "ActiveX controls"),
    ("/externallinks/", "links to other workbooks"),
    ("basic/script-lc.xml", "macros"),
    ("scripts/", "scripts"),
)


class PartReader:
    """Inspects the parts of one container as they are read, and collects findings.

    Args:
        media_type: type of the document.
        limits: limits for the size of a sheet.
    """

    def __init__(self, *, media_type: str, limits: PreflightLimits) -> None:
        self.is_ooxml = any(mark in media_type for mark in ("openxmlformats", "macroenabled"))
        self._limits = limits
        self._active: dict[str, None] = {}
        self._sparse: list[QualityFinding] = []

    def see_name(self, name: str) -> None:
        """Record what a part's name reveals."""
        lowered = "/" + name.lower()
        for mark, meaning in _ACTIVE_PARTS:
            if mark in lowered and (self.is_ooxml or mark.startswith(("basic", "scripts"))):
                self._active[meaning] = None

    def watch(self, name: str, blocks: Iterator[bytes]) -> Iterator[bytes]:
        """Yield a part's blocks unchanged, inspecting those of relationships and sheets."""
        if self.is_ooxml and name.endswith(".rels"):
            return self._watch_relations(blocks)
        if self.is_ooxml and name.startswith("xl/worksheets/"):
            return self._watch_sheet(name, blocks)
        return blocks

    def findings(self) -> tuple[QualityFinding, ...]:
        """The findings, active content first."""
        active = [active_content(f"The document contains {', '.join(self._active)}.")] if self._active else []
        return (*active, *self._sparse)

    def _watch_relations(self, blocks: Iterator[bytes]) -> Iterator[bytes]:
        kept = bytearray()
        for block in blocks:
            kept += block[: _RELATIONS_CAP - len(kept)]
            yield block
        for relation in _RELATION.findall(kept.decode("utf-8", "replace")):
            fields = {key: first or second for key, first, second in _ATTRIBUTE.findall(relation)}
            kind = fields.get("Type", "").rpartition("/")[2]
            # A program never follows a hyperlink by itself, but it may fetch any other external relationship.
            if fields.get("TargetMode") == "External" and kind != "hyperlink":
                self._active[_FETCHED.get(kind, _FETCHED_OTHER)] = None

    def _watch_sheet(self, name: str, blocks: Iterator[bytes]) -> Iterator[bytes]:
        head, tail, cells, carry = b"", b"", 0, b""
        for block in blocks:
            head = head or block[:_SHEET_EDGE]
            window = carry + block
            cells += len(_CELL_OPEN.findall(window))
            # The next search starts within this block's last bytes: enough for a split tag, too few to count one twice.
            carry = window[-2:]
            tail = (tail + block)[-_SHEET_EDGE:]
            yield block
        refs = [match.decode() for match in _CELL_REF.findall(tail)]
        if dimension := _DIMENSION.search(head):
            refs.append(dimension.group(1).decode())
        rows, columns = _extent(refs)
        if rows * columns > self._limits.max_sheet_cells and rows * columns > _SPARSE * max(1, cells):
            self._sparse.append(
                note(
                    SPARSE_SHEET,
                    f"The sheet {shown(name)} spans {rows:,} rows by {columns:,} columns but stores {cells:,} cells.",
                    remedy="Only the stored cells are read",
                )
            )


def _extent(refs: list[str]) -> tuple[int, int]:
    """Return the rows and columns, counted from A1, that the references reach."""
    rows = columns = 1
    for column, row in (match for ref in refs for match in _REFERENCE.findall(ref.encode())):
        rows = max(rows, int(row))
        number = 0
        for letter in column:
            number = number * 26 + letter - 64
        columns = max(columns, number)
    return rows, columns
