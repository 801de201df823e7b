"""Counts the outcomes of an ingest run as it goes on."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from octavo_cli.toolkit.result_exit import deciding_receipt
from octavo_contracts import REASONS, ExitCode, HardFailReason, OctavoError, strongest

if TYPE_CHECKING:
    from ...facade.results import IngestOutcome


@dataclass(frozen=True, kw_only=True)
class Row:
    """One document of a run, for the table.

    Attributes:
        source: the document as the user named it.
        document_id: its id, or None if its bytes could not be read.
        status: complete, degraded or failed.
        reused: whether it was known and nothing was converted.
        plugin: the plugin whose conversion was chosen, or empty.
        pages: number of pages; None for a document without pages.
        quality: 0..1, or None if not assessed.
        flags: why it is degraded.
        notes: codes of the remarks that are no degraded flags, such as parts left out; `octavo convert` prints the same.
        doubts: the pages that plugins read differently, as a sentence; or empty.
        reason: why it failed.
        details: the error, as a sentence.
        known: where the user has it already, as a sentence; empty for a document that is new to the user (STO-13).
        is_attached: whether it is an attachment of another document.
        not_applied: the requested plugin or profile that was not applied, as a sentence; or empty.
        held_back: why its new version was not made the active one, as a sentence; or empty.
        ocr_remedies: what OCR engines say of pages that they could not read; each once.
        why_low: why the quality of a complete document is below a half; empty if it is not, or if flags say why.
    """

    source: str
    document_id: str | None
    status: str
    reused: bool
    plugin: str
    pages: int | None
    quality: float | None
    flags: tuple[str, ...]
    notes: tuple[str, ...]
    reason: HardFailReason | None
    details: str
    known: str = ""
    is_attached: bool = False
    not_applied: str = ""
    held_back: str = ""
    why_low: str = ""
    doubts: str = ""
    ocr_remedies: tuple[str, ...] = ()


MAX_REMEDIES = 8
"""Remedies of one reason that are told apart."""
KNOWN_ROWS = 200
"""Documents for which the table says where they are known: as many as it has rows."""


@dataclass
class Failures:
    """The failures of one reason.

    Attributes:
        reason: their reason.
        by_remedy: remedy → the documents that it helps.
    """

    reason: HardFailReason
    by_remedy: dict[str, list[str]] = field(default_factory=dict)

    @property
    def groups(self) -> list[tuple[str, list[str]]]:
        """Each remedy with its documents; of many remedies only the default one of the reason, with all documents."""
        if len(self.by_remedy) <= MAX_REMEDIES:
            return sorted(self.by_remedy.items())
        together = [source for sources in self.by_remedy.values() for source in sources]
        return [(REASONS[self.reason].error.default_remedy, together)]


@dataclass
class IngestSummary:
    """Counts, rows and failures of a run.

    Attributes:
        rows: one row per document, in the order in which they finished.
        counts: complete, degraded, failed, reused, attachments, not_attempted.
        flags: degraded flag → number of documents.
        notes: code of a remark that is no degraded flag → number of documents with it.
        failures: reason → its failures.
        left: attachments that were not attempted; they are resumed when the library is next opened.
        interrupted: whether the run was interrupted.
        error: the error that ended the run early, or None.
    """

    rows: list[Row] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    flags: Counter[str] = field(default_factory=Counter)
    notes: Counter[str] = field(default_factory=Counter)
    failures: dict[HardFailReason, Failures] = field(default_factory=dict)
    left: int = 0
    interrupted: bool = False
    error: OctavoError | None = None

    def add(self, ingested: IngestOutcome) -> bool:
        """Count a document; return whether it was attempted before an interruption of the run."""
        row = row_of(ingested, tells=len(self.rows) < KNOWN_ROWS)
        if row.reason is HardFailReason.NOT_ATTEMPTED:
            self.left += ingested.attached_to is not None
            return False
        self.rows.append(row)
        self.counts[row.status] += 1
        self.counts["reused"] += row.reused
        self.counts["attachments"] += ingested.attached_to is not None
        self.flags.update(row.flags)
        self.notes.update(row.notes)
        if row.reason is not None:
            group = self.failures.setdefault(row.reason, Failures(row.reason))
            group.by_remedy.setdefault(deciding_receipt(ingested.result).remedy, []).append(row.source)
        return True

    def count_of(self, code: str) -> int:
        """Return the number of documents with a finding of this code: a flag in some, a remark in others."""
        return sum(code in row.flags or code in row.notes for row in self.rows)

    @property
    def given(self) -> int:
        """Number of sources that were given to the run, without attachments."""
        return len(self.rows) - self.counts["attachments"]

    def exit_code(self, *, fail_on_degraded: bool) -> ExitCode:
        """The most severe code over all documents."""
        codes = [REASONS[reason].exit_code for reason in self.failures]
        if self.error is not None:
            codes.append(self.error.exit_code)
        if self.interrupted:
            codes.append(ExitCode.INTERRUPTED)
        if self.counts["not_attempted"]:
            codes.append(REASONS[HardFailReason.NOT_ATTEMPTED].exit_code)
        if fail_on_degraded and self.counts["degraded"]:
            codes.append(ExitCode.DEGRADED)
        return strongest(codes)

    def summary(self) -> dict[str, Any]:
        """The counts as JSON values."""
        return {
            "total": len(self.rows) + self.counts["not_attempted"],
            **{
                key: self.counts[key]
                for key in ("complete", "degraded", "failed", "reused", "attachments", "not_attempted")
            },
            "interrupted": self.interrupted,
            "flags": dict(sorted(self.flags.items())),
            "notes": dict(sorted(self.notes.items())),
            "failures": [
                {"reason": reason.value, "count": len(sources), "remedy": remedy}
                for reason, failures in sorted(self.failures.items())
                for remedy, sources in failures.groups
            ],
            "error": str(self.error) if self.error else None,
        }


def row_of(ingested: IngestOutcome, *, tells: bool = True) -> Row:
    """Build the row of a document.

    Args:
        ingested: the document.
        tells: whether to look where the user has it already.
    """
    from octavo.builtins.quality.agreement_signals import READINGS_DIFFER
    from octavo.conversion.report_text import why_low, worth_telling

    from ...ingestion.activation import HELD_BACK
    from ..unread_pages import engine_remedies

    result = ingested.result
    report = result.quality_report
    failed = result.ingestion_status == "hard_failed"
    receipt = deciding_receipt(result) if failed else None
    degraded = result.ingestion_status == "degraded_complete"
    notes = [one for one in worth_telling(report.findings) if one.severity != "degraded" and one.flag != HELD_BACK]
    return Row(
        source=ingested.source,
        document_id=ingested.document_id,
        status="failed" if failed else "degraded" if degraded else "complete",
        reused=ingested.reused,
        plugin="" if report.selected_tool == "none" else report.selected_tool,
        pages=len(result.page_anchor_map) or (result.classification.page_count if result.classification else None),
        quality=report.quality_score,
        flags=report.degraded_flags,
        notes=tuple(sorted({one.flag for one in notes})),
        reason=receipt.reason_code if receipt else None,
        details=receipt.details if receipt else "",
        known=known_text(ingested) if tells else "",
        is_attached=ingested.attached_to is not None,
        not_applied=ingested.not_applied,
        held_back=ingested.held_back.message if ingested.held_back is not None else "",
        ocr_remedies=engine_remedies(report.findings),
        why_low="" if failed or degraded else why_low(report),
        doubts="".join(
            f"page {one.page}: {one.message}" if one.page else one.message
            for one in notes
            if one.flag == READINGS_DIFFER
        ),
    )


def known_text(ingested: IngestOutcome) -> str:
    """For example "already in your system: tides, since 2026-11-22"; empty for a document that is new to the user."""
    known = ingested.already_known
    if known is None:
        return ""
    where = f": {', '.join(known.corpora)}," if known.corpora else ""
    return f"already in your system{where} since {known.first_seen_at[:10]}"
