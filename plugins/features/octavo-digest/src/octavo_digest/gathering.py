"""Fetches missing texts of sources before they are ranked, as far as the settings allow (DIG-26)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal
from urllib.parse import urlsplit

from octavo_contracts import Fetcher, OctavoError, ToolUnavailable
from octavo_contracts.authoring.decoding import decode_page
from octavo_sandbox.egress import RefusingFetcher
from octavo_text.canonical import CanonicalText, canonicalise

from .config import DigestConfig
from .markup import canonical_html
from .observing import error_fields
from .pdf import PDFExtractor
from .source import Source
from .summarisers import Offload

Action = Literal["use", "fetch_pdf", "fetch_page", "snippet_only"]
MAX_PAGE_BYTES = 5_000_000
PAGE_TIMEOUT = 30.0
_PAGES = frozenset({"text/html", "application/xhtml+xml"})


@dataclass(frozen=True, kw_only=True)
class Gathered:
    """A source after gathering.

    Attributes:
        source: the source with its content, if any; without content it cannot be digested and is ranked by its snippet.
        action: the action taken.
        warnings: failures and truncations.
    """

    source: Source
    action: Action
    warnings: tuple[str, ...] = ()


def decide(source: Source, config: DigestConfig) -> tuple[Action, str | None]:
    """Decide how to get a source's text, and from which URL, by the seven rows of the matrix."""
    if source.size:
        return "use", None
    pdf_url = _pdf_url(source)
    if pdf_url is not None:
        return ("fetch_pdf", pdf_url) if config.fetch_pdfs else ("snippet_only", None)
    if source.url and config.follow_links:
        return "fetch_page", source.url
    return "snippet_only", None


async def gather(
    sources: Sequence[Source],
    config: DigestConfig,
    *,
    pdfs: PDFExtractor | None = None,
    fetcher: Fetcher | None = None,
    offload: Offload = asyncio.to_thread,
) -> list[Gathered]:
    """Fetch the texts, `max_concurrent` at a time; return every source, in the given order.

    Args:
        sources: the sources.
        config: settings.
        pdfs: reads PDF files; default: an extractor with the same fetcher.
        fetcher: network access for pages and files; by default none, and nothing is fetched.
        offload: runs blocking calls outside the event loop.

    Raises:
        asyncio.CancelledError: the task was cancelled.
    """
    way = fetcher or RefusingFetcher()
    reader = pdfs or PDFExtractor(way, offload=offload)
    gate = asyncio.Semaphore(config.max_concurrent)

    async def one(source: Source) -> Gathered:
        action: Action = "snippet_only"
        try:
            action, url = decide(source, config)
            if url is None:
                return Gathered(source=source, action=action)
            async with gate:
                if action == "fetch_pdf":
                    read = await reader.extract(url, source_id=source.id)
                    content: CanonicalText | None = read.canonical if read.text else None
                    warnings = read.warnings
                else:
                    content, warnings = await offload(_fetch_page, way, url)
        except Exception as error:  # noqa: BLE001 - dispatch: whatever goes wrong with one source stops no other
            said = f"the text was not fetched: {error_fields(error)['error_message']}"
            return Gathered(source=source, action=action, warnings=(said,))
        return Gathered(
            source=replace(source, content=content) if content is not None else source, action=action, warnings=warnings
        )

    return list(await asyncio.gather(*(one(source) for source in sources)))


def _fetch_page(fetcher: Fetcher, url: str) -> tuple[CanonicalText | None, tuple[str, ...]]:
    try:
        answer = fetcher.fetch(url, max_bytes=MAX_PAGE_BYTES, timeout=PAGE_TIMEOUT)
    except OctavoError as error:
        return None, (f"the page was not fetched: {error.message}",)
    if answer.status != 200:
        return None, (f"the page was not fetched: status {answer.status}",)
    is_page = answer.media_type in _PAGES
    if not is_page and not answer.media_type.startswith("text/"):
        return None, (f"the page was not read: its media type is {answer.media_type[:60]!r}",)
    try:
        decoded = decode_page(answer.body, content_type=answer.headers.get("content-type"), is_markup=is_page)
    except ToolUnavailable as error:
        return None, (f"the page was not read: {error.message}",)
    warnings = tuple(warning.message for warning in decoded.warnings(what="The page"))
    return canonical_html(decoded.text) if is_page else canonicalise(decoded.text), warnings


def _pdf_url(source: Source) -> str | None:
    named = source.metadata.get("pdf_url")
    try:
        if source.url and urlsplit(source.url).path.lower().endswith(".pdf"):
            return source.url
    except ValueError:
        return None
    return named if isinstance(named, str) and named else None
