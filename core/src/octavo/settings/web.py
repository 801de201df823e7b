"""Settings for documents from the web. By default nothing is fetched."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from octavo_contracts import PolicyRefused
from pydantic import Field, SecretStr

ANY = "*"
"""Value in `WebSettings.allow` that means any public host."""


@dataclass(frozen=True, kw_only=True)
class WebSettings:
    """Settings of `octavo ingest https://…` (CNV-14, CNV-15).

    Attributes:
        enabled: whether anything is fetched at all.
        allow: hosts that may be fetched from, including their subdomains; "*" for every public host.
        deny: hosts that may not; stronger than `allow`.
        private: hosts in your own network or on this machine, as `host` or `host:port`, that may be fetched from
            although their addresses are not public.
        seconds: time limit for one page, including redirects.
        max_bytes: maximum size of an answer.
        robots: whether to obey robots.txt.
        delay_seconds: minimum time between two requests to one host.
        crawler: base URL of your own crawler that renders pages, such as a self-hosted Firecrawl; None: no crawler.
        crawler_key: its API key; never shown.
        crawl_always: hosts whose pages are always fetched by the crawler.
    """

    enabled: bool = False
    allow: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()
    private: tuple[str, ...] = ()
    seconds: Annotated[float, Field(gt=0)] = 30.0
    max_bytes: Annotated[int, Field(ge=1)] = 20_000_000
    robots: bool = True
    delay_seconds: Annotated[float, Field(ge=0)] = 1.0
    crawler: str | None = None
    crawler_key: SecretStr | None = None
    crawl_always: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Wrap a key given as plain text, so that it is never shown."""
        given: object = self.crawler_key
        if isinstance(given, str):
            object.__setattr__(self, "crawler_key", SecretStr(given))


def network_off(url: str) -> PolicyRefused:
    """Build the error for a page that is requested while web access is disabled."""
    return PolicyRefused(
        "web access is disabled; the page was not requested",
        source=url,
        remedy="Set web.enabled = true and add the host to web.allow (see `octavo settings`)",
    )
