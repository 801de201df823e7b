"""Turns a converter's warnings into notes of the quality report, so that no omission goes unreported (QLT-2)."""

from __future__ import annotations

from collections.abc import Collection

from octavo_contracts import Conversion, DegradedFlag, QualityFinding
from octavo_text.page_spans import pages_text


def converter_notes(conversion: Conversion, *, told: Collection[str] = ()) -> tuple[QualityFinding, ...]:
    """Build one note for each distinct code and message of a converter's warnings, in order, with the pages concerned.

    Codes that are degraded flags are judged with the conversion (`octavo.builtins.quality.assess`).

    Args:
        conversion: the plugin's conversion.
        told: flags that already have findings in the report.
    """
    pages: dict[tuple[str, str], list[int | None]] = {}
    for warning in conversion.warnings:
        if warning.code not in set(DegradedFlag) and warning.code not in told:
            pages.setdefault((warning.code, warning.message), []).append(warning.page)
    return tuple(_note(code, message, found) for (code, message), found in pages.items())


def _note(code: str, message: str, found: list[int | None]) -> QualityFinding:
    numbers = sorted({page for page in found if page is not None})
    times = len(numbers) or len(found)
    if times > 1:
        message = f"{message.rstrip('.')} ({times} times{f', on {pages_text(numbers)}' if numbers else ''})"
    return QualityFinding(flag=code, severity="note", message=message, page=numbers[0] if len(numbers) == 1 else None)
