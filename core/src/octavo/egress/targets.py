"""URLs that may be fetched, read so that no two readers can disagree about where they lead (DIG-27)."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address
from urllib.parse import SplitResult, urljoin, urlsplit

from octavo_contracts import PolicyRefused

PORTS = frozenset({80, 443})
DEFAULT_PORTS = {"http": 80, "https": 443}
MAX_URL_CHARS = 8_192

_UNPRINTABLE = re.compile(r"[\x00-\x20\x7f-\x9f\ud800-\udfff\\]")
_LABEL = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?<!-)")
_BRACKETED = re.compile(r"\[[^\[\]]*\](?::[0-9]+)?")
_NUMBER = re.compile(r"(?:0x[0-9a-f]*|[0-9]+)")
_ESCAPED_CONTROL = re.compile(r"%(?:0[0-9a-f]|1[0-9a-f]|7f)", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True)
class Target:
    """Where a request goes.

    Attributes:
        scheme: http or https.
        host: lower-case ASCII name, or an address without brackets.
        port: 80 or 443.
        path: what is asked for, with the query.
    """

    scheme: str
    host: str
    port: int
    path: str

    @property
    def origin(self) -> tuple[str, str, int]:
        """What credentials belong to."""
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
    """Read a URL strictly.

    Raises:
        PolicyRefused: it is none, or one that readers disagree about: another scheme or port, user names, backslashes,
            blanks, controls, numbers that are no plain address, hosts in other scripts.
    """
    if len(url) > MAX_URL_CHARS:
        raise _refused("it is too long")
    if _UNPRINTABLE.search(url):
        raise _refused("it holds blanks, controls or backslashes")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise _refused("it cannot be read") from None
    if parts.scheme not in DEFAULT_PORTS:
        raise _refused(f"its scheme is {parts.scheme[:20] or 'missing'!r}; only http and https are fetched")
    if "@" in parts.netloc or "@" in parts.fragment:
        raise _refused("it holds a user name, or what some readers take for one")
    if _ESCAPED_CONTROL.search(url):
        raise _refused("it holds escaped control characters")
    host = _host(parts)
    number = port if port is not None else DEFAULT_PORTS[parts.scheme]
    if number not in ports:
        raise _refused(f"its port is {number}; only {' and '.join(map(str, sorted(ports)))} are used")
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return Target(scheme=parts.scheme, host=host, port=number, path=_ascii(path))


def follow(target: Target, location: str, *, ports: Collection[int] = PORTS) -> Target:
    """Where a redirect leads: read as strictly as the first URL.

    Raises:
        PolicyRefused: it may not be followed.
    """
    if _UNPRINTABLE.search(location):
        raise _refused("a redirect holds blanks, controls or backslashes")
    try:
        joined = urljoin(target.url, location)
    except ValueError:
        raise _refused("a redirect cannot be read") from None
    return parse_target(joined, ports=ports)


def _host(parts: SplitResult) -> str:
    authority = parts.netloc
    host = parts.hostname or ""
    if not host or "%" in authority:
        raise _refused("its host is missing or escaped")
    if not host.isascii():
        # Names in other scripts have an ASCII form, which the user can give; look-alike digits have none.
        raise _refused("its host is not ASCII; give its xn-- form")
    if authority.startswith("["):
        if not _BRACKETED.fullmatch(authority):
            raise _refused("its host is no IPv6 address")
        try:
            return str(IPv6Address(host))
        except ValueError:
            raise _refused("its host is no IPv6 address") from None
    labels = host.split(".")
    if host.endswith(".") or len(host) > 253 or not all(_LABEL.fullmatch(label) for label in labels):
        raise _refused("its host is no name")
    if _NUMBER.fullmatch(labels[-1]):
        # Decimal, octal, hexadecimal and short forms: only the four plain numbers are an address to everybody.
        try:
            return str(ip_address(host))
        except ValueError:
            raise _refused("its host is a number that is no plain address") from None
    return host


def _ascii(path: str) -> str:
    from urllib.parse import quote

    return quote(path, safe="/?:@!$&'()*+,;=~-._%[]")


def _refused(why: str) -> PolicyRefused:
    return PolicyRefused(f"the URL is not fetched: {why}")
