"""Facts about a workbook that the engine does not return."""

from __future__ import annotations

from dataclasses import dataclass, field

from .drawings import Drawn
from .extent import Extent

ENCRYPTED_REMEDY = "Save a copy without a password: calamine takes none"
"""What to do about an encrypted workbook; the plugin lacks the capability `passwords`."""

ERROR_TEXTS = {
    0x00: "#NULL!",
    0x07: "#DIV/0!",
    0x0F: "#VALUE!",
    0x17: "#REF!",
    0x1D: "#NAME?",
    0x24: "#NUM!",
    0x2A: "#N/A",
    0x2B: "#GETTING_DATA",
}
"""Error codes of the binary formats ([MS-XLS] 2.5.10 BErr) → what a sheet shows."""


@dataclass(kw_only=True)
class WorkbookFacts:
    """The facts of one workbook.

    Attributes:
        extents: name and extent of each sheet, in workbook order.
        drawn: what each sheet shows beside its cells, in workbook order; empty where the format's drawings are not read.
        named_ranges: name → its range, as the workbook writes it; a name that holds on one sheet
            only is written `Sheet!Name`.
        unread_names: names of binary workbooks that stand for neither a plain reference nor a constant, written likewise.
        has_comments: whether cells carry comments that are not read.
        has_macros: whether the workbook carries a VBA project.
    """

    extents: list[tuple[str, Extent]] = field(default_factory=list)
    drawn: list[Drawn] = field(default_factory=list)
    named_ranges: dict[str, str] = field(default_factory=dict)
    unread_names: list[str] = field(default_factory=list)
    has_comments: bool = False
    has_macros: bool = False

    def add_name(self, name: str, text: str | None, *, scope: str | None) -> None:
        """Add a name of a binary workbook, unless a program gave it, as print areas have it.

        Args:
            name: the name.
            text: what it stands for, or None where that is not read.
            scope: the sheet that it holds on; None for the whole workbook.
        """
        if name.startswith("_xlnm."):
            return
        scoped = name if scope is None else f"{scope}!{name}"
        if text is None:
            self.unread_names.append(scoped)
        else:
            self.named_ranges[scoped] = text

    def of_sheet(self, index: int, name: str, *, of: int) -> tuple[Extent, Drawn]:
        """Return the facts of a sheet: by its place where the file lists as many sheets as the engine, else by its name.

        Args:
            index: its place, from 0.
            name: its name.
            of: number of the sheets that the engine lists.
        """
        if len(self.extents) != of:
            return dict(self.extents).get(name, Extent()), Drawn()
        return self.extents[index][1], self.drawn[index] if index < len(self.drawn) else Drawn()
