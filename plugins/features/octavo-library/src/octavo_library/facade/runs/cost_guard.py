"""Stops a run whose paid calls cost more than its corpus allows, until the user confirms it (ENG-24)."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from octavo_contracts import PolicyRefused

from ...ingestion.model_cost import cost_of, prices_of
from ...storage import CorpusRecord
from .estimates import Estimate, intervals, total_of

if TYPE_CHECKING:
    from ..context import LibraryContext
    from ..results import IngestOutcome

COST_LIMIT = "cost_limit"
"""Key of the limit in the settings of a corpus."""
CONFIRM = (
    "To go on, run it again with --confirm-cost (`confirm_cost=True`); documents that are done are known. Or raise the limit: "
    "`octavo corpus set NAME --cost-limit USD`"
)


class CostLimitReached(PolicyRefused):
    """A run costs more than its corpus allows. What it ingested is stored."""


class CostGuard:
    """Adds up the cost of a run's documents and estimates that of the whole run.

    Args:
        corpus: name of the corpus.
        limit: US dollars that the run may cost.
        total: number of its documents, if known.
    """

    def __init__(self, corpus: str, limit: float, *, total: int | None) -> None:
        self._corpus = corpus
        self._limit = limit
        self._total = total
        self._costs: list[float] = []
        self._moments = [time.monotonic()]

    def add(self, cost: float) -> None:
        """Count a finished document.

        Raises:
            CostLimitReached: the run cost more than the limit, or is estimated to.
        """
        self._costs.append(cost)
        self._moments.append(time.monotonic())
        spent, rest = sum(self._costs), self._rest()
        band = total_of(self._costs, more=rest) if rest is not None else None
        if spent > self._limit:
            raise self._reached(f"cost {spent:.2f} USD", band)
        if rest and band is not None and (band.low + band.high) / 2 > self._limit:
            raise self._reached(f"cost {spent:.2f} USD and would go above the limit", band)

    def _rest(self) -> int | None:
        return None if self._total is None else max(0, self._total - len(self._costs))

    def _reached(self, what: str, band: Estimate | None) -> CostLimitReached:
        done, rest = len(self._costs), self._rest()
        of = f" of {self._total}" if self._total is not None else ""
        text = (
            f"after {done}{of} documents the run {what}; corpus {self._corpus} allows {self._limit:.2f} USD for a run"
        )
        wall = total_of(intervals(self._moments), more=rest) if rest is not None else None
        if band is not None and wall is not None:
            text += f". Estimate of the whole run: {band.low:.2f} to {band.high:.2f} USD, and {wall.low:.0f} to {wall.high:.0f} s"
        return CostLimitReached(text, remedy=CONFIRM)


def cost_limit_of(corpus: CorpusRecord | None) -> float | None:
    """Return what a run into the corpus may cost, in US dollars; None without a corpus or a limit."""
    return corpus.overrides.get(COST_LIMIT) if corpus is not None else None


def cost_of_outcome(context: LibraryContext, finished: IngestOutcome) -> float:
    """Return the cost of a document and its attachments, in US dollars; 0 for what was known, or without a price."""
    prices = prices_of(context.runtime)
    made = (one for one in finished.walk() if not one.reused)
    costs = (cost_of(one.result.attempts, prices) for one in made)
    return sum(cost or 0.0 for cost in costs)


def cost_guard_of(corpus: CorpusRecord | None, *, total: int | None) -> CostGuard | None:
    """Return the guard of a run into a corpus; None without a corpus, or for one without a limit."""
    limit = cost_limit_of(corpus)
    return CostGuard(corpus.name, limit, total=total) if corpus is not None and limit is not None else None
