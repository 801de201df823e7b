"""How truthful the built-in score is: its rank correlation with the accuracy, and each flag's precision and recall.

For documents that `folds.json` names, the score of a document comes of a model that was made from the other folds; the
shipped score of any other document is out-of-fold by itself. The shipped score of all documents stands beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy
from octavo.quality import FIXED_LAYOUT
from octavo_contracts import DegradedFlag

from .collect import Row
from .fitting import Sample, fit, samples
from .folds import COUNT, fold_of
from .installed import ROUTER
from .outcomes import wanted_flag

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
        spearman: rank correlation of score and accuracy over the conversions of all engines and the router, out-of-fold;
            None where there are fewer than three.
        spearman_in_sample: the same of the shipped score.
        spearman_router: out-of-fold, over the router's conversions alone: one a document.
        conversions: how many were scored.
        flags: flag → its figures.
    """

    spearman: float | None
    spearman_in_sample: float | None
    spearman_router: float | None
    conversions: int
    flags: dict[str, FlagFigures]

    def to_json(self) -> dict[str, Any]:
        """For machines."""
        return {
            "spearman": self.spearman,
            "spearman_in_sample": self.spearman_in_sample,
            "spearman_router": self.spearman_router,
            "conversions": self.conversions,
            "flags": {
                name: {"precision": one.precision, "recall": one.recall, "raised": one.raised, "wanted": one.wanted}
                for name, one in self.flags.items()
            },
        }

    def tables(self) -> str:
        """For people, as markdown."""
        lines = [
            f"Score and accuracy of {self.conversions} conversions, Spearman: {_figure(self.spearman)} out-of-fold, "
            f"{_figure(self.spearman_in_sample)} as shipped; {_figure(self.spearman_router)} over the router's, out-of-fold.",
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
    held_out = out_of_fold(known)
    accuracy = [sample.accuracy for sample in known]
    router = [index for index, sample in enumerate(known) if sample.row.engine == ROUTER]
    return Calibration(
        spearman=spearman(held_out, accuracy),
        spearman_in_sample=spearman([sample.row.reading.quality or 0.0 for sample in known], accuracy),
        spearman_router=spearman([held_out[index] for index in router], [accuracy[index] for index in router]),
        conversions=len(known),
        flags={name: _flag_figures(rows, name, wants) for name, wants in WANTED.items()},
    )


def out_of_fold(known: Sequence[Sample]) -> list[float]:
    """The score of each conversion by a model that has seen no document of its source."""
    folds = [fold_of(sample.row.document) for sample in known]
    found = [sample.row.reading.quality or 0.0 for sample in known]
    for fold in range(COUNT):
        rest = [sample for sample, of in zip(known, folds, strict=True) if of is not None and of != fold]
        if fold not in folds or len(rest) < 2 * COUNT:
            continue
        model = fit(rest)
        for index, sample in enumerate(known):
            if folds[index] == fold:
                found[index] = model.score(sample.numbers)
    return found


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
