"""The error that a failed conversion stands for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from octavo_contracts import REASONS

if TYPE_CHECKING:
    from octavo_contracts import IngestionResult, OctavoError


def failure_error(result: IngestionResult, source: str | None) -> OctavoError | None:
    """The error that a failed result stands for, from its last receipt; None for a document that was converted.

    Args:
        result: of the document.
        source: the document as the caller named it.
    """
    if result.ingestion_status != "hard_failed":
        return None
    receipt = result.failure_receipts[-1]
    kind = REASONS[receipt.reason_code].error
    return kind(receipt.details, source=source, plugin=receipt.plugin, remedy=receipt.remedy)
