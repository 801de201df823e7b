"""Asks search services for a query: URLs normalised and deduplicated, ranks fused, rates limited, failures retried, answers cached (RES-5)."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from types import MappingProxyType
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from octavo_contracts import (
    ContractViolation,
    Fetcher,
    FetchResponse,
    OctavoError,
    SearchHit,
    SearchProvider,
    ToolUnavailable,
)

from .corpus_provider import RRF

TRIES = 3
"""Requests of one search, with those repeated after status 429 or 5xx, or where the service could not be reached."""
LONGEST_WAIT = 10.0
"""Seconds between two tries, whatever the service asks for: one that answers 429 for ever is given up."""
SECONDS = 20.0
"""Seconds of one request."""
GIVEN_UP_AFTER = 2
"""Failed searches in a row after which a service is asked no more in the run: one that hangs would cost a minute each time."""
MAX_URL = 2_048
"""Code points of a result's URL; a longer one is left out."""
INTERVAL = 1.0
"""Least seconds between two requests to one service."""
_TRACKING = frozenset({"fbclid", "gclid", "dclid", "msclkid", "mc_cid", "mc_eid", "igshid", "yclid"})
_DEFAULT_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, kw_only=True)
class ConfiguredProvider:
    """A provider of a run.

    Attributes:
        name: what it is called.
        adapter: speaks its protocol.
        base_url: its server.
        fetcher: network access to that server alone.
        key: its API key; never shown.
        check: raises `PolicyRefused` where the query may not be sent to it.
    """

    name: str
    adapter: SearchProvider
    base_url: str
    fetcher: Fetcher
    key: str | None = field(default=None, repr=False)
    check: Callable[[Sequence[str]], None] = lambda documents: None


@dataclass(frozen=True, kw_only=True)
class WebHit:
    """A result, fused over providers.

    Attributes:
        url: the URL as the provider that ranks the result best gives it; a server may know no other spelling of it.
        title: the title that this provider gives.
        providers: the providers that found it.
        score: sum of 1 / (60 + rank).
    """

    url: str
    title: str
    providers: tuple[str, ...]
    score: float


@dataclass(frozen=True, kw_only=True)
class WebResults:
    """Results of all providers.

    Attributes:
        hits: best first.
        failures: provider → what failed.
        requests: provider → requests sent; none for an answer of the cache.
    """

    hits: tuple[WebHit, ...]
    failures: Mapping[str, str]
    requests: Mapping[str, int]


class WebSearch:
    """The search services of a run. Safe for many threads.

    Args:
        providers: the services.
        interval: least seconds between two requests to one service.
        clock: a monotonic clock, seconds.
        sleep: waits.
    """

    def __init__(
        self,
        providers: Sequence[ConfiguredProvider],
        *,
        interval: float = INTERVAL,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._providers = tuple(providers)
        self._cache: dict[tuple[str, str, int], list[SearchHit]] = {}
        self._fetchers = {
            one.name: _PoliteFetcher(one.fetcher, interval=interval, clock=clock, sleep=sleep) for one in providers
        }

    def search(
        self,
        query: str,
        *,
        limit: int = 10,
        behind: Sequence[str] = (),
        limits: Mapping[str, int] = MappingProxyType({}),
    ) -> WebResults:
        """Ask every service.

        Args:
            query: what to look for.
            limit: results of each service, and of all together.
            behind: ids of the documents whose words the query may have; none: it comes from the user.
            limits: provider → requests that it may be sent; one with none is not asked.
        """
        asked = [one for one in self._providers if limits.get(one.name, TRIES)]
        # Counted for this search alone: others run at the same time.
        counted = {one.name: _CountingFetcher(self._fetchers[one.name], limits.get(one.name, TRIES)) for one in asked}

        def one(provider: ConfiguredProvider) -> list[SearchHit] | str:
            try:
                return self._ask(provider, counted[provider.name], query, limit, behind)
            except OctavoError as error:
                return error.message

        with ThreadPoolExecutor(max_workers=max(1, len(asked))) as pool:
            answers = list(pool.map(one, asked))
        pairs = list(zip(asked, answers, strict=True))
        return WebResults(
            hits=fused({provider.name: hits for provider, hits in pairs if not isinstance(hits, str)})[:limit],
            failures={provider.name: told for provider, told in pairs if isinstance(told, str)},
            requests={name: fetcher.requests for name, fetcher in counted.items() if fetcher.requests},
        )

    def _ask(
        self, provider: ConfiguredProvider, fetcher: Fetcher, query: str, limit: int, behind: Sequence[str]
    ) -> list[SearchHit]:
        provider.check(behind)
        key = (provider.name, " ".join(query.casefold().split()), limit)
        if key not in self._cache:
            found = provider.adapter.search(
                query,
                base_url=provider.base_url,
                fetcher=fetcher,
                key=provider.key,
                limit=limit,
            )
            if not isinstance(found, list) or not all(isinstance(hit, SearchHit) for hit in found):
                raise ContractViolation(f"the search provider {provider.name} returned no list of results")
            self._cache[key] = found[:limit]
        return self._cache[key]


class _PoliteFetcher:
    """A fetcher that waits between requests, and repeats those that a busy service refused."""

    def __init__(
        self, inner: Fetcher, *, interval: float, clock: Callable[[], float], sleep: Callable[[float], None]
    ) -> None:
        self._inner = inner
        self._interval = interval
        self._clock = clock
        self._sleep = sleep
        self._next = 0.0
        self._failed = 0
        self._lock = threading.Lock()

    def fetch(
        self,
        url: str,
        *,
        method: str = "GET",
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        max_bytes: int = 10_000_000,
        timeout: float = SECONDS,
        sent: Callable[[], None] = lambda: None,
    ) -> FetchResponse:
        """Fetch; an answer of another status than 200 is an error. `sent` is called for each request."""
        if self._failed >= GIVEN_UP_AFTER:
            raise ToolUnavailable(f"the search service was asked no more: {self._failed} searches in a row failed")
        for attempt in range(1, TRIES + 1):
            self._wait()
            sent()
            try:
                answer = self._inner.fetch(
                    url, method=method, body=body, headers=headers, max_bytes=max_bytes, timeout=timeout
                )
            except ToolUnavailable:
                if attempt == TRIES:
                    self._failed += 1
                    raise
                self._sleep(min(LONGEST_WAIT, float(2 ** (attempt - 1))))
                continue
            if answer.status == 200:
                self._failed = 0
                return answer
            if attempt == TRIES or not (answer.status == 429 or answer.status >= 500):
                self._failed += 1
                raise ToolUnavailable(f"the search service answered with status {answer.status}")
            self._sleep(min(LONGEST_WAIT, retry_after(answer, otherwise=float(2 ** (attempt - 1)))))
        raise AssertionError("the last try returns or raises")

    def _wait(self) -> None:
        with self._lock:
            now = self._clock()
            wait = max(0.0, self._next - now)
            self._next = max(now, self._next) + self._interval
        if wait:
            self._sleep(wait)


class _CountingFetcher:
    """The fetcher of one search: counts its requests, with those that are repeated, and sends no more than it may.

    Args:
        inner: sends them.
        most: requests that it may send.
    """

    def __init__(self, inner: _PoliteFetcher, most: int) -> None:
        self._inner = inner
        self._most = min(most, TRIES)
        self.requests = 0

    def fetch(
        self,
        url: str,
        *,
        method: str = "GET",
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        max_bytes: int = 10_000_000,
        timeout: float = SECONDS,
    ) -> FetchResponse:
        """Fetch, and count."""
        return self._inner.fetch(
            url, method=method, body=body, headers=headers, max_bytes=max_bytes, timeout=timeout, sent=self._count
        )

    def _count(self) -> None:
        if self.requests == self._most:
            raise ToolUnavailable(f"the search would need more requests than the {self._most} that it may send")
        self.requests += 1


def retry_after(answer: FetchResponse, *, otherwise: float) -> float:
    """Seconds that a service asks to wait; a date is not understood, and counts as none."""
    text = answer.headers.get("retry-after", "")
    return float(text) if text.isascii() and text.isdigit() else otherwise


def normalised_url(url: str) -> str | None:
    """The URL by which results are compared; None for what is no http or https URL.

    Scheme and host in lower case, no default port, no fragment, no tracking parameters, parameters sorted, no slash at the end.
    """
    try:
        parts = urlsplit(url.strip())
        port = parts.port
    except ValueError:
        return None
    scheme = parts.scheme.lower()
    if scheme not in _DEFAULT_PORTS or not parts.hostname:
        return None
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname.lower()
    authority = host if port in (None, _DEFAULT_PORTS[scheme]) else f"{host}:{port}"
    asked = sorted(
        (name, value)
        for name, value in parse_qsl(parts.query, keep_blank_values=True)
        if not name.lower().startswith("utm_") and name.lower() not in _TRACKING
    )
    path = parts.path.rstrip("/") or "/"
    return urlunsplit((scheme, authority, path, urlencode(asked), ""))


def fused(rankings: Mapping[str, Sequence[SearchHit]]) -> tuple[WebHit, ...]:
    """Fuse the rankings of several providers.

    Results are the same where their normalised URLs are equal, and count once for each provider. Pages are fetched by the URL that a
    provider gave: the normalised one is a key, and some servers answer it with status 404.
    """
    scores: dict[str, float] = {}
    best: dict[str, tuple[int, SearchHit]] = {}
    found_by: dict[str, list[str]] = {}
    for name, hits in rankings.items():
        seen: set[str] = set()
        for hit in hits:
            key = normalised_url(hit.url) if len(hit.url) <= MAX_URL else None
            if key is None or key in seen:
                continue
            seen.add(key)
            rank = len(seen)
            scores[key] = scores.get(key, 0.0) + 1 / (RRF + rank)
            if key not in best or rank < best[key][0]:
                best[key] = (rank, hit)
            found_by.setdefault(key, []).append(name)
    order = sorted(scores, key=lambda key: (-scores[key], key))
    return tuple(
        WebHit(
            url=best[key][1].url.strip(),
            title=best[key][1].title,
            providers=tuple(found_by[key]),
            score=scores[key],
        )
        for key in order
    )
