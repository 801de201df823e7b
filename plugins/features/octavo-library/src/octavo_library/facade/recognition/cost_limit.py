"""Holds requested recognition within the cost limits of corpora, until the user confirms the cost (ENG-24)."""

from __future__ import annotations

from octavo.conversion.ocr.engines import engines_for, preferred
from octavo.conversion.ocr.remote import needs_network
from octavo.settings.ocr import OcrOptions

from ...ingestion.model_cost import cost_of, prices_of
from ..context import LibraryContext
from ..document import Document
from ..runs.cost_guard import COST_LIMIT, CostLimitReached
from .recognised import RecognitionResult


class RecognitionCost:
    """Adds up the cost of the documents that one request has recognised, for each corpus with a limit.

    Args:
        context: the library's parts.
        options: the pages and the engine of the request.
        is_confirmed: whether the user confirmed that the request may cost more than the limits.
    """

    def __init__(self, context: LibraryContext, options: OcrOptions, *, is_confirmed: bool = False) -> None:
        self._context = context
        self._options = options
        self._is_confirmed = is_confirmed
        self._spent: dict[str, float] = {}
        self._price = self._page_price()

    def check(self, document: Document) -> None:
        """Estimate the cost of a document before its first page is sent.

        Args:
            document: the document that is recognised next.

        Raises:
            CostLimitReached: the request would cost more than a corpus of the document allows.
        """
        if self._is_confirmed or not self._price:
            return
        pages = self._pages(document)
        for name, limit in self._limits(document):
            spent = self._spent.get(name, 0.0)
            if spent + pages * self._price > limit:
                raise CostLimitReached(
                    f"the recognition cost {spent:.2f} USD so far, and up to {pages * self._price:.2f} USD for the {pages} "
                    f"pages of the next document; corpus {name} allows {limit:.2f} USD",
                    remedy="To go on, run it again with --confirm-cost (`confirm_cost=True`); pages that are read are kept. "
                    "Or raise the limit: `octavo corpus set NAME --cost-limit USD`",
                )

    def add(self, document: Document, done: RecognitionResult) -> None:
        """Count what a document cost.

        Args:
            document: the document.
            done: its recognition.
        """
        cost = cost_of(done.recognition.attempts, prices_of(self._context.runtime)) or 0.0
        for name, _ in self._limits(document):
            self._spent[name] = self._spent.get(name, 0.0) + cost

    def _limits(self, document: Document) -> list[tuple[str, float]]:
        corpora = self._context.index.corpora.of_document(document.id)
        return [(one.name, limit) for one in corpora if (limit := one.overrides.get(COST_LIMIT)) is not None]

    def _page_price(self) -> float:
        """The highest price of a page among the engines that may be asked; 0 if none of them has one."""
        runtime = self._context.runtime
        prices = prices_of(runtime)
        if not prices:
            return 0.0
        first = preferred(runtime, profile=None)
        engines = engines_for(runtime.catalogue, runtime.settings.ocr, self._options, first=first)
        return max((prices.get(one.name, 0.0) for one in engines if needs_network(one)), default=0.0)

    def _pages(self, document: Document) -> int:
        """The most pages that may be sent: those asked for, else those of the document that need recognition."""
        if self._options.pages is not None:
            return len(self._options.pages)
        classification = document.result.classification if document.active_version is not None else None
        if classification is None:
            return 1
        needed = sum(page.needs_ocr or page.is_scanned for page in classification.page_metadata)
        return needed or classification.page_count or 1
