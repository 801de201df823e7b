"""What a host may set for documents from the web. As it is made, nothing is fetched."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from octavo_contracts import PolicyRefused
from pydantic import Field, SecretStr

ANY = "*"
"""In `WebSettings.allow`: any public host."""


@dataclass(frozen=True, kw_only=True)
class WebSettings:
    """Settings of `octavo ingest https://…` (CNV-14, CNV-15).

    Attributes:
        enabled: whether anything is fetched at all.
        allow: hosts that may be fetched from; a host also stands for its subdomains, "*" for every public host.
        deny: hosts that may not; stronger than `allow`.
        private: hosts of your own network or machine, as `host` or `host:port`, that may be fetched from although their
            addresses are not public.
        seconds: for one page, redirects and all.
        max_bytes: a longer answer is refused.
        robots: whether a site's robots.txt is obeyed.
        delay_seconds: least time between two requests to one host.
        crawler: base URL of a crawler of your own that renders pages, such as a self-hosted Firecrawl; None: there is none.
        crawler_key: its API key; never shown.
        crawl_always: hosts whose pages go to the crawler at once.
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
        """Wrap a key that is given as a plain text, so that it is shown nowhere."""
        given: object = self.crawler_key
        if isinstance(given, str):
            object.__setattr__(self, "crawler_key", SecretStr(given))


def network_off(url: str) -> PolicyRefused:
    """The error of a page that is asked for while nothing may be fetched."""
    return PolicyRefused(
        "the network is off, and it was not asked for",
        source=url,
        remedy="Set web.enabled = true and name its host in web.allow (see `octavo settings`)",
    )
