"""How truthful the built-in score is: its rank correlation with the accuracy, and each flag's precision and recall.

A document is scored by weights that were made from the other folds; the figure of the weights that ship, which have seen it,
stands beside. The thresholds of the flags were set by hand, with the whole corpus in sight.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy
from octavo.builtins.quality.assess import FIXED_LAYOUT
from octavo_contracts import DegradedFlag

from .collect import Row
from .fitting import Sample, out_of_fold, samples
from .installed import ROUTER
from .manifest import Truth
from .markup import Grid, structure
from .outcomes import wanted_flag
from .records import grids_of_cells
from .tables import has_lost_one

WRONG = 0.8
"""An accuracy below this is what a flag should have warned of."""


@dataclass(frozen=True, kw_only=True)
class FlagFigures:
    """How often a flag was right.

    Attributes:
        raised: conversions that carry it.
        wanted: conversions that should.
        right: those of both.
    """

    raised: int
    wanted: int
    right: int

    @property
    def precision(self) -> float | None:
        """None where it was never raised."""
        return self.right / self.raised if self.raised else None

    @property
    def recall(self) -> float | None:
        """None where it was never wanted."""
        return self.right / self.wanted if self.wanted else None


@dataclass(frozen=True, kw_only=True)
class Calibration:
    """What the score and the flags are worth.

    Attributes:
        spearman: rank correlation of score and accuracy over the conversions of all engines and the router, out of
            fold; None where there are fewer than three, or either is the same for all.
        spearman_in_sample: the same under the weights that ship.
        spearman_router: out of fold, over the router's conversions alone: one a document.
        by_group: out of fold, within each group of kinds.
        conversions: how many were scored.
        flags: flag → its figures.
    """

    spearman: float | None
    spearman_in_sample: float | None
    spearman_router: float | None
    by_group: dict[str, float | None]
    conversions: int
    flags: dict[str, FlagFigures]

    def to_json(self) -> dict[str, Any]:
        """For machines."""
        return {
            "spearman": self.spearman,
            "spearman_in_sample": self.spearman_in_sample,
            "spearman_router": self.spearman_router,
            "by_group": self.by_group,
            "conversions": self.conversions,
            "flags": {
                name: {"precision": one.precision, "recall": one.recall, "raised": one.raised, "wanted": one.wanted}
                for name, one in self.flags.items()
            },
        }

    def tables(self) -> str:
        """For people, as markdown."""
        lines = [
            f"Score and accuracy of {self.conversions} conversions, Spearman: {_figure(self.spearman)} out of fold, "
            f"{_figure(self.spearman_in_sample)} in sample; {_figure(self.spearman_router)} out of fold over the router's.",
            "",
            "Out of fold within a group: "
            + ", ".join(f"{group} {_figure(value)}" for group, value in self.by_group.items())
            + ".",
            "",
            "| flag | precision | recall | raised | wanted |",
            "| --- | --- | --- | --- | --- |",
        ]
        for name, one in self.flags.items():
            lines.append(f"| {name} | {_figure(one.precision)} | {_figure(one.recall)} | {one.raised} | {one.wanted} |")
        return "\n".join(lines)


def measure(rows: Sequence[Row]) -> Calibration:
    """Figures of the score and the flags over what was read in a run."""
    known = samples(rows)
    held_out = list(zip(known, out_of_fold(known), strict=True))
    groups = sorted({sample.row.document.group for sample in known})
    return Calibration(
        spearman=_correlation(held_out),
        spearman_in_sample=_correlation([(sample, sample.score) for sample in known]),
        spearman_router=_correlation([pair for pair in held_out if pair[0].row.engine == ROUTER]),
        by_group={group: _correlation([p for p in held_out if p[0].row.document.group == group]) for group in groups},
        conversions=len(known),
        flags={name: _flag_figures(rows, name, wants) for name, wants in WANTED.items()},
    )


def _correlation(scored: Sequence[tuple[Sample, float]]) -> float | None:
    return spearman([score for _, score in scored], [sample.accuracy for sample, _ in scored])


def spearman(one: Sequence[float], other: Sequence[float]) -> float | None:
    """Rank correlation; ties share their mean rank. None below three pairs, or where either is constant."""
    if len(one) < 3:
        return None
    first, second = _ranks(one), _ranks(other)
    if not first.std() or not second.std():
        return None
    return float(numpy.corrcoef(first, second)[0, 1])


def _ranks(values: Sequence[float]) -> numpy.ndarray[Any, numpy.dtype[numpy.float64]]:
    array = numpy.asarray(values, dtype=float)
    ordered = numpy.sort(array)
    return (numpy.searchsorted(ordered, array, "left") + numpy.searchsorted(ordered, array, "right")) / 2


def _text_lost(row: Row) -> bool | None:
    """Half of what a fixed layout says is missing or wrong."""
    evidence = row.reading.evidence
    if evidence is None or evidence.media_type not in FIXED_LAYOUT or "text" not in row.score.parts:
        return None
    return row.score.parts["text"] < 0.5


def _tables_wrong(row: Row) -> bool | None:
    """There are tables, and they are not those of the document."""
    conversion = row.reading.conversion
    if "tables" not in row.score.parts:
        return None
    has_tables = conversion is not None and any(page.tables for page in conversion.pages)
    return has_tables and row.score.parts["tables"] < 0.5


def _table_lost(row: Row) -> bool | None:
    """A table of the document has no counterpart. A truth that holds the whole as markdown says where there are none."""
    if row.reading.conversion is None or row.document.group == "HTML":
        return None
    wanted = [grid for truth in row.document.truths for grid in _true_tables(truth)]
    if not wanted:
        return False if any(truth.kind == "markdown" for truth in row.document.truths) else None
    return has_lost_one(wanted, structure(row.reading.markdown).tables)


def _true_tables(truth: Truth) -> Sequence[Grid]:
    if truth.kind == "markdown":
        return structure(truth.text()).tables
    return grids_of_cells(truth.data()) if truth.kind == "cells_json" else ()


def _recognised_wrongly(row: Row) -> bool | None:
    if not row.reading.recognised or "text" not in row.score.parts:
        return None
    return row.score.parts["text"] < WRONG


def _asked_for(flag: DegradedFlag) -> Callable[[Row], bool | None]:
    """By what outcomes ask for; a document without an asked outcome says nothing of such flags."""

    def wants(row: Row) -> bool | None:
        outcomes = [truth.data() for truth in row.document.truths if truth.kind == "outcome_json"]
        return any(flag.value in wanted_flag(outcome) for outcome in outcomes) if outcomes else None

    return wants


WANTED: dict[str, Callable[[Row], bool | None]] = {
    DegradedFlag.LOW_TEXT_YIELD.value: _text_lost,
    DegradedFlag.TABLES_GARBLED.value: _tables_wrong,
    DegradedFlag.TABLES_LOST.value: _table_lost,
    DegradedFlag.OCR_LOW_CONFIDENCE.value: _recognised_wrongly,
    DegradedFlag.HIDDEN_TEXT.value: _asked_for(DegradedFlag.HIDDEN_TEXT),
    DegradedFlag.TYPE_MISMATCH.value: _asked_for(DegradedFlag.TYPE_MISMATCH),
}
"""Flag → whether a conversion should carry it, by the truth; None where the truth says nothing of it."""


def _flag_figures(rows: Iterable[Row], flag: str, wants: Callable[[Row], bool | None]) -> FlagFigures:
    """Of the conversions whose truth speaks of it."""
    found = [
        (flag in row.reading.flags, wanted)
        for row in rows
        if row.reading.conversion is not None and row.reading.evidence is not None
        for wanted in [wants(row)]
        if wanted is not None
    ]
    return FlagFigures(
        raised=sum(raised for raised, _ in found),
        wanted=sum(wanted for _, wanted in found),
        right=sum(raised and wanted for raised, wanted in found),
    )


def _figure(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"
