"""Fetches PDF files for a research run and reads them with Octavo's own converters (DIG-26 … DIG-28, DIG-32)."""

from __future__ import annotations

import asyncio
import re
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from octavo import convert
from octavo.runtime import Runtime
from octavo_contracts import Fetcher, HardFailReason, OctavoError, Span
from octavo_sandbox.egress import RefusingFetcher
from octavo_text.canonical import CanonicalText, join_bodies
from octavo_text.canonical import canonical_body as body_of

from .observing import AuditEvent, EventSink, Metrics, error_fields, log_event, tell
from .policy import quality_warnings
from .summarisers import Offload

MAX_BYTES = 10_000_000
MAX_PAGES = 500
MAX_CHARS = 500_000
TIMEOUT_SECONDS = 30.0
MAGIC = b"%PDF-"
MAGIC_WITHIN = 1_024
"""The signature of a PDF file must start within this many bytes."""
MEDIA_TYPES = frozenset({"application/pdf", "application/x-pdf", "application/octet-stream", "binary/octet-stream", ""})
"""Media types that servers send for PDF files; the bytes decide."""


@dataclass(frozen=True, kw_only=True)
class PDFExtractionResult:
    """A PDF file's text.

    Attributes:
        text: canonical text with page separators; empty if the file could not be read.
        page_offsets: start of each page's body in the text.
        warnings: quality warnings, truncations, or why there is no text.
    """

    text: str = ""
    page_offsets: tuple[int, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def canonical(self) -> CanonicalText:
        """The text with its pages, ready to be digested."""
        text = CanonicalText.from_archive(self.text)
        return CanonicalText(text.text, text.pages, paginated=bool(self.page_offsets))


class PDFExtractor:
    """Reads PDF files; any problem with a file becomes a warning, never an exception.

    A converter parses the bytes in a sandboxed worker, page by page, and stops at its own limits; if the first converter
    fails, routing tries the next one.

    Args:
        fetcher: network access; default: none.
        runtime: plugins and workers; default: the shared runtime of the process.
        events: receives failures.
        metrics: the metrics to update.
        clock: a monotonic clock, seconds.
        offload: runs blocking calls outside the event loop.
        timeout: total seconds for a file: fetching, waiting for a worker, and all converters tried (DIG-28).
    """

    def __init__(
        self,
        fetcher: Fetcher | None = None,
        *,
        runtime: Runtime | None = None,
        events: EventSink = log_event,
        metrics: Metrics | None = None,
        clock: Callable[[], float] = time.monotonic,
        offload: Offload = asyncio.to_thread,
        timeout: float = TIMEOUT_SECONDS,
    ) -> None:
        self._fetcher = fetcher or RefusingFetcher()
        self._runtime = runtime
        self._events = events
        self.metrics = metrics or Metrics()
        self._clock = clock
        self._offload = offload
        self._timeout = timeout

    async def extract(self, url_or_bytes: str | bytes, *, source_id: str = "") -> PDFExtractionResult:
        """Extract the text of a PDF file.

        Args:
            url_or_bytes: the URL of the file, or its bytes.
            source_id: source id for events.

        Raises:
            asyncio.CancelledError: the task was cancelled.
        """
        started = self._clock()
        over = threading.Event()
        try:
            async with asyncio.timeout(self._timeout):
                result: PDFExtractionResult = await self._offload(self._get, url_or_bytes, over)
        except Exception as error:  # noqa: BLE001 - dispatch: whatever is wrong with a file becomes a warning
            why = f"it took longer than {self._timeout:g} s" if isinstance(error, TimeoutError) else _said(error)
            fields = {"source_id": source_id, **error_fields(error)}
            tell(self._events, AuditEvent(name="digest.pdf_extract_error", fields=fields))
            result = PDFExtractionResult(warnings=(f"the PDF file was skipped: {why}",))
        finally:
            over.set()  # the thread cannot be stopped: it ends as soon as its call returns
        self.metrics.observe("pdf_extraction_duration_seconds", self._clock() - started)
        self.metrics.count("pdf_extraction_pages_total", len(result.page_offsets))
        return result

    def _get(self, url_or_bytes: str | bytes, over: threading.Event) -> PDFExtractionResult:
        data = url_or_bytes if isinstance(url_or_bytes, bytes) else self._fetch(url_or_bytes)
        return PDFExtractionResult() if over.is_set() else self._read(data, over)

    def _fetch(self, url: str) -> bytes:
        answer = self._fetcher.fetch(url, max_bytes=MAX_BYTES, timeout=self._timeout)
        if answer.status != 200:
            raise NotPdf(f"the server answered with status {answer.status}")
        if answer.media_type not in MEDIA_TYPES:
            raise NotPdf(f"the server sent the media type {answer.media_type[:60]!r}")
        return answer.body

    def _read(self, data: bytes, over: threading.Event) -> PDFExtractionResult:
        if MAGIC not in data[:MAGIC_WITHIN]:
            raise NotPdf("the bytes are not a PDF file")
        if len(data) > MAX_BYTES:
            raise NotPdf(f"the file is longer than {MAX_BYTES} bytes")
        converted = convert(data, name="fetched.pdf", timeout=self._timeout, cancel=over, runtime=self._runtime)
        if converted.result.ingestion_status == "hard_failed":
            receipt = converted.result.failure_receipts[0]
            if receipt.reason_code is HardFailReason.CONVERSION_TIMEOUT:
                # The converter's own timeout came first: for the caller it is the same.
                raise TimeoutError
            raise NotPdf(f"the file cannot be read [{receipt.reason_code.value}]")
        result = limited(CanonicalText.from_archive(converted.text))
        return replace(result, warnings=(*quality_warnings(converted.result.quality_report), *result.warnings))


def _said(error: Exception) -> str:
    """Describe an error for a warning: the message of an `OctavoError`, else only the class, because messages may quote."""
    return error.message if isinstance(error, OctavoError) else str(error_fields(error)["error_message"])


class NotPdf(OctavoError):
    """The fetched data is not a readable PDF file."""


def limited(text: CanonicalText) -> PDFExtractionResult:
    """Limit a text to the first 500 pages and the first 500,000 characters, cut at a word."""
    warnings: list[str] = []
    pages = list(text.pages)
    if len(pages) > MAX_PAGES:
        warnings.append(f"only the first {MAX_PAGES} of {len(pages)} pages were taken")
        pages = pages[:MAX_PAGES]
    if pages[-1].end > MAX_CHARS:
        warnings.append(f"only the first {MAX_CHARS} of {pages[-1].end} characters were taken")
        pages = [page for page in pages if page.start < MAX_CHARS]
        pages[-1] = _cut(text.text, pages[-1])
    joined = join_bodies([body_of(page.of(text.text)) for page in pages], paginated=True)
    return PDFExtractionResult(
        text=joined.text, page_offsets=tuple(page.start for page in joined.pages), warnings=tuple(warnings)
    )


_LAST_WORD = re.compile(r"\s\S*\Z")


def _cut(text: str, page: Span) -> Span:
    if page.end <= MAX_CHARS:
        return page
    match = _LAST_WORD.search(text, page.start, MAX_CHARS)
    return Span(start=page.start, end=match.start() if match else MAX_CHARS)
