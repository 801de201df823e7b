"""Text report of an ingest run: a table of the documents, failures grouped by reason, and next steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from octavo_cli.toolkit.near_paths import near_path
from octavo_cli.toolkit.next_command import next_command
from octavo_cli.toolkit.output import add_row, clean, make_table, note, write_line, write_table
from octavo_cli.toolkit.remedies import remedy_text
from octavo_cli.toolkit.verbosity import is_quiet
from octavo_contracts import DegradedFlag, HardFailReason

from ..document_progress import DocumentProgress
from ..unread_pages import reading_advice

if TYPE_CHECKING:
    from ...facade.results import IngestOutcome
    from .outcome import FileOutcome
    from .summary import IngestSummary, Row

MAX_ROWS = 200
"""Maximum rows of the table. In a longer run failed and degraded documents come first, and the rest are counted."""

MAX_NAMES = 5
"""Documents listed for each reason of failure."""

_STYLES = {"complete": None, "degraded": "yellow", "failed": "red"}
_TROUBLE_FIRST = {"failed": 0, "degraded": 1, "complete": 2}


class TextReporter:
    """Shows a progress bar on stderr if it is a terminal, and a table on stdout at the end."""

    def __init__(self) -> None:
        self._progress = DocumentProgress()

    def finished(self, ingested: IngestOutcome, *, found: int) -> None:
        """See `ingest_run.Reporter`."""
        if ingested.attached_to is None:
            self._progress.show(ingested.source, total=found, finished=1)

    def ended(self, outcome: FileOutcome) -> None:
        """See `ingest_run.Reporter`."""
        self.close()
        tally, quiet = outcome.tally, is_quiet()
        if not quiet:
            if tally.rows:
                _write_rows(tally)
                write_line()
            write_line(headline(tally, seconds=outcome.seconds))
        blocks = [
            *_failure_blocks(tally),
            *([] if quiet else [*_note_lines(outcome), *_not_applied_lines(outcome)]),
            *_unread_lines(outcome),
            *_held_back_lines(outcome),
            *_attached_lines(tally),
            *skipped_lines(outcome),
        ]
        for block in blocks:
            write_line(block if quiet else f"\n{block}")
        if not quiet:
            _write_next(outcome)

    def close(self) -> None:
        """Remove the progress bar."""
        self._progress.close()


def headline(tally: IngestSummary, *, seconds: float) -> str:
    """For example "3 documents in 2.1 s: 1 complete, 1 degraded, 1 failed; 1 known before"."""
    parts = [f"{tally.counts[key]} {key}" for key in ("complete", "degraded", "failed") if tally.counts[key]]
    text = f"{_documents(len(tally.rows))} in {seconds:.1f} s" + (f": {', '.join(parts)}" if parts else "")
    if attached := tally.counts["attachments"]:
        text += f"; {attached} of them {'an attachment' if attached == 1 else 'attachments'}"
    if tally.counts["reused"]:
        text += f"; {tally.counts['reused']} known before"
    if tally.counts["not_attempted"]:
        text += f"; {tally.counts['not_attempted']} not attempted"
    return ("Interrupted. " if tally.interrupted else "") + text


def _failure_blocks(tally: IngestSummary) -> list[str]:
    """For each reason and each remedy the documents that failed."""
    blocks = []
    for reason, failures in sorted(tally.failures.items()):
        for remedy, sources in failures.groups:
            lines = [f"{len(sources)} failed [{reason.value}]" + _what_to_do(remedy)]
            lines += (f"  {clean(_with_near_path(source, reason))}" for source in sorted(sources)[:MAX_NAMES])
            if (more := len(sources) - MAX_NAMES) > 0:
                lines.append(f"  … and {more} more")
            blocks.append("\n".join(lines))
    return blocks


def _with_near_path(source: str, reason: HardFailReason) -> str:
    near = near_path(source) if reason is HardFailReason.SOURCE_MISSING else None
    return f"{source}; did you mean {near}?" if near else source


def _unread_lines(outcome: FileOutcome) -> list[str]:
    """The number of documents that need OCR, and how to read them."""
    count = outcome.tally.flags[DegradedFlag.OCR_NEEDED.value]
    if not count:
        return []
    remedies = dict.fromkeys(remedy for row in outcome.tally.rows for remedy in row.ocr_remedies)
    advice = reading_advice(remedies, library=outcome.request.library)
    return [f"{_documents(count)} with pages that are pictures of text [ocr_needed]. {advice}"]


def _note_lines(outcome: FileOutcome) -> list[str]:
    """The codes among the remarks with the numbers of their documents, and how those of one are explained."""
    tally = outcome.tally
    if not tally.notes:
        return []
    codes = sorted({*tally.notes, *tally.flags})
    said = ", ".join(f"{code} in {_documents(tally.count_of(code))}" for code in codes)
    noted = min((row for row in tally.rows if row.notes and row.document_id), key=lambda row: row.source)
    command = ["octavo", "show", (noted.document_id or "")[:8], "--quality"]
    explained = next_command(command, library=outcome.request.library)
    return [f"Remarks: {said}. For those of a document run, for example, {explained}"]


def _not_applied_lines(outcome: FileOutcome) -> list[str]:
    """That --with and --profile were not applied to known documents."""
    count = sum(bool(row.not_applied) for row in outcome.tally.rows)
    if not count:
        return []
    return [
        f"{_documents(count)} already known and not converted again: --with and --profile apply to new conversions. "
        "Use --reingest to convert known documents again"
    ]


def _held_back_lines(outcome: FileOutcome) -> list[str]:
    """The new versions that were not made the active ones, and the command that activates one."""
    held = [row for row in outcome.tally.rows if row.held_back]
    if not held:
        return []
    library = outcome.request.library
    many = len(held) > 1
    first = (held[0].document_id or "")[:8]
    see = next_command(["octavo", "show", first, "--versions"], library=library)
    activate = next_command(["octavo", "activate", first, "VERSION"], library=library)
    said = f"The new versions of {len(held)} documents lost" if many else "The new version of 1 document lost"
    inactive = "are not active" if many else "is not active"
    return [f"{said} pages or text, and {inactive} [held_back]. See {see}; to activate it: {activate}"]


def _attached_lines(tally: IngestSummary) -> list[str]:
    if not any(row.is_attached and row.status == "failed" for row in tally.rows):
        return []
    return ["To retry an attachment that failed, ingest the document that contains it again, with --retry"]


def skipped_lines(outcome: FileOutcome) -> list[str]:
    """The skipped paths, by cause."""
    lines = []
    for why in sorted({item.why for item in outcome.walk.skipped}):
        paths = [item.path for item in outcome.walk.skipped if item.why == why]
        shown = ", ".join(clean(path) for path in paths[:MAX_NAMES]) + (" …" if len(paths) > MAX_NAMES else "")
        lines.append(f"Skipped, {why}: {shown}")
    return lines


def _write_rows(tally: IngestSummary) -> None:
    rows = tally.rows
    if len(rows) > MAX_ROWS:
        rows = sorted(rows, key=lambda row: _TROUBLE_FIRST[row.status])[:MAX_ROWS]
    table = make_table("File", "Status", "Plugin", "#Pages", "#Quality", "Remarks")
    for row in sorted(rows, key=lambda row: row.source):
        quality = "" if row.quality is None else f"{row.quality:.2f}"
        pages = "" if row.pages is None else str(row.pages)
        cells = (row.source, row.status, row.plugin, pages, quality, _remarks(row))
        add_row(table, cells, style=_STYLES[row.status])
    write_table(table)
    if len(tally.rows) > MAX_ROWS:
        write_line(f"… and {len(tally.rows) - MAX_ROWS} more; --jsonl prints every document")


def _remarks(row: Row) -> str:
    from octavo.builtins.quality.agreement_signals import READINGS_DIFFER

    notes = [row.doubts if code == READINGS_DIFFER else code for code in row.notes]
    why = [f"{row.reason.value}: {row.details}"] if row.reason is not None else [*row.flags, *notes]
    return ", ".join([*why, *(said for said in (row.why_low, row.known, row.not_applied, row.held_back) if said)])


def _write_next(outcome: FileOutcome) -> None:
    library = outcome.request.library
    readable = [row for row in outcome.tally.rows if row.status != "failed" and row.document_id]
    readable.sort(key=lambda row: row.source)
    if not outcome.walk.found:
        note("No documents found under the given paths; see --include, --exclude and hidden names")
    write_line(f"\nLibrary: {clean(library)}")
    if readable:
        first = (readable[0].document_id or "")[:8]
        write_line(f"Next: {next_command(['octavo', 'show', first], library=library)}")
    elif any(row.reason is not HardFailReason.SOURCE_MISSING for row in outcome.tally.rows):
        write_line(f"Next: {next_command(['octavo', 'doctor'], library=library)}")


def _what_to_do(remedy: str) -> str:
    return f": {remedy_text(remedy)}" if remedy else ""


def _documents(count: int) -> str:
    return "1 document" if count == 1 else f"{count} documents"
