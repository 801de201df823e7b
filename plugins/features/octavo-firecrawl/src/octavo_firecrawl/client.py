"""Client for the part of Firecrawl's public API that renders a page: `POST /v2/scrape`, else `/v1/scrape`.

Source of the names: https://docs.firecrawl.dev/api-reference/endpoint/scrape
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from octavo_contracts import AuthUnavailable, CrawledPage, Fetcher, FetchResponse, ToolUnavailable

PLUGIN = "firecrawl"
PATHS = ("/v2/scrape", "/v1/scrape")
"""API paths, newest first; an older server answers 404 to the first one."""
CODES = (
    "SCRAPE_ALL_ENGINES_FAILED",
    "SCRAPE_DNS_RESOLUTION_ERROR",
    "SCRAPE_RETRY_LIMIT",
    "SCRAPE_SITE_ERROR",
    "SCRAPE_SSL_ERROR",
    "SCRAPE_TIMEOUT",
    "SCRAPE_UNSUPPORTED_FILE_ERROR",
)
"""Error codes that are reported as sent by the server."""
MAX_BYTES = 60_000_000
"""Maximum bytes of an answer: the page as JSON, in which each quotation mark takes two bytes."""
MARGIN_SECONDS = 5.0
"""Seconds added to the crawler's own timeout: its error says more than a closed connection."""


class FirecrawlClient:
    """Requests rendered pages from a Firecrawl server. Stateless."""

    def crawl(
        self, url: str, *, base_url: str, fetcher: Fetcher, key: str | None = None, timeout: float = 60.0
    ) -> CrawledPage:
        """Render a page; see `octavo_contracts.Crawler`.

        Raises:
            PolicyRefused: the server's address is not allowed.
            AuthUnavailable: the server rejects the key.
            ToolUnavailable: the server cannot be reached, or could not render the page.
        """
        asked = {
            "url": url,
            "formats": ["rawHtml"],
            "onlyMainContent": False,
            "maxAge": 0,  # never a cached copy: store the current page
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
        raise _failed("the server has no Firecrawl API", remedy="Check the setting web.crawler")

    def _post(
        self, url: str, body: bytes, headers: Mapping[str, str], fetcher: Fetcher, timeout: float
    ) -> FetchResponse:
        try:
            return fetcher.fetch(url, method="POST", body=body, headers=headers, max_bytes=MAX_BYTES, timeout=timeout)
        except AuthUnavailable as error:
            raise AuthUnavailable(
                "the Firecrawl server rejects the key", plugin=PLUGIN, remedy="Check the setting web.crawler_key"
            ) from error


def _page(url: str, answer: FetchResponse) -> CrawledPage:
    """Parse the server's answer for a page.

    Raises:
        ToolUnavailable: the server could not render the page, or its answer does not follow its API.
    """
    found = _object(answer.body)
    if found is None:
        raise _failed(f"the answer is not a JSON object (status {answer.status})")
    if answer.status >= 400 or not found.get("success"):
        # The server's message quotes the page and its address, so only a code from the list is reported.
        named = {str(found.get(name)) for name in ("code", "error")}
        said = "".join(f": {code}" for code in CODES if code in named)
        raise _failed(f"the server could not render the page (status {answer.status}){said}")
    data = found.get("data")
    html = data.get("rawHtml") if isinstance(data, dict) else None
    if not isinstance(html, str):
        raise _failed("the answer has no page")
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
    return ToolUnavailable(message, plugin=PLUGIN, remedy=remedy or "Check the log of the Firecrawl server")
