"""Asks the search providers within the ceilings of a run, and puts down what that has cost (RES-5, RES-6)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from octavo_contracts import OctavoError

from .model_calls import failure
from .options import ResearchOptions
from .sources import Sources
from .spending import Usage
from .web_search import TRIES


class SearchCalls:
    """The searches of a run.

    Args:
        sources: the world of the run.
        options: options of the run, with its ceilings and the prices of its providers.
    """

    def __init__(self, sources: Sources, options: ResearchOptions) -> None:
        self._sources = sources
        self._ceilings = options.ceilings
        prices = {name: options.search_price(name) for name in options.providers}
        self._prices = {name: price for name, price in prices.items() if price}

    def ask(
        self, step: str, query: str, *, behind: Sequence[str], used: Usage, place: int = 0, count: int = 1
    ) -> dict[str, Any]:
        """Search once; the result as its step has it: places, failures, documents that were fetched, and `usage`.

        Args:
            step: the step that asks.
            query: the query.
            behind: ids of the documents whose words the query may have.
            used: what the run has cost before this search and those that run beside it.
            place: the place of this search among those that run beside it, from 0.
            count: number of searches that run beside each other: each may spend its share of what is left.
        """
        if self._sources.is_late(step):
            message = "The time of the run was up: this step was left out"
            return _result(failures=[failure(step, "time_ceiling", message)])
        limits = self._limits(used, place, count)
        failures = [
            failure(step, "money_ceiling", f"{name} was not asked: the ceiling of money leaves no room for its price")
            for name, most in limits.items()
            if not most
        ]
        try:
            found = self._sources.search(step, query, behind=behind, limits=limits)
        except OctavoError as error:
            return _result(failures=[*failures, failure(step, "search_failed", error.message)])
        failures += [failure(step, reason, message) for reason, message in found.failures]
        if found.pending:
            failures.append(failure(step, "not_searched", f"{found.pending} documents could not be searched"))
        usd = sum(self._prices.get(name, 0.0) * number for name, number in found.requests.items())
        return _result(
            hits=[[hit.document_id, hit.version, hit.locator] for hit in found.hits],
            failures=failures,
            fetched=found.fetched,
            requests=dict(found.requests),
            usage=Usage(searches=sum(found.requests.values()), usd=usd),
        )

    def _limits(self, used: Usage, place: int, count: int) -> dict[str, int]:
        left = self._ceilings.requests_left(used, sum(self._prices.values()))
        if left is None:
            return {}
        share = left // count + (place < left % count)
        return dict.fromkeys(self._prices, min(TRIES, share))


def _result(
    *,
    hits: Sequence[Any] = (),
    failures: Sequence[Any] = (),
    fetched: Sequence[str] = (),
    requests: dict[str, int] | None = None,
    usage: Usage | None = None,
) -> dict[str, Any]:
    return {
        "hits": list(hits),
        "failures": list(failures),
        "fetched": list(fetched),
        "requests": requests or {},
        "usage": (usage or Usage()).to_json(),
    }
