"""The exit code that a result stands for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from octavo_contracts import REASONS, ExitCode

if TYPE_CHECKING:
    from octavo_contracts import FailureReceipt, IngestionResult


def deciding_receipt(result: IngestionResult) -> FailureReceipt:
    """The receipt of a failed result that says why it failed: the last one."""
    return result.failure_receipts[-1]


def result_exit_code(result: IngestionResult) -> ExitCode:
    """The exit code of one result: 0 unless it failed."""
    if result.ingestion_status != "hard_failed":
        return ExitCode.OK
    return REASONS[deciding_receipt(result).reason_code].exit_code
