"""Estimates what a run costs before its first document, and stops it where its corpus allows less (ENG-24).

The pages that a paid service would read are counted: those of images, and the pages of PDFs that the inspection finds without
text. What depends on the conversion (pictures inside office documents, web pages) is measured while the run goes on.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from pathlib import PurePath

from octavo.conversion.inspection import inspect
from octavo.conversion.ocr.engines import engines_for, preferred
from octavo.conversion.ocr.needs_ocr import IMAGES, PDF
from octavo.conversion.ocr.remote import needs_network
from octavo.conversion.results import open_source
from octavo.formats import format_for_extension
from octavo_contracts import OctavoError
from octavo_sandbox.egress.targets import is_url
from octavo_text.spread_indices import spread_indices

from ...ingestion.model_cost import prices_of
from ...ingestion.requests import IngestRequest
from ...ingestion.stored_inspections import InspectionsBeforehand
from ..context import LibraryContext
from ..ingest_batch import SourcePath
from .cost_guard import CONFIRM, CostLimitReached, cost_limit_of
from .estimates import Estimate, intervals, rest_of

SAMPLE = 20
"""Paged documents that are inspected before a run, at most; the others are extrapolated."""
UNKNOWN_SECONDS = Estimate(0.1, 10.0)
"""Seconds that one document takes one worker, where no earlier run tells."""
EARLIER_RUNS = 20
"""Runs among which one is looked for that tells how long documents take."""
_MULTI_PAGE = frozenset({PDF, "image/tiff"})


def check_forecast(context: LibraryContext, sources: Iterable[SourcePath], request: IngestRequest) -> None:
    """Refuse a run that is estimated above the cost limit of its corpus.

    Args:
        context: the library's parts.
        sources: those that the run would convert; iterated once.
        request: the request of the run.

    Raises:
        CostLimitReached: the middle of the estimate is above the limit. The run has not begun.
    """
    limit = cost_limit_of(request.corpus)
    if limit is None or request.corpus is None:
        return
    prices = _page_prices(context, request)
    if not prices.high:
        return
    new = list(sources)
    pages = _Pages(context, request).of(new)
    cost = Estimate(pages.low * prices.low, pages.high * prices.high)
    if (cost.low + cost.high) / 2 <= limit:
        return
    wall = _wall(context, len(new))
    raise CostLimitReached(
        f"the run of {len(new)} new documents has not begun: it is estimated to cost {cost.low:.2f} to {cost.high:.2f} USD, and "
        f"to take {wall.low:.0f} to {wall.high:.0f} s; corpus {request.corpus.name} allows {limit:.2f} USD for a run",
        remedy=CONFIRM,
    )


def _page_prices(context: LibraryContext, request: IngestRequest) -> Estimate:
    """Lowest and highest price of a page; the lowest is 0 where an engine without a price is asked first."""
    runtime, asked = context.runtime, request.options.ocr
    prices = prices_of(runtime)
    is_sent = runtime.settings.ocr.automatic or asked.asked or asked.engine is not None
    if not prices or not is_sent:
        return Estimate(0.0, 0.0)
    first = preferred(runtime, profile=request.options.profile)
    engines = engines_for(runtime.catalogue, runtime.settings.ocr, asked, first=first)
    paid = [prices.get(one.name, 0.0) if needs_network(one) else 0.0 for one in engines]
    return Estimate(paid[0], max(paid)) if paid else Estimate(0.0, 0.0)


class _Pages:
    """Counts the pages of new sources that need recognition."""

    def __init__(self, context: LibraryContext, request: IngestRequest) -> None:
        self._context = context
        self._request = request
        self._stored = InspectionsBeforehand(context.index)

    def of(self, sources: Iterable[SourcePath]) -> Estimate:
        """Count them: one of each image; of PDFs and TIFFs by inspecting a sample that is spread over the sources."""
        single, paged = 0, []
        for source in sources:
            row = None if is_url(source) else format_for_extension(PurePath(source).suffix.lower())
            if row is not None and row.media_type in _MULTI_PAGE:
                paged.append(source)
            elif row is not None and row.media_type in IMAGES:
                single += 1
        chosen = [paged[place] for place in spread_indices(len(paged), SAMPLE)]
        counts = [self._needing(source) for source in chosen]
        rest = rest_of(counts, more=len(paged) - len(chosen)) or Estimate(0.0, 0.0)
        known = single + sum(counts)
        return Estimate(known + rest.low, known + rest.high)

    def _needing(self, source: SourcePath) -> float:
        """Pages of one file that need recognition, extrapolated from the inspected ones; 0 of a file that cannot be read."""
        runtime, options = self._context.runtime, self._request.options
        try:
            with open_source(source, name=None) as opened:
                by_hand = self._context.index.document_types.by_hand(opened.raw_file_hash, policy=self._request.policy)
                types = runtime.profile(options.profile).types
                found = inspect(runtime, opened, options, types=types, by_hand=by_hand, stored=self._stored)
        except OctavoError:
            return 0.0  # the run reports it
        seen = found.classification
        if seen is None or not seen.pages_sampled:
            return 0.0
        scanned = sum(page.needs_ocr for page in seen.page_metadata)
        return scanned * (seen.page_count or 1) / seen.pages_sampled


def _wall(context: LibraryContext, documents: int) -> Estimate:
    """Seconds that so many documents take: at the rate of the newest run that tells one, else roughly."""
    runs = context.index.runs
    for record in runs.all(limit=EARLIER_RUNS):
        moments = [datetime.fromisoformat(at).timestamp() for at in (record.started_at, *runs.moments(record.run_id))]
        if (found := rest_of(intervals(moments), more=documents)) is not None:
            return found
    workers = context.runtime.settings.workers or 1
    return Estimate(UNKNOWN_SECONDS.low * documents / workers, UNKNOWN_SECONDS.high * documents / workers)
