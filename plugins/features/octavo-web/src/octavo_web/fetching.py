"""Fetches a web page: checks the settings and robots.txt, limits the request rate, and checks the status."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from octavo.settings.web import ANY, WebSettings, network_off
from octavo_contracts import FetchResponse, PolicyRefused, SourceMissing, ToolUnavailable
from octavo_sandbox.egress import EgressPolicy, GuardedFetcher, Target, own_fetcher, parse_target
from octavo_sandbox.egress.connecting import Deadline, Stopped, vetted_addresses
from octavo_sandbox.egress.targets import DEFAULT_PORTS, PORTS
from octavo_sandbox.errors import raise_if
from octavo_sandbox.keyed_lock import WAIT_SECONDS, KeyedLock

from .robots import MAX_BYTES as ROBOTS_BYTES
from .robots import Robots

GONE = frozenset({404, 410})
"""Statuses that mean that the page does not exist."""
_BUSY = frozenset({408, 425, 429})


@dataclass(frozen=True, kw_only=True)
class FetchedPage:
    """A fetched page.

    Attributes:
        url: its URL, after redirects.
        media_type: media type sent by the server; the bytes decide.
        body: the bytes.
    """

    url: str
    media_type: str
    body: bytes


class WebFetcher:
    """Fetches pages as the settings allow. Thread-safe: one thread at a time contacts a host.

    Args:
        settings: allowed hosts and rate limits.
        clock: a monotonic clock, seconds.
        closing: set it to end all fetches and waits.
    """

    def __init__(
        self,
        settings: WebSettings,
        *,
        clock: Callable[[], float] = time.monotonic,
        closing: threading.Event | None = None,
    ) -> None:
        self._settings = settings
        self._closing = closing or threading.Event()
        self._clock = clock
        allow = None if ANY in settings.allow else frozenset(settings.allow)
        self._policy = EgressPolicy(enabled=settings.enabled, allow=allow, deny=frozenset(settings.deny))
        self._robots = Robots(self._rules_of, clock=clock)
        self._last: dict[str, float] = {}
        self._locks = KeyedLock()

    def target(self, url: str) -> Target:
        """Parse a URL into a target.

        Raises:
            PolicyRefused: URLs of this kind are not fetched.
        """
        ports = {port for _, port in map(_parted, self._settings.private) if port is not None}
        return parse_target(url, ports=PORTS | ports)

    def check(self, target: Target) -> None:
        """Raise unless a page may be fetched.

        Raises:
            PolicyRefused: the settings do not allow the host.
        """
        if not self._settings.enabled:
            raise network_off(target.url)
        if not self._is_private(target):
            try:
                self._policy.check(target.host)
            except PolicyRefused as error:
                raise PolicyRefused(error.message, remedy="Add the host to the setting web.allow") from None

    def page(self, target: Target, *, cancel: threading.Event | None = None) -> FetchedPage:
        """Fetch a page.

        Args:
            target: the page.
            cancel: set it to end the wait for the host and the fetch itself.

        Raises:
            PolicyRefused: settings, robots.txt, an address or a redirect forbid it.
            SourceMissing: the server has no such page.
            AuthUnavailable: the server requires credentials.
            ContentTooLarge: the page is longer than the settings allow.
            ToolUnavailable: the server cannot be reached, or answered with a server error.
            Cancelled: `cancel` was set, or the library was closed.
        """
        with self.turn(target, cancel=cancel):
            # A redirect leads to another page, to which the rules of its site apply.
            fetcher = self._fetcher_to(target, hop=lambda hop: self.check_rules(hop, cancel=cancel), cancel=cancel)
            answer = fetcher.fetch(target.url, max_bytes=self._settings.max_bytes, timeout=self._settings.seconds)
        _judge(target, answer.status)
        return FetchedPage(url=answer.url, media_type=answer.media_type, body=answer.body)

    @contextmanager
    def turn(self, target: Target, *, cancel: threading.Event | None = None) -> Iterator[None]:
        """Reserve a site for one request: wait until its rules allow the page, no other thread uses it, and the delay is over.

        Raises:
            PolicyRefused: settings or robots.txt forbid the page.
            ToolUnavailable: the site's rules cannot be fetched.
            Cancelled: `cancel` was set, or the library was closed.
        """
        self.check(target)
        with self._locks.holding(target.host, cancel=cancel):
            raise_if(cancel)
            raise_if(self._closing)
            self.check_rules(target, cancel=cancel)
            self._wait(target, cancel)
            try:
                yield
            finally:
                self._last[target.host] = self._clock()

    def check_rules(self, target: Target, *, cancel: threading.Event | None = None) -> None:
        """Raise unless the site's rules allow a page.

        Args:
            target: the page.
            cancel: set it to end the fetch of the rules.

        Raises:
            PolicyRefused: the rules do not allow it.
            ToolUnavailable: the rules cannot be fetched.
            Cancelled: `cancel` was set, or the library was closed.
        """
        if self._settings.robots and (why := self._robots.refusal(target, cancel=cancel)):
            raise PolicyRefused(
                f"{target.host}: {why}",
                remedy="If the site has given permission, set web.robots = false",
            )

    def check_addresses(self, target: Target) -> None:
        """Raise if a host resolves to a forbidden address, before another program connects to it.

        A host that this machine cannot resolve passes if the settings name it: the crawler may be able to resolve it.

        Raises:
            PolicyRefused: the address is forbidden, or the host does not resolve and is not in the settings.
        """
        if self._is_private(target):
            return
        try:
            vetted_addresses(target, Deadline(self._settings.seconds, stopped=self._closing.is_set))
        except ToolUnavailable as error:
            if ANY in self._settings.allow:
                raise PolicyRefused(
                    f"{target.host} cannot be resolved here, and is not in the setting web.allow",
                    remedy="Name the host in the setting web.allow",
                ) from error

    def _rules_of(self, url: str, cancel: threading.Event | None) -> FetchResponse:
        """Fetch a robots.txt; no rules are checked for this."""
        fetcher = self._fetcher_to(self.target(url), cancel=cancel)
        return fetcher.fetch(url, max_bytes=ROBOTS_BYTES, timeout=self._settings.seconds)

    def _fetcher_to(
        self,
        target: Target,
        *,
        hop: Callable[[Target], None] | None = None,
        cancel: threading.Event | None = None,
    ) -> GuardedFetcher:
        stopped = self.stopped(cancel)
        if self._is_private(target):
            return own_fetcher(target, deny=self._settings.deny, hop=hop, stopped=stopped)
        return GuardedFetcher(self._policy, hop=hop, stopped=stopped)

    def stopped(self, cancel: threading.Event | None) -> Stopped:
        """Return a function that is true once the caller has cancelled or the library is closed."""
        return lambda: self._closing.is_set() or (cancel is not None and cancel.is_set())

    def _is_private(self, target: Target) -> bool:
        asked = (target.host, target.port)
        return any(
            asked == (host, port) or (port is None and asked == (host, DEFAULT_PORTS[target.scheme]))
            for host, port in map(_parted, self._settings.private)
        )

    def _wait(self, target: Target, cancel: threading.Event | None) -> None:
        last = self._last.get(target.host)
        if last is None:
            return
        delay = self._settings.delay_seconds
        if self._settings.robots:
            delay = max(delay, self._robots.delay(target))
        ends = last + delay
        while (left := ends - self._clock()) > 0:
            raise_if(self._closing)
            (cancel or self._closing).wait(min(left, WAIT_SECONDS))
            raise_if(cancel)


def _parted(entry: str) -> tuple[str, int | None]:
    host, colon, port = entry.strip().lower().rpartition(":")
    if colon and port.isdecimal():
        return host.strip("[]"), int(port)
    return entry.strip().lower().strip("[]"), None


def _judge(target: Target, status: int) -> None:
    """Raise if the status means that there is no page."""
    if 200 <= status < 300:
        return
    if status in GONE:
        raise SourceMissing(f"{target.host} has no such page (status {status})", remedy="Check the URL")
    if status in _BUSY or status >= 500:
        raise ToolUnavailable(f"{target.host} returned status {status}", remedy="Try again later")
    raise SourceMissing(f"{target.host} returned no page (status {status})", remedy="Check the URL")
