"""The crawler that renders pages: found among the services, asked at its own address alone (CNV-14, CNV-15)."""

from __future__ import annotations

from urllib.parse import urlsplit

from octavo.egress import Target, own_fetcher, parse_target
from octavo.egress.connecting import Stopped
from octavo.egress.gate import Owners, note_use, pass_gate
from octavo.plugins.services import Services
from octavo.settings.web import WebSettings
from octavo_contracts import (
    ContentTooLarge,
    CrawledPage,
    Crawler,
    PolicyRefused,
    SourceMissing,
    ToolUnavailable,
    UsageError,
)

from .fetching import GONE

_HERE = frozenset({"localhost", "127.0.0.1", "::1"})


class CrawlerClient:
    """A crawler at the address that the settings give.

    Args:
        settings: with `crawler`.
        services: what is installed.

    Raises:
        UsageError: the address is no URL.
        ToolUnavailable: no installed plugin offers a crawler, or it lacks what it needs.
    """

    def __init__(self, settings: WebSettings, services: Services) -> None:
        assert settings.crawler is not None  # whoever asks for a crawler has one
        self._settings = settings
        self._base = settings.crawler.rstrip("/")
        try:
            port = urlsplit(self._base).port
            self._target = parse_target(self._base, ports={port} if port else {80, 443})
        except (PolicyRefused, ValueError):
            raise UsageError("the setting web.crawler is no URL of a server") from None
        found = services.find("crawler")
        if found is None:
            raise ToolUnavailable(
                "web.crawler is set, and no installed plugin speaks to a crawler",
                remedy="Run `pip install octavo-firecrawl`",
            )
        self.name = found.name
        self._service = f"the crawler at {self._target.host}"
        self._crawler: Crawler = found.make()

    def check(self, owners: Owners) -> None:
        """Raise where the crawler is a cloud service and the document may not be shown to one.

        A crawler on this machine or at an address that the settings call private is the user's own.

        Raises:
            PolicyRefused: it is not the user's own, and cloud services may not see the document.
        """
        if not self._is_own():
            pass_gate(owners, service=self._service)

    def page(
        self,
        target: Target,
        *,
        timeout: float,
        max_bytes: int,
        owners: Owners | None = None,
        stopped: Stopped | None = None,
    ) -> CrawledPage:
        """Have a page rendered.

        Args:
            target: the page.
            timeout: seconds that it may take.
            max_bytes: of the page.
            owners: of the document, who let the crawler see it.
            stopped: as `GuardedFetcher`.

        Raises:
            SourceMissing: the site has no such page.
            AuthUnavailable: crawler or site want credentials.
            ToolUnavailable: the crawler cannot be reached, or could not render the page.
            PolicyRefused: its address is not allowed.
            ContentTooLarge: the page is longer than `max_bytes`.
            Cancelled: it was stopped.
        """
        if not self._is_own():
            note_use(owners, service=self._service)
        key = self._settings.crawler_key
        page = self._crawler.crawl(
            target.url,
            base_url=self._base,
            fetcher=own_fetcher(self._target, stopped=stopped),
            key=key.get_secret_value() if key is not None else None,
            timeout=timeout,
        )
        if page.status in GONE:
            raise SourceMissing(f"{target.host} has no such page (status {page.status}, by the crawler {self.name})")
        if len(page.body) > max_bytes:
            raise ContentTooLarge(
                f"the page of {target.host} is longer than {max_bytes} bytes, as the crawler {self.name} renders it"
            )
        if page.status >= 400 or not page.body.strip():
            raise ToolUnavailable(f"the crawler {self.name} got no page from {target.host} (status {page.status})")
        return page

    def _is_own(self) -> bool:
        host, port = self._target.host, self._target.port
        return host in _HERE or any(entry in (host, f"{host}:{port}") for entry in self._settings.private)
