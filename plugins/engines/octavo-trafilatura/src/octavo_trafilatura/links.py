"""Resolves a page's links, and takes the address out of links that only pass a reader on."""

from __future__ import annotations

import base64
import binascii
import re
from contextlib import suppress
from urllib.parse import parse_qs, urljoin, urlsplit

from lxml import html

_PASSING_ON = (
    (re.compile(r"(?:^|\.)bing\.com$"), "/ck/a", "u"),
    (re.compile(r"(?:^|\.)google\.[a-z.]{2,6}$"), "/url", "q"),
    (re.compile(r"(?:^|\.)google\.[a-z.]{2,6}$"), "/url", "url"),
    (re.compile(r"(?:^|\.)duckduckgo\.com$"), "/l/", "uddg"),
    (re.compile(r"^lm?\.facebook\.com$"), "/l.php", "u"),
    (re.compile(r"(?:^|\.)youtube\.com$"), "/redirect", "q"),
    (re.compile(r"(?:^|\.)safelinks\.protection\.outlook\.com$"), "/", "url"),
    (re.compile(r"^out\.reddit\.com$"), "/", "url"),
)
"""Host, path and parameter of services that pass a reader on to the address in the parameter."""


def resolve_links(root: html.HtmlElement) -> None:
    """Make the targets of links and pictures absolute where the page says where it comes from.

    A link to a place in the page itself stays as it is.
    """
    base = _base(root)
    for element, name in [(link, "href") for link in root.iter("a")] + [(image, "src") for image in root.iter("img")]:
        url = (element.get(name) or "").strip()
        if not url or url.startswith("#"):
            continue
        # A URL such as 'http://[' cannot be joined by any rule and stays as it is.
        with suppress(ValueError):
            element.set(name, real_target(urljoin(base, url) if base else url))


def real_target(url: str) -> str:
    """Return the address that a link leads to in the end, where its own text says it; else the link."""
    if "?" not in url:
        return url
    parts = urlsplit(url)
    for host, path, parameter in _PASSING_ON:
        if host.search(parts.hostname or "") and parts.path.startswith(path):
            for value in parse_qs(parts.query).get(parameter, ()):
                target = _decoded(value)
                if target.startswith(("http://", "https://")):
                    return target
    return url


def _decoded(value: str) -> str:
    """An address as it is, or in base64 behind a mark of two characters."""
    if value.startswith(("http://", "https://")) or not value.startswith("a1"):
        return value
    try:
        return base64.urlsafe_b64decode(value[2:] + "=" * (-len(value[2:]) % 4)).decode("utf-8")
    except (binascii.Error, UnicodeDecodeError):
        return value


def _base(root: html.HtmlElement) -> str:
    """The page's `base`, joined to its own address if it names one."""
    own = next(
        (str(url).strip() for url in root.xpath("//link[@rel='canonical']/@href|//meta[@property='og:url']/@content")),
        "",
    )
    base = str(next(iter(root.xpath("//base/@href")), "")).strip()
    with suppress(ValueError):
        joined = urljoin(own, base) if base else own
        return joined if joined.startswith(("http://", "https://")) else ""
    return ""
