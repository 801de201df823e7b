"""Parses URLs strictly, so that no two parsers can disagree about their target (DIG-27)."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address
from typing import TypeGuard
from urllib.parse import SplitResult, urljoin, urlsplit

from octavo_contracts import PolicyRefused

PORTS = frozenset({80, 443})
DEFAULT_PORTS = {"http": 80, "https": 443}
MAX_URL_CHARS = 8_192
_SCHEMES = ("http://", "https://")

_UNPRINTABLE = re.compile(r"[\x00-\x20\x7f-\x9f\ud800-\udfff\\]")
_LABEL = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?<!-)")
_BRACKETED = re.compile(r"\[[^\[\]]*\](?::[0-9]+)?")
_NUMBER = re.compile(r"(?:0x[0-9a-f]*|[0-9]+)")
_ESCAPED_CONTROL = re.compile(r"%(?:0[0-9a-f]|1[0-9a-f]|7f)", re.IGNORECASE)


def is_url(source: object) -> TypeGuard[str]:
    """Return whether a source is a URL. To use a path that begins like a URL, pass it as a `Path`."""
    return isinstance(source, str) and source[:8].lower().startswith(_SCHEMES)


@dataclass(frozen=True, kw_only=True)
class Target:
    """The target of a request.

    Attributes:
        scheme: http or https.
        host: lower-case ASCII name, or an address without brackets.
        port: 80 or 443.
        path: path and query.
    """

    scheme: str
    host: str
    port: int
    path: str

    @property
    def origin(self) -> tuple[str, str, int]:
        """Origin, to which credentials are bound."""
        return self.scheme, self.host, self.port

    @property
    def authority(self) -> str:
        """The value of the header `Host`."""
        shown = f"[{self.host}]" if ":" in self.host else self.host
        return shown if self.port == DEFAULT_PORTS[self.scheme] else f"{shown}:{self.port}"

    @property
    def url(self) -> str:
        """The URL, without a fragment."""
        return f"{self.scheme}://{self.authority}{self.path}"


def parse_target(url: str, *, ports: Collection[int] = PORTS) -> Target:
    """Parse a URL strictly.

    Raises:
        PolicyRefused: not a URL, or one that parsers disagree about: another scheme or port, user names, backslashes,
            spaces, control characters, numbers that are not plain addresses, non-ASCII hosts.
    """
    if len(url) > MAX_URL_CHARS:
        raise _refused("it is too long")
    if _UNPRINTABLE.search(url):
        raise _refused("it contains spaces, control characters or backslashes")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise _refused("it cannot be parsed") from None
    if parts.scheme not in DEFAULT_PORTS:
        raise _refused(f"its scheme is {parts.scheme[:20] or 'missing'!r}; only http and https are fetched")
    if "@" in parts.netloc or "@" in parts.fragment:
        raise _refused("it contains a user name, or what some parsers take for one")
    if _ESCAPED_CONTROL.search(url):
        raise _refused("it contains escaped control characters")
    host = _host(parts)
    number = port if port is not None else DEFAULT_PORTS[parts.scheme]
    if number not in ports:
        raise _refused(f"its port is {number}; only {' and '.join(map(str, sorted(ports)))} are allowed")
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return Target(scheme=parts.scheme, host=host, port=number, path=_ascii(path))


def follow(target: Target, location: str, *, ports: Collection[int] = PORTS) -> Target:
    """Resolve the target of a redirect, as strictly as the first URL.

    Raises:
        PolicyRefused: the redirect may not be followed.
    """
    if _UNPRINTABLE.search(location):
        raise _refused("a redirect contains spaces, control characters or backslashes")
    try:
        joined = urljoin(target.url, location)
    except ValueError:
        raise _refused("a redirect cannot be parsed") from None
    return parse_target(joined, ports=ports)


def _host(parts: SplitResult) -> str:
    authority = parts.netloc
    host = parts.hostname or ""
    if not host or "%" in authority:
        raise _refused("its host is missing or escaped")
    if not host.isascii():
        # International names have an ASCII form that the user can give; look-alike digits have none.
        raise _refused("its host is not ASCII; give its xn-- form")
    if authority.startswith("["):
        if not _BRACKETED.fullmatch(authority):
            raise _refused("its host is not an IPv6 address")
        try:
            return str(IPv6Address(host))
        except ValueError:
            raise _refused("its host is not an IPv6 address") from None
    labels = host.split(".")
    if host.endswith(".") or len(host) > 253 or not all(_LABEL.fullmatch(label) for label in labels):
        raise _refused("its host is not a valid name")
    if _NUMBER.fullmatch(labels[-1]):
        # Reject decimal, octal, hexadecimal and short forms: all parsers agree only on four plain numbers.
        try:
            return str(ip_address(host))
        except ValueError:
            raise _refused("its host is a number but not a plain address") from None
    return host


def _ascii(path: str) -> str:
    from urllib.parse import quote

    return quote(path, safe="/?:@!$&'()*+,;=~-._%[]")


def _refused(why: str) -> PolicyRefused:
    return PolicyRefused(f"the URL is not fetched: {why}")
