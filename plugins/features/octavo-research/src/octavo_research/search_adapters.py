"""Adapters for search services: each builds one request and parses one answer (RES-5).

Sources of the names: https://docs.searxng.org/dev/search_api.html, https://www.sitemaps.org/protocol.html,
https://docs.tavily.com/documentation/api-reference/endpoint/search, https://api-dashboard.search.brave.com/app/documentation
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import urlencode

from octavo_contracts import AuthUnavailable, Fetcher, FetchResponse, SearchHit, SearchProvider, ToolUnavailable
from octavo_text.words import query_words, words

MAX_ANSWER = 4_000_000
"""Bytes of an answer."""
MAX_TEXT = 2_000
"""Code points of a title or of a snippet."""
MAX_LISTED = 50_000
"""URLs of a list that are read."""
_LOC = re.compile(r"<loc>\s*(?:<!\[CDATA\[)?\s*(https?://[^<\]\s]+)", re.I)
_URL = re.compile(r"^\s*(https?://\S+)", re.M)


class Searxng:
    """A SearXNG server, by its JSON format, which its settings must allow."""

    name = "searxng"
    default_url: str | None = None

    def search(
        self, query: str, *, base_url: str, fetcher: Fetcher, key: str | None = None, limit: int = 10
    ) -> list[SearchHit]:
        """Search once."""
        url = f"{base_url.rstrip('/')}/search?{urlencode({'q': query, 'format': 'json'})}"
        found = _json(self.name, fetcher.fetch(url, headers={"Accept": "application/json"}, max_bytes=MAX_ANSWER))
        return _hits(_list(self.name, found, "results"), text="content")[:limit]


class UrlList:
    """A list of URLs or a sitemap: `base_url` is the file itself. URLs whose words match the query come first."""

    name = "urls"
    default_url: str | None = None

    def search(
        self, query: str, *, base_url: str, fetcher: Fetcher, key: str | None = None, limit: int = 10
    ) -> list[SearchHit]:
        """Read the list."""
        text = fetcher.fetch(base_url, max_bytes=MAX_ANSWER).body.decode("utf-8", "replace")
        pattern = _LOC if "<urlset" in text[:2_000] or "<loc>" in text[:20_000] else _URL
        listed = list(dict.fromkeys(match.replace("&amp;", "&") for match in pattern.findall(text)))[:MAX_LISTED]
        if not listed:
            raise ToolUnavailable("the list has no URLs", plugin=self.name)
        wanted = set(query_words(query))
        scored = [(len(wanted.intersection(words(re.sub(r"[-_/.]", " ", url)))), url) for url in listed]
        scored.sort(key=lambda one: -one[0])
        return [SearchHit(url=url, title=url, snippet="", score=float(score)) for score, url in scored[:limit] if score]


class Tavily:
    """Tavily's search API."""

    name = "tavily"
    default_url: str | None = "https://api.tavily.com"

    def search(
        self, query: str, *, base_url: str, fetcher: Fetcher, key: str | None = None, limit: int = 10
    ) -> list[SearchHit]:
        """Search once."""
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {_key(self.name, key)}"}
        body = json.dumps({"query": query, "max_results": min(limit, 20)}).encode()
        answer = fetcher.fetch(
            f"{base_url.rstrip('/')}/search", method="POST", body=body, headers=headers, max_bytes=MAX_ANSWER
        )
        return _hits(_list(self.name, _json(self.name, answer), "results"), text="content")[:limit]


class Brave:
    """Brave's web search API."""

    name = "brave"
    default_url: str | None = "https://api.search.brave.com"

    def search(
        self, query: str, *, base_url: str, fetcher: Fetcher, key: str | None = None, limit: int = 10
    ) -> list[SearchHit]:
        """Search once."""
        headers = {"Accept": "application/json", "X-Subscription-Token": _key(self.name, key)}
        asked = urlencode({"q": query[:400], "count": min(limit, 20)})
        answer = fetcher.fetch(
            f"{base_url.rstrip('/')}/res/v1/web/search?{asked}", headers=headers, max_bytes=MAX_ANSWER
        )
        found = _json(self.name, answer)
        return _hits(_list(self.name, found.get("web") or {"results": []}, "results"), text="description")[:limit]


ADAPTERS: Mapping[str, SearchProvider] = {one.name: one for one in (Brave(), Searxng(), Tavily(), UrlList())}
"""The adapters of this package; further ones come as services of the kind `search_provider`."""


def _key(name: str, key: str | None) -> str:
    if key is None:
        raise AuthUnavailable(
            f"no key is given for {name}", plugin=name, remedy=f"Use --provider-key-env {name}=VARIABLE"
        )
    return key


def _json(name: str, answer: FetchResponse) -> dict[str, Any]:
    try:
        found = json.loads(answer.body)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise ToolUnavailable(f"the answer of {name} is no JSON object ({answer.media_type})", plugin=name)
    return found


def _list(name: str, found: Any, key: str) -> list[Any]:
    listed = found.get(key) if isinstance(found, dict) else None
    if not isinstance(listed, list):
        raise ToolUnavailable(f"the answer of {name} has no list {key!r}", plugin=name)
    return listed


def _hits(rows: Iterable[Any], *, text: str) -> list[SearchHit]:
    """Results with a URL; others are left out."""
    found = []
    for row in rows:
        if not isinstance(row, dict) or not isinstance(row.get("url"), str):
            continue
        score = row.get("score")
        found.append(
            SearchHit(
                url=row["url"],
                title=str(row.get("title") or "")[:MAX_TEXT],
                snippet=str(row.get(text) or "")[:MAX_TEXT],
                score=float(score) if isinstance(score, int | float) else None,
            )
        )
    return found
