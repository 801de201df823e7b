"""Client of the installed crawler service, restricted to the crawler's own address (CNV-14, CNV-15)."""

from __future__ import annotations

from urllib.parse import urlsplit

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
from octavo_sandbox.egress import Target, own_fetcher, parse_target
from octavo_sandbox.egress.connecting import Stopped
from octavo_sandbox.egress.gate import Owners, note_use, pass_gate

from .fetching import GONE

_HERE = frozenset({"localhost", "127.0.0.1", "::1"})


class CrawlerClient:
    """A crawler at the address in the settings.

    Args:
        settings: web settings with `crawler`.
        services: the installed services.

    Raises:
        UsageError: the address is not a URL.
        ToolUnavailable: no installed plugin offers a crawler, or one of its requirements is missing.
    """

    def __init__(self, settings: WebSettings, services: Services) -> None:
        assert settings.crawler is not None  # callers check that a crawler is set
        self._settings = settings
        self._base = settings.crawler.rstrip("/")
        try:
            port = urlsplit(self._base).port
            self._target = parse_target(self._base, ports={port} if port else {80, 443})
        except (PolicyRefused, ValueError):
            raise UsageError("the setting web.crawler is not the URL of a server") from None
        found = services.find("crawler")
        if found is None:
            raise ToolUnavailable(
                "web.crawler is set, but no installed plugin offers a crawler",
                remedy="Run: pip install octavo-firecrawl",
            )
        self.name = found.name
        self._service = f"the crawler at {self._target.host}"
        self._crawler: Crawler = found.make()

    def check(self, owners: Owners) -> None:
        """Raise if the crawler is a cloud service and the document may not be sent to one.

        A crawler on this machine, or at an address that the settings list as private, belongs to the user.

        Raises:
            PolicyRefused: the crawler is not the user's own, and the document may not be sent to cloud services.
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
        """Render a page.

        Args:
            target: the page.
            timeout: maximum seconds.
            max_bytes: maximum bytes of the page.
            owners: owners of the document, who allow the crawler.
            stopped: see `GuardedFetcher`.

        Raises:
            SourceMissing: the site has no such page.
            AuthUnavailable: the crawler or the site requires credentials.
            ToolUnavailable: the crawler cannot be reached, or could not render the page.
            PolicyRefused: the crawler's address is not allowed.
            ContentTooLarge: the page is longer than `max_bytes`.
            Cancelled: the call was stopped.
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
                f"the page of {target.host} rendered by the crawler {self.name} is longer than {max_bytes} bytes"
            )
        if page.status >= 400 or not page.body.strip():
            raise ToolUnavailable(f"the crawler {self.name} got no page from {target.host} (status {page.status})")
        return page

    def _is_own(self) -> bool:
        host, port = self._target.host, self._target.port
        return host in _HERE or any(entry in (host, f"{host}:{port}") for entry in self._settings.private)
