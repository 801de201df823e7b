"""Determines the exit code of a result."""

from __future__ import annotations

from typing import TYPE_CHECKING

from octavo_contracts import REASONS, ExitCode

if TYPE_CHECKING:
    from octavo_contracts import FailureReceipt, IngestionResult


def deciding_receipt(result: IngestionResult) -> FailureReceipt:
    """Return the receipt with the reason of a failed result: the last one."""
    return result.failure_receipts[-1]


def result_exit_code(result: IngestionResult) -> ExitCode:
    """Return the exit code of one result: 0 unless it failed."""
    if result.ingestion_status != "hard_failed":
        return ExitCode.OK
    return REASONS[deciding_receipt(result).reason_code].exit_code
