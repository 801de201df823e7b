"""Calls of Tesseract for one page: its words with given language files, and its script."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from octavo_contracts import HookContext, OcrFailed, PageImage

from .page_scripts import SCRIPTS, PageScript
from .program import ORIENTATION_DATA, run
from .stacked_words import stacked_lines, with_stacked_words
from .table import Row, left_out, read_rows
from .unread_ink import unread_share

SEGMENTATION_WITH_ORIENTATION, SEGMENTATION = 1, 3
"""Tesseract's modes for a whole page: looking first which way up it lies, or taking it as upright."""
SEGMENTATION_AS_ONE_BLOCK = 6
"""Tesseract's mode without layout analysis, which drops nothing."""
SCRIPT_DETECTION = 0
"""Tesseract's mode that reads nothing and reports orientation and script."""
MAX_UNREAD = 0.1
"""A page with a larger share of its ink outside the words is read again."""

_MIN_DPI, _MAX_DPI = 70, 2400
"""Tesseract takes nothing outside of this, and guesses instead."""
_SCRIPT = re.compile(r"^Script: (\S+)\nScript confidence: ([\d.]+)", re.MULTILINE)


@dataclass(frozen=True, kw_only=True)
class PageRun:
    """The program, applied to one page.

    Attributes:
        program: path of the program.
        image: the page.
        context: the work folder and the deadline.
        mode: Tesseract's page segmentation mode.
        reads_dropped_ink: whether a page is read again if much of its ink is outside the words, or if words that stand under
            each other were read as one.
    """

    program: str
    image: PageImage
    context: HookContext
    mode: int
    reads_dropped_ink: bool

    def rows(self, files: Sequence[str]) -> list[Row]:
        """Return the words of the page, read with these language files.

        Raises:
            OcrFailed, ConversionTimeout, ToolUnavailable: see `program.run`.
        """
        rows = self._rows(files, self.mode)
        if not (self.reads_dropped_ink and rows):
            return rows
        stacked = stacked_lines(rows)
        is_dropped = unread_share(self.image.png, (row.edges for row in rows)) > MAX_UNREAD
        if not (stacked or is_dropped):
            return rows
        again = self._rows(files, SEGMENTATION_AS_ONE_BLOCK)
        rows = with_stacked_words(rows, stacked, again)
        return [*rows, *left_out(rows, again)] if is_dropped else rows

    def script(self) -> tuple[PageScript | None, float]:
        """Return the script of the page, and Tesseract's confidence, which is 0 or more; None for too few letters.

        Raises:
            ConversionTimeout, ToolUnavailable: see `program.run`.
        """
        try:
            said = self._run(["--psm", str(SCRIPT_DETECTION)])
        except OcrFailed:
            return None, 0.0  # the program fails on a page with too few letters
        found = _SCRIPT.search(said)
        return (SCRIPTS.get(found[1]), float(found[2])) if found else (None, 0.0)

    def _rows(self, files: Sequence[str], mode: int) -> list[Row]:
        table = self._run(["-l", "+".join(files), "--psm", str(mode), "-c", "tessedit_create_tsv=1"])
        return list(read_rows(table))

    def _run(self, arguments: Sequence[str]) -> str:
        dpi = min(_MAX_DPI, max(_MIN_DPI, round(self.image.dpi)))
        return run(
            self.program,
            [*arguments, "--dpi", str(dpi)],
            picture=self.image.png,
            seconds=self.context.remaining(),
            work_dir=self.context.work_dir,
        )


def default_mode(installed: frozenset[str]) -> int:
    """Return the segmentation mode for a page: the orientation is looked at if its data is installed."""
    return SEGMENTATION_WITH_ORIENTATION if ORIENTATION_DATA in installed else SEGMENTATION
