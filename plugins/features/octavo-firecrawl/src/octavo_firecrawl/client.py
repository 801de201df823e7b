"""Firecrawl's public API, as much of it as one page needs: `POST /v2/scrape`, and `/v1/scrape` where that is not there.

Source of the names: https://docs.firecrawl.dev/api-reference/endpoint/scrape
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from octavo_contracts import AuthUnavailable, CrawledPage, Fetcher, FetchResponse, ToolUnavailable

PLUGIN = "firecrawl"
PATHS = ("/v2/scrape", "/v1/scrape")
"""The newest first; an older server answers 404 to it."""
CODES = (
    "SCRAPE_ALL_ENGINES_FAILED",
    "SCRAPE_DNS_RESOLUTION_ERROR",
    "SCRAPE_RETRY_LIMIT",
    "SCRAPE_SITE_ERROR",
    "SCRAPE_SSL_ERROR",
    "SCRAPE_TIMEOUT",
    "SCRAPE_UNSUPPORTED_FILE_ERROR",
)
"""Codes of errors that are told as the server gives them."""
MAX_BYTES = 60_000_000
"""Of an answer: the page as JSON, in which each quotation mark takes two bytes."""
MARGIN_SECONDS = 5.0
"""So much more than the crawler is given: its own verdict is worth more than a connection that was cut."""


class FirecrawlClient:
    """Asks a Firecrawl server for rendered pages. Keeps nothing between calls."""

    def crawl(
        self, url: str, *, base_url: str, fetcher: Fetcher, key: str | None = None, timeout: float = 60.0
    ) -> CrawledPage:
        """Have a page rendered; as `octavo_contracts.Crawler`.

        Raises:
            PolicyRefused: the server's address is not allowed.
            AuthUnavailable: the server wants another key.
            ToolUnavailable: it cannot be reached, or could not render the page.
        """
        asked = {
            "url": url,
            "formats": ["rawHtml"],
            "onlyMainContent": False,
            "maxAge": 0,  # never a copy that it kept: what is stored is the page as it is now
            "timeout": int(timeout * 1000),
        }
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if key:
            headers["Authorization"] = f"Bearer {key}"
        body = json.dumps(asked).encode()
        for path in PATHS:
            answer = self._post(base_url.rstrip("/") + path, body, headers, fetcher, timeout + MARGIN_SECONDS)
            if answer.status != 404:
                return _page(url, answer)
        raise _failed("there is no Firecrawl API there", remedy="Check the setting web.crawler")

    def _post(
        self, url: str, body: bytes, headers: Mapping[str, str], fetcher: Fetcher, timeout: float
    ) -> FetchResponse:
        try:
            return fetcher.fetch(url, method="POST", body=body, headers=headers, max_bytes=MAX_BYTES, timeout=timeout)
        except AuthUnavailable as error:
            raise AuthUnavailable(
                "the Firecrawl server wants another key", plugin=PLUGIN, remedy="Check the setting web.crawler_key"
            ) from error


def _page(url: str, answer: FetchResponse) -> CrawledPage:
    """What the server says of the page.

    Raises:
        ToolUnavailable: it could not render it, or its answer is not what its API says.
    """
    found = _object(answer.body)
    if found is None:
        raise _failed(f"its answer is no JSON object (status {answer.status})")
    if answer.status >= 400 or not found.get("success"):
        # Its own words quote the page and its address. Of them only a code that this list has is told.
        named = {str(found.get(name)) for name in ("code", "error")}
        said = "".join(f": {code}" for code in CODES if code in named)
        raise _failed(f"it could not render the page (status {answer.status}){said}")
    data = found.get("data")
    html = data.get("rawHtml") if isinstance(data, dict) else None
    if not isinstance(html, str):
        raise _failed("its answer holds no page")
    metadata = data.get("metadata") if isinstance(data, dict) else None
    facts = metadata if isinstance(metadata, dict) else {}
    status = facts.get("statusCode")
    final = facts.get("url") or facts.get("sourceURL")
    return CrawledPage(
        url=final if isinstance(final, str) else url,
        status=status if isinstance(status, int) else 200,
        body=html.encode("utf-8", "replace"),
    )


def _object(body: bytes) -> dict[str, Any] | None:
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _failed(message: str, *, remedy: str | None = None) -> ToolUnavailable:
    return ToolUnavailable(message, plugin=PLUGIN, remedy=remedy or "Look at the log of the Firecrawl server")
