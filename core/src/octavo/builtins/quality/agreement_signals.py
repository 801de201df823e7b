"""Signs of loss from other readings of the pages, and the notes about pages on which readings differ (QLT-3)."""

from __future__ import annotations

from collections.abc import Sequence

from octavo_contracts import PageAgreement, QualityFinding
from octavo_text.page_spans import page_spans, pages_text

READINGS_DIFFER = "readings_differ"
"""Code of the note that plugins read a page differently."""
MIN_WORDS_SHARED = 0.90
"""Readings of a page differ unless most of them, its own among them, agree this far about words and their order."""
MIN_CELLS_SHARED = 0.40
"""The same of the cells of its tables."""
SHOWN = 8
"""Pages with a note of their own, those that differ most."""
RUN = 10
"""A page is confirmed by the share of runs of so many words that another reading has too: a good one differs in few words."""
_STAND_INS = ("fixed_layout", "short_lines")
"""Signs that stand for not knowing how well a page was read."""


def on_agreement(agreements: Sequence[PageAgreement]) -> dict[str, float]:
    """Compute the signs of loss: how far no other reading confirms the pages; none without other readings.

    What counts is the reading that agrees best: one bad reader says nothing of the others.
    """
    if not agreements:
        return {}
    runs = [max(other.words for other in one.others) ** RUN for one in agreements]
    return {
        "words_disputed": 1 - sum(runs) / len(runs),
        "tables_disputed": _disputed([_best([other.tables for other in one.others]) for one in agreements]),
        "headings_disputed": _disputed([one.headings for one in agreements]),
    }


def confirmed(signs: dict[str, float], agreements: Sequence[PageAgreement], *, pages: int) -> dict[str, float]:
    """Lower the signs that stand for not knowing by the share of the document that other readings confirm."""
    known = (1 - signs["words_disputed"]) * min(1.0, len(agreements) / max(1, pages)) if agreements else 0.0
    return signs | {name: signs[name] * (1 - known) for name in _STAND_INS if name in signs}


def _best(values: Sequence[float | None]) -> float | None:
    return max((value for value in values if value is not None), default=None)


def _disputed(values: Sequence[float | None]) -> float:
    """Return the mean disagreement over the pages that have something to agree about."""
    given = [value for value in values if value is not None]
    return 1 - sum(given) / len(given) if given else 0.0


def differing_readings(agreements: Sequence[PageAgreement]) -> list[QualityFinding]:
    """Build the notes about pages on which readings differ: which page, which plugins, and how far."""
    differing = sorted(filter(_differs, agreements), key=lambda one: (min(_words(one), _cells(one)), one.page))
    found = [
        QualityFinding(
            flag=READINGS_DIFFER,
            severity="note",
            message=_message(one),
            page=one.page,
            remedy="Compare the page with the original before relying on it",
        )
        for one in sorted(differing[:SHOWN], key=lambda one: one.page)
    ]
    if more := [one.page for one in differing[SHOWN:]]:
        message = f"readings differ on {len(more)} more page{'s' if len(more) > 1 else ''}: {page_spans(more)}"
        found.append(QualityFinding(flag=READINGS_DIFFER, severity="note", message=message))
    return found


def differing_pages(notes: Sequence[QualityFinding]) -> list[QualityFinding]:
    """Join the notes about pages on which readings differ to one that names the pages, such as 1 and 6–9."""
    pages = {one.page for one in notes if one.page is not None}
    many = len(pages) > 1
    what = "the readers of the pages differ; compare them" if many else "the readers of the page differ; compare it"
    others = ["others"] * any(one.page is None for one in notes)
    where = f"{pages_text(pages, *others)}: " if many else ""
    message = f"{where}{what} with the original"
    return [one.model_copy(update={"message": message, "page": None if many else one.page}) for one in notes[:1]]


def _differs(one: PageAgreement) -> bool:
    return _words(one) < MIN_WORDS_SHARED or _cells(one) < MIN_CELLS_SHARED


def _words(one: PageAgreement) -> float:
    return _shared_by_most([other.words for other in one.others])


def _cells(one: PageAgreement) -> float:
    return _shared_by_most([other.tables for other in one.others if other.tables is not None])


def _shared_by_most(values: Sequence[float]) -> float:
    """Return how far as many others agree as make most of the readings with this one; 1 if nothing was compared."""
    return sorted(values, reverse=True)[(len(values) + 1) // 2 - 1] if values else 1.0


def _message(one: PageAgreement) -> str:
    parts = []
    if _words(one) < MIN_WORDS_SHARED:
        parts.append("words: " + ", ".join(f"{other.plugin} {other.words:.0%}" for other in one.others))
    if _cells(one) < MIN_CELLS_SHARED:
        shares = (f"{other.plugin} {other.tables:.0%}" for other in one.others if other.tables is not None)
        parts.append("cells of tables: " + ", ".join(shares))
    return f"the readers of the page differ; so much is the same as {one.plugin} read it: {'; '.join(parts)}"
