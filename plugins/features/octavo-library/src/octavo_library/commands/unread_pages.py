"""Remedies for documents with pages that need OCR, as `octavo search` and `octavo ingest` print them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from octavo_contracts import QualityFinding


def engine_remedies(findings: Iterable[QualityFinding]) -> tuple[str, ...]:
    """Return what OCR engines say of pages that they could not read, such as the command that installs a language.

    Args:
        findings: findings of quality reports.

    Returns:
        Each remedy once. Findings for which no engine gave a remedy have none.
    """
    from octavo.conversion.ocr.merge import READ_AGAIN
    from octavo_contracts import DegradedFlag

    unread = (one.remedy or "" for one in findings if one.flag == DegradedFlag.OCR_NEEDED.value)
    said = (remedy.partition(f". {READ_AGAIN}") for remedy in unread)
    return tuple(dict.fromkeys(remedy for remedy, end, _ in said if end))


def reading_advice(remedies: Iterable[str], *, library: str) -> str:
    """Return how to read the documents that need OCR: the remedies, then the command.

    Args:
        remedies: as `engine_remedies` returns them.
        library: the value of `--library`.
    """
    from octavo_cli.toolkit.next_command import next_command
    from octavo_cli.toolkit.remedies import remedy_text

    read = next_command(["octavo", "ocr", "--needed"], library=library)
    said = ". ".join(remedy_text(remedy) for remedy in remedies)
    if said:
        return f"{said}. Then run {read}"
    return f"To read them, run {read}; if no OCR engine is installed, octavo doctor names the command that installs one"
