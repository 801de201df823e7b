"""What a conversion of many documents says on stderr: progress, a line a document, and at the end what was refused and why."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from ..toolkit.near_paths import message_of
from ..toolkit.output import clean, complain, note
from ..toolkit.remedies import complain_by_remedy
from ..toolkit.running import error_code
from ..toolkit.verbosity import is_quiet, is_verbose
from .lines import (
    count_text,
    document_parts,
    explain,
    pages_without_model,
    remarks_text,
    status_of,
    unread_pages,
)

if TYPE_CHECKING:
    from octavo_sandbox.filesystem.file_walk import Skipped
    from rich.progress import Progress, TaskID

    from .batch_item import BatchItem


MAX_NAMES = 3
"""Skipped documents whose files are named."""


class _Told(NamedTuple):
    """A document that is listed at the end, with why."""

    shown: str
    message: str
    code: str
    remedy: str


class BatchReport:
    """Tells how a batch goes on. On a terminal it has a progress bar with pages and the time that is left.

    Args:
        total: documents of the batch.
    """

    def __init__(self, *, total: int) -> None:
        self._total = total
        self._started = time.perf_counter()
        self._counts: Counter[str] = Counter()
        self._pages = 0
        self._taken: list[str] = []
        self._failed: list[_Told] = []
        self._empty: list[_Told] = []
        self._unread: list[_Told] = []
        self._without_model: list[_Told] = []
        self._without_file: list[_Told] = []
        self._progress: Progress | None = None
        self._task: TaskID | None = None
        if sys.stderr is not None and sys.stderr.isatty() and not is_quiet():
            self._start()

    def found_more(self, count: int) -> None:
        """Add documents that were found inside another."""
        self._total += count
        if self._progress is not None and self._task is not None:
            self._progress.update(self._task, total=self._total)

    def finished(self, item: BatchItem) -> None:
        """Tell of one document."""
        status = self._count(item)
        if self._progress is not None and self._task is not None:
            self._progress.update(self._task, advance=1, description=count_text(self._pages, "page"))
        if not is_quiet() and (item.taken is None or is_verbose()):
            self._say(_line(item, status))
        if item.error is None and item.result is not None and is_verbose():
            explain(item.result, shown=item.shown, seconds=item.seconds, but=None)

    def ended(self, *, skipped: Sequence[Skipped], left: int, interrupted: bool) -> None:
        """Tell how it ended: the counts, what was passed over, and every failure and lack of text with its remedy.

        Args:
            skipped: what folders hold and was not taken.
            left: documents that were not attempted.
            interrupted: whether the user stopped it.
        """
        self.close()
        self._list("not converted", self._failed)
        self._list("without text, so no file was written", self._without_file)
        self._list("without text", self._empty)
        self._list("with pages that were not read", self._unread)
        self._list("with pages in a script or language without its model", self._without_model)
        self._tell_taken()
        for item in skipped:
            note(f"octavo: {clean(item.path)} was not taken: {item.why}")
        if not self._total:
            complain("octavo: no documents found")
        note(self._headline(left=left, interrupted=interrupted))

    def _list(self, what: str, documents: Sequence[_Told]) -> None:
        """List documents, those with the same remedy together and the remedy below them."""
        if documents:
            complain(f"octavo: {len(documents)} of {self._total} {what}:")
        complain_by_remedy(
            (f"{clean(one.shown)}: {clean(one.message)} [{one.code}]", one.remedy)
            for one in sorted(documents, key=lambda one: one.shown)
        )

    def _tell_taken(self) -> None:
        """Tell in one line of the documents that were skipped because their files are there."""
        if not self._taken:
            return
        count, names = len(self._taken), [clean(name) for name in sorted(self._taken)[:MAX_NAMES]]
        more = f" and {count - MAX_NAMES} more" if count > MAX_NAMES else ""
        there = f"{', '.join(names)}{more} {'is' if count == 1 else 'are'} there already"
        complain(f"octavo: {count} of {self._total} skipped: {there} [usage]")
        complain(f"  Give --force to replace {'it' if count == 1 else 'them'}, or another folder")

    def close(self) -> None:
        """Remove the progress bar."""
        if self._progress is not None:
            self._progress.stop()
            self._progress = None

    def _count(self, item: BatchItem) -> str:
        if item.taken is not None:
            self._taken.append(item.taken)
            self._counts["skipped"] += 1
            return "skipped"
        if item.error is not None:
            error = item.error
            self._failed.append(_Told(item.shown, message_of(error), error_code(error), error.remedy or ""))
            self._counts["failed"] += 1
            return "failed"
        assert item.result is not None  # what has no error was converted
        if item.is_empty and (why := item.why_empty) is not None:
            again = f"{why.remedy}; --force replaces {item.target}" if why.remedy and item.target else why.remedy
            told = self._without_file if item.has_no_file else self._empty
            told.append(_Told(item.shown, why.message, why.flag, again))
        for one in unread_pages(item.result.quality_report.findings):
            if one != item.why_empty:
                self._unread.append(_Told(item.shown, one.message, one.flag, one.remedy))
        for one in pages_without_model(item.result.quality_report.findings):
            self._without_model.append(_Told(item.shown, one.message, one.flag, one.remedy))
        status = status_of(item.result)
        self._counts[status] += 1
        self._pages += len(item.result.page_anchor_map)
        return status

    def _headline(self, *, left: int, interrupted: bool) -> str:
        parts = [
            f"{self._counts[key]} {key}" for key in ("complete", "degraded", "skipped", "failed") if self._counts[key]
        ]
        if left:
            parts.append(f"{left} not attempted")
        documents = count_text(self._total, "document")
        pages = f", {count_text(self._pages, 'page')}" if self._pages else ""
        seconds = time.perf_counter() - self._started
        said = f"octavo: {documents}{pages} in {seconds:.1f} s"
        return f"{said}: {', '.join(parts)}" + (" (interrupted)" if interrupted else "")

    def _say(self, text: str) -> None:
        if self._progress is not None:
            self._progress.console.print(text, markup=False, highlight=False, soft_wrap=True)
        else:
            complain(text)

    def _start(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        self._progress = Progress(
            MofNCompleteColumn(),
            BarColumn(),
            TimeRemainingColumn(elapsed_when_finished=True),
            TextColumn("{task.description}", markup=False),
            console=Console(stderr=True),
            transient=True,
        )
        self._task = self._progress.add_task("", total=self._total)
        self._progress.start()


def _line(item: BatchItem, status: str) -> str:
    """For example `papers/a.docx -> out/a.md: complete, 3 pages, quality 0.94`."""
    where = f" -> {clean(item.target)}" if item.target is not None else ""
    if item.error is not None:
        return f"octavo: {clean(item.shown)}: {status} [{error_code(item.error)}]"
    assert item.result is not None  # what has no error was converted
    parts = document_parts(item.result)
    if item.is_unchanged:
        parts.append("file unchanged")
    if item.has_no_file:
        parts.append("no file written")
    if item.images:
        parts.append(item.images)
    said = ", ".join(parts)
    if (why := item.why_empty) is not None:
        # The reason for a text that should be there is listed at the end, with its remedy.
        said += f" [{why.flag}]" if item.is_empty else f"; {clean(why.message)} [{why.flag}]"
    remarks = remarks_text(item.result.quality_report, but=why)
    return f"octavo: {clean(item.shown)}{where}: {said}{remarks}"
